/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Followed workflows between their requests: a dispatch that has nothing to do but wait becomes
 * a record of the table, and a record whose turn has come becomes a dispatch again.
 *
 * A followed workflow has no place in its lane, no timer and no arena.  docs/decisions/0053.
 */
#include "core/limits.h"
#include "io/clock.h"
#include "server/dispatch/dispatch_workflow_parts.h"

static void on_turn(void *arg);

void follow_open(struct dispatcher *dispatcher)
{
    dispatcher->followers = followers_new();
    dispatcher->follow_timer = loop_timer_new(dispatcher->options.loop, on_turn, dispatcher);
}

void follow_close(struct dispatcher *dispatcher)
{
    loop_timer_free(dispatcher->follow_timer);
    followers_free(dispatcher->followers);
}

void follow_set_timer(struct dispatcher *dispatcher)
{
    int64_t now = clock_boot_us(), wake = followers_wake_us(dispatcher->followers, now);

    if (wake == INT64_MAX)
        loop_timer_stop(dispatcher->follow_timer);
    else
        loop_timer_set(dispatcher->follow_timer, wake - now);
}

/* ---- from a dispatch to a record ---- */

void flow_follow(struct flow *flow)
{
    struct dispatch *dispatch = flow->dispatch;
    struct dispatcher *dispatcher = dispatch->dispatcher;

    if (dispatch->is_followed)
        return;
    dispatch->is_followed = true;
    if (dispatcher_followed(dispatcher) < FOLLOWED_MAX)
        dispatch_free_place(dispatch);
    dispatcher->followed++;
}

void flow_leave_turn(struct flow *flow)
{
    if (!flow->target)
        return;
    followers_done(flow->target, flow->reason);
    flow->target = NULL;
    follow_set_timer(flow->dispatch->dispatcher);
}

/* The list that shows the workflow: Temporal has one, Conductor one per name. */
static struct str list_of(const struct flow *flow)
{
    return flow->kind == &flow_conductor ? flow->dispatch->action.workflow.name
                                         : (struct str){0};
}

static void add_record(const struct flow *flow, span delay)
{
    const struct dispatch *dispatch = flow->dispatch;
    const struct assignment *assignment = &dispatch->order->assignment;
    const struct flow_progress *progress = &flow->progress;
    bool is_failing = flow->failing_us != 0;
    const struct follower record = {
        .run = dispatch_run_id(dispatch),
        .fence = assignment->run.fence,
        .namespace = assignment->namespace,
        .attempt = assignment->run.attempt,
        .losses = assignment->run.losses,
        .workflows = progress->count,
        .clean = progress->clean,
        .due_us = clock_boot_us() + delay,
        .deadline_us = flow->is_late ? INT64_MAX : flow->deadline_us,
        .failing_us = flow->failing_us,
        .wait = flow->wait,
        .is_young = !is_failing && flow->wait < flow->limits->poll_max,
        .is_new = !is_failing && flow->wait <= flow->limits->poll_first,
        .has_place = dispatch->has_place,
        .is_inherited = flow->is_inherited,
        .is_stopped = dispatch->is_stopped,
        .is_terminated = dispatch->is_terminated,
        .wants_end = flow->wants_end,
        .end_requested = flow->end_requested,
        .is_late = flow->is_late,
        .has_hint = flow->has_hint && is_failing,
        .bad_hints = (uint8_t)(flow->bad_hints + (flow->has_hint && !is_failing)),
    };
    const struct str texts[FOLLOWER_TEXTS] = {
        [FOLLOWER_SCHEDULE] = assignment->name,
        [FOLLOWER_SPACE] = dispatch->order->namespace_name,
        [FOLLOWER_UPSTREAM] = dispatch->action.workflow.upstream,
        [FOLLOWER_LIST] = list_of(flow),
        [FOLLOWER_WORKFLOW] = progress->id,
        [FOLLOWER_RUN_ID] = progress->run_id,
        [FOLLOWER_FIRST] = progress->first,
        [FOLLOWER_CURRENT] = str_of(flow->run),
    };

    followers_add(dispatch->dispatcher->followers, &record, texts);
}

void flow_park(struct flow *flow, span delay)
{
    struct dispatch *dispatch = flow->dispatch;
    struct dispatcher *dispatcher = dispatch->dispatcher;

    must(dispatch->is_followed && flow->progress.id.len > 0 && !flow->progress.has_ended);
    flow_leave_turn(flow);
    add_record(flow, delay);
    dispatch->has_place = false; /* the record keeps it */
    flow_free(flow);
    dispatch_leave(dispatch);
    dispatcher->followed++; /* as a record */
    follow_set_timer(dispatcher);
}

/* ---- from a record to a dispatch ---- */

static struct str copy_text(const struct follower *record, enum follower_text which,
                            struct arena *arena)
{
    return arena_str(arena, follower_text(record, which));
}

/* Only what following and ending need: the action and the input are those of the start. */
static struct dispatch_order *order_of(const struct follower *record)
{
    struct arena *arena = arena_new(ORDER_ARENA_MAX);
    struct dispatch_order *order = arena_take(arena, sizeof *order);
    char id[RUN_ID_TEXT_MAX];

