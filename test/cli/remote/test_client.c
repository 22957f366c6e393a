/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of the client with a listener on the same loop.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "cli/remote/client.h"
#include "io/clock.h"
#include "io/net/listener.h"

enum { CALLS = 4, LONG = 3 << 20 };

struct world {
    struct loop *loop;
    struct listener *listener;
    struct client *client;
    uint16_t port;
    struct exchange *held;
    char seen[512]; /* the request that the server got */
    char authorization[64];
    char *big;
    int waits_for, done, parts;
    int status;
    char body[64];
    size_t body_len;
    instant server_now;
    struct err err;
};

static void on_request(void *arg, struct exchange *x)
{
    struct world *world = arg;
    struct str authorization = STR("(none)");

    http1_find(x->request, STR("Authorization"), &authorization);
    snprintf(world->authorization, sizeof world->authorization, "%.*s", STR_ARG(authorization));
    snprintf(world->seen, sizeof world->seen, "%.*s %.*s %.*s", STR_ARG(x->request->method),
             STR_ARG(x->request->target), STR_ARG(x->body));
    if (memmem(x->request->target.ptr, x->request->target.len, "hold", 4))
        world->held = x;
    else if (memmem(x->request->target.ptr, x->request->target.len, "big", 3))
        exchange_answer(x, 200, NULL, 0, (struct str){world->big, LONG});
    else
        exchange_answer(x, 418, NULL, 0, STR("short and stout"));
    if (world->held)
        loop_stop(world->loop);
}

static int64_t body_max(void *arg, const struct http1_request *request)
{
    (void)arg;
    (void)request;
    return 1000;
}

static void on_done(void *arg, const struct client_answer *answer)
{
    struct world *world = arg;

    world->status = answer->status;
    snprintf(world->body, sizeof world->body, "%.*s", STR_ARG(answer->body));
    world->body_len = answer->body.len;
    world->server_now = answer->server_now;
    world->err = answer->err;
    if (++world->done == world->waits_for)
        loop_stop(world->loop);
}

static void on_closed(void *arg)
{
    struct world *world = arg;

    if (--world->parts == 0)
        loop_stop(world->loop);
}

static enum rc open_client(struct world *world, const char *end, const char *namespace)
{
    char url[128];
    struct client_options options = {
        .server = url, .namespace = namespace, .agent = "test", .calls = CALLS};

    snprintf(url, sizeof url, "http://127.0.0.1:%d%s", world->port, end);
    return client_open(world->loop, &options, &world->client, &world->err);
}

static int setup(void **state)
{
    struct world *world = calloc(1, sizeof *world);
    struct listener_handler handler = {
        .body_max = body_max, .on_request = on_request, .arg = world};
    struct err err;

    assert_non_null(world);
    world->big = calloc(1, LONG);
    assert_non_null(world->big);
    world->loop = loop_new(NULL, NULL);
    world->listener = listener_new(loop_uv(world->loop), &listener_limits_default, &handler);
    assert_int_equal(listener_bind(world->listener, "127.0.0.1", 0, &world->port, &err), RC_OK);
    *state = world;
    return 0;
}

static int teardown(void **state)
{
    struct world *world = *state;

    world->parts = world->client ? 2 : 1;
    if (world->client)
        client_close(world->client, on_closed, world);
    if (world->held)
        exchange_cut(world->held);
    listener_close(world->listener, 0, on_closed, world);
    while (world->parts > 0)
        loop_run(world->loop);
    listener_free(world->listener);
    loop_free(world->loop);
    free(world->big);
    free(world);
    return 0;
}

static int64_t post(struct world *world, const char *path)
{
    struct client_request what = {.path = path, .body = STR("{\"a\":1}"), .wait = SPAN_S};

    return client_send(world->client, &what, on_done, world);
}

static void await(struct world *world, int done)
{
    world->waits_for = done;
    while (world->done < done)
        loop_run(world->loop);
}

static void a_post_sends_its_body_and_gets_the_answer(void **state)
{
    struct world *world = *state;
    instant now = clock_now();

    assert_int_equal(open_client(world, "/base//", "a b/\xc3\xa4~"), RC_OK);
    post(world, "/api/v1/x");
    await(world, 1);
    assert_string_equal(world->seen, "POST /base/api/v1/x?namespace=a%20b%2F%C3%A4~ {\"a\":1}");
    assert_int_equal(world->status, 418);
    assert_string_equal(world->body, "short and stout");
    /* A Date header has whole seconds. */
    assert_true(world->server_now > now - 2 * SPAN_S &&
                world->server_now < clock_now() + SPAN_S);
}

