/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs as Conductor's execution records: one for each run of a schedule of its API.
 *
 * POLLED: the slot was taken, the workflow has not been started.  EXECUTED: it has been,
 * whatever came of it then; a workflow that waits in a queue of this server has been started.
 * FAILED: it could not be started.  A record never goes back.  An upstream that cannot be
 * reached is tried for five minutes, see docs/decisions/0019: no record is POLLED for longer
 * but for those that somebody holds.
 */
#pragma once

#include "api/call/call.h"
#include "api/conductor/conductor_query.h"
#include "core/run_id.h"

/* Runs that one search looks at, of those that are open and of those that are over. */
enum { RECORDS_LOOKED_AT = 50 * 1000 };

struct conductor_record {
    struct conductor_found found;
    int64_t schedule;
    struct str reason, zone; /* zone is empty where it is not known */
    bool is_as_now;          /* its schedule was what it is now     */
    bool is_open;
    struct run_id run;
    int64_t trigger; /* key of its end, if it may have been given an input; or 0 */
};

struct conductor_records {
    struct conductor_record *list; /* the first `keep` of them */
    int count;
    int hits;            /* all that fit            */
    struct arena *texts; /* of all that it looked at */
};

struct conductor_search {
    struct conductor_query query;
    struct conductor_sort sort;
    const int64_t *schedules; /* keys; NULL: all of the namespace */
    int schedule_count;
    int64_t keep; /* so many, in that order, are wanted */
};

/* Those that fit and are wanted, in order.  conductor_records_free() in any case. */
MUST_USE enum rc conductor_records_read(struct call *call, struct db *db,
                                        const struct conductor_search *search,
                                        struct conductor_records *ret, struct err *reterr);

void conductor_records_free(struct conductor_records *records);
