/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a call may go: addresses in every spelling and resolution, reused connections, and
 * redirects.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "caller.h"

static const struct address_policy public_only;

static const struct caller_end *call_url(struct caller *caller, const char *host, int port,
                                         const struct address_policy *policy)
{
    struct webhook_request request = caller_request(caller, "/");
    char url[256];

    snprintf(url, sizeof url, "http://%s:%d/", host, port);
    request.url = str_of(url);
    request.policy = policy;
    return caller_call(caller, &request);
}

static void no_spelling_of_an_address_passes_the_policy(void **state)
{
    static const char *const hosts[] = {
        "127.0.0.1",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "0x7F.1",
        "0177.0.0.1",
        "017700000001",
        "00000177.0.0.1",
        "%31%32%37.0.0.1",
        "localhost",
        "LOCALHOST",
        "0",
        "0.0.0.0",
        "0x0",
        "[::]",
        "[::1]",
        "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[0:0:0:0:0:ffff:127.0.0.1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[64:ff9b::127.0.0.1]",
        "[2002:7f00:1::]",
        "[2001:0:7f00:1::]",
        "[fe80::1]",
        "[fe80::1%25lo]",
        "[fd00:ec2::254]",
        "[fc00::1]",
        "[ff02::1]",
        "10.0.0.1",
        "0xa.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "3232235777",
        "169.254.169.254",
        "0xa9fea9fe",
        "2852039166",
        "0251.0376.0251.0376",
        "100.64.0.1",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        "198.18.0.1",
        "203.0.113.1",
        "224.0.0.1",
        "255.255.255.255",
    };
    struct caller *caller = *state;

    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        const struct caller_end *got = call_url(caller, hosts[i], caller->server.port,
                                                &public_only);

        if (got->result.kind != WEBHOOK_REFUSED)
            fail_msg("%s: kind %d, %s", hosts[i], got->result.kind, got->result.err.text);
        assert_int_equal(got->result.err.rc, RC_INVALID);
        assert_false(got->result.is_sent);
        caller_forget(caller);
    }
    assert_int_equal(caller->server.connections, 0);
}

static void the_resolved_address_is_checked_not_the_name(void **state)
{
    struct caller *caller = *state;
    const struct caller_end *got;

    caller_rebind((const char *const[]){"10.0.0.1", "127.0.0.1", "::1", NULL});
    got = call_url(caller, "rebound.test", caller->server.port, &public_only);
    assert_int_equal(got->result.kind, WEBHOOK_REFUSED);
    assert_int_equal(caller->server.connections, 0);
    caller_rebind(NULL);
}

static void of_several_addresses_a_permitted_one_is_used(void **state)
{
    struct caller *caller = *state;
    const struct caller_end *got;

    caller_rebind((const char *const[]){"10.0.0.1", "fe80::1", "127.0.0.1", NULL});
    got = call_url(caller, "rebound.test", caller->server.port, &caller->policy);
    assert_int_equal(got->result.kind, WEBHOOK_ANSWERED);
    assert_int_equal(got->result.status, 200);
    caller_rebind(NULL);
}

static void a_reused_connection_is_checked_again(void **state)
{
    struct caller *caller = *state;
    struct webhook_request request = caller_request(caller, "/again");
    const struct caller_end *got;

    assert_int_equal(caller_get(caller, "/first")->result.status, 200);
    request.policy = &public_only;
    got = caller_call(caller, &request);
    assert_int_equal(got->result.kind, WEBHOOK_REFUSED);
    assert_non_null(strstr(got->result.err.text, "127.0.0.1 is a loopback address"));
    assert_false(got->result.is_sent);
    assert_int_equal(caller->server.seen_count, 1);
}

