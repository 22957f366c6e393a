/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each forwarded request is an exchange with the client and a call to the upstream; either side
 * may end first.
 */
#include "server/forward/forwarder.h"

#include <stdlib.h>
#include <string.h>

#include "api/call/error_reply.h"
#include "base/must.h"
#include "server/forward/forward_fields.h"
#include "server/forward/forwarder_parts.h"
#include "wire/grpc/grpc.h"

/* Everything that it points to is in the arena of the exchange, which outlives it. */
struct forward {
    struct forward *before, *after;
    struct forwarder *forwarder;
    struct exchange *x;
    struct h2_call *call; /* NULL once it has ended */
    const struct operation *operation;
    struct caller caller;
    struct str request_id;
    int64_t namespace;
    size_t body_len;

    int status; /* of the upstream's head; 0: none yet */
    struct http1_field head[EXCHANGE_FIELDS_MAX];
    int head_count;
    bool has_begun; /* the head was sent to the client */
    bool is_ended;  /* the answer is complete, but the client has not accepted all of it */
    struct http1_field trailers[EXCHANGE_FIELDS_MAX];
    int trailer_count;
    size_t received;
    char *pending; /* H2_CLIENT_WINDOW bytes that the client has not accepted; NULL: none */
    size_t pending_at, pending_len;
};

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
        h2_call_cancel(f->call);
    f->before->after = f->after;
    f->after->before = f->before;
    forwarder->count--;
    forwarder->bodies -= f->body_len;
    forwarder->options.on_answered(forwarder->options.arg, f->operation, status);
    free(f->pending);
    free(f);
}

static void cut(struct forward *f)
{
    struct exchange *x = f->x;

    exchange_watch(x, NULL, NULL);
    forward_end(f, 500);
    exchange_cut(x);
}

/* Answers in place of the upstream; after a begun answer, in its trailers. */
static void refuse(struct forward *f, int status, const char *code, const char *text)
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

    fields[0] = (struct http1_field){STR("Content-Type"), str_of(reply.content_type)};
    memcpy(fields + 1, reply.fields, (size_t)reply.field_count * sizeof *fields);
    exchange_watch(x, NULL, NULL);
    forward_end(f, status);
    if (has_begun) {
        exchange_set_trailers(x, fields + 1, reply.field_count);
        exchange_end(x);
    } else {
        exchange_answer(x, 200, fields, reply.field_count + 1, reply.body);
    }
}

static enum grpc_status find_status(const struct http1_field *fields, int count)
{
    for (int i = 0; i < count; i++)
        if (str_eq(fields[i].name, STR("grpc-status")))
            return grpc_status_read(fields[i].value);
    return GRPC_UNKNOWN;
}

