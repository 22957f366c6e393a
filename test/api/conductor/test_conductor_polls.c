/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of test/mission/conductor.txt (s_ and l_) about the polling loop of Conductor:
 * database errors, batches, stale records, pruning, jitter.  Belfry has no such loop and no
 * batches; the tests check what users see.  10:00 is 1767607200000, as in the other files.
 */
#include "conductor.h"

#include "engine/turn.h"

/* ---- turns ---- */

static enum rc take_turn(void)
{
    struct turn_in in = {.now = world.now, .rows = TURN_ROWS_MAX};
    struct err err = {.text = ""};
    struct turn_out out;

    return engine_turn(world.engine, &in, &out, &err);
}

static void make_database_read_only(void)
{
    const char *sql = world_is_on_postgres() ? "SET default_transaction_read_only = on"
                                             : "PRAGMA query_only = on";
    struct err err = {.text = ""};

    assert_int_equal(db_exec(world.db, str_of(sql), &err), RC_OK);
}

/* A turn that could not be written has no effect; the next turn does the work once. */
static void s_schedules_continue_after_a_database_error(void **state)
{
    (void)state;
    save("a", "");
    world.now += SPAN_MIN;
    make_database_read_only();
    assert_int_not_equal(take_turn(), RC_OK);
    assert_int_not_equal(take_turn(), RC_OK);
    reconnect();
    pass_time(0);
    assert_count("a", 1);
    assert_json("0.scheduledTime", "1767607260000");
    pass_time(SPAN_MIN);
    assert_count("a", 2);
}

/* A batch does not limit the work: further runs follow at the same moment. */
static void s_more_runs_than_a_batch_start_at_the_same_moment(void **state)
{
    (void)state;
    world.turn_rows = TURN_ROWS_MIN;
    for (int i = 0; i < TURN_ROWS_MIN + 2; i++)
        save(js("a%02d", i), "");
    pass_time(SPAN_MIN);
    assert_int_equal(world.now, INT64_C(1767607260000000));
    assert_int_equal(get("/api/scheduler/search/executions?size=0"), 200);
    assert_int_equal(json_integer_value(json_object_get(world.json, "totalHits")),
                     TURN_ROWS_MIN + 2);
}

/* Copies the only ended run; the newest 400 copies have an error that is 100 kB long. */
static void copy_ended_run(int copies)
{
    const char *text = world_is_on_postgres() ? "repeat('0', 100000)" : "hex(zeroblob(50000))";
    struct err err = {.text = ""};
    char sql[1000];

    snprintf(
        sql, sizeof sql,
        "INSERT INTO history (id, schedule, slot, pass, attempt, fence, bits, outcome,"
        " reason, last, due, created_at, started_at, ended_at, expire_at, queue, node,"
        " error) SELECT h.id - v.n, h.schedule, h.slot, h.pass, 1, 1, h.bits, h.outcome, 0,"
        " 1, h.due, h.created_at, h.started_at, h.ended_at, h.expire_at, h.queue, h.node,"
        " CASE WHEN v.n < 400 THEN %s END FROM history AS h, (WITH RECURSIVE r(n) AS"
        " (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < %d) SELECT n FROM r) AS v",
        text, copies);
    if (db_exec(world.db, str_of(sql), &err) != RC_OK)
        fail_msg("%s", err.text);
}

/*
 * Rows that are too large for one read change the number of rows of the reads, which must not
 * lead beyond the limit of a search: the memory for schedules has exactly that size.
 */
static void a_search_reads_50000_ended_runs_however_large_they_are(void **state)
{
    (void)state;
    save("a", "");
    pass_time(SPAN_MIN);
    end_one();
    copy_ended_run(50300);
    assert_int_equal(get("/api/scheduler/search/executions?size=0"), 200);
    assert_json("totalHits", "50000");
}

/* Turns at irregular intervals start every due slot, each once. */
static void l_turns_at_uneven_moments_start_each_slot_once(void **state)
{
    static const span pauses[] = {7, 31, 1, 59, 60, 3, 44, 90, 5, 60};

    (void)state;
    save("a", "");
    for (int i = 0; i < 10; i++) { /* six minutes in all */
        be_down(pauses[i] * SPAN_S);
        pass_time(0);
        pass_time(0);
    }
    assert_count("a", 6);
    for (int i = 0; i < 6; i++)
        assert_string_equal(json_at(js("%d.scheduledTime", i)),
                            js("%lld", 1767607560000LL - i * 60000LL));
}

/* ---- an upstream that does not answer ---- */

/* An hourly schedule whose workflow an upstream starts; the first call is under way. */
static void call_upstream(void)
{
    world.upstream = "c";
    world.workflow_limit = 1;
    assert_int_equal(post(SCHEDULES, js("{'name':'up','cronExpression':'0 1 * * * ?',"
                                        "'startWorkflowRequest':{'name':'wf'}}")),
                     200);
    pass_time(SPAN_MIN);
    assert_int_equal(world.dispatch_count, 1);
}

