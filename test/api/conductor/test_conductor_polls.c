/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of the acceptance list of Conductor's own tests that concern its polling loop: errors
 * of the store, batches, stale records, pruning, jitter.  Belfry has no such loop and no
 * batches; the tests check what users see.  10:00 is 1767607200000, as in the other files.
 */
#include "conductor.h"

#include "engine/turn.h"

/* ---- the cycle ---- */

static enum rc turn_fails(void)
{
    struct turn_in in = {.now = world.now, .rows = TURN_ROWS_MAX};
    struct err err = {.text = ""};
    struct turn_out out;

    return engine_turn(world.engine, &in, &out, &err);
}

static void let_nothing_be_written(void)
{
    const char *sql = world_is_on_postgres() ? "SET default_transaction_read_only = on"
                                             : "PRAGMA query_only = on";
    struct err err = {.text = ""};

    assert_int_equal(db_exec(world.db, str_of(sql), &err), RC_OK);
}

/* A turn that could not be written has no effect; the next turn does the work once. */
static void s_an_error_of_the_store_ends_no_schedule(void **state)
{
    (void)state;
    save("a", "");
    world.now += SPAN_MIN;
    let_nothing_be_written();
    assert_int_not_equal(turn_fails(), RC_OK);
    assert_int_not_equal(turn_fails(), RC_OK);
    connect_again();
    pass(0);
    assert_count("a", 1);
    assert_told("0.scheduledTime", "1767607260000");
    pass(SPAN_MIN);
    assert_count("a", 2);
}

/* C29: a batch does not limit the work.  Further runs follow at the same moment. */
static void s_beyond_a_batch_none_waits_for_the_next_interval(void **state)
{
    (void)state;
    world.rows = TURN_ROWS_MIN;
    for (int i = 0; i < TURN_ROWS_MIN + 2; i++)
        save(js("a%02d", i), "");
    pass(SPAN_MIN);
    assert_int_equal(world.now, INT64_C(1767607260000000));
    assert_int_equal(get("/api/scheduler/search/executions?size=0"), 200);
    assert_int_equal(json_integer_value(json_object_get(world.json, "totalHits")),
                     TURN_ROWS_MIN + 2);
}

/* Turns at irregular intervals start every due slot, each once. */
static void l_turns_at_uneven_moments_start_each_slot_once(void **state)
{
    static const span pauses[] = {7, 31, 1, 59, 60, 3, 44, 90, 5, 60};

    (void)state;
    save("a", "");
    for (int i = 0; i < 10; i++) { /* six minutes in all */
        be_down(pauses[i] * SPAN_S);
        pass(0);
        pass(0);
    }
    assert_count("a", 6);
    for (int i = 0; i < 6; i++)
        assert_string_equal(told(js("%d.scheduledTime", i)),
                            js("%lld", 1767607560000LL - i * 60000LL));
}

/* ---- an upstream that does not answer ---- */

/* An hourly schedule whose workflow an upstream starts; the first call is under way. */
static void call_upstream(void)
{
    world.upstream = "c";
    world.flows = 1;
    assert_int_equal(post(S, js("{'name':'up','cronExpression':'0 1 * * * ?',"
                                "'startWorkflowRequest':{'name':'wf'}}")),
                     200);
    pass(SPAN_MIN);
    assert_int_equal(world.dispatch_count, 1);
}

static void s_a_start_of_half_a_minute_is_left_alone(void **state)
{
    (void)state;
    call_upstream();
    pass(30 * SPAN_S);
    assert_count("up", 1);
    assert_told("0.state", "'POLLED'");
    assert_told("0.reason", "absent");
}

/* The upstream is tried for five minutes; then the attempt fails. */
static void s_a_start_that_nobody_answers_fails_with_a_reason(void **state)
{
    (void)state;
    call_upstream();
    pass(5 * SPAN_MIN);
    report_call(0, (struct report){.kind = REPORT_DONE,
                                   .outcome = OUTCOME_FAILED,
                                   .error = STR("{\"code\":\"upstream_unreachable\","
                                                "\"message\":\"nobody answers\"}")});
    pass(5 * SPAN_MIN);
    assert_count("up", 1);
    assert_told("0.state", "'FAILED'");
    assert_told("0.reason", "'nobody answers'");
    pass(50 * SPAN_MIN);
    assert_count("up", 2); /* the schedule continues */
}

