/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dispatches that let an upstream run a workflow and follow it to its end.
 *
 * The dispatch reports the workflow id as soon as it is known; the next attempt gets it back
 * and follows that workflow.  A start whose answer was lost is in doubt.  It is repeated only
 * if the upstream recognizes a repeated start, or if a lookup shows that the workflow does not
 * exist.  docs/decisions/0052 describes the states and what survives a crash.
 */
#include "server/dispatch/dispatch_workflow.h"

#include "io/clock.h"
#include "server/dispatch/dispatch_workflow_later.h"
#include "store/logs.h"

enum {
    RECORD_MORE = 64, /* the fixed parts of a line in the log of the run */
};

const struct flow_limits flow_limits_default = {
    .retry_first = SPAN_S,
    .retry_max = SPAN_MIN,
    .poll_first = SPAN_S,
    .poll_max = 10 * SPAN_S,
    .patience = 5 * SPAN_MIN,
    .follow_patience = SPAN_DAY,
    .settle = 10 * SPAN_S,
    .settle_slow = SPAN_MIN,
    .end_patience = 30 * SPAN_S,
    .request = 30 * SPAN_S,
    .long_poll = 65 * SPAN_S,
    .id_wait = 10 * SPAN_S,
    .connect = 10 * SPAN_S,
    .later = 10 * SPAN_MIN,
};

static void next_step(struct flow *flow);

/* ---- pauses ---- */

/* Another node continues, unless the workflow must be ended: that is this node's promise. */
static bool is_leaving(const struct flow *flow)
{
    const struct dispatcher *dispatcher = flow->dispatch->dispatcher;

    return dispatcher->is_closing || flow->dispatch->is_aborted ||
           (dispatcher->is_draining && !flow->wants_end);
}

static void on_pause(void *arg)
{
    next_step(arg);
}

static void pause_for(struct flow *flow, span first, span most)
{
    flow->wait = flow->wait == 0 ? first : 2 * flow->wait;
    flow->wait = flow->wait > most ? most : flow->wait;
    if (is_leaving(flow))
        flow_finish_closed(flow);
    else if (flow->wants_end && !flow->end_requested && flow->failing_us == 0)
        next_step(flow);
    else if (flow->dispatch->is_followed)
        flow_park(flow, flow->wait);
    else
        loop_timer_set(flow->pause, flow->wait);
}

static void forget_failures(struct flow *flow)
{
    if (flow->failing_us != 0)
        flow->wait = 0;
    flow->failing_us = 0;
}

static bool is_overdue(const struct flow *flow)
{
    return clock_boot_us() >= flow->confirm_by_us;
}

/* The upstream failed for too long. */
static void give_up(struct flow *flow)
{
    if (flow->wants_end)
        flow_finish_ended(flow, str_of(flow->why.text));
    else if (flow->step == STEP_FOLLOW)
        flow_finish_unknown(flow, "upstream_unreachable", true);
    else if (flow->is_doubtful)
        flow_finish_unknown(flow, "start_unconfirmed", flow->kind->repeats);
    else
        flow_finish_unstarted(flow, "upstream_unreachable", true);
}

static bool is_patience_over(const struct flow *flow, int64_t now)
{
    if (flow->wants_end && !flow->end_requested)
        return now - flow->failing_us >= flow->limits->end_patience;
    if (flow->step == STEP_START || flow->step == STEP_FIND)
        return is_overdue(flow);
    return now - flow->failing_us >= flow->limits->follow_patience;
}

/* A request failed for the reason in flow->why. */
static void try_again(struct flow *flow)
{
    int64_t now = clock_boot_us();
    bool is_idle = flow->wants_end && flow->step == STEP_START &&
                   !flow->is_doubtful; /* there is nothing to end */
    bool is_over;

    if (flow->is_over) {
        flow_look_later(flow);
        return;
    }
    if (flow->failing_us == 0) {
        flow->failing_us = now;
        flow->wait = 0;
    }
    is_over = is_patience_over(flow, now);
    if (is_over && flow->step == STEP_START && flow->is_doubtful) {
        flow->step = STEP_FIND; /* the last lookup */
        next_step(flow);
    } else if (is_idle) {
        next_step(flow);
    } else if (is_over || flow->dispatch->is_terminated) {
        give_up(flow);
    } else {
        pause_for(flow, flow->limits->retry_first, flow->limits->retry_max);
    }
}

