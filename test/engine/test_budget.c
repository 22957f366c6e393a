/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits the cost of a fire, in counts: statements, round trips, commits and allocations.
 * Unlike times, counts are the same on every machine, so one too many fails the test.
 *
 * A turn that ends N runs and starts N others is measured with two values of N: what grows
 * with N is the cost of a fire, the rest is the cost of a turn.
 */
#include "harness.h"

#include <stdlib.h>

enum {
    FEW = 100,
    MANY = 200,
    SCHEDULES = 400, /* none is due again in the turn in which its run ends */
    WARM_UP = 4,     /* minutes until arenas and prepared statements no longer grow */

    /*
     * Start: move the cursor, insert the run.  End: insert history, delete the run, move the
     * cursor.  Plan and run are cached.
     */
    STATEMENTS_OF_A_FIRE = 5,
    LOCKS_OF_A_FIRE = 1, /* on PostgreSQL: lock and read the cursor at the end */
    /* The node's row, three scans (due, waking, periodic), the next wakes, the events. */
    STATEMENTS_OF_A_TURN = 14,
    STATEMENTS_OF_A_SCHEDULE = 2, /* a new one: its row, its cursor */
    STATEMENTS_OF_A_QUEUE = 1,    /* once a second: search it */
    TURNS = 320,
    TURNS_PRUNED = 32,  /* between two prunes of the audit */
    ROUND_TRIPS = 4,    /* to a server that may be remote */
    PERIODIC_TRIPS = 1, /* once a second: find queues with ready runs */
};

struct spent {
    int64_t statements, flushes, commits, allocations;
};

static int64_t allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

/* The linker wraps every call in Belfry's own code, not those in database libraries. */
void *__wrap_malloc(size_t size)
{
    allocations++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    allocations++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    allocations++;
    return __real_realloc(old, size);
}

static struct report reports[MANY];
static int report_count;
static struct poll worker; /* the waiting poll; max 0: none */

static void keep_reports(const struct turn_out *out)
{
    const struct assignment *works = worker.max > 0 ? out->grants : out->dispatches;

    report_count = worker.max > 0 ? out->grant_count : out->dispatch_count;
    assert_in_range(report_count, 0, MANY);
    for (int i = 0; i < report_count; i++) {
        const struct run *run = &works[i].run;

        reports[i] = (struct report){
            .kind = REPORT_DONE,
            .run = {run->schedule, run->slot / SPAN_MS, (uint32_t)run->pass},
            .fence = run->fence,
            .outcome = OUTCOME_SUCCEEDED,
        };
    }
}

/* A turn that reports the runs of the turn before as succeeded. */
static struct spent spend(int rows)
{
    struct test_node *node = &world.nodes[0];
    struct turn_in in = {
        .now = world.now,
        .rows = rows,
        .reports = reports,
        .report_count = report_count,
        .polls = &worker,
        .poll_count = worker.max > 0,
        .capacity = {[LANE_HTTP] = SCHEDULES},
    };
    struct db_counts before = db_counts(node->db), after;
    int64_t allocated = allocations;
    struct turn_out out;
    struct err err = {.text = ""};

    if (engine_turn(node->engine, &in, &out, &err) != RC_OK)
        fail_test("%s", err.text);
    allocated = allocations - allocated;
    after = db_counts(node->db);
    keep_reports(&out);
    return (struct spent){after.statements - before.statements, after.flushes - before.flushes,
                          after.commits - before.commits, allocated};
}

static void make_schedules(struct test_schedule w)
{
    char name[16];

    report_count = 0;
    worker = (struct poll){0};
    for (int i = 0; i < SCHEDULES; i++) {
        snprintf(name, sizeof name, "s%d", i);
        create(name, w);
    }
}

/* The cost of the first turn of a minute, which ends `rows` runs and starts as many. */
static struct spent steady(int rows)
{
    for (int minute = 0; minute < WARM_UP; minute++) {
        world.now += SPAN_MIN;
        for (int i = 0; i < SCHEDULES / rows; i++) {
            spend(rows);
            assert_int_equal(report_count, rows);
        }
    }
    world.now += SPAN_MIN;
    return spend(rows);
}

static void assert_statements(int of_a_turn)
{
    bool is_single = db_kind(world.nodes[0].db) == DB_SQLITE;
    struct spent few = steady(FEW), many = steady(MANY);
    int64_t per_fire = (many.statements - few.statements) / (MANY - FEW);

    assert_int_equal((many.statements - few.statements) % (MANY - FEW), 0);
    assert_int_equal(per_fire, STATEMENTS_OF_A_FIRE + (is_single ? 0 : LOCKS_OF_A_FIRE));
    assert_in_range(few.statements - FEW * per_fire, 1, of_a_turn);
}

static void a_call_takes_five_statements_and_a_turn_at_most_fourteen_more(void **state)
{
    (void)state;
    make_schedules(every(SPAN_MIN));
    assert_statements(STATEMENTS_OF_A_TURN);
}

/* The run is claimed in the turn that creates it: no search, no read. */
static void a_run_for_a_waiting_worker_takes_as_many_statements_as_a_call(void **state)
{
    (void)state;
    make_schedules(pulled(every(SPAN_MIN)));
    worker = (struct poll){
        .queues = {queue_of("q")}, .queue_count = 1, .max = MANY, .worker = STR("w")};
    assert_statements(STATEMENTS_OF_A_TURN + STATEMENTS_OF_A_QUEUE);
}

