/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An upstream Temporal: one gRPC call per step of a dispatch, and the meaning of the answers.
 *
 * StartWorkflowExecution starts a workflow; its request id makes a repeated start the same
 * start.  GetWorkflowExecutionHistory follows the workflow by waiting for its close event.
 * RequestCancelWorkflowExecution requests its end, and TerminateWorkflowExecution ends it.
 */
#include <inttypes.h>

#include "base/must.h"
#include "io/clock.h"
#include "server/dispatch/dispatch_workflow_parts.h"
#include "server/dispatch/temporal_wire.h"

#define SERVICE "/temporal.api.workflowservice.v1.WorkflowService/"

enum {
    HEADERS_MAX = 3,                /* set by Belfry                                   */
    IDENTITY_MORE = 32,             /* the fixed parts of an identity                  */
    TIMEOUT_TEXT_MAX = 16,          /* "65000m"                                        */
    DEADLINE_GRACE = 10,            /* seconds for an answer at the deadline to arrive */
    URL_MORE = sizeof SERVICE + 48, /* and a method                                    */
};

struct temporal_flow {
    struct temporal_start start;    /* texts in the arena of the dispatch */
    char token[TEMPORAL_TOKEN_MAX]; /* from the last poll                 */
    size_t token_len;
    int64_t taken_us; /* clock_boot_us() when another run was found to have the id; 0: never */
};

static struct temporal_flow *state_of_flow(struct flow *flow)
{
    if (!flow->state)
        flow->state = arena_take(flow->dispatch->arena, sizeof(struct temporal_flow));
    return flow->state;
}

/* ---- requests ---- */

/*
 * A unique identity, by which the dispatch recognizes a workflow whose start was not answered.
 */
static struct str make_identity(const struct dispatch *dispatch, struct str key,
                                struct arena *arena)
{
    const struct dispatch_order *order = dispatch->order;
    struct str space = order->namespace_name, schedule = order->assignment.name;
    struct buf text = arena_buf(arena, space.len + schedule.len + key.len + IDENTITY_MORE);

    buf_printf(&text, "belfry-%.*s-%.*s-%.*s", STR_ARG(space), STR_ARG(schedule), STR_ARG(key));
    return buf_whole(&text);
}

/* Built once per workflow of the run. */
static const struct temporal_start *make_start(struct flow *flow)
{
    struct temporal_flow *tf = state_of_flow(flow);
    struct dispatch *dispatch = flow->dispatch;
    const struct assignment *assignment = &dispatch->order->assignment;
    struct str key = flow_key(assignment->id, &flow->progress, flow->scratch);
    struct action *action;

    if (str_eq(tf->start.request_id, key))
        return &tf->start;
    key = arena_str(dispatch->arena, key);
    action = arena_take(dispatch->arena, sizeof *action);
    *action = dispatch->action;
    action->input = payload_input(dispatch->action.input, assignment->run.input,
                                  dispatch->arena);
    tf->start = (struct temporal_start){
        .who = {.workflow_id = temporal_workflow_id(action, assignment->name, &assignment->run,
                                                    dispatch->arena),
                .identity = make_identity(dispatch, key, dispatch->arena)},
        .request_id = key,
        .schedule = assignment->name,
        .action = action,
        .run = &assignment->run,
        .is_again = flow->progress.count > 0,
        .last_result = assignment->last_result,
        .last_failure = assignment->last_failure,
    };
    if (!temporal_has_payloads(action))
        tf->start.input = flow_input(dispatch);
    return &tf->start;
}

/* The current workflow of the run. */
static struct temporal_who who_of(struct flow *flow, struct str space)
{
    struct str key = flow_key(flow->dispatch->order->assignment.id, &(struct flow_progress){0},
                              flow->scratch);

    return (struct temporal_who){
        .namespace = space,
        .workflow_id = flow->progress.id,
        .run_id = flow->progress.run_id,
        .identity = make_identity(flow->dispatch, key, flow->scratch),
    };
}

/* Few of the followed workflows may wait in the upstream; the others are looked at. */
static bool is_waiting(const struct flow *flow)
{
    return flow->step == STEP_FOLLOW && flow->target && flow->reason == FOLLOW_WAIT;
}

