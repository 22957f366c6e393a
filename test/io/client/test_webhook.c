/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests as they arrive, the queue, and the life of a call.  The server of the test has its
 * own strict parser, so it saw exactly what was sent.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "caller.h"
#include "io/clock.h"

static void a_post_arrives_as_it_was_given(void **state)
{
    struct caller *caller = *state;
    struct webhook_request request = caller_request(caller, "/hook?a=1&b=%20");
    struct webhook_header headers[] = {{STR("Content-Type"), STR("application/json")},
                                       {STR("X-Empty"), STR("")},
                                       {STR("X-Blank"), STR("  ")},
                                       {STR("Authorization"), STR("Bearer k")}};
    struct webhook_header extra[] = {{STR("Idempotency-Key"), STR("r_1")}};
    const struct caller_end *got;
    const struct bad_seen *seen = &caller->server.seen[0];
    char host[32];

    request.method = STR("POST");
    request.has_body = true;
    request.body = STR("{\"a\":1}");
    request.headers = headers;
    request.header_count = 4;
    request.extra = extra;
    request.extra_count = 1;
    got = caller_call(caller, &request);
    assert_int_equal(got->result.kind, WEBHOOK_ANSWERED);
    assert_int_equal(got->result.status, 200);
    assert_int_equal(got->result.err.rc, RC_OK);
    assert_true(got->result.is_sent);
    assert_int_equal(caller->server.seen_count, 1);
    assert_string_equal(seen->line, "POST /hook?a=1&b=%20");
    assert_string_equal(seen->body, "{\"a\":1}");
    snprintf(host, sizeof host, "127.0.0.1:%d", caller->server.port);
    assert_string_equal(bad_seen_field(seen, "Host"), host);
    assert_string_equal(bad_seen_field(seen, "Content-Length"), "7");
    assert_string_equal(bad_seen_field(seen, "Content-Type"), "application/json");
    assert_string_equal(bad_seen_field(seen, "X-Empty"), "");
    assert_string_equal(bad_seen_field(seen, "X-Blank"), "");
    assert_string_equal(bad_seen_field(seen, "Authorization"), "Bearer k");
    assert_string_equal(bad_seen_field(seen, "Idempotency-Key"), "r_1");
    assert_string_equal(bad_seen_field(seen, "User-Agent"), "belfry/test");
    assert_null(bad_seen_field(seen, "Accept-Encoding"));
    assert_null(bad_seen_field(seen, "Expect"));
    assert_null(bad_seen_field(seen, "webhook-id"));
}

static void every_method_has_its_own_framing(void **state)
{
    static const struct {
        struct str method;
        const char *body, *line, *length;
    } cases[] = {
        {{"GET", 3}, NULL, "GET /m", NULL},      {{"DELETE", 6}, NULL, "DELETE /m", NULL},
        {{"POST", 4}, NULL, "POST /m", "0"},     {{"PUT", 3}, NULL, "PUT /m", "0"},
        {{"PATCH", 5}, NULL, "PATCH /m", "0"},   {{"PATCH", 5}, "x", "PATCH /m", "1"},
        {{"HEAD", 4}, NULL, "HEAD /m", NULL},    {{"OPTIONS", 7}, NULL, "OPTIONS /m", NULL},
        {{"DELETE", 6}, "xy", "DELETE /m", "2"}, {{"GET", 3}, "xyz", "GET /m", "3"},
        {{"PURGE", 5}, NULL, "PURGE /m", NULL},
    };
    struct caller *caller = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct webhook_request request = caller_request(caller, "/m");
        const struct bad_seen *seen = &caller->server.seen[i];
        const char *length;

        request.method = cases[i].method;
        request.has_body = cases[i].body != NULL;
        request.body = str_of(cases[i].body);
        assert_int_equal(caller_call(caller, &request)->result.status, 200);
        assert_string_equal(seen->line, cases[i].line);
        assert_string_equal(seen->body, cases[i].body ? cases[i].body : "");
        assert_null(bad_seen_field(seen, "Content-Type"));
        length = bad_seen_field(seen, "Content-Length");
        if (cases[i].length)
            assert_string_equal(length, cases[i].length);
        else
            assert_null(length);
    }
}

