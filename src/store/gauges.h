/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Current counts for monitoring.
 *
 * Nothing here locks; it is for read-only connections.  Counts end at a maximum, so that the
 * cost of a query is bounded.  Statements are queued.
 */
#pragma once

#include "base/instant.h"
#include "db/db.h"

enum {
    GAUGE_SCHEDULES_MAX = 2000000, /* maximum count; counting so many takes about 100 ms */
    GAUGE_RUNS_MAX = 100000,       /* likewise */
};

void gauges_schedules(struct db *db, struct db_result *ret); /* (count) */
void gauges_bytes(struct db *db, struct db_result *ret);     /* (bytes) of the database */

/* Schedules due by `now`: (count, earliest time or NULL). */
void gauges_due(struct db *db, instant now, struct db_result *ret);

/* Open runs per state and lane: (state, lane, count, earliest due). */
void gauges_runs(struct db *db, struct db_result *ret);

/* Running dispatches per node: (node, count). */
void gauges_calls(struct db *db, struct db_result *ret);

/* (namespace, name) of a schedule, by its key. */
void gauges_name(struct db *db, int64_t schedule, struct db_result *ret);