/* ---- answers ---- */

/* Adds a line to the log of the run: each request to start a workflow is recorded. */
static void record_start(struct flow *flow, const char *what)
{
    char line[ERR_TEXT_MAX + RECORD_MORE], packed[sizeof line + LOG_LINE_HEAD];
    struct buf text = BUF(line), log = BUF(packed);

    buf_printf(&text, "start %d: %s%s%s", flow->starts, what,
               flow->why.text[0] != '\0' ? ": " : "", flow->why.text);
    log_line_pack(&(struct log_line){clock_now(), LOG_WORKER, buf_as_str(&text)}, &log);
    flow_report(flow, buf_as_str(&log));
}

static void begin_following(struct flow *flow, const struct flow_answer *answer)
{
    struct str first = flow->progress.first.len > 0 ? flow->progress.first : flow->progress.id;

    flow->progress = (struct flow_progress){
        .id = arena_str(flow->dispatch->arena, answer->id),
        .run_id = arena_str(flow->dispatch->arena, answer->run_id),
        .first = first,
        .count = flow->progress.count + 1,
    };
    flow->is_doubtful = false;
    flow->step = STEP_FOLLOW;
    flow_follow(flow);
    flow_report(flow, (struct str){0});
    forget_failures(flow);
    if (is_leaving(flow) || flow->wants_end)
        next_step(flow);
    else if (answer->continue_now)
        flow_park(flow, 0);
    else
        pause_for(flow, flow->limits->poll_first, flow->limits->poll_max);
}

/* The start may have arrived: it is not repeated unless that is safe. */
static void doubt_start(struct flow *flow, bool is_slow)
{
    flow->is_doubtful = flow->dispatch->is_begun = true;
    flow->asked_us = clock_boot_us();
    flow->settle = is_slow ? flow->limits->settle_slow : flow->limits->settle;
    if (!flow->kind->repeats)
        flow->step = STEP_FIND;
    record_start(flow, "not answered");
}

static void on_started(struct flow *flow, const struct flow_answer *answer)
{
    bool is_first = !flow->was_tried;

    flow->was_tried = true;
    if (answer->meaning == FLOW_GOOD) {
        begin_following(flow, answer);
    } else if (answer->meaning == FLOW_TAKEN && flow->is_doubtful) {
        flow->is_taken = true;
        flow->step = STEP_FIND;
        next_step(flow);
    } else if (answer->meaning == FLOW_TAKEN) {
        flow_finish_taken(flow);
    } else if (answer->meaning != FLOW_TEMPORARY) {
        flow_finish_unstarted(flow, "upstream_refused", false);
    } else if (answer->is_too_late && is_first) {
        flow_finish_unsent(flow); /* the node's lease expired while the request waited */
    } else {
        if (answer->is_doubtful)
            doubt_start(flow, answer->is_slow);
        flow->dispatch->is_begun = flow->is_doubtful;
        try_again(flow);
    }
}

/* Looks again after a while: the upstream may still be at work on the start. */
static void look_again(struct flow *flow)
{
    span left = flow->asked_us + flow->settle - clock_boot_us();

    left = left > 0 ? left : 0;
    flow->wait = flow->wait == 0 ? flow->limits->retry_first : 2 * flow->wait;
    if (is_leaving(flow))
        flow_finish_closed(flow);
    else
        loop_timer_set(flow->pause, flow->wait < left ? flow->wait : left);
}

