/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the overview of a namespace shows in addition to the catalogue of schedules.
 *
 * Nothing here locks; it is for read-only connections.  Each statement reads a limited number
 * of rows; those about all rows of a table also return how many they have read, so that the
 * caller notices that there are more.  Statements are queued.
 */
#pragma once

#include "base/instant.h"
#include "core/outcome.h"
#include "db/db.h"

enum {
    OVERVIEW_RUNS_MAX = 100000,  /* open runs that are searched: some tens of milliseconds */
    OVERVIEW_ENDS_MAX = 5000,    /* attempts that are searched: VIEW_SCAN_MAX              */
    OVERVIEW_LEDGER_MAX = 20000, /* rows of the ledger, which are short                    */
};

/* (searched, running, waiting for approval): open runs, the latter two of the namespace. */
void overview_runs(struct db *db, int64_t namespace, struct db_result *ret);

/* (schedule, name, count, created_at of the first): runs that wait for approval. */
void overview_approvals(struct db *db, int64_t namespace, int limit, struct db_result *ret);

/*
 * (id, name, paused, polled_at, ready runs, due time of the first): queues of the namespace
 * whose first ready run has been due since `since` or longer, the longest first.
 */
void overview_queues(struct db *db, int64_t namespace, instant since, int limit,
                     struct db_result *ret);

/* (searched, failed): attempts that ended since `since`; failed runs of the namespace. */
void overview_failed(struct db *db, int64_t namespace, instant since, struct db_result *ret);

/*
 * (searched, schedules): rows of the ledger that can have slots from `since` on; schedules of
 * the namespace that have missed such slots, other than by a pause or an edit.
 */
void overview_missed(struct db *db, int64_t namespace, instant since, struct db_result *ret);

/* The last failed run of a schedule, among its last attempts; no row if there is none. */
struct overview_failure {
    enum outcome outcome;
    enum reason reason;
    struct str error; /* or empty */
};
void overview_last_failure(struct db *db, int64_t schedule, struct db_result *ret);
void overview_last_failure_read(const struct db_result *result, struct overview_failure *ret);

/* (first, last, count, outcome, reason) of the last slots that were not started. */
void overview_last_slots(struct db *db, int64_t schedule, struct db_result *ret);
