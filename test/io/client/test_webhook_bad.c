/* SPDX-License-Identifier: Apache-2.0 */
/* Servers that are slow, endless, broken or missing. */
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "caller.h"
#include "io/clock.h"

/* for events that never occur, so that its length does not matter */
#define SHORT (40 * SPAN_MS)
/* a limit that ends a call, but not before a busy machine has reached the tested phase */
#define AMPLE (2 * SPAN_S)

static void script(struct caller *caller, const char *path, struct str bytes, enum bad_end end,
                   struct str again)
{
    bad_server_script(&caller->server, (struct bad_script){path, bytes, end, again});
}

static void an_answer_that_never_begins_times_out(void **state)
{
    struct caller *caller = *state;
    struct webhook_request request = caller_request(caller, "/silent");
    const struct caller_end *got;

    caller->server.is_mute = true;
    request.first_byte_us = SHORT;
    got = caller_call(caller, &request);
    assert_int_equal(got->result.kind, WEBHOOK_TIMED_OUT);
    assert_int_equal(got->result.phase, WEBHOOK_IN_WAIT);
    assert_int_equal(got->result.err.rc, RC_UNKNOWN);
    assert_true(got->result.is_sent);
    assert_int_equal(got->result.status, 0);
}

static void the_first_byte_and_the_whole_answer_have_separate_limits(void **state)
{
    struct caller *caller = *state;
    struct webhook_request request = caller_request(caller, "/drip");
    const struct caller_end *got;

    script(caller, "/drip", STR("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"),
           BAD_DRIPS, STR("d"));
    request.first_byte_us = 60 * SPAN_S;
    request.total_us = AMPLE;
    got = caller_call(caller, &request);
    assert_int_equal(got->result.kind, WEBHOOK_TIMED_OUT);
    assert_int_equal(got->result.phase, WEBHOOK_IN_ANSWER);
    assert_int_equal(got->result.status, 200);
    assert_true(got->result.body.len > 0 && got->result.body.len < 1000);
}

static void a_head_that_drips_times_out(void **state)
{
    struct caller *caller = *state;
    struct webhook_request request = caller_request(caller, "/head");

    script(caller, "/head", STR("HTTP/1.1 200 OK\r\n"), BAD_DRIPS, STR("X: y\r\n"));
    request.total_us = 2 * SHORT;
    assert_int_equal(caller_call(caller, &request)->result.kind, WEBHOOK_TIMED_OUT);
}

static void a_host_that_accepts_no_connection_times_out(void **state)
{
    enum { FILL = 4 };
    struct caller *caller = *state;
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0), fill[FILL];
    struct webhook_request request = caller_request(caller, "/");
    char url[64];
    const struct caller_end *got;

    /* A full queue of connections that are never accepted: the kernel drops further ones. */
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 0), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
    for (int i = 0; i < FILL; i++) {
        fill[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        (void)!connect(fill[i], (struct sockaddr *)&address, sizeof address);
    }
    snprintf(url, sizeof url, "http://127.0.0.1:%d/", ntohs(address.sin_port));
    request.url = str_of(url);
    request.connect_us = SHORT;
    got = caller_call(caller, &request);
    assert_int_equal(got->result.kind, WEBHOOK_TIMED_OUT);
    assert_int_equal(got->result.phase, WEBHOOK_IN_CONNECT);
    assert_false(got->result.is_sent);
    for (int i = 0; i < FILL; i++)
        close(fill[i]);
    close(listener);
}

static void a_host_that_does_not_answer_tls_times_out(void **state)
{
    struct caller *caller = *state;
    struct webhook_request request = caller_request(caller, "/");
    char url[64];
    const struct caller_end *got;

    caller->server.is_mute = true;
    snprintf(url, sizeof url, "https://127.0.0.1:%d/", caller->server.port);
    request.url = str_of(url);
    request.connect_us = AMPLE;
    got = caller_call(caller, &request);
    assert_int_equal(got->result.kind, WEBHOOK_TIMED_OUT);
    assert_int_equal(got->result.phase, WEBHOOK_IN_TLS);
    assert_false(got->result.is_sent);
}

static void a_silent_name_server_does_not_delay_other_calls(void **state)
{
    struct caller *caller = *state;
    struct webhook_request request = caller_request(caller, "/");
    const struct caller_end *got;
    int64_t slow;

    request.url = STR("http://slow.test/");
    request.connect_us = SHORT;
    slow = caller_start(caller, &request);
    assert_int_equal(caller_get(caller, "/meanwhile")->result.status, 200);
    while (!caller_find_end(caller, slow))
        uv_run(&caller->loop, UV_RUN_ONCE);
    got = caller_find_end(caller, slow);
    assert_int_equal(got->result.kind, WEBHOOK_TIMED_OUT);
    assert_int_equal(got->result.phase, WEBHOOK_IN_RESOLVE);
    assert_false(got->result.is_sent);
    caller_release_names();
}

