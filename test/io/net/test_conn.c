/* SPDX-License-Identifier: Apache-2.0 */
/* What a client may send, how, and how slowly. */
#include "client.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "io/clock.h"

static const struct listener_limits *usual = &listener_limits_default;

/* A limit that ends a connection, but not before a client on a busy machine has spoken. */
#define AMPLE (2 * SPAN_S)

/* A test shortens the limit that it tests; no other may end the connection. */
static struct listener_limits one_hour_limits(void)
{
    struct listener_limits limits = *usual;

    limits.idle = limits.head = limits.body_window = limits.stall = limits.linger = SPAN_H;
    return limits;
}

/* A POST followed by another request: the answers, and their order. */
static const char two_requests[] = "POST /a/b%2Fc?k=v&x HTTP/1.1\r\nHost: h\r\n"
                                   "Transfer-Encoding: chunked\r\n\r\n"
                                   "4\r\nsome\r\n5\r\n-text\r\n0\r\n\r\n" GET("/next");
static const char two_answers[] = OK_TEXT "Content-Length: 33\r\n\r\n"
                                          "POST [a,b/c] [k=v&x=] [some-text]" OK_TEXT
                                          "Content-Length: 16\r\n\r\n"
                                          "GET [next] [] []";

static void any_split_of_the_bytes_gives_the_same_answers(void **state)
{
    struct app *app = app_start(usual);
    const struct str bytes = str_of(two_requests);
    int fd = client_connect(app);

    (void)state;
    for (size_t at = 0; at <= bytes.len; at++) {
        client_send(fd, (struct str){bytes.ptr, at});
        client_send(fd, str_from(bytes, at));
        client_expect(fd, two_answers);
    }
    for (size_t i = 0; i < bytes.len; i++)
        client_send(fd, (struct str){bytes.ptr + i, 1});
    client_expect(fd, two_answers);
    close(fd);
    app_stop(app);
}

static void requests_sent_ahead_are_answered_in_order(void **state)
{
    struct app *app = app_start(usual);
    int fd = client_connect(app);

    (void)state;
    client_say(fd, GET("/later?1") GET("/two") GET("/later?3") GET("/four"));
    app_await(app, APP_HELD);
    client_say(fd, GET("/five"));
    app_order(app, APP_ANSWER, 0);
    client_expect(fd, "HTTP/1.1 200 OK\r\nDate: %\r\nContent-Length: 19\r\n\r\n"
                      "GET [later] [1=] []" OK_TEXT "Content-Length: 15\r\n\r\n"
                      "GET [two] [] []");
    app_await(app, APP_HELD);
    app_order(app, APP_ANSWER, 0);
    client_expect(fd, "HTTP/1.1 200 OK\r\nDate: %\r\nContent-Length: 19\r\n\r\n"
                      "GET [later] [3=] []" OK_TEXT "Content-Length: 16\r\n\r\n"
                      "GET [four] [] []" OK_TEXT "Content-Length: 16\r\n\r\nGET [five] [] []");
    close(fd);
    app_stop(app);
}

enum { AHEAD = 5000 };

static void *send_ahead(void *arg)
{
    int fd = *(int *)arg;
    const struct str request = STR(GET("/x"));

    for (int i = 0; i < AHEAD; i++)
        must(send(fd, request.ptr, request.len, MSG_NOSIGNAL) == (ssize_t)request.len);
    return NULL;
}

/* The answers are read byte by byte, far more slowly than the requests are sent. */
static void thousands_of_requests_may_be_sent_ahead(void **state)
{
    struct app *app = app_start(usual);
    int fd = client_connect(app);
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, send_ahead, &fd), 0);
    for (int i = 0; i < AHEAD; i++)
        client_expect(fd, OK_TEXT "Content-Length: 13\r\n\r\nGET [x] [] []");
    assert_int_equal(pthread_join(thread, NULL), 0);
    close(fd);
    app_stop(app);
}