static struct str follow_body(struct flow *flow, struct str space)
{
    struct temporal_flow *tf = state_of_flow(flow);
    struct temporal_who who = who_of(flow, space);
    bool waits = is_waiting(flow);

    if (flow->run[0] != '\0')
        who.run_id = str_of(flow->run);
    return temporal_follow_body(&who, (struct str){tf->token, waits ? tf->token_len : 0}, waits,
                                flow->scratch);
}

static bool is_terminating(const struct flow *flow)
{
    return flow->is_late || flow->dispatch->is_terminated;
}

static struct str end_body(struct flow *flow, struct str space)
{
    struct temporal_who who = who_of(flow, space);
    struct str reason = flow->is_late ? STR(FLOW_OUR_END "the run timed out")
                                      : STR(FLOW_OUR_END "the run was terminated");

    return is_terminating(flow)
               ? temporal_terminate_body(&who, reason, flow->scratch)
               : temporal_cancel_body(&who, flow->dispatch->order->assignment.id,
                                      flow->scratch);
}

/* Returns the method and its body. */
static const char *fill_body(struct flow *flow, struct str space, struct str *ret)
{
    struct temporal_start start;

    switch (flow->step) {
    case STEP_START:
        start = *make_start(flow);
        start.who.namespace = space;
        *ret = temporal_start_body(&start, flow->scratch);
        return "StartWorkflowExecution";
    case STEP_FIND:
        start = *make_start(flow);
        start.who.namespace = space;
        *ret = temporal_find_body(&start.who, flow->scratch);
        return "GetWorkflowExecutionHistory";
    case STEP_FOLLOW:
    case STEP_CHECK:
        *ret = follow_body(flow, space);
        return "GetWorkflowExecutionHistory";
    case STEP_END:
        break;
    }
    *ret = end_body(flow, space);
    return is_terminating(flow) ? "TerminateWorkflowExecution"
                                : "RequestCancelWorkflowExecution";
}

static struct str url_of(struct str base, const char *method, struct arena *arena)
{
    struct buf url = arena_buf(arena, base.len + URL_MORE);

    buf_str(&url, base);
    buf_text(&url, SERVICE);
    buf_text(&url, method);
    return buf_whole(&url);
}

static enum rc send_request(struct flow *flow, const struct upstream_settings *upstream,
                            webhook_done *done)
{
    struct address_policy policy = dispatch_address_policy(flow->dispatch);
    struct webhook_request request = flow_request(flow, upstream, &policy);
    const struct dispatcher *dispatcher = flow->dispatch->dispatcher;
    bool waits = is_waiting(flow), follows = flow->step == STEP_FOLLOW;
    span within = waits ? flow->limits->long_poll : flow->limits->request;
    char text[TIMEOUT_TEXT_MAX];
    struct buf timeout = BUF(text);
    struct webhook_header extra[HEADERS_MAX];

    buf_printf(&timeout, "%" PRId64 "m", within / SPAN_MS);
    extra[0] = (struct webhook_header){STR("content-type"), STR("application/grpc")};
    extra[1] = (struct webhook_header){STR("grpc-timeout"), buf_as_str(&timeout)};
    extra[2] = (struct webhook_header){STR("temporal-namespace"), upstream->namespace};
    request.url = url_of(upstream->url, fill_body(flow, upstream->namespace, &request.body),
                         flow->scratch);
    request.method = STR("POST");
    request.has_body = true;
    request.extra = extra;
    request.extra_count = HEADERS_MAX;
    request.total_us = request.first_byte_us = within + DEADLINE_GRACE * SPAN_S;
    request.keep_headers = temporal_stored_headers;
    request.keep_header_count = temporal_stored_header_count;
    request.is_h2 = true;
    request.keep_bytes = follows ? DISPATCH_FOLLOW_MAX : WEBHOOK_ANSWER_MAX;
    flow->pool = follows ? dispatcher->follow : dispatcher->upstream;
    return webhook_start(flow->pool, &request, done, flow, &flow->why);
}

/* ---- answers ---- */

