/* SPDX-License-Identifier: Apache-2.0 */
/* Connections with TLS, with old, slow and hostile clients. */
#include "tls_client.h"

#include <openssl/err.h>
#include <poll.h>
#include <stdlib.h>

#include "base/must.h"
#include "cert.h"

static const struct listener_limits *usual = &listener_limits_default;
static struct cert first, second;

#define GOT_A OK_TEXT "Content-Length: 13\r\n\r\nGET [a] [] []"

static int make_certs(void **state)
{
    (void)state;
    cert_make(CERT_RSA, "first", &first);
    cert_make(CERT_EC, "second", &second);
    return 0;
}

static int remove_certs(void **state)
{
    (void)state;
    cert_remove(&first);
    cert_remove(&second);
    return 0;
}

static struct app *start(const struct listener_limits *limits)
{
    struct tls_files files = cert_files(&first);

    return app_start_tls(limits, &files);
}

static void get_a(SSL *ssl)
{
    tls_client_say(ssl, GET("/a"));
    tls_client_expect(ssl, GOT_A);
}

/* ---- who is accepted ---- */

static void tls_1_2_and_1_3_are_served_and_plain_beside_them(void **state)
{
    struct app *app = start(usual);
    static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};
    int fd = client_connect(app);

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct tls_client_options options = {versions[i], versions[i], NULL,
                                             "\x02h2\x08http/1.1", NULL};
        SSL *ssl = tls_client_connect_as(app, &options);

        assert_int_equal(SSL_version(ssl), versions[i]);
        for (int k = 0; k < 3; k++)
            get_a(ssl);
        tls_client_free(ssl);
    }
    client_say(fd, GET("/a"));
    client_expect(fd, GOT_A);
    close(fd);
    app_stop(app);
}

static void the_newest_version_is_preferred(void **state)
{
    struct app *app = start(usual);
    SSL *ssl = tls_client_connect(app);

    (void)state;
    assert_int_equal(SSL_version(ssl), TLS1_3_VERSION);
    get_a(ssl);
    tls_client_free(ssl);
    app_stop(app);
}

static void old_protocols_and_suites_are_refused(void **state)
{
    static const struct tls_client_options bad[] = {
        {.oldest = TLS1_VERSION, .newest = TLS1_VERSION},
        {.oldest = TLS1_1_VERSION, .newest = TLS1_1_VERSION},
        {.newest = TLS1_2_VERSION, .ciphers = "AES128-GCM-SHA256"}, /* no ECDHE */
        {.newest = TLS1_2_VERSION, .ciphers = "DHE-RSA-AES128-GCM-SHA256"},
        {.newest = TLS1_2_VERSION, .ciphers = "ECDHE-RSA-AES128-SHA"}, /* no AEAD */
        {.newest = TLS1_2_VERSION, .ciphers = "ECDHE-RSA-AES256-SHA384"},
        {.newest = TLS1_2_VERSION, .ciphers = "AECDH-AES128-SHA"},
        {.newest = TLS1_2_VERSION, .ciphers = "ECDHE-RSA-NULL-SHA"},
        {.alpn = "\x02h2"}, /* no handler is set for it */
    };
    struct app *app = start(usual);
    SSL *ssl;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (!tls_client_is_refused(app, &bad[i]))
            fail_msg("options %zu were accepted", i);
    ssl = tls_client_connect(app);
    get_a(ssl);
    tls_client_free(ssl);
    app_order(app, APP_CLOSE, 0);
    app_await(app, APP_CLOSED);
    app_stop(app);
}

static void the_good_suites_of_tls_1_2_are_served(void **state)
{
    static const char *const good[] = {"ECDHE-RSA-AES128-GCM-SHA256",
                                       "ECDHE-RSA-AES256-GCM-SHA384",
                                       "ECDHE-RSA-CHACHA20-POLY1305"};
    struct app *app = start(usual);

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct tls_client_options options = {.newest = TLS1_2_VERSION, .ciphers = good[i]};
        SSL *ssl = tls_client_connect_as(app, &options);

        assert_string_equal(SSL_get_cipher_name(ssl), good[i]);
        assert_null(SSL_get_current_compression(ssl));
        get_a(ssl);
        tls_client_free(ssl);
    }
    app_stop(app);
}