static void the_connection_stays_or_closes_as_the_request_says(void **state)
{
    struct app *app = app_start(usual);
    int fd = client_connect(app);

    (void)state;
    client_say(fd, "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    client_expect(fd, OK_TEXT "Content-Length: 13\r\nConnection: keep-alive\r\n\r\n"
                              "GET [a] [] []");
    client_say(fd, "GET /a HTTP/1.0\r\n\r\n" GET("/ignored"));
    client_expect(fd, OK_TEXT "Content-Length: 13\r\nConnection: close\r\n\r\nGET [a] [] []");
    client_expect_end(fd);
    fd = client_connect(app);
    client_say(fd, "GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    client_expect(fd, OK_TEXT "Content-Length: 13\r\nConnection: close\r\n\r\nGET [a] [] []");
    client_expect_end(fd);
    app_stop(app);
}

static void a_client_that_closes_its_side_is_still_answered(void **state)
{
    struct app *app = app_start(usual);
    int fd = client_connect(app);

    (void)state;
    client_say(fd, GET("/one") GET("/later") GET("/nothing"));
    shutdown(fd, SHUT_WR);
    app_await(app, APP_HELD);
    app_order(app, APP_ANSWER, 0);
    client_expect(fd, OK_TEXT "Content-Length: 15\r\n\r\nGET [one] [] []"
                              "HTTP/1.1 200 OK\r\nDate: %\r\nContent-Length: 17\r\n\r\n"
                              "GET [later] [] []HTTP/1.1 204 No Content\r\nDate: %\r\n\r\n");
    client_expect_end(fd);
    app_stop(app);
}

static void a_client_that_expects_100_continue_gets_it_or_an_error(void **state)
{
    struct app *app = app_start(usual);
    int fd = client_connect(app);

    (void)state;
    client_say(fd, "POST /small HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n"
                   "Expect: 100-continue\r\n\r\n");
    client_expect(fd, "HTTP/1.1 100 Continue\r\n\r\n");
    client_say(fd, "0123456789");
    client_expect(fd, OK_TEXT "Content-Length: 28\r\n\r\nPOST [small] [] [0123456789]");
    client_say(fd, "POST /small HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\n"
                   "Expect: 100-continue\r\n\r\n");
    client_expect(fd, "HTTP/1.1 413 Content Too Large\r\n");
    close(fd);
    app_stop(app);
}

struct refusal {
    const char *request, *answer, *end;
};

/* Invalid requests; the messages are the parser's, which has its own tests. */
static void an_invalid_request_gets_a_problem_and_is_disconnected(void **state)
{
    static const struct refusal rows[] = {
        {"nonsense\r\n", "HTTP/1.1 400 Bad Request\r\n", "\"code\":\"invalid_field\"}"},
        {"GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n",
         "\"code\":\"invalid_field\"}"},
        {"GET / HTTP/2.0\r\n\r\n", "HTTP/1.1 505 HTTP Version Not Supported\r\n",
         "\"code\":\"invalid_field\"}"},
        {"POST /small HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\n\r\n",
         "HTTP/1.1 413 Content Too Large\r\n", "\"code\":\"limit\"}"},
        {"POST /small HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n",
         "HTTP/1.1 413 Content Too Large\r\n", "\"code\":\"limit\"}"},
        {"GET /\"\x01", "HTTP/1.1 400 Bad Request\r\n", "\"code\":\"invalid_field\"}"},
    };
    struct app *app = app_start(usual);

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[2048] = "";
        size_t len = 0;
        ssize_t n;
        int fd = client_connect(app);

        client_say(fd, rows[i].request);
        while ((n = recv(fd, text + len, sizeof text - 1 - len, 0)) > 0)
            len += (size_t)n;
        assert_int_equal(n, 0);
        text[len] = '\0';
        assert_memory_equal(text, rows[i].answer, strlen(rows[i].answer));
        assert_non_null(strstr(text, "\r\nContent-Type: application/problem+json\r\n"));
        assert_non_null(strstr(text, "\r\nConnection: close\r\n"));
        assert_non_null(strstr(text, "{\"type\":\"about:blank\",\"title\":\""));
        assert_string_equal(text + len - strlen(rows[i].end), rows[i].end);
        close(fd);
    }
    app_stop(app);
}

static void too_many_fields_are_refused(void **state)
{
    struct app *app = app_start(usual);
    int fd = client_connect(app);

    (void)state;
    client_say(fd, "GET / HTTP/1.1\r\nHost: h\r\n");
    for (int i = 0; i < HTTP1_FIELDS_MAX; i++)
        client_say(fd, "a: b\r\n");
    client_expect(fd, "HTTP/1.1 431 Request Header Fields Too Large\r\n");
    close(fd);
    app_stop(app);
}

