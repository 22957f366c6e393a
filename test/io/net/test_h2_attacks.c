/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hostile HTTP/2 clients: each is disconnected before its requests cost anything,
 * and the next client is answered.
 */
#include "h2_client.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "io/clock.h"
#include "io/net/h2.h"

enum {
    MANY = 100000, /* frames; none of the attacks may get that far */
    SOON = 80,     /* ms: the limits of the tested cases */
};

/* Heads by HPACK's static table: GET or POST, "/", http, authority "h". */
#define GET_HEAD  STR("\x82\x84\x86\x01\x01h")
#define POST_HEAD STR("\x83\x84\x86\x01\x01h")

enum {
    DATA,
    HEADERS,
    PRIORITY,
    RST_STREAM,
    SETTINGS,
    PUSH,
    PING,
    GOAWAY,
    UPDATE,
    CONTINUATION
};
enum { END_STREAM = 1, END_HEADERS = 4 };

static struct app *app;

static int start_with(const struct listener_limits *limits)
{
    app = app_start(limits);
    return 0;
}

static int start(void **state)
{
    (void)state;
    return start_with(&listener_limits_default);
}

/* A test shortens only the limit that it tests: others must not end a slow client. */
static int start_short_request(void **state)
{
    struct listener_limits limits = listener_limits_default;

    (void)state;
    limits.request = SOON * SPAN_MS;
    return start_with(&limits);
}

static int start_short_talk(void **state)
{
    struct listener_limits limits = listener_limits_default;

    (void)state;
    limits.talk = SOON * SPAN_MS;
    return start_with(&limits);
}

static int start_short_stall(void **state)
{
    struct listener_limits limits = listener_limits_default;

    (void)state;
    limits.stall = SOON * SPAN_MS;
    return start_with(&limits);
}

/* In every case the next client is answered. */
static int stop(void **state)
{
    struct h2c *h = h2c_open(client_connect(app));
    struct h2c_answer *a = h2c_get(h, "/x");

    (void)state;
    h2c_await(h, a);
    assert_int_equal(a->error, NGHTTP2_NO_ERROR);
    h2c_close(h);
    app_stop(app);
    return 0;
}

static int hello(void)
{
    int fd = client_connect(app);

    h2c_hello(fd);
    return fd;
}

/* What the server sends meanwhile is read and dropped, so that it never waits for room. */
static bool drain(int fd)
{
    char room[65536];
    ssize_t n;

    do
        n = recv(fd, room, sizeof room, MSG_DONTWAIT);
    while (n > 0);
    return n < 0 && errno == EAGAIN;
}

static void await_close(int fd)
{
    char room[4096];
    ssize_t n;

    do
        n = recv(fd, room, sizeof room, 0);
    while (n > 0);
    assert_true(n == 0 || errno == ECONNRESET);
}

static void assert_disconnected(int fd, int sent)
{
    if (sent == MANY)
        fail_msg("the server did not disconnect");
    await_close(fd);
    close(fd);
}

static uint32_t stream_of(int i)
{
    return 2 * (uint32_t)i + 1;
}

static void rapid_reset_is_disconnected(void **state)
{
    int fd = hello(), i;

    (void)state;
    for (i = 0; i < MANY && drain(fd); i++)
        if (!h2c_frame(fd, HEADERS, END_HEADERS, stream_of(i), POST_HEAD) ||
            !h2c_frame(fd, RST_STREAM, 0, stream_of(i), STR("\0\0\0\x8")))
            break;
    assert_disconnected(fd, i);
}

/* The server cancels them itself, because of a client error (CVE-2025-8671). */
static void streams_that_the_server_must_reset_are_limited(void **state)
{
    static const struct {
        uint8_t type, flags;
        struct str payload;
    } mistakes[] = {
        {UPDATE, 0, {"\0\0\0\0", 4}},         /* by nothing */
        {UPDATE, 0, {"\x7f\xff\xff\xff", 4}}, /* by too much */
        {PRIORITY, 0, {"\0\0\0\0", 4}},       /* too short */
        {HEADERS, END_HEADERS, {"\x82", 1}},  /* a head after the head */
    };

    (void)state;
    for (size_t m = 0; m < sizeof mistakes / sizeof mistakes[0]; m++) {
        int fd = hello(), i;

        for (i = 0; i < MANY && drain(fd); i++)
            if (!h2c_frame(fd, HEADERS, END_HEADERS, stream_of(i), POST_HEAD) ||
                !h2c_frame(fd, mistakes[m].type, mistakes[m].flags, stream_of(i),
                           mistakes[m].payload))
                break;
        assert_disconnected(fd, i);
    }
}