/* One record that moves forward; Conductor writes two. */
static void s_what_is_due_is_polled_and_then_executed(void **state)
{
    char id[64];

    (void)state;
    call_upstream();
    assert_count("up", 1);
    assert_told("0.state", "'POLLED'");
    snprintf(id, sizeof id, "%s", text_at("0.executionId").ptr);
    report_call(
        0, (struct report){.kind = REPORT_ALIVE, .progress = STR("{\"workflowId\":\"w-1\"}")});
    assert_count("up", 1);
    assert_told("0.state", "'EXECUTED'");
    assert_told("0.workflowId", "'w-1'");
    assert_string_equal(text_at("0.executionId").ptr, id);
}

static void s_a_start_that_is_refused_is_failed_and_the_next_slot_comes(void **state)
{
    (void)state;
    call_upstream();
    report_call(0, (struct report){.kind = REPORT_DONE,
                                   .outcome = OUTCOME_FAILED,
                                   .error = STR("{\"code\":\"upstream_refused\","
                                                "\"message\":\"no such workflow\"}")});
    pass(SPAN_H);
    assert_count("up", 2);
    assert_told("1.state", "'FAILED'");
    assert_told("1.reason", "'no such workflow'");
    assert_told("0.state", "'POLLED'");
}

/* ---- pruning ---- */

static void s_of_three_to_keep_four_records_stay(void **state)
{
    (void)state;
    world.context.conductor_keep = 3;
    save("a", "");
    run_and_end(4);
    assert_count("a", 4);
}

static void s_of_three_to_keep_five_records_stay(void **state)
{
    (void)state;
    world.context.conductor_keep = 3;
    save("a", "");
    run_and_end(5);
    assert_count("a", 5);
}

/* C26: the threshold is twice the number to keep; then all older records are deleted. */
static void s_of_three_to_keep_the_seventh_record_leaves_three(void **state)
{
    (void)state;
    world.context.conductor_keep = 3;
    save("a", "");
    run_and_end(6);
    assert_count("a", 6);
    run_and_end(1);
    assert_count("a", 3);
    assert_told("0.scheduledTime", "1767607620000"); /* 10:07, the newest */
    assert_told("2.scheduledTime", "1767607500000"); /* 10:05 */
}

static void l_of_ten_to_keep_the_last_ten_of_a_crowd_are_left(void **state)
{
    (void)state;
    world.context.conductor_keep = 10;
    save("a", "");
    run_and_end(20);
    assert_count("a", 20);
    run_and_end(1);
    assert_count("a", 10);
}

static void l_a_schedule_of_each_second_keeps_up_and_is_pruned(void **state)
{
    (void)state;
    assert_int_equal(post(S, js("{'name':'fast','cronExpression':'* * * * * ?',"
                                "'startWorkflowRequest':{'name':'wf'}}")),
                     200);
    for (int i = 1; i <= 60; i++) {
        pass(SPAN_S);
        end_one();
        assert_int_equal(get(S "/fast"), 200);
        assert_string_equal(told("nextRunTime"), js("%lld", 1767607200000LL + (i + 1) * 1000));
    }
    pass(0);
    assert_int_equal(get(S "/fast/executions?limit=1000"), 200);
    assert_in_range(json_array_size(world.json), 5, 10);
    assert_told("0.scheduledTime", "1767607260000");
}

/* ---- jitter ---- */

static instant executed_at(const char *name)
{
    assert_count(name, 1);
    return json_integer_value(json_object_get(json_array_get(world.json, 0), "executionTime"));
}

static void s_with_jitter_it_still_runs_soon(void **state)
{
    (void)state;
    start_again(50 * SPAN_MS);
    save("a", "");
    pass(SPAN_MIN + 2 * SPAN_S);
    assert_in_range(executed_at("a"), 1767607260000, 1767607260049);
    assert_told("0.scheduledTime", "1767607260000");
}

static void s_without_jitter_it_runs_at_its_very_time(void **state)
{
    (void)state;
    start_again(0);
    save("a", "");
    pass(SPAN_MIN);
    assert_int_equal(executed_at("a"), 1767607260000);
}

/* C3: pointer and run are written in one transaction; neither exists without the other. */
static void s_a_delayed_start_and_its_pointer_are_written_at_once(void **state)
{
    bool is_started = false;

    (void)state;
    start_again(200 * SPAN_MS);
    save("a", "");
    pass(SPAN_MIN - SPAN_MS);
    for (int i = 0; i < 210; i++) { /* every millisecond */
        pass(SPAN_MS);
        assert_int_equal(get(S "/a/executions"), 200);
        is_started = json_array_size(world.json) > 0;
        assert_int_equal(get(S "/a"), 200);
        assert_string_equal(told("nextRunTime"),
                            is_started ? "1767607320000" : "1767607260000");
    }
    assert_true(is_started);
    assert_count("a", 1);
}

