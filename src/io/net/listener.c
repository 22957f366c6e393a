/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses, limits and the end of the listener.
 */
#include "io/net/listener.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "base/must.h"
#include "io/net/h2.h"
#include "io/net/listener_parts.h"

const struct listener_limits listener_limits_default = {
    .connections = 10000,
    .per_peer = 32,
    .per_local = 10000,
    .handshake = 10 * SPAN_S,
    .idle = 60 * SPAN_S,
    .head = 10 * SPAN_S,
    .body_window = 10 * SPAN_S,
    .body_rate = 1000,
    .stall = 30 * SPAN_S,
    .request = 30 * SPAN_S,
    .talk = 300 * SPAN_S,
    .quiet = 10 * SPAN_S,
    .linger = 2 * SPAN_S,
};

/* Limits connections so that descriptors are left for everything else. */
static int connections_max(int wanted)
{
    struct rlimit limit;
    rlim_t reserve = LISTENER_FD_RESERVE;

    must(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    if (reserve > limit.rlim_cur / 2)
        reserve = limit.rlim_cur / 2;
    limit.rlim_cur -= reserve;
    return limit.rlim_cur < (rlim_t)wanted ? (int)limit.rlim_cur : wanted;
}

struct listener *listener_new(uv_loop_t *loop, const struct listener_limits *limits,
                              const struct listener_handler *handler)
{
    struct listener *listener = calloc(1, sizeof *listener);

    must(listener != NULL && limits->connections > 0);
    must(limits->per_peer > 0 && limits->per_local > 0);
    listener->loop = loop;
    listener->limits = *limits;
    listener->limits.connections = connections_max(limits->connections);
    listener->handler = *handler;
    listener->peers = peer_limits_new();
    must(uv_timer_init(loop, &listener->deadline) == 0);
    listener->deadline.data = listener;
    must(uv_idle_init(loop, &listener->idle) == 0);
    listener->idle.data = listener;
    return listener;
}

static void on_connection(uv_stream_t *server, int status)
{
    /* A failure means that the client is gone or descriptors are short: libuv handles both. */
    if (status == 0)
        conn_open(server->data);
}

static enum rc parse_address(const char *host, uint16_t port, struct sockaddr_storage *ret,
                             struct err *reterr)
{
    if (uv_ip4_addr(host, port, (struct sockaddr_in *)ret) == 0 ||
        uv_ip6_addr(host, port, (struct sockaddr_in6 *)ret) == 0)
        return RC_OK;
    return err_set(reterr, RC_INVALID, -1, 0,
                   "\"%s\" is not an address to listen on; use a numeric one such as "
                   "127.0.0.1 or ::1",
                   host);
}

static enum rc set_bind_error(int error, const char *host, uint16_t port, struct err *reterr)
{
    enum rc rc = error == UV_EADDRINUSE      ? RC_CONFLICT
                 : error == UV_EADDRNOTAVAIL ? RC_NOT_FOUND
                                             : RC_INVALID;
    const char *advice = error == UV_EADDRINUSE
                             ? "; stop the program that uses it, or choose another port"
                         : error == UV_EACCES ? "; choose a port from 1024 on"
                                              : "";

    return err_set(reterr, rc, -1, 0, "cannot listen on %s port %u: %s%s", host, (unsigned)port,
                   uv_strerror(error), advice);
}

static void on_server_closed(uv_handle_t *handle)
{
    struct listener *listener = ((struct server *)handle->data)->listener;

    listener->handles--;
    listener_check_closed(listener);
}

static uint16_t port_of(const uv_tcp_t *server)
{
    struct sockaddr_storage address;
    int len = sizeof address;

    must(uv_tcp_getsockname(server, (struct sockaddr *)&address, &len) == 0);
    return ntohs(address.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&address)->sin6_port
                                               : ((struct sockaddr_in *)&address)->sin_port);
}

