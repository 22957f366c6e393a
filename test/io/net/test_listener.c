/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses, the number of connections, and the end. */
#include "client.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/resource.h>

#include "io/clock.h"

static const struct listener_limits *usual = &listener_limits_default;

static void get_a(int fd)
{
    client_say(fd, GET("/a"));
    client_expect(fd, OK_TEXT "Content-Length: 13\r\n\r\nGET [a] [] []");
}

static void note_closed(void *arg)
{
    *(bool *)arg = true;
}

static void bind_says_why_it_cannot(void **state)
{
    struct listener_handler handler = {
        .body_max = app_body_max, .on_request = app_request, .arg = NULL};
    struct loop *loop = loop_new(NULL, NULL);
    struct listener *listener = listener_new(loop_uv(loop), usual, &handler);
    uint16_t port = 0, other = 7;
    bool is_closed = false;
    struct err err;

    (void)state;
    assert_int_equal(listener_bind(listener, "127.0.0.1", 0, &port, &err), RC_OK);
    assert_true(port > 0);
    assert_int_equal(listener_bind(listener, "127.0.0.1", port, &other, &err), RC_CONFLICT);
    assert_int_equal(listener_bind(listener, "192.0.2.1", 0, &other, &err), RC_NOT_FOUND);
    assert_int_equal(listener_bind(listener, "localhost", 0, &other, &err), RC_INVALID);
    assert_non_null(strstr(err.text, "127.0.0.1"));
    assert_int_equal(listener_bind(listener, "[::1]", 0, &other, &err), RC_INVALID);
    assert_int_equal(other, 7);
    listener_close(listener, 0, note_closed, &is_closed);
    while (!is_closed)
        uv_run(loop_uv(loop), UV_RUN_ONCE);
    listener_free(listener);
    loop_free(loop);
}

/* Binds both loopback addresses to one port; false if the machine has no IPv6. */
static bool bind_both_families(struct listener *listener, uint16_t *ret_port)
{
    struct err err;

    /* A port that is free on one address may be in use on the other. */
    for (int i = 0; i < LISTENER_ADDRESSES_MAX / 2; i++) {
        if (listener_bind(listener, "::1", 0, ret_port, &err) != RC_OK)
            return false;
        if (listener_bind(listener, "127.0.0.1", *ret_port, ret_port, &err) == RC_OK)
            return true;
    }
    fail_msg("%s", err.text);
    return false;
}

/* The same port of both families, at once. */
static void both_families_are_accepted(void **state)
{
    struct listener_handler handler = {
        .body_max = app_body_max, .on_request = app_request, .arg = NULL};
    struct sockaddr_in6 to = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct loop *loop = loop_new(NULL, NULL);
    struct listener *listener = listener_new(loop_uv(loop), usual, &handler);
    uint16_t port = 0;
    bool is_closed = false, has_ipv6 = bind_both_families(listener, &port);
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), fd4 = client_socket();

    (void)state;
    if (has_ipv6) {
        to.sin6_port = htons(port);
        assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
        assert_int_equal(client_connect_fd(fd4, port), 0);
        while (listener_counts(listener).accepted < 2)
            uv_run(loop_uv(loop), UV_RUN_ONCE);
    }
    listener_close(listener, 0, note_closed, &is_closed);
    while (!is_closed)
        uv_run(loop_uv(loop), UV_RUN_ONCE);
    listener_free(listener);
    loop_free(loop);
    close(fd);
    close(fd4);
    if (!has_ipv6)
        skip();
}

static void many_connections_are_served_side_by_side(void **state)
{
    enum { COUNT = 300 };
    struct listener_limits limits = *usual;
    int fds[COUNT];
    struct app *app;

    (void)state;
    app = app_start(&limits);
    for (int i = 0; i < COUNT; i++)
        fds[i] = client_connect(app);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < COUNT; i++)
            client_say(fds[i], GET("/a"));
        for (int i = COUNT - 1; i >= 0; i--)
            client_expect(fds[i], OK_TEXT "Content-Length: 13\r\n\r\nGET [a] [] []");
    }
    for (int i = 0; i < COUNT; i++)
        close(fds[i]);
    app_stop(app);
}

/* Connects and requests until it is accepted, since the server notices a close with a delay. */
static int connect_when_there_is_room(struct app *app)
{
    int64_t until = clock_boot_us() + PATIENCE;

    while (clock_boot_us() < until) {
        int fd = client_connect(app);
        char start[13] = "";

        if (send(fd, GET("/trust"), strlen(GET("/trust")), MSG_NOSIGNAL) > 0 &&
            recv(fd, start, 12, MSG_WAITALL) == 12 && strcmp(start, "HTTP/1.1 200") == 0)
            return fd;
        close(fd);
    }
    fail_msg("no connection is accepted");
    return -1;
}

static void expect_refused(struct app *app, const char *answer)
{
    int fd = client_connect(app);

    client_expect(fd, answer);
    close(fd);
}

static void connections_of_one_peer_are_limited(void **state)
{
    struct listener_limits limits = *usual;
    struct app *app;
    int fds[3], trusted;

    (void)state;
    limits.per_local = 3;
    app = app_start(&limits);
    for (int i = 0; i < 3; i++) {
        fds[i] = client_connect(app);
        get_a(fds[i]);
    }
    expect_refused(app, "HTTP/1.1 429 Too Many Requests\r\n");
    close(fds[0]);
    trusted = connect_when_there_is_room(app); /* and is no longer counted */
    fds[0] = connect_when_there_is_room(app);
    get_a(fds[1]);
    get_a(fds[2]);
    for (int i = 0; i < 3; i++)
        close(fds[i]);
    close(trusted);
    app_stop(app);
}