static void on_absent(struct flow *flow)
{
    bool is_settled = flow->looked_us - flow->asked_us >= flow->settle;

    forget_failures(flow);
    if (flow->is_taken) {
        flow_finish_taken(flow);
    } else if (!is_settled && !flow->dispatch->is_terminated) {
        look_again(flow);
    } else if (flow->dispatch->order->is_once && !flow->wants_end) {
        flow_finish_unknown(flow, "upstream_unknown", false);
    } else {
        record_start(flow, "looked up and absent");
        flow->is_doubtful = flow->dispatch->is_begun = false;
        flow->step = STEP_START;
        if (is_overdue(flow) && !flow->wants_end)
            give_up(flow);
        else
            next_step(flow);
    }
}

static void on_found(struct flow *flow, const struct flow_answer *answer)
{
    if (flow->is_over && answer->id.len > 0)
        flow_note_found(flow, answer->id);
    else if (flow->is_over && answer->meaning == FLOW_ABSENT)
        flow_look_later(flow);
    else if (answer->id.len > 0)
        begin_following(flow, answer);
    else if (answer->meaning == FLOW_ABSENT)
        on_absent(flow);
    else if (answer->meaning == FLOW_MORE)
        next_step(flow);
    else
        try_again(flow);
}

/* Whether Belfry ended this workflow of an earlier attempt, for example at its deadline. */
static bool was_ended_by_us(const struct flow *flow, const struct flow_seen *seen)
{
    return flow->is_inherited && seen->status == FLOW_TERMINATED &&
           str_starts(seen->reason, STR(FLOW_OUR_END));
}

static bool ended_as_requested(const struct flow *flow, const struct flow_seen *seen)
{
    return flow->wants_end &&
           (seen->status == FLOW_TERMINATED || seen->status == FLOW_CANCELLED);
}

/* After it has waited in the upstream, it is the turn of another workflow. */
static void continue_following(struct flow *flow, bool has_waited)
{
    if (is_leaving(flow) || !has_waited || !flow->target ||
        !followers_has_due(flow->target, clock_boot_us()))
        next_step(flow);
    else
        flow_park(flow, 0);
}

static void on_seen(struct flow *flow, const struct flow_answer *answer)
{
    const struct flow_seen *seen = &answer->seen;

    if (answer->meaning != FLOW_GOOD) {
        try_again(flow);
        return;
    }
    forget_failures(flow);
    if (was_ended_by_us(flow, seen)) {
        flow_finish_again(flow);
        return;
    }
    flow->is_inherited = false;
    if (ended_as_requested(flow, seen))
        flow_finish_as_requested(flow);
    else if (seen->status != FLOW_OPEN)
        flow_finish_seen(flow, seen);
    else if (answer->continue_now)
        continue_following(flow, answer->has_waited);
    else
        pause_for(flow, flow->limits->poll_first, flow->limits->poll_max);
}

static void on_ended(struct flow *flow, const struct flow_answer *answer)
{
    if (answer->meaning == FLOW_GOOD && answer->seen.status == FLOW_OPEN) {
        flow->end_requested = true;
        flow->step = STEP_FOLLOW;
        forget_failures(flow);
        if (is_leaving(flow))
            flow_finish_closed(flow);
        else
            flow_park(flow, 0);
        return;
    }
    if (answer->meaning == FLOW_GOOD || answer->meaning == FLOW_GONE) {
        flow_finish_as_requested(flow);
        return;
    }
    if (answer->meaning == FLOW_TEMPORARY || flow->dispatch->is_terminated) {
        try_again(flow);
        return;
    }
    flow->step = STEP_CHECK; /* most likely it has ended by itself */
    next_step(flow);
}

static void on_checked(struct flow *flow, const struct flow_answer *answer)
{
    const struct flow_seen *seen = &answer->seen;

    if (answer->meaning != FLOW_GOOD || seen->status == FLOW_OPEN)
        flow_finish_ended(flow, str_of(flow->why.text));
    else if (ended_as_requested(flow, seen))
        flow_finish_ended(flow, (struct str){0});
    else
        flow_finish_seen(flow, seen);
}

