/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the supervisor to its program: everything between fork and exec.  For
 * io/process/supervisor.c only.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "io/process/exec_pack.h"
#include "io/process/supervisor.h"

/* The step at which a start failed. */
enum supervisor_stage {
    SUPERVISOR_STARTED, /* it did not fail */
    SUPERVISOR_PROCESS,
    SUPERVISOR_USER,
    SUPERVISOR_GROUP,
    SUPERVISOR_BECOME, /* user and group exist, but may not be used */
    SUPERVISOR_LIMITS,
    SUPERVISOR_CWD,
    SUPERVISOR_EXEC,
};

struct supervisor_error {
    enum supervisor_stage stage;
    int error; /* errno; 0 for a name that does not exist */
};

/* The identity of the program. */
struct supervisor_user {
    uid_t uid;
    gid_t gid;
    const char *name; /* of the user, for its further groups; NULL: those of the supervisor */
    const char *home; /* of a requested user; NULL: unknown */
    bool is_other;    /* differs from the supervisor's identity */
};

/* Looks up the request's user and group.  The kernel decides later whether they may be used. */
struct supervisor_error supervisor_find_user(const struct exec_pack *pack,
                                             struct supervisor_user *ret);

/*
 * Becomes the program; for the forked child.  `fds` are all above 2.  An error is written to
 * `error_pipe`, which closes automatically when the program begins.  The kernel kills the child
 * when process `supervisor` dies.
 */
_Noreturn void supervisor_become(const struct exec_pack *pack,
                                 const struct supervisor_user *identity,
                                 const int fds[SUPERVISOR_FDS], int error_pipe,
                                 pid_t supervisor);

/* Describes the error in `refusal`. */
void supervisor_explain(const struct exec_pack *pack, struct supervisor_error refusal,
                        struct err *ret);
