/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of Temporal's clients that the upstream of a namespace answers, with a stand-in for
 * it that records every byte.
 */
#include "peers/forward_stage.h"

enum { BODY_MAX = 4 << 20 };

/* ---- passing ---- */

static void a_call_and_its_answer_pass(void **state)
{
    struct stage s = {0};
    struct h2c_answer *a;

    open_stage(&s, state);
    set_upstream(&s, "default", "default");
    a = start_call(&s, SERVICE "StartWorkflowExecution", namespace_frame(&s, 1, "default"),
                   "temporal-namespace", "default");
    h2c_await(s.h, a);
    assert_line(a->head, ":status: 200\n");
    assert_line(a->head, "x-upstream: head\n");
    assert_line(a->tail, "grpc-status: 0\n");
    assert_line(a->tail, "x-upstream-trailer: tail\n");
    assert_int_equal(a->body_len, 7);
    assert_memory_equal(a->body, "\0\0\0\0\2\x0a\0", 7);
    assert_true(upstream_has_seen(&s.up, SERVICE "StartWorkflowExecution\n"));
    assert_true(upstream_has_seen(&s.up, "temporal-namespace: default\n"));
    assert_true(upstream_has_seen(&s.up, "te: trailers\n"));
    assert_true(upstream_has_seen(&s.up, "x-own: upstream-header\n"));
    assert_true(upstream_has_seen(&s.up, "authorization: Bearer upstream-key\n"));
    close_stage(&s);
}

static void an_error_without_a_body_passes(void **state)
{
    struct stage s = {0};
    struct h2c_answer *a;

    open_stage(&s, state);
    set_upstream(&s, "default", "default");
    a = call(&s, SERVICE "SignalWorkflowExecution", "default");
    assert_line(a->head, "grpc-status: 5\n");
    assert_line(a->head, "grpc-message: no such workflow\n");
    assert_line(a->head, "grpc-status-details-bin: CAUSBG5vbmU\n");
    assert_string_equal(a->tail, "");
    close_stage(&s);
}

static void a_broken_answer_is_unavailable(void **state)
{
    struct stage s = {0};

    open_stage(&s, state);
    set_upstream(&s, "default", "default");
    assert_status(call(&s, SERVICE "TerminateWorkflowExecution", "default"), 14);
    close_stage(&s);
}

/* More than all buffers between the client and the upstream. */
static void a_large_answer_waits_for_a_slow_reader(void **state)
{
    struct stage s = {0};
    struct h2c_answer *a, *other;
    struct h2c *slow;

    open_stage(&s, state);
    set_upstream(&s, "default", "default");
    a = start_call(&s, SERVICE "ListWorkflowExecutions", namespace_frame(&s, 1, "default"),
                   NULL, NULL);
    UNTIL(upstream_requests(&s.up) == 1);
    slow = s.h; /* does not read; another one is served */
    connect_client(&s);
    other = call(&s, SERVICE "CountWorkflowExecutions", "default");
    assert_status(other, 0);
    assert_true(upstream_written(&s.up) < UPSTREAM_BIG);
    assert_false(a->is_closed);
    h2c_close(slow);
    UNTIL(upstream_gone(&s.up) == 1);
    close_stage(&s);
}

static void a_large_answer_passes(void **state)
{
    struct stage s = {0};
    struct h2c_answer *a;

    open_stage(&s, state);
    set_upstream(&s, "default", "default");
    a = start_call(&s, SERVICE "ListOpenWorkflowExecutions", namespace_frame(&s, 1, "default"),
                   NULL, NULL);
    h2c_await_body(s.h, a, 1 << 20);
    h2c_await(s.h, a);
    assert_int_equal(a->body_len, UPSTREAM_BIG);
    assert_line(a->tail, "grpc-status: 0\n");
    close_stage(&s);
}

/* 4 MiB, the namespace last. */
static void a_large_request_passes(void **state)
{
    struct stage s = {0};
    size_t len = 5 + BODY_MAX, filler = BODY_MAX - 9 - 5;
    char *body = calloc(1, len + 1);
    struct h2c_answer *a;

    open_stage(&s, state);
    set_upstream(&s, "default", "default");
    assert_non_null(body);
    memcpy(body, "\0\0\x40\0\0\x22", 6); /* field 4: bytes; its length takes four bytes */
    body[6] = (char)(0x80 | (filler & 127));
    body[7] = (char)(0x80 | (filler >> 7 & 127));
    body[8] = (char)(0x80 | (filler >> 14 & 127));
    body[9] = (char)(filler >> 21);
    memcpy(body + 10 + filler,
           "\x0a\x07"
           "default",
           9);
    a = start_call(&s, SERVICE "StartWorkflowExecution", (struct str){body, len}, NULL, NULL);
    h2c_await(s.h, a);
    assert_status(a, 0);
    a = start_call(&s, SERVICE "StartWorkflowExecution", (struct str){body, len + 1}, NULL,
                   NULL);
    h2c_await(s.h, a);
    assert_status(a, 3);
    assert_int_equal(upstream_requests(&s.up), 1);
    free(body);
    close_stage(&s);
}

