/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the request of an http action as the server receives it, and the results of valid
 * answers.
 */
#include "http_world.h"
#include "io/clock.h"

#define KEY_A "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
#define KEY_B "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"
#define SLOT  "2026-09-21T14:13:20.000Z" /* 1790000000 s: slot of all orders */

static const struct bad_seen *seen(const struct world *world, int i)
{
    assert_true(world->server.seen_count > i);
    return &world->server.seen[i];
}

static const char *field(const struct world *world, int i, const char *name)
{
    const char *value = bad_seen_field(seen(world, i), name);

    return value ? value : "(none)";
}

static void a_request_identifies_its_run(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = world_order(world, "/hook", "\"input\":{\"a\":[1]}");
    char id[64];
    json_auto_t *body = NULL;

    snprintf(id, sizeof id, "%.*s", STR_ARG(order->assignment.id));
    assert_int_equal(world_run(world, order)->outcome, OUTCOME_SUCCEEDED);
    assert_string_equal(seen(world, 0)->line, "POST /hook");
    assert_string_equal(field(world, 0, "Idempotency-Key"), id);
    assert_string_equal(field(world, 0, "belfry-run"), id);
    assert_string_equal(field(world, 0, "belfry-schedule"), "nightly");
    assert_string_equal(field(world, 0, "belfry-attempt"), "1");
    assert_string_equal(field(world, 0, "belfry-fence"), "7");
    assert_string_equal(field(world, 0, "belfry-scheduled-time"), SLOT);
    assert_string_equal(field(world, 0, "content-type"), "application/json");
    assert_string_equal(field(world, 0, "webhook-id"), "(none)");
    body = world_json(str_of(seen(world, 0)->body));
    assert_string_equal(json_string_value(json_object_get(body, "run")), id);
    assert_string_equal(json_string_value(json_object_get(body, "schedule")), "nightly");
    assert_string_equal(json_string_value(json_object_get(body, "namespace")), "default");
    assert_string_equal(json_string_value(json_object_get(body, "scheduledTime")), SLOT);
    assert_int_equal(json_integer_value(json_object_get(body, "fence")), 7);
    assert_int_equal(json_array_size(json_object_get(json_object_get(body, "input"), "a")), 1);
}

/* "00-" 32 digits "-" 16 digits "-01": W3C Trace Context, 3.2. */
static void assert_trace(const char *text)
{
    assert_int_equal(strlen(text), 55);
    for (int i = 0; i < 55; i++) {
        bool is_dash = i == 2 || i == 35 || i == 52;

        if (is_dash ? text[i] != '-' : !strchr("0123456789abcdef", text[i]))
            fail_msg("%s", text);
    }
    assert_memory_equal(text, "00-", 3);
    assert_string_equal(text + 52, "-01");
    assert_int_not_equal(strspn(text + 3, "0"), 32);
    assert_int_not_equal(strspn(text + 36, "0"), 16);
}

static void attempts_of_a_run_share_key_and_trace_but_not_the_span(void **state)
{
    struct world *world = *state;
    char first[2][64];

    for (int i = 0; i < 2; i++) {
        struct dispatch_order *order = world_order(world, "/again", "");

        order->assignment.run.attempt = i + 1;
        order->assignment.run.fence = 7 + 2 * i;
        world_run(world, order);
    }
    snprintf(first[0], sizeof first[0], "%s", field(world, 0, "idempotency-key"));
    assert_string_equal(field(world, 1, "idempotency-key"), first[0]);
    snprintf(first[1], sizeof first[1], "%s", field(world, 0, "traceparent"));
    assert_trace(first[1]);
    assert_trace(field(world, 1, "traceparent"));
    assert_memory_equal(field(world, 1, "traceparent"), first[1], 35);
    assert_string_not_equal(field(world, 1, "traceparent"), first[1]);
    assert_string_equal(field(world, 1, "belfry-attempt"), "2");
    assert_string_equal(field(world, 1, "belfry-fence"), "9");
}

