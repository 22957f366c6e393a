/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal and the store together, as the judge of the simulator reads them (sim/record.h).
 *
 * The store says when each of its turns was, by its events; the journal says what others saw
 * of it.  Turns are numbered by twos in the order of their times, so that what happened
 * between two of them has a place.
 */
#pragma once

#include "book.h"
#include "sim/recorder.h"

/* By which the journal's clock and that of a node may be apart. */
#define EVIDENCE_SKEW (2 * SPAN_S)

struct evidence {
    const struct book *book;
    struct recorder *recorder; /* with the store's half already in it: sim/gather.h */
    struct db_result names;    /* of schedules, deleted or not: (id, name)         */
    int *claims;               /* places of run.claimed among the events, sorted    */
    int claim_count;
    int turn_count; /* of the store, the first of the record                    */
    bool *is_taken; /* of each event of a schedule: some wish explains it       */
    bool *is_used;  /* of each wish without an answer: it explains something    */
};

/* Fills the journal's half of the record.  `db` may only be read. */
MUST_USE enum rc evidence_make(struct evidence *e, struct db *db, struct err *reterr);

/* Steps of it, in their own files. */
MUST_USE enum rc evidence_wishes(struct evidence *e, struct err *reterr);
void evidence_sightings(struct evidence *e);
void evidence_sayings(struct evidence *e);

/* The turn of a time, or the last one before; its order, 0 when there is none. */
int64_t evidence_order(const struct evidence *e, instant at);

/*
 * The key of a schedule, 0: there is none of that name.  The row of one that was deleted goes
 * with its history; then the name of a run that was told has it.
 */
int64_t evidence_key(const struct evidence *e, struct str name);
