/* SPDX-License-Identifier: Apache-2.0 */
/* Answers: whole and streamed, early and late, to clients that are present or gone. */
#include "client.h"

#include <stdlib.h>

static const struct listener_limits *usual = &listener_limits_default;

static void head_gets_the_length_and_no_body(void **state)
{
    struct app *app = app_start(usual);
    int fd = client_connect(app);

    (void)state;
    client_say(fd, "HEAD /a HTTP/1.1\r\nHost: h\r\n\r\n" GET("/a"));
    client_expect(fd, OK_TEXT "Content-Length: 14\r\n\r\n" OK_TEXT
                              "Content-Length: 13\r\n\r\nGET [a] [] []");
    client_say(fd, "HEAD /stream HTTP/1.1\r\nHost: h\r\n\r\n" GET("/a"));
    client_expect(fd, OK_TEXT VARY "Transfer-Encoding: chunked\r\n\r\n" OK_TEXT
                                   "Content-Length: 13\r\n\r\nGET [a] [] []");
    close(fd);
    app_stop(app);
}

static void an_answer_without_a_body_has_no_length(void **state)
{
    struct app *app = app_start(usual);
    int fd = client_connect(app);

    (void)state;
    client_say(fd, GET("/nothing") GET("/nothing"));
    client_expect(fd, "HTTP/1.1 204 No Content\r\nDate: %\r\n\r\n"
                      "HTTP/1.1 204 No Content\r\nDate: %\r\n\r\n");
    close(fd);
    app_stop(app);
}

/* A line break in a value would let its author write the rest of the answer. */
static void fields_that_cannot_be_sent_give_a_500(void **state)
{
    struct app *app = app_start(usual);
    int fd = client_connect(app);

    (void)state;
    client_say(fd, GET("/broken"));
    client_expect(fd, "HTTP/1.1 500 Internal Server Error\r\nDate: %\r\n"
                      "Content-Length: 0\r\n\r\n");
    close(fd);
    app_stop(app);
}

static void the_owner_learns_that_the_answer_was_sent(void **state)
{
    struct app *app = app_start(usual);
    int fd = client_connect(app);

    (void)state;
    client_say(fd, GET("/big"));
    client_expect(fd, OK_TEXT "Content-Length: 8388608\r\n\r\n");
    for (size_t at = 0; at < APP_BIG;) {
        char some[65536];
        ssize_t n = recv(fd, some, sizeof some, 0);

        assert_true(n > 0);
        for (ssize_t i = 0; i < n; i++)
            assert_true(some[i] == app_byte(at + (size_t)i));
        at += (size_t)n;
    }
    assert_int_equal(app_await(app, APP_OVER), true);
    client_say(fd, GET("/a"));
    client_expect(fd, OK_TEXT);
    close(fd);
    app_stop(app);
}

static void the_owner_learns_that_it_could_not_be_sent(void **state)
{
    struct app *app = app_start(usual);
    int fd = client_connect_narrow(app);

    (void)state;
    client_say(fd, GET("/big"));
    client_expect(fd, "HTTP/1.1 200 OK\r\n");
    client_vanish(fd);
    assert_int_equal(app_await(app, APP_OVER), false);
    app_stop(app);
}

static void the_owner_learns_that_the_client_has_gone(void **state)
{
    struct app *app = app_start(usual);
    int fd;

    (void)state;
    for (int is_hard = 0; is_hard <= 1; is_hard++) {
        fd = client_connect(app);
        client_say(fd, GET("/later"));
        app_await(app, APP_HELD);
        if (is_hard)
            client_vanish(fd);
        else
            close(fd);
        app_await(app, APP_GONE);
        app_order(app, APP_ANSWER, 0); /* has no receiver, and no effect */
    }
    fd = client_connect(app);
    client_say(fd, GET("/a"));
    client_expect(fd, OK_TEXT);
    close(fd);
    app_stop(app);
}

/* The owner is notified that the client is gone, but may still answer. */
static void a_client_that_closed_only_its_side_gets_the_answer(void **state)
{
    struct app *app = app_start(usual);
    int fd = client_connect(app);

    (void)state;
    client_say(fd, GET("/over"));
    app_await(app, APP_HELD);
    shutdown(fd, SHUT_WR);
    app_await(app, APP_GONE);
    app_order(app, APP_ANSWER, 0);
    client_expect(fd, "HTTP/1.1 200 OK\r\nDate: %\r\nContent-Length: 16\r\n"
                      "Connection: close\r\n\r\nGET [over] [] []");
    client_expect_end(fd);
    fd = client_connect(app);
    client_say(fd, GET("/over"));
    app_await(app, APP_HELD);
    app_order(app, APP_ANSWER, 0);
    assert_int_equal(app_await(app, APP_OVER), true);
    close(fd);
    app_stop(app);
}

/* Reads a line of hexadecimal digits; the chunk with its end is left to the caller. */
static size_t read_chunk_size(int fd)
{
    char line[32] = "";

    for (size_t i = 0; i + 1 < sizeof line; i++) {
        assert_int_equal(recv(fd, line + i, 1, 0), 1);
        if (line[i] == '\n')
            break;
    }
    return (size_t)strtoul(line, NULL, 16);
}

static void read_all(int fd, char *to, size_t len)
{
    for (size_t at = 0; at < len;) {
        ssize_t n = recv(fd, to + at, len - at, 0);

        assert_true(n > 0);
        at += (size_t)n;
    }
}

