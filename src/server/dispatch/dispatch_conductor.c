/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An upstream Conductor: one request per step of a dispatch, and the meaning of the answers.
 *
 * POST …/workflow starts a workflow, GET …/workflow/{id} follows it, DELETE …/workflow/{id}
 * ends it.  Not every Conductor supports idempotency keys: if the answer to a start was lost,
 * the dispatch searches for the workflow by its correlation id.
 */
#include "server/dispatch/dispatch_workflow_parts.h"

enum {
    HEADERS_MAX = 2, /* set by Belfry */
    NOT_FOUND = 404,
    REQUEST_TIMEOUT = 408,
    TOO_MANY_REQUESTS = 429,
    SERVER_ERROR = 500,
};

/* ---- requests ---- */

static bool has_header(const struct upstream_settings *upstream, struct str name)
{
    for (int i = 0; i < upstream->headers.count; i++)
        if (str_eq_nocase(upstream->headers.list[i].name, name))
            return true;
    return false;
}

/* Fills in the start; its key depends on the earlier workflows of the run. */
static void make_start(struct flow *flow)
{
    struct dispatch *dispatch = flow->dispatch;
    const struct workflow_action *action = &dispatch->action.workflow;
    struct str run = dispatch->order->assignment.id;
    struct conductor_start *start = &flow->start;

    start->name = action->name;
    start->version = action->version;
    start->schedule = dispatch->order->assignment.name;
    start->more = action->conductor;
    start->correlation_id = action->correlation_id.len > 0 ? action->correlation_id : run;
    start->key = flow_key(run, &flow->progress, dispatch->arena);
    if (start->input.len == 0)
        start->input = flow_input(dispatch);
}

static void fill_request(struct flow *flow, struct str url, struct webhook_request *request)
{
    struct str id = flow->progress.id;

    switch (flow->step) {
    case STEP_START:
        request->method = STR("POST");
        request->url = conductor_url_start(url, flow->scratch);
        request->has_body = true;
        request->body = conductor_start_body(&flow->start, flow->scratch);
        request->is_once = flow->dispatch->order->is_once;
        break;
    case STEP_FIND:
        request->url = conductor_url_find(url, &flow->start, flow->scratch);
        break;
    case STEP_FOLLOW:
    case STEP_CHECK:
        request->url = conductor_url_get(url, id, flow->scratch);
        break;
    case STEP_END:
        request->method = STR("DELETE");
        request->url = conductor_url_end(url, id,
                                         flow->is_late
                                             ? STR(FLOW_OUR_END "the run timed out")
                                             : STR(FLOW_OUR_END "the run was cancelled"),
                                         flow->scratch);
        break;
    }
}

static enum rc send_request(struct flow *flow, const struct upstream_settings *upstream,
                            webhook_done *done)
{
    struct address_policy policy = dispatch_address_policy(flow->dispatch);
    struct webhook_request request = flow_request(flow, upstream, &policy);
    struct webhook_header extra[HEADERS_MAX];

    if (flow->step == STEP_START || flow->step == STEP_FIND)
        make_start(flow);
    fill_request(flow, upstream->url, &request);
    request.extra = extra;
    if (request.has_body && !has_header(upstream, STR("content-type")))
        extra[request.extra_count++] = (struct webhook_header){STR("Content-Type"),
                                                               STR("application/json")};
    if (request.has_body && !has_header(upstream, STR("idempotency-key")))
        extra[request.extra_count++] = (struct webhook_header){STR("Idempotency-Key"),
                                                               flow->start.key};
    flow->pool = flow->dispatch->dispatcher->upstream;
    return webhook_start(flow->pool, &request, done, flow, &flow->why);
}

/* ---- answers ---- */

/* Describes an answer that is not a success. */
static void describe_failure(struct flow *flow, const struct webhook_result *result)
{
    char message[ERR_TEXT_MAX] = "";
    struct buf buf = BUF(message);

    if (result->kind != WEBHOOK_ANSWERED) {
        flow->why = result->err;
        return;
    }
    conductor_message(result->body, &buf);
    err_set(&flow->why, RC_INVALID, -1, 0, "the upstream answered %d%s%s", result->status,
            buf.len > 0 ? ": " : "", message);
}

static enum flow_meaning meaning_of(const struct webhook_result *result)
{
    int status = result->status;

    if (result->kind != WEBHOOK_ANSWERED)
        return result->kind == WEBHOOK_REFUSED ? FLOW_REFUSED : FLOW_TEMPORARY;
    if (status >= 200 && status < 300)
        return FLOW_GOOD;
    return status >= SERVER_ERROR || status == TOO_MANY_REQUESTS || status == REQUEST_TIMEOUT
               ? FLOW_TEMPORARY
               : FLOW_REFUSED;
}

/* Reads a successful answer; an incomplete one means that the data is not available yet. */
static void read_good(struct flow *flow, const struct webhook_result *result,
                      struct flow_answer *ret)
{
    switch (flow->step) {
    case STEP_START:
        ret->id = conductor_id_of(result->body, flow->scratch);
        if (ret->id.len == 0)
            ret->meaning = FLOW_TEMPORARY;
        break;
    case STEP_FIND:
        ret->id = conductor_found(result->body, flow->dispatch->order->assignment.id,
                                  &flow->start, flow->progress.id, flow->scratch);
        break;
    case STEP_FOLLOW:
    case STEP_CHECK:
        ret->seen = conductor_seen_of(result->body, result->is_cut, flow->scratch);
        if (ret->seen.status == FLOW_UNREAD)
            ret->meaning = FLOW_TEMPORARY;
        break;
    case STEP_END:
        ret->seen.status = FLOW_TERMINATED;
        break;
    }
}

static void read_answer(struct flow *flow, const struct webhook_result *result,
                        struct flow_answer *ret)
{
    ret->meaning = meaning_of(result);
    ret->is_doubtful = result->is_sent && result->status != TOO_MANY_REQUESTS;
    if (flow->step == STEP_END && result->kind == WEBHOOK_ANSWERED &&
        result->status == NOT_FOUND)
        ret->meaning = FLOW_GONE;
    if (ret->meaning == FLOW_GOOD)
        read_good(flow, result, ret);
    if (ret->meaning != FLOW_GOOD)
        describe_failure(flow, result);
}

const struct flow_kind flow_conductor = {send_request, read_answer, false, OUTCOME_FAILED};