static void no_session_is_resumed(void **state)
{
    struct app *app = start(usual);
    static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct tls_client_options options = {.oldest = versions[i], .newest = versions[i]};
        SSL *ssl = tls_client_connect_as(app, &options);

        get_a(ssl); /* a ticket would have arrived before it */
        options.session = SSL_get1_session(ssl);
        assert_false(SSL_SESSION_has_ticket(options.session));
        tls_client_free(ssl);
        ssl = tls_client_connect_as(app, &options);
        get_a(ssl);
        assert_false(SSL_session_reused(ssl));
        SSL_SESSION_free(options.session);
        tls_client_free(ssl);
    }
    app_stop(app);
}

/* Reads the rest: the server closes the connection before PATIENCE has passed. */
static void expect_closed(int fd)
{
    char bytes[256];
    ssize_t n;

    while ((n = recv(fd, bytes, sizeof bytes, 0)) > 0)
        ;
    assert_true(n == 0 || errno == ECONNRESET);
    close(fd);
}

static void a_client_that_renegotiates_is_refused_and_closed(void **state)
{
    struct app *app = start(usual);
    SSL *ssl = tls_client_connect_as(app,
                                     &(struct tls_client_options){.newest = TLS1_2_VERSION});

    (void)state;
    get_a(ssl);
    assert_int_equal(SSL_renegotiate(ssl), 1);
    assert_int_not_equal(SSL_do_handshake(ssl), 1);
    assert_int_equal(ERR_GET_REASON(ERR_peek_last_error()), SSL_R_NO_RENEGOTIATION);
    expect_closed(SSL_get_fd(ssl));
    SSL_free(ssl);
    app_stop(app);
}

/* True as long as the server has not closed. */
static bool ask_for_keys(SSL *ssl)
{
    bool is_sent = SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED) == 1 &&
                   SSL_do_handshake(ssl) == 1;

    ERR_clear_error();
    return is_sent;
}

/* RFC 8446 section 4.6.3: each is answered with another, whether it is read or not. */
static void key_updates_are_answered_up_to_a_limit(void **state)
{
    struct app *app = start(usual);
    SSL *ssl = tls_client_connect_as(app,
                                     &(struct tls_client_options){.oldest = TLS1_3_VERSION});
    int count = 0;

    (void)state;
    for (int i = 0; i < 100; i++)
        assert_true(ask_for_keys(ssl));
    get_a(ssl);
    while (ask_for_keys(ssl))
        assert_true(++count < 300 * 1000);
    tls_client_free(ssl);
    app_stop(app);
}

static void plain_http_to_the_tls_port_gets_an_explanation(void **state)
{
    struct app *app = start(usual);
    int fd = tls_client_bare(app);
    char text[1024] = {0};

    (void)state;
    client_say(fd, GET("/a"));
    client_expect(fd, "HTTP/1.1 400 Bad Request\r\nDate: %\r\n"
                      "Content-Type: application/problem+json\r\n");
    assert_true(recv(fd, text, sizeof text - 1, MSG_WAITALL) > 0);
    assert_non_null(strstr(text, "this address uses TLS; use https:// instead of http://"));
    close(fd);
    app_stop(app);
}

static void invalid_tls_records_close_the_connection(void **state)
{
    struct app *app = start(usual);
    int fd = tls_client_bare(app);
    SSL *ssl;

    (void)state;
    client_send(fd, STR("\x16\x03\x01\x00\x05hello"));
    expect_closed(fd);
    ssl = tls_client_connect(app);
    client_send(SSL_get_fd(ssl), STR("\x17\x03\x03\x00\x13no record of ours!!"));
    expect_closed(SSL_get_fd(ssl));
    SSL_free(ssl);
    app_stop(app);
}

static void a_connection_above_the_limits_gets_no_handshake(void **state)
{
    struct listener_limits limits = *usual;
    struct app *app;
    SSL *ssl;

    (void)state;
    limits.per_local = 1;
    app = start(&limits);
    ssl = tls_client_connect(app);
    get_a(ssl);
    client_expect_end(tls_client_bare(app));
    get_a(ssl);
    tls_client_free(ssl);
    app_stop(app);
}

