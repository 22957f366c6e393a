/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lookups after a run has ended because its start was not confirmed.
 *
 * A start that was delayed in the network, or in an upstream that was overloaded, may become a
 * workflow after the last lookup.  The outcome of the run stays as it is, but its owner should
 * know: a line in the run's log and in that of the server names the workflow.  A server that
 * stops looks no more.
 */
#include "server/dispatch/dispatch_workflow_later.h"
#include "io/clock.h"
#include "store/logs.h"

enum {
    LATER_LOOKS = 4, /* after 10, 30, 70 and 150 minutes                         */
    /* Runs at a time, and bytes of each: their orders are kept, some hundred MB at most. */
    LATER_MAX = 1000,
    LATER_BYTES = 64 * 1024,
    LINE_BYTES = FLOW_ID_MAX + 128,
};

static bool may_look_later(const struct flow *flow)
{
    const struct dispatch *dispatch = flow->dispatch;
    const struct dispatcher *dispatcher = dispatch->dispatcher;
    const struct assignment *assignment = &dispatch->order->assignment;

    return flow->asked_us != 0 && !dispatch->is_terminated && !dispatcher->is_closing &&
           !dispatcher->is_draining && dispatcher->looking < LATER_MAX &&
           assignment->action.len + assignment->run.input.len + assignment->last_result.len <=
               LATER_BYTES;
}

bool flow_end_doubtful(struct flow *flow, const struct dispatch_end *end)
{
    struct dispatch *dispatch = flow->dispatch;

    if (!may_look_later(flow))
        return false;
    dispatch_end_first(dispatch, end);
    dispatch->dispatcher->looking++;
    loop_timer_stop(flow->deadline);
    flow->is_over = flow->was_tried = true;
    flow->is_looking = false;
    flow->step = STEP_FIND;
    flow->looks = 0;
    flow->wait = 0;
    flow_look_later(flow);
    return true;
}

void flow_look_later(struct flow *flow)
{
    if (flow->looks++ == LATER_LOOKS) {
        flow_leave_over(flow);
        return;
    }
    arena_free(flow->scratch); /* a reset would keep the blocks of a large answer */
    flow->scratch = arena_new(FLOW_SCRATCH_MAX);
    flow->wait = flow->wait == 0 ? flow->limits->later : 2 * flow->wait;
    loop_timer_set(flow->pause, flow->wait);
}

void flow_leave_over(struct flow *flow)
{
    struct dispatch *dispatch = flow->dispatch;

    dispatch->dispatcher->looking--;
    flow_free(flow);
    dispatch_leave(dispatch);
}

void flow_note_found(struct flow *flow, struct str id)
{
    const struct dispatch_order *order = flow->dispatch->order;
    struct log *log = flow->dispatch->dispatcher->options.log;
    char line[LINE_BYTES], packed[sizeof line + LOG_LINE_HEAD];
    struct buf text = BUF(line), out = BUF(packed);

    buf_printf(&text, "workflow \"%.*s\" appeared after this attempt had ended", STR_ARG(id));
    log_line_pack(&(struct log_line){clock_now(), LOG_WORKER, buf_as_str(&text)}, &out);
    dispatch_note(flow->dispatch, buf_as_str(&out));
    if (log)
        log_say(log, clock_now(), LEVEL_WARN, "workflow appeared after its run",
                LOG_STR("namespace", order->namespace_name),
                LOG_STR("schedule", order->assignment.name),
                LOG_STR("run", order->assignment.id), LOG_STR("workflow", id));
    flow_leave_over(flow);
}
