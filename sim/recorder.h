/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the record of a world as it runs, and the digest of all its outputs.
 *
 * Texts are copied or are literals: what is in the record lives as long as the recorder.
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
    int turn;      /* index of the turn whose outputs are being recorded */
};

void recorder_begin(struct recorder *recorder, uint64_t seed);
void recorder_end(struct recorder *recorder);

/* Room for one more item after `count`; freed by the caller. */
void *recorder_room(void *array, int count, size_t size);

/* Appends an item; returns its index. */
int recorder_draft(struct recorder *recorder, const struct rec_draft *draft);
int recorder_command(struct recorder *recorder, const struct command *command, int draft);
void recorder_report(struct recorder *recorder, const struct rec_report *report);
void recorder_fault(struct recorder *recorder, const struct rec_fault *fault);

/* A turn was committed; returns its index.  What follows belongs to this turn. */
int recorder_turn(struct recorder *recorder, const struct rec_turn *turn);
/* How soon the current turn asked for the next one; until this is known, it is partial. */
void recorder_asked(struct recorder *recorder, span wait);
/* What follows belongs to this earlier turn, whose outputs became known only now. */
void recorder_return(struct recorder *recorder, int turn);
const struct rec_turn *recorder_current(const struct recorder *recorder);
void recorder_delivery(struct recorder *recorder, const struct assignment *assignment,
                       int64_t node, bool is_grant);

/* All outputs of a turn. */
void recorder_digest(struct recorder *recorder, const struct turn_out *out);
/* The store at the end. */
void recorder_digest_store(struct recorder *recorder);
