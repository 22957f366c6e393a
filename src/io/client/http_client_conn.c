/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection of the HTTP client: name, address, TLS, bytes in and out, and silence.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "io/client/http_client_parts.h"

enum {
    KEEPALIVE_S = 30, /* of TCP */
};

static void try_address(struct http_conn *c);

void http_conn_mark_dirty(struct http_conn *c)
{
    c->is_dirty = true;
    http_client_wake(c->peer->client);
}

/* ---- closing ---- */

static void conn_free(struct http_conn *c)
{
    struct http_client *client = c->peer->client;
    struct http_conn **at = &c->peer->conns;

    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    c->peer->conn_count--;
    c->peer->protocol->release(c);
    tls_free(c->tls);
    io_bytes_free(&c->flight);
    io_bytes_free(&c->queue);
    free(c);
    if (client->is_closing)
        http_client_check_closed(client);
    else
        http_client_wake(client); /* waiting calls may open another one */
}

/* libuv has returned one of the handles or requests. */
static void leave_pending(struct http_conn *c)
{
    if (--c->pending == 0 && c->phase == HTTP_CONN_CLOSED)
        conn_free(c);
}

static void on_timer_closed(uv_handle_t *handle)
{
    leave_pending(handle->data);
}

static void on_tcp_closed(uv_handle_t *handle)
{
    struct http_conn *c = handle->data;

    free(handle);
    leave_pending(c);
}

static void close_tcp(struct http_conn *c)
{
    if (c->tcp)
        uv_close((uv_handle_t *)c->tcp, on_tcp_closed);
    c->tcp = NULL;
}

static bool has_others(const struct http_conn *c)
{
    for (const struct http_conn *other = c->peer->conns; other; other = other->next)
        if (other != c && other->phase == HTTP_CONN_OPEN && !other->is_going)
            return true;
    return false;
}

void http_conn_close(struct http_conn *c, enum http_end_kind kind, const char *text)
{
    struct http_peer *peer = c->peer;

    if (c->phase == HTTP_CONN_CLOSED)
        return;
    c->phase = HTTP_CONN_CLOSED;
    while (c->calls.after != &c->calls)
        http_call_end(c->calls.after, kind, text);
    if (kind == HTTP_END_UNCONNECTED && !has_others(c))
        while (peer->waiting.after != &peer->waiting)
            http_call_end(peer->waiting.after, kind, text);
    uv_cancel((uv_req_t *)&c->lookup); /* without effect unless it waits for a thread */
    uv_close((uv_handle_t *)&c->timer, on_timer_closed);
    close_tcp(c);
}

static void fail(struct http_conn *c, const char *what, const char *why)
{
    char text[HTTP_CLIENT_TEXT_MAX];
    struct buf out = BUF(text);

    buf_printf(&out, "%s: %s", what, why);
    http_conn_close(c, c->phase == HTTP_CONN_OPEN ? HTTP_END_BROKEN : HTTP_END_UNCONNECTED,
                    text);
}

/* ---- sending ---- */

static size_t backlog(const struct http_conn *c)
{
    return c->queue.len + (c->is_writing ? c->flight.len : 0);
}

static void on_written(uv_write_t *write, int status);

static void start_write(struct http_conn *c)
{
    struct io_bytes bytes = c->queue;
    uv_buf_t buf = uv_buf_init(bytes.ptr, (unsigned)bytes.len);

    if (c->is_writing || bytes.len == 0 || c->phase == HTTP_CONN_CLOSED)
        return;
    c->queue = c->flight;
    c->queue.len = 0;
    c->flight = bytes;
    c->write.data = c;
    c->is_writing = uv_write(&c->write, (uv_stream_t *)c->tcp, &buf, 1, on_written) == 0;
    c->pending += c->is_writing;
    c->is_broken |= !c->is_writing;
}

static void on_written(uv_write_t *write, int status)
{
    struct http_conn *c = write->data;

    c->is_writing = false;
    if (c->phase != HTTP_CONN_CLOSED) {
        if (status < 0)
            fail(c, "connection to the upstream lost", uv_strerror(status));
        start_write(c);
        c->is_dirty = true;
        http_client_wake(c->peer->client);
    }
    leave_pending(c);
}

