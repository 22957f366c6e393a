/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests workflows in Conductor: starting, finding and following them.
 */
#include "workflow_world.h"

static void a_workflow_is_started_and_followed_to_its_output(void **state)
{
    struct world *world = *state;
    const struct report *report;

    start(world, flow_order(world, WF));
    report = fixture_wait(world->fixture, 1);
    assert_int_equal(report->kind, REPORT_ALIVE);
    assert_text(report->progress, "{\"workflowId\":\"wf-1\",\"workflows\":1,\"ended\":false}");
    wait_seen(world, "GET /api/workflow/wf-1?includeTasks=false", 3);
    world->conductor->flows[0].output = "{\"sum\":42}";
    end_flow(world, 0, "COMPLETED", NULL);
    report = wait_end(world);
    assert_int_equal(report->kind, REPORT_DONE);
    assert_int_equal(report->outcome, OUTCOME_SUCCEEDED);
    assert_text(report->result, "{\"workflowId\":\"wf-1\",\"status\":\"COMPLETED\","
                                "\"output\":{\"sum\":42},\"truncated\":false}");
    assert_int_equal(world->fixture->report_count, 2);
    assert_int_equal(world->conductor->count, 1);
}

static void a_start_contains_all_members_of_the_action(void **state)
{
    struct world *world = *state;
    const struct bad_seen *seen = &world->conductor->server.seen[0];
    json_auto_t *body = NULL;
    const json_t *input;
    struct err err;

    start(world, flow_order(world, "{\"type\":\"workflow\",\"name\":\"wf\",\"version\":3,"
                                   "\"correlationId\":\"c-1\",\"input\":{\"a\":1}}"));
    wait_seen(world, "POST /api/workflow", 1);
    assert_string_equal(seen->line, "POST /api/workflow");
    assert_string_equal(bad_seen_field(seen, "content-type"), "application/json");
    assert_string_equal(bad_seen_field(seen, "x-authorization"), "t");
    assert_string_equal(bad_seen_field(seen, "idempotency-key"), world->run);
    assert_int_equal(json_read(str_of(seen->body), &body, &err), RC_OK);
    assert_string_equal(json_string_value(json_object_get(body, "name")), "wf");
    assert_int_equal(json_integer_value(json_object_get(body, "version")), 3);
    assert_string_equal(json_string_value(json_object_get(body, "correlationId")), "c-1");
    assert_string_equal(json_string_value(json_object_get(body, "idempotencyKey")), world->run);
    input = json_object_get(body, "input");
    assert_int_equal(json_integer_value(json_object_get(input, "a")), 1);
    assert_int_equal(json_integer_value(json_object_get(input, "scheduledTime")),
                     1790000000000);
    assert_int_equal(json_integer_value(json_object_get(input, "executionTime")),
                     1790000000250);
    assert_int_equal(json_integer_value(json_object_get(input, "_scheduledTime")),
                     1790000000000);
    assert_int_equal(json_integer_value(json_object_get(input, "_executedTime")),
                     1790000000250);
    assert_string_equal(json_string_value(json_object_get(input, "_startedByScheduler")),
                        "nightly");
    assert_string_equal(json_string_value(json_object_get(input, "_executionId")), world->run);
}

static void each_workflow_status_ends_the_attempt_with_its_outcome(void **state)
{
    static const struct {
        const char *status, *code;
        enum outcome outcome;
        bool is_retryable;
    } cases[] = {
        {"FAILED", "workflow_failed", OUTCOME_FAILED, true},
        {"TIMED_OUT", "workflow_timeout", OUTCOME_TIMED_OUT, true},
        {"TERMINATED", "workflow_terminated", OUTCOME_FAILED, false},
    };
    struct world *world = *state;

    for (int i = 0; i < 3; i++) {
        struct dispatch_order *order = flow_order(world, WF);
        const struct report *report;
        char message[100];

        order->assignment.run.pass = i; /* another run with another key */
        order->assignment.id = (struct str){i == 0 ? "r_a" : i == 1 ? "r_b" : "r_c", 3};
        fixture_forget(world->fixture);
        start(world, order);
        fixture_wait(world->fixture, 1);
        end_flow(world, i, cases[i].status, "no disk");
        report = wait_end(world);
        assert_int_equal(report->outcome, cases[i].outcome);
        snprintf(message, sizeof message, "workflow \"wf-%d\" ended as %s: no disk", i + 1,
                 cases[i].status);
        assert_error(report, cases[i].code, cases[i].is_retryable, message);
        assert_true(report->result.len > 0);
    }
}

static void a_later_attempt_follows_the_known_workflow(void **state)
{
    struct world *world = *state;

    start(world, next_attempt(world));
    wait_seen(world, "GET", 1);
    end_flow(world, 0, "COMPLETED", NULL);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
    assert_int_equal(conductor_seen(world->conductor, "POST"), 0);
    assert_int_equal(world->fixture->report_count, 2);
    assert_true(world->fixture->reports[0]->report.is_followed);
}

