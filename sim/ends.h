/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the runs of a schedule ended, in the order of the turns that ended them, derived from
 * history and the journal of turns.
 *
 * A row of history has the clock of its turn, not the turn.  Clocks are stepped, so turns of
 * one node can have the same clock; then the order of ends on different nodes may be unknown.
 */
#pragma once

#include "base/arena.h"
#include "sim/record.h"

struct ends {
    int count;   /* of the ends of runs, without tests */
    int ends[3]; /* how many succeeded, failed, ended otherwise */
    bool is_ordered;
    /* If is_ordered, what the cursor must have. */
    instant last_ok;
    span last_late;
    uint64_t recent;
};

/* The turns of a record by node and clock. */
struct ends_turns {
    const struct rec_turn **turns;
    int count;
};

void ends_turns_make(const struct record *record, struct arena *arena, struct ends_turns *ret);

void ends_read(const struct record *record, const struct ends_turns *turns, int64_t schedule,
               struct arena *arena, struct ends *ret);