static void send_raw(struct http_conn *c, struct str bytes)
{
    uv_buf_t buf = uv_buf_init((char *)(uintptr_t)bytes.ptr, (unsigned)bytes.len);
    int n = 0;

    if (bytes.len == 0 || c->is_broken)
        return;
    if (backlog(c) == 0)
        n = uv_try_write((uv_stream_t *)c->tcp, &buf, 1);
    c->is_broken |= n < 0 && n != UV_EAGAIN;
    c->has_sent |= !c->is_broken;
    if (n < (int)bytes.len)
        io_bytes_add(&c->queue, str_from(bytes, n > 0 ? (size_t)n : 0));
    start_write(c);
}

static void on_encrypted(void *arg, struct str encrypted)
{
    struct http_conn *c = arg;

    io_bytes_add(&c->peer->client->encrypted, encrypted);
}

static void send_encrypted(struct http_conn *c)
{
    struct io_bytes *encrypted = &c->peer->client->encrypted;

    send_raw(c, (struct str){encrypted->ptr, encrypted->len});
    encrypted->len = 0;
}

static void send_bytes(struct http_conn *c, struct str bytes)
{
    if (!c->tls) {
        send_raw(c, bytes);
        return;
    }
    c->is_broken |= !tls_write(c->tls, bytes);
    send_encrypted(c);
}

/* No byte has left: the calls may use another connection. */
static void return_unsent(struct http_conn *c)
{
    for (struct http_call *call = c->calls.after, *after; call != &c->calls; call = after) {
        after = call->after;
        if (call->tries >= HTTP_CLIENT_TRIES_MAX ||
            (call->request.has_stream && call->framed > 0))
            continue;
        call->before->after = call->after;
        call->after->before = call->before;
        http_call_wait(call, true);
    }
}

void http_conn_flush(struct http_conn *c)
{
    const struct http_protocol *protocol = c->peer->protocol;
    struct io_bytes *out = &c->peer->client->frames;
    bool is_alive = true;

    c->is_dirty = false;
    if (c->phase != HTTP_CONN_OPEN)
        return;
    do {
        out->len = 0;
        if (backlog(c) < HTTP_CLIENT_BACKLOG)
            is_alive = protocol->gather(c, out);
        if (out->len > 0)
            send_bytes(c, (struct str){out->ptr, out->len});
    } while (out->len >= HTTP_CLIENT_GATHER && is_alive && !c->is_broken);
    if (c->is_broken && !c->has_sent)
        return_unsent(c);
    if (!is_alive || c->is_broken)
        http_conn_close(c, HTTP_END_BROKEN, "connection to the upstream lost");
    else if (backlog(c) == 0 && protocol->is_over(c))
        http_conn_close(c, HTTP_END_BROKEN, "the upstream closed the connection");
}

/* ---- receiving ---- */

static void decrypt(struct http_conn *c, struct str encrypted)
{
    struct http_client *client = c->peer->client;
    struct buf plain = BUF(client->plain);
    enum tls_state state = tls_read(c->tls, encrypted, &plain);

    send_encrypted(c);
    if (state == TLS_FAILED) {
        fail(c, "TLS to the upstream failed", tls_connect_reason(c->tls));
        return;
    }
    if (c->phase == HTTP_CONN_SHAKE && state == TLS_OPEN) {
        if (!c->peer->target.is_http1 && !tls_has_h2(c->tls)) {
            fail(c, "TLS to the upstream failed", "it does not offer HTTP/2");
            return;
        }
        c->peer->protocol->start(c);
    }
    if (c->phase == HTTP_CONN_OPEN && plain.len > 0 &&
        !c->peer->protocol->receive(c, buf_as_str(&plain)))
        c->is_broken = true;
    if (state == TLS_ENDED && !(c->phase == HTTP_CONN_OPEN && c->peer->protocol->end_input(c)))
        fail(c, "connection to the upstream lost", "closed");
}

