/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test server of app.h: its requests, its thread and its orders.
 */
#include "app.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "io/clock.h"

static void app_tell(struct app *app, enum app_word word, int64_t number)
{
    must(mailbox_push(app->news, &(struct app_note){word, number}));
}

void app_order(struct app *app, enum app_word word, int64_t number)
{
    assert_true(mailbox_push(app->orders, &(struct app_note){word, number}));
}

int64_t app_await(struct app *app, enum app_word word)
{
    struct app_note note;

    assert_true(mailbox_wait(app->news, clock_boot_us() + PATIENCE));
    assert_int_equal(mailbox_take(app->news, &note, 1), 1);
    assert_int_equal(note.word, word);
    return note.number;
}

static void app_on_gone(void *arg, struct exchange *x)
{
    must(x->is_gone);
    app_tell(arg, APP_GONE, 0);
}

static void app_on_over(void *arg, bool is_sent)
{
    app_tell(arg, APP_OVER, is_sent);
}

char app_byte(size_t at)
{
    return (char)('a' + at % 23);
}

static void app_stream(void *arg, struct exchange *x)
{
    struct app *app = arg;
    char piece[APP_PIECE];

    while (app->streamed < APP_STREAM) {
        size_t left = APP_STREAM - app->streamed;
        size_t n = left < sizeof piece ? left : sizeof piece;

        for (size_t i = 0; i < n; i++)
            piece[i] = app_byte(app->streamed + i);
        if (!exchange_write(x, (struct str){piece, n})) {
            if (!app->was_full)
                app_tell(app, APP_FULL, (int64_t)app->streamed);
            app->was_full = true;
            return;
        }
        app->streamed += n;
    }
    exchange_end(x);
}

static void app_stream_gone(void *arg, struct exchange *x)
{
    app_on_gone(arg, x);
    exchange_end(x);
}

static const struct exchange_watch app_watch = {.on_gone = app_on_gone};
static const struct exchange_watch app_watch_over = {.on_gone = app_on_gone,
                                                     .on_over = app_on_over};
static const struct exchange_watch app_watch_stream = {.on_room = app_stream,
                                                       .on_gone = app_stream_gone};

/* METHOD [segment,...] [key=value&...] [body] */
static struct str app_echo(struct exchange *x)
{
    const struct http1_request *request = x->request;
    size_t cap = 512 + request->target.len * 2 + x->body.len;
    struct buf out = {.ptr = arena_take(exchange_arena(x), cap), .cap = cap};

    buf_str(&out, request->method);
    buf_text(&out, " [");
    for (int i = 0; i < request->segment_count; i++) {
        buf_text(&out, i > 0 ? "," : "");
        buf_str(&out, request->segments[i]);
    }
    buf_text(&out, "] [");
    for (int i = 0; i < request->pair_count; i++) {
        buf_text(&out, i > 0 ? "&" : "");
        buf_str(&out, request->pairs[i].key);
        buf_text(&out, "=");
        buf_str(&out, request->pairs[i].value);
    }
    buf_text(&out, "] [");
    buf_str(&out, x->body);
    buf_text(&out, "]");
    must(!out.cut);
    return buf_as_str(&out);
}

/* The number that is the first key of the query. */
static int64_t app_number(const struct exchange *x)
{
    struct str digits = x->request->pair_count > 0 ? x->request->pairs[0].key : STR("");
    int64_t number = 0;

    must(str_take_number(&digits, INT32_MAX, &number) > 0);
    return number;
}

static void app_hold(struct app *app, struct exchange *x)
{
    must(app->held_count < APP_HELD_MAX);
    app->held[app->held_count++] = x;
    exchange_watch(x, &app_watch, app);
    app_tell(app, APP_HELD, 0);
}

void app_request(void *arg, struct exchange *x)
{
    static const struct http1_field type = {{"Content-Type", 12}, {"text/plain", 10}};
    static const struct http1_field broken = {{"X-Broken", 8}, {"a\r\nb", 4}};
    static const struct http1_field kinds[APP_KINDS][2] = {
        [APP_JSON] = {{{"Content-Type", 12}, {"application/json", 16}}, {{"X", 1}, {"y", 1}}},
        [APP_PROBLEM] = {{{"content-type", 12}, {"application/Problem+JSON ; a=b", 29}},
                         {{"ETag", 4}, {"W/\"1\"", 5}}},
        [APP_STRONG] = {{{"Content-Type", 12}, {"text/plain", 10}},
                        {{"ETag", 4}, {"\"1\"", 3}}},
        [APP_IMAGE] = {{{"Content-Type", 12}, {"image/png", 9}}, {{"X", 1}, {"y", 1}}},
        [APP_CODED] = {{{"Content-Type", 12}, {"text/plain", 10}},
                       {{"Content-Encoding", 16}, {"br", 2}}},
        [APP_BROKEN] = {{{"Content-Type", 12}, {"text/plain", 10}},
                        {{"X-Broken", 8}, {"a\r\nb", 4}}},
    };
    static const struct http1_field tail = {{"X-Tail", 6}, {"1", 1}};
    struct app *app = arg;
    struct str what = x->request->segment_count > 0 ? x->request->segments[0] : STR("");

    if (x->is_too_large) {
        exchange_answer(x, 413, NULL, 0, STR(""));
    } else if (str_eq(what, STR("trail"))) {
        exchange_set_trailers(x, &tail, 1);
        exchange_answer(x, 200, &type, 1,
                        x->request->segment_count > 1 ? STR("") : app_echo(x));
    } else if (str_eq(what, STR("later"))) {
        app_hold(app, x);
    } else if (str_eq(what, STR("over"))) {
        app_hold(app, x);
        exchange_watch(x, &app_watch_over, app);
    } else if (str_eq(what, STR("stream"))) {
        app->streamed = 0;
        app->was_full = false;
        exchange_watch(x, &app_watch_stream, app);
        exchange_begin(x, 200, &type, 1);
        app_stream(app, x);
    } else if (str_eq(what, STR("tailed"))) {
        exchange_begin(x, 200, &type, 1);
        if (x->request->segment_count == 1)
            must(exchange_write(x, STR("some")));
        exchange_set_trailers(x, &tail, 1);
        exchange_end(x);
    } else if (str_eq(what, STR("begin"))) {
        exchange_begin(x, 200, &type, 1);
        must(exchange_write(x, STR("some")));
        must(exchange_write(x, STR("")));
        app_hold(app, x);
    } else if (str_eq(what, STR("events"))) {
        exchange_begin_events(x, STR(""));
        app_hold(app, x);
    } else if (str_eq(what, STR("big"))) {
        exchange_watch(x, &app_watch_over, app);
        exchange_answer(x, 200, &type, 1, (struct str){app->big, APP_BIG});
    } else if (str_eq(what, STR("text"))) {
        exchange_answer(x, 200, kinds[app_number(x) % APP_KINDS], 2,
                        (struct str){app->big, (size_t)app_number(x) / APP_KINDS});
    } else if (str_eq(what, STR("nothing"))) {
        exchange_answer(x, 204, NULL, 0, STR(""));
    } else if (str_eq(what, STR("broken"))) {
        exchange_answer(x, 200, &broken, 1, STR(""));
    } else {
        if (str_eq(what, STR("trust")))
            exchange_trust(x);
        exchange_answer(x, 200, &type, 1, app_echo(x));
    }
}

