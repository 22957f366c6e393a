/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests workflows of a Conductor: starting, finding, following.
 */
#include "workflow_world.h"

static void a_workflow_is_started_followed_and_its_output_is_the_result(void **state)
{
    struct world *world = *state;
    const struct report *report;

    start(world, flow_order(world, WF));
    report = dispatches_wait(world->dispatches, 1);
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
    assert_int_equal(world->dispatches->report_count, 2);
    assert_int_equal(world->conductor->count, 1);
}

static void a_start_says_all_that_the_action_says(void **state)
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

static void each_end_of_a_workflow_is_an_end_of_the_attempt(void **state)
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
        dispatches_forget(world->dispatches);
        start(world, order);
        dispatches_wait(world->dispatches, 1);
        end_flow(world, i, cases[i].status, "no disk");
        report = wait_end(world);
        assert_int_equal(report->outcome, cases[i].outcome);
        snprintf(message, sizeof message, "workflow \"wf-%d\" ended as %s: no disk", i + 1,
                 cases[i].status);
        assert_error(report, cases[i].code, cases[i].is_retryable, message);
        assert_true(report->result.len > 0);
    }
}

static void a_later_attempt_follows_the_workflow_that_is_known(void **state)
{
    struct world *world = *state;

    start(world, next_attempt(world));
    wait_seen(world, "GET", 1);
    end_flow(world, 0, "COMPLETED", NULL);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
    assert_int_equal(conductor_seen(world->conductor, "POST"), 0);
    assert_int_equal(world->dispatches->report_count, 1);
}

static void what_ended_while_nobody_looked_is_the_end_of_the_next_attempt(void **state)
{
    struct world *world = *state;

    start(world, next_attempt(world));
    end_flow(world, 0, "FAILED", "no disk");
    assert_error(wait_end(world), "workflow_failed", true,
                 "workflow \"wf-1\" ended as FAILED: no disk");
    assert_int_equal(conductor_seen(world->conductor, "POST"), 0);
}

static void what_a_node_started_before_it_died_is_looked_for(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = next_attempt(world);
    struct conductor_flow *flow = &world->conductor->flows[0];

    world->conductor->heeds_keys = false;
    order->assignment.run.progress = (struct str){0}; /* it died before its report */
    order->assignment.run.losses = 1;
    snprintf(flow->correlation, sizeof flow->correlation, "%s", world->run);
    snprintf(flow->input, sizeof flow->input, "{\"_executionId\":\"%s\"}", world->run);
    start(world, order);
    assert_text(dispatches_wait(world->dispatches, 1)->progress,
                "{\"workflowId\":\"wf-1\",\"workflows\":1,\"ended\":false}");
    assert_int_equal(conductor_seen(world->conductor, "POST"), 0);
}

static void what_a_node_did_not_start_before_it_died_is_started(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = flow_order(world, WF);

    order->assignment.run.losses = 1;
    start(world, order);
    dispatches_wait(world->dispatches, 1);
    assert_int_equal(world->conductor->count, 1);
    assert_string_equal(world->conductor->flows[0].key, world->run);
}

static void a_retry_of_a_workflow_that_failed_is_a_new_workflow(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = flow_order(world, WF);
    const struct report *report;
    char key[80];

    start(world, flow_order(world, WF));
    dispatches_wait(world->dispatches, 1);
    end_flow(world, 0, "FAILED", "");
    wait_end(world);
    report = &world->dispatches->reports[1]->report;
    assert_int_equal(world->dispatches->report_count, 3);
    assert_text(report->progress, "{\"workflowId\":\"wf-1\",\"workflows\":1,\"ended\":true}");
    order->assignment.run.progress = arena_str(order->arena, report->progress);
    order->assignment.run.attempt = 2;
    dispatches_forget(world->dispatches);
    start(world, order);
    report = dispatches_wait(world->dispatches, 1);
    assert_text(report->progress, "{\"workflowId\":\"wf-2\",\"workflows\":2,\"ended\":false}");
    snprintf(key, sizeof key, "%s.2", world->run);
    assert_string_equal(world->conductor->flows[1].key, key);
    end_flow(world, 1, "COMPLETED", NULL);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
}