static void a_get_has_no_body(void **state)
{
    struct world *world = *state;
    struct client_request what = {.method = "GET", .path = "/x", .wait = SPAN_S};

    assert_int_equal(open_client(world, "", ""), RC_OK);
    client_send(world->client, &what, on_done, world);
    await(world, 1);
    assert_string_equal(world->seen, "GET /x ");
    assert_int_equal(world->status, 418);
}

static enum rc open_with(struct world *world, const char *token)
{
    char url[64];
    struct client_options options = {
        .server = url, .namespace = "", .token = token, .agent = "test", .calls = CALLS};

    snprintf(url, sizeof url, "http://127.0.0.1:%d", world->port);
    return client_open(world->loop, &options, &world->client, &world->err);
}

static void every_request_has_the_token(void **state)
{
    struct world *world = *state;
    struct client_request get = {.method = "GET", .path = "/x", .wait = SPAN_S};

    assert_int_equal(open_with(world, "bf_worker_x"), RC_OK);
    post(world, "/x");
    await(world, 1);
    assert_string_equal(world->authorization, "Bearer bf_worker_x");
    assert_string_equal(world->seen, "POST /x {\"a\":1}");
    client_send(world->client, &get, on_done, world);
    await(world, 2);
    assert_string_equal(world->authorization, "Bearer bf_worker_x");
}

static void without_a_token_there_is_no_authorization(void **state)
{
    struct world *world = *state;

    assert_int_equal(open_with(world, ""), RC_OK);
    post(world, "/x");
    await(world, 1);
    assert_string_equal(world->authorization, "(none)");
}

static void an_invalid_token_is_refused_and_not_quoted(void **state)
{
    static const char *const bad[] = {"a b", "secret\r\nX: y", "secret\n", "\xc3\xa4"};
    struct world *world = *state;
    char longest[CLIENT_TOKEN_MAX + 2];

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(open_with(world, bad[i]), RC_INVALID);
        assert_null(strstr(world->err.text, "secret"));
    }
    memset(longest, 'a', sizeof longest);
    longest[CLIENT_TOKEN_MAX + 1] = '\0';
    assert_int_equal(open_with(world, longest), RC_INVALID);
    longest[CLIENT_TOKEN_MAX] = '\0';
    assert_int_equal(open_with(world, longest), RC_OK);
}

static void connections_are_reused(void **state)
{
    struct world *world = *state;

    assert_int_equal(open_client(world, "", ""), RC_OK);
    for (int i = 1; i <= 10; i++) {
        post(world, "/x");
        await(world, i);
    }
    assert_int_equal(listener_counts(world->listener).requests, 10);
    assert_int_equal(listener_counts(world->listener).accepted, 1);
}

static void long_answers_are_complete(void **state)
{
    struct world *world = *state;

    assert_int_equal(open_client(world, "", ""), RC_OK);
    post(world, "/big");
    await(world, 1);
    assert_int_equal(world->status, 200);
    assert_int_equal(world->body_len, LONG);
}

static void a_cancelled_call_ends_without_an_answer(void **state)
{
    struct world *world = *state;
    int64_t call;

    assert_int_equal(open_client(world, "", ""), RC_OK);
    call = post(world, "/hold");
    while (!world->held)
        loop_run(world->loop);
    client_cancel(world->client, call);
    client_cancel(world->client, call + 1);
    assert_int_equal(world->done, 0);
    await(world, 1);
    assert_int_equal(world->status, 0);
    assert_true(world->err.text[0] != '\0');
}

static void an_unreachable_server_is_reported(void **state)
{
    struct world *world = *state;
    struct client_options options = {
        .server = "http://127.0.0.1:1", .namespace = "", .agent = "test", .calls = CALLS};

    assert_int_equal(client_open(world->loop, &options, &world->client, &world->err), RC_OK);
    post(world, "/x");
    await(world, 1);
    assert_int_equal(world->status, 0);
    assert_true(world->err.text[0] != '\0');
}

static void unusable_server_urls_are_refused(void **state)
{
    struct world *world = *state;

    assert_int_equal(open_client(world, "/?a=b", ""), RC_INVALID);
    assert_int_equal(open_client(world, "/#a", ""), RC_INVALID);
    assert_int_equal(open_client(world, "/a b", ""), RC_INVALID);
    world->client = NULL;
}

#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_WORLD(a_post_sends_its_body_and_gets_the_answer),
        WITH_WORLD(a_get_has_no_body),
        WITH_WORLD(every_request_has_the_token),
        WITH_WORLD(without_a_token_there_is_no_authorization),
        WITH_WORLD(an_invalid_token_is_refused_and_not_quoted),
        WITH_WORLD(connections_are_reused),
        WITH_WORLD(long_answers_are_complete),
        WITH_WORLD(a_cancelled_call_ends_without_an_answer),
        WITH_WORLD(an_unreachable_server_is_reported),
        WITH_WORLD(unusable_server_urls_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
