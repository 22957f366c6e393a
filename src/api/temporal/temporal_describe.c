/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DescribeSchedule and ListScheduleMatchingTimes.
 */
#include "api/temporal/temporal_change.h"
#include "api/temporal/temporal_info.h"
#include "store/slots.h"

enum { MATCHING_MAX = 1000 };

/* ---- describe ---- */

enum call_step temporal_describe_begin(struct call *call)
{
    Temporal__DescribeScheduleRequest *request;
    enum call_step step;

    if (!temporal_read(call, &temporal__describe_schedule_request__descriptor, &request,
                       &step) ||
        !temporal_read_id(call, request->schedule_id, &step))
        return step;
    return CALL_READ;
}

static Temporal__SchedulePolicies *policies_of(const Temporal__SchedulePolicies *stored,
                                               const struct policies *policies,
                                               struct arena *arena)
{
    Temporal__SchedulePolicies *m = arena_take(arena, sizeof *m);

    temporal__schedule_policies__init(m);
    m->overlap_policy = temporal_overlap_number(policies->overlap);
    if (stored && policies->overlap == OVERLAP_SKIP &&
        !temporal_overlap_is_known(stored->overlap_policy))
        m->overlap_policy = stored->overlap_policy;
    m->catchup_window = temporal_duration(policies->catchup_window == CATCHUP_WINDOW_NONE
                                              ? TEMPORAL_CATCHUP
                                              : policies->catchup_window,
                                          arena);
    m->pause_on_failure = policies->pause_on_failure;
    m->keep_original_workflow_id = stored && stored->keep_original_workflow_id;
    return m;
}

static Temporal__ScheduleState *state_of(const Temporal__ScheduleState *stored,
                                         const struct schedule_view *view, struct arena *arena)
{
    Temporal__ScheduleState *m = arena_take(arena, sizeof *m);

    temporal__schedule_state__init(m);
    m->notes = temporal_text(view->row.reason, arena);
    m->paused = (view->cursor.flags & CURSOR_BARRED) != 0;
    m->limited_actions = view->cursor.remaining >= 0;
    m->remaining_actions = m->limited_actions ? view->cursor.remaining
                           : stored           ? stored->remaining_actions
                                              : 0;
    return m;
}

/* What DescribeSchedule reads. */
struct details {
    struct schedule_times times;
    bool has_times; /* false: the zone of the plan is gone */
    struct temporal_runs runs;
    struct db_result missed;
};

/* Policies that end other runs replace starts, which Temporal does not count as skipped. */
static bool counts_skips(const struct details *details)
{
    enum overlap policy = details->times.plan.policies.overlap;

    return !details->has_times ||
           (policy != OVERLAP_CANCEL_OTHER && policy != OVERLAP_TERMINATE_OTHER);
}

static void fill_info(const struct details *details, const struct temporal_recent *recent,
                      struct arena *arena, Temporal__ScheduleInfo *m)
{
    const struct schedule_view *view = &details->times.view;
    const struct cursor *cursor = &view->cursor;

    m->action_count = cursor->started - cursor->unstarted;
    m->missed_catchup_window = db_int_at(&details->missed, 0, 0);
    m->overlap_skipped = counts_skips(details) ? cursor->skipped : 0;
    m->buffer_dropped = cursor->dropped;
    m->buffer_size = cursor->waiting;
    m->recent_actions = recent->results;
    m->n_recent_actions = recent->count;
    m->running_workflows = recent->running;
    m->n_running_workflows = recent->running_count;
    m->create_time = temporal_timestamp(view->row.created_at, arena);
    if (view->row.version > 1)
        m->update_time = temporal_timestamp(view->row.updated_at, arena);
}

/* Sends the queries for runs together with those for the plan: one round trip. */
static enum rc read_all(const struct call *call, struct db *db, struct details *ret,
                        struct err *reterr)
{
    struct schedule_times *times = &ret->times;
    enum rc rc = temporal_find(call, db, &times->view, reterr);