static void an_upstream_that_is_down_for_a_while_delays_the_start_only(void **state)
{
    struct world *world = *state;

    conductor_fail(world->conductor, 3,
                   (struct conductor_fault){"POST", 503, "{\"message\":\"starting\"}", false});
    conductor_fail(world->conductor, 2, (struct conductor_fault){"POST", 429, "", false});
    start(world, flow_order(world, WF));
    dispatches_wait(world->dispatches, 1);
    end_flow(world, 0, "COMPLETED", NULL);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
    assert_int_equal(world->conductor->count, 1);
    assert_int_equal(conductor_seen(world->conductor, "POST"), 6);
}

static void an_upstream_that_stays_down_fails_the_run_with_the_last_reason(void **state)
{
    struct world *world = *state;
    const struct report *report;

    world->limits.patience = 20 * SPAN_MS;
    conductor_fail(world->conductor, 60,
                   (struct conductor_fault){"POST", 429, "{\"message\":\"busy\"}", false});
    start(world, flow_order(world, WF));
    report = wait_end(world);
    assert_int_equal(report->outcome, OUTCOME_FAILED);
    assert_error(report, "upstream_unreachable", true, "the upstream answered 429: busy");
    assert_true(conductor_seen(world->conductor, "POST") > 1);
    assert_int_equal(world->conductor->count, 0);
}

static void nobody_there_is_the_same(void **state)
{
    struct world *world = *state;

    world->limits.patience = 20 * SPAN_MS;
    world->dispatches->settings.plain.upstreams[0].url = STR("http://127.0.0.1:1/api");
    start(world, flow_order(world, WF));
    assert_error(wait_end(world), "upstream_unreachable", true, NULL);
}

static void a_refusal_fails_at_once(void **state)
{
    struct world *world = *state;
    const struct report *report;

    conductor_fail(
        world->conductor, 1,
        (struct conductor_fault){"POST", 404, "{\"message\":\"No such workflow: wf\"}", false});
    start(world, flow_order(world, WF));
    report = wait_end(world);
    assert_int_equal(report->outcome, OUTCOME_FAILED);
    assert_error(report, "upstream_refused", false,
                 "the upstream answered 404: No such workflow: wf");
    assert_int_equal(conductor_seen(world->conductor, "POST"), 1);
}

static void the_guard_holds_for_upstreams_too(void **state)
{
    struct world *world = *state;

    world->dispatches->dispatcher->options.allow_loopback = false;
    start(world, flow_order(world, WF));
    assert_error(wait_end(world), "upstream_refused", false, NULL);
    assert_int_equal(world->conductor->server.connections, 0);
}

static void a_namespace_without_the_upstream_says_so(void **state)
{
    struct world *world = *state;

    start(world, flow_order(world, "{\"type\":\"workflow\",\"name\":\"wf\","
                                   "\"upstream\":\"other\"}"));
    assert_error(wait_end(world), "upstream_missing", false,
                 "the namespace has no upstream \"other\" for workflows");
}

/* The start arrived, but its answer was lost. */
static void lose_start(struct world *world, bool is_done)
{
    conductor_fail(world->conductor, 1, (struct conductor_fault){"POST", 0, NULL, is_done});
    start(world, flow_order(world, WF));
}

static void a_start_whose_answer_was_lost_is_found_again(void **state)
{
    struct world *world = *state;

    world->conductor->heeds_keys = false; /* like plain Conductor */
    lose_start(world, true);
    assert_text(dispatches_wait(world->dispatches, 1)->progress,
                "{\"workflowId\":\"wf-1\",\"workflows\":1,\"ended\":false}");
    end_flow(world, 0, "COMPLETED", NULL);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
    assert_int_equal(world->conductor->count, 1);
    assert_int_equal(conductor_seen(world->conductor, "POST"), 1);
}

static void a_start_that_did_not_arrive_is_sent_again(void **state)
{
    struct world *world = *state;

    world->conductor->heeds_keys = false;
    lose_start(world, false);
    dispatches_wait(world->dispatches, 1);
    end_flow(world, 0, "COMPLETED", NULL);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
    assert_int_equal(world->conductor->count, 1);
    assert_int_equal(conductor_seen(world->conductor, "POST"), 2);
    assert_int_equal(conductor_seen(world->conductor, "GET /api/workflow/wf/correlated/"), 1);
}

static void without_a_search_the_same_key_keeps_it_one_workflow(void **state)
{
    struct world *world = *state;

    world->conductor->finds = false;
    lose_start(world, true);
    dispatches_wait(world->dispatches, 1);
    end_flow(world, 0, "COMPLETED", NULL);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
    assert_int_equal(world->conductor->count, 1);
    assert_int_equal(conductor_seen(world->conductor, "POST"), 2);
}

