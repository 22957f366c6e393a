/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTTP/2 client of h2_client.h.
 */
#include "h2_client.h"

#include <stdlib.h>
#include <string.h>

static struct h2c_answer *answer_of(struct h2c *h, int32_t id)
{
    for (int i = 0; i < h->count; i++)
        if (h->answers[i].id == id)
            return &h->answers[i];
    return NULL;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, nghttp2_rcbuf *name,
                     nghttp2_rcbuf *value, uint8_t flags, void *arg)
{
    struct h2c_answer *a = answer_of(arg, frame->hd.stream_id);
    char *text = a->body_len > 0 ? a->tail : a->head;

    (void)session;
    (void)flags;
    snprintf(text + strlen(text), H2C_TEXT - strlen(text), "%s: %s\n",
             (char *)nghttp2_rcbuf_get_buf(name).base,
             (char *)nghttp2_rcbuf_get_buf(value).base);
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data,
                   size_t len, void *arg)
{
    struct h2c_answer *a = answer_of(arg, id);

    (void)session;
    (void)flags;
    if (!a->body)
        a->body = malloc(H2C_BODY);
    assert_non_null(a->body);
    assert_true(a->body_len + len <= H2C_BODY);
    memcpy(a->body + a->body_len, data, len);
    a->body_len += len;
    return 0;
}

static int on_close(nghttp2_session *session, int32_t id, uint32_t error, void *arg)
{
    struct h2c_answer *a = answer_of(arg, id);

    (void)session;
    a->is_closed = true;
    a->error = error;
    return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    struct h2c *h = arg;

    (void)session;
    if (frame->hd.type == NGHTTP2_GOAWAY) {
        h->has_goaway = true;
        h->goaway = frame->goaway.error_code;
    }
    h->pongs += frame->hd.type == NGHTTP2_PING && (frame->hd.flags & NGHTTP2_FLAG_ACK);
    return 0;
}

struct h2c *h2c_open(int fd)
{
    struct h2c *h = calloc(1, sizeof *h);
    nghttp2_session_callbacks *calls;