/* RFC 9110 section 9.3.2; every limit and rule of the parser is reached with HEAD. */
static void a_refused_head_request_has_no_body(void **state)
{
    static const char *const bad[] = {
        "HEAD /%zz HTTP/1.1\r\nHost: h\r\n\r\n",
        "HEAD /a HTTP/1.1\r\n\r\n",
        "HEAD /a HTTP/3.0\r\n\r\n",
        "HEAD /a\x01",
        "HEAD /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2000000\r\n\r\n",
    };
    static char line[2 * HTTP1_LINE_MAX] = "HEAD /";
    struct app *app = app_start(usual);

    (void)state;
    memset(line + 6, 'a', sizeof line - 7);
    for (size_t i = 0; i <= sizeof bad / sizeof bad[0]; i++) {
        int fd = client_connect(app);
        char room[2048];
        size_t len = 0;
        ssize_t n;

        client_say(fd, i < sizeof bad / sizeof bad[0] ? bad[i] : line);
        while ((n = recv(fd, room + len, sizeof room - len, 0)) > 0)
            len += (size_t)n;
        assert_int_equal(n, 0);
        assert_memory_equal(room, "HTTP/1.1 ", 9);
        assert_memory_equal(room + len - 4, "\r\n\r\n", 4);
        close(fd);
    }
    app_stop(app);
}

/*
 * The client keeps sending: if the socket were closed at once, a reset would destroy the
 * answer.
 */