static void an_answer_of_a_gateway_is_looked_into_before_the_next_start(void **state)
{
    struct world *world = *state;

    world->conductor->heeds_keys = false;
    conductor_fail(world->conductor, 1,
                   (struct conductor_fault){"POST", 504, "<h1>Timeout</h1>", true});
    start(world, flow_order(world, WF));
    dispatches_wait(world->dispatches, 1);
    assert_int_equal(world->conductor->count, 1);
    assert_int_equal(conductor_seen(world->conductor, "POST"), 1);
}

static void at_most_once_is_unknown_when_nobody_can_say(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = flow_order(world, WF);
    const struct report *report;

    order->is_once = true;
    conductor_fail(world->conductor, 1, (struct conductor_fault){"POST", 0, NULL, false});
    start(world, order);
    report = wait_end(world);
    assert_int_equal(report->outcome, OUTCOME_UNKNOWN);
    assert_error(report, "upstream_unknown", false, NULL);
    assert_int_equal(conductor_seen(world->conductor, "POST"), 1);
}

static void a_look_that_fails_is_taken_again(void **state)
{
    struct world *world = *state;

    conductor_fail(world->conductor, 2, (struct conductor_fault){"GET", 500, "", false});
    conductor_fail(world->conductor, 2, (struct conductor_fault){"GET", 0, NULL, false});
    conductor_fail(world->conductor, 1, (struct conductor_fault){"GET", 404, "", false});
    conductor_fail(world->conductor, 1, (struct conductor_fault){"GET", 200, "<html>", false});
    start(world, flow_order(world, WF));
    dispatches_wait(world->dispatches, 1);
    end_flow(world, 0, "COMPLETED", NULL);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
    assert_int_equal(conductor_seen(world->conductor, "GET"), 7);
}

static void polls_that_fail_for_too_long_fail_the_attempt_and_keep_the_workflow(void **state)
{
    struct world *world = *state;
    const struct report *report;

    world->limits.patience = 20 * SPAN_MS;
    conductor_fail(world->conductor, 60,
                   (struct conductor_fault){"GET", 401, "{\"message\":\"expired\"}", false});
    start(world, flow_order(world, WF));
    report = wait_end(world);
    assert_error(report, "upstream_unreachable", true, "the upstream answered 401: expired");
    assert_int_equal(world->dispatches->report_count, 2); /* no report that it has ended */
    assert_string_equal(world->conductor->flows[0].status, "RUNNING");
}

static void an_answer_larger_than_is_read_still_ends_the_run(void **state)
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
    dispatches_wait(world->dispatches, 1);
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
        CASE(a_workflow_is_started_followed_and_its_output_is_the_result),
        CASE(a_start_says_all_that_the_action_says),
        CASE(each_end_of_a_workflow_is_an_end_of_the_attempt),
        CASE(a_later_attempt_follows_the_workflow_that_is_known),
        CASE(what_ended_while_nobody_looked_is_the_end_of_the_next_attempt),
        CASE(what_a_node_started_before_it_died_is_looked_for),
        CASE(what_a_node_did_not_start_before_it_died_is_started),
        CASE(a_retry_of_a_workflow_that_failed_is_a_new_workflow),
        CASE(an_upstream_that_is_down_for_a_while_delays_the_start_only),
        CASE(an_upstream_that_stays_down_fails_the_run_with_the_last_reason),
        CASE(nobody_there_is_the_same),
        CASE(a_refusal_fails_at_once),
        CASE(the_guard_holds_for_upstreams_too),
        CASE(a_namespace_without_the_upstream_says_so),
        CASE(a_start_whose_answer_was_lost_is_found_again),
        CASE(a_start_that_did_not_arrive_is_sent_again),
        CASE(without_a_search_the_same_key_keeps_it_one_workflow),
        CASE(an_answer_of_a_gateway_is_looked_into_before_the_next_start),
        CASE(at_most_once_is_unknown_when_nobody_can_say),
        CASE(a_look_that_fails_is_taken_again),
        CASE(polls_that_fail_for_too_long_fail_the_attempt_and_keep_the_workflow),
        CASE(an_answer_larger_than_is_read_still_ends_the_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
