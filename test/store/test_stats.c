/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table stats on both databases: each node counts its own history, and a query returns the same
 * result before the counting, during it and after it.
 */
#include "rows.h"

#include "core/run.h"
#include "store/key.h"
#include "store/stats.h"

enum { TODAY = 20454 }; /* DAY_ONE, in days */

/* Key `n` of a node. */
static int64_t key(int64_t node, int64_t n)
{
    return n << (KEY_NODE_BITS + KEY_COUNT_BITS) | node << KEY_COUNT_BITS;
}

struct fact {
    int64_t key, schedule, namespace;
    enum run_kind kind;
    int32_t attempt;
    bool last;
    enum outcome outcome;
    span late, took; /* took < 0: not started */
    int64_t queue, tokens, cost;
    int day;
};

static void add(struct fixture *f, struct fact fact)
{
    instant due = DAY_ONE + fact.day * SPAN_DAY + SPAN_H, at = due + fact.late;
    char sql[ASK_MAX * 2];

    snprintf(
        sql, sizeof sql,
        "INSERT INTO history (id, schedule, slot, pass, attempt, fence, bits, outcome,"
        " reason, last, due, created_at, started_at, ended_at, expire_at, queue, node,"
        " namespace, tokens, cost) VALUES (%lld, %lld, 0, 0, %d, 0, %d, %d, 0, %d, %lld, 0,"
        " %lld, %lld, 0, %lld, 0, %lld, %lld, %lld)",
        (long long)fact.key, (long long)fact.schedule, fact.attempt, (int)fact.kind,
        (int)fact.outcome, fact.last, (long long)due,
        (long long)(fact.took < 0 ? INSTANT_NONE : at),
        (long long)(fact.took < 0 ? at : at + fact.took), (long long)fact.queue,
        (long long)fact.namespace, (long long)fact.tokens, (long long)fact.cost);
    exec(f->db, sql);
}

/*
 * Two nodes; six attempts of five runs of namespace 1, and others that must not be counted.
 */
static void fill(struct fixture *f)
{
    static const struct fact facts[] = {
        {1, 10, 1, RUN_SLOT, 1, true, OUTCOME_SUCCEEDED, 5, 100, 7, 11, 21, 0},
        {2, 10, 1, RUN_SLOT, 1, false, OUTCOME_FAILED, 40, 1000, 7, 12, 22, 0},
        {3, 10, 1, RUN_SLOT, 2, true, OUTCOME_TIMED_OUT, 500, 200, 7, 13, 23, 0},
        {4, 11, 1, RUN_BACKFILL, 0, true, OUTCOME_CANCELLED, 7, -1, 8, 0, 0, 0},
        {5, 12, 1, RUN_DIRECT, 1, true, OUTCOME_UNKNOWN, 0, 300, 0, 0, 0, 0},
        {6, 13, 1, RUN_DIRECT, 1, true, OUTCOME_SUCCEEDED, 1, 400, 0, 0, 0, 0},
        {7, 10, 1, RUN_TEST, 1, true, OUTCOME_FAILED, 1, 1, 7, 1, 1, 0},
        {8, 20, 2, RUN_SLOT, 1, true, OUTCOME_SUCCEEDED, 1, 1, 7, 1, 1, 0},
        {9, 10, 1, RUN_SLOT, 1, true, OUTCOME_SUCCEEDED, 1, 1, 7, 1, 1, 1},
    };

    exec(f->db, "INSERT INTO nodes (id, name, boot, turn, lease_until, key_ms, event,"
                " started_at, state) VALUES (1, 'a', 0, 0, 0, 0, 0, 0, 1),"
                " (2, 'b', 0, 0, 0, 0, 0, 0, 1)");
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        struct fact fact = facts[i];

        fact.key = key(i % 2 == 0 ? 1 : 2, facts[i].key);
        add(f, fact);
    }
    exec(f->db, "INSERT INTO queues (id, namespace, name, paused) VALUES (7, 1, 'seven', 0)");
    exec(f->db,
         "INSERT INTO schedules (id, namespace, version, deleted_at, packed, action, name,"
         " spec, policies, description, dialect, created_at, created_by, updated_at,"
         " updated_by) VALUES (13, 1, 0, 10, CAST('' AS {blob}), '', 'r_x', '', '', '', 1, 0,"
         " '', 0, '')");
}

