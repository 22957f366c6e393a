/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of http_caller.h.
 */
#include "http_caller.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/clock.h"

static void print_fields(const struct http1_field *fields, int count, char *to)
{
    struct buf out = {.ptr = to, .cap = H2_CALLER_HEAD_MAX};

    for (int i = 0; i < count; i++)
        buf_printf(&out, "%.*s: %.*s\n", STR_ARG(fields[i].name), STR_ARG(fields[i].value));
    assert_false(out.cut);
}

static bool permits(void *arg, const struct address *address)
{
    struct http_caller_call *call = arg;

    return address_class_of(address) == ADDRESS_LOOPBACK && !call->caller->denies;
}

static void on_head(void *arg, int status, const struct http1_field *fields, int count)
{
    struct http_caller_call *call = arg;

    call->status = status;
    print_fields(fields, count, call->head);
}

static void on_data(void *arg, struct str data)
{
    struct http_caller_call *call = arg;

    for (size_t i = 0; i < data.len; i++) {
        if (call->received + i < sizeof call->start - 1)
            call->start[call->received + i] = data.ptr[i];
        call->is_different |= data.ptr[i] != app_byte(call->received + i);
    }
    call->received += data.len;
    if (!call->keeps)
        http_call_consume(call->call, data.len);
}

static void on_end(void *arg, const struct http_end *end)
{
    struct http_caller_call *call = arg;

    assert_false(call->is_ended);
    call->is_ended = true;
    call->call = NULL;
    call->kind = end->kind;
    snprintf(call->text, sizeof call->text, "%s", end->text);
    print_fields(end->trailers, end->trailer_count, call->trailers);
}

static void on_patience(uv_timer_t *timer)
{
    ((struct http_caller *)timer->data)->is_late = true;
}

struct http_caller *http_caller_open(const char *scheme, uint16_t port, const char *ca_file)
{
    struct http_caller *caller = calloc(1, sizeof *caller);

    assert_non_null(caller);
    signal(SIGPIPE, SIG_IGN); /* as in the server: either side may close first */
    assert_int_equal(uv_loop_init(&caller->loop), 0);
    assert_int_equal(uv_timer_init(&caller->loop, &caller->patience), 0);
    caller->patience.data = caller;
    snprintf(caller->url, sizeof caller->url, "%s://127.0.0.1:%u", scheme, port);
    caller->target.url = str_of(caller->url);
    caller->client = http_client_new(&caller->loop, ca_file);
    return caller;
}

static void on_closed(void *arg)
{
    ((struct http_caller *)arg)->is_closed = true;
}

static void step(struct http_caller *caller)
{
    uv_timer_start(&caller->patience, on_patience, PATIENCE / SPAN_MS, 0);
    uv_run(&caller->loop, UV_RUN_ONCE);
    if (caller->is_late)
        fail_msg("nothing happened for too long");
}

void http_caller_close(struct http_caller *caller)
{
    http_client_close(caller->client, on_closed, caller);
    while (!caller->is_closed)
        step(caller);
    uv_close((uv_handle_t *)&caller->patience, NULL);
    assert_int_equal(uv_run(&caller->loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(uv_loop_close(&caller->loop), 0);
    for (int i = 0; i < caller->call_count; i++)
        free(caller->calls[i]);
    free(caller);
}

struct http_caller_call *http_caller_start(struct http_caller *caller, const char *path,
                                           struct str body, span within)
{
    static const struct http_watch watch = {
        .permits = permits, .on_head = on_head, .on_data = on_data, .on_end = on_end};
    static const struct http1_field field = {{"x-test", 6}, {"yes", 3}};
    struct http_caller_call *call = calloc(1, sizeof *call);

    assert_non_null(call);
    assert_true(caller->call_count < H2_CALLER_CALLS_MAX);
    caller->calls[caller->call_count++] = call;
    call->caller = caller;
    call->path = str_of(path);
    call->body = body;
    call->call = http_client_call(caller->client,
                                  &(struct http_request){
                                      .target = &caller->target,
                                      .method = body.len > 0 ? STR("POST") : STR("GET"),
                                      .path = call->path,
                                      .fields = &field,
                                      .field_count = 1,
                                      .body = body,
                                      .within = within,
                                  },
                                  &watch, call);
    return call;
}

struct http_caller_call *http_caller_get(struct http_caller *caller, const char *path)
{
    return http_caller_start(caller, path, (struct str){0}, 0);
}

void http_caller_wait(struct http_caller_call *call)
{
    while (!call->is_ended)
        step(call->caller);
}

void http_caller_wait_bytes(struct http_caller_call *call, size_t bytes)
{
    while (call->received < bytes)
        step(call->caller);
}

int64_t http_caller_await(struct http_caller *caller, struct app *app, enum app_word word)
{
    /* The news have no handle on this loop. */
    while (!mailbox_wait(app->news, clock_boot_us() + SPAN_MS))
        uv_run(&caller->loop, UV_RUN_NOWAIT);
    return app_await(app, word);
}