static void templates_are_escaped_for_their_place(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = world_order(
        world, "/${input.name}?t=${scheduledTime}&n=${attempt}",
        "\"method\":\"PUT\","
        "\"headers\":{\"X-Who\":\"${input.name}\",\"X-No\":\"${input.none}\"},"
        "\"body\":{\"n\":\"${input.n}\",\"l\":\"${input.list}\",\"s\":\"n is ${input.n}\","
        "\"none\":\"${input.none}\",\"last\":\"${lastResult.body.id}\"},"
        "\"input\":{\"name\":\"a b\",\"n\":1,\"list\":[true]}");

    order->assignment.run.input = STR("{\"n\":2}");
    order->assignment.last_result = STR("{\"body\":{\"id\":17}}");
    assert_int_equal(world_run(world, order)->outcome, OUTCOME_SUCCEEDED);
    assert_string_equal(seen(world, 0)->line, "PUT /a%20b?t=2026-09-21T14%3A13%3A20.000Z&n=1");
    assert_string_equal(field(world, 0, "X-Who"), "a b");
    assert_string_equal(field(world, 0, "X-No"), "");
    assert_string_equal(seen(world, 0)->body,
                        "{\"n\":2,\"l\":[true],\"s\":\"n is 2\",\"none\":null,\"last\":17}");
}

static void a_body_is_sent_if_the_action_or_the_method_requires_one(void **state)
{
    static const struct {
        const char *more, *line, *type, *body;
    } cases[] = {
        {"\"method\":\"GET\"", "GET /b", "(none)", ""},
        {"\"method\":\"DELETE\"", "DELETE /b", "(none)", ""},
        {"\"method\":\"DELETE\",\"body\":[1]", "DELETE /b", "application/json", "[1]"},
        {"\"body\":\"a=${attempt}\"", "POST /b", "text/plain; charset=utf-8", "a=1"},
        {"\"body\":\"<x/>\",\"headers\":{\"Content-Type\":\"text/xml\"}", "POST /b", "text/xml",
         "<x/>"},
        {"\"body\":\"\"", "POST /b", "text/plain; charset=utf-8", ""},
    };
    struct world *world = *state;

    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        world_get(world, "/b", cases[i].more);
        assert_string_equal(seen(world, i)->line, cases[i].line);
        assert_string_equal(field(world, i, "content-type"), cases[i].type);
        assert_string_equal(seen(world, i)->body, cases[i].body);
    }
}

static void a_header_of_the_action_replaces_that_of_belfry(void **state)
{
    struct world *world = *state;

    world_get(world, "/h", "\"headers\":{\"idempotency-KEY\":\"mine\",\"belfry-run\":\"x\"}");
    assert_string_equal(field(world, 0, "Idempotency-Key"), "mine");
    assert_string_equal(field(world, 0, "belfry-run"), "x");
    assert_null(strstr(seen(world, 0)->fields, "r_"));
}

static void any_schedule_name_fits_into_a_header(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = world_order(world, "/n", "");

    order->assignment.name = STR("50% n\u00e4chtlich\u2026");
    world_run(world, order);
    assert_string_equal(field(world, 0, "belfry-schedule"), "50%25%20n%C3%A4chtlich%E2%80%A6");
    order = world_order(world, "/n", "");
    order->assignment.name = (struct str){0};
    world_run(world, order);
    assert_string_equal(field(world, 1, "belfry-schedule"), "(none)");
}

static void an_invalid_header_or_an_unknown_key_fails_the_run(void **state)
{
    struct world *world = *state;
    const struct report *report;

    report = world_get(
        world, "/x", "\"headers\":{\"X-A\":\"${input.v}\"},\"input\":{\"v\":\"a\\r\\nB: c\"}");
    world_assert_end(world, report, OUTCOME_FAILED, "http_request", false);
    assert_non_null(strstr(world_error(world, "message"), "headers.X-A: "));
    report = world_get(world, "/x", "\"sign\":\"main\"");
    world_assert_end(world, report, OUTCOME_FAILED, "http_request", false);
    assert_non_null(strstr(world_error(world, "message"), "sign: unknown key \"main\""));
    assert_int_equal(world->server.connections, 0);
}