/* The meaning of each status; for a start, whether the upstream may have performed it. */
static const struct {
    enum flow_meaning meaning;
    bool is_doubtful;
} meanings[] = {
    [GRPC_OK] = {FLOW_GOOD, false},
    [GRPC_CANCELLED] = {FLOW_TEMPORARY, true}, /* by a proxy */
    [GRPC_UNKNOWN] = {FLOW_TEMPORARY, true},
    [GRPC_INVALID_ARGUMENT] = {FLOW_REFUSED, false},
    [GRPC_DEADLINE_EXCEEDED] = {FLOW_TEMPORARY, true},
    [GRPC_NOT_FOUND] = {FLOW_REFUSED, false},
    [GRPC_ALREADY_EXISTS] = {FLOW_REFUSED, false}, /* of a start: see read_exists() */
    [GRPC_PERMISSION_DENIED] = {FLOW_REFUSED, false},
    [GRPC_RESOURCE_EXHAUSTED] = {FLOW_TEMPORARY, false},
    [GRPC_FAILED_PRECONDITION] = {FLOW_REFUSED, false},
    [GRPC_ABORTED] = {FLOW_TEMPORARY, false},
    [GRPC_OUT_OF_RANGE] = {FLOW_TEMPORARY, false}, /* Temporal's clients retry it too */
    [GRPC_UNIMPLEMENTED] = {FLOW_REFUSED, false},
    [GRPC_INTERNAL] = {FLOW_TEMPORARY, true},
    [GRPC_UNAVAILABLE] = {FLOW_TEMPORARY, true},
    [GRPC_DATA_LOSS] = {FLOW_TEMPORARY, true},
    [GRPC_UNAUTHENTICATED] = {FLOW_REFUSED, false},
};

static void mark_unread(struct flow *flow, struct flow_answer *ret)
{
    err_set(&flow->why, RC_INVALID, -1, 0, "cannot parse the answer of the upstream");
    ret->meaning = FLOW_TEMPORARY;
    ret->is_doubtful = true;
}

static void read_started(struct flow *flow, struct str run_id, struct flow_answer *ret)
{
    struct temporal_flow *tf = state_of_flow(flow);

    if (run_id.len == 0) {
        mark_unread(flow, ret);
        return;
    }
    ret->meaning = FLOW_GOOD;
    ret->id = tf->start.who.workflow_id;
    ret->run_id = run_id;
    ret->continue_now = true;
    flow->run[0] = '\0';
    tf->token_len = 0;
}

/* Whether the start belongs to another run of the same schedule. */
static bool is_sibling(const struct flow *flow, struct str request_id)
{
    struct str run = request_id, count;
    struct run_id id;
    struct err unused;

    (void)str_cut(request_id, '.', &run, &count); /* see flow_key() */
    return run_id_parse(run, &id, &unused) == RC_OK &&
           id.schedule == flow->dispatch->order->assignment.run.schedule;
}

/*
 * Starts in the same second have the same workflow id.  A run that was terminated in favor of
 * another ends at once, but its workflow ends only when the upstream has processed that.  The
 * next start waits for it.
 */
static bool waits_for_sibling(struct flow *flow, struct str request_id)
{
    struct temporal_flow *tf = state_of_flow(flow);
    int64_t now = clock_boot_us();

    if (!is_sibling(flow, request_id))
        return false;
    if (tf->taken_us == 0)
        tf->taken_us = now;
    return now - tf->taken_us < flow->limits->id_wait;
}

/* Finds out whose start has the workflow id. */
static void read_exists(struct flow *flow, const struct temporal_reply *reply,
                        struct flow_answer *ret)
{
    struct temporal_owner owner = temporal_exists(reply->details, flow->scratch);

    if (owner.run_id.len > 0 && str_eq(owner.request_id, state_of_flow(flow)->start.request_id))
        read_started(flow, owner.run_id, ret);
    else
        ret->meaning = waits_for_sibling(flow, owner.request_id) ? FLOW_TEMPORARY : FLOW_TAKEN;
}

static void set_run(struct flow *flow, struct str run)
{
    struct buf text = BUF(flow->run);

    buf_str(&text, run);
    must(!text.cut);
    flow->has_hint = false; /* that was about the run before */
    state_of_flow(flow)->token_len = 0;
}

