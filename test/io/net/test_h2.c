/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP/2 with nghttp2's client: the behaviour of HTTP/1.1 (test_conn.c), and many requests at
 * once.
 */
#include "h2_client.h"

#include <string.h>

#include "cert.h"
#include "tls_client.h"

static struct app *app;

static int start(void **state)
{
    (void)state;
    app = app_start(&listener_limits_default);
    return 0;
}

static int start_quiet(void **state)
{
    struct listener_limits limits = listener_limits_default;

    (void)state;
    limits.quiet = 10 * SPAN_MS;
    app = app_start(&limits);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    app_stop(app);
    return 0;
}

static struct h2c *connected(void)
{
    return h2c_open(client_connect(app));
}

static void assert_body(const struct h2c_answer *a, const char *text)
{
    assert_int_equal(a->error, NGHTTP2_NO_ERROR);
    assert_int_equal(a->body_len, strlen(text));
    assert_memory_equal(a->body, text, a->body_len);
}

static void a_request_is_answered(void **state)
{
    struct h2c *h = connected();
    struct h2c_answer *a = h2c_ask(h, &(struct h2c_request){.method = "POST",
                                                            .path = "/a%2Fb/c?d=e%20f",
                                                            .body = STR("hello")});

    (void)state;
    h2c_await(h, a);
    assert_string_equal(a->head, ":status: 200\ncontent-type: text/plain\n");
    assert_body(a, "POST [a/b,c] [d=e f] [hello]");
    h2c_close(h);
}

static void an_answer_may_have_no_body(void **state)
{
    struct h2c *h = connected();
    struct h2c_answer *a = h2c_get(h, "/nothing"),
                      *head = h2c_ask(h, &(struct h2c_request){.method = "HEAD", .path = "/x"});

    (void)state;
    h2c_await(h, a);
    h2c_await(h, head);
    assert_string_equal(a->head, ":status: 204\n");
    assert_int_equal(a->body_len, 0);
    assert_string_equal(head->head, ":status: 200\ncontent-type: text/plain\n");
    assert_int_equal(head->body_len, 0);
    h2c_close(h);
}

/* As over HTTP/1.1: a proxy that translates would otherwise write the line break. */
static void fields_that_cannot_be_sent_give_a_500(void **state)
{
    struct h2c *h = connected();
    struct h2c_answer *a = h2c_get(h, "/broken");

    (void)state;
    h2c_await(h, a);
    assert_string_equal(a->head, ":status: 500\n");
    assert_int_equal(a->body_len, 0);
    h2c_close(h);
}

static void a_stream_may_have_trailers(void **state)
{
    struct h2c *h = connected();
    struct h2c_answer *a = h2c_get(h, "/tailed"), *empty = h2c_get(h, "/tailed/empty");

    (void)state;
    h2c_await(h, a);
    h2c_await(h, empty);
    assert_body(a, "some");
    assert_string_equal(a->tail, "x-tail: 1\n");
    assert_int_equal(empty->error, NGHTTP2_NO_ERROR);
    assert_int_equal(empty->body_len, 0);
    assert_string_equal(empty->head, ":status: 200\ncontent-type: text/plain\nx-tail: 1\n");
    h2c_close(h);
}

