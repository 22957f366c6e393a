/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What passes between the engine's thread and the calls that this node makes itself.
 *
 * Both live in an arena of their own with all their texts; whoever takes one over frees that,
 * which is the end of it.
 */
#pragma once

#include "base/arena.h"
#include "engine/turn.h"

enum { ORDER_ARENA_MAX = 16 << 20 }; /* an action, an input, a last result: far below */

/*
 * A run to be carried out by this node: the engine's struct assignment with texts of its own.
 */
struct dispatch_order {
    struct arena *arena;
    struct assignment assignment;
    instant now;        /* of the turn that handed it out                             */
    int64_t send_by_us; /* clock_boot_us() after which nothing of it may be begun: the */
                        /* node's lease has run out                                    */
    struct str namespace_name;
    bool is_once; /* policy delivery: what may have been sent is not sent again */
};

/* What came of it. */
struct dispatch_report {
    struct arena *arena;
    struct report report;
};
