/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The messages between the writer and the dispatches of this node.
 *
 * Each has its own arena with all of its texts; the owner frees the arena, which also frees the
 * message.
 */
#pragma once

#include "base/arena.h"
#include "engine/turn.h"

enum { ORDER_ARENA_MAX = 32 << 20 }; /* far above an action, an input and a last result */

/* A run that this node must carry out: the engine's struct assignment with its own texts. */
struct dispatch_order {
    struct arena *arena;
    struct assignment assignment;
    instant now; /* of the turn that created it */
    /* clock_boot_us() when the node's lease expires: nothing may begin after that. */
    int64_t send_by_us;
    struct str namespace_name;
    bool is_once; /* at-most-once delivery: never send again what may have been sent */
};

/* News of a dispatch. */
struct dispatch_report {
    struct arena *arena;
    struct report report;
};