static void a_preface_in_single_bytes_is_accepted(void **state)
{
    static const char bytes[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0";
    struct h2c *h = connected();
    struct h2c_answer *a;
    const uint8_t *data;

    (void)state;
    for (size_t i = 0; i < sizeof bytes - 1; i++)
        client_send(h->fd, (struct str){bytes + i, 1});
    while (nghttp2_session_mem_send(h->session, &data) == 24)
        ; /* its preface was sent by hand, and its settings go with the request */
    a = h2c_get(h, "/x");
    h2c_await(h, a);
    assert_body(a, "GET [x] [] []");
    h2c_close(h);
}

static void what_only_begins_like_a_preface_is_http_1(void **state)
{
    int fd = client_connect(app);

    (void)state;
    for (const char *c = "PUT / HTTP/1.1\r\nHost: h\r\n\r\n"; *c; c++)
        client_send(fd, (struct str){c, 1});
    client_expect(fd, OK_TEXT "Content-Length: 12\r\n\r\nPUT [] [] []");
    client_say(fd, "PRI * HTTP/2.0\r\n\r\nSX");
    client_expect(fd, "HTTP/1.1 505 HTTP Version Not Supported\r\n");
    close(fd);
}

static void streams_are_answered_in_any_order(void **state)
{
    struct h2c *h = connected();
    struct h2c_answer *late = h2c_get(h, "/later"), *soon;

    (void)state;
    app_await(app, APP_HELD);
    soon = h2c_get(h, "/soon");
    h2c_await(h, soon);
    assert_body(soon, "GET [soon] [] []");
    assert_false(late->is_closed);
    app_order(app, APP_ANSWER, 0);
    h2c_await(h, late);
    assert_body(late, "GET [later] [] []");
    h2c_close(h);
}

static void many_streams_are_open_at_once(void **state)
{
    struct h2c *h = connected();
    struct h2c_answer *held[APP_HELD_MAX];

    (void)state;
    for (int i = 0; i < APP_HELD_MAX; i++) {
        held[i] = h2c_get(h, "/later");
        app_await(app, APP_HELD);
    }
    for (int i = 0; i < APP_HELD_MAX; i++)
        app_order(app, APP_ANSWER, 0);
    for (int i = 0; i < APP_HELD_MAX; i++) {
        h2c_await(h, held[i]);
        assert_body(held[i], "GET [later] [] []");
    }
    h2c_close(h);
}

static void assert_bytes(const struct h2c_answer *a, size_t count)
{
    assert_int_equal(a->error, NGHTTP2_NO_ERROR);
    assert_int_equal(a->body_len, count);
    for (size_t i = 0; i < count; i++)
        if (a->body[i] != app_byte(i))
            fail_msg("byte %zu is wrong", i);
}

static void large_answers_and_streams_arrive_complete(void **state)
{
    struct h2c *h = connected();
    struct h2c_answer *big = h2c_get(h, "/big"), *stream;

    (void)state;
    h2c_await(h, big);
    assert_bytes(big, APP_BIG);
    assert_int_equal(app_await(app, APP_OVER), 1);
    stream = h2c_get(h, "/stream");
    app_await(app, APP_FULL);
    h2c_await(h, stream);
    assert_bytes(stream, APP_STREAM);
    h2c_close(h);
}

static void trailers_come_after_the_body_or_in_its_place(void **state)
{
    struct h2c *h = connected();
    struct h2c_answer *a = h2c_get(h, "/trail"), *bare = h2c_get(h, "/trail/bare");

    (void)state;
    h2c_await(h, a);
    h2c_await(h, bare);
    assert_string_equal(a->head, ":status: 200\ncontent-type: text/plain\n");
    assert_body(a, "GET [trail] [] []");
    assert_string_equal(a->tail, "x-tail: 1\n");
    assert_string_equal(bare->head, ":status: 200\ncontent-type: text/plain\nx-tail: 1\n");
    assert_int_equal(bare->body_len, 0);
    h2c_close(h);
}

static void a_stream_that_is_reset_is_gone(void **state)
{
    struct h2c *h = connected();
    struct h2c_answer *a = h2c_get(h, "/later"), *b;

    (void)state;
    app_await(app, APP_HELD);
    nghttp2_submit_rst_stream(h->session, NGHTTP2_FLAG_NONE, a->id, NGHTTP2_CANCEL);
    h2c_flush(h);
    app_await(app, APP_GONE);
    b = h2c_get(h, "/x");
    h2c_await(h, b); /* the others are not affected */
    assert_body(b, "GET [x] [] []");
    app_order(app, APP_ANSWER, 0);
    h2c_close(h);
}

static void a_closed_connection_ends_all_its_streams(void **state)
{
    struct h2c *h = connected();

    (void)state;
    for (int i = 0; i < 3; i++) {
        h2c_get(h, i < 2 ? "/later" : "/over");
        app_await(app, APP_HELD);
    }
    h2c_close(h);
    for (int i = 0; i < 3; i++)
        app_await(app, APP_GONE);
    for (int i = 0; i < 3; i++)
        app_order(app, APP_ANSWER, 0);
}

static void the_owner_learns_that_the_answer_was_sent(void **state)
{
    struct h2c *h = connected();
    struct h2c_answer *a = h2c_get(h, "/over");

    (void)state;
    app_await(app, APP_HELD);
    app_order(app, APP_ANSWER, 0);
    h2c_await(h, a);
    assert_int_equal(app_await(app, APP_OVER), 1);
    h2c_close(h);
}

static void a_cut_stream_is_reset(void **state)
{
    struct h2c *h = connected();
    struct h2c_answer *a = h2c_get(h, "/begin"), *b;

    (void)state;
    app_await(app, APP_HELD);
    app_order(app, APP_CUT, 0);
    h2c_await(h, a);
    assert_int_equal(a->error, NGHTTP2_INTERNAL_ERROR);
    b = h2c_get(h, "/x");
    h2c_await(h, b);
    assert_body(b, "GET [x] [] []");
    h2c_close(h);
}

static void a_body_that_is_too_long_gets_a_413(void **state)
{
    static char much[100000];
    struct h2c *h = connected();
    struct h2c_request request = {
        .method = "POST", .path = "/small", .body = STR("0123456789")};
    struct h2c_answer *fits = h2c_ask(h, &request), *large;

    (void)state;
    request.body = (struct str){much, sizeof much};
    large = h2c_ask(h, &request);
    h2c_await(h, fits);
    assert_body(fits, "POST [small] [] [0123456789]");
    h2c_await(h, large);
    assert_string_equal(large->head, ":status: 413\n");
    h2c_close(h);
}

/* The HTTP/1.1 parser decides: test_http1 has all that it rejects. */
static void requests_that_http_1_refuses_are_refused(void **state)
{
    static const struct {
        const char *path, *authority, *status;
    } rows[] = {
        {"/%zz", "h", ":status: 400\n"},
        {"/%00", "h", ":status: 400\n"},
        {"/x", "a b", ":status: 400\n"},
        {"/x", "h:99999", ":status: 400\n"},
    };
    struct h2c *h = connected();

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct h2c_answer *a = h2c_ask(
            h, &(struct h2c_request){
                   .method = "GET", .path = rows[i].path, .authority = rows[i].authority});

        h2c_await(h, a);
        if (a->error == NGHTTP2_NO_ERROR &&
            strncmp(a->head, rows[i].status, strlen(rows[i].status)) != 0)
            fail_msg("%s of %s: %s", rows[i].path, rows[i].authority, a->head);
    }
    h2c_close(h);
}

