/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The upstream of upstream.h.
 */
#include "peers/upstream.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "wire/grpc/grpc.h"
#include "wire/grpc/proto.h"

static const struct http1_field head[] = {
    {{"content-type", 12}, {"application/grpc", 16}},
    {{"x-upstream", 10}, {"head", 4}},
};
static const struct http1_field ok[] = {
    {{"grpc-status", 11}, {"0", 1}},
    {{"x-upstream-trailer", 18}, {"tail", 4}},
};
static const struct http1_field not_found[] = {
    {{"content-type", 12}, {"application/grpc", 16}},
    {{"grpc-status", 11}, {"5", 1}},
    {{"grpc-message", 12}, {"no such workflow", 16}},
    {{"grpc-status-details-bin", 23}, {"CAUSBG5vbmU", 11}},
};

static void note(struct upstream *u, struct str text)
{
    must(u->seen_len + text.len < UPSTREAM_SEEN_MAX);
    memcpy(u->seen + u->seen_len, text.ptr, text.len);
    u->seen_len += text.len;
}

static void note_request(struct upstream *u, const struct exchange *x)
{
    pthread_mutex_lock(&u->mutex);
    note(u, x->request->target);
    note(u, STR("\n"));
    for (int i = 0; i < x->request->field_count; i++) {
        note(u, x->request->fields[i].name);
        note(u, STR(": "));
        note(u, x->request->fields[i].value);
        note(u, STR("\n"));
    }
    note(u, x->body);
    note(u, STR("\n"));
    u->requests++;
    pthread_mutex_unlock(&u->mutex);
}

static void count(struct upstream *u, int *number, int change)
{
    pthread_mutex_lock(&u->mutex);
    *number += change;
    pthread_mutex_unlock(&u->mutex);
}

static int read_number(struct upstream *u, const int *number)
{
    int n;

    pthread_mutex_lock(&u->mutex);
    n = *number;
    pthread_mutex_unlock(&u->mutex);
    return n;
}

static void on_gone(void *arg, struct exchange *x)
{
    struct upstream *u = arg;

    count(u, &u->polls, -1);
    count(u, &u->gone, 1);
    exchange_cut(x);
}

static void on_big_gone(void *arg, struct exchange *x)
{
    struct upstream *u = arg;

    count(u, &u->gone, 1);
    exchange_cut(x);
}

static void write_big(void *arg, struct exchange *x)
{
    static char piece[16384];
    struct upstream *u = arg;

    for (int left = UPSTREAM_BIG - read_number(u, &u->written); left > 0;
         left -= (int)sizeof piece) {
        if (!exchange_write(x, (struct str){piece, sizeof piece}))
            return;
        count(u, &u->written, sizeof piece);
    }
    exchange_set_trailers(x, ok, 2);
    exchange_end(x);
}

/* A namespace is called in field 1 of the request and has an id, except "absent". */
static void describe_namespace(struct exchange *x)
{
    struct str name;
    char text[256];
    struct buf out = BUF(text), info = arena_buf(exchange_arena(x), sizeof text);

    must(proto_find_text(str_from(x->body, GRPC_PREFIX), 1, &name) && name.len < 64);
    if (str_eq(name, STR("absent"))) {
        exchange_answer(x, 200, not_found, 4, STR(""));
        return;
    }
    buf_printf(&info, "\x0a%c%.*s\x32%c" UPSTREAM_ID "%.*s", (char)name.len, (int)name.len,
               name.ptr, (char)(strlen(UPSTREAM_ID) + name.len), (int)name.len, name.ptr);
    grpc_prefix(info.len + 2, &out);
    buf_printf(&out, "\x0a%c", (char)info.len);
    buf_str(&out, buf_as_str(&info));
    exchange_set_trailers(x, ok, 2);
    exchange_answer(x, 200, head, 2, buf_as_str(&out));
}

static const struct exchange_watch poll_watch = {.on_gone = on_gone};
static const struct exchange_watch big_watch = {.on_gone = on_big_gone, .on_room = write_big};

static void on_request(void *arg, struct exchange *x)
{
    struct upstream *u = arg;
    struct str method = x->request->segments[x->request->segment_count - 1];

    bool is_attributes = str_eq(method, STR("ListSearchAttributes"));

    note_request(u, x);
    if (str_starts(method, STR("Poll")) ||
        (is_attributes && read_number(u, &u->holds_lists) > 0)) {
        exchange_watch(x, &poll_watch, u);
        count(u, &u->polls, 1);
    } else if (str_starts(method, STR("Signal"))) {
        exchange_answer(x, 200, not_found, 4, STR(""));
    } else if (str_starts(method, STR("Terminate"))) {
        exchange_cut(x);
    } else if (str_eq(method, STR("DescribeNamespace"))) {
        describe_namespace(x);
    } else if (is_attributes) {
        exchange_set_trailers(x, ok, 2);
        exchange_answer(x, 200, head, 2,
                        (struct str){"\0\0\0\0\x0a\x0a\x08\x0a\x04Team\x10\x02", 15});
    } else if (str_starts(method, STR("List"))) {
        count(u, &u->written, -read_number(u, &u->written));
        exchange_watch(x, &big_watch, u);
        exchange_begin(x, 200, head, 2);
        write_big(u, x);
    } else {
        exchange_set_trailers(x, ok, 2);
        exchange_answer(x, 200, head, 2, (struct str){"\0\0\0\0\2\x0a\0", 7});
    }
}

static int64_t body_max(void *arg, const struct http1_request *request)
{
    (void)arg;
    (void)request;
    return UPSTREAM_BODY_MAX;
}

static void on_closed(void *arg)
{
    struct upstream *u = arg;

    u->listener = listener_free(u->listener);
    loop_stop(u->loop);
}

static void on_wake(void *arg)
{
    struct upstream *u = arg;

    if (u->listener)
        listener_close(u->listener, 0, on_closed, u);
}

static void *run(void *arg)
{
    loop_run(((struct upstream *)arg)->loop);
    return NULL;
}

void upstream_open(struct upstream *u)
{
    struct listener_handler handler = {
        .body_max = body_max, .on_request = on_request, .arg = u};
    struct err err;

    *u = (struct upstream){.seen = malloc(UPSTREAM_SEEN_MAX)};
    must(u->seen != NULL && pthread_mutex_init(&u->mutex, NULL) == 0);
    u->loop = loop_new(on_wake, u);
    u->listener = listener_new(loop_uv(u->loop), &listener_limits_default, &handler);
    must(listener_bind(u->listener, "127.0.0.1", 0, &u->port, &err) == RC_OK);
    must(pthread_create(&u->thread, NULL, run, u) == 0);
}

void upstream_close(struct upstream *u)
{
    loop_wake(u->loop);
    must(pthread_join(u->thread, NULL) == 0);
    loop_free(u->loop);
    pthread_mutex_destroy(&u->mutex);
    free(u->seen);
}

void upstream_hold_lists(struct upstream *u)
{
    count(u, &u->holds_lists, 1);
}

int upstream_requests(struct upstream *u)
{
    return read_number(u, &u->requests);
}

int upstream_polls(struct upstream *u)
{
    return read_number(u, &u->polls);
}

int upstream_gone(struct upstream *u)
{
    return read_number(u, &u->gone);
}

bool upstream_has_seen(struct upstream *u, const char *text)
{
    bool has;

    pthread_mutex_lock(&u->mutex);
    has = memmem(u->seen, u->seen_len, text, strlen(text)) != NULL;
    pthread_mutex_unlock(&u->mutex);
    return has;
}

int upstream_written(struct upstream *u)
{
    return read_number(u, &u->written);
}
