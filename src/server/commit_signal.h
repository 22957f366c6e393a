/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals from the writer to the io thread that the database holds new events or log lines.
 *
 * The writer sends the signal after a commit.  The signal carries no data, and at most one is
 * in the mailbox.  The io thread requests the next signal before it reads the database.  So if
 * the read misses a commit, that commit sends a new signal.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/turn.h"

struct commit_signal {
    _Atomic bool has_listeners; /* at least one stream is open                   */
    _Atomic bool is_wanted;     /* io wants a signal, and none is in the mailbox */
    _Atomic uint64_t touched;   /* runs that have news, as commit_signal_bit()   */
};

/*
 * Maps a run to one of 64 bits.  A stream of another run with the same bit wakes up for
 * nothing.
 */
uint64_t commit_signal_bit(const struct run_id *run);

/* Call it after each turn.  Returns true if the caller must send IO_MSG_COMMIT. */
bool commit_signal_turn(struct commit_signal *signal, const struct turn_in *in,
                        const struct turn_out *out);
/* The same when other nodes may have written something. */
bool commit_signal_other_nodes(struct commit_signal *signal);