/*
 * A poll waits in the upstream.  Only the first one does not wait: it returns the token for the
 * next.  If the upstream does not let polls wait, the dispatch pauses between them.
 */
static void read_poll(struct flow *flow, struct str message, span took, struct flow_answer *ret)
{
    struct temporal_flow *tf = state_of_flow(flow);
    struct temporal_look poll = temporal_look_of(message, flow->scratch);
    bool had_token = tf->token_len > 0;

    if (poll.seen.status == FLOW_UNREAD) {
        mark_unread(flow, ret);
        return;
    }
    ret->seen = poll.seen;
    tf->token_len = poll.token.len <= sizeof tf->token ? poll.token.len : 0;
    if (tf->token_len > 0)
        memcpy(tf->token, poll.token.ptr, tf->token_len);
    ret->has_waited = is_waiting(flow) && took >= flow->limits->poll_first;
    ret->continue_now = ret->has_waited || (!had_token && tf->token_len > 0);
    if (poll.next_run.len > 0) {
        set_run(flow, poll.next_run);
        ret->has_waited = false;
        ret->continue_now = true;
    }
}

static void read_found(struct flow *flow, struct str message, struct flow_answer *ret)
{
    struct str run_id = temporal_found(message, state_of_flow(flow)->start.who.identity,
                                       flow->scratch);

    if (run_id.len > 0)
        read_started(flow, run_id, ret);
    else
        ret->meaning = FLOW_ABSENT; /* the id belongs to another workflow */
}

static void read_good(struct flow *flow, struct str message, span took, struct flow_answer *ret)
{
    switch (flow->step) {
    case STEP_START:
        read_started(flow, temporal_started(message, flow->scratch), ret);
        break;
    case STEP_FIND:
        read_found(flow, message, ret);
        break;
    case STEP_FOLLOW:
    case STEP_CHECK:
        read_poll(flow, message, took, ret);
        break;
    case STEP_END:
        ret->seen.status = is_terminating(flow) ? FLOW_TERMINATED : FLOW_OPEN;
        break;
    }
}

static void read_answer(struct flow *flow, const struct webhook_result *result,
                        struct flow_answer *ret)
{
    struct temporal_reply reply;

    if (result->kind != WEBHOOK_ANSWERED) {
        flow->why = result->err;
        ret->meaning = result->kind == WEBHOOK_REFUSED ? FLOW_REFUSED : FLOW_TEMPORARY;
        ret->is_doubtful = result->is_sent;
        return;
    }
    reply = temporal_reply_of(result, flow->scratch);
    ret->meaning = meanings[reply.status].meaning;
    ret->is_doubtful = meanings[reply.status].is_doubtful;
    if (reply.status == GRPC_OK) {
        read_good(flow, reply.message, result->total_us, ret);
        return;
    }
    if (reply.status == GRPC_NOT_FOUND && flow->step == STEP_FIND) {
        ret->meaning = FLOW_ABSENT; /* flow->why still says why the start is in doubt */
        return;
    }
    err_set(&flow->why, RC_INVALID, -1, 0, "the upstream answered %s%s%.*s",
            grpc_status_text(reply.status), reply.words.len > 0 ? ": " : "",
            STR_ARG(reply.words));
    /* The namespace: a Temporal that has just started may not know it yet. */
    if (reply.status == GRPC_NOT_FOUND && flow->step == STEP_START)
        ret->meaning = FLOW_TEMPORARY;
    if (reply.status == GRPC_ALREADY_EXISTS && flow->step == STEP_START)
        read_exists(flow, &reply, ret);
    if (reply.status == GRPC_DEADLINE_EXCEEDED && flow->step == STEP_FOLLOW) {
        ret->meaning = FLOW_GOOD; /* no event yet */
        ret->seen.status = FLOW_OPEN;
        ret->has_waited = is_waiting(flow) && result->total_us >= flow->limits->poll_first;
        ret->continue_now = ret->has_waited;
    }
}

const struct flow_kind flow_temporal = {send_request, read_answer, true, OUTCOME_TERMINATED};
