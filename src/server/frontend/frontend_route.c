/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the head of a request decides: its operation, how long its body may be, and whether the
 * body is streamed to an upstream.
 */
#include "api/call/api_dialect.h"
#include "server/frontend/frontend_parts.h"
#include "wire/grpc/grpc.h"

enum { UNKNOWN_BODY_MAX = 64 * 1024 }; /* body limit of unknown paths, which get a 404 */

static int64_t limit_of(const struct operation *op)
{
    return operation_body_max(op) + (api_dialects[op->dialect].is_grpc ? GRPC_PREFIX : 0);
}

int64_t frontend_body_max(void *arg, const struct http1_request *request)
{
    struct str params[CALL_PARAMS_MAX];
    struct frontend *frontend = arg;
    const struct operation *op, *forwarded;
    int64_t max;

    arena_reset(frontend->scratch);
    op = operation_find(request, frontend->scratch, params, NULL, NULL);
    forwarded = frontend_forward_find(frontend, request);
    frontend->matched_request = request;
    frontend->matched_operation = op;
    frontend->matched_forwarded = forwarded;
    if (!op && !forwarded)
        return UNKNOWN_BODY_MAX;
    max = op ? limit_of(op) : 0;
    return forwarded && limit_of(forwarded) > max ? limit_of(forwarded) : max;
}

/* The message of gRPC must be complete, because it names the namespace. */
bool frontend_streams_body(void *arg, const struct http1_request *request)
{
    const struct frontend *frontend = arg;
    const struct operation *forwarded = frontend->matched_request == request
                                            ? frontend->matched_forwarded
                                            : frontend_forward_find(frontend, request);

    return forwarded && !api_dialects[forwarded->dialect].is_grpc;
}

/* Reuses the lookup of frontend_body_max() for the same request. */
void frontend_find_operation(struct frontend *frontend, struct ticket *t,
                             const struct http1_request *request, int *ret_status,
                             struct str *ret_allow)
{
    struct call *call = &t->call;
    bool is_matched = frontend->matched_request == request;
    const struct operation *forwarded = is_matched ? frontend->matched_forwarded
                                                   : frontend_forward_find(frontend, request);

    if (is_matched && frontend->matched_operation) {
        call->operation = frontend->matched_operation;
        operation_params(call->operation, request, call->arena, call->params);
    } else if (!is_matched || !forwarded) {
        call->operation = operation_find(request, call->arena, call->params, ret_status,
                                         forwarded ? NULL : ret_allow);
    }
    frontend->matched_request = NULL;
    if (!forwarded)
        return;
    t->fallback = call->operation;
    call->operation = forwarded;
}

enum call_step frontend_unknown_path(struct call *call, const struct http1_request *request)
{
    const struct api_dialect *api = &api_dialects[call->dialect];

    if (!api->forwarded || !api->forwarded(request))
        return call_problem(call, 404, "not_found", "unknown path \"%.*s\"",
                            STR_ARG(request->target));
    return call_problem(call, 404, "not_found",
                        "unknown path \"%.*s\"; Belfry forwards it if the namespace has an "
                        "upstream of type %s: see upstreams in its settings",
                        STR_ARG(request->target), api->upstream_name);
}
