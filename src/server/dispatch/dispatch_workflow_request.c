/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of requests to an upstream that all kinds of upstreams share.
 */
#include "io/clock.h"
#include "server/dispatch/dispatch_workflow_parts.h"

struct str flow_input(struct dispatch *dispatch)
{
    struct payload payload = dispatch_payload(dispatch);
    struct buf input = arena_buf(dispatch->arena,
                                 payload_room(&payload, (struct str){0}, (struct str){0}));

    payload_print_workflow(&payload, &input);
    return buf_whole(&input);
}

struct webhook_request upstream_request(const struct upstream_settings *upstream,
                                        const struct flow_limits *limits,
                                        const struct address_policy *policy,
                                        struct arena *arena)
{
    const struct pairs *from = &upstream->headers;
    struct webhook_header *headers = arena_array(arena, (size_t)from->count, sizeof *headers);

    for (int i = 0; i < from->count; i++)
        headers[i] = (struct webhook_header){from->list[i].name, from->list[i].value};
    return (struct webhook_request){
        .method = STR("GET"),
        .headers = headers,
        .header_count = from->count,
        .connect_us = limits->connect,
        .first_byte_us = limits->request,
        .total_us = limits->request,
        .send_by_us = clock_boot_us() + limits->request,
        .keep_bytes = WEBHOOK_ANSWER_MAX,
        .tls = {.ca = upstream->tls.ca,
                .cert = upstream->tls.cert,
                .key = upstream->tls.key,
                .server_name = upstream->tls.server_name},
        .policy = policy,
    };
}

struct webhook_request flow_request(const struct flow *flow,
                                    const struct upstream_settings *upstream,
                                    const struct address_policy *policy)
{
    struct webhook_request request = upstream_request(upstream, flow->limits, policy,
                                                      flow->scratch);

    request.id = flow->dispatch->id;
    if (flow->step == STEP_START && !flow->was_tried)
        request.send_by_us = flow->dispatch->order->send_by_us;
    return request;
}
