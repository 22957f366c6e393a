/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads Server-Sent Events from a socket.
 */
#include "peers/listen.h"

#include <errno.h>
#include <sys/socket.h>

enum { PIECE = 65536, HEAD_MAX = 16384 };

struct listener *listen_open(struct server *server, const char *path, const char *last)
{
    struct listener *l = calloc(1, sizeof *l);
    char head[HEAD_MAX];
    int len;

    assert_non_null(l);
    l->server = server;
    l->fd = request_connect(server);
    /* With HTTP/1.0 the stream is not chunked; it ends with the connection. */
    len = snprintf(head, sizeof head,
                   "GET %s HTTP/1.0\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                   "%s%s%s\r\n",
                   path, last ? "Last-Event-ID: " : "", last ? last : "", last ? "\r\n" : "");
    assert_in_range(len, 1, HEAD_MAX - 1);
    assert_int_equal(send(l->fd, head, (size_t)len, MSG_NOSIGNAL), len);
    return l;
}

static void drop(struct listener *l, size_t len)
{
    l->len -= len;
    memmove(l->text, l->text + len, l->len + 1);
}

static void read_line(struct sse_event *event, const char *line, size_t len)
{
    if (strncmp(line, "id: ", 4) == 0)
        event->id = strndup(line + 4, len - 4);
    else if (strncmp(line, "event: ", 7) == 0)
        event->name = strndup(line + 7, len - 7);
    else if (strncmp(line, "data: ", 6) == 0)
        event->data = json_loadb(line + 6, len - 6, 0, NULL);
}

/* Reads one event, up to the empty line; a comment is not counted as an event. */
static void read_event(struct listener *l, const char *end)
{
    struct sse_event *event = &l->events[l->count];

    assert_true(l->count < LISTEN_EVENTS_MAX);
    *event = (struct sse_event){0};
    for (const char *line = l->text; line < end;) {
        const char *next = memchr(line, '\n', (size_t)(end - line) + 1);

        read_line(event, line, (size_t)(next - line));
        line = next + 1;
    }
    l->count += event->data != NULL;
}

static void read_events(struct listener *l)
{
    char *end;

    if (l->status == 0 && (end = strstr(l->text, "\r\n\r\n"))) {
        assert_int_equal(sscanf(l->text, "HTTP/1.%*d %d", &l->status), 1);
        drop(l, (size_t)(end - l->text) + 4);
    }
    while (l->status == 200 && (end = strstr(l->text, "\n\n"))) {
        read_event(l, end);
        drop(l, (size_t)(end - l->text) + 2);
    }
}

bool listen_read(struct listener *l, bool waits)
{
    ssize_t n;

    if (l->is_over)
        return false;
    if (l->len + PIECE >= l->cap) {
        l->cap = 2 * l->cap + 2 * PIECE;
        l->text = realloc(l->text, l->cap);
        assert_non_null(l->text);
    }
    n = recv(l->fd, l->text + l->len, PIECE, waits ? 0 : MSG_DONTWAIT);
    if (n < 0 && errno == EAGAIN && !waits)
        return false;
    if (n < 0 && errno == EAGAIN)
        fail_msg("nothing was received for %d ms, after %d events", PATIENCE_MS, l->count);
    if (n <= 0) {
        l->is_over = true;
        return false;
    }
    l->len += (size_t)n;
    l->text[l->len] = '\0';
    read_events(l);
    return true;
}

void listen_await(struct listener *l, int count)
{
    while (l->count < count)
        if (!listen_read(l, true))
            fail_msg("the stream ended after %d of %d events", l->count, count);
}

void listen_await_end(struct listener *l)
{
    while (listen_read(l, true))
        ;
}

const char *listen_last_id(const struct listener *l)
{
    for (int i = l->count - 1; i >= 0; i--)
        if (l->events[i].id)
            return l->events[i].id;
    return NULL;
}

void listen_close(struct listener *l)
{
    if (!l)
        return;
    for (int i = 0; i < l->count; i++) {
        free(l->events[i].id);
        free(l->events[i].name);
        json_decref(l->events[i].data);
    }
    close(l->fd);
    free(l->text);
    free(l);
}
