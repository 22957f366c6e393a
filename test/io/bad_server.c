/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The badly behaved test server of bad_server.h.
 */
#include "bad_server.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "wire/http1/http1.h"

enum { READ_BYTES = 16 * 1024, DRIP_MS = 5 };

struct bad_peer {
    uv_tcp_t tcp;
    uv_timer_t timer;
    uv_write_t write;
    struct bad_server *server;
    struct bad_peer *next;
    int number, open_handles;
    bool is_closing;
    const struct bad_script *script;
    struct http1 parser;
    char room[HTTP1_ROOM], bytes[READ_BYTES];
    struct bad_seen *seen;
};

static const char nothing[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
static const struct bad_script usual = {.path = "", .bytes = {nothing, sizeof nothing - 1}};

static void on_closed(uv_handle_t *handle)
{
    struct bad_peer *peer = handle->data, **at = &peer->server->peers;

    if (--peer->open_handles > 0)
        return;
    while (*at != peer)
        at = &(*at)->next;
    *at = peer->next;
    free(peer);
}

static void end(struct bad_peer *peer, bool is_reset)
{
    if (peer->is_closing)
        return;
    peer->is_closing = true;
    peer->server->open_now--;
    uv_close((uv_handle_t *)&peer->timer, on_closed);
    if (!is_reset || uv_tcp_close_reset(&peer->tcp, on_closed) != 0)
        uv_close((uv_handle_t *)&peer->tcp, on_closed);
}

static void send_bytes(struct bad_peer *peer, struct str bytes);

static void on_drip(uv_timer_t *timer)
{
    struct bad_peer *peer = timer->data;

    send_bytes(peer, peer->script->again);
}

static void on_written(uv_write_t *write, int status)
{
    struct bad_peer *peer = write->data;

    if (status < 0) {
        end(peer, false);
        return;
    }
    switch (peer->script->end) {
    case BAD_STAYS:
        return;
    case BAD_CLOSES:
    case BAD_RESETS:
        end(peer, peer->script->end == BAD_RESETS);
        return;
    case BAD_FLOODS:
        send_bytes(peer, peer->script->again);
        return;
    case BAD_DRIPS:
        uv_timer_start(&peer->timer, on_drip, DRIP_MS, 0);
        return;
    }
}

static void send_bytes(struct bad_peer *peer, struct str bytes)
{
    uv_buf_t buf = uv_buf_init((char *)(uintptr_t)bytes.ptr, (unsigned)bytes.len);

    if (peer->is_closing)
        return;
    if (uv_write(&peer->write, (uv_stream_t *)&peer->tcp, &buf, 1, on_written) != 0)
        end(peer, false);
}

static void note_head(struct bad_peer *peer)
{
    const struct http1_request *request = &peer->parser.request;
    struct bad_server *server = peer->server;
    int at = 0;

    must(server->seen_count < BAD_SEEN_MAX);
    peer->seen = &server->seen[server->seen_count++];
    memset(peer->seen, 0, sizeof *peer->seen);
    peer->seen->connection = peer->number;
    snprintf(peer->seen->line, sizeof peer->seen->line, "%.*s %.*s", STR_ARG(request->method),
             STR_ARG(request->target));
    for (int i = 0; i < request->field_count && at < BAD_FIELDS_MAX; i++)
        at += snprintf(peer->seen->fields + at, (size_t)(BAD_FIELDS_MAX - at), "%.*s: %.*s\n",
                       STR_ARG(request->fields[i].name), STR_ARG(request->fields[i].value));
}

static void note_body(struct bad_peer *peer)
{
    size_t have = strlen(peer->seen->body);

    must(have + peer->parser.piece.len < BAD_BODY_MAX);
    memcpy(peer->seen->body + have, peer->parser.piece.ptr, peer->parser.piece.len);
}

static void answer(struct bad_peer *peer)
{
    struct bad_server *server = peer->server;
    const char *path = strchr(peer->seen->line, ' ') + 1;

    peer->script = &usual;
    for (int i = 0; i < server->script_count; i++)
        if (strcmp(server->scripts[i].path, path) == 0)
            peer->script = &server->scripts[i];
    if (server->answers)
        peer->script = server->answers(server->arg, peer->seen);
    http1_begin(&peer->parser, peer->room, BAD_BODY_MAX - 1);
    send_bytes(peer, peer->script->bytes);
}

static void feed(struct bad_peer *peer, struct str bytes)
{
    enum http1_event event = HTTP1_BODY;
    struct err err;

    while (event != HTTP1_MORE && event != HTTP1_DONE) {
        if (http1_feed(&peer->parser, &bytes, &event, &err)) {
            end(peer, false);
            return;
        }
        if (event == HTTP1_HEAD)
            note_head(peer);
        if (event == HTTP1_BODY)
            note_body(peer);
    }
    if (event == HTTP1_DONE)
        answer(peer);
}

static void on_room(uv_handle_t *handle, size_t wanted, uv_buf_t *ret)
{
    struct bad_peer *peer = handle->data;

    (void)wanted;
    *ret = uv_buf_init(peer->bytes, READ_BYTES);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buf)
{
    struct bad_peer *peer = stream->data;

    if (count < 0)
        end(peer, false);
    else if (!peer->server->is_mute)
        feed(peer, (struct str){buf->base, (size_t)count});
}

static void on_connection(uv_stream_t *listener, int status)
{
    struct bad_server *server = listener->data;
    struct bad_peer *peer = calloc(1, sizeof *peer);

    must(status == 0 && peer != NULL);
    peer->server = server;
    peer->next = server->peers;
    server->peers = peer;
    peer->number = ++server->connections;
    if (++server->open_now > server->open_most)
        server->open_most = server->open_now;
    peer->open_handles = 2;
    must(uv_tcp_init(server->loop, &peer->tcp) == 0);
    must(uv_timer_init(server->loop, &peer->timer) == 0);
    peer->tcp.data = peer->timer.data = peer->write.data = peer;
    must(uv_accept(listener, (uv_stream_t *)&peer->tcp) == 0);
    http1_begin(&peer->parser, peer->room, BAD_BODY_MAX - 1);
    must(uv_read_start((uv_stream_t *)&peer->tcp, on_room, on_read) == 0);
}

void bad_server_start(struct bad_server *server, uv_loop_t *loop)
{
    struct sockaddr_in address;
    int len = sizeof address;

    memset(server, 0, sizeof *server);
    server->loop = loop;
    must(uv_ip4_addr("127.0.0.1", 0, &address) == 0);
    must(uv_tcp_init(loop, &server->tcp) == 0);
    must(uv_tcp_bind(&server->tcp, (struct sockaddr *)&address, 0) == 0);
    server->tcp.data = server;
    must(uv_listen((uv_stream_t *)&server->tcp, 128, on_connection) == 0);
    must(uv_tcp_getsockname(&server->tcp, (struct sockaddr *)&address, &len) == 0);
    server->port = ntohs(address.sin_port);
}

void bad_server_stop(struct bad_server *server)
{
    uv_close((uv_handle_t *)&server->tcp, NULL);
    for (struct bad_peer *peer = server->peers; peer; peer = peer->next)
        end(peer, false);
}

void bad_server_script(struct bad_server *server, struct bad_script script)
{
    for (int i = 0; i < server->script_count; i++) {
        if (strcmp(server->scripts[i].path, script.path) == 0) {
            server->scripts[i] = script;
            return;
        }
    }
    must(server->script_count < BAD_SCRIPTS_MAX);
    server->scripts[server->script_count++] = script;
}

const char *bad_seen_field(const struct bad_seen *seen, const char *name)
{
    static char value[BAD_FIELDS_MAX];
    size_t len = strlen(name);

    for (const char *p = seen->fields; *p != '\0'; p = strchr(p, '\n') + 1) /* NAME: VALUE */
        if (str_eq_nocase((struct str){p, len}, str_of(name)) &&
            strncmp(p + len, ": ", 2) == 0) {
            snprintf(value, sizeof value, "%.*s", (int)strcspn(p + len + 2, "\n"), p + len + 2);
            return value;
        }
    return NULL;
}