static enum rc bind_server(struct listener *listener, const char *host, uint16_t port,
                           bool has_tls, uint16_t *ret_port, struct err *reterr)
{
    struct sockaddr_storage address;
    struct server *server = &listener->servers[listener->server_count];
    enum rc rc = parse_address(host, port, &address, reterr);
    unsigned flags;
    int error;

    must(!listener->is_closing);
    if (rc != RC_OK)
        return rc;
    if (listener->server_count == LISTENER_ADDRESSES_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0, "too many listen addresses; the limit is %d",
                       LISTENER_ADDRESSES_MAX);
    /* IPv6 only, so that the same port of IPv4 is a separate address. */
    flags = address.ss_family == AF_INET6 ? UV_TCP_IPV6ONLY : 0;
    must(uv_tcp_init(listener->loop, &server->tcp) == 0);
    server->tcp.data = server;
    server->listener = listener;
    server->has_tls = has_tls;
    listener->server_count++;
    listener->handles++;
    error = uv_tcp_bind(&server->tcp, (struct sockaddr *)&address, flags);
    if (error == 0)
        error = uv_listen((uv_stream_t *)&server->tcp, LISTENER_BACKLOG, on_connection);
    if (error != 0) {
        uv_close((uv_handle_t *)&server->tcp, on_server_closed);
        return set_bind_error(error, host, port, reterr);
    }
    *ret_port = port_of(&server->tcp);
    return RC_OK;
}

enum rc listener_bind(struct listener *listener, const char *host, uint16_t port,
                      uint16_t *ret_port, struct err *reterr)
{
    return bind_server(listener, host, port, false, ret_port, reterr);
}

enum rc listener_bind_tls(struct listener *listener, const char *host, uint16_t port,
                          uint16_t *ret_port, struct err *reterr)
{
    must(listener->tls);
    return bind_server(listener, host, port, true, ret_port, reterr);
}

enum rc listener_tls(struct listener *listener, const struct tls_files *files,
                     struct err *reterr)
{
    struct tls_context *fresh;
    enum rc rc = tls_context_open(files, &fresh, reterr);

    if (rc != RC_OK)
        return rc;
    tls_context_free(listener->tls);
    listener->tls = fresh;
    return RC_OK;
}

struct listener_counts listener_counts(const struct listener *listener)
{
    return listener->counts;
}

static void on_idle(uv_idle_t *idle)
{
    struct listener *listener = idle->data;

    uv_idle_stop(idle);
    h2_flush_all(listener);
}

void listener_flush_soon(struct listener *listener)
{
    must(uv_idle_start(&listener->idle, on_idle) == 0);
}

static void on_over(uv_handle_t *handle)
{
    struct listener *listener = handle->data;

    if (--listener->handles == 0)
        listener->on_closed(listener->arg);
}

void listener_check_closed(struct listener *listener)
{
    if (!listener->is_closing || listener->is_over || listener->handles > 0 ||
        listener->conns || listener->used_count > 0)
        return;
    listener->is_over = true;
    listener->handles = 2;
    uv_close((uv_handle_t *)&listener->deadline, on_over);
    uv_close((uv_handle_t *)&listener->idle, on_over);
}

static void on_deadline(uv_timer_t *timer)
{
    struct listener *listener = timer->data;

    /* A connection leaves the list in a later round of the loop. */
    for (struct conn *c = listener->conns; c; c = c->next)
        conn_drop(c);
}

void listener_close(struct listener *listener, span within, void (*on_closed)(void *arg),
                    void *arg)
{
    uint64_t ms = within > 0 ? (uint64_t)((within - 1) / SPAN_MS) + 1 : 0;

    if (listener->is_over)
        return;
    must(uv_timer_start(&listener->deadline, on_deadline, ms, 0) == 0);
    if (listener->is_closing)
        return;
    listener->is_closing = true;
    listener->on_closed = on_closed;
    listener->arg = arg;
    for (int i = 0; i < listener->server_count; i++)
        if (!uv_is_closing((uv_handle_t *)&listener->servers[i].tcp))
            uv_close((uv_handle_t *)&listener->servers[i].tcp, on_server_closed);
    for (struct conn *c = listener->conns; c; c = c->next)
        conn_drain(c);
    listener_check_closed(listener);
}

struct listener *listener_free(struct listener *listener)
{
    if (!listener)
        return NULL;
    must(listener->is_over);
    while (listener->spare) {
        struct exchange *x = listener->spare;

        listener->spare = x->next;
        exchange_free(x);
    }
    peer_limits_free(listener->peers);
    tls_context_free(listener->tls);
    io_bytes_free(&listener->encrypted);
    io_bytes_free(&listener->frames);
    gzip_free(listener->gzip);
    free(listener);
    return NULL;
}
