/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An upstream Conductor: one request per step of a dispatch, and the meaning of the answers.
 *
 * POST …/workflow starts a workflow, GET …/workflow/{id} follows it, DELETE …/workflow/{id}
 * ends it.  Not every Conductor supports idempotency keys: if the answer to a start was lost,
 * conductor_lookup.h finds the workflow.
 */
#include "server/dispatch/conductor_lookup.h"
#include "server/dispatch/dispatch_workflow_parts.h"

enum {
    HEADERS_MAX = 2, /* set by Belfry */
    NOT_FOUND = 404,
    REQUEST_TIMEOUT = 408,
    TOO_MANY_REQUESTS = 429,
    SERVER_ERROR = 500,
    GATEWAY_TIMEOUT = 504,
    CORRELATION_MORE = 1 + RUN_ID_TEXT_MAX, /* a separator and the id of the run */
};

static struct conductor_lookup *lookup_of_flow(struct flow *flow)
{
    if (!flow->state)
        flow->state = arena_take(flow->dispatch->arena, sizeof(struct conductor_lookup));
    return flow->state;
}

/* ---- requests ---- */

static bool has_header(const struct upstream_settings *upstream, struct str name)
{
    for (int i = 0; i < upstream->headers.count; i++)
        if (str_eq_nocase(upstream->headers.list[i].name, name))
            return true;
    return false;
}

/*
 * The owner's id, unchanged.  On request of the upstream's settings the id of the run follows
 * it, so that a lookup finds only this workflow.
 */
static struct str make_correlation(struct flow *flow, bool is_unique)
{
    struct dispatch *dispatch = flow->dispatch;
    struct str given = dispatch->action.workflow.correlation_id;
    struct str run = dispatch->order->assignment.id;
    struct buf text;

    if (given.len == 0 || !is_unique)
        return given.len > 0 ? given : run;
    text = arena_buf(flow->scratch, given.len + CORRELATION_MORE);
    buf_str(&text, given);
    buf_char(&text, '.');
    buf_str(&text, run);
    return buf_whole(&text);
}

/* Fills in the start; its key depends on the earlier workflows of the run. */
static void make_start(struct flow *flow, bool is_unique)
{
    struct dispatch *dispatch = flow->dispatch;
    const struct workflow_action *action = &dispatch->action.workflow;
    struct str run = dispatch->order->assignment.id;
    struct conductor_start *start = &flow->start;

    start->name = action->name;
    start->version = action->version;
    start->schedule = dispatch->order->assignment.name;
    start->more = action->conductor;
    start->correlation_id = make_correlation(flow, is_unique);
    start->key = flow_key(run, &flow->progress, dispatch->arena);
    if (start->input.len == 0)
        start->input = flow_input(dispatch);
}

static struct lookup_query query_of_flow(const struct flow *flow)
{
    const struct assignment *assignment = &flow->dispatch->order->assignment;

    return (struct lookup_query){
        .start = &flow->start,
        .run = assignment->id,
        .known = flow->progress.id,
        .since = assignment->run.started_at,
    };
}

/* The lists are long, and so are the answers. */
static void fill_lookup(struct flow *flow, struct str url, struct webhook_request *request)
{
    struct lookup_query query = query_of_flow(flow);
    struct conductor_lookup *lookup = lookup_of_flow(flow);

    if (!flow->is_looking)
        conductor_lookup_begin(lookup, &query);
    flow->is_looking = true;
    request->url = conductor_lookup_url(url, lookup, &query, flow->scratch);
    request->keep_bytes = DISPATCH_FOLLOW_MAX;
    flow->pool = flow->dispatch->dispatcher->follow;
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
        fill_lookup(flow, url, request);
        break;
    case STEP_FOLLOW:
        flow->pool = flow->dispatch->dispatcher->follow;
        request->url = conductor_url_get(url, id, flow->scratch);
        break;
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

    flow->pool = flow->dispatch->dispatcher->upstream;
    if (flow->step == STEP_START || flow->step == STEP_FIND)
        make_start(flow, upstream->has_unique_correlation);
    fill_request(flow, upstream->url, &request);
    request.extra = extra;
    if (request.has_body && !has_header(upstream, STR("content-type")))
        extra[request.extra_count++] = (struct webhook_header){STR("Content-Type"),
                                                               STR("application/json")};
    if (request.has_body && !has_header(upstream, STR("idempotency-key")))
        extra[request.extra_count++] = (struct webhook_header){STR("Idempotency-Key"),
                                                               flow->start.key};
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
        break; /* see read_lookup() */
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

static void read_lookup(struct flow *flow, const struct webhook_result *result,
                        struct flow_answer *ret)
{
    static const enum flow_meaning meanings[] = {
        [LOOKUP_FOUND] = FLOW_GOOD,
        [LOOKUP_MORE] = FLOW_MORE,
        [LOOKUP_ABSENT] = FLOW_ABSENT,
        [LOOKUP_INCOMPLETE] = FLOW_TEMPORARY,
    };
    struct conductor_lookup *lookup = lookup_of_flow(flow);
    struct lookup_query query = query_of_flow(flow);
    enum flow_meaning meaning = meaning_of(result);
    enum lookup_verdict verdict;

    if (meaning == FLOW_TEMPORARY) {
        ret->meaning = meaning;
        describe_failure(flow, result);
        return;
    }
    verdict = meaning == FLOW_GOOD
                  ? conductor_lookup_read(lookup, &query, result->body, result->is_cut,
                                          flow->scratch, &ret->id)
                  : conductor_lookup_refused(lookup);
    ret->meaning = meanings[verdict];
    if (verdict == LOOKUP_INCOMPLETE)
        err_set(&flow->why, RC_UNKNOWN, -1, 0,
                "the answer to the start was lost, and the upstream cannot list its workflows "
                "completely");
}

static bool is_slow(const struct webhook_result *result)
{
    return result->kind == WEBHOOK_TIMED_OUT || result->status == GATEWAY_TIMEOUT ||
           result->status == REQUEST_TIMEOUT;
}

static void read_answer(struct flow *flow, const struct webhook_result *result,
                        struct flow_answer *ret)
{
    if (flow->step == STEP_FIND) {
        read_lookup(flow, result, ret);
        flow->is_looking = ret->meaning == FLOW_MORE;
        return;
    }
    ret->meaning = meaning_of(result);
    ret->is_doubtful = result->is_sent && result->status != TOO_MANY_REQUESTS;
    ret->is_slow = is_slow(result);
    if (flow->step == STEP_END && result->kind == WEBHOOK_ANSWERED &&
        result->status == NOT_FOUND)
        ret->meaning = FLOW_GONE;
    if (ret->meaning == FLOW_GOOD)
        read_good(flow, result, ret);
    if (ret->meaning != FLOW_GOOD)
        describe_failure(flow, result);
}

const struct flow_kind flow_conductor = {send_request, read_answer, false, OUTCOME_FAILED};
