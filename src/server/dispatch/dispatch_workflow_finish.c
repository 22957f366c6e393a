/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ends of a dispatch that lets an upstream run a workflow.
 *
 * If an attempt ends and no start of it is unanswered, its progress says so: the next attempt
 * may start at once.  Without this mark the next attempt looks for the workflow first.
 */
#include "io/clock.h"
#include "server/dispatch/dispatch_workflow_later.h"

void flow_report(struct flow *flow, struct str log)
{
    const struct flow_progress *progress = &flow->progress;
    bool has_progress = progress->id.len > 0 || progress->clean > 0;

    dispatch_alive(
        flow->dispatch,
        has_progress ? flow_progress_print(progress, flow->scratch) : (struct str){0}, log);
}

static void finish(struct flow *flow, const struct dispatch_end *end)
{
    struct arena *scratch = flow->scratch; /* may hold texts of the end */

    flow_leave_turn(flow);
    loop_timer_free(flow->pause);
    loop_timer_free(flow->deadline);
    if (end)
        dispatch_end(flow->dispatch, end);
    else
        dispatch_release(flow->dispatch);
    arena_free(scratch);
}

/* The next node takes the workflow over, and ends it if that was requested. */
static void leave(struct flow *flow)
{
    struct dispatch *dispatch = flow->dispatch;

    flow_leave_turn(flow);
    flow_free(flow);
    dispatch_leave(dispatch);
}

static void finish_in_doubt(struct flow *flow, const struct dispatch_end *end)
{
    if (!flow_end_doubtful(flow, end))
        finish(flow, end);
}

static void mark_clean(struct flow *flow)
{
    flow->progress.clean = flow->dispatch->order->assignment.run.attempt;
    flow_report(flow, (struct str){0});
}

static void log_unstarted(const struct flow *flow, const char *code)
{
    const struct dispatch_order *order = flow->dispatch->order;
    struct log *log = flow->dispatch->dispatcher->options.log;

    if (log)
        log_say(log, clock_now(), LEVEL_WARN, "workflow not started",
                LOG_STR("namespace", order->namespace_name),
                LOG_STR("schedule", order->assignment.name),
                LOG_STR("run", order->assignment.id), LOG_STR("code", str_of(code)),
                LOG_STR("reason", str_of(flow->why.text)));
}

void flow_finish_unstarted(struct flow *flow, const char *code, bool is_retryable)
{
    log_unstarted(flow, code);
    if (is_retryable)
        mark_clean(flow);
    finish_in_doubt(flow, &(struct dispatch_end){.outcome = OUTCOME_FAILED,
                                                 .reason = REASON_NOT_STARTED,
                                                 .code = code,
                                                 .message = str_of(flow->why.text),
                                                 .is_retryable = is_retryable});
}

void flow_finish_taken(struct flow *flow)
{
    finish(flow, &(struct dispatch_end){.outcome = OUTCOME_CANCELLED,
                                        .code = "workflow_exists",
                                        .message = str_of(flow->why.text),
                                        .by_target = true});
}

void flow_finish_unknown(struct flow *flow, const char *code, bool is_retryable)
{
    const struct dispatch_end end = {.outcome = OUTCOME_UNKNOWN,
                                     .code = code,
                                     .message = str_of(flow->why.text),
                                     .is_retryable = is_retryable};

    if (flow->step == STEP_FOLLOW) /* the workflow is known */
        finish(flow, &end);
    else
        finish_in_doubt(flow, &end);
}

void flow_finish_ended(struct flow *flow, struct str message)
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
        if (!flow->is_doubtful)
            mark_clean(flow);
    }
    finish(flow, &end);
}

void flow_finish_closed(struct flow *flow)
{
    if (flow->is_over)
        flow_leave_over(flow);
    else if (flow->dispatch->is_followed)
        leave(flow);
    else if (flow->dispatch->is_stopped && flow->step != STEP_START)
        flow_finish_ended(flow, STR("the server stopped before it terminated the workflow"));
    else if (flow->dispatch->is_stopped)
        flow_finish_ended(flow, (struct str){0});
    else if (flow->is_doubtful)
        finish(flow,
               &(struct dispatch_end){.outcome = OUTCOME_CANCELLED}); /* becomes REPORT_LOST */
    else
        finish(flow, NULL);
}

/* The run is claimed again like a new one, with the place and the input that a start needs. */
void flow_finish_again(struct flow *flow)
{
    flow->progress.has_ended = true;
    flow->progress.clean = flow->dispatch->order->assignment.run.attempt - 1;
    flow_report(flow, (struct str){0});
    finish(flow, NULL);
}

void flow_finish_unsent(struct flow *flow)
{
    finish(flow, NULL);
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

void flow_finish_seen(struct flow *flow, const struct flow_seen *seen)
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
        end.failure = seen->failure;
        flow->progress.has_ended = true; /* the next attempt needs a new workflow */
        mark_clean(flow);
    }
    finish(flow, &end);
}

void flow_finish_as_requested(struct flow *flow)
{
    flow->progress.has_ended = true;
    if (!flow->is_late) /* else flow_finish_ended() reports it */
        flow_report(flow, (struct str){0});
    flow_finish_ended(flow, (struct str){0});
}