static void a_large_body_is_sent_without_asking_first(void **state)
{
    enum { LARGE = BAD_BODY_MAX - 1 };
    struct caller *caller = *state;
    struct webhook_request request = caller_request(caller, "/large");
    static char body[LARGE + 1];

    memset(body, 'b', LARGE);
    request.method = STR("POST");
    request.has_body = true;
    request.body = str_of(body);
    assert_int_equal(caller_call(caller, &request)->result.status, 200);
    assert_string_equal(caller->server.seen[0].body, body);
    assert_null(bad_seen_field(&caller->server.seen[0], "Expect"));
}

static void the_head_and_body_that_were_asked_for_are_kept(void **state)
{
    struct caller *caller = *state;
    struct webhook_request request = caller_request(caller, "/kept");
    struct str keep[] = {STR("content-type"), STR("X-ONE"), STR("x-none"), STR("x-trailer")};
    const struct caller_end *got;

    bad_server_script(
        &caller->server,
        (struct bad_script){.path = "/kept",
                            .bytes = STR("HTTP/1.1 103 Early Hints\r\nX-One: early\r\n\r\n"
                                         "HTTP/1.1 201 Created\r\nContent-Type: text/x\r\n"
                                         "x-one:  a \r\nX-Two: b\r\nX-One: c\r\n"
                                         "Transfer-Encoding: chunked\r\n\r\n"
                                         "3\r\nabc\r\n2\r\nde\r\n0\r\nX-Trailer: t\r\n\r\n")});
    request.keep_headers = keep;
    request.keep_header_count = 4;
    got = caller_call(caller, &request);
    assert_int_equal(got->result.kind, WEBHOOK_ANSWERED);
    assert_int_equal(got->result.status, 201);
    assert_int_equal(got->result.header_count, 3);
    assert_string_equal(got->headers[0].name.ptr, "Content-Type");
    assert_string_equal(got->headers[0].value.ptr, "text/x");
    assert_string_equal(got->headers[1].value.ptr, "a");
    assert_string_equal(got->headers[2].value.ptr, "c");
    assert_string_equal(got->body, "abcde");
    assert_false(got->result.is_cut);
    assert_int_equal(got->result.phase, WEBHOOK_IN_ANSWER);
    assert_true(got->result.connect_us > 0);
    assert_true(got->result.first_byte_us >= got->result.connect_us);
    assert_true(got->result.total_us > 0);
}

static void a_connection_is_reused_unless_the_call_is_at_most_once(void **state)
{
    struct caller *caller = *state;
    struct webhook_request once;

    caller_get(caller, "/1");
    caller_get(caller, "/2");
    assert_int_equal(caller->server.connections, 1);
    once = caller_request(caller, "/3");
    once.is_once = true;
    caller_call(caller, &once);
    assert_int_equal(caller->server.seen_count, 3);
    assert_int_equal(caller->server.seen[2].connection, 2);
}

