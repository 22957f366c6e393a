/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Daily statistics through crashes, commits in doubt and retention: every run is counted once,
 * even if its history is deleted.
 */
#include "base/prng.h"
#include "harness.h"

#include "store/stats.h"

#define FIRST_DAY INT64_C(19144) /* 2022-06-01, in days */

static struct daily_stats figures(int64_t from_day, int64_t until_day)
{
    struct stats_query question = {.by = STATS_ALL,
                                   .namespace = world.namespace,
                                   .from_day = from_day,
                                   .until_day = until_day};
    struct db_result rows = {0};
    struct stats_group group;
    struct test_node *node = &world.nodes[0];
    struct err err;

    while (!node->is_up)
        node++;
    stats_get(node->db, &question, &rows);
    assert_int_equal(db_flush(node->db, world.arena, &err), RC_OK);
    stats_read(&rows, 0, &group);
    return group.figures;
}

static int64_t ask(const struct db_stmt *stmt)
{
    struct db_result rows = {0};
    struct test_node *node = &world.nodes[0];
    struct err err;

    while (!node->is_up)
        node++;
    db_send(node->db, stmt, NULL, &rows);
    assert_int_equal(db_flush(node->db, world.arena, &err), RC_OK);
    return db_int_at(&rows, 0, 0);
}

static int64_t counted(void)
{
    static const struct db_stmt stmt = {
        "SELECT CAST(coalesce(sum(runs), 0) AS bigint) FROM stats", NULL};

    return ask(&stmt);
}

static void a_day_is_counted_as_its_runs_end(void **state)
{
    struct daily_stats got;

    (void)state;
    world.call_length = 2 * SPAN_S;
    world.tick = SPAN_MIN;
    create("job", every(SPAN_H));
    ends("05:00", "05:00:07", OUTCOME_FAILED);
    run_to("06-02 02:30");
    got = figures(FIRST_DAY, FIRST_DAY);
    assert_int_equal(got.runs, 23);
    assert_int_equal(got.succeeded, 22);
    assert_int_equal(got.failed, 1);
    assert_int_equal(got.attempts, 23);
    assert_int_equal(got.duration, (22 * 2 + 7) * SPAN_S);
    assert_int_equal(got.late, 0);
    assert_int_equal(figures(FIRST_DAY + 1, FIRST_DAY + 1).runs, 3);
    assert_int_equal(figures(FIRST_DAY, FIRST_DAY + 1).runs, 26);
    assert_in_range(counted(), 25, 26); /* the next pass counts the rest */
}

/* Ten are kept; the others were counted before they were deleted. */
static void runs_are_counted_before_the_retention_count_deletes_them(void **state)
{
    static const struct db_stmt rows = {"SELECT count(*) FROM history", NULL};
    struct test_schedule w = every(SPAN_MIN);

    (void)state;
    world.call_length = SPAN_S;
    world.tick = SPAN_MIN;
    w.draft.plan.policies.retention_count = 10;
    create("job", w);
    run_to("01:41");
    assert_int_equal(figures(FIRST_DAY, FIRST_DAY).runs, 100);
    assert_in_range(ask(&rows), 10, 20);
}

static void runs_are_counted_before_the_retention_age_deletes_them(void **state)
{
    static const struct db_stmt rows = {"SELECT count(*) FROM history", NULL};
    struct test_schedule w = every(SPAN_MIN);

    (void)state;
    world.call_length = SPAN_S;
    world.tick = SPAN_MIN;
    w.draft.plan.policies.retention_age = SPAN_MIN;
    create("job", w);
    run_to("06-02 00:00:30");
    assert_int_equal(figures(FIRST_DAY, FIRST_DAY + 1).runs, 1440);
    assert_in_range(ask(&rows), 1, 130);
}

static void every_run_is_counted_once_although_the_node_is_killed_often(void **state)
{
    struct test_node *a = &world.nodes[0];

    (void)state;
    world.call_length = SPAN_S;
    world.tick = 10 * SPAN_S;
    create("job", every(SPAN_MIN));
    for (int i = 1; i <= 40; i++) {
        run_until(world.base + i * 3 * SPAN_MIN + 30 * SPAN_S);
        node_kill(a);
        node_boot(a);
    }
    run_to("02:30:30");
    assert_int_equal(figures(FIRST_DAY, FIRST_DAY).runs, 150);
    assert_true(counted() > 100);
}

static struct prng prng;

static enum rc one_of_twelve(enum db_point point)
{
    if (!prng_chance(&prng, 1, 12))
        return RC_OK;
    return point == DB_BEFORE_FLUSH || prng_chance(&prng, 1, 2) ? RC_LOST : RC_UNKNOWN;
}

static void a_commit_in_doubt_counts_once(void **state)
{
    (void)state;
    world.call_length = SPAN_S;
    world.tick = 30 * SPAN_S;
    create("job", every(SPAN_MIN));
    prng_seed(&prng, 7);
    world.draw_break = one_of_twelve;
    run_to("01:00:30");
    world.draw_break = NULL;
    run_to("01:30:30");
    assert_int_equal(figures(FIRST_DAY, FIRST_DAY).runs, 90);
    assert_in_range(counted(), 70, 90);
}

/* Tokens and cost are as the worker reported; test runs are not counted. */
static void tokens_and_cost_of_runs_are_summed(void **state)
{
    struct daily_stats got;

    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", no_slots());
    for (int i = 0; i < 3; i++) {
        struct report report;

        if (i == 2)
            submit_ok(COMMAND_TEST, "job");
        else
            trigger("job", OVERLAP_ALLOW_ALL);
        settle();
        report = make_report(&world.calls[i], REPORT_DONE, OUTCOME_SUCCEEDED);
        report.tokens = 1000 + i;
        report.cost = 5;
        assert_int_equal(send_report(&world.calls[i], &report), RC_OK);
    }
    got = figures(FIRST_DAY, FIRST_DAY);
    assert_int_equal(got.runs, 2);
    assert_int_equal(got.tokens, 2001);
    assert_int_equal(got.cost, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(a_day_is_counted_as_its_runs_end),
        TIMELINE(runs_are_counted_before_the_retention_count_deletes_them),
        TIMELINE(runs_are_counted_before_the_retention_age_deletes_them),
        TIMELINE(every_run_is_counted_once_although_the_node_is_killed_often),
        TIMELINE(a_commit_in_doubt_counts_once),
        TIMELINE(tokens_and_cost_of_runs_are_summed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
