/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errands that have an upstream Conductor run a workflow, and follow it to its end.
 *
 * The workflow's id is told as soon as it is known and comes back with the next attempt, which
 * then follows that workflow.  A start whose answer was lost is looked for by its correlation
 * id, since not every Conductor heeds idempotency keys; when it is not found, or cannot be
 * searched for, it is sent again with the same key.
 */
#include "daemon/call_flow.h"

#include "base/must.h"
#include "daemon/call_flow_parts.h"
#include "io/clock.h"

enum {
    SCRATCH_MAX = 8 << 20, /* a request and an answer of WEBHOOK_ANSWER_MAX, read */
    NOT_FOUND = 404,
    REQUEST_TIMEOUT = 408,
    TOO_MANY_REQUESTS = 429,
    SERVER_ERROR = 500,
};

const struct flow_limits flow_usual = {
    .retry_first = SPAN_S,
    .retry_most = SPAN_MIN,
    .poll_first = SPAN_S,
    .poll_most = 10 * SPAN_S,
    .patience = 5 * SPAN_MIN,
    .end_patience = 30 * SPAN_S,
    .request = 30 * SPAN_S,
    .connect = 10 * SPAN_S,
};

static void go(struct flow *flow);

/* ---- the end ---- */

static void finish(struct flow *flow, const struct errand_end *end)
{
    struct arena *scratch = flow->scratch; /* it may hold texts of the end */

    loop_timer_free(flow->pause);
    loop_timer_free(flow->deadline);
    if (end)
        errand_end(flow->errand, end);
    else
        errand_release(flow->errand);
    arena_free(scratch);
}

static void fail(struct flow *flow, const char *code, bool is_retryable)
{
    finish(flow, &(struct errand_end){.outcome = OUTCOME_FAILED,
                                      .code = code,
                                      .message = str_of(flow->why.text),
                                      .is_retryable = is_retryable});
}

