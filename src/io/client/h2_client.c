/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls and their targets: which call gets which connection, deadlines, and the end.
 */
#include "io/client/h2_client.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "io/client/h2_client_parts.h"

enum {
    SWEEP_MS = 100,              /* precision of deadlines */
    PEER_ARENA_MAX = 512 * 1024, /* a URL and some certificates */
};

/* ---- rings ---- */

void h2_ring_add(struct h2_call *ring, struct h2_call *call)
{
    call->before = ring->before;
    call->after = ring;
    call->before->after = ring->before = call;
}

static void ring_init(struct h2_call *ring)
{
    ring->before = ring->after = ring;
}

/* Leaves the ring that it is in. */
static void leave_ring(struct h2_call *call)
{
    call->before->after = call->after;
    call->after->before = call->before;
    if (call->conn) {
        call->conn->heard_at = uv_now(call->peer->client->loop);
        call->conn = NULL;
    } else if (call->peer && call->end.text == NULL) {
        call->peer->waiting_count--;
    }
}

/* ---- ends ---- */

static void call_free(struct h2_call *call)
{
    arena_free(call->arena);
    free(call);
}

void h2_call_end(struct h2_call *call, enum h2_end_kind kind, const char *text)
{
    struct h2_client *client = call->peer->client;

    leave_ring(call);
    snprintf(call->text, sizeof call->text, "%s", text);
    call->end = (struct h2_end){.kind = kind, .text = call->text};
    if (kind == H2_END_DONE) {
        call->end.trailers = call->fields;
        call->end.trailer_count = call->field_count;
    }
    call->peer = NULL; /* it may be freed first */
    h2_ring_add(&client->ended, call);
    h2_client_wake(client);
}

void h2_client_deliver(struct h2_client *client)
{
    while (client->ended.after != &client->ended) {
        struct h2_call *call = client->ended.after;

        leave_ring(call);
        call->watch->on_end(call->arg, &call->end);
        call_free(call);
    }
}

void h2_call_consume(struct h2_call *call, size_t n)
{
    struct h2_conn *c = call->conn;

    if (!c || n == 0)
        return;
    must(nghttp2_session_consume_stream(c->session, call->id, n) == 0);
    h2_conn_mark_dirty(c);
}

void h2_call_cancel(struct h2_call *call)
{
    struct h2_conn *c = call->conn;

    if (c) {
        nghttp2_session_set_stream_user_data(c->session, call->id, NULL);
        must(nghttp2_submit_rst_stream(c->session, NGHTTP2_FLAG_NONE, call->id,
                                       NGHTTP2_CANCEL) == 0);
        h2_conn_mark_dirty(c);
    }
    leave_ring(call);
    call_free(call);
}

/* ---- targets ---- */

static bool is_same(const struct h2_target *a, const struct h2_target *b)
{
    return a->lane == b->lane && str_eq(a->url, b->url) && str_eq(a->ca, b->ca) &&
           str_eq(a->cert, b->cert) && str_eq(a->key, b->key) &&
           str_eq(a->server_name, b->server_name);
}

static void open_tls(struct h2_peer *peer)
{
    struct tls_connect_rules rules = {peer->target.ca, peer->target.cert, peer->target.key,
                                      peer->client->ca_file};
    struct buf text = BUF(peer->tls_text);
    struct err err;

    if (tls_connect_context(&rules, &peer->tls, &err) != RC_OK)
        buf_printf(&text, "TLS: %s", err.text);
}

static struct h2_peer *peer_new(struct h2_client *client, const struct h2_target *target)
{
    static const struct str plain = {"http://", 7}, secure = {"https://", 8};
    struct h2_peer *peer = calloc(1, sizeof *peer);
    struct arena *arena = arena_new(PEER_ARENA_MAX);