static void a_signed_call_can_be_verified(void **state)
{
    struct caller *caller = *state;
    struct webhook_request request = caller_request(caller, "/signed");
    const struct bad_seen *seen = &caller->server.seen[0];
    struct signature_key keys[2];
    char text[SIGNATURE_TEXT_MAX];
    struct buf out = BUF(text);
    int64_t before = instant_seconds(clock_now()), at;
    struct err err;

    assert_int_equal(
        signature_key_parse(STR("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), &keys[0], &err), 0);
    assert_int_equal(
        signature_key_parse(STR("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"), &keys[1], &err), 0);
    request.method = STR("POST");
    request.has_body = true;
    request.body = STR("{}");
    request.keys = keys;
    request.key_count = 2;
    request.message_id = STR("r_abc");
    assert_int_equal(caller_call(caller, &request)->result.status, 200);
    assert_string_equal(bad_seen_field(seen, "webhook-id"), "r_abc");
    at = strtoll(bad_seen_field(seen, "webhook-timestamp"), NULL, 10);
    assert_in_range(at, before, instant_seconds(clock_now()));
    signature_make(keys, 2, (struct signature_message){STR("r_abc"), at}, STR("{}"), &out);
    assert_string_equal(bad_seen_field(seen, "webhook-signature"), text);
}

static void requests_that_violate_http_are_refused_before_they_start(void **state)
{
    struct caller *caller = *state;
    static const char *const urls[] = {
        "",
        "http",
        "http://",
        "http:/127.0.0.1/",
        "http:///x",
        "//127.0.0.1/",
        "127.0.0.1",
        "ftp://127.0.0.1/",
        "file:///etc/passwd",
        "gopher://127.0.0.1/",
        "http://user@127.0.0.1/",
        "http://user:pass@127.0.0.1/",
        "http://127.0.0.1\\@x/",
        "http://127.0.0.1:99999/",
        "http://127.0.0.1:x/",
        "http://a b/",
        "http://127.0.0.1/\n",
        "http://127.0.0.1/ü",
        "http://[::1/",
    };
    static const struct webhook_header headers[] = {
        {{"", 0}, {"x", 1}},
        {{"a b", 3}, {"x", 1}},
        {{"a:", 2}, {"x", 1}},
        {{"a\0b", 3}, {"x", 1}},
        {{"ok", 2}, {"x\r\ny: z", 7}},
        {{"ok", 2}, {"x\0y", 3}},
        {{"Transfer-Encoding", 17}, {"chunked", 7}},
        {{"content-length", 14}, {"1", 1}},
        {{"Expect", 6}, {"100-continue", 12}},
    };
    static const struct str methods[] = {
        {"", 0}, {"G T", 3}, {"GET\r", 4}, {"CONNECT", 7}, {"GET\0", 4}};
    struct err err;

    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        struct webhook_request request = caller_request(caller, "/");

        request.url = str_of(urls[i]);
        if (webhook_start(caller->pool, &request, NULL, NULL, &err) != RC_INVALID)
            fail_msg("`%s` was accepted", urls[i]);
    }
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        struct webhook_request request = caller_request(caller, "/");

        request.headers = &headers[i];
        request.header_count = 1;
        assert_int_equal(webhook_start(caller->pool, &request, NULL, NULL, &err), RC_INVALID);
    }
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        struct webhook_request request = caller_request(caller, "/");

        request.method = methods[i];
        assert_int_equal(webhook_start(caller->pool, &request, NULL, NULL, &err), RC_INVALID);
    }
    assert_int_equal(webhook_pool_count(caller->pool), 0);
}

static void requests_above_a_limit_are_refused_before_they_start(void **state)
{
    struct caller *caller = *state;
    static char large[WEBHOOK_BODY_MAX + 2];
    struct webhook_request good = caller_request(caller, "/"), r[12];
    struct webhook_header header = {STR("X"), {large, WEBHOOK_HEADER_MAX}};
    struct signature_key key = {.len = SIGNATURE_KEY_MIN};
    struct str name = STR("a b");
    struct err err;
    int count = 0;

    memset(large, 'x', sizeof large - 1);
    for (int i = 0; i < 12; i++)
        r[i] = good;
    r[count++].connect_us = 0;
    r[count++].first_byte_us = -1;
    r[count++].total_us = WEBHOOK_TIME_MAX + 1;
    r[count++].keep_bytes = WEBHOOK_ANSWER_MAX + 1;
    r[count++].redirects = WEBHOOK_REDIRECTS_MAX + 1;
    r[count++].header_count = WEBHOOK_HEADERS_MAX + 1;
    r[count++].body = (struct str){large, WEBHOOK_BODY_MAX + 1};
    r[count++].url = (struct str){large, WEBHOOK_URL_MAX + 1};
    r[count].headers = &header;
    r[count++].header_count = 1;
    r[count].keep_headers = &name;
    r[count++].keep_header_count = 1;
    r[count] = r[count + 1] = good;
    r[count].keys = r[count + 1].keys = &key;
    r[count].key_count = r[count + 1].key_count = 1;
    r[count++].message_id = (struct str){large, WEBHOOK_ID_MAX + 1};
    r[count++].message_id = STR("a.b");
    assert_int_equal(count, 12);
    for (int i = 0; i < count; i++)
        if (webhook_start(caller->pool, &r[i], NULL, NULL, &err) != RC_INVALID)
            fail_msg("request %d was accepted", i);
}