    assert_non_null(h);
    h->fd = fd;
    assert_int_equal(nghttp2_session_callbacks_new(&calls), 0);
    nghttp2_session_callbacks_set_on_header_callback2(calls, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(calls, on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(calls, on_close);
    nghttp2_session_callbacks_set_on_frame_recv_callback(calls, on_frame);
    assert_int_equal(nghttp2_session_client_new(&h->session, calls, h), 0);
    nghttp2_session_callbacks_del(calls);
    assert_int_equal(nghttp2_submit_settings(h->session, NGHTTP2_FLAG_NONE, NULL, 0), 0);
    return h;
}

void h2c_close(struct h2c *h)
{
    close(h->fd);
    nghttp2_session_del(h->session);
    for (int i = 0; i < h->count; i++)
        free(h->answers[i].body);
    free(h);
}

static ssize_t read_body(nghttp2_session *session, int32_t id, uint8_t *room, size_t len,
                         uint32_t *flags, nghttp2_data_source *source, void *arg)
{
    const struct h2c_request *request = source->ptr;
    static size_t at;

    (void)session;
    (void)id;
    (void)arg;
    len = len < request->body.len - at ? len : request->body.len - at;
    if (len > 0)
        memcpy(room, request->body.ptr + at, len);
    at += len;
    if (at < request->body.len)
        return (ssize_t)len;
    at = 0;
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (request->is_half)
        *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
    return (ssize_t)len;
}

static nghttp2_nv nv_of(const char *name, const char *value)
{
    return (nghttp2_nv){.name = (uint8_t *)(uintptr_t)name,
                        .value = (uint8_t *)(uintptr_t)value,
                        .namelen = strlen(name),
                        .valuelen = strlen(value)};
}

struct h2c_answer *h2c_ask(struct h2c *h, const struct h2c_request *request)
{
    struct h2c_answer *a = &h->answers[h->count++];
    nghttp2_data_provider body = {.source.ptr = (void *)(uintptr_t)request,
                                  .read_callback = read_body};
    nghttp2_nv nv[7];
    size_t n = 0;

    assert_true(h->count <= H2C_STREAMS);
    nv[n++] = nv_of(":method", request->method);
    nv[n++] = nv_of(":scheme", "http");
    nv[n++] = nv_of(":authority", request->authority ? request->authority : "h");
    nv[n++] = nv_of(":path", request->path);
    if (request->name)
        nv[n++] = nv_of(request->name, request->value);
    if (request->name2)
        nv[n++] = nv_of(request->name2, request->value2);
    if (request->name3)
        nv[n++] = nv_of(request->name3, request->value3);
    a->id = nghttp2_submit_request(h->session, NULL, nv, n,
                                   request->body.len > 0 || request->is_half ? &body : NULL,
                                   NULL);
    assert_true(a->id > 0);
    h2c_flush(h);
    return a;
}

struct h2c_answer *h2c_get(struct h2c *h, const char *path)
{
    return h2c_ask(h, &(struct h2c_request){.method = "GET", .path = path});
}

/* Sends all frames at once, so that the server does not wait for the next one. */
void h2c_flush(struct h2c *h)
{
    char room[H2C_SEND];
    const uint8_t *data;
    size_t len = 0;
    ssize_t n;

    while ((n = nghttp2_session_mem_send(h->session, &data)) > 0) {
        if (len + (size_t)n > sizeof room) {
            client_send(h->fd, (struct str){room, len});
            len = 0;
        }
        assert_in_range(n, 1, sizeof room);
        memcpy(room + len, data, (size_t)n);
        len += (size_t)n;
    }
    assert_int_equal(n, 0);
    client_send(h->fd, (struct str){room, len});
}

static void read_some(struct h2c *h)
{
    uint8_t room[16384];
    ssize_t n = recv(h->fd, room, sizeof room, 0);

    if (n <= 0) {
        assert_true(n == 0 || errno == ECONNRESET);
        h->has_eof = true;
        return;
    }
    assert_int_equal(nghttp2_session_mem_recv(h->session, room, (size_t)n), n);
    if (!h->has_goaway)
        h2c_flush(h);
}

void h2c_await(struct h2c *h, const struct h2c_answer *answer)
{
    while (!answer->is_closed && !h->has_eof)
        read_some(h);
    assert_true(answer->is_closed);
}

void h2c_await_body(struct h2c *h, const struct h2c_answer *answer, size_t len)
{
    while (answer->body_len < len && !answer->is_closed && !h->has_eof)
        read_some(h);
    assert_true(answer->body_len >= len);
}

void h2c_await_pong(struct h2c *h)
{
    int pongs = h->pongs;

    while (h->pongs == pongs && !h->has_eof)
        read_some(h);
    assert_int_equal(h->pongs, pongs + 1);
}

void h2c_await_goaway(struct h2c *h)
{
    while (!h->has_goaway && !h->has_eof)
        read_some(h);
    assert_true(h->has_goaway);
}

void h2c_await_end(struct h2c *h)
{
    while (!h->has_eof)
        read_some(h);
}

bool h2c_frame(int fd, uint8_t type, uint8_t flags, uint32_t id, struct str payload)
{
    char head[9] = {(char)(payload.len >> 16),
                    (char)(payload.len >> 8),
                    (char)payload.len,
                    (char)type,
                    (char)flags,
                    (char)(id >> 24),
                    (char)(id >> 16),
                    (char)(id >> 8),
                    (char)id};
    struct iovec parts[] = {{head, sizeof head}, {(void *)(uintptr_t)payload.ptr, payload.len}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};

    return sendmsg(fd, &message, MSG_NOSIGNAL) == (ssize_t)(sizeof head + payload.len);
}

void h2c_hello(int fd)
{
    client_say(fd, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    assert_true(h2c_frame(fd, NGHTTP2_SETTINGS, 0, 0, STR("")));
}
