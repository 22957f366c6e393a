/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The requests to an upstream, one for each step of an errand.
 */
#include "base/must.h"
#include "daemon/call_flow_parts.h"
#include "io/clock.h"

enum { HEADERS_MAX = 2 }; /* of ours */

static bool has_header(const struct settings_upstream *upstream, struct str name)
{
    for (int i = 0; i < upstream->header_count; i++)
        if (str_eq_nocase(upstream->headers[i].name, name))
            return true;
    return false;
}

static struct str make_input(struct errand *errand)
{
    struct payload payload = errand_payload(errand);
    struct buf input = {.cap = payload_room(&payload, (struct str){0}, (struct str){0})};

    input.ptr = arena_take(errand->arena, input.cap);
    payload_print_workflow(&payload, &input);
    must(!input.cut);
    return buf_as_str(&input);
}

void flow_make_start(struct flow *flow)
{
    struct errand *errand = flow->errand;
    const struct workflow_action *action = &errand->action.workflow;
    struct str run = errand->task->work.id;
    struct flow_start *start = &flow->start;

    start->name = action->name;
    start->version = action->version;
    start->schedule = errand->task->work.name;
    start->more = action->conductor;
    start->correlation_id = action->correlation_id.len > 0 ? action->correlation_id : run;
    start->key = flow_key(run, &flow->progress, errand->arena);
    if (start->input.len == 0)
        start->input = make_input(errand);
}

static void fill_request(struct flow *flow, struct str url, struct webhook_request *request)
{
    struct str id = flow->progress.id;

    switch (flow->step) {
    case STEP_START:
        request->method = STR("POST");
        request->url = flow_url_start(url, flow->scratch);
        request->has_body = true;
        request->body = flow_start_body(&flow->start, flow->scratch);
        request->is_once = flow->errand->task->is_once;
        if (!flow->is_answered)
            request->send_by_us = flow->errand->task->send_by_us;
        break;
    case STEP_FIND:
        request->url = flow_url_find(url, &flow->start, flow->scratch);
        break;
    case STEP_FOLLOW:
    case STEP_CHECK:
        request->url = flow_url_get(url, id, flow->scratch);
        break;
    case STEP_END:
        request->method = STR("DELETE");
        request->url = flow_url_end(url, id,
                                    flow->is_late ? STR(FLOW_OUR_END "its time was over")
                                                  : STR(FLOW_OUR_END "the run was cancelled"),
                                    flow->scratch);
        break;
    }
}

enum rc flow_ask(struct flow *flow, const struct settings_upstream *upstream,
                 webhook_done *done)
{
    struct errand *errand = flow->errand;
    struct guard_policy guard = errand_guard(errand);
    struct webhook_header extra[HEADERS_MAX];
    struct webhook_request request = {
        .id = errand->id,
        .method = STR("GET"),
        .headers = upstream->headers,
        .header_count = upstream->header_count,
        .extra = extra,
        .connect_us = flow->limits->connect,
        .first_byte_us = flow->limits->request,
        .total_us = flow->limits->request,
        .send_by_us = clock_boot_us() + flow->limits->request,
        .keep_bytes = WEBHOOK_ANSWER_MAX,
        .guard = &guard,
    };

    fill_request(flow, upstream->url, &request);
    if (request.has_body && !has_header(upstream, STR("content-type")))
        extra[request.extra_count++] = (struct webhook_header){STR("Content-Type"),
                                                               STR("application/json")};
    if (request.has_body && !has_header(upstream, STR("idempotency-key")))
        extra[request.extra_count++] = (struct webhook_header){STR("Idempotency-Key"),
                                                               flow->start.key};
    return webhook_start(errand->calls->upstream, &request, done, flow, &flow->why);
}
