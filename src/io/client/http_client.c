/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls and their targets: which call gets which connection, deadlines, and the end.
 */
#include "io/client/http_client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "io/client/http_client_parts.h"

enum {
    SWEEP_MS = 100,              /* precision of deadlines */
    SPARES_MAX = 256,            /* calls that are kept */
    PEER_ARENA_MAX = 512 * 1024, /* a URL and some certificates */
};

/* ---- rings ---- */

void http_ring_add(struct http_call *ring, struct http_call *call)
{
    call->before = ring->before;
    call->after = ring;
    call->before->after = ring->before = call;
}

static void ring_init(struct http_call *ring)
{
    ring->before = ring->after = ring;
}

/* Leaves the ring that it is in. */
static void leave_ring(struct http_call *call)
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

/* Kept with its arena for a later call, to save allocations. */
static void call_free(struct http_client *client, struct http_call *call)
{
    if (client->is_closing || client->spares == SPARES_MAX ||
        (call->arena && arena_used(call->arena) > HTTP_CLIENT_HEAD_MAX)) {
        arena_free(call->arena);
        free(call);
        return;
    }
    if (call->arena)
        arena_reset(call->arena);
    call->after = client->spare;
    client->spare = call;
    client->spares++;
}

static struct http_call *call_new(struct http_client *client)
{
    struct http_call *call = client->spare;
    struct arena *arena = NULL;

    if (call) {
        client->spare = call->after;
        client->spares--;
        arena = call->arena;
    } else {
        call = malloc(sizeof *call);
        must(call != NULL);
    }
    memset(call, 0, offsetof(struct http_call, text));
    call->arena = arena;
    call->client = client;
    return call;
}

void http_call_end(struct http_call *call, enum http_end_kind kind, const char *text)
{
    struct http_client *client = call->peer->client;

    leave_ring(call);
    snprintf(call->text, sizeof call->text, "%s", text);
    call->end = (struct http_end){.kind = kind, .text = call->text};
    if (kind == HTTP_END_DONE) {
        call->end.trailers = call->fields;
        call->end.trailer_count = call->field_count;
    }
    call->peer = NULL; /* it may be freed first */
    http_ring_add(&client->ended, call);
    http_client_wake(client);
}

void http_client_deliver(struct http_client *client)
{
    while (client->ended.after != &client->ended) {
        struct http_call *call = client->ended.after;

        leave_ring(call);
        call->watch->on_end(call->arg, &call->end);
        call_free(client, call);
    }
}

void http_call_consume(struct http_call *call, size_t n)
{
    struct http_conn *c = call->conn;

    if (c && n > 0)
        c->peer->protocol->consume(call, n);
}

void http_call_push(struct http_call *call)
{
    if (call->conn)
        http_conn_mark_dirty(call->conn);
}

void http_call_cancel(struct http_call *call)
{
    struct http_conn *c = call->conn;

    leave_ring(call);
    if (c)
        c->peer->protocol->cancel(c, call);
    call_free(call->client, call);
}

/* ---- targets ---- */

static bool is_same(const struct http_target *a, const struct http_target *b)
{
    return a->lane == b->lane && a->is_http1 == b->is_http1 && str_eq(a->url, b->url) &&
           str_eq(a->ca, b->ca) && str_eq(a->cert, b->cert) && str_eq(a->key, b->key) &&
           str_eq(a->server_name, b->server_name);
}

static void open_tls(struct http_peer *peer)
{
    struct tls_connect_rules rules = {peer->target.ca, peer->target.cert, peer->target.key,
                                      peer->client->ca_file, peer->target.is_http1};
    struct buf text = BUF(peer->tls_text);
    struct err err;

    if (tls_connect_context(&rules, &peer->tls, &err) != RC_OK)
        buf_printf(&text, "TLS: %s", err.text);
}

static struct http_peer *peer_new(struct http_client *client, const struct http_target *target)
{
    static const struct str plain = {"http://", 7}, secure = {"https://", 8};
    struct http_peer *peer = calloc(1, sizeof *peer);
    struct arena *arena = arena_new(PEER_ARENA_MAX);