/* ---- slow clients ---- */

static void a_handshake_that_does_not_begin_is_ended(void **state)
{
    struct listener_limits limits = *usual;
    struct app *app;

    (void)state;
    limits.handshake = 50 * SPAN_MS;
    app = start(&limits);
    client_expect_end(tls_client_bare(app));
    app_stop(app);
}

/* A record that is always about to be complete: each byte arrives, but it never ends. */
static void a_handshake_that_drips_is_ended(void **state)
{
    struct listener_limits limits = *usual;
    struct app *app;
    struct pollfd wait = {.events = POLLIN | POLLHUP};

    (void)state;
    limits.handshake = 100 * SPAN_MS;
    app = start(&limits);
    wait.fd = tls_client_bare(app);
    client_send(wait.fd, STR("\x16\x03\x01\x40\x00\x01\x00\x3f\xfc"));
    for (int i = 0; poll(&wait, 1, 10) == 0; i++) {
        assert_true(i < 2000);
        send(wait.fd, "x", 1, MSG_NOSIGNAL);
    }
    expect_closed(wait.fd);
    app_stop(app);
}

static void after_the_handshake_the_limits_of_requests_hold(void **state)
{
    struct listener_limits limits = *usual;
    struct app *app;
    SSL *ssl;

    (void)state;
    limits.handshake = 60 * SPAN_S;
    limits.idle = 2 * SPAN_S; /* a busy machine may need some time for the request */
    limits.head = 50 * SPAN_MS;
    app = start(&limits);
    ssl = tls_client_connect(app);
    tls_client_expect_end(ssl);
    ssl = tls_client_connect(app);
    tls_client_say(ssl, "GET /a HTT");
    tls_client_expect(ssl, "HTTP/1.1 408 Request Timeout\r\n");
    tls_client_free(ssl);
    app_stop(app);
}

/* ---- reload ---- */

static void expect_name(SSL *ssl, const char *name)
{
    char shown[64];

    tls_client_name(ssl, shown);
    assert_string_equal(shown, name);
}

static void a_new_certificate_is_for_new_connections(void **state)
{
    struct app *app = start(usual);
    SSL *before = tls_client_connect(app), *after, *late;
    int half = tls_client_bare(app); /* has not begun its handshake */

    (void)state;
    get_a(before);
    app->tls = cert_files(&second);
    app_order(app, APP_TLS, 0);
    assert_int_equal(app_await(app, APP_RELOADED), RC_OK);
    after = tls_client_connect(app);
    expect_name(before, "first");
    expect_name(after, "second");
    get_a(after);
    get_a(before);
    late = tls_client_new(half, &(struct tls_client_options){0});
    assert_int_equal(SSL_connect(late), 1);
    get_a(late);
    app->tls.key = first.key; /* of another certificate: nothing changes */
    app_order(app, APP_TLS, 0);
    assert_int_equal(app_await(app, APP_RELOADED), RC_CONFLICT);
    tls_client_free(after);
    after = tls_client_connect(app);
    expect_name(after, "second");
    get_a(after);
    get_a(before);
    tls_client_free(before);
    tls_client_free(after);
    tls_client_free(late);
    app_stop(app);
}

/* ---- data ---- */

static void requests_sent_ahead_and_in_pieces_are_answered_in_order(void **state)
{
    struct app *app = start(usual);
    SSL *ssl = tls_client_connect(app);
    struct str bytes = STR(GET("/later?1") GET("/a") GET("/later?3") GET("/a"));

    (void)state;
    for (size_t i = 0; i < bytes.len; i++)
        tls_client_send(ssl, (struct str){bytes.ptr + i, 1});
    app_await(app, APP_HELD);
    app_order(app, APP_ANSWER, 0);
    tls_client_expect(ssl, "HTTP/1.1 200 OK\r\nDate: %\r\nContent-Length: 19\r\n\r\n"
                           "GET [later] [1=] []" GOT_A);
    app_await(app, APP_HELD);
    app_order(app, APP_ANSWER, 0);
    tls_client_expect(ssl, "HTTP/1.1 200 OK\r\nDate: %\r\nContent-Length: 19\r\n\r\n"
                           "GET [later] [3=] []" GOT_A);
    tls_client_free(ssl);
    app_stop(app);
}