/* Fifty with 200 ms of jitter: they start at different times, and every slot is exact. */
static void a_herd_is_spread_within_the_jitter_and_its_pointers_are_exact(void **state)
{
    int64_t first = INT64_MAX, last = 0;

    (void)state;
    start_again(200 * SPAN_MS);
    for (int i = 0; i < 50; i++)
        save(js("a%02d", i), "");
    pass(SPAN_MIN + SPAN_S);
    for (int i = 0; i < 50; i++) {
        const char *name = js("a%02d", i);
        int64_t at = executed_at(name);

        assert_told("0.scheduledTime", "1767607260000");
        first = at < first ? at : first;
        last = at > last ? at : last;
        assert_int_equal(get(js(S "/%s", name)), 200);
        assert_told("nextRunTime", "1767607320000");
    }
    assert_true(first >= 1767607260000);
    assert_in_range(last - first, 100, 199); /* no draw of fifty beyond half: 2^-49 */
}

static void jitter_of_all_never_reaches_into_the_next_slot(void **state)
{
    (void)state;
    start_again(DISPATCH_JITTER_MAX);
    assert_int_equal(post(S, js("{'name':'fast','cronExpression':'* * * * * ?',"
                                "'startWorkflowRequest':{'name':'wf'}}")),
                     200);
    pass(30 * SPAN_S);
    assert_int_equal(get(S "/fast/executions?limit=100"), 200);
    assert_in_range(json_array_size(world.json), 29, 30);
    for (size_t i = 0; i < json_array_size(world.json); i++) {
        const json_t *record = json_array_get(world.json, i);
        int64_t slot = json_integer_value(json_object_get(record, "scheduledTime"));

        assert_in_range(json_integer_value(json_object_get(record, "executionTime")), slot,
                        slot + 999);
        assert_int_equal(slot % 1000, 0);
    }
}

/* Saving again while some wait for their jitter: every slot of 10:01 has an outcome. */
static void an_edit_within_the_jitter_loses_no_slot(void **state)
{
    int waiting = 0;

    (void)state;
    start_again(30 * SPAN_S);
    for (int i = 0; i < 20; i++)
        save(js("a%02d", i), "");
    pass(SPAN_MIN + 10 * SPAN_S);
    for (int i = 0; i < 20; i++) {
        const char *name = js("a%02d", i);

        get(js(S "/%s/executions", name));
        waiting += json_array_size(world.json) == 0;
        assert_int_equal(save(name, ",'description':'edited'"), 200);
    }
    assert_in_range(waiting, 1, 19);
    pass(30 * SPAN_S);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(get(js("/api/v1/schedules/a%02d/slots?from=2026-01-05T10:01:00Z"
                                "&to=2026-01-05T10:01:30Z",
                                i)),
                         200);
        assert_int_equal(json_array_size(json_object_get(world.json, "slots")), 1);
        assert_string_not_equal(told("slots.0.outcome"), "absent");
        assert_string_not_equal(told("slots.0.outcome"), "null");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(s_an_error_of_the_store_ends_no_schedule),
        SERVED(s_beyond_a_batch_none_waits_for_the_next_interval),
        SERVED(l_turns_at_uneven_moments_start_each_slot_once),
        SERVED(s_a_start_of_half_a_minute_is_left_alone),
        SERVED(s_a_start_that_nobody_answers_fails_with_a_reason),
        SERVED(s_what_is_due_is_polled_and_then_executed),
        SERVED(s_a_start_that_is_refused_is_failed_and_the_next_slot_comes),
        SERVED(s_of_three_to_keep_four_records_stay),
        SERVED(s_of_three_to_keep_five_records_stay),
        SERVED(s_of_three_to_keep_the_seventh_record_leaves_three),
        SERVED(l_of_ten_to_keep_the_last_ten_of_a_crowd_are_left),
        SERVED(l_a_schedule_of_each_second_keeps_up_and_is_pruned),
        SERVED(s_with_jitter_it_still_runs_soon),
        SERVED(s_without_jitter_it_runs_at_its_very_time),
        SERVED(s_a_delayed_start_and_its_pointer_are_written_at_once),
        SERVED(a_herd_is_spread_within_the_jitter_and_its_pointers_are_exact),
        SERVED(jitter_of_all_never_reaches_into_the_next_slot),
        SERVED(an_edit_within_the_jitter_loses_no_slot),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
