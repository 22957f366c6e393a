/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The making of a supervisor and the talk with it: io/process/supervisor.h seen from the pool.
 *
 * For io/process/exec.c alone.
 */
#pragma once

#include <sys/types.h>

#include "io/process/exec.h"
#include "io/process/supervisor.h"

struct exec_spawned {
    pid_t pid;             /* 0 when it has been waited for                    */
    int pidfd;             /* readable when the supervisor is dead                 */
    int socket;            /* for orders, and for its report                   */
    int out[EXEC_STREAMS]; /* what the program writes; non-blocking */
};

/* A supervisor that runs a checked request.  False with errno, and nothing is left. */
bool exec_spawn(const struct exec_request *request, struct exec_spawned *ret);

/* Gives an order.  A supervisor that was stopped by its program is woken. */
void exec_spawned_order(const struct exec_spawned *supervisor, enum supervisor_order order);

/* For a dead supervisor: its report, if it made one.  pid, pidfd and socket are done with. */
bool exec_spawned_bury(struct exec_spawned *supervisor, struct supervisor_report *ret);
