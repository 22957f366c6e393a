/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests workflows in Conductor whose start was not answered: one slot, one workflow.
 *
 * The stand-in ignores idempotency keys, as Conductor's open source version does.
 */
#include "io/clock.h"
#include "workflow_world.h"

#define OWNED "{\"type\":\"workflow\",\"name\":\"wf\",\"correlationId\":\"c-1\"}"
#define LISTS "GET /api/workflow/wf/correlated/"
#define PAGES "GET /api/workflow/search?"

static int setup(void **state)
{
    int rc = world_setup(state);

    ((struct world *)*state)->conductor->supports_keys = false;
    return rc;
}

/* The start of `action` fails as `fault` says. */
static void lose_start(struct world *world, const char *action, struct conductor_fault fault)
{
    conductor_fail(world->conductor, 1, fault);
    start(world, flow_order(world, action));
}

static void cut_start(struct world *world, const char *action, bool is_done)
{
    lose_start(world, action, (struct conductor_fault){"POST", 0, NULL, is_done});
}

/* Adds workflows of other runs with the same correlation id. */
static void add_others(struct world *world, int count)
{
    for (int i = 0; i < count; i++) {
        struct conductor_flow *flow = &world->conductor->flows[world->conductor->count++];

        *flow = (struct conductor_flow){
            .correlation = "c-1", .status = "COMPLETED", .output = "{}"};
        snprintf(flow->id, sizeof flow->id, "other-%d", i);
        snprintf(flow->input, sizeof flow->input, "{\"_executionId\":\"r_other%d\"}", i);
    }
}

static void assert_one_start(struct world *world)
{
    assert_int_equal(conductor_seen(world->conductor, "POST"), 1);
}

static void a_workflow_whose_answer_was_cut_off_is_found(void **state)
{
    struct world *world = *state;

    cut_start(world, WF, true);
    assert_text(wait_progress(world),
                "{\"workflowId\":\"wf-1\",\"workflows\":1,\"ended\":false}");
    end_flow(world, 0, "COMPLETED", NULL);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
    assert_one_start(world);
    assert_int_equal(conductor_seen(world->conductor, LISTS), 1);
}

static void a_gateway_error_after_the_work_starts_nothing_again(void **state)
{
    struct world *world = *state;

    for (int status = 502; status <= 504; status++) {
        struct dispatch_order *order = flow_order(world, WF);

        order->assignment.id = (struct str){&"r_a\0r_b\0r_c"[(status - 502) * 4], 3};
        fixture_forget(world->fixture);
        conductor_fail(world->conductor, 1,
                       (struct conductor_fault){"POST", status, "<h1>Gateway</h1>", true});
        order->assignment.run.pass = status;
        start(world, order);
        wait_progress(world);
    }
    assert_int_equal(world->conductor->count, 3);
    assert_int_equal(conductor_seen(world->conductor, "POST"), 3);
}

static void a_start_that_is_looked_up_and_absent_is_sent_again(void **state)
{
    struct world *world = *state;

    cut_start(world, WF, false);
    wait_progress(world);
    assert_int_equal(world->conductor->count, 1);
    assert_int_equal(conductor_seen(world->conductor, "POST"), 2);
    assert_int_equal(conductor_seen(world->conductor, LISTS), 1);
    assert_non_null(strstr(fixture_log(world->fixture), "2 start 1: not answered: "));
    assert_non_null(strstr(fixture_log(world->fixture), "2 start 1: looked up and absent"));
}

/* The upstream creates the workflow only some time after the connection broke. */
static void absence_counts_only_after_the_upstream_had_time(void **state)
{
    struct world *world = *state;

    world->limits.settle = 100 * SPAN_MS;
    world->conductor->hidden = 3;
    cut_start(world, WF, true);
    wait_progress(world);
    assert_int_equal(world->conductor->count, 1);
    assert_one_start(world);
    assert_true(conductor_seen(world->conductor, LISTS) >= 4);
}

static void a_start_that_hangs_gets_more_time(void **state)
{
    struct world *world = *state;

    world->limits.request = 50 * SPAN_MS;
    world->limits.settle_slow = LONG;
    world->conductor->hidden = 5;
    lose_start(world, WF, (struct conductor_fault){"POST", CONDUCTOR_HANGS, NULL, true});
    wait_progress(world);
    assert_one_start(world);
}

static void the_owners_correlation_id_is_sent_unchanged(void **state)
{
    struct world *world = *state;

    start(world, flow_order(world, OWNED));
    wait_progress(world);
    assert_string_equal(world->conductor->flows[0].correlation, "c-1");
}

