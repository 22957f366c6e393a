/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handlers of the agents' API: /api/schedules, /api/executions.  As in api/native/native.h,
 * each is the begin, read or settled step of a row of the table of operations.
 *
 * This API sees only the schedules that were created with it, and their runs.
 */
#pragma once

#include "api/agents/agents_doc.h"
#include "api/call/error_reply.h"
#include "api/call/operation.h"
#include "store/views.h"

/* agents_schedules.c */
call_fn agents_create_begin, agents_list_begin, agents_get_begin, agents_update_begin,
    agents_write_settled, agents_delete_begin, agents_delete_settled;
call_read_fn agents_list_read, agents_get_read, agents_update_read, agents_delete_read;

/* agents_future.c */
call_fn agents_future_begin;
call_read_fn agents_future_read;

/* agents_items.c */
call_fn agents_trigger_begin, agents_trigger_settled, agents_cancel_begin,
    agents_cancel_settled;
call_read_fn agents_trigger_read, agents_cancel_read;

/* agents_past.c */
call_fn agents_past_begin, agents_past_one_begin;
call_read_fn agents_past_read, agents_past_one_read;

/* agents_metrics.c */
call_fn agents_metrics_begin;
call_read_fn agents_metrics_read;

/* agents_planner.c */
call_fn agents_planner_begin;
call_read_fn agents_planner_read;

/* agents_events.c; the read step is that of the native events */
call_fn agents_events_begin;

/* Shared functions. */

error_reply_fn agents_error_reply;

/* The schedule that params[0] names, if it was created with this API; RC_NOT_FOUND. */
MUST_USE enum rc agents_find(const struct call *call, struct db *db, struct schedule_view *ret,
                             struct err *reterr);

/* Which schedules a request concerns; empty: any. */
struct agents_filter {
    struct str agent, project;
    int enabled; /* 1, 0; -1: any */
};
MUST_USE enum rc agents_filter_read(const struct call *call, struct agents_filter *ret,
                                    struct err *reterr);
bool agents_filter_matches(const struct agents_filter *filter,
                           const struct agents_schedule *schedule);

/* The parameters `from` and `to`: UTC dates, `to` being the last day, or RFC 3339 times. */
struct agents_range {
    instant from, until; /* until is exclusive; INSTANT_NONE and _NEVER: not set */
};
MUST_USE enum rc agents_range_read(const struct call *call, struct agents_range *ret,
                                   struct err *reterr);

/* Called for each match in order of names; the data is valid until the next call. */
typedef enum rc agents_each_fn(const struct schedule_view *view,
                               const struct agents_schedule *schedule, void *arg,
                               struct err *reterr);

/* RC_LIMIT: too many schedules for one walk. */
MUST_USE enum rc agents_each(const struct call *call, struct db *db,
                             const struct agents_filter *filter, agents_each_fn *each,
                             void *arg, struct err *reterr);

/* A draft of the schedule with this name; errors name the fields of this API. */
MUST_USE enum rc agents_draft(struct call *call, const struct agents_schedule *schedule,
                              struct str name, struct draft **ret, struct err *reterr);

/*
 * A warning about the agent for the answer to a create or update; it is also logged.  Empty: no
 * warning.
 */
struct str agents_warning(struct call *call, struct db *db, struct str name, struct str agent);

/* Answers a read that failed or was refused. */
enum call_step agents_failed(struct call *call, const struct err *err);
