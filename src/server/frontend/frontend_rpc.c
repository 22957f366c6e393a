/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gRPC calls: a request with one frame as its body, and an answer with the status in the
 * trailers.  Only the API knows the messages.
 */
#include "server/frontend/frontend_parts.h"

#include "api/call/api_dialect.h"
#include "wire/grpc/grpc.h"
#include "wire/gunzip.h"

static bool is_grpc(const struct exchange *x)
{
    struct str type;

    return exchange_is_h2(x) && http1_find(x->request, STR("Content-Type"), &type) &&
           grpc_is_type(type);
}

bool frontend_rpc_check(struct ticket *t, const struct exchange *x, span max)
{
    struct call *call = &t->call;
    struct str text;
    span within;

    if (!api_dialects[call->dialect].is_grpc)
        return true;
    if (!is_grpc(x)) {
        call->dialect = DIALECTS_NATIVE; /* such a client does not read trailers */
        t->step = call_problem(call, 415, "invalid_field",
                               "this path requires gRPC: HTTP/2 with Content-Type "
                               "application/grpc");
        return false;
    }
    if (http1_find(x->request, STR("grpc-timeout"), &text) && grpc_timeout(text, &within) &&
        within < max) {
        t->deadline_us -= max - within;
        t->has_client_deadline = true;
    }
    if (call->operation)
        return true;
    t->step = call_problem(call, 501, "not_found", "unknown method %.*s",
                           STR_ARG(x->request->target));
    return false;
}

/* Decompresses the message of a frame; returns false if the call was rejected. */
static bool unzip(struct ticket *t, const struct exchange *x, struct str *message)
{
    struct call *call = &t->call;
    struct buf out = {.cap = (size_t)call->operation->body_max};
    struct str encoding = {0};

    http1_find(x->request, STR("grpc-encoding"), &encoding);
    if (!str_eq(encoding, STR("gzip")) && !str_eq(encoding, STR("deflate"))) {
        t->step = call_problem(call, 501, "invalid_field",
                               "unsupported grpc-encoding \"%.*s\"; use identity, gzip or "
                               "deflate",
                               STR_ARG(encoding));
        return false;
    }
    out.ptr = arena_take(call->arena, out.cap);
    switch (gunzip(*message, &out)) {
    case GUNZIP_BROKEN:
        t->step = call_problem(call, 400, "invalid_field", "message is not valid %.*s",
                               STR_ARG(encoding));
        return false;
    case GUNZIP_TOO_LARGE:
        t->step = call_problem(call, 413, "limit",
                               "message is too large; the limit is %d bytes",
                               (int)call->operation->body_max);
        return false;
    case GUNZIP_DONE:
        break;
    }
    *message = buf_as_str(&out);
    return true;
}

bool frontend_rpc_open(struct ticket *t, const struct exchange *x, struct str *ret)
{
    bool is_compressed;
    struct err err;

    if (!api_dialects[t->call.dialect].is_grpc)
        return true;
    if (grpc_unframe(x->body, &is_compressed, ret, &err) != RC_OK) {
        t->step = call_refuse(&t->call, "invalid_field", &err);
        return false;
    }
    return !is_compressed || unzip(t, x, ret);
}

/* An error has no body; its fields contain the status and end the answer. */
void frontend_rpc_end(struct exchange *x, int status)
{
    static const struct http1_field done = {{"grpc-status", 11}, {"0", 1}};

    if (status == 200)
        exchange_set_trailers(x, &done, 1);
}