static void an_upstream_may_ask_for_unique_correlation_ids(void **state)
{
    struct world *world = *state;
    char expected[80];

    world->fixture->settings.plain.upstreams[0].has_unique_correlation = true;
    cut_start(world, OWNED, true);
    wait_progress(world);
    snprintf(expected, sizeof expected, "c-1.%s", world->run);
    assert_string_equal(world->conductor->flows[0].correlation, expected);
    assert_one_start(world);
    assert_int_equal(conductor_seen(world->conductor, LISTS), 1);
}

static void a_shared_correlation_id_is_searched_in_pages(void **state)
{
    struct world *world = *state;

    add_others(world, 30);
    cut_start(world, OWNED, true);
    wait_seen(world, "POST", 1);
    add_others(world, 250); /* started since: the wanted one is on the third page */
    assert_text(wait_progress(world),
                "{\"workflowId\":\"wf-31\",\"workflows\":1,\"ended\":false}");
    assert_one_start(world);
    assert_int_equal(conductor_seen(world->conductor, PAGES), 3);
    assert_int_equal(conductor_seen(world->conductor, LISTS), 0);
}

static void a_search_begins_a_day_before_the_run(void **state)
{
    struct world *world = *state;

    cut_start(world, OWNED, true);
    wait_progress(world);
    /* the run began at 1790000000250 */
    assert_int_equal(
        conductor_seen(world->conductor, PAGES
                       "start=0&size=100&sort=startTime:DESC&query=workflowType%3D%27wf%27%20"
                       "AND%20correlationId%3D%27c-1%27%20AND%20startTime%3E1789913600250"),
        1);
}

static void a_search_that_shows_other_workflows_proves_absence(void **state)
{
    struct world *world = *state;

    add_others(world, 120);
    cut_start(world, OWNED, false);
    wait_progress(world);
    assert_int_equal(world->conductor->count, 121);
    assert_int_equal(conductor_seen(world->conductor, PAGES), 2);
    assert_int_equal(conductor_seen(world->conductor, LISTS), 0);
}

/* A Conductor without an index finds nothing, and says so without an error. */
static void an_empty_index_is_not_trusted(void **state)
{
    struct world *world = *state;

    conductor_fail(
        world->conductor, 1,
        (struct conductor_fault){"GET", 200, "{\"totalHits\":0,\"results\":[]}", false});
    cut_start(world, OWNED, true);
    assert_text(wait_progress(world),
                "{\"workflowId\":\"wf-1\",\"workflows\":1,\"ended\":false}");
    assert_one_start(world);
    assert_int_equal(conductor_seen(world->conductor, LISTS), 1);
}

static void either_list_is_enough(void **state)
{
    struct world *world = *state;

    world->conductor->supports_correlated = false;
    cut_start(world, WF, true);
    wait_progress(world);
    assert_one_start(world);
    assert_int_equal(conductor_seen(world->conductor, PAGES), 1);
}

static void assert_unknown(struct world *world)
{
    const struct report *report = wait_end(world);

    assert_int_equal(report->kind, REPORT_DONE);
    assert_int_equal(report->outcome, OUTCOME_UNKNOWN);
    assert_error(report, "start_unconfirmed", false, NULL);
    assert_one_start(world);
}

static void a_lookup_that_cannot_be_completed_ends_as_unknown(void **state)
{
    struct world *world = *state;

    world->limits.patience = 20 * SPAN_MS;
    world->conductor->supports_correlated = world->conductor->supports_search = false;
    cut_start(world, WF, true);
    assert_unknown(world);
}

static void lists_without_inputs_prove_nothing(void **state)
{
    struct world *world = *state;

    world->limits.patience = 20 * SPAN_MS;
    world->conductor->hides_inputs = true;
    cut_start(world, WF, true);
    assert_unknown(world);
}

static void an_upstream_that_is_away_after_the_start_ends_as_unknown(void **state)
{
    struct world *world = *state;

    world->limits.patience = 20 * SPAN_MS;
    conductor_fail(world->conductor, 60, (struct conductor_fault){"GET", 503, "", false});
    cut_start(world, WF, true);
    assert_unknown(world);
}

static void a_lookup_that_fails_for_a_while_is_repeated(void **state)
{
    struct world *world = *state;

    conductor_fail(world->conductor, 5, (struct conductor_fault){"GET", 503, "", false});
    cut_start(world, WF, true);
    wait_progress(world);
    assert_one_start(world);
}