static void a_refused_head_request_has_no_body(void **state)
{
    struct h2c *h = connected();
    struct h2c_request request = {.method = "HEAD", .path = "/%zz", .authority = "h"};
    struct h2c_answer *a = h2c_ask(h, &request);

    (void)state;
    h2c_await(h, a);
    assert_int_equal(a->error, NGHTTP2_NO_ERROR);
    assert_memory_equal(a->head, ":status: 400\n", 13);
    assert_int_equal(a->body_len, 0);
    h2c_close(h);
}

/* RFC 9113 section 3.2: after the handshake both sides use HTTP/2, and nothing else. */
static void what_is_agreed_by_alpn_is_http_2_only(void **state)
{
    struct cert cert;
    struct tls_files files;
    struct app *tls_app;
    SSL *ssl;

    (void)state;
    cert_make(CERT_EC, "h2", &cert);
    files = cert_files(&cert);
    files.offers_h2 = true;
    tls_app = app_start_tls(&listener_limits_default, &files);
    ssl = tls_client_connect_as(tls_app, &(struct tls_client_options){.alpn = "\x02h2"});
    tls_client_say(ssl, GET("/a"));
    for (;;) {
        char room[256];
        int n = SSL_read(ssl, room, sizeof room);

        if (n <= 0)
            break;
        assert_null(memmem(room, (size_t)n, "HTTP/1.1", 8));
    }
    tls_client_free(ssl);
    app_stop(tls_app);
    cert_remove(&cert);
}