static void the_limits_bound_the_running_calls(void **state)
{
    struct caller *caller = *state;
    struct webhook_request request;
    struct err err;
    int64_t ids[6];

    caller_limit(caller, 4, 2, 3);
    bad_server_script(&caller->server, (struct bad_script){.path = "/hang", .bytes = STR("H")});
    for (int i = 0; i < 6; i++) {
        request = caller_request(caller, "/hang");
        ids[i] = caller_start(caller, &request);
    }
    request = caller_request(caller, "/hang");
    request.id = ids[5];
    assert_int_equal(webhook_start(caller->pool, &request, NULL, NULL, &err), RC_CONFLICT);
    caller_wait_seen(caller, 2);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(caller->end_count, i);
        assert_true(webhook_cancel(caller->pool, ids[i]));
        assert_false(webhook_cancel(caller->pool, ids[i]));
        caller_wait(caller, i + 1);
        assert_int_equal(caller_find_end(caller, ids[i])->result.kind, WEBHOOK_CANCELLED);
        caller_wait_seen(caller, i + 3 < 6 ? i + 3 : 6);
    }
    assert_true(caller->server.open_most <= 3); /* the close of a cancelled one is seen later */
    assert_int_equal(webhook_pool_count(caller->pool), 0);
}

static void more_than_can_wait_are_refused(void **state)
{
    struct caller *caller = *state;
    struct webhook_request request;
    struct err err;

    caller_limit(caller, 1, 1, 2);
    bad_server_script(&caller->server, (struct bad_script){.path = "/hang", .bytes = STR("H")});
    for (int i = 0; i < 3; i++) {
        request = caller_request(caller, "/hang");
        caller_start(caller, &request);
    }
    request = caller_request(caller, "/hang");
    assert_int_equal(webhook_start(caller->pool, &request, NULL, NULL, &err), RC_BUSY);
}

static void a_call_after_its_deadline_is_not_sent(void **state)
{
    struct caller *caller = *state;
    struct webhook_request request = caller_request(caller, "/late");
    const struct caller_end *got;

    request.send_by_us = clock_boot_us() - 1;
    got = caller_call(caller, &request);
    assert_int_equal(got->result.kind, WEBHOOK_TOO_LATE);
    assert_false(got->result.is_sent);
    assert_int_equal(caller->server.seen_count, 0);
    assert_int_equal(caller->server.connections, 0);
}

static void a_call_that_waits_too_long_ends_without_its_turn(void **state)
{
    struct caller *caller = *state;
    struct webhook_request first, second;
    const struct caller_end *got;

    caller_limit(caller, 1, 1, 2);
    bad_server_script(&caller->server, (struct bad_script){.path = "/hang", .bytes = STR("H")});
    first = caller_request(caller, "/hang");
    caller_start(caller, &first);
    second = caller_request(caller, "/second");
    second.send_by_us = clock_boot_us() + 20 * SPAN_MS;
    got = caller_call(caller, &second);
    assert_int_equal(got->result.kind, WEBHOOK_TOO_LATE);
    assert_int_equal(got->result.phase, WEBHOOK_IN_QUEUE);
    assert_true(got->result.waited_us > 0);
    assert_int_equal(webhook_pool_count(caller->pool), 1);
}

