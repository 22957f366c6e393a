/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of a connection: admission, phases, timers, and the end.
 */
#include "io/net/listener_parts.h"

#include <stdlib.h>

#include "base/must.h"
#include "io/net/h2.h"
#include "wire/sse.h"

static void on_timer(uv_timer_t *timer);

static bool is_admitted(struct listener *listener, struct conn *c, int *ret_status)
{
    struct sockaddr_storage address;
    int len = sizeof address, most;

    if (uv_tcp_getpeername(&c->tcp, (struct sockaddr *)&address, &len) != 0 ||
        !peer_of((struct sockaddr *)&address, &c->peer)) {
        *ret_status = 0; /* already gone */
        return false;
    }
    *ret_status = 503;
    if (listener->counts.open > listener->limits.connections)
        return false;
    *ret_status = 429;
    most = peer_is_loopback(&c->peer) ? listener->limits.per_local : listener->limits.per_peer;
    c->is_counted = peer_limits_add(listener->peers, &c->peer, most);
    return c->is_counted;
}

/* One attempt, without a handshake: a connection over the limits must cost no more. */
static void reject(struct conn *c, int status, bool has_tls)
{
    struct str text = conn_problem(c->listener, NULL, status,
                                   status == 429 ? "this address has too many connections; "
                                                   "close some, or keep one open"
                                                 : "the server has too many connections; "
                                                   "try again later");
    uv_buf_t buf = uv_buf_init((char *)(uintptr_t)text.ptr, (unsigned)text.len);

    c->listener->counts.turned_away++;
    if (!has_tls)
        uv_try_write((uv_stream_t *)&c->tcp, &buf, 1);
}

void conn_open(struct server *server)
{
    struct listener *listener = server->listener;
    struct conn *c = calloc(1, sizeof *c);
    int status = 0;

    must(c != NULL && uv_tcp_init(listener->loop, &c->tcp) == 0);
    must(uv_timer_init(listener->loop, &c->timer) == 0);
    c->tcp.data = c->timer.data = c;
    c->handles = 2;
    c->listener = listener;
    c->next = listener->conns;
    if (c->next)
        c->next->prev = c;
    listener->conns = c;
    listener->counts.open++;
    if (uv_accept((uv_stream_t *)&server->tcp, (uv_stream_t *)&c->tcp) != 0) {
        conn_drop(c);
        return;
    }
    if (!is_admitted(listener, c, &status)) {
        if (status != 0)
            reject(c, status, server->has_tls);
        conn_drop(c);
        return;
    }
    listener->counts.accepted++;
    uv_tcp_nodelay(&c->tcp, 1);
    uv_tcp_keepalive(&c->tcp, 1, LISTENER_KEEPALIVE_S);
    conn_enter(c, CONN_IDLE);
    if (server->has_tls)
        conn_start_tls(c);
    conn_settle(c);
}

void conn_enter(struct conn *c, enum conn_phase phase)
{
    c->phase = phase;
    c->is_fresh = true;
}

/* The owner has taken enough of a streamed body. */
static bool wants_body(const struct conn *c)
{
    const struct exchange *x = c->exchange;

    return x->is_body_open && x->body_error == 0 && x->body.len < EXCHANGE_STREAM_AT;
}

static bool wants_to_read(const struct conn *c)
{
    switch (c->phase) {
    case CONN_HELD:
        if (c->exchange->is_body_open)
            return wants_body(c);
        return c->ahead.len == 0 && !c->has_eof;
    case CONN_FLUSH: /* only to see the end: what is sent ahead waits in the kernel */
        return c->ahead.len == 0 && !c->has_eof;
    case CONN_IDLE:
        return c->ahead.len == 0;
    case CONN_H2:
        return conn_backlog(c) <= EXCHANGE_BACKLOG_MAX;
    default:
        return true;
    }
}