static void a_workflow_that_ended_between_attempts_ends_the_next_one(void **state)
{
    struct world *world = *state;

    start(world, next_attempt(world));
    end_flow(world, 0, "FAILED", "no disk");
    assert_error(wait_end(world), "workflow_failed", true,
                 "workflow \"wf-1\" ended as FAILED: no disk");
    assert_int_equal(conductor_seen(world->conductor, "POST"), 0);
}

static void the_workflow_of_a_dead_node_is_found(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = next_attempt(world);
    struct conductor_flow *flow = &world->conductor->flows[0];

    world->conductor->supports_keys = false;
    order->assignment.run.progress = (struct str){0}; /* it died before its report */
    order->assignment.run.losses = 1;
    snprintf(flow->correlation, sizeof flow->correlation, "%s", world->run);
    snprintf(flow->input, sizeof flow->input, "{\"_executionId\":\"%s\"}", world->run);
    start(world, order);
    assert_text(fixture_wait(world->fixture, 1)->progress,
                "{\"workflowId\":\"wf-1\",\"workflows\":1,\"ended\":false}");
    assert_int_equal(conductor_seen(world->conductor, "POST"), 0);
}

static void a_workflow_that_a_dead_node_did_not_start_is_started(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = flow_order(world, WF);

    order->assignment.run.attempt = 2;
    order->assignment.run.losses = 1;
    start(world, order);
    wait_progress(world);
    assert_int_equal(world->conductor->count, 1);
    assert_string_equal(world->conductor->flows[0].key, world->run);
    assert_int_equal(conductor_seen(world->conductor, "GET /api/workflow/wf/correlated/"), 1);
}

static void a_retry_of_a_failed_workflow_starts_a_new_one(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = flow_order(world, WF);
    const struct report *report;
    char key[80];

    start(world, flow_order(world, WF));
    fixture_wait(world->fixture, 1);
    end_flow(world, 0, "FAILED", "");
    wait_end(world);
    report = &world->fixture->reports[1]->report;
    assert_int_equal(world->fixture->report_count, 3);
    assert_text(report->progress,
                "{\"workflowId\":\"wf-1\",\"workflows\":1,\"ended\":true,\"clean\":1}");
    order->assignment.run.progress = arena_str(order->arena, report->progress);
    order->assignment.run.attempt = 2;
    fixture_forget(world->fixture);
    start(world, order);
    report = fixture_wait(world->fixture, 1);
    assert_text(report->progress,
                "{\"workflowId\":\"wf-2\",\"firstWorkflowId\":\"wf-1\",\"workflows\":2,"
                "\"ended\":false}");
    snprintf(key, sizeof key, "%s.2", world->run);
    assert_string_equal(world->conductor->flows[1].key, key);
    end_flow(world, 1, "COMPLETED", NULL);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
}

static void temporary_errors_of_the_upstream_only_delay_the_start(void **state)
{
    struct world *world = *state;

    conductor_fail(world->conductor, 3,
                   (struct conductor_fault){"POST", 503, "{\"message\":\"starting\"}", false});
    conductor_fail(world->conductor, 2, (struct conductor_fault){"POST", 429, "", false});
    start(world, flow_order(world, WF));
    wait_progress(world);
    end_flow(world, 0, "COMPLETED", NULL);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
    assert_int_equal(world->conductor->count, 1);
    assert_int_equal(conductor_seen(world->conductor, "POST"), 6);
}

static void an_upstream_that_stays_down_fails_the_run_with_the_last_reason(void **state)
{
    struct world *world = *state;
    const struct report *report;

    world->limits.patience = 2 * SPAN_S; /* for at least two requests on a busy machine */
    world->limits.retry_first = world->limits.retry_max = 100 * SPAN_MS;
    conductor_fail(world->conductor, 60,
                   (struct conductor_fault){"POST", 429, "{\"message\":\"busy\"}", false});
    start(world, flow_order(world, WF));
    report = wait_end(world);
    assert_int_equal(report->outcome, OUTCOME_FAILED);
    assert_int_equal(report->reason, REASON_NOT_STARTED);
    assert_error(report, "upstream_unreachable", true, "the upstream answered 429: busy");
    assert_true(conductor_seen(world->conductor, "POST") > 1);
    assert_int_equal(world->conductor->count, 0);
}

static void an_unreachable_upstream_fails_the_run(void **state)
{
    struct world *world = *state;

    world->limits.patience = 20 * SPAN_MS;
    world->fixture->settings.plain.upstreams[0].url = STR("http://127.0.0.1:1/api");
    start(world, flow_order(world, WF));
    assert_error(wait_end(world), "upstream_unreachable", true, NULL);
}