    must(peer != NULL);
    *peer = (struct h2_peer){
        .client = client,
        .arena = arena,
        .target = {.url = arena_str(arena, target->url),
                   .ca = arena_str(arena, target->ca),
                   .cert = arena_str(arena, target->cert),
                   .key = arena_str(arena, target->key),
                   .server_name = arena_str(arena, target->server_name),
                   .lane = target->lane},
        .is_tls = str_starts(target->url, secure),
        .next = client->peers,
    };
    ring_init(&peer->waiting);
    peer->authority = str_from(peer->target.url, peer->is_tls ? secure.len : plain.len);
    peer->is_invalid = (!peer->is_tls && !str_starts(target->url, plain)) ||
                       !webhook_target(peer->target.url, &peer->host);
    if (peer->is_tls && !peer->is_invalid)
        open_tls(peer);
    client->peers = peer;
    return peer;
}

static struct h2_peer *find_peer(struct h2_client *client, const struct h2_target *target)
{
    for (struct h2_peer *peer = client->peers; peer; peer = peer->next)
        if (is_same(&peer->target, target))
            return peer;
    return peer_new(client, target);
}

static void peer_free(struct h2_peer *peer)
{
    tls_context_free(peer->tls);
    arena_free(peer->arena);
    free(peer);
}

/* Settings change: a target that is not used any more is forgotten. */
static void free_unused(struct h2_client *client)
{
    struct h2_peer **at = &client->peers;

    while (*at) {
        struct h2_peer *peer = *at;

        if (peer->conns || peer->waiting_count > 0) {
            at = &peer->next;
            continue;
        }
        *at = peer->next;
        peer_free(peer);
    }
}

/* ---- calls ---- */

struct h2_call *h2_client_call(struct h2_client *client, const struct h2_request *request,
                               const struct h2_watch *watch, void *arg)
{
    struct h2_call *call = calloc(1, sizeof *call);

    must(call != NULL && !client->is_closing && request->field_count <= H2_CLIENT_FIELDS_MAX);
    call->peer = find_peer(client, request->target);
    call->request = *request;
    call->request.target = NULL;
    call->watch = watch;
    call->arg = arg;
    if (request->within > 0)
        call->until = uv_now(client->loop) + (uint64_t)(request->within / SPAN_MS) + 1;
    h2_call_wait(call, false);
    return call;
}

void h2_call_wait(struct h2_call *call, bool is_first)
{
    struct h2_peer *peer = call->peer;

    call->conn = NULL;
    h2_ring_add(is_first ? peer->waiting.after : &peer->waiting, call);
    peer->waiting_count++;
    if (peer->waiting_count > H2_CLIENT_WAITING_MAX)
        h2_call_end(call, H2_END_UNCONNECTED, "too many requests wait for the upstream");
    h2_client_wake(peer->client);
}

static void end_waiting(struct h2_peer *peer, const char *text)
{
    while (peer->waiting.after != &peer->waiting)
        h2_call_end(peer->waiting.after, H2_END_UNCONNECTED, text);
}

/* Gives waiting calls to connections; opens one more if all are full. */
static void assign_calls(struct h2_peer *peer)
{
    bool is_opening = false;

    if (peer->is_invalid)
        end_waiting(peer, "invalid URL");
    else if (peer->tls_text[0] != '\0')
        end_waiting(peer, peer->tls_text);
    for (struct h2_conn *c = peer->conns; c; c = c->next) {
        is_opening |= c->phase < H2_CONN_OPEN;
        while (peer->waiting.after != &peer->waiting && h2_conn_has_room(c)) {
            struct h2_call *call = peer->waiting.after;

            if (!call->watch->permits(call->arg, &c->address)) {
                h2_call_end(call, H2_END_DENIED, "the address of the upstream is not allowed");
                continue;
            }
            leave_ring(call);
            h2_conn_submit(c, call);
        }
    }
    if (peer->waiting.after != &peer->waiting && !is_opening &&
        peer->conn_count < H2_CLIENT_CONNS_MAX)
        h2_conn_open(peer);
}

static void flush_all(struct h2_peer *peer)
{
    for (struct h2_conn *c = peer->conns, *next; c; c = next) {
        next = c->next;
        if (c->is_dirty)
            h2_conn_flush(c);
    }
}

