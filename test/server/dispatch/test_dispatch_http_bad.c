/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the end of a run whose server misbehaves, is missing or must not be called.
 */
#include "http_world.h"
#include "io/clock.h"

#define HEAD "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

/* An order whose attempt has little time left; enough to connect on a busy machine. */
static struct dispatch_order *short_order(struct world *world, const char *path)
{
    struct dispatch_order *order = world_order(world, path, "");

    order->assignment.deadline = order->now + 2 * SPAN_S;
    return order;
}

static void a_server_that_never_answers_times_out(void **state)
{
    struct world *world = *state;

    world_script(world, "/hang", STR("H"), BAD_STAYS);
    world_assert_end(world, world_run(world, short_order(world, "/hang")), OUTCOME_TIMED_OUT,
                     "http_timeout", true);
    assert_null(world->result);
}

static void a_server_that_only_accepts_connections_times_out(void **state)
{
    struct world *world = *state;

    world->server.is_mute = true;
    world_assert_end(world, world_run(world, short_order(world, "/")), OUTCOME_TIMED_OUT,
                     "http_timeout", true);
    assert_non_null(strstr(world_error(world, "message"), "no answer began"));
}

static void a_very_slow_answer_times_out(void **state)
{
    static const struct str drips[][2] = {
        {{"HTTP/1.1 200 OK\r\n", 17}, {"X-A: b\r\n", 8}},
        {{HEAD, sizeof HEAD - 1}, {"1\r\nx\r\n", 6}},
    };
    struct world *world = *state;

    for (int i = 0; i < 2; i++) {
        bad_server_script(&world->server, (struct bad_script){.path = "/drip",
                                                              .bytes = drips[i][0],
                                                              .end = BAD_DRIPS,
                                                              .again = drips[i][1]});
        world_assert_end(world, world_run(world, short_order(world, "/drip")),
                         OUTCOME_TIMED_OUT, "http_timeout", true);
        assert_non_null(strstr(world_error(world, "message"), "did not end"));
    }
}

static void without_time_left_no_request_is_sent(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = world_order(world, "/", "");

    order->assignment.deadline = order->now;
    world_assert_end(world, world_run(world, order), OUTCOME_TIMED_OUT, "http_timeout", true);
    assert_int_equal(world->server.connections, 0);
}

