/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keeper of one program: a process that starts it, waits for it and for everything that
 * it started, and leaves nothing behind.
 *
 * It is this very program, executed anew, so that nothing of the pool's process (databases,
 * threads, descriptors, memory) is in it.  It speaks with io/process/exec.c over one socket,
 * which is its descriptor 0: an order comes with the program's descriptors, then perhaps orders
 * to end it, and one report goes back.  When the socket closes, the pool's process is dead: the
 * keeper kills all and ends.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"

/* The name that the keeper is executed by, as argv[0]. */
#define KEEPER_NAME "belfry-keeper"

/* What is sent with KEEPER_RUN, in this order. */
enum keeper_fd { KEEPER_REQUEST, KEEPER_STDIN, KEEPER_STDOUT, KEEPER_STDERR, KEEPER_FDS };

enum keeper_order { KEEPER_RUN = 'R', KEEPER_TERM = 'T', KEEPER_KILL = 'K' };

struct keeper_report {
    struct err refused; /* RC_OK: it was started */
    int32_t status;     /* of wait(2)            */
    int32_t strays;
    int64_t user_us, system_us, max_rss;
};

/*
 * For main(): what to do when argv[0] is KEEPER_NAME, before anything else is done.  Does
 * not return.
 */
_Noreturn void keeper_main(void);