static void on_answer(void *arg, const struct webhook_result *result)
{
    static void (*const by_step[])(struct flow *, const struct flow_answer *) = {
        [STEP_START] = on_started, [STEP_FIND] = on_found,    [STEP_FOLLOW] = on_seen,
        [STEP_END] = on_ended,     [STEP_CHECK] = on_checked,
    };
    struct flow *flow = arg;
    struct flow_answer answer = {.is_too_late = result->kind == WEBHOOK_TOO_LATE};

    flow->is_calling = false;
    if (result->kind != WEBHOOK_CANCELLED) {
        flow->kind->read(flow, result, &answer);
        by_step[flow->step](flow, &answer);
        return;
    }
    flow->is_looking = false;
    if (flow->step == STEP_START && result->is_sent) {
        flow->why = result->err;
        doubt_start(flow, true);
    }
    next_step(flow);
}

/* ---- the next request ---- */

/* Looks up the upstream each time, because its address and headers may change. */
static void send_request(struct flow *flow)
{
    struct str name = flow->dispatch->action.workflow.upstream;
    const struct upstream_settings *upstream = upstream_settings(
        &dispatch_settings(flow->dispatch)->plain, name);
    enum rc rc = RC_NOT_FOUND;

    arena_reset(flow->scratch);
    if (flow->step == STEP_START)
        flow->starts++;
    if (flow->step == STEP_FIND && !flow->is_looking)
        flow->looked_us = clock_boot_us();
    if (upstream)
        rc = flow->kind->send(flow, upstream, on_answer);
    else
        err_set(&flow->why, RC_NOT_FOUND, -1, 0,
                "the namespace has no upstream \"%.*s\" for workflows", STR_ARG(name));
    if (rc == RC_OK) {
        flow->is_calling = true;
        flow->dispatch->is_begun = flow->dispatch->is_begun || flow->step == STEP_START;
    } else if (rc == RC_BUSY || flow->was_tried) {
        try_again(flow);
    } else {
        flow_finish_unstarted(flow, upstream ? "upstream_invalid" : "upstream_missing", false);
    }
}

static void next_step(struct flow *flow)
{
    struct str message = {0};

    if (is_leaving(flow)) {
        flow_finish_closed(flow);
        return;
    }
    if (flow->wants_end && !flow->end_requested && flow->step == STEP_FOLLOW)
        flow->step = STEP_END;
    if (flow->wants_end && flow->is_doubtful && flow->step == STEP_START)
        flow->step = STEP_FIND;
    if (flow->wants_end && flow->step == STEP_START) {
        if (flow->is_late)
            message = flow->why.text[0] != '\0' ? str_of(flow->why.text)
                                                : STR("the workflow was not started in time");
        flow_finish_ended(flow, message);
        return;
    }
    send_request(flow);
}

/* ---- the dispatch ---- */

static void request_end(struct flow *flow)
{
    flow->wants_end = true;
    flow->end_requested = false;
    flow->wait = 0;
    flow->failing_us = 0;
    if (!flow->is_calling)
        loop_timer_set(flow->pause, 0);
    else if (flow->step == STEP_FOLLOW)
        webhook_cancel(flow->pool, flow->dispatch->id);
}

static void on_late(void *arg)
{
    struct flow *flow = arg;

    flow->is_late = true;
    request_end(flow);
}

static const struct flow_kind *kind_of_upstream(const struct dispatch *dispatch)
{
    const struct upstream_settings *upstream = upstream_settings(
        &dispatch_settings(dispatch)->plain, dispatch->action.workflow.upstream);

    return upstream && upstream->type == UPSTREAM_TEMPORAL ? &flow_temporal : &flow_conductor;
}

/*
 * A start of Conductor must be confirmed within a fixed time after the first one, even if nodes
 * die.  Temporal recognizes repeated starts: there the time begins with each attempt.
 */
static int64_t confirm_by(const struct flow *flow)
{
    const struct dispatch_order *order = flow->dispatch->order;
    const struct run *run = &order->assignment.run;
    bool is_first = run->attempt - run->losses <= 1;
    span passed = flow->kind->repeats || !is_first || run->losses == 0
                      ? 0
                      : order->now - run->started_at;

    return clock_boot_us() + flow->limits->patience - (passed > 0 ? passed : 0);
}

