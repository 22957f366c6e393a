/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dispatches that let an upstream run a workflow and follow it to its end.
 *
 * The dispatch reports the workflow id as soon as it is known; the next attempt gets it back
 * and follows that workflow.  If the answer to a start was lost, the dispatch repeats the start
 * if the upstream recognizes it as the same one.  Otherwise it searches for the workflow first,
 * and repeats the start with the same key if it finds nothing or cannot search.
 */
#include "server/dispatch/dispatch_workflow.h"

#include "io/clock.h"
#include "server/dispatch/dispatch_workflow_parts.h"

enum {
    SCRATCH_MAX = 32 << 20, /* a request, and a parsed answer of DISPATCH_FOLLOW_MAX */
};

const struct flow_limits flow_limits_default = {
    .retry_first = SPAN_S,
    .retry_max = SPAN_MIN,
    .poll_first = SPAN_S,
    .poll_max = 10 * SPAN_S,
    .patience = 5 * SPAN_MIN,
    .end_patience = 30 * SPAN_S,
    .request = 30 * SPAN_S,
    .long_poll = 65 * SPAN_S,
    .id_wait = 10 * SPAN_S,
    .connect = 10 * SPAN_S,
};

static void next_step(struct flow *flow);

/* ---- ending ---- */

static void finish(struct flow *flow, const struct dispatch_end *end)
{
    struct arena *scratch = flow->scratch; /* may hold texts of the end */

    loop_timer_free(flow->pause);
    loop_timer_free(flow->deadline);
    if (end)
        dispatch_end(flow->dispatch, end);
    else
        dispatch_release(flow->dispatch);
    arena_free(scratch);
}

static void fail(struct flow *flow, const char *code, bool is_retryable)
{
    finish(flow, &(struct dispatch_end){.outcome = OUTCOME_FAILED,
                                        .code = code,
                                        .message = str_of(flow->why.text),
                                        .is_retryable = is_retryable});
}

/* The dispatch ends as requested; `message` is empty if the workflow has ended too. */
static void finish_ended(struct flow *flow, struct str message)
{
    struct dispatch_end end = {.outcome = OUTCOME_CANCELLED, .message = message};

    if (message.len > 0)
        end.code = "upstream_unreachable";
    if (flow->is_late) {
        end.outcome = OUTCOME_TIMED_OUT;
        end.code = "workflow_timeout";
        end.message = message.len > 0
                          ? message
                          : STR("the workflow did not end in time and was terminated");
        end.is_retryable = true;
    }
    finish(flow, &end);
}

/* The server stops; the next node follows the workflow or starts it. */
static void finish_closed(struct flow *flow)
{
    if (flow->dispatch->is_stopped && flow->step != STEP_START)
        finish_ended(flow, STR("the server stopped before it terminated the workflow"));
    else if (flow->dispatch->is_stopped)
        finish_ended(flow, (struct str){0});
    else if (flow->is_doubtful)
        finish(flow,
               &(struct dispatch_end){.outcome = OUTCOME_CANCELLED}); /* becomes REPORT_LOST */
    else
        finish(flow, NULL);
}

static void report_progress(struct flow *flow)
{
    dispatch_alive(flow->dispatch, flow_progress_print(&flow->progress, flow->scratch),
                   (struct str){0});
}

/* The end of an attempt whose workflow did not complete. */
static const struct {
    enum outcome outcome;
    const char *code;
    bool is_retryable;
} bad_ends[] = {
    [FLOW_FAILED] = {OUTCOME_FAILED, "workflow_failed", true},
    [FLOW_TIMED_OUT] = {OUTCOME_TIMED_OUT, "workflow_timeout", true},
    /* Intended by someone: no retry. */
    [FLOW_TERMINATED] = {OUTCOME_FAILED, "workflow_terminated", false},
    [FLOW_CANCELLED] = {OUTCOME_CANCELLED, "workflow_cancelled", false},
};

/* The workflow has ended, and so does the attempt. */
static void finish_seen(struct flow *flow, const struct flow_seen *seen)
{
    struct dispatch_end end = {.outcome = OUTCOME_SUCCEEDED,
                               .result = flow_result(&flow->progress, seen, flow->scratch)};
    const char *colon = seen->reason.len > 0 ? ": " : "";

    if (seen->status != FLOW_COMPLETED) {
        err_set(&flow->why, RC_INVALID, -1, 0, "workflow \"%.*s\" ended as %.*s%s%.*s",
                STR_ARG(flow->progress.id), STR_ARG(seen->word), colon, STR_ARG(seen->reason));
        end.message = str_of(flow->why.text);
        end.outcome = seen->status == FLOW_TERMINATED ? flow->kind->terminated
                                                      : bad_ends[seen->status].outcome;
        end.code = bad_ends[seen->status].code;
        end.is_retryable = bad_ends[seen->status].is_retryable;
        end.by_target = true;
        flow->progress.has_ended = true; /* the next attempt needs a new workflow */
        report_progress(flow);
    }
    finish(flow, &end);
}