static void large_bodies_arrive_complete(void **state)
{
    struct app *app = start(usual);
    SSL *ssl = tls_client_connect(app);
    char *body = malloc(APP_BODY_MAX + 1);

    (void)state;
    assert_non_null(body);
    for (size_t i = 0; i < APP_BODY_MAX; i++)
        body[i] = app_byte(i);
    body[APP_BODY_MAX] = '\0';
    tls_client_say(ssl, "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 1048576\r\n\r\n");
    tls_client_say(ssl, body);
    tls_client_expect(ssl, OK_TEXT "Content-Length: 1048590\r\n\r\nPOST [a] [] [");
    tls_client_expect(ssl, body);
    tls_client_expect(ssl, "]");
    get_a(ssl);
    free(body);
    tls_client_free(ssl);
    app_stop(app);
}

static void expect_pattern(SSL *ssl, size_t len)
{
    char bytes[32 * 1024];
    size_t n;

    for (size_t at = 0; at < len; at += n) {
        assert_int_equal(SSL_read_ex(ssl, bytes, sizeof bytes, &n), 1);
        assert_true(at + n <= len);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(bytes[i], app_byte(at + i));
    }
}

static void a_large_answer_arrives_complete(void **state)
{
    struct app *app = start(usual);
    SSL *ssl = tls_client_connect(app);

    (void)state;
    tls_client_say(ssl, GET("/big"));
    tls_client_expect(ssl, OK_TEXT "Content-Length: 8388608\r\n\r\n");
    expect_pattern(ssl, APP_BIG);
    assert_int_equal(app_await(app, APP_OVER), true);
    get_a(ssl);
    tls_client_free(ssl);
    app_stop(app);
}

static void a_stream_waits_for_a_slow_reader(void **state)
{
    struct app *app = start(usual);
    SSL *ssl = tls_client_connect_narrow(app);
    char line[32];
    size_t left = APP_STREAM, at = 0;

    (void)state;
    tls_client_say(ssl, GET("/stream"));
    assert_true(app_await(app, APP_FULL) >= EXCHANGE_BACKLOG_MAX / 2);
    tls_client_expect(ssl, OK_TEXT VARY "Transfer-Encoding: chunked\r\n\r\n");
    while (left > 0) {
        size_t n = left < APP_PIECE ? left : APP_PIECE, got;
        char piece[APP_PIECE];

        snprintf(line, sizeof line, "%zx\r\n", n);
        tls_client_expect(ssl, line);
        for (size_t have = 0; have < n; have += got)
            assert_int_equal(SSL_read_ex(ssl, piece + have, n - have, &got), 1);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(piece[i], app_byte(at + i));
        tls_client_expect(ssl, "\r\n");
        at += n;
        left -= n;
    }
    tls_client_expect(ssl, "0\r\n\r\n");
    get_a(ssl);
    tls_client_free(ssl);
    app_stop(app);
}

static void a_stream_ends_when_its_reader_vanishes(void **state)
{
    struct app *app = start(usual);
    SSL *ssl = tls_client_connect_narrow(app);

    (void)state;
    tls_client_say(ssl, GET("/stream"));
    app_await(app, APP_FULL);
    client_vanish(SSL_get_fd(ssl));
    SSL_free(ssl);
    app_await(app, APP_GONE);
    app_stop(app);
}

static void events_are_sent_at_once(void **state)
{
    struct app *app = start(usual);
    SSL *ssl = tls_client_connect(app);

    (void)state;
    tls_client_say(ssl, GET("/events"));
    app_await(app, APP_HELD);
    tls_client_expect(ssl, EVENTS_HEAD);
    for (int i = 0; i < 3; i++) {
        app_order(app, APP_EVENT, 0);
        tls_client_expect(ssl, EVENT_CHUNK);
    }
    app_order(app, APP_ANSWER, 0);
    tls_client_expect(ssl, "0\r\n\r\n");
    get_a(ssl);
    tls_client_free(ssl);
    app_stop(app);
}