static void check_signature(const struct world *world, int i, const struct signing_keys *key,
                            const char *id)
{
    char text[SIGNATURE_TEXT_MAX];
    struct buf out = BUF(text);
    int64_t at = strtoll(field(world, i, "webhook-timestamp"), NULL, 10);

    assert_string_equal(field(world, i, "webhook-id"), id);
    signature_make(key->keys, key->count, (struct signature_message){str_of(id), at},
                   str_of(seen(world, i)->body), &out);
    assert_string_equal(field(world, i, "webhook-signature"), text);
}

static void a_request_is_signed_with_all_keys_of_a_name(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order;
    char id[64];

    fixture_set(world->fixture,
                "{\"keys\":{\"old\":[\"" KEY_A "\"],\"both\":[\"" KEY_A "\",\"" KEY_B "\"]}}");
    order = world_order(world, "/s", "\"sign\":\"old\",\"body\":{\"n\":\"${attempt}\"}");
    snprintf(id, sizeof id, "%.*s", STR_ARG(order->assignment.id));
    world_run(world, order);
    check_signature(world, 0, signing_keys(&world->fixture->settings, STR("old")), id);
    world_get(world, "/s", "\"sign\":\"both\"");
    check_signature(world, 1, signing_keys(&world->fixture->settings, STR("both")), id);
    assert_int_equal(strlen(field(world, 1, "webhook-signature")), 2 * SIGNATURE_ONE_LEN + 1);
    world_get(world, "/s", "\"sign\":\"both\",\"method\":\"GET\"");
    check_signature(world, 2, signing_keys(&world->fixture->settings, STR("both")), id);
}

#define OK(type, length, body)                                                        \
    STR("HTTP/1.1 200 OK\r\nContent-Type: " type "\r\nContent-Length: " length "\r\n" \
        "X-One: 1\r\nX-One: 2\r\n\r\n" body)

static void the_result_keeps_json_text_and_binary_bodies(void **state)
{
    const struct {
        struct str answer;
        const char *body, *encoding;
    } cases[] = {
        {OK("application/json", "14", "{\"a\": [1.25] }"), "{\"a\":[1.25]}", ""},
        {OK("text/plain", "2", "17"), "17", ""},
        {OK("text/plain", "6", "a\n\"b\"\t"), "\"a\\n\\\"b\\\"\\t\"", ""},
        {OK("application/json", "6", "{\"a\":1"), "\"{\\\"a\\\":1\"", ""},
        {OK("application/json", "13", "{\"a\":1,\"a\":2}"), "\"{\\\"a\\\":1,\\\"a\\\":2}\"",
         ""},
        {OK("x/y", "3", "\xff\x00\x01"), "\"/wAB\"", "\"base64\""},
        {OK("x/y", "4", "a\x01\x02z"), "\"YQECeg==\"", "\"base64\""},
        {OK("x/y", "2", "\xff\xfe"), "\"//4=\"", "\"base64\""},
        {OK("x/y", "0", ""), "null", ""},
    };
    struct world *world = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world_script(world, "/kept", cases[i].answer, BAD_STAYS);
        assert_int_equal(world_get(world, "/kept", "")->outcome, OUTCOME_SUCCEEDED);
        assert_string_equal(world_kept(world, "body"), cases[i].body);
        assert_string_equal(world_kept(world, "encoding"), cases[i].encoding);
        assert_string_equal(world_kept(world, "status"), "200");
        assert_string_equal(world_kept(world, "headers"), "{}");
        assert_string_equal(world_kept(world, "truncated"), "false");
        assert_true(json_is_integer(json_object_get(world->result, "durationMs")));
        assert_null(world->error);
    }
}