static void s_a_start_without_an_answer_for_half_a_minute_stays_polled(void **state)
{
    (void)state;
    call_upstream();
    pass_time(30 * SPAN_S);
    assert_count("up", 1);
    assert_json("0.state", "'POLLED'");
    assert_json("0.reason", "absent");
}

/* The upstream is tried for five minutes; then the attempt fails. */
static void s_a_start_without_an_answer_fails_with_a_reason(void **state)
{
    (void)state;
    call_upstream();
    pass_time(5 * SPAN_MIN);
    report_dispatch(0, (struct report){.kind = REPORT_DONE,
                                       .outcome = OUTCOME_FAILED,
                                       .error = STR("{\"code\":\"upstream_unreachable\","
                                                    "\"message\":\"nobody answers\"}")});
    pass_time(5 * SPAN_MIN);
    assert_count("up", 1);
    assert_json("0.state", "'FAILED'");
    assert_json("0.reason", "'nobody answers'");
    pass_time(50 * SPAN_MIN);
    assert_count("up", 2); /* the schedule continues */
}

/* One record that moves forward; Conductor writes two. */
static void s_what_is_due_is_polled_and_then_executed(void **state)
{
    char id[64];

    (void)state;
    call_upstream();
    assert_count("up", 1);
    assert_json("0.state", "'POLLED'");
    snprintf(id, sizeof id, "%s", text_at("0.executionId").ptr);
    report_dispatch(
        0, (struct report){.kind = REPORT_ALIVE, .progress = STR("{\"workflowId\":\"w-1\"}")});
    assert_count("up", 1);
    assert_json("0.state", "'EXECUTED'");
    assert_json("0.workflowId", "'w-1'");
    assert_string_equal(text_at("0.executionId").ptr, id);
}

static void s_a_start_that_is_refused_is_failed_and_the_next_slot_comes(void **state)
{
    (void)state;
    call_upstream();
    report_dispatch(0, (struct report){.kind = REPORT_DONE,
                                       .outcome = OUTCOME_FAILED,
                                       .error = STR("{\"code\":\"upstream_refused\","
                                                    "\"message\":\"no such workflow\"}")});
    pass_time(SPAN_H);
    assert_count("up", 2);
    assert_json("1.state", "'FAILED'");
    assert_json("1.reason", "'no such workflow'");
    assert_json("0.state", "'POLLED'");
}

/* ---- pruning ---- */

static void s_with_keep_3_four_records_are_kept(void **state)
{
    (void)state;
    world.context.conductor_keep = 3;
    save("a", "");
    run_and_end(4);
    assert_count("a", 4);
}

static void s_with_keep_3_five_records_are_kept(void **state)
{
    (void)state;
    world.context.conductor_keep = 3;
    save("a", "");
    run_and_end(5);
    assert_count("a", 5);
}

/* Above twice the number to keep, all older records are deleted. */
static void s_with_keep_3_the_seventh_record_leaves_three(void **state)
{
    (void)state;
    world.context.conductor_keep = 3;
    save("a", "");
    run_and_end(6);
    assert_count("a", 6);
    run_and_end(1);
    assert_count("a", 3);
    assert_json("0.scheduledTime", "1767607620000"); /* 10:07, the newest */
    assert_json("2.scheduledTime", "1767607500000"); /* 10:05 */
}

static void l_of_21_records_the_last_ten_are_kept(void **state)
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
    assert_int_equal(post(SCHEDULES, js("{'name':'fast','cronExpression':'* * * * * ?',"
                                        "'startWorkflowRequest':{'name':'wf'}}")),
                     200);
    for (int i = 1; i <= 60; i++) {
        pass_time(SPAN_S);
        end_one();
        assert_int_equal(get(SCHEDULES "/fast"), 200);
        assert_string_equal(json_at("nextRunTime"),
                            js("%lld", 1767607200000LL + (i + 1) * 1000));
    }
    pass_time(0);
    assert_int_equal(get(SCHEDULES "/fast/executions?limit=1000"), 200);
    assert_in_range(json_array_size(world.json), 5, 10);
    assert_json("0.scheduledTime", "1767607260000");
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
    restart_server(50 * SPAN_MS);
    save("a", "");
    pass_time(SPAN_MIN + 2 * SPAN_S);
    assert_in_range(executed_at("a"), 1767607260000, 1767607260049);
    assert_json("0.scheduledTime", "1767607260000");
}

static void s_without_jitter_it_runs_at_its_slot(void **state)
{
    (void)state;
    restart_server(0);
    save("a", "");
    pass_time(SPAN_MIN);
    assert_int_equal(executed_at("a"), 1767607260000);
}

