/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The query of Temporal's lists: comparisons of a schedule's attributes, joined by AND, OR, NOT
 * and parentheses.
 *
 *     TemporalSchedulePaused = false AND (ScheduleId STARTS_WITH 'a' OR Team IN ('x', 'y'))
 */
#pragma once

#include "base/arena.h"
#include "store/views.h"
#include "wire/temporal.pb-c.h"

enum {
    QUERY_BYTES_MAX = 16 * 1024,
    QUERY_NODES_MAX = 256, /* comparisons and operators; each row may evaluate all of them */
    QUERY_DEPTH_MAX = 32,
};

struct temporal_query; /* opaque; in the arena */

/* A blank query matches every schedule.  Errors give the offset of the byte. */
MUST_USE enum rc temporal_query_parse(struct str text, struct arena *arena,
                                      struct temporal_query **ret, struct err *reterr);

/* Whether the schedule matches the query.  `attributes` may be NULL. */
bool temporal_query_fits(const struct temporal_query *query, const struct schedule_view *view,
                         const Temporal__Fields *attributes);
