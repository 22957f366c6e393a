/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs and ledger of many schedules in a time range, in one statement for each table.
 *
 * Nothing here locks; it is for read-only connections.  Statements are queued.
 */
#pragma once

#include "store/slots.h"

enum { SLOTS_MANY_KEYS = 24 }; /* schedules of one statement */

struct slots_many {
    const int64_t *schedules; /* keys, at most SLOTS_MANY_KEYS */
    int count;
    instant from, until; /* nominal times; until is exclusive */
    int limit;           /* rows; if a result has so many, others may be missing */
};

/* An open run, or an attempt that ended. */
struct slot_attempt {
    int64_t schedule, pass;
    enum run_kind kind;
    bool is_last; /* the run ended with this attempt; false for an open run */
    bool is_open;
    struct slot_run run; /* started_at: of an open run, its first start         */
    instant attempt_at;  /* start of the attempt; INSTANT_NONE: it has not begun */
};

/* Open runs of slots, triggers and backfills. */
void slots_many_open(struct db *db, const struct slots_many *query, struct db_result *ret);
void slots_many_open_read(const struct db_result *result, int row, struct slot_attempt *ret);

/* All attempts that ended at or after `from` and before `until`, of any nominal time. */
void slots_many_ended(struct db *db, const struct slots_many *query, struct db_result *ret);
/* Of one schedule: the first or the last `limit` of them. */
enum slots_end { SLOTS_FIRST, SLOTS_LAST };
void slots_many_ended_of(struct db *db, const struct slots_many *query, enum slots_end end,
                         struct db_result *ret);
void slots_many_ended_read(const struct db_result *result, int row, struct slot_attempt *ret);

/* Ranges of pass 0; the first of each schedule may end before `from`.  In any order. */
void slots_many_ranges(struct db *db, const struct slots_many *query, struct db_result *ret);
int64_t slots_many_ranges_read(const struct db_result *result, int row, struct account *ret);
