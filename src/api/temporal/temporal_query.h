/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The query of Temporal's lists: comparisons of a schedule's attributes, put together by AND,
 * OR, NOT and brackets.
 *
 *     TemporalSchedulePaused = false AND (ScheduleId STARTS_WITH 'a' OR Team IN ('x', 'y'))
 */
#pragma once

#include "base/arena.h"
#include "store/views.h"
#include "wire/temporal.pb-c.h"

enum {
    QUERY_BYTES_MAX = 16 * 1024,
    QUERY_NODES_MAX = 256, /* comparisons and what joins them: each row is asked all of them */
    QUERY_DEPTH_MAX = 32,
};

struct temporal_query; /* opaque; in the arena */

/* A blank query fits everything.  Errors name the byte. */
MUST_USE enum rc temporal_query_parse(struct str text, struct arena *arena,
                                      struct temporal_query **ret, struct err *reterr);

/* `attributes` may be NULL. */
bool temporal_query_fits(const struct temporal_query *query, const struct schedule_view *view,
                         const Temporal__Fields *attributes);
