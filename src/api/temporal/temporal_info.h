/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What became of a schedule and what is to come, as Temporal's messages tell it.
 */
#pragma once

#include "api/schedules/schedule_times.h"
#include "api/temporal/temporal_codec.h"

enum { RECENT_MAX = 10, FUTURE_MAX = 10, RECENT_LISTED = 5, FUTURE_LISTED = 5 };

/* Its runs, asked for with temporal_runs_send() and read once the statements have been sent. */
struct temporal_runs {
    struct db_result open, ended;
};
void temporal_runs_send(struct db *db, int64_t schedule, int most, struct temporal_runs *ret);

struct temporal_recent {
    Temporal__ScheduleActionResult **results; /* the latest last */
    size_t count;
    Temporal__WorkflowExecution **running;
    size_t running_count;
};

/* The `most` that began last.  `base`: of their workflow ids. */
struct temporal_recent temporal_recent(const struct temporal_runs *runs, struct str base,
                                       int most, struct arena *arena);

struct temporal_future {
    Temporal__Timestamp **times;
    size_t count;
};

/* The times to come, as if it were not paused. */
struct temporal_future temporal_future(const struct schedule_times *p, instant now, int most,
                                       struct arena *arena);