static void lend_buffer(uv_handle_t *handle, size_t hint, uv_buf_t *ret)
{
    struct http_conn *c = handle->data;

    (void)hint;
    *ret = uv_buf_init(c->peer->client->in, HTTP_CLIENT_READ);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf);

void http_conn_pause(struct http_conn *c, bool is_paused)
{
    if (!c->tcp)
        return;
    if (is_paused)
        uv_read_stop((uv_stream_t *)c->tcp);
    else
        must(uv_read_start((uv_stream_t *)c->tcp, lend_buffer, on_read) == 0);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct http_conn *c = stream->data;
    struct http_client *client = c->peer->client;
    struct str bytes = {buf->base, n > 0 ? (size_t)n : 0};

    if (n == 0)
        return;
    if (n == UV_EOF && !c->tls && c->peer->protocol->end_input(c)) {
        http_client_wake(client);
    } else if (n < 0) {
        fail(c, "connection to the upstream lost",
             n == UV_EOF ? "closed" : uv_strerror((int)n));
    } else {
        c->heard_at = uv_now(client->loop);
        c->is_pinging = false;
        if (c->tls)
            decrypt(c, bytes);
        else if (!c->peer->protocol->receive(c, bytes))
            c->is_broken = true;
    }
    if (c->is_broken)
        http_conn_close(c, HTTP_END_BROKEN, "the upstream does not speak HTTP correctly");
    http_client_deliver(client);
}

/* ---- silence ---- */

static void on_timer(uv_timer_t *timer)
{
    struct http_conn *c = timer->data;
    uint64_t silent = uv_now(c->peer->client->loop) - c->heard_at;

    if (c->phase == HTTP_CONN_CONNECT) {
        close_tcp(c); /* on_connected() tries the next address */
    } else if (c->phase != HTTP_CONN_OPEN) {
        fail(c, "cannot connect to the upstream", "timed out");
    } else {
        c->peer->protocol->check_silence(c, silent);
    }
}

/* ---- opening ---- */

static const char *host_name(const struct http_peer *peer)
{
    return peer->target.server_name.len > 0 ? peer->target.server_name.ptr : peer->host.host;
}

static void on_connected(uv_connect_t *connect, int status)
{
    struct http_conn *c = connect->data;

    if (c->phase == HTTP_CONN_CLOSED) {
        leave_pending(c);
        return;
    }
    if (status < 0) {
        snprintf(c->text, sizeof c->text, "%s",
                 c->tcp ? uv_strerror(status) : "connection timed out");
        close_tcp(c);
        c->address_at++;
        try_address(c);
        leave_pending(c);
        return;
    }
    leave_pending(c);
    uv_tcp_nodelay(c->tcp, 1);
    uv_tcp_keepalive(c->tcp, 1, KEEPALIVE_S);
    c->heard_at = uv_now(c->peer->client->loop);
    must(uv_read_start((uv_stream_t *)c->tcp, lend_buffer, on_read) == 0);
    must(uv_timer_start(&c->timer, on_timer, HTTP_CLIENT_PING_MS, HTTP_CLIENT_PING_MS) == 0);
    if (!c->peer->is_tls) {
        c->peer->protocol->start(c);
        return;
    }
    must(uv_timer_start(&c->timer, on_timer, HTTP_CLIENT_CONNECT_MS, HTTP_CLIENT_PING_MS) == 0);
    c->phase = HTTP_CONN_SHAKE;
    c->tls = tls_connect_new(c->peer->tls, host_name(c->peer), on_encrypted, c);
    decrypt(c, (struct str){0});
}

/* Whether the call may use any of the addresses. */
static bool permits_any(const struct http_conn *c, const struct http_call *call)
{
    struct address address;

    for (int i = 0; i < c->address_count; i++)
        if (address_of((const struct sockaddr *)&c->addresses[i], &address) &&
            call->watch->permits(call->arg, &address))
            return true;
    return false;
}

static void end_denied(struct http_conn *c)
{
    struct http_call *ring = &c->peer->waiting;

    for (struct http_call *call = ring->after, *after; call != ring; call = after) {
        after = call->after;
        if (!permits_any(c, call))
            http_call_end(call, HTTP_END_DENIED, "the address of the upstream is not allowed");
    }
}