static void a_host_that_differs_from_the_authority_is_refused(void **state)
{
    struct h2c *h = connected();
    struct h2c_request request = {
        .method = "GET", .path = "/x", .authority = "a", .name = "host", .value = "b"};
    struct h2c_answer *differ = h2c_ask(h, &request), *same;

    (void)state;
    h2c_await(h, differ);
    assert_int_equal(differ->error, NGHTTP2_INTERNAL_ERROR);
    request.value = "a";
    same = h2c_ask(h, &request);
    h2c_await(h, same);
    assert_body(same, "GET [x] [] []");
    h2c_close(h);
}

static void a_length_that_is_wrong_is_refused(void **state)
{
    struct h2c *h = connected();
    struct h2c_answer *a = h2c_ask(h, &(struct h2c_request){.method = "POST",
                                                            .path = "/x",
                                                            .body = STR("hello"),
                                                            .name = "content-length",
                                                            .value = "4"});

    (void)state;
    h2c_await(h, a);
    assert_int_equal(a->error, NGHTTP2_PROTOCOL_ERROR);
    h2c_close(h);
}

static void a_graceful_close_finishes_open_streams(void **state)
{
    struct h2c *h = connected();
    struct h2c_answer *a = h2c_get(h, "/later");

    (void)state;
    app_await(app, APP_HELD);
    app_order(app, APP_CLOSE, PATIENCE);
    h2c_await_goaway(h);
    assert_int_equal(h->goaway, NGHTTP2_NO_ERROR);
    app_order(app, APP_ANSWER, 0);
    h2c_await(h, a);
    assert_body(a, "GET [later] [] []");
    h2c_await_end(h);
    h2c_close(h);
    app_await(app, APP_CLOSED);
}

static void a_graceful_close_ends_an_idle_connection(void **state)
{
    struct h2c *h = connected();
    struct h2c_answer *a = h2c_get(h, "/x");

    (void)state;
    h2c_await(h, a);
    app_order(app, APP_CLOSE, PATIENCE);
    h2c_await_goaway(h);
    h2c_await_end(h);
    h2c_close(h);
    app_await(app, APP_CLOSED);
}

static void a_silent_stream_of_events_has_comments(void **state)
{
    struct h2c *h = connected();
    struct h2c_answer *a = h2c_get(h, "/events");

    (void)state;
    app_await(app, APP_HELD);
    h2c_await_body(h, a, 9);
    assert_memory_equal(a->body, ":\n\n:\n\n:\n\n", 9);
    app_order(app, APP_ANSWER, 0);
    h2c_await(h, a);
    assert_int_equal(a->error, NGHTTP2_NO_ERROR);
    h2c_close(h);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        TEST(a_request_is_answered),
        TEST(an_answer_may_have_no_body),
        TEST(fields_that_cannot_be_sent_give_a_500),
        TEST(a_stream_may_have_trailers),
        TEST(a_preface_in_single_bytes_is_accepted),
        TEST(what_only_begins_like_a_preface_is_http_1),
        TEST(streams_are_answered_in_any_order),
        TEST(many_streams_are_open_at_once),
        TEST(large_answers_and_streams_arrive_complete),
        TEST(trailers_come_after_the_body_or_in_its_place),
        TEST(a_stream_that_is_reset_is_gone),
        TEST(a_closed_connection_ends_all_its_streams),
        TEST(the_owner_learns_that_the_answer_was_sent),
        TEST(a_cut_stream_is_reset),
        TEST(a_body_that_is_too_long_gets_a_413),
        TEST(requests_that_http_1_refuses_are_refused),
        TEST(a_refused_head_request_has_no_body),
        TEST(what_is_agreed_by_alpn_is_http_2_only),
        TEST(a_host_that_differs_from_the_authority_is_refused),
        TEST(a_length_that_is_wrong_is_refused),
        cmocka_unit_test_setup_teardown(a_silent_stream_of_events_has_comments, start_quiet,
                                        stop),
        TEST(a_graceful_close_finishes_open_streams),
        TEST(a_graceful_close_ends_an_idle_connection),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