/* The errand ends as it was told to; `message` is empty when the workflow ended too. */
static void finish_ended(struct flow *flow, struct str message)
{
    struct errand_end end = {.outcome = OUTCOME_CANCELLED, .message = message};

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

/* The node goes; whoever has the run next follows the workflow, or starts it. */
static void finish_closed(struct flow *flow)
{
    if (flow->errand->is_stopped && flow->step != STEP_START)
        finish_ended(flow, STR("the server ended before it had terminated the workflow"));
    else if (flow->errand->is_stopped)
        finish_ended(flow, (struct str){0});
    else if (flow->is_doubtful)
        finish(flow, &(struct errand_end){.outcome = OUTCOME_CANCELLED}); /* told as lost */
    else
        finish(flow, NULL);
}

static void tell_progress(struct flow *flow)
{
    errand_alive(flow->errand, flow_progress_print(&flow->progress, flow->scratch),
                 (struct str){0});
}

/* The workflow has ended, and so does the attempt. */
static void finish_seen(struct flow *flow, const struct flow_seen *seen)
{
    struct errand_end end = {.outcome = OUTCOME_FAILED,
                             .result = flow_result(flow->progress.id, seen, flow->scratch)};
    const char *colon = seen->reason.len > 0 ? ": " : "";

    err_set(&flow->why, RC_INVALID, -1, 0, "workflow `%.*s` ended as %.*s%s%.*s",
            STR_ARG(flow->progress.id), STR_ARG(seen->word), colon, STR_ARG(seen->reason));
    end.message = str_of(flow->why.text);
    if (seen->status == FLOW_COMPLETED) {
        end = (struct errand_end){.outcome = OUTCOME_SUCCEEDED, .result = end.result};
    } else if (seen->status == FLOW_TIMED_OUT) {
        end.outcome = OUTCOME_TIMED_OUT;
        end.code = "workflow_timeout";
        end.is_retryable = true;
    } else if (seen->status == FLOW_TERMINATED) {
        end.code = "workflow_terminated"; /* someone meant it: not again */
    } else {
        end.code = "workflow_failed";
        end.is_retryable = true;
    }
    if (seen->status != FLOW_COMPLETED) {
        flow->progress.has_ended = true; /* a next attempt needs another one */
        tell_progress(flow);
    }
    finish(flow, &end);
}

/* ---- pauses ---- */

static void on_pause(void *with)
{
    go(with);
}

static void pause_for(struct flow *flow, span first, span most)
{
    flow->wait = flow->wait == 0 ? first : 2 * flow->wait;
    flow->wait = flow->wait > most ? most : flow->wait;
    if (flow->errand->calls->is_closing)
        finish_closed(flow);
    else if (flow->wants_end && flow->failing_us == 0)
        go(flow);
    else
        loop_timer_set(flow->pause, flow->wait);
}

static void forget_failures(struct flow *flow)
{
    if (flow->failing_us != 0)
        flow->wait = 0;
    flow->failing_us = 0;
}

/* Patience with an upstream has run out. */
static void give_up(struct flow *flow)
{
    if (flow->wants_end) {
        finish_ended(flow, str_of(flow->why.text));
    } else if (flow->is_doubtful && flow->errand->task->is_once) {
        finish(flow, &(struct errand_end){.outcome = OUTCOME_UNKNOWN,
                                          .code = "upstream_unreachable",
                                          .message = str_of(flow->why.text)});
    } else {
        fail(flow, "upstream_unreachable", true);
    }
}

/* A request came to nothing, for the reason in flow->why. */
static void try_again(struct flow *flow)
{
    int64_t now = clock_boot_us();
    bool is_idle = flow->wants_end && flow->step == STEP_START; /* nothing is left to end */
    span patience = flow->wants_end ? flow->limits->end_patience : flow->limits->patience;

    if (flow->failing_us == 0) {
        flow->failing_us = now;
        flow->wait = 0;
    }
    if (is_idle)
        go(flow);
    else if (now - flow->failing_us >= patience || flow->errand->is_terminated)
        give_up(flow);
    else
        pause_for(flow, flow->limits->retry_first, flow->limits->retry_most);
}

/* ---- answers ---- */

/* Says what an answer that is no success was. */
static void note_answer(struct flow *flow, const struct webhook_result *result)
{
    char said[ERR_TEXT_MAX] = "";
    struct buf buf = BUF(said);

    if (result->kind != WEBHOOK_ANSWERED) {
        flow->why = result->err;
        return;
    }
    flow_message(result->body, &buf);
    err_set(&flow->why, RC_INVALID, -1, 0, "the upstream answered %d%s%s", result->status,
            buf.len > 0 ? ": " : "", said);
}

static bool is_good(const struct webhook_result *result)
{
    return result->kind == WEBHOOK_ANSWERED && result->status >= 200 && result->status < 300;
}

/* Whether another try may go better. */
static bool is_passing(const struct webhook_result *result)
{
    if (result->kind != WEBHOOK_ANSWERED)
        return result->kind != WEBHOOK_REFUSED;
    return result->status >= SERVER_ERROR || result->status == TOO_MANY_REQUESTS ||
           result->status == REQUEST_TIMEOUT;
}

static void begin_to_follow(struct flow *flow, struct str id)
{
    flow->progress = (struct flow_progress){
        .id = arena_str(flow->errand->arena, id),
        .count = flow->progress.count + 1,
    };
    flow->is_doubtful = false;
    flow->step = STEP_FOLLOW;
    tell_progress(flow);
    forget_failures(flow);
    pause_for(flow, flow->limits->poll_first, flow->limits->poll_most);
}

static void on_started(struct flow *flow, const struct webhook_result *result)
{
    bool is_first = !flow->is_answered;
    struct str id = is_good(result) ? flow_id_of(result->body, flow->scratch) : (struct str){0};

    flow->is_answered = true;
    if (id.len > 0) {
        begin_to_follow(flow, id);
        return;
    }
    note_answer(flow, result);
    if (!is_good(result) && !is_passing(result)) {
        fail(flow, "upstream_refused", false);
        return;
    }
    flow->is_doubtful = flow->is_doubtful ||
                        (result->is_sent && result->status != TOO_MANY_REQUESTS);
    flow->errand->is_begun = flow->is_doubtful;
    if (flow->is_doubtful)
        flow->step = STEP_FIND;
    if (result->kind == WEBHOOK_TOO_LATE && is_first)
        finish(flow, NULL); /* the node's lease has run out while it waited */
    else
        try_again(flow);
}

static void on_found(struct flow *flow, const struct webhook_result *result)
{
    struct str id = is_good(result) ? flow_found(result->body, flow->errand->task->work.id,
                                                 &flow->start, flow->progress.id, flow->scratch)
                                    : (struct str){0};

    if (id.len > 0) {
        begin_to_follow(flow, id);
        return;
    }
    if (!is_good(result) && is_passing(result)) {
        note_answer(flow, result);
        try_again(flow);
        return;
    }
    if (flow->errand->task->is_once) {
        finish(flow, &(struct errand_end){.outcome = OUTCOME_UNKNOWN,
                                          .code = "upstream_unknown",
                                          .message = str_of(flow->why.text)});
        return;
    }
    flow->is_doubtful = false;
    flow->step = STEP_START;
    go(flow);
}

/* A workflow of an earlier attempt that Belfry ended since that attempt's time was over. */
static bool is_worn_out(const struct flow *flow, const struct flow_seen *seen)
{
    return flow->is_inherited && seen->status == FLOW_TERMINATED &&
           str_starts(seen->reason, STR(FLOW_OUR_END));
}

static void on_seen(struct flow *flow, const struct webhook_result *result)
{
    struct flow_seen seen = is_good(result)
                                ? flow_seen_of(result->body, result->is_cut, flow->scratch)
                                : (struct flow_seen){0};

    if (seen.status == FLOW_UNREAD) {
        note_answer(flow, result);
        try_again(flow);
        return;
    }
    forget_failures(flow);
    if (is_worn_out(flow, &seen)) {
        flow->step = STEP_START;
        go(flow);
        return;
    }
    flow->is_inherited = false;
    if (seen.status != FLOW_OPEN)
        finish_seen(flow, &seen);
    else
        pause_for(flow, flow->limits->poll_first, flow->limits->poll_most);
}

static void on_ended(struct flow *flow, const struct webhook_result *result)
{
    if (is_good(result) || (result->kind == WEBHOOK_ANSWERED && result->status == NOT_FOUND)) {
        flow->progress.has_ended = true;
        tell_progress(flow);
        finish_ended(flow, (struct str){0});
        return;
    }
    note_answer(flow, result);
    if (is_passing(result) || flow->errand->is_terminated) {
        try_again(flow);
        return;
    }
    flow->step = STEP_CHECK; /* most likely it has ended by itself */
    go(flow);
}

static void on_checked(struct flow *flow, const struct webhook_result *result)
{
    struct flow_seen seen = is_good(result)
                                ? flow_seen_of(result->body, result->is_cut, flow->scratch)
                                : (struct flow_seen){0};

    if (seen.status == FLOW_UNREAD || seen.status == FLOW_OPEN)
        finish_ended(flow, str_of(flow->why.text));
    else if (seen.status == FLOW_TERMINATED)
        finish_ended(flow, (struct str){0});
    else
        finish_seen(flow, &seen);
}

static void on_answer(void *with, const struct webhook_result *result)
{
    static void (*const by_step[])(struct flow *, const struct webhook_result *) = {
        [STEP_START] = on_started, [STEP_FIND] = on_found,    [STEP_FOLLOW] = on_seen,
        [STEP_END] = on_ended,     [STEP_CHECK] = on_checked,
    };
    struct flow *flow = with;

    flow->is_calling = false;
    if (result->kind != WEBHOOK_CANCELLED) {
        by_step[flow->step](flow, result);
        return;
    }
    if (flow->step == STEP_START && result->is_sent) {
        flow->is_doubtful = true;
        flow->step = STEP_FIND;
    }
    go(flow);
}

/* ---- the next request ---- */

/* The upstream is looked up each time: its address and its headers may have been changed. */
static void ask(struct flow *flow)
{
    struct str name = flow->errand->action.workflow.upstream;
    const struct settings_upstream *upstream = settings_upstream(errand_settings(flow->errand),
                                                                 name);
    enum rc rc = RC_NOT_FOUND;

    arena_reset(flow->scratch);
    if (upstream)
        rc = flow_ask(flow, upstream, on_answer);
    else
        err_set(&flow->why, RC_NOT_FOUND, -1, 0,
                "the namespace has no upstream `%.*s` for workflows", STR_ARG(name));
    if (rc == RC_OK) {
        flow->is_calling = true;
        flow->errand->is_begun = flow->errand->is_begun || flow->step == STEP_START;
    } else if (rc == RC_BUSY || flow->is_answered) {
        try_again(flow);
    } else {
        fail(flow, upstream ? "upstream_invalid" : "upstream_missing", false);
    }
}

static void go(struct flow *flow)
{
    struct str message = {0};

    if (flow->errand->calls->is_closing) {
        finish_closed(flow);
        return;
    }
    if (flow->wants_end && flow->step == STEP_FOLLOW)
        flow->step = STEP_END;
    if (flow->wants_end && flow->step == STEP_START) {
        if (flow->is_late)
            message = flow->why.text[0] != '\0' ? str_of(flow->why.text)
                                                : STR("the workflow was not started in time");
        finish_ended(flow, message);
        return;
    }
    if (flow->step == STEP_START || flow->step == STEP_FIND)
        flow_make_start(flow);
    ask(flow);
}

/* ---- the errand ---- */

static void want_end(struct flow *flow)
{
    flow->wants_end = true;
    flow->wait = 0;
    flow->failing_us = 0;
    if (!flow->is_calling)
        loop_timer_set(flow->pause, 0);
    else if (flow->step == STEP_FOLLOW)
        webhook_cancel(flow->errand->calls->upstream, flow->errand->id);
}

static void on_late(void *with)
{
    struct flow *flow = with;

    flow->is_late = true;
    want_end(flow);
}

static void start(struct errand *errand)
{
    struct flow *flow = arena_take(errand->arena, sizeof *flow);
    span left = errand_left(errand);

    errand->own = flow;
    *flow = (struct flow){
        .errand = errand,
        .limits = errand->calls->flow ? errand->calls->flow : &flow_usual,
        .scratch = arena_new(SCRATCH_MAX),
        .pause = loop_timer_new(errand->calls->options.loop, on_pause, flow),
        .deadline = loop_timer_new(errand->calls->options.loop, on_late, flow),
        .progress = flow_progress_read(errand->task->work.run.progress, errand->arena),
    };
    if (left != INT64_MAX)
        loop_timer_set(flow->deadline, left);
    if (flow->progress.id.len > 0 && !flow->progress.has_ended) {
        flow->step = STEP_FOLLOW;
        flow->is_inherited = flow->is_answered = true;
    } else if (errand->task->work.run.losses > 0) {
        flow->step = STEP_FIND;
        flow->is_doubtful = true;
        err_set(&flow->why, RC_UNKNOWN, -1, 0,
                "whoever held the run before died, perhaps after it had started the workflow");
    }
    go(flow);
}

static void stop(struct errand *errand)
{
    want_end(errand->own);
}

/*
 * A run that was terminated leaves no workflow behind, if one request can see to that; a node
 * that goes leaves it to the next.
 */
static void kill_now(struct errand *errand)
{
    struct flow *flow = errand->own;

    if (!errand->calls->is_closing)
        want_end(flow);
    else if (!flow->is_calling)
        finish_closed(flow);
    else
        webhook_cancel(errand->calls->upstream, errand->id);
}

const struct errand_kind errand_flow = {start, stop, kill_now};