/* ---- pauses ---- */

static void on_pause(void *arg)
{
    next_step(arg);
}

static void pause_for(struct flow *flow, span first, span most)
{
    flow->wait = flow->wait == 0 ? first : 2 * flow->wait;
    flow->wait = flow->wait > most ? most : flow->wait;
    if (flow->dispatch->dispatcher->is_closing)
        finish_closed(flow);
    else if (flow->wants_end && !flow->end_requested && flow->failing_us == 0)
        next_step(flow);
    else
        loop_timer_set(flow->pause, flow->wait);
}

static void forget_failures(struct flow *flow)
{
    if (flow->failing_us != 0)
        flow->wait = 0;
    flow->failing_us = 0;
}

/* The upstream failed for too long. */
static void give_up(struct flow *flow)
{
    if (flow->wants_end) {
        finish_ended(flow, str_of(flow->why.text));
    } else if (flow->is_doubtful && flow->dispatch->order->is_once) {
        finish(flow, &(struct dispatch_end){.outcome = OUTCOME_UNKNOWN,
                                            .code = "upstream_unreachable",
                                            .message = str_of(flow->why.text)});
    } else {
        fail(flow, "upstream_unreachable", true);
    }
}

/* A request failed for the reason in flow->why. */
static void try_again(struct flow *flow)
{
    int64_t now = clock_boot_us();
    bool is_idle = flow->wants_end && flow->step == STEP_START &&
                   !flow->is_doubtful; /* there is nothing to end */
    span patience = flow->wants_end && !flow->end_requested ? flow->limits->end_patience
                                                            : flow->limits->patience;

    if (flow->failing_us == 0) {
        flow->failing_us = now;
        flow->wait = 0;
    }
    if (is_idle)
        next_step(flow);
    else if (now - flow->failing_us >= patience || flow->dispatch->is_terminated)
        give_up(flow);
    else
        pause_for(flow, flow->limits->retry_first, flow->limits->retry_max);
}

/* ---- answers ---- */

static void begin_following(struct flow *flow, const struct flow_answer *answer)
{
    flow->progress = (struct flow_progress){
        .id = arena_str(flow->dispatch->arena, answer->id),
        .run_id = arena_str(flow->dispatch->arena, answer->run_id),
        .count = flow->progress.count + 1,
    };
    flow->is_doubtful = false;
    flow->step = STEP_FOLLOW;
    report_progress(flow);
    forget_failures(flow);
    if (answer->continue_now)
        next_step(flow);
    else
        pause_for(flow, flow->limits->poll_first, flow->limits->poll_max);
}

static void on_started(struct flow *flow, const struct flow_answer *answer)
{
    bool is_first = !flow->was_tried;

    flow->was_tried = true;
    if (answer->meaning == FLOW_GOOD) {
        begin_following(flow, answer);
        return;
    }
    if (answer->meaning == FLOW_TAKEN) {
        finish(flow, &(struct dispatch_end){.outcome = OUTCOME_CANCELLED,
                                            .code = "workflow_exists",
                                            .message = str_of(flow->why.text),
                                            .by_target = true});
        return;
    }
    if (answer->meaning != FLOW_TEMPORARY) {
        fail(flow, "upstream_refused", false);
        return;
    }
    flow->is_doubtful = flow->is_doubtful || answer->is_doubtful;
    flow->dispatch->is_begun = flow->is_doubtful;
    if (flow->is_doubtful && !flow->kind->repeats)
        flow->step = STEP_FIND;
    if (answer->is_too_late && is_first)
        finish(flow, NULL); /* the node's lease expired while the request waited */
    else
        try_again(flow);
}

static void on_found(struct flow *flow, const struct flow_answer *answer)
{
    if (answer->id.len > 0) {
        begin_following(flow, answer);
        return;
    }
    if (answer->meaning == FLOW_TEMPORARY) {
        try_again(flow);
        return;
    }
    if (flow->dispatch->order->is_once) {
        finish(flow, &(struct dispatch_end){.outcome = OUTCOME_UNKNOWN,
                                            .code = "upstream_unknown",
                                            .message = str_of(flow->why.text)});
        return;
    }
    flow->is_doubtful = false;
    flow->step = STEP_START;
    next_step(flow);
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

static void finish_as_requested(struct flow *flow)
{
    flow->progress.has_ended = true;
    report_progress(flow);
    finish_ended(flow, (struct str){0});
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
        flow->step = STEP_START;
        next_step(flow);
        return;
    }
    flow->is_inherited = false;
    if (ended_as_requested(flow, seen))
        finish_as_requested(flow);
    else if (seen->status != FLOW_OPEN)
        finish_seen(flow, seen);
    else if (answer->continue_now)
        next_step(flow);
    else
        pause_for(flow, flow->limits->poll_first, flow->limits->poll_max);
}