static void a_deadline_passes_and_ends_the_call(void **state)
{
    struct stage s = {0};
    struct h2c_answer *a;

    open_stage(&s, state);
    set_upstream(&s, "default", "default");
    a = start_call(&s, SERVICE "PollActivityTaskQueue", namespace_frame(&s, 1, "default"),
                   "grpc-timeout", "200m");
    h2c_await(s.h, a);
    assert_status(a, 4);
    assert_true(upstream_has_seen(&s.up, "grpc-timeout: 200m\n"));
    UNTIL(upstream_gone(&s.up) == 1);
    close_stage(&s);
}

static void a_client_that_leaves_ends_its_poll(void **state)
{
    struct stage s = {0};

    open_stage(&s, state);
    set_upstream(&s, "default", "default");
    start_call(&s, SERVICE "PollWorkflowTaskQueue", namespace_frame(&s, 1, "default"), NULL,
               NULL);
    UNTIL(upstream_polls(&s.up) == 1);
    h2c_close(s.h);
    UNTIL(upstream_gone(&s.up) == 1);
    connect_client(&s);
    close_stage(&s);
}

/* The other calls of the same client continue. */
static void a_cancelled_poll_ends_alone(void **state)
{
    struct stage s = {0};
    struct h2c_answer *a;

    open_stage(&s, state);
    set_upstream(&s, "default", "default");
    a = start_call(&s, SERVICE "PollWorkflowTaskQueue", namespace_frame(&s, 1, "default"), NULL,
                   NULL);
    UNTIL(upstream_polls(&s.up) == 1);
    nghttp2_submit_rst_stream(s.h->session, NGHTTP2_FLAG_NONE, a->id, NGHTTP2_CANCEL);
    h2c_flush(s.h);
    UNTIL(upstream_gone(&s.up) == 1);
    assert_status(call(&s, SERVICE "QueryWorkflow", "default"), 0);
    close_stage(&s);
}

static void polls_end_at_once_when_the_server_drains(void **state)
{
    struct stage s = {0};
    struct h2c_answer *a;

    open_stage(&s, state);
    set_upstream(&s, "default", "default");
    a = start_call(&s, SERVICE "PollWorkflowTaskQueue", namespace_frame(&s, 1, "default"), NULL,
                   NULL);
    UNTIL(upstream_polls(&s.up) == 1);
    server_signal(s.d, SIGTERM);
    h2c_await(s.h, a);
    assert_status(a, 14);
    UNTIL(upstream_gone(&s.up) == 1);
    assert_int_equal(server_wait(s.d), 0);
    h2c_close(s.h);
    upstream_close(&s.up);
}

/* ---- namespaces ---- */

static void a_namespace_without_an_upstream_says_what_to_configure(void **state)
{
    struct stage s = {0};
    struct h2c_answer *a;

    open_stage(&s, state);
    a = call(&s, SERVICE "StartWorkflowExecution", "default");
    assert_status(a, 12);
    assert_line(a->head, "needs an upstream of type temporal");
    assert_status(call(&s, SERVICE "GetSystemInfo", "default"), 0);
    assert_status(call(&s, SERVICE "DescribeNamespace", "default"), 0);
    assert_status(call(&s, SERVICE "NoSuchMethod", "default"), 12);
    assert_int_equal(upstream_requests(&s.up), 0);
    close_stage(&s);
}

/* The parts of DescribeNamespaceResponse, by the field numbers of Temporal's API. */
static void belfry_describes_namespaces_completely(void **state)
{
    struct stage s = {0};
    struct h2c_answer *a;

    open_stage(&s, state);
    api(s.d, 201, "PUT", "/api/v1/namespaces/other", "{}");
    a = call(&s, SERVICE "DescribeNamespace", "other");
    assert_status(a, 0);
    assert_non_null(memmem(a->body, a->body_len, "\x0a\x05other\x10\x01", 9)); /* name, state */
    assert_non_null(memmem(a->body, a->body_len, "\x3a\0\x42", 3)); /* capabilities, limits */
    assert_non_null(memmem(a->body, a->body_len, "\x12\0\x18\x01\x28\x01", 6)); /* config */
    assert_non_null(memmem(a->body, a->body_len,
                           "\x1a\x14\x0a\x06"
                           "belfry\x12\x08\x0a\x06"
                           "belfry\x18\x01",
                           22));
    a = start_call(&s, SERVICE "ListNamespaces", (struct str){"\0\0\0\0", 5}, NULL, NULL);
    h2c_await(s.h, a);
    assert_status(a, 0);
    assert_non_null(memmem(a->body, a->body_len,
                           "\x0a\x07"
                           "default\x10\x01",
                           11));
    assert_non_null(memmem(a->body, a->body_len, "\x0a\x05other\x10\x01", 9));
    a = call(&s, "/temporal.api.operatorservice.v1.OperatorService/ListSearchAttributes",
             "default");
    assert_status(a, 0);
    assert_non_null(memmem(a->body, a->body_len, "TemporalSchedulePaused\x10\x05", 24));
    close_stage(&s);
}