/* All of the answer has been passed on. */
static void complete(struct forward *f)
{
    struct exchange *x = f->x;
    enum grpc_status status = f->trailer_count > 0 ? find_status(f->trailers, f->trailer_count)
                                                   : find_status(f->head, f->head_count);

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

static bool permits(void *arg, const struct address *address)
{
    const struct forward *f = arg;

    return forwarder_permits(f->forwarder, f->namespace, address);
}

static void on_head(void *arg, int status, const struct http1_field *fields, int count)
{
    struct forward *f = arg;

    f->status = status;
    f->head_count = forward_fields_answer(fields, count, exchange_arena(f->x), f->head,
                                          EXCHANGE_FIELDS_MAX);
    if (f->head_count < 0)
        refuse(f, 502, "unavailable", "the upstream sent too many header fields");
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

static void keep_pending(struct forward *f, struct str data)
{
    if (!f->pending) {
        f->pending = malloc(H2_CLIENT_WINDOW);
        must(f->pending != NULL);
        f->pending_at = f->pending_len = 0;
    }
    if (f->pending_at > 0) {
        memmove(f->pending, f->pending + f->pending_at, f->pending_len);
        f->pending_at = 0;
    }
    must(f->pending_len + data.len <= H2_CLIENT_WINDOW); /* no more was consumed */
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
    if (!f->has_begun) {
        f->has_begun = true;
        exchange_begin(f->x, f->status, f->head, f->head_count);
    }
    done = f->pending_len == 0 ? pass_on(f, data) : 0;
    if (done < data.len)
        keep_pending(f, str_from(data, done));
    h2_call_consume(f->call, done);
}

static void on_room(void *arg, struct exchange *x)
{
    struct forward *f = arg;
    size_t done = pass_on(f, (struct str){f->pending + f->pending_at, f->pending_len});

    (void)x;
    f->pending_at += done;
    f->pending_len -= done;
    if (f->call)
        h2_call_consume(f->call, done);
    if (f->pending_len > 0)
        return;
    free(f->pending);
    f->pending = NULL;
    if (f->is_ended)
        complete(f);
}

static void fail(struct forward *f, const struct h2_end *end)
{
    switch (end->kind) {
    case H2_END_LATE:
        refuse(f, 504, "unavailable", end->text);
        break;
    case H2_END_DENIED:
        refuse(f, 409, "bad_state",
               "the address of the upstream is not allowed; add it to allowNetworks of the "
               "namespace");
        break;
    default:
        refuse(f, 503, "unavailable", end->text);
    }
}

static void on_end(void *arg, const struct h2_end *end)
{
    struct forward *f = arg;

    f->call = NULL;
    if (end->kind != H2_END_DONE) {
        fail(f, end);
        return;
    }
    f->trailer_count = forward_fields_answer(end->trailers, end->trailer_count,
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

static const struct exchange_watch client_watch = {.on_gone = on_gone, .on_room = on_room};
static const struct h2_watch upstream_watch = {permits, on_head, on_data, on_end};

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

struct h2_target forwarder_target(const struct upstream_settings *upstream, int lane)
{
    return (struct h2_target){.url = upstream->url,
                              .ca = upstream->tls.ca,
                              .cert = upstream->tls.cert,
                              .key = upstream->tls.key,
                              .server_name = upstream->tls.server_name,
                              .lane = lane};
}

static void call_upstream(struct forward *f, const struct forward_order *order)
{
    const struct upstream_settings *upstream = order->upstream;
    struct exchange *x = f->x;
    struct http1_field *fields = arena_array(exchange_arena(x), H2_CLIENT_FIELDS_MAX,
                                             sizeof *fields);
    const struct h2_target target = forwarder_target(
        upstream, order->operation->is_poll ? LANE_POLLS : LANE_SHORT);
    int count = forward_fields_request(x->request, upstream, order->keeps_credentials,
                                       exchange_arena(x), fields, H2_CLIENT_FIELDS_MAX);

    if (count < 0) {
        refuse(f, 400, "limit", "the request has too many header fields");
        return;
    }
    f->call = h2_client_call(f->forwarder->client,
                             &(struct h2_request){
                                 .target = &target,
                                 .method = STR("POST"),
                                 .path = str_of(order->operation->path),
                                 .fields = fields,
                                 .field_count = count,
                                 .body = frame_of(x, order->message),
                                 .within = time_of(x->request),
                             },
                             &upstream_watch, f);
}

void forwarder_start(struct forwarder *forwarder, const struct forward_order *order)
{
    struct forward *f = calloc(1, sizeof *f);
    struct arena *arena = exchange_arena(order->x);

    must(f != NULL);
    *f = (struct forward){
        .forwarder = forwarder,
        .x = order->x,
        .operation = order->operation,
        .caller = *order->caller,
        .request_id = arena_str(arena, order->request_id),
        .namespace = order->namespace,
        .body_len = order->message.len,
        .before = forwarder->all->before,
        .after = forwarder->all,
    };
    f->caller.name = f->caller.namespace = (struct str){0};
    f->before->after = f->after->before = f;
    forwarder->count++;
    forwarder->bodies += f->body_len;
    exchange_watch(f->x, &client_watch, f);
    if (forwarder->count > FORWARDER_REQUESTS_MAX || forwarder->bodies > FORWARDER_BODIES_MAX)
        refuse(f, 503, "unavailable", "too many requests wait for upstreams; retry later");
    else
        call_upstream(f, order);
}

/* ---- many at a time ---- */

void forwarder_end_polls(struct forwarder *forwarder, const char *why)
{
    for (struct forward *f = forwarder->all->after, *after; f != forwarder->all; f = after) {
        after = f->after;
        if (f->operation->is_poll)
            refuse(f, 503, "unavailable", why);
    }
}

void forwarder_end_denied(struct forwarder *forwarder,
                          bool (*is_allowed)(void *arg, const struct caller *caller), void *arg)
{
    for (struct forward *f = forwarder->all->after, *after; f != forwarder->all; f = after) {
        after = f->after;
        if (!is_allowed(arg, &f->caller))
            refuse(f, 401, "unauthorized", "the token was revoked or has expired");
    }
}

void forwarder_abandon(struct forwarder *forwarder)
{
    while (forwarder->all->after != forwarder->all)
        cut(forwarder->all->after);
}

struct forwarder *forwarder_open(const struct forwarder_options *options)
{
    struct forwarder *forwarder = calloc(1, sizeof *forwarder);

    must(forwarder != NULL);
    forwarder->options = *options;
    forwarder->all = calloc(1, sizeof *forwarder->all);
    must(forwarder->all != NULL);
    forwarder->all->before = forwarder->all->after = forwarder->all;
    forwarder->client = h2_client_new(loop_uv(options->loop), options->ca_file);
    return forwarder;
}

static void on_client_closed(void *arg)
{
    struct forwarder *forwarder = arg;
    void (*on_closed)(void *arg) = forwarder->on_closed;
    void *closed_arg = forwarder->arg;

    free(forwarder->all);
    free(forwarder);
    on_closed(closed_arg);
}

void forwarder_close(struct forwarder *forwarder, void (*on_closed)(void *arg), void *arg)
{
    must(forwarder->count == 0 && forwarder->asks == 0);
    forwarder->on_closed = on_closed;
    forwarder->arg = arg;
    h2_client_close(forwarder->client, on_client_closed, forwarder);
}
