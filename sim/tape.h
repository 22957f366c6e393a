/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the record of a world as it happens, and the digest of all that came out of it.
 *
 * Texts are copied or are literals: what is on the tape lives as long as the tape.
 */
#pragma once

#include "base/arena.h"
#include "base/hash.h"
#include "sim/record.h"

struct tape {
    struct record record;
    struct digest digest;
    struct arena *arena;
    int64_t order; /* of the last turn that was committed */
    int turn;      /* place of the one whose outputs are written down */
};

void tape_begin(struct tape *tape, uint64_t seed);
void tape_end(struct tape *tape);

/* Room for one more behind `count` things; freed by the caller. */
void *tape_room(void *array, int count, size_t size);

/* One more at the end of an array; its place. */
int tape_draft(struct tape *tape, const struct rec_draft *draft);
int tape_command(struct tape *tape, const struct command *command, int draft);
void tape_report(struct tape *tape, const struct rec_report *report);
void tape_fault(struct tape *tape, const struct rec_fault *fault);

/* A turn was committed; its place.  What follows is of this turn. */
int tape_turn(struct tape *tape, const struct rec_turn *turn);
/* What follows is of one that was committed before, and is known only now. */
void tape_return(struct tape *tape, int turn);
const struct rec_turn *tape_current(const struct tape *tape);
void tape_delivery(struct tape *tape, const struct work *work, int64_t node, bool is_grant);

/* All that a turn handed out. */
void tape_digest(struct tape *tape, const struct turn_out *out);
/* The store at the end. */
void tape_digest_store(struct tape *tape);