static void a_start_that_is_absent_at_the_end_was_not_started(void **state)
{
    struct world *world = *state;
    const struct report *report;

    world->limits.patience = 20 * SPAN_MS;
    world->limits.settle = 40 * SPAN_MS;
    cut_start(world, WF, false);
    report = wait_end(world);
    assert_int_equal(report->outcome, OUTCOME_FAILED);
    assert_int_equal(report->reason, REASON_NOT_STARTED);
    assert_error(report, "upstream_unreachable", true, NULL);
    assert_one_start(world);
    assert_int_equal(world->conductor->count, 0);
}

/* Waits for `count` reports after the end of the run. */
static const struct report *wait_after_end(struct world *world, int count)
{
    for (int i = 0;; i++)
        if (fixture_wait(world->fixture, i + 1)->kind == REPORT_DONE)
            return fixture_wait(world->fixture, i + 1 + count);
}

/* The outcome stays as it is; the log names the workflow. */
static void a_workflow_that_appears_later_is_noted(void **state)
{
    struct world *world = *state;
    const struct report *report;

    world->limits.patience = 20 * SPAN_MS;
    world->limits.later = SPAN_MS;
    world->conductor->supports_correlated = world->conductor->supports_search = false;
    cut_start(world, WF, true);
    assert_unknown(world);
    assert_int_equal(dispatcher_count(world->fixture->dispatcher, LANE_FLOW), 0);
    world->conductor->supports_correlated = true;
    report = wait_after_end(world, 1);
    assert_int_equal(report->kind, REPORT_NOTE);
    assert_int_equal(report->attempt, 1);
    assert_non_null(memmem(report->log.ptr, report->log.len, "workflow \"wf-1\" appeared", 24));
    assert_int_equal(world->fixture->dispatcher->looking, 0);
    assert_one_start(world);
}

static void a_workflow_that_never_appears_is_looked_for_a_few_times(void **state)
{
    struct world *world = *state;
    int before;

    world->limits.patience = 20 * SPAN_MS;
    world->limits.settle = 40 * SPAN_MS;
    world->limits.later = SPAN_MS;
    cut_start(world, WF, false);
    wait_end(world);
    before = conductor_seen(world->conductor, "GET");
    while (world->fixture->dispatcher->looking > 0)
        uv_run(loop_uv(world->fixture->loop), UV_RUN_ONCE);
    assert_in_range(conductor_seen(world->conductor, "GET") - before, 1, 8);
    assert_one_start(world);
}

/* Its start may still wait in a proxy, but the next server has nothing to follow. */
static void closing_ends_the_later_lookups(void **state)
{
    struct world *world = *state;

    world->limits.patience = 20 * SPAN_MS;
    world->conductor->supports_correlated = world->conductor->supports_search = false;
    cut_start(world, WF, true);
    assert_unknown(world);
    assert_int_equal(world->fixture->dispatcher->looking, 1);
    dispatcher_drain(world->fixture->dispatcher);
    assert_int_equal(world->fixture->dispatcher->looking, 0);
}

static void at_most_once_ends_as_unknown_if_nothing_is_found(void **state)
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
    assert_one_start(world);
}

/* ---- later attempts ---- */

static struct dispatch_order *second_attempt(struct world *world, const char *progress)
{
    struct dispatch_order *order = flow_order(world, WF);

    order->assignment.run.attempt = 2;
    order->assignment.run.progress = str_of(progress);
    return order;
}

/* The engine ended the attempt at its deadline while the start was in progress. */
static void the_next_attempt_looks_for_the_start_of_the_last_one(void **state)
{
    struct world *world = *state;
    struct conductor_flow *flow = &world->conductor->flows[0];
    struct dispatch_order *order = second_attempt(world, "");

    world->conductor->count = 1;
    *flow = (struct conductor_flow){.id = "wf-1", .status = "RUNNING", .output = "{}"};
    snprintf(flow->correlation, sizeof flow->correlation, "%s", world->run);
    snprintf(flow->input, sizeof flow->input, "{\"_executionId\":\"%s\"}", world->run);
    start(world, order);
    assert_text(wait_progress(world),
                "{\"workflowId\":\"wf-1\",\"workflows\":1,\"ended\":false}");
    assert_int_equal(conductor_seen(world->conductor, "POST"), 0);
}

/* The lookup takes longer than the lease of the claim; the node has renewed it meanwhile. */
static void a_start_after_a_lookup_does_not_depend_on_the_first_lease(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = second_attempt(world, "");

    world->limits.settle = 100 * SPAN_MS;
    order->send_by_us = clock_boot_us() + 50 * SPAN_MS;
    start(world, order);
    wait_progress(world);
    assert_one_start(world);
    assert_int_equal(world->conductor->count, 1);
}