static void a_rejected_start_fails_at_once(void **state)
{
    struct world *world = *state;
    const struct report *report;

    conductor_fail(
        world->conductor, 1,
        (struct conductor_fault){"POST", 404, "{\"message\":\"No such workflow: wf\"}", false});
    start(world, flow_order(world, WF));
    report = wait_end(world);
    assert_int_equal(report->outcome, OUTCOME_FAILED);
    assert_int_equal(report->reason, REASON_NOT_STARTED);
    assert_error(report, "upstream_refused", false,
                 "the upstream answered 404: No such workflow: wf");
    assert_int_equal(conductor_seen(world->conductor, "POST"), 1);
}

static void the_address_policy_applies_to_upstreams(void **state)
{
    struct world *world = *state;

    world->fixture->dispatcher->options.allow_loopback = false;
    start(world, flow_order(world, WF));
    assert_error(wait_end(world), "upstream_refused", false, NULL);
    assert_int_equal(world->conductor->server.connections, 0);
}

static void a_missing_upstream_fails_the_run(void **state)
{
    struct world *world = *state;

    start(world, flow_order(world, "{\"type\":\"workflow\",\"name\":\"wf\","
                                   "\"upstream\":\"other\"}"));
    assert_error(wait_end(world), "upstream_missing", false,
                 "the namespace has no upstream \"other\" for workflows");
}

static void a_failed_poll_is_repeated(void **state)
{
    struct world *world = *state;

    conductor_fail(world->conductor, 2, (struct conductor_fault){"GET", 500, "", false});
    conductor_fail(world->conductor, 2, (struct conductor_fault){"GET", 0, NULL, false});
    conductor_fail(world->conductor, 1, (struct conductor_fault){"GET", 404, "", false});
    conductor_fail(world->conductor, 1, (struct conductor_fault){"GET", 200, "<html>", false});
    start(world, flow_order(world, WF));
    fixture_wait(world->fixture, 1);
    end_flow(world, 0, "COMPLETED", NULL);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
    assert_int_equal(conductor_seen(world->conductor, "GET"), 7);
}

static void polls_that_fail_for_too_long_end_as_unknown_and_keep_the_workflow(void **state)
{
    struct world *world = *state;
    const struct report *report;

    world->limits.follow_patience = 20 * SPAN_MS;
    conductor_fail(world->conductor, 60,
                   (struct conductor_fault){"GET", 401, "{\"message\":\"expired\"}", false});
    start(world, flow_order(world, WF));
    report = wait_end(world);
    assert_int_equal(report->outcome, OUTCOME_UNKNOWN);
    assert_error(report, "upstream_unreachable", true, "the upstream answered 401: expired");
    assert_int_equal(world->fixture->report_count, 2); /* no report that it has ended */
    assert_string_equal(world->conductor->flows[0].status, "RUNNING");
}

static void a_truncated_answer_still_ends_the_run(void **state)
{
    struct world *world = *state;
    size_t len = 2 << 20;
    char *output = malloc(len);
    const struct report *report;

    assert_non_null(output);
    memset(output, ' ', len);
    output[0] = '"';
    output[len - 2] = '"';
    output[len - 1] = '\0';
    start(world, flow_order(world, WF));
    fixture_wait(world->fixture, 1);
    world->conductor->flows[0].output = output;
    end_flow(world, 0, "COMPLETED", NULL);
    report = wait_end(world);
    assert_int_equal(report->outcome, OUTCOME_SUCCEEDED);
    assert_text(report->result, "{\"workflowId\":\"wf-1\",\"status\":\"COMPLETED\","
                                "\"output\":null,\"truncated\":true}");
    free(output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)
        CASE(a_workflow_is_started_and_followed_to_its_output),
        CASE(a_start_contains_all_members_of_the_action),
        CASE(each_workflow_status_ends_the_attempt_with_its_outcome),
        CASE(a_later_attempt_follows_the_known_workflow),
        CASE(a_workflow_that_ended_between_attempts_ends_the_next_one),
        CASE(the_workflow_of_a_dead_node_is_found),
        CASE(a_workflow_that_a_dead_node_did_not_start_is_started),
        CASE(a_retry_of_a_failed_workflow_starts_a_new_one),
        CASE(temporary_errors_of_the_upstream_only_delay_the_start),
        CASE(an_upstream_that_stays_down_fails_the_run_with_the_last_reason),
        CASE(an_unreachable_upstream_fails_the_run),
        CASE(a_rejected_start_fails_at_once),
        CASE(the_address_policy_applies_to_upstreams),
        CASE(a_missing_upstream_fails_the_run),
        CASE(a_failed_poll_is_repeated),
        CASE(polls_that_fail_for_too_long_end_as_unknown_and_keep_the_workflow),
        CASE(a_truncated_answer_still_ends_the_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