/* Decides by what earlier attempts of the run have left behind. */
static void choose_first_step(struct flow *flow)
{
    const struct run *run = &flow->dispatch->order->assignment.run;
    const struct flow_progress *progress = &flow->progress;

    if (progress->id.len > 0 && !progress->has_ended) {
        flow->step = STEP_FOLLOW;
        flow->is_inherited = flow->was_tried = true;
    } else if (run->attempt > 1 && progress->clean != run->attempt - 1) {
        flow->step = flow->kind->repeats ? STEP_START : STEP_FIND;
        flow->is_doubtful = flow->was_tried = true;
        flow->asked_us = clock_boot_us();
        flow->settle = flow->limits->settle;
        err_set(&flow->why, RC_UNKNOWN, -1, 0,
                "an earlier attempt ended, perhaps after it had started the workflow");
    }
}

struct flow *flow_new(struct dispatch *dispatch)
{
    struct flow *flow = arena_take(dispatch->arena, sizeof *flow);

    dispatch->state = flow;
    *flow = (struct flow){
        .dispatch = dispatch,
        .limits = dispatch->dispatcher->flow ? dispatch->dispatcher->flow
                                             : &flow_limits_default,
        .kind = kind_of_upstream(dispatch),
        .scratch = arena_new(FLOW_SCRATCH_MAX),
        .pause = loop_timer_new(dispatch->dispatcher->options.loop, on_pause, flow),
        .deadline = loop_timer_new(dispatch->dispatcher->options.loop, on_late, flow),
        .deadline_us = INT64_MAX,
    };
    return flow;
}

void flow_free(struct flow *flow)
{
    loop_timer_free(flow->pause);
    loop_timer_free(flow->deadline);
    arena_free(flow->scratch);
}

void flow_set_deadline(struct flow *flow, int64_t deadline_us)
{
    int64_t now = clock_boot_us();

    flow->deadline_us = deadline_us;
    if (deadline_us != INT64_MAX)
        loop_timer_set(flow->deadline, deadline_us > now ? deadline_us - now : 0);
}

void flow_continue(struct flow *flow)
{
    next_step(flow);
}

/* A run that another node, or an earlier boot, has started. */
static void resume(struct flow *flow)
{
    bool is_known = (flow->dispatch->order->assignment.run.flags & RUN_FOLLOWED) != 0;

    flow_follow(flow);
    flow->dispatch->is_begun = true;
    if (!is_known)
        flow_report(flow, (struct str){0});
    if (is_leaving(flow))
        flow_finish_closed(flow);
    else
        flow_park(flow, 0);
}

static void start(struct dispatch *dispatch)
{
    struct flow *flow = flow_new(dispatch);
    span left = dispatch_time_left(dispatch);

    flow->progress = flow_progress_read(dispatch->order->assignment.run.progress,
                                        dispatch->arena);
    flow->confirm_by_us = confirm_by(flow);
    if (left != INT64_MAX)
        flow_set_deadline(flow, clock_boot_us() + left);
    choose_first_step(flow);
    if (flow->step == STEP_FOLLOW)
        resume(flow);
    else
        next_step(flow);
}

static void stop(struct dispatch *dispatch)
{
    request_end(dispatch->state);
}

/*
 * A terminated run ends its workflow if one request can do that.  A stopping server leaves the
 * workflow to the next node.
 */
static void kill_now(struct dispatch *dispatch)
{
    struct flow *flow = dispatch->state;

    if (!dispatch->dispatcher->is_closing && !dispatch->is_aborted)
        request_end(flow);
    else if (!flow->is_calling)
        flow_finish_closed(flow);
    else
        webhook_cancel(flow->pool, dispatch->id);
}

/* Waits only for the answer to a start, and for the end of a workflow that must end. */
static void drain(struct dispatch *dispatch)
{
    struct flow *flow = dispatch->state;

    if (flow->wants_end)
        return;
    if (!flow->is_calling)
        flow_finish_closed(flow);
    else if (flow->step != STEP_START)
        webhook_cancel(flow->pool, dispatch->id);
}

const struct dispatch_kind dispatch_workflow = {start, stop, kill_now, drain};