static void a_silent_stream_of_events_has_comments(void **state)
{
    struct listener_limits limits = *usual;
    struct app *app;
    SSL *ssl;

    (void)state;
    limits.quiet = 10 * SPAN_MS;
    app = start(&limits);
    ssl = tls_client_connect(app);
    tls_client_say(ssl, GET("/events"));
    app_await(app, APP_HELD);
    tls_client_expect(ssl, EVENTS_HEAD "3\r\n:\n\n\r\n3\r\n:\n\n\r\n");
    client_vanish(SSL_get_fd(ssl));
    SSL_free(ssl);
    app_await(app, APP_GONE);
    app_order(app, APP_CUT, 0);
    app_stop(app);
}

static void a_client_that_closes_its_side_is_still_answered(void **state)
{
    struct app *app = start(usual);

    (void)state;
    for (int is_rude = 0; is_rude < 2; is_rude++) {
        SSL *ssl = tls_client_connect(app);

        tls_client_say(ssl, GET("/a") GET("/later"));
        if (!is_rude)
            SSL_shutdown(ssl); /* sends close_notify; otherwise only the kernel closes */
        else
            shutdown(SSL_get_fd(ssl), SHUT_WR);
        app_await(app, APP_HELD);
        app_await(app, APP_GONE);
        app_order(app, APP_ANSWER, 0);
        tls_client_expect(ssl, GOT_A "HTTP/1.1 200 OK\r\nDate: %\r\nContent-Length: 17\r\n"
                                     "Connection: close\r\n\r\nGET [later] [] []");
        tls_client_expect_end(ssl);
    }
    app_stop(app);
}

static void a_graceful_close_sends_close_notify(void **state)
{
    struct app *app = start(usual);
    SSL *idle = tls_client_connect(app), *busy = tls_client_connect(app);
    int half = tls_client_bare(app);

    (void)state;
    get_a(idle);
    tls_client_say(busy, GET("/later"));
    app_await(app, APP_HELD);
    app_order(app, APP_CLOSE, PATIENCE);
    tls_client_expect_end(idle);
    client_expect_end(half);
    app_order(app, APP_ANSWER, 0);
    tls_client_expect(busy, "HTTP/1.1 200 OK\r\nDate: %\r\nContent-Length: 17\r\n"
                            "Connection: close\r\n\r\nGET [later] [] []");
    tls_client_expect_end(busy);
    app_await(app, APP_CLOSED);
    app_stop(app);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tls_1_2_and_1_3_are_served_and_plain_beside_them),
        cmocka_unit_test(the_newest_version_is_preferred),
        cmocka_unit_test(old_protocols_and_suites_are_refused),
        cmocka_unit_test(the_good_suites_of_tls_1_2_are_served),
        cmocka_unit_test(no_session_is_resumed),
        cmocka_unit_test(a_client_that_renegotiates_is_refused_and_closed),
        cmocka_unit_test(key_updates_are_answered_up_to_a_limit),
        cmocka_unit_test(plain_http_to_the_tls_port_gets_an_explanation),
        cmocka_unit_test(invalid_tls_records_close_the_connection),
        cmocka_unit_test(a_connection_above_the_limits_gets_no_handshake),
        cmocka_unit_test(a_handshake_that_does_not_begin_is_ended),
        cmocka_unit_test(a_handshake_that_drips_is_ended),
        cmocka_unit_test(after_the_handshake_the_limits_of_requests_hold),
        cmocka_unit_test(a_new_certificate_is_for_new_connections),
        cmocka_unit_test(requests_sent_ahead_and_in_pieces_are_answered_in_order),
        cmocka_unit_test(large_bodies_arrive_complete),
        cmocka_unit_test(a_large_answer_arrives_complete),
        cmocka_unit_test(a_stream_waits_for_a_slow_reader),
        cmocka_unit_test(a_stream_ends_when_its_reader_vanishes),
        cmocka_unit_test(events_are_sent_at_once),
        cmocka_unit_test(a_silent_stream_of_events_has_comments),
        cmocka_unit_test(a_client_that_closes_its_side_is_still_answered),
        cmocka_unit_test(a_graceful_close_sends_close_notify),
    };

    return cmocka_run_group_tests(tests, make_certs, remove_certs);
}