static void a_head_without_an_end_is_disconnected(void **state)
{
    int fd = hello(), i;

    (void)state;
    assert_true(h2c_frame(fd, HEADERS, 0, 1, GET_HEAD));
    for (i = 0; i < MANY && drain(fd); i++)
        if (!h2c_frame(fd, CONTINUATION, 0, 1, STR("\x00\x01x\x01y")))
            break;
    assert_disconnected(fd, i);
}

static void empty_continuations_are_disconnected(void **state)
{
    int fd = hello(), i;

    (void)state;
    assert_true(h2c_frame(fd, HEADERS, 0, 1, STR("")));
    for (i = 0; i < MANY && drain(fd); i++)
        if (!h2c_frame(fd, CONTINUATION, 0, 1, STR("")))
            break;
    assert_disconnected(fd, i);
}

/* Each must be answered, and the answers are never read. */
static const struct {
    uint8_t type;
    struct str payload;
} questions[] = {{PING, {"12345678", 8}}, {SETTINGS, {"", 0}}};

/* One frame more than the limit arrives at once: the server can send no answer in between. */
static void a_burst_of_pings_or_settings_is_disconnected(void **state)
{
    (void)state;
    for (size_t q = 0; q < sizeof questions / sizeof questions[0]; q++) {
        static char text[(H2_ACKS_MAX + 1) * (9 + 8)];
        struct buf burst = {.ptr = text, .cap = sizeof text};
        int fd = hello();

        for (int i = 0; i <= H2_ACKS_MAX; i++) {
            const char head[9] = {0, 0, (char)questions[q].payload.len,
                                  (char)questions[q].type};

            buf_str(&burst, (struct str){head, sizeof head});
            buf_str(&burst, questions[q].payload);
        }
        client_send(fd, buf_as_str(&burst));
        await_close(fd);
        close(fd);
    }
}

/*
 * Sent as fast as the server reads them, until it stops reading: then it disconnects the client
 * because it accepts nothing.  A client whose buffer is full may not learn of that, so the server
 * tells that the request of the connection has lost its client.
 */
static void ask_until_gone(int fd, size_t q)
{
    while (!mailbox_wait(app->news, clock_boot_us() + SPAN_MS))
        while (h2c_frame(fd, questions[q].type, 0, 0, questions[q].payload))
            ;
    app_await(app, APP_GONE);
}

static void unread_answers_to_pings_and_settings_are_limited(void **state)
{
    (void)state;
    for (size_t q = 0; q < sizeof questions / sizeof questions[0]; q++) {
        int fd = client_connect_narrow(app);

        h2c_hello(fd);
        assert_true(h2c_frame(fd, HEADERS, END_HEADERS | END_STREAM, 1,
                              STR("\x82\x04\x06/later\x86\x01\x01h")));
        app_await(app, APP_HELD);
        assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
        ask_until_gone(fd, q);
        app_order(app, APP_CUT, 0);
        client_vanish(fd);
    }
}

/* The payload of the next frame of that type on that stream; others are skipped. */
static struct str await_frame(int fd, char type, char stream)
{
    static char bytes[9 + 16384];

    for (;;) {
        size_t len;

        assert_int_equal(recv(fd, bytes, 9, MSG_WAITALL), 9);
        len = (size_t)(unsigned char)bytes[1] << 8 | (unsigned char)bytes[2];
        assert_true(bytes[0] == 0 && len <= sizeof bytes - 9);
        assert_int_equal(recv(fd, bytes + 9, len, MSG_WAITALL), len);
        if (bytes[3] == type && bytes[8] == stream)
            return (struct str){bytes + 9, len};
    }
}

/*
 * One field of 4,000 bytes is sent once and then referenced by its number, a byte each: the
 * head would have 64 MB.
 */
static void a_head_that_grows_when_decoded_is_refused(void **state)
{
    static char text[4096], references[16000];
    struct buf block = {.ptr = text, .cap = sizeof text};
    struct str answer;
    int fd = hello();

    (void)state;
    buf_str(&block, GET_HEAD);
    buf_str(&block,
            STR("\x40\x01x\x7f\xa1\x1e")); /* 127 + 33 + 30 * 128 = 4,000 bytes follow */
    for (int i = 0; i < 4000; i++)
        buf_char(&block, 'y');
    assert_true(h2c_frame(fd, HEADERS, END_STREAM, 1, buf_as_str(&block)));
    memset(references, 0xbe, sizeof references); /* the newest of the dynamic table */
    assert_true(h2c_frame(fd, CONTINUATION, END_HEADERS, 1,
                          (struct str){references, sizeof references}));
    answer = await_frame(fd, HEADERS, 1);
    assert_true(str_starts(answer, STR("\x48\x03"
                                       "431"))); /* :status, a literal */
    close(fd);
}

