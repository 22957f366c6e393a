/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two nodes on one PostgreSQL count the history that they wrote, and that of a dead node.
 */
#include "harness.h"

#include "store/stats.h"

static int64_t number_of(struct test_node *node, const struct db_stmt *stmt)
{
    struct db_result rows = {0};
    struct err err;

    db_send(node->db, stmt, NULL, &rows);
    assert_int_equal(db_flush(node->db, world.arena, &err), RC_OK);
    return db_int_at(&rows, 0, 0);
}

static struct daily_stats daily_stats_of(struct test_node *node)
{
    struct stats_query question = {
        .by = STATS_ALL, .namespace = world.namespace, .until_day = 30000};
    struct db_result rows = {0};
    struct stats_group group;
    struct err err;

    stats_get(node->db, &question, &rows);
    assert_int_equal(db_flush(node->db, world.arena, &err), RC_OK);
    stats_read(&rows, 0, &group);
    return group.figures;
}

/* The node that takes over the runs of a dead node counts the rest of its history. */
static void history_of_a_dead_node_is_counted_once(void **state)
{
    static const struct db_stmt counted = {"SELECT CAST(sum(runs) AS bigint) FROM stats", NULL};
    static const struct db_stmt down = {"SELECT count(*) FROM nodes WHERE state = 2", NULL};
    struct test_node *a = &world.nodes[0], *b = world_join("b");

    (void)state;
    world.length = SPAN_S;
    world.tick = SPAN_S;
    for (int i = 0; i < 10; i++) {
        char name[16];

        snprintf(name, sizeof name, "job-%d", i);
        create(name, every(SPAN_MIN));
    }
    run_to("00:05:30");
    assert_int_equal(daily_stats_of(b).runs, 50);
    node_kill(a);
    run_to("00:06:30");
    assert_int_equal(number_of(b, &down), 1);
    assert_int_equal(daily_stats_of(b).runs, 60);
    assert_true(number_of(b, &counted) > 0);
    node_boot(a);
    run_to("00:25:30");
    assert_int_equal(number_of(b, &down), 0);
    assert_int_equal(daily_stats_of(b).runs, 250);
    assert_in_range(number_of(b, &counted), 150, 250);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(history_of_a_dead_node_is_counted_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