/* The statements of a turn that creates `count` schedules. */
static int64_t cost_of_creates(char letter, int count)
{
    static char names[MANY][16];
    static struct command commands[MANY];
    static enum rc answers[MANY];
    struct test_schedule w = every(SPAN_MIN);
    const struct draft *draft = draft_of(&w);
    int64_t before;

    for (int i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "%c%d", letter, i);
        commands[i] = command_for(COMMAND_CREATE, names[i]);
        commands[i].save.draft = draft;
    }
    before = db_counts(world.nodes[0].db).statements;
    submit_together(commands, count, answers);
    for (int i = 0; i < count; i++)
        assert_int_equal(answers[i], RC_OK);
    return db_counts(world.nodes[0].db).statements - before;
}

/* The insert itself shows whether the name is free. */
static void a_new_schedule_takes_two_statements(void **state)
{
    (void)state;
    cost_of_creates('a', FEW); /* prepares */
    assert_int_equal(cost_of_creates('c', MANY) - cost_of_creates('b', FEW),
                     (MANY - FEW) * STATEMENTS_OF_A_SCHEDULE);
}

/* How many more statements the first fires of new schedules need than the second. */
static int64_t first_fires_take_more(span every_so_often)
{
    int64_t first;

    make_schedules(every(every_so_often));
    world.now += every_so_often;
    first = spend(MANY).statements;
    while (report_count > 0)
        spend(MANY);
    world.now += every_so_often;
    return first - spend(MANY).statements;
}

/* A schedule that is due in an hour is not cached: it would evict those that run now. */
static void the_plan_of_a_schedule_due_in_an_hour_is_not_cached(void **state)
{
    (void)state;
    assert_in_range(first_fires_take_more(SPAN_H), MANY - STATEMENTS_OF_A_TURN, 2 * MANY);
}

static void the_plan_of_a_schedule_due_in_a_minute_is_cached(void **state)
{
    (void)state;
    assert_in_range(first_fires_take_more(SPAN_MIN) + MANY, 0, MANY + STATEMENTS_OF_A_TURN);
}

/* The statements of `turns` turns with a denied request, or without one (NULL). */
static int64_t cost_of_turns(int turns, const struct audit_entry *audit)
{
    struct test_node *node = &world.nodes[0];
    struct command command = command_for(COMMAND_DENIED, "");
    struct turn_in in = {.commands = &command, .command_count = audit ? 1 : 0};
    int64_t before = db_counts(node->db).statements;
    struct turn_out out;
    struct err err = {.text = ""};

    command.audit = audit;
    for (int i = 0; i < turns; i++) {
        in.now = world.now;
        if (engine_turn(node->engine, &in, &out, &err) != RC_OK)
            fail_test("%s", err.text);
    }
    return db_counts(node->db).statements - before;
}

/* One insert per turn; one prune for many turns. */
static void an_audit_row_takes_one_statement_and_a_share_of_a_prune(void **state)
{
    const struct audit_entry audit = {
        .result = AUDIT_FORBIDDEN, .count = 1, .by = STR("someone")};
    int64_t plain, audited;

    (void)state;
    cost_of_turns(1, &audit); /* prunes, and prepares */
    cost_of_turns(1, NULL);
    plain = cost_of_turns(TURNS, NULL);
    audited = cost_of_turns(TURNS, &audit);
    assert_int_equal(audited - plain, TURNS + TURNS / TURNS_PRUNED);
}

static void a_turn_is_one_commit_and_four_round_trips_however_much_it_does(void **state)
{
    static const int rows[] = {FEW, MANY};

    (void)state;
    make_schedules(every(SPAN_MIN));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct spent periodic = steady(rows[i]), plain = spend(rows[i]);

        assert_int_equal(periodic.commits, 1);
        assert_int_equal(plain.commits, 1);
        assert_in_range(plain.flushes, 1, ROUND_TRIPS);
        assert_in_range(periodic.flushes, 1, ROUND_TRIPS + PERIODIC_TRIPS);
    }
}

static void a_turn_in_steady_state_allocates_nothing(void **state)
{
    int64_t before = allocations;

    (void)state;
    make_schedules(every(SPAN_MIN));
    assert_true(allocations > before); /* otherwise the wrappers do not count */
    assert_int_equal(steady(FEW).allocations, 0);
    assert_int_equal(steady(MANY).allocations, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(a_call_takes_five_statements_and_a_turn_at_most_fourteen_more),
        TIMELINE(a_run_for_a_waiting_worker_takes_as_many_statements_as_a_call),
        TIMELINE(a_new_schedule_takes_two_statements),
        TIMELINE(the_plan_of_a_schedule_due_in_an_hour_is_not_cached),
        TIMELINE(the_plan_of_a_schedule_due_in_a_minute_is_cached),
        TIMELINE(an_audit_row_takes_one_statement_and_a_share_of_a_prune),
        TIMELINE(a_turn_is_one_commit_and_four_round_trips_however_much_it_does),
        TIMELINE(a_turn_in_steady_state_allocates_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
