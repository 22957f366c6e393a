/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each forwarded request is an exchange with the client and a call to the upstream; either side
 * may end first.
 */
#include "server/forward/forwarder.h"

#include <stdlib.h>
#include <string.h>

#include "api/call/api_dialect.h"
#include "api/call/error_reply.h"
#include "base/must.h"
#include "server/forward/forward_fields.h"
#include "server/forward/forward_path.h"
#include "server/forward/forwarder_parts.h"
#include "wire/grpc/grpc.h"

/* Bytes of an answer with a known length that is passed on as a whole, in one write. */
enum { WHOLE_MAX = 64 * 1024 };

enum { SPARES_MAX = 256 }; /* kept to save allocations */

/* ---- ends ---- */

/* The classes of HTTP statuses, for the counters. */
static int http_status(enum grpc_status status)
{
    switch (status) {
    case GRPC_OK:
        return 200;
    case GRPC_UNKNOWN:
    case GRPC_INTERNAL:
    case GRPC_UNAVAILABLE:
    case GRPC_DATA_LOSS:
    case GRPC_DEADLINE_EXCEEDED:
        return 500;
    default:
        return 400;
    }
}

/* The exchange has ended, or does not belong to the forwarder any more. */
static void forward_end(struct forward *f, int status)
{
    struct forwarder *forwarder = f->forwarder;

    if (f->call)
        http_call_cancel(f->call);
    f->before->after = f->after;
    f->after->before = f->before;
    forwarder->count--;
    forwarder->bodies -= f->body_len;
    forwarder->options.on_answered(forwarder->options.arg, f->operation, status);
    free(f->pending);
    if (forwarder->spares == SPARES_MAX) {
        free(f);
        return;
    }
    f->after = forwarder->spare;
    forwarder->spare = f;
    forwarder->spares++;
}

static struct forward *forward_new(struct forwarder *forwarder)
{
    struct forward *f = forwarder->spare;

    if (f) {
        forwarder->spare = f->after;
        forwarder->spares--;
    } else {
        f = malloc(sizeof *f);
        must(f != NULL);
    }
    memset(f, 0, offsetof(struct forward, head));
    f->forwarder = forwarder;
    f->length = -1;
    return f;
}

static void cut(struct forward *f)
{
    struct exchange *x = f->x;

    exchange_watch(x, NULL, NULL);
    forward_end(f, 500);
    exchange_cut(x);
}

static bool is_grpc(const struct forward *f)
{
    return api_dialects[f->operation->dialect].is_grpc;
}

/* Answers in place of the upstream; after a begun answer, in the trailers of gRPC. */
void forward_refuse(struct forward *f, int status, const char *code, const char *text)
{
    struct exchange *x = f->x;
    struct problem problem = {.request_id = arena_str(exchange_arena(x), f->request_id),
                              .status = status,
                              .code = code,
                              .detail = text,
                              .at = -1};
    char *room = arena_take(exchange_arena(x), ERROR_REPLY_BYTES_MAX);
    struct error_reply reply = error_reply_of(f->operation->dialect, &problem, room);
    struct http1_field *fields = arena_array(exchange_arena(x), ERROR_REPLY_FIELDS_MAX + 1,
                                             sizeof *fields);
    bool has_begun = f->has_begun;
    int plain_status = is_grpc(f) ? 200 : reply.status;

    if (has_begun && !is_grpc(f)) {
        cut(f);
        return;
    }
    fields[0] = (struct http1_field){STR("Content-Type"), str_of(reply.content_type)};
    memcpy(fields + 1, reply.fields, (size_t)reply.field_count * sizeof *fields);
    exchange_watch(x, NULL, NULL);
    forward_end(f, status);
    if (has_begun) {
        exchange_set_trailers(x, fields + 1, reply.field_count);
        exchange_end(x);
    } else {
        exchange_answer(x, plain_status, fields, reply.field_count + 1, reply.body);
    }
}

enum grpc_status forward_find_status(const struct http1_field *fields, int count)
{
    for (int i = 0; i < count; i++)
        if (str_eq(fields[i].name, STR("grpc-status")))
            return grpc_status_read(fields[i].value);
    return GRPC_UNKNOWN;
}

static void begin_answer(struct forward *f)
{
    f->has_begun = true;
    if (f->length >= 0)
        exchange_begin_sized(f->x, f->status, f->head, f->head_count, f->length);
    else
        exchange_begin(f->x, f->status, f->head, f->head_count);
}