    must(peer != NULL);
    *peer = (struct http_peer){
        .client = client,
        .arena = arena,
        .target = {.url = arena_str(arena, target->url),
                   .ca = arena_str(arena, target->ca),
                   .cert = arena_str(arena, target->cert),
                   .key = arena_str(arena, target->key),
                   .server_name = arena_str(arena, target->server_name),
                   .is_http1 = target->is_http1,
                   .lane = target->lane},
        .protocol = target->is_http1 ? &http_protocol_h1 : &http_protocol_h2,
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

static struct http_peer *find_peer(struct http_client *client, const struct http_target *target)
{
    for (struct http_peer *peer = client->peers; peer; peer = peer->next)
        if (is_same(&peer->target, target))
            return peer;
    return peer_new(client, target);
}

static void peer_free(struct http_peer *peer)
{
    tls_context_free(peer->tls);
    arena_free(peer->arena);
    free(peer);
}

/* Settings change: a target that is not used any more is forgotten. */
static void free_unused(struct http_client *client)
{
    struct http_peer **at = &client->peers;

    while (*at) {
        struct http_peer *peer = *at;

        if (peer->conns || peer->waiting_count > 0) {
            at = &peer->next;
            continue;
        }
        *at = peer->next;
        peer_free(peer);
    }
}

/* ---- calls ---- */

struct http_call *http_client_call(struct http_client *client,
                                   const struct http_request *request,
                                   const struct http_watch *watch, void *arg)
{
    struct http_call *call = call_new(client);

    must(!client->is_closing && request->field_count <= HTTP_CLIENT_FIELDS_MAX);
    call->peer = find_peer(client, request->target);
    call->request = *request;
    call->request.target = NULL;
    call->watch = watch;
    call->arg = arg;
    if (request->within > 0)
        call->until = uv_now(client->loop) + (uint64_t)(request->within / SPAN_MS) + 1;
    http_call_wait(call, false);
    return call;
}

void http_call_wait(struct http_call *call, bool is_first)
{
    struct http_peer *peer = call->peer;

    call->conn = NULL;
    http_ring_add(is_first ? peer->waiting.after : &peer->waiting, call);
    peer->waiting_count++;
    if (peer->waiting_count > HTTP_CLIENT_WAITING_MAX)
        http_call_end(call, HTTP_END_UNCONNECTED, "too many requests wait for the upstream");
    http_client_wake(peer->client);
}

static void end_waiting(struct http_peer *peer, const char *text)
{
    while (peer->waiting.after != &peer->waiting)
        http_call_end(peer->waiting.after, HTTP_END_UNCONNECTED, text);
}

/* Gives waiting calls to a connection as long as it has room. */
static void fill_conn(struct http_conn *c)
{
    struct http_peer *peer = c->peer;

    while (peer->waiting.after != &peer->waiting && peer->protocol->has_room(c)) {
        struct http_call *call = peer->waiting.after;

        if (!call->watch->permits(call->arg, &c->address)) {
            http_call_end(call, HTTP_END_DENIED, "the address of the upstream is not allowed");
            continue;
        }
        leave_ring(call);
        peer->protocol->submit(c, call);
    }
}

/* One more connection if all are full; with HTTP/1.1, one for each waiting call. */
static void assign_calls(struct http_peer *peer)
{
    int opening = 0, wanted;

    if (peer->is_invalid)
        end_waiting(peer, "invalid URL");
    else if (peer->tls_text[0] != '\0')
        end_waiting(peer, peer->tls_text);
    for (struct http_conn *c = peer->conns; c; c = c->next) {
        opening += c->phase < HTTP_CONN_OPEN;
        fill_conn(c);
    }
    wanted = peer->target.is_http1 || peer->waiting_count == 0 ? peer->waiting_count : 1;
    while (opening++ < wanted && peer->conn_count < peer->protocol->conns_max &&
           peer->waiting_count > 0)
        http_conn_open(peer);
}

static void flush_all(struct http_peer *peer)
{
    for (struct http_conn *c = peer->conns, *next; c; c = next) {
        next = c->next;
        if (c->is_dirty)
            http_conn_flush(c);
    }
}

static void on_prepare(uv_prepare_t *prepare)
{
    struct http_client *client = prepare->data;

    client->is_awake = false;
    for (struct http_peer *peer = client->peers; peer; peer = peer->next) {
        assign_calls(peer);
        flush_all(peer);
    }
    http_client_deliver(client);
    if (!client->is_awake)
        uv_prepare_stop(&client->prepare);
}

void http_client_wake(struct http_client *client)
{
    client->is_awake = true;
    uv_prepare_start(&client->prepare, on_prepare);
}

/* ---- deadlines ---- */

static void end_late(struct http_call *ring, uint64_t now)
{
    for (struct http_call *call = ring->after, *after; call != ring; call = after) {
        struct http_conn *c = call->conn;

        after = call->after;
        if (call->until == 0 || now < call->until)
            continue;
        http_call_end(call, HTTP_END_LATE, "the deadline of the request has passed");
        if (c)
            c->peer->protocol->cancel(c, call);
    }
}

static void on_sweep(uv_timer_t *timer)
{
    struct http_client *client = timer->data;
    uint64_t now = uv_now(client->loop);

    for (struct http_peer *peer = client->peers; peer; peer = peer->next) {
        end_late(&peer->waiting, now);
        for (struct http_conn *c = peer->conns; c; c = c->next)
            end_late(&c->calls, now);
    }
    free_unused(client);
}

/* ---- the client ---- */

struct http_client *http_client_new(uv_loop_t *loop, const char *ca_file)
{
    struct http_client *client = calloc(1, sizeof *client);

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

int http_client_connections(const struct http_client *client)
{
    int count = 0;

    for (const struct http_peer *peer = client->peers; peer; peer = peer->next)
        for (const struct http_conn *c = peer->conns; c; c = c->next)
            count += c->phase == HTTP_CONN_OPEN;
    return count;
}

void http_client_check_closed(struct http_client *client)
{
    void (*on_closed)(void *arg) = client->on_closed;
    void *arg = client->arg;

    if (!client->is_closing || client->handles > 0)
        return;
    for (const struct http_peer *peer = client->peers; peer; peer = peer->next)
        if (peer->conns)
            return;
    free_unused(client);
    while (client->spare) {
        struct http_call *call = client->spare;

        client->spare = call->after;
        arena_free(call->arena);
        free(call);
    }
    io_bytes_free(&client->frames);
    io_bytes_free(&client->encrypted);
    free(client);
    on_closed(arg);
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct http_client *client = handle->data;

    client->handles--;
    http_client_check_closed(client);
}

void http_client_close(struct http_client *client, void (*on_closed)(void *arg), void *arg)
{
    client->is_closing = true;
    client->on_closed = on_closed;
    client->arg = arg;
    for (struct http_peer *peer = client->peers; peer; peer = peer->next) {
        end_waiting(peer, "closing");
        for (struct http_conn *c = peer->conns, *next; c; c = next) {
            next = c->next;
            http_conn_close(c, HTTP_END_BROKEN, "closing");
        }
    }
    while (client->ended.after != &client->ended)
        http_call_cancel(client->ended.after);
    uv_close((uv_handle_t *)&client->prepare, on_handle_closed);
    uv_close((uv_handle_t *)&client->sweep, on_handle_closed);
}