struct chain {
    struct caller *caller;
    int left, cancelled;
};

static void next_link(void *arg, const struct webhook_result *result)
{
    struct chain *chain = arg;
    struct webhook_request request;
    struct err err;

    chain->cancelled += result->kind == WEBHOOK_CANCELLED;
    if (--chain->left <= 0) {
        uv_stop(&chain->caller->loop);
        return;
    }
    request = caller_request(chain->caller, "/link");
    assert_int_equal(webhook_start(chain->caller->pool, &request, next_link, chain, &err), 0);
    if (chain->left % 2 == 0)
        assert_true(webhook_cancel(chain->caller->pool, request.id));
}

static void a_callback_may_start_and_cancel_calls(void **state)
{
    struct caller *caller = *state;
    struct chain chain = {.caller = caller, .left = 21};
    struct webhook_request request = caller_request(caller, "/link");
    struct err err;

    assert_int_equal(webhook_start(caller->pool, &request, next_link, &chain, &err), RC_OK);
    while (chain.left > 0)
        uv_run(&caller->loop, UV_RUN_ONCE);
    assert_int_equal(chain.cancelled, 10);
    assert_int_equal(caller->server.seen_count, 11);
    assert_int_equal(webhook_pool_count(caller->pool), 0);
}

static void closing_cancels_what_runs_and_what_waits(void **state)
{
    struct caller *caller = *state;

    caller_limit(caller, 3, 3, 9);
    bad_server_script(&caller->server, (struct bad_script){.path = "/hang", .bytes = STR("H")});
    for (int i = 0; i < 9; i++) {
        struct webhook_request request = caller_request(caller, "/hang");

        caller_start(caller, &request);
    }
    caller_wait_seen(caller, 3);
    caller_limit(caller, 1, 1, 1); /* closes the pool */
    assert_int_equal(caller->end_count, 9);
    for (int i = 0; i < 9; i++) {
        assert_int_equal(caller->ends[i].result.kind, WEBHOOK_CANCELLED);
        assert_true(caller->ends[i].result.is_sent == (caller->ends[i].result.total_us > 0));
    }
    assert_int_equal(caller->server.seen_count, 3);
}

static void proxies_of_the_environment_are_ignored(void **state)
{
    struct caller *caller = *state;

    assert_int_equal(setenv("http_proxy", "http://127.0.0.1:1/", 1), 0);
    assert_int_equal(setenv("ALL_PROXY", "http://127.0.0.1:1/", 1), 0);
    assert_int_equal(caller_get(caller, "/direct")->result.status, 200);
    unsetenv("http_proxy");
    unsetenv("ALL_PROXY");
}

#define WITH_CALLER(name) cmocka_unit_test_setup_teardown(name, caller_setup, caller_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CALLER(a_post_arrives_as_it_was_given),
        WITH_CALLER(every_method_has_its_own_framing),
        WITH_CALLER(a_large_body_is_sent_without_asking_first),
        WITH_CALLER(the_head_and_body_that_were_asked_for_are_kept),
        WITH_CALLER(a_connection_is_reused_unless_the_call_is_at_most_once),
        WITH_CALLER(a_signed_call_can_be_verified),
        WITH_CALLER(requests_that_violate_http_are_refused_before_they_start),
        WITH_CALLER(requests_above_a_limit_are_refused_before_they_start),
        WITH_CALLER(the_limits_bound_the_running_calls),
        WITH_CALLER(more_than_can_wait_are_refused),
        WITH_CALLER(a_call_after_its_deadline_is_not_sent),
        WITH_CALLER(a_call_that_waits_too_long_ends_without_its_turn),
        WITH_CALLER(a_callback_may_start_and_cancel_calls),
        WITH_CALLER(closing_cancels_what_runs_and_what_waits),
        WITH_CALLER(proxies_of_the_environment_are_ignored),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
