/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal and the store together, in the form of the simulator's judge (sim/record.h).
 *
 * The store's events give the time of each of its turns; the journal contains what others saw.
 * Turns are numbered in steps of two in the order of their times, so that events between two of
 * them have a place.
 */
#pragma once

#include "book.h"
#include "sim/recorder.h"

/* The maximum difference between the clocks of the journal and of a node. */
#define EVIDENCE_SKEW (2 * SPAN_S)

struct evidence {
    const struct book *book;
    struct recorder *recorder; /* already filled with the store's half: sim/gather.h */
    struct db_result names;    /* of schedules, deleted or not: (id, name) */
    int *claims;               /* places of run.claimed among the events, sorted */
    int claim_count;
    int turn_count; /* of the store, the first of the record */
    bool *is_taken; /* of each event of a schedule: some request explains it */
    bool *is_used;  /* of each request without an answer: it explains something */
};

/* Fills in the journal's half of the record.  `db` is only read. */
MUST_USE enum rc evidence_make(struct evidence *e, struct db *db, struct err *reterr);

/* The step of it that checks the operators' requests: evidence_ops.c. */
MUST_USE enum rc evidence_ops(struct evidence *e, struct err *reterr);

/* The turn of a time, or the last one before; its order, 0 if there is none. */
int64_t evidence_order(const struct evidence *e, instant at);

/*
 * The key of a schedule by its name; 0: not found.  If the row was pruned after the schedule
 * was deleted, the key comes from the id of a run that was reported.
 */
int64_t evidence_key(const struct evidence *e, struct str name);