    run_id_format(&record->run, id);
    *order = (struct dispatch_order){
        .arena = arena,
        .assignment = {.run = {.schedule = record->run.schedule,
                               .slot = record->run.slot_ms * SPAN_MS,
                               .pass = record->run.pass,
                               .lane = LANE_FLOW,
                               .attempt = record->attempt,
                               .losses = record->losses,
                               .fence = record->fence},
                       .id = arena_str(arena, str_of(id)),
                       .name = copy_text(record, FOLLOWER_SCHEDULE, arena),
                       .namespace = record->namespace,
                       .deadline = INSTANT_NEVER},
        .send_by_us = INT64_MAX,
        .namespace_name = copy_text(record, FOLLOWER_SPACE, arena),
    };
    return order;
}

static struct flow_progress progress_of(const struct follower *record, struct arena *arena)
{
    return (struct flow_progress){
        .id = copy_text(record, FOLLOWER_WORKFLOW, arena),
        .run_id = copy_text(record, FOLLOWER_RUN_ID, arena),
        .first = copy_text(record, FOLLOWER_FIRST, arena),
        .count = record->workflows,
        .clean = record->clean,
    };
}

/* Makes a dispatch of a record that is no longer in the table, and frees the record. */
static struct flow *flow_of(struct dispatcher *dispatcher, struct follower *record)
{
    struct dispatch *dispatch = dispatch_new(dispatcher, order_of(record));
    struct buf run;
    struct flow *flow;

    dispatch->has_place = record->has_place;
    dispatch->kind = &dispatch_workflow;
    dispatch->is_followed = dispatch->is_begun = true;
    dispatch->is_stopped = record->is_stopped;
    dispatch->is_terminated = record->is_terminated;
    dispatch->is_killed = record->is_terminated;
    dispatch->action.type = ACTION_WORKFLOW;
    dispatch->action.workflow.upstream = copy_text(record, FOLLOWER_UPSTREAM, dispatch->arena);
    dispatch->action.workflow.name = copy_text(record, FOLLOWER_LIST, dispatch->arena);
    flow = flow_new(dispatch);
    flow->progress = progress_of(record, dispatch->arena);
    flow->step = STEP_FOLLOW;
    flow->was_tried = true;
    flow->is_inherited = record->is_inherited;
    flow->wants_end = record->wants_end;
    flow->end_requested = record->end_requested;
    flow->is_late = record->is_late;
    flow->failing_us = record->failing_us;
    flow->wait = record->wait;
    flow->has_hint = record->has_hint;
    flow->bad_hints = record->bad_hints;
    run = BUF(flow->run);
    buf_str(&run, follower_text(record, FOLLOWER_CURRENT));
    flow_set_deadline(flow, record->deadline_us);
    follower_free(record);
    return flow;
}

static struct follow_limits limits_of(void *arg, int64_t namespace, struct str name)
{
    const struct dispatcher *dispatcher = arg;
    const struct dispatch_settings *settings = dispatcher_settings(dispatcher, namespace);
    const struct upstream_settings *upstream = upstream_settings(&settings->plain, name);

    if (!upstream)
        return (struct follow_limits){.rate = UPSTREAM_FOLLOW_RATE};
    return (struct follow_limits){
        .rate = upstream->follow_rate,
        .waits = upstream->type == UPSTREAM_TEMPORAL ? upstream->long_polls : 0,
    };
}

static void request_end_of(struct dispatcher *dispatcher, struct follower *record)
{
    record->wants_end = true;
    record->end_requested = false;
    record->wait = 0;
    record->failing_us = 0;
    record->due_us = clock_boot_us();
    followers_moved(dispatcher->followers, record);
}

static void end_late(struct dispatcher *dispatcher, int64_t now_us)
{
    for (;;) {
        struct follower *record = followers_late(dispatcher->followers, now_us);

        if (!record)
            return;
        record->is_late = true;
        record->deadline_us = INT64_MAX;
        request_end_of(dispatcher, record);
    }
}

/* Sends the requests whose turn has come. */
static void on_turn(void *arg)
{
    struct dispatcher *dispatcher = arg;
    int64_t now = clock_boot_us();

    end_late(dispatcher, now);
    follow_read_lists(dispatcher, limits_of);
    for (;;) {
        enum follow_reason reason;
        struct follower *record = followers_next(dispatcher->followers, now, limits_of,
                                                 dispatcher, &reason);
        struct follow_target *target;
        struct flow *flow;

        if (!record)
            break;
        target = record->target;
        flow = flow_of(dispatcher, record);
        flow->target = target;
        flow->reason = reason;
        flow_continue(flow);
    }
    follow_set_timer(dispatcher);
}

/* ---- stopping ---- */

void follow_stop(struct dispatcher *dispatcher, const struct stop *stop)
{
    struct follower *record = followers_find(dispatcher->followers, &stop->run, stop->fence);

    if (!record || (record->is_stopped && !stop->is_terminated))
        return;
    record->is_stopped = true;
    record->is_terminated = record->is_terminated || stop->is_terminated;
    request_end_of(dispatcher, record);
    follow_set_timer(dispatcher);
}

static void drop(void *arg, struct follower *record)
{
    struct dispatcher *dispatcher = arg;

    followers_remove(dispatcher->followers, record);
    dispatcher->followed--;
    if (record->has_place)
        dispatcher->counts[LANE_FLOW]--;
    follower_free(record);
}

static void drop_unless_ending(void *arg, struct follower *record)
{
    if (!record->wants_end)
        drop(arg, record);
}

void follow_drain(struct dispatcher *dispatcher)
{
    followers_each(dispatcher->followers, drop_unless_ending, dispatcher);
}

void follow_drop_all(struct dispatcher *dispatcher)
{
    followers_each(dispatcher->followers, drop, dispatcher);
}