/* The connection must end with a GOAWAY of this error. */
static void assert_goaway(int fd, char error)
{
    struct str goaway = await_frame(fd, GOAWAY, 0);

    assert_true(goaway.len >= 8);
    assert_int_equal(goaway.ptr[7], error);
    await_close(fd);
    close(fd);
}

/* RFC 9113 section 5.1: after END_STREAM or RST_STREAM the client may not continue a stream. */
static void frames_on_a_closed_stream_end_the_connection(void **state)
{
    static const struct {
        uint8_t end, late;
        struct str end_payload, late_payload;
    } rows[] = {
        {0, DATA, {"", 0}, {"late", 4}},
        {0, HEADERS, {"", 0}, {"\x82\x84\x86\x01\x01h", 6}},
        {RST_STREAM, DATA, {"\0\0\0\x8", 4}, {"late", 4}},
        {RST_STREAM, HEADERS, {"\0\0\0\x8", 4}, {"\x82\x84\x86\x01\x01h", 6}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int fd = hello();
        bool is_reset = rows[i].end == RST_STREAM;

        assert_true(h2c_frame(fd, HEADERS, END_HEADERS | (is_reset ? 0 : END_STREAM), 1,
                              is_reset ? POST_HEAD : GET_HEAD));
        if (is_reset)
            assert_true(h2c_frame(fd, RST_STREAM, 0, 1, rows[i].end_payload));
        else
            await_frame(fd, DATA, 1);
        assert_true(
            h2c_frame(fd, rows[i].late, END_HEADERS | END_STREAM, 1, rows[i].late_payload));
        assert_goaway(fd, NGHTTP2_STREAM_CLOSED);
    }
}

/* RFC 9113 section 5.1.1: a new stream closes all numbers below it that were not used. */
static void a_stream_number_that_was_skipped_is_refused(void **state)
{
    int fd = hello();

    (void)state;
    assert_true(h2c_frame(fd, HEADERS, END_HEADERS | END_STREAM, 1, GET_HEAD));
    assert_true(h2c_frame(fd, HEADERS, END_HEADERS | END_STREAM, 7, GET_HEAD));
    await_frame(fd, DATA, 7);
    assert_true(h2c_frame(fd, HEADERS, END_HEADERS | END_STREAM, 9, GET_HEAD));
    await_frame(fd, DATA, 9);
    assert_true(h2c_frame(fd, HEADERS, END_HEADERS | END_STREAM, 3, GET_HEAD));
    assert_goaway(fd, NGHTTP2_PROTOCOL_ERROR);
}

/* RFC 9113 section 6.3, and RFC 7540 section 5.3.1: no stream, or a stream on itself. */
static void invalid_priorities_end_the_connection(void **state)
{
    int fd = hello();

    (void)state;
    assert_true(h2c_frame(fd, PRIORITY, 0, 0, STR("\0\0\0\x1\xf")));
    assert_goaway(fd, NGHTTP2_PROTOCOL_ERROR);
    fd = hello();
    assert_true(h2c_frame(fd, PRIORITY, 0, 3, STR("\0\0\0\x3\xf")));
    assert_goaway(fd, NGHTTP2_PROTOCOL_ERROR);
}

static void too_many_streams_are_disconnected(void **state)
{
    int fd = hello(), i;

    (void)state;
    for (i = 0; i < MANY && drain(fd); i++)
        if (!h2c_frame(fd, HEADERS, END_HEADERS, stream_of(i), POST_HEAD))
            break;
    assert_disconnected(fd, i);
}

static void unfinished_bodies_are_limited_together(void **state)
{
    static char much[16384];
    struct h2c *h = h2c_open(client_connect(app));
    struct h2c_request request = {
        .method = "POST", .path = "/x", .body = {much, sizeof much}, .is_half = true};
    struct h2c_answer *halves[H2_STREAMS_MAX];
    int cancelled = 0;

    (void)state;
    for (int i = 0; i < H2_STREAMS_MAX; i++)
        halves[i] = h2c_ask(h, &request);
    /* The rest of each, until the limit of all together is reached. */
    for (int i = 0; i < H2_STREAMS_MAX && cancelled == 0; i++) {
        for (int k = 0; k < 40 && !halves[i]->is_closed; k++)
            if (!h2c_frame(h->fd, DATA, 0, (uint32_t)halves[i]->id,
                           (struct str){much, sizeof much}))
                break;
        nghttp2_submit_ping(h->session, NGHTTP2_FLAG_NONE, NULL);
        h2c_flush(h);
        h2c_await_pong(h);
        for (int k = 0; k < H2_STREAMS_MAX; k++)
            cancelled += halves[k]->is_closed && halves[k]->error == NGHTTP2_ENHANCE_YOUR_CALM;
    }
    assert_true(cancelled > 0);
    h2c_close(h);
}

static void a_request_that_never_ends_is_cancelled(void **state)
{
    struct h2c *h = h2c_open(client_connect(app));
    struct h2c_answer *a = h2c_ask(
        h, &(struct h2c_request){.method = "POST", .path = "/x", .is_half = true});

    (void)state;
    h2c_await(h, a);
    assert_int_equal(a->error, NGHTTP2_CANCEL);
    h2c_close(h);
}

static void an_idle_client_is_disconnected(void **state)
{
    struct h2c *h = h2c_open(client_connect(app));
    struct h2c_answer *a = h2c_get(h, "/x");

    (void)state;
    h2c_await(h, a);
    h2c_await_goaway(h);
    assert_int_equal(h->goaway, NGHTTP2_NO_ERROR);
    h2c_await_end(h);
    h2c_close(h);
}

static void a_client_that_does_not_read_is_disconnected(void **state)
{
    int fd = client_connect_narrow(app);

    (void)state;
    h2c_hello(fd);
    /* The largest window, so that only the socket delays the answer. */
    assert_true(h2c_frame(fd, UPDATE, 0, 0, STR("\x7f\xff\x00\x00")));
    assert_true(h2c_frame(fd, SETTINGS, 0, 0, STR("\0\x4\x7f\xff\x00\x00")));
    assert_true(h2c_frame(fd, HEADERS, END_HEADERS | END_STREAM, 1,
                          STR("\x82\x04\x04/big\x86\x01\x01h")));
    assert_int_equal(app_await(app, APP_OVER), 0);
    client_vanish(fd);
}

static void an_answer_without_a_window_times_out(void **state)
{
    int fd = client_connect(app);

    (void)state;
    h2c_hello(fd);
    assert_true(h2c_frame(fd, SETTINGS, 0, 0, STR("\0\x4\0\0\0\0"))); /* a window of zero */
    assert_true(h2c_frame(fd, HEADERS, END_HEADERS | END_STREAM, 1,
                          STR("\x82\x04\x04/big\x86\x01\x01h")));
    assert_int_equal(app_await(app, APP_OVER), 0);
    client_vanish(fd);
}

static void a_stream_without_a_window_times_out(void **state)
{
    int fd = client_connect(app);

    (void)state;
    h2c_hello(fd);
    assert_true(h2c_frame(fd, SETTINGS, 0, 0, STR("\0\x4\0\0\0\0")));
    assert_true(h2c_frame(fd, HEADERS, END_HEADERS | END_STREAM, 1,
                          STR("\x82\x04\x07/stream\x86\x01\x01h")));
    app_await(app, APP_FULL);
    app_await(app, APP_GONE);
    client_vanish(fd);
}

int main(void)
{
#define TEST(name)         cmocka_unit_test_setup_teardown(name, start, stop)
#define SHORT(name, limit) cmocka_unit_test_setup_teardown(name, start_short_##limit, stop)
    const struct CMUnitTest tests[] = {
        TEST(rapid_reset_is_disconnected),
        TEST(streams_that_the_server_must_reset_are_limited),
        TEST(a_head_without_an_end_is_disconnected),
        TEST(empty_continuations_are_disconnected),
        TEST(a_burst_of_pings_or_settings_is_disconnected),
        SHORT(unread_answers_to_pings_and_settings_are_limited, stall),
        TEST(a_head_that_grows_when_decoded_is_refused),
        TEST(frames_on_a_closed_stream_end_the_connection),
        TEST(a_stream_number_that_was_skipped_is_refused),
        TEST(invalid_priorities_end_the_connection),
        TEST(too_many_streams_are_disconnected),
        TEST(unfinished_bodies_are_limited_together),
        SHORT(a_request_that_never_ends_is_cancelled, request),
        SHORT(an_idle_client_is_disconnected, talk),
        SHORT(a_client_that_does_not_read_is_disconnected, stall),
        SHORT(an_answer_without_a_window_times_out, stall),
        SHORT(a_stream_without_a_window_times_out, stall),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