static void unreachable_hosts_are_reported(void **state)
{
    struct caller *caller = *state;
    struct webhook_request request = caller_request(caller, "/");
    const struct caller_end *got;
    char url[64];

    request.url = STR("http://nowhere.test/");
    got = caller_call(caller, &request);
    assert_int_equal(got->result.kind, WEBHOOK_UNCONNECTED);
    assert_int_equal(got->result.err.rc, RC_LOST);
    assert_non_null(strstr(got->result.err.text, "nowhere.test"));
    assert_false(got->result.is_sent);

    request = caller_request(caller, "/");
    request.url = STR("http://127.0.0.1:1/"); /* nothing listens there */
    got = caller_call(caller, &request);
    assert_int_equal(got->result.kind, WEBHOOK_UNCONNECTED);
    assert_false(got->result.is_sent);

    /* HTTP where TLS was expected: the parser of the server closes at once. */
    request = caller_request(caller, "/");
    snprintf(url, sizeof url, "https://127.0.0.1:%d/", caller->server.port);
    request.url = str_of(url);
    got = caller_call(caller, &request);
    assert_int_equal(got->result.kind, WEBHOOK_UNCONNECTED);
    assert_false(got->result.is_sent);
    assert_int_equal(caller->server.seen_count, 0);
}

static void an_answer_that_is_cut_off_is_unknown_until_it_is_complete(void **state)
{
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    enum { HEAD = sizeof answer - 1 - 5, WHOLE = sizeof answer - 1 };
    struct caller *caller = *state;

    for (size_t n = 0; n < 2 * (WHOLE + 1); n++) {
        size_t len = n / 2;
        enum bad_end end = n % 2 ? BAD_RESETS : BAD_CLOSES;
        const struct caller_end *got;

        script(caller, "/broken", (struct str){answer, len}, end, STR(""));
        got = caller_get(caller, "/broken");
        assert_true(got->result.is_sent);
        if (got->result.kind != (len == WHOLE ? WEBHOOK_ANSWERED : WEBHOOK_UNKNOWN))
            fail_msg("after %zu bytes: kind %d, %s", len, got->result.kind,
                     got->result.err.text);
        assert_int_equal(got->result.err.rc, len == WHOLE ? RC_OK : RC_UNKNOWN);
        if (len >= HEAD)
            assert_int_equal(got->result.body.len, len - HEAD);
        caller_forget(caller);
    }
    assert_int_equal(caller->server.seen_count, 2 * (WHOLE + 1)); /* each was sent once */
}

static void what_is_not_http_is_unknown(void **state)
{
    static const struct str answers[] = {
        {"hello\r\n\r\n", 9},
        {"HTTP/9.9 200 OK\r\n\r\n", 19},
        {"HTTP/1.1 OK\r\n\r\n", 15},
        {"\0\0\0\0", 4},
        {"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", 39},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 51},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: wrong\r\n\r\nx", 46},
    };
    struct caller *caller = *state;

    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        const struct caller_end *got;

        script(caller, "/odd", answers[i], BAD_CLOSES, STR(""));
        got = caller_get(caller, "/odd");
        if (got->result.kind != WEBHOOK_UNKNOWN)
            fail_msg("answer %zu: kind %d", i, got->result.kind);
        assert_true(got->result.err.text[0] != '\0');
    }
}

static void an_endless_answer_is_cut_off(void **state)
{
    static const struct str heads[] = {
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 47},
        {"HTTP/1.1 200 OK\r\n\r\n", 19},
        {"HTTP/1.1 200 OK\r\nContent-Length: 9999999999999\r\n\r\n", 50},
    };
    struct caller *caller = *state;
    static char block[16 + 8192 + 3];

    memset(block, 'e', sizeof block);
    memcpy(block, "2000\r\n", 6);
    memcpy(block + 6 + 8192, "\r\n", 2);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        const struct caller_end *got;

        script(caller, "/endless", heads[i], BAD_FLOODS, (struct str){block, 6 + 8192 + 2});
        got = caller_get(caller, "/endless");
        assert_int_equal(got->result.kind, WEBHOOK_ANSWERED);
        assert_int_equal(got->result.status, 200);
        assert_int_equal(got->result.body.len, 1000);
        assert_true(got->result.is_cut);
    }
}

