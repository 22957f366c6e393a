/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the keeper to its program: everything between fork and exec.
 *
 * For io/process/supervisor.c alone.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "io/process/exec_pack.h"
#include "io/process/supervisor.h"

/* What a program was to be given when it was refused. */
enum keeper_stage {
    KEEPER_STARTED, /* nothing was refused */
    KEEPER_PROCESS,
    KEEPER_USER,
    KEEPER_GROUP,
    KEEPER_BECOME, /* user and group are known, but not to be had */
    KEEPER_LIMITS,
    KEEPER_CWD,
    KEEPER_EXEC,
};

struct keeper_refusal {
    enum keeper_stage stage;
    int error; /* errno; 0 for a name that is not known */
};

/* Whom the program runs as. */
struct keeper_person {
    uid_t uid;
    gid_t gid;
    const char *name; /* of the user, for its further groups; NULL: those of the keeper */
    const char *home; /* of a user who was asked for; NULL: not known                   */
    bool is_other;    /* not whom the keeper runs as                                    */
};

/* Looks up the request's user and group.  Whether they may be had, the kernel says later. */
struct keeper_refusal keeper_find_person(const struct exec_pack *pack,
                                         struct keeper_person *ret);

/*
 * Becomes the program; for the forked child.  `fds` are all above 2.  A refusal is written
 * to `tell`, which closes by itself when the program begins.  Ends with process `keeper`.
 */
_Noreturn void keeper_become(const struct exec_pack *pack, const struct keeper_person *person,
                             const int fds[KEEPER_FDS], int tell, pid_t keeper);

/* The refusal in words; `refusal` is one. */
void keeper_explain(const struct exec_pack *pack, struct keeper_refusal refusal,
                    struct err *ret);
