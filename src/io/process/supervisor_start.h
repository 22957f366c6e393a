/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the supervisor to its program: everything between fork and exec.
 *
 * For io/process/supervisor.c alone.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "io/process/exec_pack.h"
#include "io/process/supervisor.h"

/* What a program was to be given when it was refused. */
enum supervisor_stage {
    SUPERVISOR_STARTED, /* nothing was refused */
    SUPERVISOR_PROCESS,
    SUPERVISOR_USER,
    SUPERVISOR_GROUP,
    SUPERVISOR_BECOME, /* user and group are known, but not to be had */
    SUPERVISOR_LIMITS,
    SUPERVISOR_CWD,
    SUPERVISOR_EXEC,
};

struct supervisor_error {
    enum supervisor_stage stage;
    int error; /* errno; 0 for a name that is not known */
};

/* Whom the program runs as. */
struct supervisor_user {
    uid_t uid;
    gid_t gid;
    const char *name; /* of the user, for its further groups; NULL: those of the supervisor */
    const char *home; /* of a user who was asked for; NULL: not known                   */
    bool is_other;    /* not whom the supervisor runs as                                    */
};

/* Looks up the request's user and group.  Whether they may be had, the kernel says later. */
struct supervisor_error supervisor_find_user(const struct exec_pack *pack,
                                             struct supervisor_user *ret);

/*
 * Becomes the program; for the forked child.  `fds` are all above 2.  A refusal is written
 * to `tell`, which closes by itself when the program begins.  Ends with process `supervisor`.
 */
_Noreturn void supervisor_become(const struct exec_pack *pack,
                                 const struct supervisor_user *person,
                                 const int fds[SUPERVISOR_FDS], int tell, pid_t supervisor);

/* The refusal in words; `refusal` is one. */
void supervisor_explain(const struct exec_pack *pack, struct supervisor_error refusal,
                        struct err *ret);