static void a_client_that_sends_too_much_can_read_why(void **state)
{
    struct listener_limits limits = one_hour_limits();
    struct app *app = app_start(&limits);
    int fd = client_connect(app);
    char *body = calloc(1, APP_BIG);

    (void)state;
    assert_non_null(body);
    client_say(fd, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 8388608\r\n\r\n");
    client_send(fd, (struct str){body, APP_BIG});
    client_expect(fd, "HTTP/1.1 413 Content Too Large\r\n");
    close(fd);
    free(body);
    app_stop(app);
}

static void a_body_of_the_largest_size_arrives_complete(void **state)
{
    struct app *app = app_start(usual);
    int fd = client_connect(app);
    char *body = malloc(APP_BODY_MAX + 1);

    (void)state;
    assert_non_null(body);
    for (size_t i = 0; i < APP_BODY_MAX; i++)
        body[i] = app_byte(i);
    body[APP_BODY_MAX] = '\0';
    for (int i = 0; i < 3; i++) {
        client_say(fd, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1048576\r\n\r\n");
        client_send(fd, (struct str){body, APP_BODY_MAX});
        client_expect(fd, OK_TEXT "Content-Length: 1048589\r\n\r\nPOST [] [] [");
        for (size_t at = 0; at < APP_BODY_MAX;) {
            char some[4096];
            size_t left = APP_BODY_MAX - at;
            ssize_t n = recv(fd, some, left < sizeof some ? left : sizeof some, 0);

            assert_true(n > 0);
            assert_memory_equal(some, body + at, (size_t)n);
            at += (size_t)n;
        }
        client_expect(fd, "]");
    }
    close(fd);
    free(body);
    app_stop(app);
}

static void an_idle_client_is_disconnected(void **state)
{
    struct listener_limits limits = one_hour_limits();
    struct app *app;
    int fd;

    (void)state;
    limits.idle = AMPLE;
    app = app_start(&limits);
    client_expect_end(client_connect(app));
    fd = client_connect(app);
    client_say(fd, GET("/nothing"));
    client_expect(fd, "HTTP/1.1 204 No Content\r\nDate: %\r\n\r\n");
    client_expect_end(fd);
    app_stop(app);
}

/* Sends the text again and again, slowly, until there is an answer. */
static void drip_until_answered(int fd, const char *text)
{
    struct pollfd events = {.fd = fd, .events = POLLIN};
    int64_t until = clock_boot_us() + PATIENCE;

    while (poll(&events, 1, 2) == 0) {
        assert_true(clock_boot_us() < until);
        client_say(fd, text);
    }
}

static void a_slow_head_times_out(void **state)
{
    struct listener_limits limits = one_hour_limits();
    struct app *app;
    int fd;

    (void)state;
    limits.head = 50 * SPAN_MS;
    app = app_start(&limits);
    fd = client_connect(app);
    client_say(fd, "GET /");
    drip_until_answered(fd, "a");
    client_expect(fd, "HTTP/1.1 408 Request Timeout\r\n");
    close(fd);
    app_stop(app);
}

static void a_slow_body_times_out(void **state)
{
    struct listener_limits limits = one_hour_limits();
    struct app *app;
    int fd;

    (void)state;
    limits.body_window = 50 * SPAN_MS; /* 50 bytes; one each 2 ms are at most 25 */
    app = app_start(&limits);
    fd = client_connect(app);
    client_say(fd, "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
    drip_until_answered(fd, "1\r\nx\r\n");
    client_expect(fd, "HTTP/1.1 408 Request Timeout\r\n");
    close(fd);
    app_stop(app);
}

static void a_body_that_keeps_its_rate_may_take_many_windows(void **state)
{
    struct listener_limits limits = one_hour_limits();
    int64_t until;
    struct app *app;
    int fd, count = 0;

    (void)state;
    limits.body_window = AMPLE;
    limits.body_rate = 1; /* two bytes in each window */
    app = app_start(&limits);
    fd = client_connect(app);
    client_say(fd, "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
    until = clock_boot_us() + 5 * AMPLE / 2;
    while (clock_boot_us() < until) {
        struct pollfd events = {.fd = fd, .events = POLLIN};

        assert_int_equal(poll(&events, 1, 5), 0);
        client_say(fd, "1\r\nx\r\n");
        count++;
    }
    assert_true(count > 0);
    client_say(fd, "0\r\n\r\n");
    client_expect(fd, OK_TEXT);
    close(fd);
    app_stop(app);
}

static void a_client_that_does_not_read_is_dropped(void **state)
{
    struct listener_limits limits = one_hour_limits();
    struct app *app;
    int fd;

    (void)state;
    limits.stall = 50 * SPAN_MS;
    app = app_start(&limits);
    fd = client_connect_narrow(app);
    client_say(fd, GET("/big"));
    assert_int_equal(app_await(app, APP_OVER), false);
    close(fd);
    fd = client_connect_narrow(app);
    client_say(fd, GET("/stream"));
    app_await(app, APP_FULL);
    app_await(app, APP_GONE);
    close(fd);
    app_stop(app);
}

static void a_client_that_does_not_close_after_the_answer_is_closed(void **state)
{
    struct listener_limits limits = one_hour_limits();
    struct app *app;
    int fd;

    (void)state;
    limits.linger = 20 * SPAN_MS;
    app = app_start(&limits);
    fd = client_connect(app);
    client_say(fd, "GET /nothing HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    client_expect(fd, "HTTP/1.1 204 No Content\r\nDate: %\r\nConnection: close\r\n\r\n");
    /* Bytes are accepted while it lingers; once it has closed, they are answered by a reset. */
    for (int64_t until = clock_boot_us() + PATIENCE;
         send(fd, "x", 1, MSG_NOSIGNAL) == 1 && clock_boot_us() < until;)
        poll(NULL, 0, 1);
    assert_true(errno == ECONNRESET || errno == EPIPE);
    close(fd);
    app_stop(app);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_split_of_the_bytes_gives_the_same_answers),
        cmocka_unit_test(requests_sent_ahead_are_answered_in_order),
        cmocka_unit_test(thousands_of_requests_may_be_sent_ahead),
        cmocka_unit_test(the_connection_stays_or_closes_as_the_request_says),
        cmocka_unit_test(a_client_that_closes_its_side_is_still_answered),
        cmocka_unit_test(a_client_that_expects_100_continue_gets_it_or_an_error),
        cmocka_unit_test(an_invalid_request_gets_a_problem_and_is_disconnected),
        cmocka_unit_test(too_many_fields_are_refused),
        cmocka_unit_test(a_refused_head_request_has_no_body),
        cmocka_unit_test(a_client_that_sends_too_much_can_read_why),
        cmocka_unit_test(a_body_of_the_largest_size_arrives_complete),
        cmocka_unit_test(an_idle_client_is_disconnected),
        cmocka_unit_test(a_slow_head_times_out),
        cmocka_unit_test(a_slow_body_times_out),
        cmocka_unit_test(a_body_that_keeps_its_rate_may_take_many_windows),
        cmocka_unit_test(a_client_that_does_not_read_is_dropped),
        cmocka_unit_test(a_client_that_does_not_close_after_the_answer_is_closed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