int64_t app_body_max(void *arg, const struct http1_request *request)
{
    (void)arg;
    return request->segment_count > 0 && str_eq(request->segments[0], STR("small"))
               ? 10
               : APP_BODY_MAX;
}

static void app_closed(void *arg)
{
    struct app *app = arg;

    app->listener = listener_free(app->listener);
    app->is_closed = true;
    app_tell(app, APP_CLOSED, 0);
}

static struct exchange *app_oldest(struct app *app)
{
    struct exchange *x = app->held[0];

    must(app->held_count > 0);
    memmove(app->held, app->held + 1, sizeof app->held - sizeof app->held[0]);
    app->held_count--;
    return x;
}

static void app_obey(struct app *app, struct app_note note)
{
    struct exchange *x;
    struct err err;

    switch (note.word) {
    case APP_ANSWER:
        x = app_oldest(app);
        if (x->has_begun)
            exchange_end(x);
        else
            exchange_answer(x, 200, NULL, 0, app_echo(x));
        break;
    case APP_TLS:
        app_tell(app, APP_RELOADED, listener_tls(app->listener, &app->tls, &err));
        break;
    case APP_EVENT:
        must(exchange_write(app->held[app->held_count - 1],
                            STR("id: 7\nevent: test\ndata: one\ndata: two\n\n")));
        break;
    case APP_CUT:
        exchange_cut(app_oldest(app));
        break;
    case APP_CLOSE:
        listener_close(app->listener, note.number, app_closed, app);
        break;
    default:
        loop_stop(app->loop);
    }
}

static void app_wake(void *arg)
{
    struct app *app = arg;
    struct app_note note;

    while (app->orders && mailbox_take(app->orders, &note, 1) == 1)
        app_obey(app, note);
}

static void *app_run(void *arg)
{
    loop_run(((struct app *)arg)->loop);
    return NULL;
}

struct app *app_start(const struct listener_limits *limits)
{
    return app_start_tls(limits, NULL);
}

struct app *app_start_tls(const struct listener_limits *limits, const struct tls_files *files)
{
    struct app *app = calloc(1, sizeof *app);
    struct listener_handler handler = {
        .body_max = app_body_max, .on_request = app_request, .arg = app};
    struct err err;

    assert_non_null(app);
    signal(SIGPIPE, SIG_IGN);
    app->big = malloc(APP_BIG);
    assert_non_null(app->big);
    for (size_t i = 0; i < APP_BIG; i++)
        app->big[i] = app_byte(i);
    app->loop = loop_new(app_wake, app);
    app->orders = mailbox_new(256, sizeof(struct app_note), loop_wake, app->loop);
    app->news = mailbox_new(256, sizeof(struct app_note), NULL, NULL);
    app->listener = listener_new(loop_uv(app->loop), limits, &handler);
    if (listener_bind(app->listener, "127.0.0.1", 0, &app->port, &err) != RC_OK)
        fail_msg("%s", err.text);
    if (files) {
        app->tls = *files;
        if (listener_tls(app->listener, files, &err) != RC_OK ||
            listener_bind_tls(app->listener, "127.0.0.1", 0, &app->tls_port, &err) != RC_OK)
            fail_msg("%s", err.text);
    }
    assert_int_equal(pthread_create(&app->thread, NULL, app_run, app), 0);
    return app;
}

void app_stop(struct app *app)
{
    struct app_note note = {0};

    if (!app->is_closed) {
        app_order(app, APP_CLOSE, 0);
        while (note.word != APP_CLOSED) { /* clients that are still connected are dropped */
            assert_true(mailbox_wait(app->news, clock_boot_us() + PATIENCE));
            assert_int_equal(mailbox_take(app->news, &note, 1), 1);
        }
    }
    app_order(app, APP_STOP, 0);
    assert_int_equal(pthread_join(app->thread, NULL), 0);
    loop_free(app->loop);
    mailbox_free(app->orders);
    mailbox_free(app->news);
    free(app->big);
    free(app);
}