static void a_denied_port_is_refused_and_another_is_not(void **state)
{
    struct caller *caller = *state;
    struct address_policy policy = {.allows_loopback = true, .deny_count = 1};
    struct address_net deny;
    struct err err;
    char text[32];

    snprintf(text, sizeof text, "127.0.0.1:%d", caller->server.port);
    assert_int_equal(address_net_parse(str_of(text), &deny, &err), RC_OK);
    policy.deny = &deny;
    assert_int_equal(call_url(caller, "127.0.0.1", caller->server.port, &policy)->result.kind,
                     WEBHOOK_REFUSED);
    assert_int_equal(call_url(caller, "127.0.0.1", 1, &policy)->result.kind,
                     WEBHOOK_UNCONNECTED);
}

/* ---- redirects ---- */

static void redirect(struct caller *caller, const char *path, int status, const char *target)
{
    static char texts[8][512];
    static int next;
    char *text = texts[next++ % 8];

    snprintf(text, sizeof texts[0],
             "HTTP/1.1 %d Elsewhere\r\nLocation: %s\r\nX-Hop: yes\r\nContent-Length: 3\r\n\r\n"
             "hop",
             status, target);
    bad_server_script(&caller->server,
                      (struct bad_script){.path = path, .bytes = str_of(text)});
}

static struct webhook_request post(struct caller *caller, const char *path, int redirects)
{
    static const struct webhook_header headers[] = {
        {{"Authorization", 13}, {"Bearer secret", 13}},
        {{"X-Api-Key", 9}, {"secret", 6}},
        {{"Content-Type", 12}, {"text/x", 6}},
    };
    static const struct webhook_header extra = {{"Belfry-Attempt", 14}, {"1", 1}};
    struct webhook_request request = caller_request(caller, path);

    request.method = STR("POST");
    request.has_body = true;
    request.body = STR("body");
    request.headers = headers;
    request.header_count = 3;
    request.extra = &extra;
    request.extra_count = 1;
    request.redirects = redirects;
    return request;
}

static void a_redirect_is_an_answer_unless_it_may_be_followed(void **state)
{
    struct caller *caller = *state;
    struct webhook_request request = post(caller, "/from", 0);
    const struct caller_end *got;

    redirect(caller, "/from", 307, "/to");
    got = caller_call(caller, &request);
    assert_int_equal(got->result.kind, WEBHOOK_ANSWERED);
    assert_int_equal(got->result.status, 307);
    assert_string_equal(got->body, "hop");
    assert_int_equal(got->result.hops, 0);
    assert_int_equal(caller->server.seen_count, 1);
}

static void each_status_keeps_or_changes_the_method(void **state)
{
    static const struct {
        int status;
        const char *line, *body;
    } cases[] = {
        {301, "GET /to", ""},      {302, "GET /to", ""},      {303, "GET /to", ""},
        {307, "POST /to", "body"}, {308, "POST /to", "body"},
    };
    struct caller *caller = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct webhook_request request = post(caller, "/from", 1);
        struct str keep = STR("X-Hop");
        const struct bad_seen *seen = &caller->server.seen[2 * i + 1];
        const struct caller_end *got;

        request.keep_headers = &keep;
        request.keep_header_count = 1;
        redirect(caller, "/from", cases[i].status, "/to");
        got = caller_call(caller, &request);
        assert_int_equal(got->result.status, 200);
        assert_int_equal(got->result.hops, 1);
        assert_int_equal(got->result.body.len, 0);
        assert_int_equal(got->result.header_count, 0); /* those of the last answer */
        assert_string_equal(seen->line, cases[i].line);
        assert_string_equal(seen->body, cases[i].body);
        assert_string_equal(bad_seen_field(seen, "Authorization"), "Bearer secret");
        assert_true(cases[i].body[0] ? bad_seen_field(seen, "Content-Type") != NULL
                                     : bad_seen_field(seen, "Content-Type") == NULL);
    }
}

static void a_loop_of_redirects_ends_at_the_limit(void **state)
{
    struct caller *caller = *state;
    struct webhook_request request = post(caller, "/loop", 3);
    const struct caller_end *got;

    redirect(caller, "/loop", 308, "/loop");
    got = caller_call(caller, &request);
    assert_int_equal(got->result.kind, WEBHOOK_ANSWERED);
    assert_int_equal(got->result.status, 308);
    assert_int_equal(got->result.hops, 3);
    assert_int_equal(caller->server.seen_count, 4);
}