static void a_pool_may_accept_longer_answers_than_others(void **state)
{
    enum { MORE = 3 << 20 };
    struct caller *caller = *state;
    static char block[8192];
    struct webhook_request request;
    const struct caller_end *got;
    struct err err;

    memset(block, 'e', sizeof block);
    script(caller, "/long", STR("HTTP/1.1 200 OK\r\n\r\n"), BAD_FLOODS,
           (struct str){block, sizeof block});
    caller->answer_max = MORE;
    caller_limit(caller, 4, 4, 4);
    request = caller_request(caller, "/long");
    request.keep_bytes = MORE;
    got = caller_call(caller, &request);
    assert_int_equal(got->result.kind, WEBHOOK_ANSWERED);
    assert_int_equal(got->result.body.len, MORE);
    assert_true(got->result.is_cut);
    request = caller_request(caller, "/long");
    request.keep_bytes = MORE + 1;
    assert_int_equal(webhook_start(caller->pool, &request, NULL, NULL, &err), RC_INVALID);
}

static void a_head_without_end_is_given_up(void **state)
{
    struct caller *caller = *state;
    const struct caller_end *got;

    script(
        caller, "/head", STR("HTTP/1.1 200 OK\r\n"), BAD_FLOODS,
        STR("X-Header: is one of very many in this answer, and there is no end to them\r\n"));
    got = caller_get(caller, "/head");
    assert_int_equal(got->result.kind, WEBHOOK_UNKNOWN);
    assert_non_null(strstr(got->result.err.text, "65536 bytes"));

    script(caller, "/interim", STR("HTTP/1.1 100 Continue\r\n\r\n"), BAD_FLOODS,
           STR("HTTP/1.1 103 Early Hints\r\n\r\n"));
    got = caller_get(caller, "/interim");
    assert_int_equal(got->result.kind, WEBHOOK_UNKNOWN);
    assert_non_null(strstr(got->result.err.text, "65536 bytes"));
}

static void a_compressed_answer_is_kept_as_it_came(void **state)
{
    static const char packed[] = "\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b\x04\0\x43\xbe\xb7\xe8\x01\0"
                                 "\0\0"; /* gzip of "a" */
    struct caller *caller = *state;
    static char answer[256];
    const struct caller_end *got;
    int at = snprintf(answer, sizeof answer,
                      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n",
                      (int)sizeof packed - 1);

    memcpy(answer + at, packed, sizeof packed - 1);
    script(caller, "/gzip", (struct str){answer, (size_t)at + sizeof packed - 1}, BAD_STAYS,
           STR(""));
    got = caller_get(caller, "/gzip");
    assert_int_equal(got->result.kind, WEBHOOK_ANSWERED);
    assert_int_equal(got->result.body.len, sizeof packed - 1);
    assert_memory_equal(got->body, packed, sizeof packed - 1);
}

/*
 * The beginning of compressed zeros, in a block without end; each following zero byte
 * represents a thousand of them.  libcurl decodes transfer codings whether requested or not.
 */
#define ZEROS_WITHOUT_END                                                              \
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xec\xc1\x01\x01\x00\x00\x00\x80\x90\xfe" \
    "\xaf\xee\x08\x0a"

static void a_decompression_bomb_is_cut_off(void **state)
{
    struct caller *caller = *state;
    static char zeros[4096];
    const struct caller_end *got;

    script(caller, "/content",
           STR("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" ZEROS_WITHOUT_END),
           BAD_FLOODS, (struct str){zeros, sizeof zeros});
    got = caller_get(caller, "/content");
    assert_int_equal(got->result.kind, WEBHOOK_ANSWERED);
    assert_true(got->result.is_cut);
    assert_memory_equal(got->body, ZEROS_WITHOUT_END, sizeof ZEROS_WITHOUT_END - 1);

    script(caller, "/transfer",
           STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n" ZEROS_WITHOUT_END),
           BAD_FLOODS, (struct str){zeros, sizeof zeros});
    got = caller_get(caller, "/transfer");
    assert_int_equal(got->result.kind, WEBHOOK_ANSWERED);
    assert_true(got->result.is_cut);
    assert_int_equal(got->result.body.len, 1000);
    assert_memory_equal(got->body, zeros, 1000);
}

