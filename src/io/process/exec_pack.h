/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request on its way from io/process/exec.c to a supervisor: checked, and packed into a file
 * in memory.
 *
 * Not a format: both ends are the same program at the same build.
 */
#pragma once

#include "io/process/exec.h"

/* What is packed, as the supervisor sees it. */
struct exec_pack {
    struct exec_caps caps;
    char **argv, **env; /* as execve(2) takes them; env has room for one more */
    const char *file, *cwd, *user, *group; /* user, group: "" for none */
};

/* Whether the request could work at all. */
MUST_USE enum rc exec_request_check(const struct exec_request *request, struct err *reterr);

/* A checked request as a file descriptor; -1 with errno. */
MUST_USE int exec_pack(const struct exec_request *request);

/* Reads what exec_pack() wrote.  It stays until the process ends. */
struct exec_pack exec_unpack(int fd);

/* Bytes as a file to be read from its start; -1 with errno.  The name is for /proc. */
MUST_USE int exec_memory_file(const char *name, struct str bytes);
