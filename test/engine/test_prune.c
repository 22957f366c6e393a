/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expired rows are deleted, at any rate of writing and for any length of time.
 *
 * A table may have the rows of its retention age, as many again because a prune is late, and
 * the rows that are not pruned in a small table.
 */
#include "harness.h"

#include "store/key.h"
#include "store/logs.h"

enum {
    BUSY = 1000, /* fires per second: more than a batch of a fixed size */
    BUSY_SECONDS = 40,
    AGE_SECONDS = 5,
    SCHEDULES = 2 * BUSY, /* each fires every other second, so that its run ends in between */
    SMALL = 4096,         /* rows that are not pruned */
};

static int64_t count_rows(const char *table)
{
    static const struct {
        const char *name;
        struct db_stmt count;
    } counts[] = {
        {"history", {"SELECT count(*) FROM history", NULL}},
        {"logs", {"SELECT count(*) FROM logs", NULL}},
        {"audit", {"SELECT count(*) FROM audit", NULL}},
    };

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct db_result result = {0};
        struct err err;

        if (strcmp(counts[i].name, table) != 0)
            continue;
        db_send(world.nodes[0].db, &counts[i].count, NULL, &result);
        assert_int_equal(db_flush(world.nodes[0].db, world.arena, &err), RC_OK);
        return db_int_at(&result, 0, 0);
    }
    fail_test("there is no count of %s", table);
}

static struct report reports[SCHEDULES];
static int report_count;

/* A turn that ends all runs of the turn before, each with a log line. */
static void busy_turn(void)
{
    static char line[LOG_PART_MAX];
    struct buf log = BUF(line);
    struct turn_in in = {
        .now = world.now,
        .rows = SCHEDULES,
        .reports = reports,
        .report_count = report_count,
        .capacity = {[LANE_HTTP] = SCHEDULES},
    };
    struct turn_out out;
    struct err err = {.text = ""};

    log_line_pack(&(struct log_line){.at = world.now, .text = STR("done")}, &log);
    if (engine_turn(world.nodes[0].engine, &in, &out, &err) != RC_OK)
        fail_test("%s", err.text);
    assert_in_range(out.dispatch_count, 0, SCHEDULES);
    for (int i = 0; i < out.dispatch_count; i++) {
        const struct run *run = &out.dispatches[i].run;

        reports[i] = (struct report){
            .kind = REPORT_DONE,
            .run = {run->schedule, run->slot / SPAN_MS, (uint32_t)run->pass},
            .fence = run->fence,
            .outcome = OUTCOME_SUCCEEDED,
            .log = buf_as_str(&log),
        };
    }
    report_count = out.dispatch_count;
}

static void history_and_logs_are_pruned_as_fast_as_they_are_written(void **state)
{
    int64_t history = 0, logs = 0, ended = 0;
    char name[16];

    (void)state;
    for (int i = 0; i < SCHEDULES; i++) {
        struct test_schedule w = every(2 * SPAN_S);

        w.draft.plan.policies.retention_age = AGE_SECONDS * SPAN_S;
        snprintf(name, sizeof name, "s%d", i);
        create(name, w);
    }
    report_count = 0;
    for (int second = 0; second < BUSY_SECONDS; second++) {
        int64_t rows;

        world.now += SPAN_S;
        ended += report_count;
        busy_turn();
        rows = count_rows("history");
        history = rows > history ? rows : history;
        rows = count_rows("logs");
        logs = rows > logs ? rows : logs;
    }
    assert_in_range(ended, BUSY * (BUSY_SECONDS - 2), BUSY * BUSY_SECONDS);
    assert_in_range(history, BUSY * AGE_SECONDS, 2 * BUSY * AGE_SECONDS + 2 * SMALL);
    assert_in_range(logs, BUSY * AGE_SECONDS, 2 * BUSY * AGE_SECONDS + 2 * SMALL);
}

static void a_prune_of_the_history_ends_although_rows_are_added(void **state)
{
    struct test_schedule w = every(SPAN_MIN);

    (void)state;
    w.draft.plan.policies.retention_age = SPAN_H;
    create("job", w);
    world.tick = SPAN_MIN;
    run_to("06-02 00:00");
    assert_counts("job", "started 1440");
    /* One hour of rows, and one hour between two passes. */
    assert_in_range(count_rows("history"), 60, 2 * 60 + 10);
}

/* Keys encode time: a pass ends at the key of now, and lists begin at the key of a time. */
static void keys_follow_the_clock_at_ten_thousand_turns_per_second(void **state)
{
    (void)state;
    /* Two seconds, because the keys of a boot begin one second ahead. */
    for (int i = 0; i < 20000; i++) {
        world.now += SPAN_MS / 10;
        busy_turn();
    }
    assert_true(key_time(create("job", every(SPAN_MIN))) <= world.now + SPAN_MS);
}

/* Turns with one audit row each, `apart` from each other. */
static void add_denials(int count, span apart)
{
    const struct audit_entry entry = {.result = AUDIT_FORBIDDEN, .count = 1, .by = STR("x")};
    struct command command = command_for(COMMAND_DENIED, "");

    command.audit = &entry;
    for (int i = 0; i < count; i++) {
        world.now += apart;
        assert_int_equal(submit(&command).rc, RC_OK);
    }
}

static void old_audit_rows_are_pruned_as_fast_as_new_ones_are_written(void **state)
{
    (void)state;
    add_denials(1000, SPAN_MS);
    assert_int_equal(count_rows("audit"), 1000);
    world.now += AUDIT_AGE + SPAN_DAY;
    add_denials(600, SPAN_MS);
    assert_int_equal(count_rows("audit"), 600);
}

static void audit_rows_are_pruned_by_age_at_one_change_per_day(void **state)
{
    (void)state;
    for (int day = 0; day < 450; day++) {
        add_denials(1, SPAN_DAY);
        assert_in_range(count_rows("audit"), 1, AUDIT_AGE / SPAN_DAY + 1);
    }
}

static void a_node_that_restarts_often_prunes_the_audit(void **state)
{
    (void)state;
    add_denials(120, SPAN_MS);
    world.now += AUDIT_AGE + SPAN_DAY;
    for (int i = 0; i < 2; i++) {
        node_kill(&world.nodes[0]);
        node_boot(&world.nodes[0]);
        add_denials(1, SPAN_MS);
    }
    assert_int_equal(count_rows("audit"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(keys_follow_the_clock_at_ten_thousand_turns_per_second),
        TIMELINE(history_and_logs_are_pruned_as_fast_as_they_are_written),
        TIMELINE(a_prune_of_the_history_ends_although_rows_are_added),
        TIMELINE(old_audit_rows_are_pruned_as_fast_as_new_ones_are_written),
        TIMELINE(audit_rows_are_pruned_by_age_at_one_change_per_day),
        TIMELINE(a_node_that_restarts_often_prunes_the_audit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
