/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTTP/2 client with Belfry's own server as its peer: reuse, flow control in both
 * directions, deadlines, cancellation and the end of a server.
 */
#include "http_caller.h"

#include <stdlib.h>
#include <string.h>

static struct app *app;
static struct http_caller *caller;

static int start(void **state)
{
    (void)state;
    app = app_start(&listener_limits_default);
    caller = http_caller_open("http", app->port, NULL);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    http_caller_close(caller);
    app_stop(app);
    return 0;
}

static void assert_done(const struct http_caller_call *call, int status)
{
    assert_string_equal(call->text, "");
    assert_int_equal(call->kind, HTTP_END_DONE);
    assert_int_equal(call->status, status);
}

static void a_call_is_answered(void **state)
{
    struct http_caller_call *call = http_caller_start(caller, "/a%2Fb?c=d", STR("hello"), 0);

    (void)state;
    http_caller_wait(call);
    assert_done(call, 200);
    assert_string_equal(call->head, "content-type: text/plain\n");
    assert_string_equal(call->start, "POST [a/b] [c=d] [hello]");
    assert_string_equal(call->trailers, "");
}

static void trailers_arrive_at_the_end(void **state)
{
    struct http_caller_call *call = http_caller_get(caller, "/trail");

    (void)state;
    http_caller_wait(call);
    assert_done(call, 200);
    assert_string_equal(call->start, "GET [trail] [] []");
    assert_string_equal(call->trailers, "x-tail: 1\n");
}

/* What an answer without a body has, arrives in one head. */
static void an_answer_may_be_a_head_alone(void **state)
{
    struct http_caller_call *call = http_caller_get(caller, "/trail/only");

    (void)state;
    http_caller_wait(call);
    assert_done(call, 200);
    assert_string_equal(call->head, "content-type: text/plain\nx-tail: 1\n");
    assert_string_equal(call->trailers, "");
    assert_int_equal(call->received, 0);
}

static void calls_share_a_connection(void **state)
{
    struct http_caller_call *calls[50];

    (void)state;
    for (int i = 0; i < 50; i++)
        calls[i] = http_caller_get(caller, "/x");
    for (int i = 0; i < 50; i++)
        http_caller_wait(calls[i]);
    for (int i = 0; i < 50; i++)
        assert_done(calls[i], 200);
    http_caller_wait(http_caller_get(caller, "/x"));
    assert_int_equal(http_client_connections(caller->client), 1);
}

/* The server permits 100 streams per connection (H2_STREAMS_MAX). */
static void more_calls_than_streams_open_another_connection(void **state)
{
    struct http_caller_call *calls[APP_HELD_MAX], *more[60];

    (void)state;
    http_caller_wait(http_caller_get(caller, "/x"));
    for (int i = 0; i < APP_HELD_MAX; i++) {
        calls[i] = http_caller_get(caller, "/later");
        http_caller_await(caller, app, APP_HELD);
    }
    for (int i = 0; i < 60; i++)
        more[i] = http_caller_get(caller, "/x");
    for (int i = 0; i < 60; i++)
        http_caller_wait(more[i]);
    assert_int_equal(http_client_connections(caller->client), 2);
    for (int i = 0; i < APP_HELD_MAX; i++)
        app_order(app, APP_ANSWER, 0);
    for (int i = 0; i < APP_HELD_MAX; i++) {
        http_caller_wait(calls[i]);
        assert_done(calls[i], 200);
    }
}

static void lanes_do_not_share_connections(void **state)
{
    (void)state;
    http_caller_wait(http_caller_get(caller, "/x"));
    caller->target.lane = 1;
    http_caller_wait(http_caller_get(caller, "/x"));
    assert_int_equal(http_client_connections(caller->client), 2);
}

static void a_large_answer_arrives_whole(void **state)
{
    struct http_caller_call *call = http_caller_get(caller, "/big");

    (void)state;
    http_caller_wait(call);
    assert_done(call, 200);
    assert_int_equal(call->received, APP_BIG);
    assert_false(call->is_different);
}

/* The server's window is 1 MiB, and the body is as large as the server accepts. */
static void a_large_request_arrives_whole(void **state)
{
    size_t len = APP_BODY_MAX - 1;
    char *body = malloc(len);
    struct http_caller_call *call;

    (void)state;
    assert_non_null(body);
    memset(body, 'x', len);
    call = http_caller_start(caller, "/y", (struct str){body, len}, 0);
    http_caller_wait(call);
    assert_done(call, 200);
    assert_int_equal(call->received, len + strlen("POST [y] [] []"));
    free(body);
}

/* A reader that consumes nothing gets one window; other calls of the connection go on. */
static void a_slow_reader_delays_only_itself(void **state)
{
    struct http_caller_call *slow = http_caller_get(caller, "/stream"), *other;

    (void)state;
    slow->keeps = true;
    http_caller_await(caller, app, APP_FULL);
    http_caller_wait_bytes(slow, HTTP_CLIENT_WINDOW);
    other = http_caller_get(caller, "/text?1000000");
    http_caller_wait(other);
    assert_done(other, 200);
    assert_int_equal(other->received, 100000);
    assert_int_equal(slow->received, HTTP_CLIENT_WINDOW);
    assert_int_equal(http_client_connections(caller->client), 1);
    slow->keeps = false;
    http_call_consume(slow->call, slow->received);
    http_caller_wait(slow);
    assert_done(slow, 200);
    assert_int_equal(slow->received, APP_STREAM);
    assert_false(slow->is_different);
}