static void on_ended(struct flow *flow, const struct flow_answer *answer)
{
    if (answer->meaning == FLOW_GOOD && answer->seen.status == FLOW_OPEN) {
        flow->end_requested = true;
        flow->step = STEP_FOLLOW;
        forget_failures(flow);
        next_step(flow);
        return;
    }
    if (answer->meaning == FLOW_GOOD || answer->meaning == FLOW_GONE) {
        finish_as_requested(flow);
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
        finish_ended(flow, str_of(flow->why.text));
    else if (ended_as_requested(flow, seen))
        finish_ended(flow, (struct str){0});
    else
        finish_seen(flow, seen);
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
    if (flow->step == STEP_START && result->is_sent)
        flow->is_doubtful = true;
    if (flow->step == STEP_START && result->is_sent && !flow->kind->repeats)
        flow->step = STEP_FIND;
    next_step(flow);
}

/* ---- the next request ---- */

struct str flow_input(struct dispatch *dispatch)
{
    struct payload payload = dispatch_payload(dispatch);
    struct buf input = arena_buf(dispatch->arena,
                                 payload_room(&payload, (struct str){0}, (struct str){0}));

    payload_print_workflow(&payload, &input);
    return buf_whole(&input);
}

struct webhook_request flow_request(const struct flow *flow,
                                    const struct upstream_settings *upstream,
                                    const struct address_policy *policy)
{
    const struct flow_limits *limits = flow->limits;
    const struct pairs *from = &upstream->headers;
    struct webhook_header *headers = arena_array(flow->scratch, (size_t)from->count,
                                                 sizeof *headers);
    bool is_first = flow->step == STEP_START && !flow->was_tried;

    for (int i = 0; i < from->count; i++)
        headers[i] = (struct webhook_header){from->list[i].name, from->list[i].value};
    return (struct webhook_request){
        .id = flow->dispatch->id,
        .method = STR("GET"),
        .headers = headers,
        .header_count = from->count,
        .connect_us = limits->connect,
        .first_byte_us = limits->request,
        .total_us = limits->request,
        .send_by_us = is_first ? flow->dispatch->order->send_by_us
                               : clock_boot_us() + limits->request,
        .keep_bytes = WEBHOOK_ANSWER_MAX,
        .policy = policy,
    };
}

/* Looks up the upstream each time, because its address and headers may change. */
static void send_request(struct flow *flow)
{
    struct str name = flow->dispatch->action.workflow.upstream;
    const struct upstream_settings *upstream = upstream_settings(
        &dispatch_settings(flow->dispatch)->plain, name);
    enum rc rc = RC_NOT_FOUND;

    arena_reset(flow->scratch);
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
        fail(flow, upstream ? "upstream_invalid" : "upstream_missing", false);
    }
}

static void next_step(struct flow *flow)
{
    struct str message = {0};

    if (flow->dispatch->dispatcher->is_closing) {
        finish_closed(flow);
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
        finish_ended(flow, message);
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

static void start(struct dispatch *dispatch)
{
    struct flow *flow = arena_take(dispatch->arena, sizeof *flow);
    span left = dispatch_time_left(dispatch);

    dispatch->state = flow;
    *flow = (struct flow){
        .dispatch = dispatch,
        .limits = dispatch->dispatcher->flow ? dispatch->dispatcher->flow
                                             : &flow_limits_default,
        .kind = kind_of_upstream(dispatch),
        .scratch = arena_new(SCRATCH_MAX),
        .pause = loop_timer_new(dispatch->dispatcher->options.loop, on_pause, flow),
        .deadline = loop_timer_new(dispatch->dispatcher->options.loop, on_late, flow),
        .progress = flow_progress_read(dispatch->order->assignment.run.progress,
                                       dispatch->arena),
    };
    if (left != INT64_MAX)
        loop_timer_set(flow->deadline, left);
    if (flow->progress.id.len > 0 && !flow->progress.has_ended) {
        flow->step = STEP_FOLLOW;
        flow->is_inherited = flow->was_tried = true;
    } else if (dispatch->order->assignment.run.losses > 0) {
        flow->step = flow->kind->repeats ? STEP_START : STEP_FIND;
        flow->is_doubtful = true;
        err_set(&flow->why, RC_UNKNOWN, -1, 0,
                "the previous node died, perhaps after it had started the workflow");
    }
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

    if (!dispatch->dispatcher->is_closing)
        request_end(flow);
    else if (!flow->is_calling)
        finish_closed(flow);
    else
        webhook_cancel(flow->pool, dispatch->id);
}

const struct dispatch_kind dispatch_workflow = {start, stop, kill_now};
