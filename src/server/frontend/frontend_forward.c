/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests that an upstream of their namespace answers, after admission and rights; without an
 * upstream Belfry answers some of them itself.
 */
#include "api/call/api_dialect.h"
#include "server/frontend/frontend_parts.h"

/* Other protocols than gRPC only if there is an upstream: Belfry has answers of its own. */
const struct operation *frontend_forward_find(const struct frontend *frontend,
                                              const struct http1_request *request)
{
    const struct api_dialect *api = &api_dialects[operation_dialect(NULL, request)];

    if (!api->forwarded ||
        (!api->is_grpc && !namespace_cache_has_upstream(frontend->namespaces, api->upstream)))
        return NULL;
    return api->forwarded(request);
}

bool frontend_forward_use_own(struct ticket *t)
{
    struct call *call = &t->call;

    call->operation = t->fallback;
    call->denied = 0;
    call->field_count = 0;
    t->fallback = NULL;
    return true;
}

/* The upstream for the call, and the namespace whose settings have it. */
static const struct upstream_settings *find_upstream(const struct frontend *frontend,
                                                     const struct call *call,
                                                     int64_t *ret_namespace)
{
    const struct namespace_entry *entry = namespace_cache_at(frontend->namespaces,
                                                             call->namespace);
    enum upstream_type type = api_dialects[call->dialect].upstream;
    const struct upstream_settings *upstream = NULL;

    if (entry)
        upstream = upstream_of_type(&entry->settings.plain, type);
    if (!upstream && call->operation->namespace_field < 0 && call->caller.is_everywhere) {
        entry = namespace_cache_only_upstream(frontend->namespaces, type);
        upstream = entry ? upstream_of_type(&entry->settings.plain, type) : NULL;
    }
    if (upstream)
        *ret_namespace = entry->id;
    return upstream;
}

/* Conductor has no namespaces. */
static bool has_other_name(const struct call *call, const struct upstream_settings *upstream)
{
    return upstream->type == UPSTREAM_TEMPORAL && call->operation->namespace_field >= 0 &&
           !str_eq(upstream->namespace, call->namespace_name);
}

/* Returns false after it has set the answer. */
static bool check_upstream(const struct frontend *frontend, struct call *call,
                           const struct upstream_settings *upstream)
{
    const struct api_dialect *api = &api_dialects[call->dialect];

    if (!upstream)
        call_problem(call, api->is_grpc ? 501 : 404, "not_found",
                     "not implemented by Belfry: the namespace \"%.*s\" needs an upstream of "
                     "type %s; see upstreams in its settings",
                     STR_ARG(call->namespace_name), api->upstream_name);
    else if (has_other_name(call, upstream))
        call_problem(call, 409, "bad_state",
                     "the namespace is called \"%.*s\" at the upstream; requests are "
                     "forwarded only if both names are equal",
                     STR_ARG(upstream->namespace));
    else if (frontend->closing && call->operation->is_poll)
        call_problem(call, 503, "unavailable", "%s", frontend->closing);
    else
        return true;
    return false;
}

/* Belfry answers itself, as soon as it has the whole body.  True: the ticket has ended. */
static bool fall_back(struct frontend *frontend, struct ticket *t)
{
    struct exchange *x = t->x;

    if (x->is_body_open) {
        t->x = NULL;
        frontend_ticket_end(frontend, t);
        exchange_collect(x);
        return true;
    }
    frontend_forward_use_own(t);
    t->message = api_dialects[t->call.dialect].is_grpc ? t->message : x->body;
    t->step = call_begin(&t->call, x->request, t->message);
    return false;
}

bool frontend_forward(struct frontend *frontend, struct ticket *t)
{
    struct call *call = &t->call;
    int64_t namespace = 0;
    const struct upstream_settings *upstream = find_upstream(frontend, call, &namespace);

    if (!upstream && t->fallback)
        return fall_back(frontend, t);
    if (!check_upstream(frontend, call, upstream)) {
        t->step = CALL_ANSWER;
        return false;
    }
    forwarder_start(frontend->forwarder,
                    &(struct forward_order){
                        .x = t->x,
                        .operation = call->operation,
                        .caller = &call->caller,
                        .request_id = call->request_id,
                        .namespace = namespace,
                        .namespace_name = call->namespace_name,
                        .upstream = upstream,
                        .message = t->message,
                        .keeps_credentials = !admission_has_tokens(frontend->admission),
                    });
    t->x = NULL;
    frontend_ticket_end(frontend, t);
    return true;
}