static void a_cancelled_call_ends_its_stream(void **state)
{
    struct http_caller_call *call = http_caller_get(caller, "/later"), *other;

    (void)state;
    http_caller_await(caller, app, APP_HELD);
    http_call_cancel(call->call);
    http_caller_await(caller, app, APP_GONE);
    app_order(app, APP_CUT, 0);
    other = http_caller_get(caller, "/x");
    http_caller_wait(other);
    assert_done(other, 200);
    assert_false(call->is_ended);
    assert_int_equal(http_client_connections(caller->client), 1);
}

static void a_call_is_cancelled_before_it_is_sent(void **state)
{
    struct http_caller_call *call = http_caller_get(caller, "/later");

    (void)state;
    http_call_cancel(call->call);
    http_caller_wait(http_caller_get(caller, "/x"));
    assert_false(call->is_ended);
}

static void a_deadline_ends_the_stream(void **state)
{
    struct http_caller_call *call = http_caller_start(caller, "/later", (struct str){0},
                                                      50 * SPAN_MS);

    (void)state;
    http_caller_wait(call);
    assert_int_equal(call->kind, HTTP_END_LATE);
    app_await(app, APP_HELD);
    http_caller_await(caller, app, APP_GONE);
    app_order(app, APP_CUT, 0);
}

static void a_reset_stream_is_broken(void **state)
{
    struct http_caller_call *call = http_caller_get(caller, "/begin");

    (void)state;
    http_caller_await(caller, app, APP_HELD);
    http_caller_wait_bytes(call, 4);
    app_order(app, APP_CUT, 0);
    http_caller_wait(call);
    assert_int_equal(call->kind, HTTP_END_BROKEN);
    assert_int_equal(call->status, 200);
}

/* The server sends GOAWAY, finishes what it has, and closes. */
static void a_call_survives_the_drain_of_its_server(void **state)
{
    struct http_caller_call *call = http_caller_get(caller, "/later"), *late;

    (void)state;
    http_caller_await(caller, app, APP_HELD);
    app_order(app, APP_CLOSE, PATIENCE);
    app_order(app, APP_ANSWER, 0);
    http_caller_wait(call);
    assert_done(call, 200);
    http_caller_await(caller, app, APP_CLOSED);
    late = http_caller_get(caller, "/x");
    http_caller_wait(late);
    assert_int_equal(late->kind, HTTP_END_UNCONNECTED);
    assert_non_null(strstr(late->text, "connection refused"));
}

static void a_dead_server_breaks_its_calls(void **state)
{
    struct http_caller_call *call = http_caller_get(caller, "/later");

    (void)state;
    http_caller_await(caller, app, APP_HELD);
    app_order(app, APP_CLOSE, 0);
    http_caller_wait(call);
    assert_int_equal(call->kind, HTTP_END_BROKEN);
    http_caller_await(caller, app, APP_GONE);
    app_order(app, APP_CUT, 0);
    http_caller_await(caller, app, APP_CLOSED);
}

static void a_denied_address_gets_no_connection(void **state)
{
    struct http_caller_call *call;

    (void)state;
    caller->denies = true;
    call = http_caller_get(caller, "/x");
    http_caller_wait(call);
    assert_int_equal(call->kind, HTTP_END_DENIED);
    assert_int_equal(http_client_connections(caller->client), 0);
}

/* The connection was opened for a call with other permissions. */
static void a_denied_address_gets_no_request(void **state)
{
    struct http_caller_call *call;

    (void)state;
    http_caller_wait(http_caller_get(caller, "/x"));
    caller->denies = true;
    call = http_caller_get(caller, "/x");
    http_caller_wait(call);
    assert_int_equal(call->kind, HTTP_END_DENIED);
    assert_int_equal(http_client_connections(caller->client), 1);
}

static void a_name_is_resolved(void **state)
{
    char url[64];
    struct http_caller_call *call;

    (void)state;
    snprintf(url, sizeof url, "http://localhost:%u", app->port);
    caller->target.url = str_of(url);
    call = http_caller_get(caller, "/x");
    http_caller_wait(call);
    assert_done(call, 200);
}

static void an_unknown_name_is_reported(void **state)
{
    struct http_caller_call *call;

    (void)state;
    caller->target.url = STR("http://name.invalid:7233");
    call = http_caller_get(caller, "/x");
    http_caller_wait(call);
    assert_int_equal(call->kind, HTTP_END_UNCONNECTED);
}

static void a_url_without_a_host_is_reported(void **state)
{
    struct http_caller_call *call;

    (void)state;
    caller->target.url = STR("temporal:7233");
    call = http_caller_get(caller, "/x");
    http_caller_wait(call);
    assert_int_equal(call->kind, HTTP_END_UNCONNECTED);
    assert_string_equal(call->text, "invalid URL");
}

#define WITH_APP(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_APP(a_call_is_answered),
        WITH_APP(trailers_arrive_at_the_end),
        WITH_APP(an_answer_may_be_a_head_alone),
        WITH_APP(calls_share_a_connection),
        WITH_APP(more_calls_than_streams_open_another_connection),
        WITH_APP(lanes_do_not_share_connections),
        WITH_APP(a_large_answer_arrives_whole),
        WITH_APP(a_large_request_arrives_whole),
        WITH_APP(a_slow_reader_delays_only_itself),
        WITH_APP(a_cancelled_call_ends_its_stream),
        WITH_APP(a_call_is_cancelled_before_it_is_sent),
        WITH_APP(a_deadline_ends_the_stream),
        WITH_APP(a_reset_stream_is_broken),
        WITH_APP(a_call_survives_the_drain_of_its_server),
        WITH_APP(a_dead_server_breaks_its_calls),
        WITH_APP(a_denied_address_gets_no_connection),
        WITH_APP(a_denied_address_gets_no_request),
        WITH_APP(a_name_is_resolved),
        WITH_APP(an_unknown_name_is_reported),
        WITH_APP(a_url_without_a_host_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
