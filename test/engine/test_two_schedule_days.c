/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes on one PostgreSQL count the days of the same schedules, and the rows of dead nodes.
 */
#include "base/prng.h"
#include "days_check.h"

static const char *const jobs[] = {"skips", "all", "kept"};
enum { JOBS = sizeof jobs / sizeof *jobs };

static void create_jobs(void)
{
    struct test_schedule kept = every(SPAN_MIN);

    kept.draft.plan.policies.retention_count = 5;
    create("skips", every(SPAN_MIN));
    create("all", overlapping(every(30 * SPAN_S), OVERLAP_ALLOW_ALL));
    create("kept", kept);
}

static void check_jobs(void)
{
    for (int i = 0; i < JOBS; i++)
        check_days(jobs[i]);
}

/* One of three dies now and then, in the middle of a pass too, and comes back later. */
static void days_of_dead_nodes_are_counted_once(void **state)
{
    static const struct db_stmt nodes = {"SELECT count(DISTINCT node) FROM days", NULL};
    struct test_node *dead = NULL;
    struct db_result rows = {0};
    struct prng prng;
    struct err err;

    (void)state;
    prng_seed(&prng, 3);
    world_join("b");
    world_join("c");
    world.call_length = 90 * SPAN_S;
    world.tick = SPAN_S;
    create_jobs();
    for (int i = 1; i <= 24; i++) {
        run_until(world.now + (span)(1 + prng_below(&prng, 60)) * SPAN_S);
        check_jobs();
        if (dead && prng_chance(&prng, 1, 2)) {
            node_boot(dead);
            dead = NULL;
        } else if (!dead) {
            dead = &world.nodes[prng_below(&prng, 3)];
            node_kill(dead);
        }
        check_jobs();
    }
    for (int i = 0; i < JOBS; i++)
        pause_it(jobs[i], "");
    run_until(world.now + SPAN_H);
    for (int i = 0; i < JOBS; i++) {
        struct cursor c = cursor_of(jobs[i]);

        sum_counted(c.id, INT64_MIN, INT64_MAX);
        check_sum(&c);
    }
    db_send(days_db(), &nodes, NULL, &rows);
    assert_int_equal(db_flush(days_db(), world.arena, &err), RC_OK);
    assert_in_range(db_int_at(&rows, 0, 0), 2, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(days_of_dead_nodes_are_counted_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