static void on_prepare(uv_prepare_t *prepare)
{
    struct h2_client *client = prepare->data;

    client->is_awake = false;
    for (struct h2_peer *peer = client->peers; peer; peer = peer->next) {
        assign_calls(peer);
        flush_all(peer);
    }
    h2_client_deliver(client);
    if (!client->is_awake)
        uv_prepare_stop(&client->prepare);
}

void h2_client_wake(struct h2_client *client)
{
    client->is_awake = true;
    uv_prepare_start(&client->prepare, on_prepare);
}

/* ---- deadlines ---- */

static void end_late(struct h2_call *ring, uint64_t now)
{
    for (struct h2_call *call = ring->after, *after; call != ring; call = after) {
        struct h2_conn *c = call->conn;

        after = call->after;
        if (call->until == 0 || now < call->until)
            continue;
        if (c) {
            nghttp2_session_set_stream_user_data(c->session, call->id, NULL);
            must(nghttp2_submit_rst_stream(c->session, NGHTTP2_FLAG_NONE, call->id,
                                           NGHTTP2_CANCEL) == 0);
            h2_conn_mark_dirty(c);
        }
        h2_call_end(call, H2_END_LATE, "the deadline of the request has passed");
    }
}

static void on_sweep(uv_timer_t *timer)
{
    struct h2_client *client = timer->data;
    uint64_t now = uv_now(client->loop);

    for (struct h2_peer *peer = client->peers; peer; peer = peer->next) {
        end_late(&peer->waiting, now);
        for (struct h2_conn *c = peer->conns; c; c = c->next)
            end_late(&c->calls, now);
    }
    free_unused(client);
}

/* ---- the client ---- */

struct h2_client *h2_client_new(uv_loop_t *loop, const char *ca_file)
{
    struct h2_client *client = calloc(1, sizeof *client);

    must(client != NULL);
    client->loop = loop;
    client->ca_file = ca_file;
    ring_init(&client->ended);
    must(uv_prepare_init(loop, &client->prepare) == 0);
    must(uv_timer_init(loop, &client->sweep) == 0);
    must(uv_timer_start(&client->sweep, on_sweep, SWEEP_MS, SWEEP_MS) == 0);
    uv_unref((uv_handle_t *)&client->sweep);
    client->prepare.data = client->sweep.data = client;
    client->handles = 2;
    return client;
}

int h2_client_connections(const struct h2_client *client)
{
    int count = 0;

    for (const struct h2_peer *peer = client->peers; peer; peer = peer->next)
        for (const struct h2_conn *c = peer->conns; c; c = c->next)
            count += c->phase == H2_CONN_OPEN;
    return count;
}

void h2_client_check_closed(struct h2_client *client)
{
    void (*on_closed)(void *arg) = client->on_closed;
    void *arg = client->arg;

    if (!client->is_closing || client->handles > 0)
        return;
    for (const struct h2_peer *peer = client->peers; peer; peer = peer->next)
        if (peer->conns)
            return;
    free_unused(client);
    io_bytes_free(&client->frames);
    io_bytes_free(&client->encrypted);
    free(client);
    on_closed(arg);
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct h2_client *client = handle->data;

    client->handles--;
    h2_client_check_closed(client);
}

void h2_client_close(struct h2_client *client, void (*on_closed)(void *arg), void *arg)
{
    client->is_closing = true;
    client->on_closed = on_closed;
    client->arg = arg;
    for (struct h2_peer *peer = client->peers; peer; peer = peer->next) {
        end_waiting(peer, "closing");
        for (struct h2_conn *c = peer->conns, *next; c; c = next) {
            next = c->next;
            h2_conn_close(c, H2_END_BROKEN, "closing");
        }
    }
    while (client->ended.after != &client->ended)
        h2_call_cancel(client->ended.after);
    uv_close((uv_handle_t *)&client->prepare, on_handle_closed);
    uv_close((uv_handle_t *)&client->sweep, on_handle_closed);
}