static void another_name_at_the_upstream_is_a_failed_precondition(void **state)
{
    struct stage s = {0};
    struct h2c_answer *a;

    open_stage(&s, state);
    set_upstream(&s, "default", "elsewhere");
    a = call(&s, SERVICE "StartWorkflowExecution", "default");
    assert_status(a, 9);
    assert_line(a->head, "\"elsewhere\" at the upstream");
    assert_int_equal(upstream_requests(&s.up), 0);
    close_stage(&s);
}

static void a_header_that_disagrees_is_rejected(void **state)
{
    struct stage s = {0};
    struct h2c_answer *a;

    open_stage(&s, state);
    set_upstream(&s, "default", "default");
    a = start_call(&s, SERVICE "StartWorkflowExecution", namespace_frame(&s, 1, "default"),
                   "temporal-namespace", "other");
    h2c_await(s.h, a);
    assert_status(a, 3);
    assert_int_equal(upstream_requests(&s.up), 0);
    close_stage(&s);
}

/* A second value of the field is the one that counts, for the upstream too. */
static void the_last_namespace_of_a_message_counts(void **state)
{
    static const char message[] = "\0\0\0\0\x10\x0a\x05other\x0a\x07"
                                  "default";
    struct stage s = {0};
    struct h2c_answer *a;

    open_stage(&s, state);
    set_upstream(&s, "default", "default");
    set_upstream(&s, "other", "other");
    make_token(&s, "admin", "*", s.token);
    make_token(&s, "operator", "other", s.token);
    a = start_call(&s, SERVICE "StartWorkflowExecution",
                   (struct str){message, sizeof message - 1}, NULL, NULL);
    h2c_await(s.h, a);
    assert_status(a, 5);
    assert_int_equal(upstream_requests(&s.up), 0);
    close_stage(&s);
}

static void the_upstream_answers_what_belfry_could(void **state)
{
    struct stage s = {0};

    open_stage(&s, state);
    set_upstream(&s, "default", "default");
    assert_line(call(&s, SERVICE "GetSystemInfo", "default")->head, "x-upstream: head\n");
    assert_line(call(&s, SERVICE "GetClusterInfo", "default")->head, "x-upstream: head\n");
    assert_line(call(&s, SERVICE "DescribeNamespace", "default")->head, "x-upstream: head\n");
    assert_status(call(&s, SERVICE "DescribeSchedule", "default"), 3); /* not forwarded */
    assert_int_equal(upstream_requests(&s.up), 3);
    close_stage(&s);
}

/* The only upstream of the server, though the default namespace has none. */
static void a_call_without_a_namespace_finds_the_only_upstream(void **state)
{
    struct stage s = {0};

    open_stage(&s, state);
    set_upstream(&s, "prod", "prod");
    assert_line(call(&s, SERVICE "GetSystemInfo", "default")->head, "x-upstream: head\n");
    close_stage(&s);
}

static void an_address_that_is_not_allowed_gets_no_connection(void **state)
{
    struct stage s = {0};
    struct h2c_answer *a;

    open_stage(&s, state);
    api(s.d, 200, "PUT", "/api/v1/namespaces/default",
        "{'settings':{'upstreams':{'main':{'type':'temporal','url':'http://127.0.0.1:%u'}}}}",
        s.up.port);
    a = call(&s, SERVICE "StartWorkflowExecution", "default");
    assert_status(a, 9);
    assert_line(a->head, "allowNetworks");
    assert_int_equal(upstream_requests(&s.up), 0);
    close_stage(&s);
}

static void an_upstream_that_is_down_is_unavailable(void **state)
{
    struct stage s = {0};

    open_stage(&s, state);
    api(s.d, 200, "PUT", "/api/v1/namespaces/default", UPSTREAM, 1, "default");
    assert_status(call(&s, SERVICE "StartWorkflowExecution", "default"), 14);
    close_stage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(a_call_and_its_answer_pass),
        E2E_TEST(an_error_without_a_body_passes),
        E2E_TEST(a_broken_answer_is_unavailable),
        E2E_TEST(a_large_answer_waits_for_a_slow_reader),
        E2E_TEST(a_large_answer_passes),
        E2E_TEST(a_large_request_passes),
        E2E_TEST(a_deadline_passes_and_ends_the_call),
        E2E_TEST(a_client_that_leaves_ends_its_poll),
        E2E_TEST(a_cancelled_poll_ends_alone),
        E2E_TEST(polls_end_at_once_when_the_server_drains),
        E2E_TEST(a_namespace_without_an_upstream_says_what_to_configure),
        E2E_TEST(belfry_describes_namespaces_completely),
        E2E_TEST(another_name_at_the_upstream_is_a_failed_precondition),
        E2E_TEST(a_header_that_disagrees_is_rejected),
        E2E_TEST(the_last_namespace_of_a_message_counts),
        E2E_TEST(the_upstream_answers_what_belfry_could),
        E2E_TEST(a_call_without_a_namespace_finds_the_only_upstream),
        E2E_TEST(an_address_that_is_not_allowed_gets_no_connection),
        E2E_TEST(an_upstream_that_is_down_is_unavailable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