static struct db_result ask_by(struct fixture *f, enum stats_by by, int64_t after, int limit)
{
    struct stats_query question = {.by = by,
                                   .namespace = 1,
                                   .from_day = TODAY,
                                   .until_day = TODAY,
                                   .after = after,
                                   .limit = limit};
    struct db_result rows;

    stats_get(f->db, &question, &rows);
    flush(f);
    return rows;
}

static void assert_figures(const struct db_result *rows, int row, int64_t key_expected,
                           struct daily_stats expected)
{
    struct stats_group got;

    stats_read(rows, row, &got);
    assert_int_equal(got.key, key_expected);
    assert_memory_equal(&got.figures, &expected, sizeof expected);
}

static void assert_all(struct fixture *f)
{
    static const struct daily_stats job = {.runs = 2,
                                           .succeeded = 1,
                                           .failed = 1,
                                           .attempts = 3,
                                           .timed = 2,
                                           .duration = 300,
                                           .begun = 2,
                                           .late = 45,
                                           .late_most = 40,
                                           .tokens = 36,
                                           .cost = 66};
    static const struct daily_stats direct = {.runs = 2,
                                              .succeeded = 1,
                                              .failed = 1,
                                              .attempts = 2,
                                              .timed = 2,
                                              .duration = 700,
                                              .begun = 2,
                                              .late = 1,
                                              .late_most = 1};
    static const struct daily_stats never = {.runs = 1};
    struct daily_stats all = job;
    struct db_result rows = ask_by(f, STATS_BY_SCHEDULE, INT64_MIN, 10);
    struct stats_group group;

    assert_int_equal(rows.rows, 3);
    assert_figures(&rows, 0, 0, direct);
    assert_figures(&rows, 1, 10, job);
    assert_figures(&rows, 2, 11, never);
    rows = ask_by(f, STATS_BY_SCHEDULE, 0, 1);
    assert_int_equal(rows.rows, 1);
    assert_figures(&rows, 0, 10, job);
    rows = ask_by(f, STATS_BY_QUEUE, INT64_MIN, 10);
    assert_int_equal(rows.rows, 3);
    assert_figures(&rows, 0, 0, direct);
    assert_figures(&rows, 1, 7, job);
    assert_figures(&rows, 2, 8, never);
    stats_read(&rows, 1, &group);
    assert_str_equal(group.name, STR("seven"));
    daily_stats_add(&all, &direct);
    daily_stats_add(&all, &never);
    rows = ask_by(f, STATS_ALL, 0, 0);
    assert_int_equal(rows.rows, 1);
    assert_figures(&rows, 0, 0, all);
}

/* The direct run of the agents API, which has schedule 13. */
static void assert_agents_direct(struct fixture *f)
{
    struct db_result rows = ask_by(f, STATS_AGENTS_DIRECT, INT64_MIN, 10);

    assert_int_equal(rows.rows, 1);
    assert_figures(&rows, 0, 0,
                   (struct daily_stats){.runs = 1,
                                        .succeeded = 1,
                                        .attempts = 1,
                                        .timed = 1,
                                        .duration = 400,
                                        .begun = 1,
                                        .late = 1,
                                        .late_most = 1});
}

static void count(struct fixture *f, int64_t maker, int64_t after, int64_t until)
{
    struct stats_range range = {maker, after, until};
    char sql[ASK_MAX];

    snprintf(sql, sizeof sql, "UPDATE nodes SET stats = %lld WHERE id = %lld AND stats = %lld",
             (long long)until, (long long)maker, (long long)after);
    exec(f->db, sql);
    stats_add(f->db, &range, maker);
    flush(f);
}