    if (rc != RC_OK)
        return rc;
    temporal_runs_send(db, times->view.row.id, RUNNING_MAX, RECENT_MAX, &ret->runs);
    slots_count(db, times->view.row.id, OUTCOME_MISSED, REASON_WINDOW, &ret->missed);
    rc = schedule_times_fill(call, db, times, reterr);
    ret->has_times = rc == RC_OK;
    return rc == RC_CONFLICT ? db_flush(db, call->arena, reterr) : rc;
}

enum call_step temporal_describe_read(struct call *call, struct db *db)
{
    Temporal__DescribeScheduleResponse answer = TEMPORAL__DESCRIBE_SCHEDULE_RESPONSE__INIT;
    Temporal__ScheduleInfo info = TEMPORAL__SCHEDULE_INFO__INIT;
    struct temporal_stored stored;
    struct temporal_recent recent;
    struct temporal_future future = {0};
    struct details details = {0};
    const struct schedule_times *times = &details.times;
    struct err err;

    if (read_all(call, db, &details, &err) != RC_OK ||
        temporal_stored_read(&times->view.row, call->arena, &stored, &err) != RC_OK)
        return temporal_failed(call, &err);
    recent = temporal_recent(&details.runs,
                             str_of(stored.schedule->action->start_workflow->workflow_id),
                             RECENT_MAX, call->arena);
    if (details.has_times)
        future = temporal_future(times, call->now, FUTURE_MAX, call->arena);
    fill_info(&details, &recent, call->arena, &info);
    info.future_action_times = future.times;
    info.n_future_action_times = future.count;
    stored.schedule->policies = policies_of(stored.schedule->policies, &times->plan.policies,
                                            call->arena);
    stored.schedule->state = state_of(stored.schedule->state, &times->view, call->arena);
    answer.schedule = stored.schedule;
    answer.info = &info;
    answer.memo = stored.memo;
    answer.search_attributes = stored.search_attributes;
    answer.conflict_token = temporal_token(times->view.cursor.version, call->arena);
    return temporal_answer(call, &answer.base);
}

/* ---- matching times ---- */

struct time_range {
    instant after, until;
};

enum call_step temporal_times_begin(struct call *call)
{
    struct time_range *range = arena_take(call->arena, sizeof *range);
    Temporal__ListScheduleMatchingTimesRequest *request;
    enum call_step step;

    if (!temporal_read(call, &temporal__list_schedule_matching_times_request__descriptor,
                       &request, &step) ||
        !temporal_read_id(call, request->schedule_id, &step))
        return step;
    if (!request->start_time || !request->end_time)
        return call_problem(call, 400, "invalid_field", "missing or invalid query");
    range->after = temporal_instant(request->start_time);
    range->until = temporal_instant(request->end_time);
    call->arg = range;
    return CALL_READ;
}

/* Lists times after the start, truncated to seconds; the schedule's state does not matter. */
enum call_step temporal_times_read(struct call *call, struct db *db)
{
    Temporal__ListScheduleMatchingTimesResponse answer =
        TEMPORAL__LIST_SCHEDULE_MATCHING_TIMES_RESPONSE__INIT;
    const struct time_range *range = call->arg;
    instant after = instant_of_seconds(instant_seconds(range->after));
    struct schedule_times times = {0};
    struct spec_walk walk;
    struct slot slot;
    struct err err;

    if (schedule_times_read(call, db, &times, &err) != RC_OK)
        return temporal_failed(call, &err);
    if (!temporal_is_visible(&times.view))
        return temporal_no_schedule(call);
    answer.start_time = arena_array(call->arena, MATCHING_MAX, sizeof *answer.start_time);
    spec_walk_begin(&walk, &times.plan.spec, &times.ctx, after - times.plan.spec.jitter);
    while (answer.n_start_time < MATCHING_MAX && spec_walk_next(&walk, &slot) &&
           slot.at <= range->until)
        if (slot.due > after && slot.due <= range->until)
            answer.start_time[answer.n_start_time++] = temporal_timestamp(slot.due,
                                                                          call->arena);
    return temporal_answer(call, &answer.base);
}
