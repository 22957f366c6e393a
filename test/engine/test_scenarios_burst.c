/* SPDX-License-Identifier: Apache-2.0 */
/*
 * More slots are due at once than workers have polled for: how many runs the engine creates,
 * and when.
 *
 * In the first hour the engine learns that workers claim all runs that become due; the tests
 * check the second hour.
 */
#include "harness.h"

enum { JOBS = 900, ASKED = 300 };

static struct turn_out out;

/* One turn at `now`, with a poll for `max` runs; 0: no poll. */
static void turn_for(instant now, int max)
{
    static uint64_t tag;
    struct poll poll = {
        .tag = ++tag, .queue_count = 1, .max = max, .worker = STR("one"), .is_new = true};
    struct turn_in in = {
        .now = now, .rows = TURN_ROWS_MAX, .polls = &poll, .poll_count = max > 0};
    struct err err;

    poll.queues[0] = queue_of("q");
    assert_int_equal(engine_turn(world.nodes[0].engine, &in, &out, &err), RC_OK);
    world.now = now;
}

/* The same without a poll; reports the runs of the last turn as done. */
static void turn_with_reports(instant now)
{
    static struct report reports[JOBS];
    struct turn_in in = {.now = now, .rows = TURN_ROWS_MAX, .reports = reports};
    struct err err;

    in.report_count = out.grant_count;
    for (int i = 0; i < out.grant_count; i++) {
        const struct run *run = &out.grants[i].run;

        reports[i] = (struct report){
            .kind = REPORT_DONE,
            .run = {run->schedule, run->slot / SPAN_MS, (uint32_t)run->pass},
            .fence = run->fence,
            .outcome = OUTCOME_SUCCEEDED,
        };
    }
    assert_int_equal(engine_turn(world.nodes[0].engine, &in, &out, &err), RC_OK);
    world.now = now;
}

static void first_hour(int other_priority)
{
    instant at = when("01:00");

    for (int i = 0; i < JOBS; i++) {
        struct test_schedule w = pulled(every(SPAN_H));
        char name[16];

        snprintf(name, sizeof name, "job-%d", i);
        w.draft.plan.policies.priority = i == JOBS - 1 ? other_priority : 5;
        create(name, w);
    }
    poll_none();
    turn_for(at, 1000);
    assert_int_equal(out.grant_count, JOBS);
    turn_with_reports(at + SPAN_MS);
}

static void the_engine_creates_only_as_many_runs_as_workers_poll_for(void **state)
{
    instant at = when("02:00");

    (void)state;
    first_hour(5);
    turn_for(at, ASKED);
    assert_int_equal(out.grant_count, ASKED);
    assert_int_equal(out.row_count, ASKED);
    assert_false(out.made_ready);
    for (int i = 0; i < 2; i++) {
        at += 10 * SPAN_MS;
        turn_with_reports(at);
        assert_int_equal(out.row_count, 0);
        assert_int_equal(out.wake_at, at + 20 * SPAN_MS);
        turn_for(at, ASKED);
        assert_int_equal(out.grant_count, ASKED);
        assert_int_equal(out.row_count, ASKED);
        assert_false(out.made_ready);
    }
}

/* The engine waits at most a tenth of a second for the worker to poll again. */
static void all_due_runs_exist_100_ms_after_the_last_poll(void **state)
{
    instant at = when("02:00");

    (void)state;
    first_hour(5);
    turn_for(at, ASKED);
    turn_for(at + 99 * SPAN_MS, 0);
    assert_int_equal(out.row_count, 0);
    turn_for(at + 100 * SPAN_MS, 0);
    assert_int_equal(out.row_count, JOBS - ASKED);
    assert_true(out.made_ready);
}

/* However often workers poll, half a second after its slot every run exists. */
static void all_due_runs_exist_500_ms_after_their_slot(void **state)
{
    instant slot = when("02:00");

    (void)state;
    first_hour(5);
    turn_for(slot, ASKED);
    turn_for(slot + 90 * SPAN_MS, 0);
    assert_int_equal(out.row_count, 0);
    turn_for(slot + 450 * SPAN_MS, ASKED);
    assert_int_equal(out.grant_count, ASKED);
    turn_for(slot + 499 * SPAN_MS, 0);
    assert_int_equal(out.row_count, 0);
    turn_for(slot + 500 * SPAN_MS, 0);
    assert_int_equal(out.row_count, JOBS - 2 * ASKED);
}

/* The last schedule that was created has the highest priority. */
static void with_different_priorities_all_due_runs_are_created_at_once(void **state)
{
    (void)state;
    first_hour(9);
    turn_for(when("02:00"), 1);
    assert_int_equal(out.row_count, JOBS);
    assert_int_equal(out.grant_count, 1);
    assert_int_equal(out.grants[0].run.priority, 9);
}

static void all_due_runs_are_created_when_the_clock_is_set_back(void **state)
{
    instant at = when("02:00");

    (void)state;
    first_hour(5);
    turn_for(at + 10 * SPAN_MS, ASKED);
    assert_int_equal(out.grant_count, ASKED);
    turn_for(at + SPAN_MS, 0);
    assert_int_equal(out.row_count, JOBS - ASKED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(the_engine_creates_only_as_many_runs_as_workers_poll_for),
        TIMELINE(all_due_runs_exist_100_ms_after_the_last_poll),
        TIMELINE(all_due_runs_exist_500_ms_after_their_slot),
        TIMELINE(with_different_priorities_all_due_runs_are_created_at_once),
        TIMELINE(all_due_runs_are_created_when_the_clock_is_set_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
