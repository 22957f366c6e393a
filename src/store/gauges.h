/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much there is at this moment, for whoever watches the server.
 *
 * Nothing here locks; it is for connections that only read.  Counts end at a bound, so that to
 * look costs the same however much there is.  Statements are queued.
 */
#pragma once

#include "base/instant.h"
#include "db/db.h"

enum {
    GAUGE_SCHEDULES_MAX = 2000000, /* counted: some 100 ms */
    GAUGE_RUNS_MAX = 100000,       /* likewise             */
};

void gauges_schedules(struct db *db, struct db_result *ret); /* (count) */
void gauges_bytes(struct db *db, struct db_result *ret);     /* (bytes) of the database */

/* Schedules that should have been looked at by `now`: (count, the earliest time or NULL). */
void gauges_due(struct db *db, instant now, struct db_result *ret);

/* Open runs: (state, lane, count, the earliest due) for each that has some. */
void gauges_runs(struct db *db, struct db_result *ret);

/* Calls that nodes make: (node, count), for each that makes some. */
void gauges_calls(struct db *db, struct db_result *ret);

/* (namespace, name) of a schedule, by its key. */
void gauges_name(struct db *db, int64_t schedule, struct db_result *ret);
