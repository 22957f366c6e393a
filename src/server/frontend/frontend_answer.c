/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes answers: the fields of the operation and those of every answer.
 */
#include "server/frontend/frontend_parts.h"

#include <string.h>

#include "api/call/api_dialect.h"
#include "api/call/error_reply.h"

enum {
    OWN_FIELDS = 7,   /* fields of every answer            */
    NUMBER_MAX = 24,  /* bytes of a printed number         */
    DETAIL_MAX = 160, /* bytes of the detail of a timeout  */
};

static void set_number(struct http1_field *field, struct str name, int64_t n,
                       struct arena *arena)
{
    struct buf text = arena_buf(arena, NUMBER_MAX);

    buf_int(&text, n);
    *field = (struct http1_field){name, buf_as_str(&text)};
}

/* Answers are not stored by caches, except those that say otherwise. */
static bool has_cache_control(const struct call *call)
{
    for (int i = 0; i < call->field_count; i++)
        if (str_eq(call->fields[i].name, STR("Cache-Control")))
            return true;
    return false;
}

void frontend_write_answer(struct frontend *frontend, struct exchange *x,
                           const struct ticket *t)
{
    const struct call *call = &t->call;
    struct http1_field fields[CALL_FIELDS_MAX + OWN_FIELDS];
    bool is_rpc = api_dialects[call->dialect].is_grpc;
    int n = 0;

    if (call->content_type)
        fields[n++] = (struct http1_field){STR("Content-Type"), str_of(call->content_type)};
    if (!is_rpc && !has_cache_control(call))
        fields[n++] = (struct http1_field){STR("Cache-Control"), STR("no-store")};
    if (!is_rpc)
        fields[n++] = (struct http1_field){STR("X-Content-Type-Options"), STR("nosniff")};
    if (call->request_id.len > 0)
        fields[n++] = (struct http1_field){STR("X-Request-Id"), call->request_id};
    if (t->limit.most > 0) {
        set_number(&fields[n++], STR("X-RateLimit-Limit"), t->limit.most, call->arena);
        set_number(&fields[n++], STR("X-RateLimit-Remaining"), t->limit.left, call->arena);
        set_number(&fields[n++], STR("X-RateLimit-Reset"), t->limit.reset_s, call->arena);
    }
    for (int i = 0; i < call->field_count; i++)
        fields[n++] = call->fields[i];
    counters_request(frontend->options.counters, call, call->status);
    if (is_rpc)
        frontend_rpc_end(x, call->status);
    exchange_answer(x, is_rpc ? 200 : call->status, fields, n, call->answer);
}

void frontend_give_up(struct frontend *frontend, struct ticket *t,
                      const struct problem *problem)
{
    struct exchange *x = t->x;
    char text[ERROR_REPLY_BYTES_MAX];
    struct problem copy = *problem;
    struct error_reply reply;
    struct http1_field fields[ERROR_REPLY_FIELDS_MAX + 1] = {{STR("Content-Type"), {NULL, 0}}};

    copy.node = frontend->options.context.node;
    reply = error_reply_of(t->call.dialect, &copy, text);
    fields[0].value = str_of(reply.content_type);
    memcpy(fields + 1, reply.fields, sizeof reply.fields);
    t->x = NULL;
    atomic_store(&t->is_abandoned, true);
    exchange_watch(x, NULL, NULL);
    counters_request(frontend->options.counters, &t->call, reply.status);
    if (api_dialects[t->call.dialect].is_grpc)
        reply.status = 200;
    exchange_answer(x, reply.status, fields, reply.field_count + 1, reply.body);
}

/* Advice for a client whose request has an unknown result, in the terms of its API. */
static const char *retry_advice(const struct ticket *t)
{
    if (!api_dialects[t->call.dialect].is_grpc)
        return "check it, or retry with the same Idempotency-Key";
    /* Not every gRPC call has a request_id. */
    return t->has_key ? "check it, or retry with the same request_id" : "check it";
}

/* gRPC clients may set a deadline.  If it has passed, the database is not to blame. */
void frontend_give_up_late(struct frontend *frontend, struct ticket *t)
{
    bool is_read = t->sent_for == CALL_READ || t->sent_for == CALL_POLL ||
                   t->sent_for == CALL_BEGIN;
    char detail[DETAIL_MAX];
    struct buf out = BUF(detail);

    buf_text(&out, t->has_client_deadline ? "the deadline of the request has passed"
                                          : "the database did not answer in time");
    if (!is_read)
        buf_printf(&out, "; the result is unknown: %s", retry_advice(t));
    frontend_give_up(frontend, t,
                     &(struct problem){
                         .request_id = t->call.request_id,
                         .status = t->has_client_deadline ? 504 : 503,
                         .code = is_read ? "unavailable" : "unknown_result",
                         .detail = detail,
                         .at = -1,
                     });
}

const char *frontend_print_problem(const struct http1_request *request,
                                   const struct problem *problem, struct buf *out)
{
    enum dialects dialect = operation_dialect(NULL, request);
    char room[ERROR_REPLY_BYTES_MAX];
    struct error_reply reply;

    /* An error of gRPC is in header fields, and only the body is printed here. */
    if (api_dialects[dialect].is_grpc)
        dialect = DIALECTS_NATIVE;
    reply = error_reply_of(dialect, problem, room);
    buf_str(out, reply.body);
    return reply.content_type;
}