static void the_rest_of_an_answer_is_read_to_reuse_the_connection(void **state)
{
    struct caller *caller = *state;
    static char answer[64 * 1024 + 64];
    const struct caller_end *got;
    int at = snprintf(answer, sizeof answer,
                      "HTTP/1.1 200 OK\r\nContent-Length: 65536\r\n\r\n");

    memset(answer + at, 'm', 64 * 1024);
    script(caller, "/much", (struct str){answer, (size_t)at + 64 * 1024}, BAD_STAYS, STR(""));
    got = caller_get(caller, "/much");
    assert_int_equal(got->result.kind, WEBHOOK_ANSWERED);
    assert_int_equal(got->result.body.len, 1000);
    assert_true(got->result.is_cut);
    caller_get(caller, "/much");
    assert_int_equal(caller->server.connections, 1);
}

static void retry_after_is_read_in_both_forms(void **state)
{
    static const struct {
        const char *value;
        int64_t seconds; /* from now; -1 for none */
    } cases[] = {
        {"120", 120}, {"0", 0}, {"-5", -1}, {"soon", -1},
        {"1.5", -1},  {"", -1}, {"  7", 7}, {"12 s", -1},
    };
    struct caller *caller = *state;
    static char answer[256];
    const struct caller_end *got;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        instant before = clock_now();

        snprintf(answer, sizeof answer,
                 "HTTP/1.1 503 Busy\r\nRetry-After: %s\r\nContent-Length: 0\r\n\r\n",
                 cases[i].value);
        script(caller, "/busy", str_of(answer), BAD_STAYS, STR(""));
        got = caller_get(caller, "/busy");
        assert_int_equal(got->result.status, 503);
        if (cases[i].seconds < 0)
            assert_true(got->result.retry_at == INSTANT_NONE);
        else
            assert_true(got->result.retry_at >= before + cases[i].seconds * SPAN_S &&
                        got->result.retry_at <= clock_now() + cases[i].seconds * SPAN_S);
    }
    script(caller, "/date",
           STR("HTTP/1.1 429 Slow\r\nRetry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
               "Content-Length: 0\r\n\r\n"),
           BAD_STAYS, STR(""));
    assert_int_equal(caller_get(caller, "/date")->result.retry_at, 784111777 * SPAN_S);
    script(caller, "/huge",
           STR("HTTP/1.1 429 Slow\r\nRetry-After: 99999999999999999999999999\r\n"
               "Content-Length: 0\r\n\r\n"),
           BAD_STAYS, STR(""));
    assert_true(caller_get(caller, "/huge")->result.retry_at == INSTANT_MAX);
}

static void a_call_without_an_answer_is_not_sent_again(void **state)
{
    struct caller *caller = *state;
    struct webhook_request request;
    const struct caller_end *got;

    /* The server resets a reused connection; libcurl alone would send the request again. */
    caller_get(caller, "/first");
    script(caller, "/broken", STR(""), BAD_RESETS, STR(""));
    request = caller_request(caller, "/broken");
    got = caller_call(caller, &request);
    assert_int_equal(got->result.kind, WEBHOOK_UNKNOWN);
    assert_true(got->result.is_sent);
    assert_int_equal(caller->server.seen_count, 2);

    /* At most once: on a new connection, although one is open. */
    caller_get(caller, "/first");
    request = caller_request(caller, "/broken");
    request.is_once = true;
    assert_int_equal(caller_call(caller, &request)->result.kind, WEBHOOK_UNKNOWN);
    assert_int_equal(caller->server.seen_count, 4);
}

#define WITH_CALLER(name) cmocka_unit_test_setup_teardown(name, caller_setup, caller_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CALLER(an_answer_that_never_begins_times_out),
        WITH_CALLER(the_first_byte_and_the_whole_answer_have_separate_limits),
        WITH_CALLER(a_head_that_drips_times_out),
        WITH_CALLER(a_host_that_accepts_no_connection_times_out),
        WITH_CALLER(a_host_that_does_not_answer_tls_times_out),
        WITH_CALLER(unreachable_hosts_are_reported),
        WITH_CALLER(an_answer_that_is_cut_off_is_unknown_until_it_is_complete),
        WITH_CALLER(what_is_not_http_is_unknown),
        WITH_CALLER(an_endless_answer_is_cut_off),
        WITH_CALLER(a_pool_may_accept_longer_answers_than_others),
        WITH_CALLER(a_head_without_end_is_given_up),
        WITH_CALLER(a_compressed_answer_is_kept_as_it_came),
        WITH_CALLER(a_decompression_bomb_is_cut_off),
        WITH_CALLER(the_rest_of_an_answer_is_read_to_reuse_the_connection),
        WITH_CALLER(retry_after_is_read_in_both_forms),
        WITH_CALLER(a_call_without_an_answer_is_not_sent_again),
        WITH_CALLER(
            a_silent_name_server_does_not_delay_other_calls), /* last: its thread outlives it */
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