static enum conn_wait wanted_wait(const struct conn *c)
{
    if (c->is_broken)
        return CONN_WAIT_BREAK;
    if (c->phase == CONN_LINGER)
        return CONN_WAIT_LINGER;
    if (c->phase == CONN_SHAKE)
        return CONN_WAIT_SHAKE;
    if (conn_backlog(c) > 0)
        return CONN_WAIT_WRITE;
    switch (c->phase) {
    case CONN_IDLE:
        return c->ahead.len > 0 ? CONN_WAIT_AHEAD : CONN_WAIT_REQUEST;
    case CONN_HEAD:
        return CONN_WAIT_HEAD;
    case CONN_BODY:
        return CONN_WAIT_BODY;
    case CONN_H2:
        return h2_is_idle(c)          ? CONN_WAIT_TALK
               : h2_has_unfinished(c) ? CONN_WAIT_STREAM
                                      : CONN_WAIT_NOTHING;
    case CONN_HELD:
        if (wants_body(c))
            return CONN_WAIT_BODY;
        return c->exchange->has_events ? CONN_WAIT_QUIET : CONN_WAIT_NOTHING;
    default:
        return CONN_WAIT_NOTHING;
    }
}

static span wait_span(const struct conn *c)
{
    const struct listener_limits *limits = &c->listener->limits;

    switch (c->wait) {
    case CONN_WAIT_SHAKE:
        return limits->handshake;
    case CONN_WAIT_REQUEST:
        return limits->idle;
    case CONN_WAIT_HEAD:
        return limits->head;
    case CONN_WAIT_STREAM:
        return h2_check_after(c);
    case CONN_WAIT_TALK:
        return limits->talk;
    case CONN_WAIT_BODY:
        return limits->body_window;
    case CONN_WAIT_WRITE:
        return limits->stall;
    case CONN_WAIT_QUIET:
        return limits->quiet;
    case CONN_WAIT_LINGER:
        return limits->linger;
    default:
        return 0;
    }
}

/* Bytes so far in the direction that must move. */
static uint64_t bytes_moved(const struct conn *c)
{
    if (c->wait == CONN_WAIT_BODY)
        return c->exchange->body_seen;
    return c->taken - conn_backlog(c);
}

static void set_timer(struct conn *c)
{
    uint64_t ms = ((uint64_t)wait_span(c) + SPAN_MS - 1) / SPAN_MS;

    c->mark = bytes_moved(c);
    must(uv_timer_start(&c->timer, on_timer, ms, 0) == 0);
}

void conn_settle(struct conn *c)
{
    enum conn_wait wait;

    if (c->phase == CONN_CLOSED || c->is_feeding)
        return;
    if (wants_to_read(c) != c->is_reading) {
        c->is_reading = !c->is_reading;
        if (!c->is_reading)
            uv_read_stop((uv_stream_t *)&c->tcp);
        else if (uv_read_start((uv_stream_t *)&c->tcp, conn_lend_buffer, conn_read) != 0)
            conn_break(c);
    }
    wait = wanted_wait(c);
    if (wait == c->wait && !c->is_fresh)
        return;
    c->wait = wait;
    c->is_fresh = false;
    if (wait == CONN_WAIT_NOTHING)
        uv_timer_stop(&c->timer);
    else
        set_timer(c);
}

/* True if too little has moved since the timer was set. */
static bool is_too_slow(const struct conn *c)
{
    const struct listener_limits *limits = &c->listener->limits;
    uint64_t moved = bytes_moved(c) - c->mark, least = 1;

    if (c->wait == CONN_WAIT_BODY)
        least = (uint64_t)(limits->body_rate * limits->body_window / SPAN_S);
    return moved < least;
}

/* Proxies close silent connections, and a vanished client is only detected by writing. */
static void send_comment(struct conn *c)
{
    if (is_too_slow(c))
        exchange_write(c->exchange, SSE_COMMENT);
    if (c->wait == CONN_WAIT_QUIET)
        set_timer(c);
}

