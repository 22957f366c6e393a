/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs as Conductor's execution records: one record for each run of a schedule of its API.
 *
 * POLLED: the slot was taken, the workflow has not been started.  EXECUTED: the workflow was
 * started, with any result; a workflow that waits in a queue of this server counts as started.
 * FAILED: the workflow could not be started.  A record never returns to an earlier state.  The
 * server tries an unreachable upstream for five minutes, see docs/decisions/0019: so no record
 * is POLLED for longer, except runs that are held.
 */
#pragma once

#include "api/call/call.h"
#include "api/conductor/conductor_query.h"
#include "core/run_id.h"

/* Maximum open runs, and maximum ended runs, that one search reads. */
enum { RECORDS_SCAN_MAX = 50 * 1000 };

struct conductor_record {
    struct conductor_found found;
    int64_t schedule;
    struct str reason, zone; /* zone: empty if unknown                 */
    bool is_current;         /* the schedule was not edited after the run */
    bool is_open;
    struct run_id run;
    int64_t input_row; /* key of the ended run if it may have its own input; else 0 */
};

struct conductor_records {
    struct conductor_record *list; /* at most `keep` */
    int count;
    int hits;            /* all that match         */
    struct arena *texts; /* of all runs that were read */
};

struct conductor_search {
    struct conductor_query query;
    struct conductor_sort sort;
    const int64_t *schedules; /* keys; NULL: all of the namespace */
    int schedule_count;
    int64_t keep; /* number of records to return, in that order */
};

/* The first `keep` records that match.  Call conductor_records_free() even after a failure. */
MUST_USE enum rc conductor_records_read(struct call *call, struct db *db,
                                        const struct conductor_search *search,
                                        struct conductor_records *ret, struct err *reterr);

void conductor_records_free(struct conductor_records *records);