/* An answer to HEAD only announces a length. */
static void complete_plain(struct forward *f)
{
    struct exchange *x = f->x;
    struct str body = {f->whole, f->whole ? f->received : 0};
    int status = f->status;

    exchange_watch(x, NULL, NULL);
    if (!f->has_begun && x->is_head && status != 204 && status != 304)
        begin_answer(f);
    if (f->has_begun)
        exchange_end(x);
    else
        exchange_answer(x, status, f->head, f->head_count, body);
    forward_end(f, status);
}

/* All of the answer has been passed on. */
static void complete_grpc(struct forward *f)
{
    struct exchange *x = f->x;
    enum grpc_status status = f->trailer_count > 0
                                  ? forward_find_status(f->trailers, f->trailer_count)
                                  : forward_find_status(f->head, f->head_count);

    exchange_watch(x, NULL, NULL);
    if (f->has_begun || f->trailer_count > 0) {
        if (!f->has_begun)
            exchange_begin(x, f->status, f->head, f->head_count);
        exchange_set_trailers(x, f->trailers, f->trailer_count);
        exchange_end(x); /* copies the trailers */
    } else {
        exchange_answer(x, f->status, f->head, f->head_count, STR(""));
    }
    forward_end(f, http_status(status));
}

static void complete(struct forward *f)
{
    if (is_grpc(f))
        complete_grpc(f);
    else
        complete_plain(f);
}

/* ---- the upstream's answer ---- */

bool forwarder_permits(const struct forwarder *forwarder, int64_t namespace,
                       const struct address *address)
{
    const struct forwarder_options *options = &forwarder->options;
    const struct dispatch_settings *settings = options->settings(options->arg, namespace);
    const struct address_policy server = {
        .allows_loopback = options->allow_loopback,
        .allows_private = options->allow_private,
        .deny = options->self_nets,
        .deny_count = options->self_net_count,
    };
    struct address_policy policy;

    if (!settings)
        return false;
    policy = dispatch_settings_policy(settings, &server);
    return address_policy_permits(&policy, address);
}

bool forward_permits(void *arg, const struct address *address)
{
    const struct forward *f = arg;

    return forwarder_permits(f->forwarder, f->namespace, address);
}

static void on_head(void *arg, int status, const struct http1_field *fields, int count)
{
    struct forward *f = arg;

    f->status = status;
    f->head_count = forward_fields_answer(fields, count, exchange_is_h2(f->x),
                                          exchange_arena(f->x), f->head, EXCHANGE_FIELDS_MAX);
    f->length = is_grpc(f) ? -1 : forward_fields_length(fields, count);
    if (f->head_count < 0)
        forward_refuse(f, 502, "unavailable", "the upstream sent too many header fields");
    else if (f->length > 0 && f->length <= WHOLE_MAX && !f->x->is_head)
        f->whole = arena_take_raw(exchange_arena(f->x), (size_t)f->length);
}

/* Passes pieces on until the client is too slow; returns the number of bytes. */
static size_t pass_on(struct forward *f, struct str data)
{
    size_t done = 0;

    while (done < data.len) {
        size_t n = data.len - done < EXCHANGE_WRITE_MAX ? data.len - done : EXCHANGE_WRITE_MAX;

        if (!exchange_write(f->x, (struct str){data.ptr + done, n}))
            break;
        done += n;
    }
    return done;
}

void forward_keep(struct forward *f, struct str data)
{
    if (!f->pending) {
        f->pending = malloc(HTTP_CLIENT_WINDOW);
        must(f->pending != NULL);
        f->pending_at = f->pending_len = 0;
    }
    if (f->pending_at > 0) {
        memmove(f->pending, f->pending + f->pending_at, f->pending_len);
        f->pending_at = 0;
    }
    must(f->pending_len + data.len <= HTTP_CLIENT_WINDOW); /* no more was consumed */
    memcpy(f->pending + f->pending_len, data.ptr, data.len);
    f->pending_len += data.len;
}

static void on_data(void *arg, struct str data)
{
    struct forward *f = arg;
    size_t done;

    f->received += data.len;
    if (f->received > FORWARDER_ANSWER_MAX) {
        cut(f);
        return;
    }
    if (f->whole) {
        memcpy(f->whole + f->received - data.len, data.ptr, data.len);
        http_call_consume(f->call, data.len);
        return;
    }
    if (!f->has_begun)
        begin_answer(f);
    done = f->pending_len == 0 ? pass_on(f, data) : 0;
    if (done < data.len)
        forward_keep(f, str_from(data, done));
    http_call_consume(f->call, done);
}