static bool connect_to(struct http_conn *c, const struct sockaddr *to)
{
    uv_tcp_t *tcp = malloc(sizeof *tcp);
    int error;

    must(tcp != NULL && uv_tcp_init(c->peer->client->loop, tcp) == 0);
    tcp->data = c;
    c->tcp = tcp;
    c->pending++;
    c->connect.data = c;
    error = uv_tcp_connect(&c->connect, tcp, to, on_connected);
    if (error == 0) {
        c->pending++;
        must(uv_timer_start(&c->timer, on_timer, HTTP_CLIENT_CONNECT_MS, 0) == 0);
        return true;
    }
    snprintf(c->text, sizeof c->text, "%s", uv_strerror(error));
    close_tcp(c);
    return false;
}

/* The first waiting call decides which addresses may be tried; each call checks again. */
static void try_address(struct http_conn *c)
{
    struct http_peer *peer = c->peer;
    const struct http_call *call = peer->waiting.after;

    if (call == &peer->waiting) {
        http_conn_close(c, HTTP_END_UNCONNECTED, "no request waits any more");
        return;
    }
    c->phase = HTTP_CONN_CONNECT;
    for (; c->address_at < c->address_count; c->address_at++) {
        const struct sockaddr *to = (const struct sockaddr *)&c->addresses[c->address_at];

        if (address_of(to, &c->address) && call->watch->permits(call->arg, &c->address) &&
            connect_to(c, to))
            return;
    }
    fail(c, "cannot connect to the upstream", c->text);
}

static void add_address(struct http_conn *c, const struct sockaddr *address)
{
    size_t size = address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6)
                                                 : sizeof(struct sockaddr_in);

    if (c->address_count < HTTP_CLIENT_ADDRESSES_MAX &&
        (address->sa_family == AF_INET || address->sa_family == AF_INET6))
        memcpy(&c->addresses[c->address_count++], address, size);
}

static void begin_connect(struct http_conn *c)
{
    end_denied(c);
    try_address(c);
}

static void on_lookup(uv_getaddrinfo_t *lookup, int status, struct addrinfo *list)
{
    struct http_conn *c = lookup->data;
    struct http_client *client = c->peer->client;

    for (const struct addrinfo *at = list; at; at = at->ai_next)
        add_address(c, at->ai_addr);
    uv_freeaddrinfo(list);
    if (c->phase != HTTP_CONN_CLOSED) {
        if (status < 0)
            fail(c, "cannot find the host of the upstream", uv_strerror(status));
        else
            begin_connect(c);
        http_client_wake(client);
    }
    leave_pending(c);
}

static void start_lookup(struct http_conn *c)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    const struct webhook_target *host = &c->peer->host;
    char port[8];
    int error;

    snprintf(port, sizeof port, "%u", host->port);
    c->lookup.data = c;
    error = uv_getaddrinfo(c->peer->client->loop, &c->lookup, on_lookup, host->host, port,
                           &hints);
    if (error != 0) { /* the name is not valid, for example not UTF-8 */
        fail(c, "cannot find the host of the upstream", uv_strerror(error));
        return;
    }
    c->pending++;
    must(uv_timer_start(&c->timer, on_timer, HTTP_CLIENT_CONNECT_MS, 0) == 0);
}

void http_conn_open(struct http_peer *peer)
{
    struct http_conn *c = calloc(1, sizeof *c);
    struct sockaddr_storage address;

    must(c != NULL && uv_timer_init(peer->client->loop, &c->timer) == 0);
    c->timer.data = c;
    c->pending = 1;
    c->peer = peer;
    c->next = peer->conns;
    c->calls.before = c->calls.after = &c->calls;
    peer->conns = c;
    peer->conn_count++;
    if (uv_ip4_addr(peer->host.host, peer->host.port, (struct sockaddr_in *)&address) != 0 &&
        uv_ip6_addr(peer->host.host, peer->host.port, (struct sockaddr_in6 *)&address) != 0) {
        start_lookup(c);
        return;
    }
    add_address(c, (const struct sockaddr *)&address);
    begin_connect(c);
}
