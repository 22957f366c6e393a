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
        !temporal_take_id(call, request->schedule_id, &step))
        return step;
    return CALL_READ;
}

static Temporal__SchedulePolicies *policies_of(const Temporal__SchedulePolicies *kept,
                                               const struct policies *policies,
                                               struct arena *arena)
{
    Temporal__SchedulePolicies *m = arena_take(arena, sizeof *m);

    temporal__schedule_policies__init(m);
    m->overlap_policy = temporal_overlap_number(policies->overlap);
    m->catchup_window = temporal_duration(policies->catchup_window == CATCHUP_WINDOW_NONE
                                              ? TEMPORAL_CATCHUP
                                              : policies->catchup_window,
                                          arena);
    m->pause_on_failure = policies->pause_on_failure;
    m->keep_original_workflow_id = kept && kept->keep_original_workflow_id;
    return m;
}

static Temporal__ScheduleState *state_of(const struct schedule_view *view, struct arena *arena)
{
    Temporal__ScheduleState *m = arena_take(arena, sizeof *m);

    temporal__schedule_state__init(m);
    m->notes = temporal_text(view->row.reason, arena);
    m->paused = (view->cursor.flags & CURSOR_BARRED) != 0;
    m->limited_actions = view->cursor.remaining >= 0;
    m->remaining_actions = m->limited_actions ? view->cursor.remaining : 0;
    return m;
}

/* What is read of a schedule beside its row. */
struct beside {
    struct schedule_times planned;
    bool has_times; /* a plan whose zone is gone says none */
    struct temporal_runs runs;
    struct db_result missed;
};

static void fill_info(const struct beside *beside, const struct temporal_recent *recent,
                      struct arena *arena, Temporal__ScheduleInfo *m)
{
    const struct schedule_view *view = &beside->planned.view;
    const struct cursor *cursor = &view->cursor;

    m->action_count = cursor->started;
    m->missed_catchup_window = db_int_at(&beside->missed, 0, 0);
    m->overlap_skipped = cursor->skipped;
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

/* Its runs are asked for together with what the plan needs: one round trip. */
static enum rc read_all(const struct call *call, struct db *db, struct beside *ret,
                        struct err *reterr)
{
    struct schedule_times *p = &ret->planned;
    enum rc rc = temporal_find(call, db, &p->view, reterr);

    if (rc != RC_OK)
        return rc;
    temporal_runs_send(db, p->view.row.id, RECENT_MAX, &ret->runs);
    slots_count(db, p->view.row.id, OUTCOME_MISSED, REASON_WINDOW, &ret->missed);
    rc = schedule_times_fill(call, db, p, reterr);
    ret->has_times = rc == RC_OK;
    return rc == RC_CONFLICT ? db_flush(db, call->arena, reterr) : rc;
}

enum call_step temporal_describe_read(struct call *call, struct db *db)
{
    Temporal__DescribeScheduleResponse answer = TEMPORAL__DESCRIBE_SCHEDULE_RESPONSE__INIT;
    Temporal__ScheduleInfo info = TEMPORAL__SCHEDULE_INFO__INIT;
    struct temporal_stored kept;
    struct temporal_recent recent;
    struct temporal_future future = {0};
    struct beside beside = {0};
    const struct schedule_times *p = &beside.planned;
    struct err err;

    if (read_all(call, db, &beside, &err) != RC_OK ||
        temporal_recall(&p->view.row, call->arena, &kept, &err) != RC_OK)
        return temporal_failed(call, &err);
    recent = temporal_recent(&beside.runs,
                             str_of(kept.schedule->action->start_workflow->workflow_id),
                             RECENT_MAX, call->arena);
    if (beside.has_times)
        future = temporal_future(p, call->now, FUTURE_MAX, call->arena);
    fill_info(&beside, &recent, call->arena, &info);
    info.future_action_times = future.times;
    info.n_future_action_times = future.count;
    kept.schedule->policies = policies_of(kept.schedule->policies, &p->plan.policies,
                                          call->arena);
    kept.schedule->state = state_of(&p->view, call->arena);
    answer.schedule = kept.schedule;
    answer.info = &info;
    answer.memo = kept.memo;
    answer.search_attributes = kept.search_attributes;
    answer.conflict_token = temporal_token(p->view.cursor.version, call->arena);
    return temporal_answer(call, &answer.base);
}

/* ---- matching times ---- */

struct stretch {
    instant after, until;
};

enum call_step temporal_times_begin(struct call *call)
{
    struct stretch *stretch = arena_take(call->arena, sizeof *stretch);
    Temporal__ListScheduleMatchingTimesRequest *request;
    enum call_step step;

    if (!temporal_read(call, &temporal__list_schedule_matching_times_request__descriptor,
                       &request, &step) ||
        !temporal_take_id(call, request->schedule_id, &step))
        return step;
    if (!request->start_time || !request->end_time)
        return call_problem(call, 400, "invalid_field", "missing or invalid query");
    stretch->after = temporal_instant(request->start_time);
    stretch->until = temporal_instant(request->end_time);
    call->arg = stretch;
    return CALL_READ;
}

/* Those after the second in which it starts, whatever the schedule's state. */
enum call_step temporal_times_read(struct call *call, struct db *db)
{
    Temporal__ListScheduleMatchingTimesResponse answer =
        TEMPORAL__LIST_SCHEDULE_MATCHING_TIMES_RESPONSE__INIT;
    const struct stretch *stretch = call->arg;
    instant after = instant_of_seconds(instant_seconds(stretch->after));
    struct schedule_times p = {0};
    struct spec_walk walk;
    struct slot slot;
    struct err err;

    if (schedule_times_read(call, db, &p, &err) != RC_OK)
        return temporal_failed(call, &err);
    if (!temporal_sees(&p.view))
        return temporal_no_schedule(call);
    answer.start_time = arena_array(call->arena, MATCHING_MAX, sizeof *answer.start_time);
    spec_walk_begin(&walk, &p.plan.spec, &p.ctx, after - p.plan.spec.jitter);
    while (answer.n_start_time < MATCHING_MAX && spec_walk_next(&walk, &slot) &&
           slot.at <= stretch->until)
        if (slot.due > after && slot.due <= stretch->until)
            answer.start_time[answer.n_start_time++] = temporal_timestamp(slot.due,
                                                                          call->arena);
    return temporal_answer(call, &answer.base);
}