static void connections_of_all_peers_are_limited(void **state)
{
    struct listener_limits limits = *usual;
    struct app *app;
    int fds[2];

    (void)state;
    limits.connections = 2;
    app = app_start(&limits);
    for (int i = 0; i < 2; i++) {
        fds[i] = client_connect(app);
        get_a(fds[i]);
    }
    expect_refused(app, "HTTP/1.1 503 Service Unavailable\r\n");
    close(fds[0]);
    fds[0] = connect_when_there_is_room(app);
    get_a(fds[1]);
    close(fds[0]);
    close(fds[1]);
    app_stop(app);
}

/* Descriptors for three more; the clients already have theirs. */
static void without_descriptors_new_clients_are_closed_and_others_served(void **state)
{
    enum { COUNT = 12, LEFT = 3 };
    struct app *app = app_start(usual);
    int served = client_connect(app), fds[COUNT], lowest, ended = 0;
    struct rlimit before, few;

    (void)state;
    get_a(served);
    for (int i = 0; i < COUNT; i++)
        fds[i] = client_socket();
    lowest = dup(served);
    close(lowest);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = (struct rlimit){(rlim_t)lowest + LEFT, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(client_connect_fd(fds[i], app->port), 0);
    for (int i = COUNT - 1; i >= LEFT; i--) {
        char c;
        ssize_t n = recv(fds[i], &c, 1, 0);

        ended += n == 0 || (n < 0 && errno == ECONNRESET);
    }
    get_a(served);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(ended, COUNT - LEFT);
    for (int i = 0; i < LEFT; i++)
        get_a(fds[i]);
    for (int i = 0; i < COUNT; i++)
        close(fds[i]);
    close(connect_when_there_is_room(app));
    close(served);
    app_stop(app);
}

static void a_graceful_close_finishes_what_is_under_way(void **state)
{
    struct app *app = app_start(usual);
    int idle = client_connect(app), held = client_connect(app), half = client_connect(app);
    int late;

    (void)state;
    get_a(idle);
    get_a(half);
    client_say(half, "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n"
                     "Expect: 100-continue\r\n\r\n");
    client_expect(half, "HTTP/1.1 100 Continue\r\n\r\n");
    client_say(held, GET("/later"));
    app_await(app, APP_HELD);
    app_order(app, APP_CLOSE, SPAN_H);
    client_expect_end(idle);
    late = client_socket();
    assert_int_equal(client_connect_fd(late, app->port), -1);
    assert_int_equal(errno, ECONNREFUSED);
    close(late);
    client_say(half, "ok");
    client_expect(half, OK_TEXT "Content-Length: 16\r\nConnection: close\r\n\r\n"
                                "POST [a] [] [ok]");
    client_expect_end(half);
    app_order(app, APP_ANSWER, 0);
    client_expect(held, "HTTP/1.1 200 OK\r\nDate: %\r\nContent-Length: 17\r\n"
                        "Connection: close\r\n\r\nGET [later] [] []");
    client_expect_end(held);
    app_await(app, APP_CLOSED);
    app_stop(app);
}

/* Its head was sent before the close and does not have "Connection: close". */
static void a_stream_that_began_before_the_close_ends_the_connection(void **state)
{
    struct app *app = app_start(usual);
    int fd = client_connect(app);

    (void)state;
    client_say(fd, GET("/begin"));
    client_expect(fd, OK_TEXT VARY "Transfer-Encoding: chunked\r\n\r\n4\r\nsome\r\n");
    app_await(app, APP_HELD);
    app_order(app, APP_CLOSE, SPAN_H);
    app_order(app, APP_ANSWER, 0);
    client_expect(fd, "0\r\n\r\n");
    client_expect_end(fd);
    app_await(app, APP_CLOSED);
    app_stop(app);
}

static void after_its_deadline_a_close_waits_only_for_owners(void **state)
{
    struct app *app = app_start(usual);
    int held = client_connect(app), half = client_connect(app);

    (void)state;
    client_say(held, GET("/later"));
    app_await(app, APP_HELD);
    /* Sent and read at once: a close with unread bytes would be a reset. */
    client_say(half, GET("/a") "GET /a HT");
    client_expect(half, OK_TEXT "Content-Length: 13\r\n\r\nGET [a] [] []");
    app_order(app, APP_CLOSE, SPAN_H);
    app_order(app, APP_CLOSE, 20 * SPAN_MS); /* now with a short limit */
    app_await(app, APP_GONE);
    client_expect_end(held);
    client_expect_end(half);
    app_order(app, APP_ANSWER, 0);
    app_await(app, APP_CLOSED);
    app_stop(app);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bind_says_why_it_cannot),
        cmocka_unit_test(both_families_are_accepted),
        cmocka_unit_test(many_connections_are_served_side_by_side),
        cmocka_unit_test(connections_of_one_peer_are_limited),
        cmocka_unit_test(connections_of_all_peers_are_limited),
        cmocka_unit_test(without_descriptors_new_clients_are_closed_and_others_served),
        cmocka_unit_test(a_graceful_close_finishes_what_is_under_way),
        cmocka_unit_test(a_stream_that_began_before_the_close_ends_the_connection),
        cmocka_unit_test(after_its_deadline_a_close_waits_only_for_owners),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