/* The run and the next run time are written in one transaction. */
static void s_a_delayed_start_and_the_next_run_time_are_written_together(void **state)
{
    bool is_started = false;

    (void)state;
    restart_server(200 * SPAN_MS);
    save("a", "");
    pass_time(SPAN_MIN - SPAN_MS);
    for (int i = 0; i < 210; i++) { /* every millisecond */
        pass_time(SPAN_MS);
        assert_int_equal(get(SCHEDULES "/a/executions"), 200);
        is_started = json_array_size(world.json) > 0;
        assert_int_equal(get(SCHEDULES "/a"), 200);
        assert_string_equal(json_at("nextRunTime"),
                            is_started ? "1767607320000" : "1767607260000");
    }
    assert_true(is_started);
    assert_count("a", 1);
}

/* Fifty with 200 ms of jitter: they start at different times, and every slot is exact. */
static void jitter_spreads_the_starts_and_next_run_times_are_exact(void **state)
{
    int64_t first = INT64_MAX, last = 0;

    (void)state;
    restart_server(200 * SPAN_MS);
    for (int i = 0; i < 50; i++)
        save(js("a%02d", i), "");
    pass_time(SPAN_MIN + SPAN_S);
    for (int i = 0; i < 50; i++) {
        const char *name = js("a%02d", i);
        int64_t at = executed_at(name);

        assert_json("0.scheduledTime", "1767607260000");
        first = at < first ? at : first;
        last = at > last ? at : last;
        assert_int_equal(get(js(SCHEDULES "/%s", name)), 200);
        assert_json("nextRunTime", "1767607320000");
    }
    assert_true(first >= 1767607260000);
    assert_in_range(last - first, 100, 199); /* more than half of the jitter */
}

static void the_maximum_jitter_does_not_reach_the_next_slot(void **state)
{
    (void)state;
    restart_server(DISPATCH_JITTER_MAX);
    assert_int_equal(post(SCHEDULES, js("{'name':'fast','cronExpression':'* * * * * ?',"
                                        "'startWorkflowRequest':{'name':'wf'}}")),
                     200);
    pass_time(30 * SPAN_S);
    assert_int_equal(get(SCHEDULES "/fast/executions?limit=100"), 200);
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
    restart_server(30 * SPAN_S);
    for (int i = 0; i < 20; i++)
        save(js("a%02d", i), "");
    pass_time(SPAN_MIN + 10 * SPAN_S);
    for (int i = 0; i < 20; i++) {
        const char *name = js("a%02d", i);

        get(js(SCHEDULES "/%s/executions", name));
        waiting += json_array_size(world.json) == 0;
        assert_int_equal(save(name, ",'description':'edited'"), 200);
    }
    assert_in_range(waiting, 1, 19);
    pass_time(30 * SPAN_S);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(get(js("/api/v1/schedules/a%02d/slots?from=2026-01-05T10:01:00Z"
                                "&to=2026-01-05T10:01:30Z",
                                i)),
                         200);
        assert_int_equal(json_array_size(json_object_get(world.json, "slots")), 1);
        assert_string_not_equal(json_at("slots.0.outcome"), "absent");
        assert_string_not_equal(json_at("slots.0.outcome"), "null");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(s_schedules_continue_after_a_database_error),
        API_TEST(s_more_runs_than_a_batch_start_at_the_same_moment),
        API_TEST(l_turns_at_uneven_moments_start_each_slot_once),
        API_TEST(s_a_start_without_an_answer_for_half_a_minute_stays_polled),
        API_TEST(s_a_start_without_an_answer_fails_with_a_reason),
        API_TEST(s_what_is_due_is_polled_and_then_executed),
        API_TEST(s_a_start_that_is_refused_is_failed_and_the_next_slot_comes),
        API_TEST(s_with_keep_3_four_records_are_kept),
        API_TEST(s_with_keep_3_five_records_are_kept),
        API_TEST(s_with_keep_3_the_seventh_record_leaves_three),
        API_TEST(l_of_21_records_the_last_ten_are_kept),
        API_TEST(l_a_schedule_of_each_second_keeps_up_and_is_pruned),
        API_TEST(s_with_jitter_it_still_runs_soon),
        API_TEST(s_without_jitter_it_runs_at_its_slot),
        API_TEST(s_a_delayed_start_and_the_next_run_time_are_written_together),
        API_TEST(jitter_spreads_the_starts_and_next_run_times_are_exact),
        API_TEST(the_maximum_jitter_does_not_reach_the_next_slot),
        API_TEST(an_edit_within_the_jitter_loses_no_slot),
        API_TEST(a_search_reads_50000_ended_runs_however_large_they_are),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