static void the_result_keeps_the_headers_that_the_action_names(void **state)
{
    struct world *world = *state;

    world_script(world, "/kept", OK("text/\xe4", "0", ""), BAD_STAYS);
    world_get(world, "/kept", "\"keepHeaders\":[\"x-one\",\"content-type\",\"x-none\"]");
    assert_string_equal(world_kept(world, "headers"),
                        "{\"content-type\":\"text/?\",\"x-one\":\"1, 2\"}");
}

static void a_long_answer_is_cut_between_characters(void **state)
{
    struct world *world = *state;

    world_script(world, "/cut", OK("text/plain", "6", "ab\u20acc"), BAD_STAYS);
    world_get(world, "/cut", "\"keepBytes\":4");
    assert_string_equal(world_kept(world, "body"), "\"ab\"");
    assert_string_equal(world_kept(world, "truncated"), "true");
    world_get(world, "/cut", "\"keepBytes\":5");
    assert_string_equal(world_kept(world, "body"), "\"ab\u20ac\"");
    world_script(world, "/cut", OK("application/json", "3", "123"), BAD_STAYS);
    world_get(world, "/cut", "\"keepBytes\":2");
    assert_string_equal(world_kept(world, "body"), "\"12\""); /* not the number 12 */
    world_get(world, "/cut", "\"keepBytes\":0");
    assert_string_equal(world_kept(world, "body"), "null");
    assert_string_equal(world_kept(world, "truncated"), "true");
}

static void the_status_decides_about_outcome_and_retry(void **state)
{
    static const struct {
        const char *status, *more;
        bool is_success, is_retryable;
    } cases[] = {
        {"200 OK", "", true, false},
        {"204 No Content", "", true, false},
        {"299 X", "", true, false},
        {"302 Found", "", false, false},
        {"304 Not Modified", "", false, false},
        {"400 Bad Request", "", false, true},
        {"404 Not Found", "", false, true},
        {"410 Gone", "", false, false},
        {"429 Too Many Requests", "", false, true},
        {"500 X", "", false, true},
        {"503 X", "", false, true},
        {"404 Not Found", "\"success\":\"200-204,404\"", true, false},
        {"205 X", "\"success\":\"200-204,404\"", false, true},
        {"302 Found", "\"success\":\"302\"", true, false},
    };
    struct world *world = *state;
    char answer[200];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct report *report;

        snprintf(answer, sizeof answer,
                 "HTTP/1.1 %s\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n",
                 cases[i].status);
        world_script(world, "/s", str_of(answer), BAD_STAYS);
        report = world_get(world, "/s", cases[i].more);
        if (cases[i].is_success)
            assert_int_equal(report->outcome, OUTCOME_SUCCEEDED);
        else
            world_assert_end(world, report, OUTCOME_FAILED, "http_status",
                             cases[i].is_retryable);
        assert_memory_equal(world_kept(world, "status"), cases[i].status, 3);
    }
    assert_int_equal(world->server.seen_count, sizeof cases / sizeof *cases);
}

static void redirects_are_followed_up_to_the_limit_of_the_action(void **state)
{
    struct world *world = *state;
    const struct report *report;
    char key[64];

    world_script(world, "/1",
                 STR("HTTP/1.1 307 X\r\nLocation: /2\r\nContent-Length: 0\r\n\r\n"), BAD_STAYS);
    world_script(world, "/2",
                 STR("HTTP/1.1 307 X\r\nLocation: /3\r\nContent-Length: 0\r\n\r\n"), BAD_STAYS);
    report = world_get(world, "/1", "\"redirects\":1");
    world_assert_end(world, report, OUTCOME_FAILED, "http_status", false);
    assert_int_equal(world->server.seen_count, 2);
    report = world_get(world, "/1", "\"redirects\":2");
    assert_int_equal(report->outcome, OUTCOME_SUCCEEDED);
    assert_string_equal(seen(world, 4)->line, "POST /3");
    snprintf(key, sizeof key, "%s", field(world, 0, "idempotency-key"));
    assert_string_equal(field(world, 4, "idempotency-key"), key);
}