static void after_a_broken_connection_the_result_is_unknown(void **state)
{
    static const struct {
        struct str bytes;
        enum bad_end end;
    } cases[] = {
        {{"", 0}, BAD_RESETS},
        {{"", 0}, BAD_CLOSES},
        {{"HTTP/1.1 20", 11}, BAD_RESETS},
        {{"HTTP/1.1 200 OK\r\nContent-Le", 27}, BAD_CLOSES},
        {{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", 42}, BAD_RESETS},
        {{HEAD "5\r\nab", sizeof HEAD + 4}, BAD_CLOSES},
        {{"SSH-2.0-x\r\n", 11}, BAD_CLOSES},
    };
    struct world *world = *state;

    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        struct dispatch_order *order;

        world_script(world, "/break", cases[i].bytes, cases[i].end);
        world_assert_end(world, world_get(world, "/break", ""), OUTCOME_FAILED, "http_unknown",
                         true);
        order = world_order(world, "/break", "");
        order->is_once = true;
        world_assert_end(world, world_run(world, order), OUTCOME_UNKNOWN, "http_unknown",
                         false);
    }
}

static void after_a_refused_connection_the_result_is_known(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = world_order(world, "/", "");

    /* The port is free again, and most likely no one else uses it so soon. */
    uv_close((uv_handle_t *)&world->server.tcp, NULL);
    uv_run(loop_uv(world->fixture->loop), UV_RUN_NOWAIT);
    order->is_once = true;
    world_assert_end(world, world_run(world, order), OUTCOME_FAILED, "http_connect", true);
    bad_server_start(&world->server, loop_uv(world->fixture->loop));
}

static void an_endless_answer_is_cut_off(void **state)
{
    static char block[8192 + 8];
    struct world *world = *state;
    const struct report *report;

    memset(block, 'e', sizeof block);
    memcpy(block, "2000\r\n", 6);
    memcpy(block + 6 + 8192, "\r\n", 2);
    bad_server_script(&world->server, (struct bad_script){.path = "/endless",
                                                          .bytes = STR(HEAD),
                                                          .end = BAD_FLOODS,
                                                          .again = {block, sizeof block}});
    report = world_get(world, "/endless", "\"keepBytes\":1000");
    assert_int_equal(report->outcome, OUTCOME_SUCCEEDED);
    assert_string_equal(world_kept(world, "truncated"), "true");
    assert_int_equal(json_string_length(json_object_get(world->result, "body")), 1000);
}

/* The beginning of a gzip stream of zeros; each zero byte after it stands for a thousand. */
#define ZEROS                                                                          \
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xec\xc1\x01\x01\x00\x00\x00\x80\x90\xfe" \
    "\xaf\xee\x08\x0a"

static void a_gzip_bomb_is_not_decompressed(void **state)
{
    static const struct str heads[] = {
        {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" ZEROS, 43 + 24},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n" ZEROS, 44 + 24},
    };
    static char zeros[4096];
    struct world *world = *state;

    for (int i = 0; i < 2; i++) {
        bad_server_script(&world->server, (struct bad_script){.path = "/bomb",
                                                              .bytes = heads[i],
                                                              .end = BAD_FLOODS,
                                                              .again = {zeros, sizeof zeros}});
        world_get(world, "/bomb", "\"keepBytes\":600");
        assert_string_equal(world_kept(world, "truncated"), "true");
        assert_string_equal(world_kept(world, "encoding"), "\"base64\"");
        assert_int_equal(json_string_length(json_object_get(world->result, "body")), 800);
    }
}

/* ---- address policy ---- */

static void loopback_is_denied_unless_the_configuration_allows_it(void **state)
{
    struct world *world = *state;
    const struct report *report;

    world->fixture->options.allow_loopback = false;
    report = world_get(world, "/", "");
    world_assert_end(world, report, OUTCOME_FAILED, "http_guard", false);
    assert_non_null(strstr(world_error(world, "message"), "127.0.0.1 is a loopback address"));
    assert_int_equal(world->server.connections, 0);
}

static void a_namespace_may_allow_networks(void **state)
{
    struct world *world = *state;
    char json[100];

    world->fixture->options.allow_loopback = false;
    snprintf(json, sizeof json, "{\"allowNetworks\":[\"127.0.0.1:%d\"]}", world->server.port);
    fixture_set(world->fixture, json);
    assert_int_equal(world_get(world, "/", "")->outcome, OUTCOME_SUCCEEDED);
    fixture_set(world->fixture, "{\"allowNetworks\":[\"127.0.0.1:1\"]}");
    world_get(world, "/", "");
    assert_string_equal(world_error(world, "code"),
                        "http_guard"); /* on the existing connection */
    assert_int_equal(world->server.seen_count, 1);
}

static void the_listeners_of_the_server_are_always_denied(void **state)
{
    struct world *world = *state;
    struct address_net self;
    struct err err;
    char text[32];

    snprintf(text, sizeof text, "127.0.0.1:%d", world->server.port);
    assert_int_equal(address_net_parse(str_of(text), &self, &err), RC_OK);
    world->fixture->options.self_nets = &self;
    world->fixture->options.self_net_count = 1;
    world_get(world, "/", "");
    assert_string_equal(world_error(world, "code"), "http_guard");
    assert_int_equal(world->server.connections, 0);
}

static void redirects_are_subject_to_the_address_policy(void **state)
{
    struct world *world = *state;
    const struct report *report;
    char json[100], answer[200];

    world->fixture->options.allow_loopback = false;
    snprintf(json, sizeof json, "{\"allowNetworks\":[\"127.0.0.1:%d\"]}", world->server.port);
    fixture_set(world->fixture, json);
    snprintf(answer, sizeof answer,
             "HTTP/1.1 307 X\r\nLocation: http://127.0.0.2:%d/in\r\nContent-Length: 0\r\n\r\n",
             world->server.port);
    world_script(world, "/out", str_of(answer), BAD_STAYS);
    report = world_get(world, "/out", "\"redirects\":3");
    world_assert_end(world, report, OUTCOME_FAILED, "http_guard", false);
    assert_non_null(strstr(world_error(world, "message"), "127.0.0.2"));
    assert_int_equal(world->server.seen_count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_server_that_never_answers_times_out, world_begin,
                                        world_end),
        cmocka_unit_test_setup_teardown(a_server_that_only_accepts_connections_times_out,
                                        world_begin, world_end),
        cmocka_unit_test_setup_teardown(a_very_slow_answer_times_out, world_begin, world_end),
        cmocka_unit_test_setup_teardown(without_time_left_no_request_is_sent, world_begin,
                                        world_end),
        cmocka_unit_test_setup_teardown(after_a_broken_connection_the_result_is_unknown,
                                        world_begin, world_end),
        cmocka_unit_test_setup_teardown(after_a_refused_connection_the_result_is_known,
                                        world_begin, world_end),
        cmocka_unit_test_setup_teardown(an_endless_answer_is_cut_off, world_begin, world_end),
        cmocka_unit_test_setup_teardown(a_gzip_bomb_is_not_decompressed, world_begin,
                                        world_end),
        cmocka_unit_test_setup_teardown(loopback_is_denied_unless_the_configuration_allows_it,
                                        world_begin, world_end),
        cmocka_unit_test_setup_teardown(a_namespace_may_allow_networks, world_begin, world_end),
        cmocka_unit_test_setup_teardown(the_listeners_of_the_server_are_always_denied,
                                        world_begin, world_end),
        cmocka_unit_test_setup_teardown(redirects_are_subject_to_the_address_policy,
                                        world_begin, world_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