static void on_timer(uv_timer_t *timer)
{
    struct conn *c = timer->data;
    bool is_slow = true;

    if (c->wait == CONN_WAIT_AHEAD) {
        conn_feed(c, (struct str){c->ahead.ptr, c->ahead.len});
        return;
    }
    if (c->wait == CONN_WAIT_QUIET) {
        send_comment(c);
        return;
    }
    if (c->wait == CONN_WAIT_STREAM) {
        h2_check_streams(c);
        set_timer(c);
        return;
    }
    if (c->wait == CONN_WAIT_BODY || c->wait == CONN_WAIT_WRITE)
        is_slow = is_too_slow(c);
    if (!is_slow) {
        set_timer(c);
        return;
    }
    c->listener->counts.timed_out += c->wait != CONN_WAIT_BREAK && c->wait != CONN_WAIT_LINGER;
    if (c->wait == CONN_WAIT_HEAD)
        conn_refuse(c, 408, "the head of the request took too long");
    else if (c->wait == CONN_WAIT_TALK)
        h2_drain(c);
    else if (c->wait == CONN_WAIT_BODY)
        conn_body_too_slow(c);
    else
        conn_drop(c);
    conn_settle(c);
}

static void on_shutdown(uv_shutdown_t *shutdown, int status)
{
    (void)shutdown;
    (void)status;
}

/*
 * Closing a socket with unread bytes resets the connection, and the client may lose an answer
 * that it has not read yet: so the client closes first, within a time limit.
 */
static void begin_linger(struct conn *c)
{
    if (c->tls)
        conn_end_tls(c);
    if (c->has_eof || uv_shutdown(&c->shutdown, (uv_stream_t *)&c->tcp, on_shutdown) != 0) {
        conn_drop(c);
        return;
    }
    io_bytes_free(&c->ahead);
    conn_enter(c, CONN_LINGER);
}

void conn_answered(struct conn *c)
{
    struct exchange *x = c->exchange;

    c->exchange = NULL;
    io_bytes_free(&c->queue);
    io_bytes_free(&c->flight);
    if (c->closes || c->listener->is_closing)
        begin_linger(c);
    else
        conn_enter(c, CONN_IDLE);
    if (x) {
        exchange_notify_over(x, true);
        exchange_release(x);
    }
    conn_settle(c);
}

void conn_break(struct conn *c)
{
    c->is_broken = true;
}

static void on_closed(uv_handle_t *handle)
{
    struct conn *c = handle->data;
    struct listener *listener = c->listener;

    if (--c->handles > 0)
        return;
    if (c->next)
        c->next->prev = c->prev;
    if (c->prev)
        c->prev->next = c->next;
    else
        listener->conns = c->next;
    if (c->is_counted)
        peer_limits_remove(listener->peers, &c->peer);
    io_bytes_free(&c->ahead);
    io_bytes_free(&c->queue);
    io_bytes_free(&c->flight);
    tls_free(c->tls);
    free(c);
    listener->counts.open--;
    listener_check_closed(listener);
}

void conn_drop(struct conn *c)
{
    enum conn_phase phase = c->phase;
    struct exchange *x = c->exchange;

    if (phase == CONN_CLOSED)
        return;
    if (c->tls && phase == CONN_IDLE)
        conn_end_tls(c);
    c->phase = CONN_CLOSED;
    c->exchange = NULL;
    c->h2 = h2_free(c->h2);
    uv_close((uv_handle_t *)&c->tcp, on_closed);
    uv_close((uv_handle_t *)&c->timer, on_closed);
    if (!x)
        return;
    x->conn = NULL;
    if (phase == CONN_HELD) {
        exchange_notify_gone(x);
        return;
    }
    if (phase == CONN_FLUSH)
        exchange_notify_over(x, false);
    exchange_release(x);
}

void conn_drain(struct conn *c)
{
    if (c->phase == CONN_H2)
        h2_drain(c);
    else if (c->phase == CONN_SHAKE || (c->phase == CONN_IDLE && c->ahead.len == 0))
        conn_drop(c);
}
