/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request on its way from io/process/exec.c to a supervisor: checked, and packed into a
 * memory file.
 *
 * Not a stable format: both ends are the same build of the same program.
 */
#pragma once

#include "io/process/exec.h"

/* The packed data, as the supervisor sees it. */
struct exec_pack {
    struct exec_caps caps;
    char **argv, **env;                    /* as for execve(2); env has room for one more */
    const char *file, *cwd, *user, *group; /* user, group: "" for none */
};

/* Checks whether the request could work at all. */
MUST_USE enum rc exec_request_check(const struct exec_request *request, struct err *reterr);

/* A checked request as a file descriptor; -1 with errno. */
MUST_USE int exec_pack(const struct exec_request *request);

/* Reads what exec_pack() wrote.  The memory is never freed. */
void exec_unpack(int fd, struct exec_pack *ret);

/* Bytes as a file to be read from its start; -1 with errno.  The name appears in /proc. */
MUST_USE int exec_memory_file(const char *name, struct str bytes);
