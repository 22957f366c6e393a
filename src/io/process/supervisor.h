/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The supervisor of one program: a process that starts it, waits for it and for everything that
 * it started, and leaves nothing running.
 *
 * It is this program, executed again, so that it contains nothing of the pool's process
 * (databases, threads, descriptors, memory).  It communicates with io/process/exec.c over one
 * socket, its descriptor 0: an order arrives with the program's descriptors, then perhaps
 * orders to end it, and one report goes back.  When the socket closes, the pool's process is
 * dead: the supervisor kills everything and ends.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"

/* The supervisor's argv[0]. */
#define SUPERVISOR_NAME "belfry-keeper"

/* Sent with SUPERVISOR_RUN, in this order. */
enum supervisor_fd {
    SUPERVISOR_REQUEST,
    SUPERVISOR_STDIN,
    SUPERVISOR_STDOUT,
    SUPERVISOR_STDERR,
    SUPERVISOR_FDS
};

enum supervisor_order { SUPERVISOR_RUN = 'R', SUPERVISOR_TERM = 'T', SUPERVISOR_KILL = 'K' };

struct supervisor_report {
    struct err refused; /* RC_OK: it was started */
    int32_t status;     /* of wait(2) */
    int32_t strays;
    int64_t user_us, system_us, max_rss;
};

/* Call it first in main() if argv[0] is SUPERVISOR_NAME.  Does not return. */
_Noreturn void supervisor_main(void);