/* Its upstream was removed from the settings: the workflow may run. */
static void a_start_in_doubt_without_an_upstream_is_unknown(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = second_attempt(world, "");
    const struct report *report;

    world->limits.patience = 20 * SPAN_MS;
    world->fixture->settings.plain.upstream_count = 0;
    start(world, order);
    report = wait_end(world);
    assert_int_equal(report->outcome, OUTCOME_UNKNOWN);
    assert_error(report, "start_unconfirmed", false, NULL);
}

static void after_a_clean_end_the_next_attempt_starts_at_once(void **state)
{
    struct world *world = *state;

    start(world, second_attempt(world, "{\"workflows\":0,\"ended\":false,\"clean\":1}"));
    wait_progress(world);
    assert_one_start(world);
    assert_int_equal(conductor_seen(world->conductor, LISTS), 0);
}

/* The mark is of the first attempt; the second one was lost. */
static void an_older_mark_does_not_count(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = second_attempt(
        world, "{\"workflows\":0,\"ended\":false,\"clean\":1}");

    order->assignment.run.attempt = 3;
    order->assignment.run.losses = 1;
    start(world, order);
    wait_progress(world);
    assert_int_equal(conductor_seen(world->conductor, LISTS), 1);
}

static void a_clean_failure_leaves_its_mark(void **state)
{
    struct world *world = *state;

    world->limits.patience = 20 * SPAN_MS;
    conductor_fail(world->conductor, 60, (struct conductor_fault){"POST", 429, "", false});
    start(world, flow_order(world, WF));
    assert_text(wait_progress(world), "{\"workflows\":0,\"ended\":false,\"clean\":1}");
    assert_int_equal(wait_end(world)->outcome, OUTCOME_FAILED);
}

/* Its node died, and the next one took over after the five minutes of the start. */
static void a_late_takeover_looks_once_and_starts_nothing(void **state)
{
    struct world *world = *state;
    struct dispatch_order *order = second_attempt(world, "");
    const struct report *report;

    world->limits.patience = SPAN_MIN;
    order->assignment.run.losses = 1;
    order->now = order->assignment.run.started_at + 2 * SPAN_MIN;
    start(world, order);
    report = wait_end(world);
    assert_int_equal(report->outcome, OUTCOME_FAILED);
    assert_int_equal(report->reason, REASON_NOT_STARTED);
    assert_int_equal(conductor_seen(world->conductor, "POST"), 0);
    assert_int_equal(conductor_seen(world->conductor, LISTS), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, world_teardown)
        CASE(a_workflow_whose_answer_was_cut_off_is_found),
        CASE(a_gateway_error_after_the_work_starts_nothing_again),
        CASE(a_start_that_is_looked_up_and_absent_is_sent_again),
        CASE(absence_counts_only_after_the_upstream_had_time),
        CASE(a_start_that_hangs_gets_more_time),
        CASE(the_owners_correlation_id_is_sent_unchanged),
        CASE(an_upstream_may_ask_for_unique_correlation_ids),
        CASE(a_shared_correlation_id_is_searched_in_pages),
        CASE(a_search_begins_a_day_before_the_run),
        CASE(a_search_that_shows_other_workflows_proves_absence),
        CASE(an_empty_index_is_not_trusted),
        CASE(either_list_is_enough),
        CASE(a_lookup_that_cannot_be_completed_ends_as_unknown),
        CASE(lists_without_inputs_prove_nothing),
        CASE(an_upstream_that_is_away_after_the_start_ends_as_unknown),
        CASE(a_lookup_that_fails_for_a_while_is_repeated),
        CASE(a_start_that_is_absent_at_the_end_was_not_started),
        CASE(a_workflow_that_appears_later_is_noted),
        CASE(a_workflow_that_never_appears_is_looked_for_a_few_times),
        CASE(closing_ends_the_later_lookups),
        CASE(at_most_once_ends_as_unknown_if_nothing_is_found),
        CASE(the_next_attempt_looks_for_the_start_of_the_last_one),
        CASE(a_start_after_a_lookup_does_not_depend_on_the_first_lease),
        CASE(a_start_in_doubt_without_an_upstream_is_unknown),
        CASE(after_a_clean_end_the_next_attempt_starts_at_once),
        CASE(an_older_mark_does_not_count),
        CASE(a_clean_failure_leaves_its_mark),
        CASE(a_late_takeover_looks_once_and_starts_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