/* The buffers fill before the server has written everything; it continues as they are read. */
static void a_stream_waits_for_a_slow_reader(void **state)
{
    struct app *app = app_start(usual);
    int fd = client_connect_narrow(app);
    char *chunk = malloc(EXCHANGE_WRITE_MAX);
    size_t at = 0, size;

    (void)state;
    assert_non_null(chunk);
    client_say(fd, GET("/stream"));
    assert_true(app_await(app, APP_FULL) < APP_STREAM);
    client_expect(fd, OK_TEXT VARY "Transfer-Encoding: chunked\r\n\r\n");
    while ((size = read_chunk_size(fd)) > 0) {
        assert_true(size <= EXCHANGE_WRITE_MAX);
        read_all(fd, chunk, size);
        for (size_t i = 0; i < size; i++)
            assert_true(chunk[i] == app_byte(at + i));
        at += size;
        client_expect(fd, "\r\n");
    }
    assert_int_equal(at, APP_STREAM);
    client_expect(fd, "\r\n");
    client_say(fd, GET("/a"));
    client_expect(fd, OK_TEXT);
    close(fd);
    free(chunk);
    app_stop(app);
}

static void a_stream_ends_when_its_reader_vanishes(void **state)
{
    struct app *app = app_start(usual);
    int fd = client_connect_narrow(app);

    (void)state;
    client_say(fd, GET("/stream"));
    app_await(app, APP_FULL);
    client_vanish(fd);
    app_await(app, APP_GONE);
    app_stop(app);
}

static void what_is_written_to_a_stream_is_sent_at_once(void **state)
{
    struct app *app = app_start(usual);
    int fd = client_connect(app);

    (void)state;
    client_say(fd, GET("/begin"));
    client_expect(fd, OK_TEXT VARY "Transfer-Encoding: chunked\r\n\r\n4\r\nsome\r\n");
    app_await(app, APP_HELD);
    app_order(app, APP_ANSWER, 0);
    client_expect(fd, "0\r\n\r\n");
    client_say(fd, "GET /begin HTTP/1.0\r\n\r\n");
    client_expect(fd, OK_TEXT VARY "Connection: close\r\n\r\nsome");
    app_await(app, APP_HELD);
    app_order(app, APP_ANSWER, 0);
    client_expect_end(fd);
    app_stop(app);
}

static void a_stream_that_is_cut_has_no_last_chunk(void **state)
{
    struct app *app = app_start(usual);
    int fd = client_connect(app);

    (void)state;
    client_say(fd, GET("/begin"));
    client_expect(fd, OK_TEXT VARY "Transfer-Encoding: chunked\r\n\r\n4\r\nsome\r\n");
    app_await(app, APP_HELD);
    app_order(app, APP_CUT, 0);
    client_expect_end(fd);
    app_stop(app);
}

static void events_are_sent_at_once_and_end_with_the_stream(void **state)
{
    struct app *app = app_start(usual);
    int fd = client_connect(app);

    (void)state;
    client_say(fd, GET("/events"));
    app_await(app, APP_HELD);
    client_expect(fd, EVENTS_HEAD);
    for (int i = 0; i < 3; i++) {
        app_order(app, APP_EVENT, 0);
        client_expect(fd, EVENT_CHUNK);
    }
    app_order(app, APP_ANSWER, 0);
    client_expect(fd, "0\r\n\r\n");
    client_say(fd, GET("/a"));
    client_expect(fd, OK_TEXT "Content-Length: 13\r\n\r\nGET [a] [] []");
    close(fd);
    app_stop(app);
}

static void a_silent_stream_of_events_has_comments(void **state)
{
    struct listener_limits limits = *usual;
    struct app *app;
    int fd;

    (void)state;
    /* These limits pass during the stream; on a busy machine the request may be late. */
    limits.quiet = limits.stall = 700 * SPAN_MS;
    limits.idle = 2 * SPAN_S;
    app = app_start(&limits);
    fd = client_connect(app);
    client_say(fd, GET("/events"));
    app_await(app, APP_HELD);
    client_expect(fd, EVENTS_HEAD "3\r\n:\n\n\r\n3\r\n:\n\n\r\n3\r\n:\n\n\r\n");
    client_vanish(fd);
    app_await(app, APP_GONE);
    app_order(app, APP_CUT, 0);
    app_stop(app);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(head_gets_the_length_and_no_body),
        cmocka_unit_test(an_answer_without_a_body_has_no_length),
        cmocka_unit_test(fields_that_cannot_be_sent_give_a_500),
        cmocka_unit_test(the_owner_learns_that_the_answer_was_sent),
        cmocka_unit_test(the_owner_learns_that_it_could_not_be_sent),
        cmocka_unit_test(the_owner_learns_that_the_client_has_gone),
        cmocka_unit_test(a_client_that_closed_only_its_side_gets_the_answer),
        cmocka_unit_test(a_stream_waits_for_a_slow_reader),
        cmocka_unit_test(a_stream_ends_when_its_reader_vanishes),
        cmocka_unit_test(what_is_written_to_a_stream_is_sent_at_once),
        cmocka_unit_test(a_stream_that_is_cut_has_no_last_chunk),
        cmocka_unit_test(events_are_sent_at_once_and_end_with_the_stream),
        cmocka_unit_test(a_silent_stream_of_events_has_comments),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
