/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two nodes on one PostgreSQL count the history that they wrote, and that of a dead node.
 */
#include "harness.h"

#include "store/nodes.h"
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
    world.call_length = SPAN_S;
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

#define HISTORY                                                                               \
    "schedule, slot, pass, attempt, fence, bits, outcome, reason, last, due, created_at,"     \
    " started_at, ended_at, expire_at, queue, node, worker, error, result, input, namespace," \
    " tokens, cost"

/* Copies the last row of history to 40,000 more, with the keys before it. */
static void fill_history(struct test_node *node)
{
    static const struct db_stmt fill = {
        "INSERT INTO history (id, " HISTORY
        ") WITH RECURSIVE n(i) AS (SELECT CAST(1 AS bigint) UNION ALL SELECT i + 1 FROM n"
        " WHERE i < 40000) SELECT (SELECT max(id) FROM history) - i * 4194304, " HISTORY
        " FROM n, (SELECT * FROM history ORDER BY id DESC LIMIT 1) AS h",
        NULL};
    struct err err;

    db_send(node->db, &fill, NULL, NULL);
    assert_int_equal(db_flush(node->db, world.arena, &err), RC_OK);
}

static const struct db_stmt state_of_a = {"SELECT state FROM nodes WHERE name = 'a'", NULL};

/* Turns of `node` alone, a second apart, until it takes over node a. */
static void wait_for_takeover(struct test_node *node)
{
    for (int i = 0; i < 120 && number_of(node, &state_of_a) != NODE_LOST; i++) {
        world.now += SPAN_S;
        turn(node);
    }
    assert_int_equal(number_of(node, &state_of_a), NODE_LOST);
}

/* Node b stops turning in the middle of the takeover, and goes on when c has taken it over. */
static void a_takeover_that_another_node_continues_counts_once(void **state)
{
    static const struct db_stmt rows = {"SELECT count(*) FROM history", NULL};
    struct test_node *a = &world.nodes[0], *b, *c;

    (void)state;
    world.call_length = SPAN_S;
    world.tick = SPAN_S;
    create("job", every(SPAN_MIN));
    run_to("00:14:30");
    submit_ok(COMMAND_PAUSE, "job");
    fill_history(a);
    b = world_join("b");
    c = world_join("c");
    node_kill(a);
    wait_for_takeover(b);
    for (int i = 0; i < 60; i++) {
        world.now += SPAN_S;
        turn(c);
    }
    for (int i = 0; i < 100 && number_of(b, &state_of_a) != NODE_DOWN; i++) {
        world.now += SPAN_S;
        turn(b);
        turn(c);
    }
    assert_int_equal(number_of(b, &state_of_a), NODE_DOWN);
    assert_int_equal(daily_stats_of(b).runs, number_of(b, &rows));
}

/* Node a boots while b takes over what it held before: its new run is its own. */
static void a_node_that_is_back_keeps_its_new_runs(void **state)
{
    static const struct db_stmt attempt = {"SELECT attempt FROM runs", NULL};
    static const struct db_stmt holder = {
        "SELECT count(*) FROM runs WHERE node = (SELECT id FROM nodes WHERE name = 'a')", NULL};
    struct test_node *a = &world.nodes[0], *b;

    (void)state;
    world.call_length = SPAN_S;
    world.tick = SPAN_S;
    create("job", every(SPAN_MIN));
    run_to("00:14:30");
    fill_history(a);
    b = world_join("b");
    node_kill(a);
    wait_for_takeover(b);
    world.call_length = INSTANT_NEVER;
    node_boot(a);
    for (int i = 0; i < 120 && number_of(a, &holder) == 0; i++) {
        world.now += SPAN_S;
        turn(a);
        turn(b);
    }
    assert_int_equal(number_of(a, &attempt), 1);
    for (int i = 0; i < 100; i++) {
        world.now += SPAN_S / 10;
        turn(b);
        turn(a);
    }
    assert_int_equal(number_of(a, &state_of_a), NODE_UP);
    assert_int_equal(number_of(a, &holder), 1);
    assert_int_equal(number_of(a, &attempt), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(history_of_a_dead_node_is_counted_once),
        TIMELINE(a_takeover_that_another_node_continues_counts_once),
        TIMELINE(a_node_that_is_back_keeps_its_new_runs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
