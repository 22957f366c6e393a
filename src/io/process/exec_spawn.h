/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates a supervisor and communicates with it: io/process/supervisor.h seen from the pool.
 * For io/process/exec.c only.
 */
#pragma once

#include <sys/types.h>

#include "io/process/exec.h"
#include "io/process/supervisor.h"

struct exec_spawned {
    pid_t pid;             /* 0 after it was waited for */
    int pidfd;             /* readable when the supervisor is dead */
    int socket;            /* for orders, and for its report */
    int out[EXEC_STREAMS]; /* what the program writes; non-blocking */
};

/* Starts a supervisor that runs a checked request.  False with errno, and nothing is left. */
bool exec_spawn(const struct exec_request *request, struct exec_spawned *ret);

/* Sends an order.  Wakes a supervisor that its program stopped. */
void exec_spawned_order(const struct exec_spawned *supervisor, enum supervisor_order order);

/* For a dead supervisor: reads its report, if any.  Closes pidfd and socket; pid becomes 0. */
bool exec_spawned_reap(struct exec_spawned *supervisor, struct supervisor_report *ret);