static void secrets_do_not_go_to_another_origin(void **state)
{
    struct caller *caller = *state;
    struct webhook_request request = post(caller, "/from", 2);
    const struct bad_seen *seen = &caller->server.seen[1];
    struct signature_key key = {.len = SIGNATURE_KEY_MIN};
    char target[64];

    request.keys = &key;
    request.key_count = 1;
    request.message_id = STR("r_1");
    snprintf(target, sizeof target, "http://localhost:%d/to", caller->server.port);
    redirect(caller, "/from", 307, target);
    assert_int_equal(caller_call(caller, &request)->result.status, 200);
    assert_non_null(bad_seen_field(&caller->server.seen[0], "webhook-signature"));
    assert_non_null(bad_seen_field(&caller->server.seen[0], "X-Api-Key"));
    assert_string_equal(seen->line, "POST /to");
    assert_string_equal(seen->body, "body");
    assert_null(bad_seen_field(seen, "Authorization"));
    assert_null(bad_seen_field(seen, "X-Api-Key"));
    assert_null(bad_seen_field(seen, "webhook-signature"));
    assert_string_equal(bad_seen_field(seen, "Content-Type"), "text/x");
    assert_string_equal(bad_seen_field(seen, "Belfry-Attempt"), "1");
}

static void every_hop_is_checked_by_the_policy(void **state)
{
    struct caller *caller = *state;
    struct address_policy policy = {.allow_count = 1};
    struct webhook_request request = post(caller, "/from", 3);
    struct address_net allow;
    const struct caller_end *got;
    struct err err;
    char target[64];

    assert_int_equal(address_net_parse(STR("127.0.0.1"), &allow, &err), RC_OK);
    policy.allow = &allow;
    request.policy = &policy;
    snprintf(target, sizeof target, "http://127.0.0.2:%d/to", caller->server.port);
    redirect(caller, "/from", 307, target);
    got = caller_call(caller, &request);
    assert_int_equal(got->result.kind, WEBHOOK_REFUSED);
    assert_true(got->result.is_sent); /* the first hop */
    assert_int_equal(got->result.hops, 1);
    assert_int_equal(caller->server.seen_count, 1);
}

static void an_invalid_redirect_target_is_not_followed(void **state)
{
    static const char *const targets[] = {
        "file:///etc/passwd", "ftp://127.0.0.1/",       "gopher://127.0.0.1/",
        "javascript:x",       "http://user@127.0.0.1/", "http://127.0.0.1:99999/",
    };
    struct caller *caller = *state;

    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        struct webhook_request request = post(caller, "/from", 3);
        const struct caller_end *got;

        redirect(caller, "/from", 302, targets[i]);
        got = caller_call(caller, &request);
        if (got->result.kind != WEBHOOK_ANSWERED || got->result.status != 302)
            fail_msg("%s: kind %d, status %d", targets[i], got->result.kind,
                     got->result.status);
        assert_int_equal(got->result.hops, 0);
    }
    assert_int_equal(caller->server.seen_count, sizeof targets / sizeof *targets);
}

#define WITH_CALLER(name) cmocka_unit_test_setup_teardown(name, caller_setup, caller_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CALLER(no_spelling_of_an_address_passes_the_policy),
        WITH_CALLER(the_resolved_address_is_checked_not_the_name),
        WITH_CALLER(of_several_addresses_a_permitted_one_is_used),
        WITH_CALLER(a_reused_connection_is_checked_again),
        WITH_CALLER(a_denied_port_is_refused_and_another_is_not),
        WITH_CALLER(a_redirect_is_an_answer_unless_it_may_be_followed),
        WITH_CALLER(each_status_keeps_or_changes_the_method),
        WITH_CALLER(a_loop_of_redirects_ends_at_the_limit),
        WITH_CALLER(secrets_do_not_go_to_another_origin),
        WITH_CALLER(every_hop_is_checked_by_the_policy),
        WITH_CALLER(an_invalid_redirect_target_is_not_followed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