static void on_room(void *arg, struct exchange *x)
{
    struct forward *f = arg;
    size_t done = pass_on(f, (struct str){f->pending + f->pending_at, f->pending_len});

    (void)x;
    f->pending_at += done;
    f->pending_len -= done;
    if (f->call)
        http_call_consume(f->call, done);
    if (f->pending_len > 0)
        return;
    free(f->pending);
    f->pending = NULL;
    if (f->is_ended)
        complete(f);
}

void forward_fail(struct forward *f, const struct http_end *end)
{
    switch (end->kind) {
    case HTTP_END_LATE:
        forward_refuse(f, 504, "unavailable", end->text);
        break;
    case HTTP_END_DENIED:
        forward_refuse(
            f, is_grpc(f) ? 409 : 502, "bad_state",
            "the address of the upstream is not allowed; add it to allowNetworks of the "
            "namespace");
        break;
    case HTTP_END_BROKEN: /* the upstream may have processed it: not to be repeated blindly */
        forward_refuse(f, is_grpc(f) ? 503 : 502, "unavailable", end->text);
        break;
    default:
        forward_refuse(f, 503, "unavailable", end->text);
    }
}

static void on_end(void *arg, const struct http_end *end)
{
    struct forward *f = arg;

    f->call = NULL;
    if (end->kind != HTTP_END_DONE) {
        forward_fail(f, end);
        return;
    }
    f->trailer_count = forward_fields_answer(end->trailers, end->trailer_count, true,
                                             exchange_arena(f->x), f->trailers,
                                             EXCHANGE_FIELDS_MAX);
    if (f->trailer_count < 0) {
        cut(f);
        return;
    }
    f->is_ended = true;
    if (f->pending_len == 0)
        complete(f);
}

/* ---- the client's request ---- */

static void on_gone(void *arg, struct exchange *x)
{
    (void)x;
    cut(arg);
}

static void on_body(void *arg, struct exchange *x)
{
    struct forward *f = arg;

    if (x->body_error != 0)
        forward_refuse(f, x->body_error, x->body_error == 413 ? "limit" : "invalid_field",
                       x->body_why);
    else if (f->call)
        http_call_push(f->call);
}

static size_t on_pull(void *arg, char *room, size_t len, bool *ret_is_end)
{
    struct forward *f = arg;
    size_t n = exchange_take_body(f->x, room, len);

    *ret_is_end = !f->x->is_body_open && f->x->body.len == 0;
    return n;
}

static const struct exchange_watch client_watch = {
    .on_gone = on_gone, .on_body = on_body, .on_room = on_room};
static const struct http_watch upstream_watch = {forward_permits, on_head, on_data, on_pull,
                                                 on_end};

static struct str frame_of(struct exchange *x, struct str message)
{
    struct buf out = {.cap = GRPC_PREFIX + message.len + 1};

    if (message.ptr == x->body.ptr + GRPC_PREFIX)
        return x->body;
    out.ptr = arena_take_raw(exchange_arena(x), out.cap);
    grpc_prefix(message.len, &out);
    buf_str(&out, message);
    return buf_as_str(&out);
}

static span time_of(const struct http1_request *request)
{
    struct str text;
    span within;

    if (http1_find(request, STR("grpc-timeout"), &text) && grpc_timeout(text, &within))
        return within > 0 ? within : 1;
    return FORWARDER_TIME_MAX;
}

struct http_target forwarder_target(const struct upstream_settings *upstream, int lane)
{
    return (struct http_target){.url = upstream->url,
                                .ca = upstream->tls.ca,
                                .cert = upstream->tls.cert,
                                .key = upstream->tls.key,
                                .server_name = upstream->tls.server_name,
                                .lane = lane};
}

static void prepare_grpc(struct forward *f, const struct forward_order *order)
{
    f->request.method = STR("POST");
    f->request.path = str_of(order->operation->path);
    f->request.body = frame_of(f->x, order->message);
    f->request.within = time_of(f->x->request);
}

/* The body may still arrive. */
static void prepare_plain(struct forward *f)
{
    const struct http1_request *from = f->x->request;
    struct str base;

    forward_path_split(f->target.url, &f->target.url, &base);
    f->target.is_http1 = true;
    f->request.method = from->method;
    f->request.path = forward_path(from, base, exchange_arena(f->x));
    f->request.body = f->x->body;
    f->request.has_stream = f->x->is_body_open;
    f->request.length = from->is_chunked ? -1 : from->length;
    f->request.within = FORWARDER_TIME_MAX;
    exchange_set_verbatim(f->x);
}