static void a_valid_retry_after_is_passed_on(void **state)
{
    static const struct {
        const char *status, *value;
        span most; /* 0: none */
    } cases[] = {
        {"429 X", "7", 7 * SPAN_S},
        {"503 X", "120", 120 * SPAN_S},
        {"429 X", "99999999999999999999", INSTANT_MAX},
        {"429 X", "Fri, 31 Dec 9999 23:59:59 GMT", INSTANT_MAX},
        {"429 X", "0", 0},
        {"429 X", "-5", 0},
        {"429 X", "soon", 0},
        {"429 X", "1.5", 0},
        {"429 X", "", 0},
        {"429 X", "Sun, 06 Nov 1994 08:49:37 GMT", 0},
        {"410 X", "7", 0},
    };
    struct world *world = *state;
    char answer[200];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct report *report;

        snprintf(answer, sizeof answer,
                 "HTTP/1.1 %s\r\nRetry-After: %s\r\nContent-Length: 0\r\n\r\n", cases[i].status,
                 cases[i].value);
        world_script(world, "/r", str_of(answer), BAD_STAYS);
        report = world_get(world, "/r", "");
        assert_int_equal(report->outcome, OUTCOME_FAILED);
        if (cases[i].most == 0
                ? report->retry_after != 0
                : report->retry_after <= 0 || report->retry_after > cases[i].most)
            fail_msg("%s: %lld", cases[i].value, (long long)report->retry_after);
    }
}

static void connections_are_reused_except_for_at_most_once(void **state)
{
    struct world *world = *state;
    struct dispatch_order *once;

    world_get(world, "/1", "");
    world_get(world, "/2", "");
    assert_int_equal(world->server.connections, 1);
    once = world_order(world, "/3", "");
    once->is_once = true;
    world_run(world, once);
    assert_int_equal(world->server.connections, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_request_identifies_its_run, world_begin, world_end),
        cmocka_unit_test_setup_teardown(attempts_of_a_run_share_key_and_trace_but_not_the_span,
                                        world_begin, world_end),
        cmocka_unit_test_setup_teardown(templates_are_escaped_for_their_place, world_begin,
                                        world_end),
        cmocka_unit_test_setup_teardown(a_body_is_sent_if_the_action_or_the_method_requires_one,
                                        world_begin, world_end),
        cmocka_unit_test_setup_teardown(a_header_of_the_action_replaces_that_of_belfry,
                                        world_begin, world_end),
        cmocka_unit_test_setup_teardown(any_schedule_name_fits_into_a_header, world_begin,
                                        world_end),
        cmocka_unit_test_setup_teardown(an_invalid_header_or_an_unknown_key_fails_the_run,
                                        world_begin, world_end),
        cmocka_unit_test_setup_teardown(a_request_is_signed_with_all_keys_of_a_name,
                                        world_begin, world_end),
        cmocka_unit_test_setup_teardown(the_result_keeps_json_text_and_binary_bodies,
                                        world_begin, world_end),
        cmocka_unit_test_setup_teardown(the_result_keeps_the_headers_that_the_action_names,
                                        world_begin, world_end),
        cmocka_unit_test_setup_teardown(a_long_answer_is_cut_between_characters, world_begin,
                                        world_end),
        cmocka_unit_test_setup_teardown(the_status_decides_about_outcome_and_retry, world_begin,
                                        world_end),
        cmocka_unit_test_setup_teardown(redirects_are_followed_up_to_the_limit_of_the_action,
                                        world_begin, world_end),
        cmocka_unit_test_setup_teardown(a_valid_retry_after_is_passed_on, world_begin,
                                        world_end),
        cmocka_unit_test_setup_teardown(connections_are_reused_except_for_at_most_once,
                                        world_begin, world_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
