/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sending: bytes that the kernel accepts immediately are never copied; the rest waits in two
 * buffers, one with libuv and one that grows meanwhile.
 */
#include <stdlib.h>

#include "base/must.h"
#include "io/net/h2.h"
#include "io/net/listener_parts.h"

enum {
    BYTES_SMALL = 512,  /* initial size of a buffer for little: malloc() is quick then */
    BYTES_FIRST = 4096, /* and for more */
};

void conn_bytes_add(struct conn_bytes *bytes, struct str more)
{
    size_t first = more.len <= BYTES_SMALL ? BYTES_SMALL : BYTES_FIRST;
    size_t cap = bytes->cap > 0 ? bytes->cap : first;

    if (more.len == 0)
        return;
    must(more.len <= PTRDIFF_MAX / 4 && bytes->len <= PTRDIFF_MAX / 4);
    while (cap < bytes->len + more.len)
        cap *= 2;
    if (cap > bytes->cap) {
        bytes->ptr = realloc(bytes->ptr, cap);
        must(bytes->ptr != NULL);
        bytes->cap = cap;
    }
    memcpy(bytes->ptr + bytes->len, more.ptr, more.len);
    bytes->len += more.len;
}

void conn_bytes_free(struct conn_bytes *bytes)
{
    free(bytes->ptr);
    *bytes = (struct conn_bytes){0};
}

size_t conn_backlog(const struct conn *c)
{
    size_t flight = c->is_writing ? uv_stream_get_write_queue_size((void *)&c->tcp) : 0;

    return flight + c->queue.len;
}

static void on_written(uv_write_t *write, int status);

static void start_write(struct conn *c)
{
    struct conn_bytes bytes = c->queue;
    uv_buf_t buf;

    if (c->is_writing || c->queue.len == 0 || c->is_broken)
        return;
    c->queue = c->flight;
    c->queue.len = 0;
    c->flight = bytes;
    buf = uv_buf_init(bytes.ptr, (unsigned)bytes.len);
    c->write.data = c;
    c->is_writing = uv_write(&c->write, (uv_stream_t *)&c->tcp, &buf, 1, on_written) == 0;
    if (!c->is_writing)
        conn_break(c);
}

static void on_written(uv_write_t *write, int status)
{
    struct conn *c = write->data;
    struct exchange *x = c->exchange;

    c->is_writing = false;
    c->flight.len = 0;
    if (c->phase == CONN_CLOSED)
        return;
    if (status < 0) {
        conn_drop(c);
        return;
    }
    start_write(c);
    if (c->phase == CONN_H2)
        h2_resume(c);
    else if (c->phase == CONN_FLUSH && conn_backlog(c) == 0)
        conn_answered(c);
    else if (c->phase == CONN_HELD && x->wants_room && x->watch && x->watch->on_room &&
             conn_backlog(c) <= EXCHANGE_BACKLOG_MAX / 2) {
        x->wants_room = false;
        x->watch->on_room(x->arg, x);
    }
    conn_settle(c);
}

/* The bytes of both that the kernel accepts immediately. */
static size_t try_write(struct conn *c, struct str head, struct str body)
{
    uv_buf_t bufs[] = {uv_buf_init((char *)(uintptr_t)head.ptr, (unsigned)head.len),
                       uv_buf_init((char *)(uintptr_t)body.ptr, (unsigned)body.len)};
    int n = uv_try_write((uv_stream_t *)&c->tcp, bufs, body.len > 0 ? 2 : 1);

    if (n < 0 && n != UV_EAGAIN)
        conn_break(c);
    return n > 0 ? (size_t)n : 0;
}

void conn_write_raw(struct conn *c, struct str head, struct str body)
{
    size_t done;

    if (c->is_broken)
        return;
    must(body.len <= INT32_MAX); /* the limit of one write of libuv */
    done = conn_backlog(c) == 0 ? try_write(c, head, body) : 0;
    c->taken += head.len + body.len;
    if (done < head.len)
        conn_bytes_add(&c->queue, str_from(head, done));
    conn_bytes_add(&c->queue, str_from(body, done > head.len ? done - head.len : 0));
    start_write(c);
}

void conn_send(struct conn *c, struct str head, struct str body)
{
    if (c->tls)
        conn_encrypt(c, head, body);
    else
        conn_write_raw(c, head, body);
}
