/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the record of a world as it happens, and the digest of all that came out of it.
 *
 * Texts are copied or are literals: what is on the recorder lives as long as the recorder.
 */
#pragma once

#include "base/arena.h"
#include "base/hash.h"
#include "sim/record.h"

struct recorder {
    struct record record;
    struct digest digest;
    struct arena *arena;
    int64_t order; /* of the last turn that was committed */
    int turn;      /* place of the one whose outputs are written down */
};

void recorder_begin(struct recorder *recorder, uint64_t seed);
void recorder_end(struct recorder *recorder);

/* Room for one more behind `count` things; freed by the caller. */
void *recorder_room(void *array, int count, size_t size);

/* One more at the end of an array; its place. */
int recorder_draft(struct recorder *recorder, const struct rec_draft *draft);
int recorder_command(struct recorder *recorder, const struct command *command, int draft);
void recorder_report(struct recorder *recorder, const struct rec_report *report);
void recorder_fault(struct recorder *recorder, const struct rec_fault *fault);

/* A turn was committed; its place.  What follows is of this turn. */
int recorder_turn(struct recorder *recorder, const struct rec_turn *turn);
/* What follows is of one that was committed before, and is known only now. */
void recorder_return(struct recorder *recorder, int turn);
const struct rec_turn *recorder_current(const struct recorder *recorder);
void recorder_delivery(struct recorder *recorder, const struct assignment *assignment,
                       int64_t node, bool is_grant);

/* All that a turn handed out. */
void recorder_digest(struct recorder *recorder, const struct turn_out *out);
/* The store at the end. */
void recorder_digest_store(struct recorder *recorder);