void forward_send(struct forward *f)
{
    f->call = http_client_call(f->forwarder->client, &f->request, &upstream_watch, f);
}

static void call_upstream(struct forward *f, const struct forward_order *order)
{
    struct arena *arena = exchange_arena(f->x);
    struct http1_field *fields = arena_array(arena, HTTP_CLIENT_FIELDS_MAX, sizeof *fields);

    f->target = forwarder_target(order->upstream,
                                 order->operation->is_poll ? LANE_POLLS : LANE_SHORT);
    f->request = (struct http_request){.target = &f->target, .fields = fields};
    f->request.field_count = forward_fields_request(
        f->x->request,
        &(struct forward_rules){order->upstream, order->keeps_credentials, is_grpc(f)}, arena,
        fields, HTTP_CLIENT_FIELDS_MAX);
    if (f->request.field_count < 0) {
        forward_refuse(f, 400, "limit", "the request has too many header fields");
        return;
    }
    if (is_grpc(f))
        prepare_grpc(f, order);
    else
        prepare_plain(f);
    if (order->operation->token_field > 0 && !order->caller->is_everywhere)
        forward_check_token(f, order);
    else
        forward_send(f);
}

void forwarder_start(struct forwarder *forwarder, const struct forward_order *order)
{
    struct forward *f = forward_new(forwarder);

    f->x = order->x;
    f->operation = order->operation;
    f->caller = *order->caller;
    f->request_id = arena_str(exchange_arena(f->x), order->request_id);
    f->namespace = order->namespace;
    f->body_len = order->message.len;
    f->before = forwarder->all.before;
    f->after = &forwarder->all;
    f->caller.name = f->caller.namespace = (struct str){0};
    f->before->after = f->after->before = f;
    forwarder->count++;
    forwarder->bodies += f->body_len;
    exchange_watch(f->x, &client_watch, f);
    if (forwarder->count > FORWARDER_REQUESTS_MAX || forwarder->bodies > FORWARDER_BODIES_MAX)
        forward_refuse(f, 503, "unavailable",
                       "too many requests wait for upstreams; retry later");
    else
        call_upstream(f, order);
}

/* ---- many at a time ---- */

void forwarder_end_polls(struct forwarder *forwarder, const char *why)
{
    for (struct forward *f = forwarder->all.after, *after; f != &forwarder->all; f = after) {
        after = f->after;
        if (f->operation->is_poll)
            forward_refuse(f, 503, "unavailable", why);
    }
}

void forwarder_end_denied(struct forwarder *forwarder, forwarder_denial_fn *denial_of,
                          void *arg)
{
    for (struct forward *f = forwarder->all.after, *after; f != &forwarder->all; f = after) {
        const char *why = denial_of(arg, &f->caller);

        after = f->after;
        if (why)
            forward_refuse(f, 401, "unauthorized", why);
    }
}

void forwarder_abandon(struct forwarder *forwarder)
{
    while (forwarder->all.after != &forwarder->all)
        cut(forwarder->all.after);
}

struct forwarder *forwarder_open(const struct forwarder_options *options)
{
    struct forwarder *forwarder = calloc(1, sizeof *forwarder);

    must(forwarder != NULL);
    forwarder->options = *options;
    forwarder->all.before = forwarder->all.after = &forwarder->all;
    forwarder->client = http_client_new(loop_uv(options->loop), options->ca_file);
    forwarder->ids = namespace_ids_new();
    return forwarder;
}

static void on_client_closed(void *arg)
{
    struct forwarder *forwarder = arg;
    void (*on_closed)(void *arg) = forwarder->on_closed;
    void *closed_arg = forwarder->arg;

    while (forwarder->spare) {
        struct forward *f = forwarder->spare;

        forwarder->spare = f->after;
        free(f);
    }
    namespace_ids_free(forwarder->ids);
    free(forwarder);
    on_closed(closed_arg);
}

void forwarder_close(struct forwarder *forwarder, void (*on_closed)(void *arg), void *arg)
{
    must(forwarder->count == 0 && forwarder->asks == 0);
    forwarder->on_closed = on_closed;
    forwarder->arg = arg;
    http_client_close(forwarder->client, on_client_closed, forwarder);
}