static void a_query_includes_counted_and_uncounted_history(void **state)
{
    struct fixture *f = *state;

    fill(f);
    assert_all(f);
    assert_agents_direct(f);
    count(f, 1, 0, key(1, 3));
    assert_all(f);
    assert_agents_direct(f);
    assert_int_equal(ask_int(f, "SELECT CAST(sum(runs) AS bigint) FROM stats"), 2);
    count(f, 2, 0, key(2, 9));
    assert_all(f);
    assert_agents_direct(f);
    count(f, 1, key(1, 3), key(1, 9));
    assert_all(f);
    assert_agents_direct(f);
    assert_int_equal(ask_int(f, "SELECT CAST(sum(runs) AS bigint) FROM stats"), 7);
    exec(f->db, "DELETE FROM history");
    assert_all(f);
    assert_agents_direct(f);
}

/*
 * The row of the node holds the current position: from any other position nothing is counted.
 */
static void nothing_is_counted_twice(void **state)
{
    struct fixture *f = *state;

    fill(f);
    count(f, 1, 0, key(1, 3));
    count(f, 1, 0, key(1, 9));
    assert_all(f);
    count(f, 1, key(1, 2), key(1, 9));
    assert_all(f);
}

static void a_batch_ends_at_its_last_row(void **state)
{
    struct stats_range range = {1, 0, key(1, 7)};
    struct fixture *f = *state;
    struct db_result first, rest, none;

    fill(f);
    stats_batch_end(f->db, &range, 3, &first);
    range.after = key(2, 2);
    stats_batch_end(f->db, &range, 100, &rest);
    range.after = key(1, 7);
    stats_batch_end(f->db, &range, 100, &none);
    flush(f);
    assert_int_equal(db_int_at(&first, 0, 0), key(1, 3));
    assert_int_equal(db_int_at(&rest, 0, 0), key(1, 7));
    assert_int_equal(none.rows, 0);
}

static void rows_are_counted_before_retention_deletes_them(void **state)
{
    struct fixture *f = *state;
    struct stats_range range = {1, 0, INT64_MAX};
    char sql[ASK_MAX];

    fill(f);
    stats_add_old(f->db, &range, 10, 1); /* all except key 9; node 1 wrote 1 and 3 */
    flush(f);
    snprintf(sql, sizeof sql, "DELETE FROM history WHERE id IN (%lld, %lld)",
             (long long)key(1, 1), (long long)key(1, 3));
    exec(f->db, sql);
    assert_all(f);
    count(f, 1, 0, key(1, 9));
    assert_all(f);
}

static void old_days_are_pruned_in_batches(void **state)
{
    struct fixture *f = *state;

    fill(f);
    count(f, 1, 0, key(1, 9));
    count(f, 2, 0, key(2, 9));
    assert_int_equal(ask_int(f, "SELECT count(*) FROM stats"), 7);
    stats_prune(f->db, TODAY + 1, 3);
    flush(f);
    assert_int_equal(ask_int(f, "SELECT count(*) FROM stats"), 4);
    stats_prune(f->db, TODAY + 1, 100);
    flush(f);
    assert_int_equal(ask_int(f, "SELECT count(*) FROM stats"), 1);
    assert_int_equal(ask_int(f, "SELECT day FROM stats"), TODAY + 1);
}

static void every_statement_was_run(void **state)
{
    assert_every_statement_ran(*state, "src/store/stats.c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(a_query_includes_counted_and_uncounted_history),
        STORE_TEST(nothing_is_counted_twice),
        STORE_TEST(a_batch_ends_at_its_last_row),
        STORE_TEST(rows_are_counted_before_retention_deletes_them),
        STORE_TEST(old_days_are_pruned_in_batches),
        STORE_TEST(every_statement_was_run),
    };

    return RUN_STORE_TESTS(tests);
}
