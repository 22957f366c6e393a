/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two nodes on one PostgreSQL: in turn in one process, and at the same time as two processes.
 */
#include "harness.h"
#include "processes.h"
#include "store/audit.h"
#include "store/cursors.h"
#include "store/events_requests.h"
#include "store/named_objects.h"

enum { JOBS = 150, STEPS = 40, SECONDS = 10, GATE = 3, LIMIT = 4, MUCH = 700 };

static void name_job(char name[static 16], int i)
{
    snprintf(name, 16, "job-%02d", i);
}

static void create_jobs(int count, struct test_schedule w)
{
    char name[16];

    for (int i = 0; i < count; i++) {
        name_job(name, i);
        create(name, w);
    }
}

/* ---- one node after the other ---- */

static void no_double_start_under_skip(void **state)
{
    (void)state;
    world_join("b");
    world.call_length = 90 * SPAN_S;
    create("job", overlapping(every(SPAN_MIN), OVERLAP_SKIP));
    run_to("00:06");
    assert_calls("00:01@00:01, 00:03@00:03, 00:05@00:05");
    assert_counts("job", "started 3, skipped 3, open 1");
}

static void row_112_work_continues_when_a_node_dies(void **state)
{
    struct test_node *a = &world.nodes[0], *b = world_join("b");

    (void)state;
    world.call_length = INSTANT_NEVER;
    world.tick = SPAN_S;
    create("job", every(SPAN_MIN));
    run_to("00:00:59");
    world.now = when("00:01");
    turn(a);
    assert_calls("00:01@00:01");
    node_kill(a);
    run_to("00:01:09");
    assert_calls("");
    run_to("00:01:15");
    assert_int_equal(world.call_count, 2);
    assert_true(world.calls[1].node == b);
    assert_int_equal(world.calls[1].work.run.attempt, 2);
    assert_true(world.calls[1].work.run.fence > world.calls[0].work.run.fence);
    assert_in_range(world.calls[1].at, when("00:01:10"), when("00:01:13"));
    assert_int_equal(world.events[EVENT_NODE_DOWN], 1);
    /* Only its own runs in flight were delayed. */
    count_calls();
    end_now(&world.calls[1], OUTCOME_SUCCEEDED);
    run_to("00:02");
    assert_calls("00:02@00:02");
    assert_counts("job", "started 2, open 1");
}

static int64_t events_of_node(struct test_node *node, int64_t id)
{
    struct db_result rows = {0};
    struct err err;

    events_of(node->db, id, 0, 10000, &rows);
    assert_int_equal(db_flush(node->db, world.arena, &err), RC_OK);
    return rows.rows;
}

static int64_t audit_of_node(struct test_node *node, int64_t id)
{
    struct db_result rows = {0};
    struct err err;

    audit_of(node->db, id, 0, 10000, &rows);
    assert_int_equal(db_flush(node->db, world.arena, &err), RC_OK);
    return rows.rows;
}

/* The first node writes more events and audit rows than a batch; then it ends for good. */
static struct test_node *leave_many_rows(void)
{
    const struct audit_entry entry = {.result = AUDIT_DONE, .count = 1, .by = STR("x")};
    struct test_node *a = &world.nodes[0], *b = world_join("b");
    struct command pause = command_for(COMMAND_PAUSE, "job");

    world.tick = SPAN_S;
    create("job", every(SPAN_MIN));
    pause.audit = &entry;
    for (int i = 0; i < MUCH; i++) {
        pause.kind = i % 2 == 0 ? COMMAND_PAUSE : COMMAND_RESUME;
        assert_int_equal(submit(&pause).rc, RC_OK);
    }
    assert_true(events_of_node(b, 1) >= MUCH);
    assert_int_equal(audit_of_node(b, 1), MUCH);
    node_kill(a);
    run_to("00:00:30");
    assert_int_equal(world.events[EVENT_NODE_DOWN], 1);
    assert_true(events_of_node(b, 1) >= MUCH);
    pause_it("job", "x");
    return b;
}

/* After the seven days for which events are kept, another node deletes them. */
static void the_events_of_a_node_that_never_returns_are_pruned(void **state)
{
    struct test_node *b = leave_many_rows();

    (void)state;
    world.now += EVENTS_AGE;
    for (int i = 0; i < 10; i++, world.now += SPAN_S)
        turn(b);
    assert_int_equal(events_of_node(b, 1), 0);
    assert_int_equal(audit_of_node(b, 1), MUCH);
}

static void the_audit_of_a_node_that_never_returns_is_pruned(void **state)
{
    struct test_node *b = leave_many_rows();

    (void)state;
    world.now += AUDIT_AGE;
    for (int i = 0; i < 10; i++, world.now += SPAN_S)
        turn(b);
    assert_int_equal(audit_of_node(b, 1), 0);
}

/* The node was stopped for longer than its lease, and was declared dead meanwhile. */
static void a_stale_report_is_refused_with_an_event(void **state)
{
    struct test_node *a = &world.nodes[0];
    struct err err = {.text = ""};
    struct call late;

    (void)state;
    world_join("b");
    world.call_length = INSTANT_NEVER;
    world.tick = SPAN_S;
    create("job", every(SPAN_MIN));
    run_to("00:00:59");
    world.now = when("00:01");
    turn(a);
    late = *call_of("00:01");
    a->is_up = false;
    run_to("00:01:20");
    assert_int_equal(world.call_count, 2);
    assert_int_equal(turn_try(a, &err), RC_CONFLICT);
    node_boot(a);
    world.calls[0].is_open = false;
    assert_int_equal(report(&late, REPORT_DONE, OUTCOME_FAILED), RC_CONFLICT);
    assert_int_equal(world.events[EVENT_LEASE_STALE], 1);
    end_now(&world.calls[1], OUTCOME_SUCCEEDED);
    assert_counts("job", "started 1");
    assert_int_equal(cursor_of("job").last_outcome, OUTCOME_SUCCEEDED);
}

static void a_worker_may_report_to_the_other_node(void **state)
{
    struct test_node *a = &world.nodes[0];

    (void)state;
    world_join("b");
    world.call_length = INSTANT_NEVER;
    create("job", pulled(every(SPAN_MIN)));
    run_to("00:01");
    poll_for("q", 1, "one");
    node_kill(a);
    assert_int_equal(report(call_of("00:01"), REPORT_ALIVE, OUTCOME_NONE), RC_OK);
    end_now(call_of("00:01"), OUTCOME_SUCCEEDED);
    assert_history("job", "00:01 succeeded");
}

/* The other node turns while this node does not know whether its commit succeeded. */
static void the_node_row_shows_whether_a_commit_in_doubt_succeeded(void **state)
{
    struct test_node *a = &world.nodes[0], *b = world_join("b");
    struct err err = {.text = ""};

    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", every(SPAN_MIN));
    for (int i = 0; i < 2; i++) {
        a->break_at = i == 0 ? DB_AFTER_COMMIT : DB_BEFORE_COMMIT;
        a->break_with = RC_UNKNOWN;
        world.now = when("00:01") + i * SPAN_MIN;
        assert_int_equal(turn_try(a, &err), RC_UNKNOWN);
        turn(b);
        node_open(a);
        engine_attach(a->engine, a->db);
        assert_int_equal(turn_try(a, &err), RC_OK);
        settle();
        assert_int_equal(world.call_count, i + 1);
        end_now(&world.calls[i], OUTCOME_SUCCEEDED);
    }
    /* Committed: its own call.  Not committed: a call of the next node. */
    assert_true(world.calls[0].node == a);
    assert_true(world.calls[1].node == b);
    assert_counts("job", "started 2");
}

/* The first node makes the call of 00:01; commands to the second must reach it. */
static struct test_node *called_by_the_other(struct test_schedule w)
{
    struct test_node *a = &world.nodes[0], *b = world_join("b");

    world.call_length = INSTANT_NEVER;
    create("job", w);
    run_to("00:00:59");
    world.now = when("00:01");
    turn(a);
    assert_calls("00:01@00:01");
    a->is_up = false; /* commands go to the first node that is up */
    world.now += SPAN_S;
    return b;
}

static void a_cancel_reaches_the_node_that_makes_the_call(void **state)
{
    (void)state;
    called_by_the_other(every(SPAN_MIN));
    assert_int_equal(submit_run(COMMAND_CANCEL, run_of("job", "00:01")).rc, RC_OK);
    world.nodes[0].is_up = true;
    run_to("00:01:03");
    assert_calls("cancel 00:01@00:01:01");
    end_now(call_of("00:01"), OUTCOME_CANCELLED);
    assert_history("job", "00:01 cancelled(user)");
}

static void a_termination_reaches_the_node_that_makes_the_call(void **state)
{
    (void)state;
    called_by_the_other(every(SPAN_MIN));
    assert_int_equal(submit_run(COMMAND_TERMINATE, run_of("job", "00:01")).rc, RC_OK);
    assert_history("job", "00:01 terminated(user)");
    world.nodes[0].is_up = true;
    world.tick = SPAN_S;
    run_to("00:01:05");
    assert_true(call_of("00:01")->is_terminated);
}

/* The node that makes the call has the run in its cache as open, and must read it. */
static void the_success_of_a_call_whose_run_was_terminated_is_stale(void **state)
{
    struct call late;

    (void)state;
    called_by_the_other(every(SPAN_MIN));
    late = *call_of("00:01");
    assert_int_equal(submit_run(COMMAND_TERMINATE, run_of("job", "00:01")).rc, RC_OK);
    world.nodes[0].is_up = true;
    assert_int_equal(report(&late, REPORT_DONE, OUTCOME_SUCCEEDED), RC_CONFLICT);
    assert_int_equal(world.events[EVENT_LEASE_STALE], 1);
    assert_history("job", "00:01 terminated(user)");
    assert_int_equal(cursor_of("job").open, 0);
}

/* The slot falls due at one node while the other makes the call that the new run replaces. */
static void overlap_reaches_the_node_that_makes_the_call(void **state)
{
    struct test_node *b;

    (void)state;
    b = called_by_the_other(overlapping(every(SPAN_MIN), OVERLAP_CANCEL_OTHER));
    world.now = when("00:02");
    turn(b);
    world.nodes[0].is_up = true;
    run_to("00:02:01");
    assert_calls("cancel 00:01@00:02");
    end_now(call_of("00:01"), OUTCOME_CANCELLED);
    assert_calls("00:02@00:02:01");
    assert_history("job", "00:01 cancelled(other)");
}

/* Another session holds the schedule: the turn does not wait, and the slot starts later. */
static void a_schedule_locked_by_another_session_starts_later(void **state)
{
    struct test_node *a = &world.nodes[0], *b = world_join("b");
    struct command commands[2];
    struct turn_in in = {.rows = TURN_ROWS_MAX, .commands = commands, .command_count = 2};
    struct db_result row = {0};
    struct turn_out out;
    struct err err = {.text = ""};

    (void)state;
    create("held", every(SPAN_MIN));
    create("free", every(SPAN_MIN));
    db_begin(b->db);
    cursors_lock(b->db, cursor_of("held").id, &row);
    assert_int_equal(db_flush(b->db, world.arena, &err), RC_OK);
    assert_int_equal(row.rows, 1);
    commands[0] = command_for(COMMAND_PAUSE, "held");
    commands[1] = command_for(COMMAND_PAUSE, "free");
    in.now = when("00:01");
    in.capacity[LANE_HTTP] = 10;
    assert_int_equal(engine_turn(a->engine, &in, &out, &err), RC_OK);
    assert_int_equal(out.replies[0].rc, RC_BUSY);
    assert_int_equal(out.replies[1].rc, RC_OK);
    db_rollback(b->db);
    a->last_event = 0; /* the harness did not see those of that turn */
    run_to("00:01:10");
    assert_int_equal(count_calls(), 1);
    assert_counts("held", "started 1");
}

/*
 * Another session holds the row of a limited queue: no run is claimed; the engine retries
 * soon.
 */
static void a_limited_queue_locked_by_another_session_is_retried_soon(void **state)
{
    struct test_node *a = &world.nodes[0], *b = world_join("b");
    struct command limit = command_for(COMMAND_QUEUE_LIMIT, "q");
    struct poll poll = {.tag = 1, .queue_count = 1, .max = 1, .worker = STR("one")};
    struct turn_in in = {.rows = TURN_ROWS_MAX, .polls = &poll, .poll_count = 1};
    struct db_result row = {0};
    struct turn_out out;
    struct err err = {.text = ""};

    (void)state;
    limit.limit = 1;
    assert_int_equal(submit(&limit).rc, RC_OK);
    create("job", pulled(every(SPAN_MIN)));
    poll.queues[0] = queue_of("q");
    db_begin(b->db);
    queues_lock(b->db, queue_of("q"), &row);
    assert_int_equal(db_flush(b->db, world.arena, &err), RC_OK);
    in.now = when("00:01");
    in.commands = &limit;
    in.command_count = 1;
    assert_int_equal(engine_turn(a->engine, &in, &out, &err), RC_OK);
    assert_int_equal(out.replies[0].rc, RC_BUSY);
    assert_int_equal(out.grant_count, 0);
    assert_true(out.wake_at > in.now && out.wake_at <= in.now + 100 * SPAN_MS);
    db_rollback(b->db);
    in.now = out.wake_at;
    in.command_count = 0;
    assert_int_equal(engine_turn(a->engine, &in, &out, &err), RC_OK);
    assert_int_equal(out.grant_count, 1);
    assert_true(out.wake_at > in.now + SPAN_S);
}

/* ---- both at the same time ---- */

static int count_of_slot(int64_t schedule, instant slot)
{
    int count = 0;

    for (int i = 0; i < gathered.count; i++)
        count += gathered.list[i].schedule == schedule && gathered.list[i].slot == slot;
    return count;
}

static void row_77_two_processes_start_each_slot_once(void **state)
{
    struct processes processes = {.steps = STEPS};
    char name[16];

    (void)state;
    create_jobs(JOBS, overlapping(every(SPAN_S), OVERLAP_ALLOW_ALL));
    processes_run(&processes);
    for (int i = 0; i < JOBS; i++) {
        name_job(name, i);
        for (int s = 1; s <= SECONDS; s++)
            assert_int_equal(count_of_slot(cursor_of(name).id, world.base + s * SPAN_S), 1);
        assert_int_equal(cursor_of(name).started, SECONDS);
    }
    assert_int_equal(gathered.count, JOBS * SECONDS);
    assert_true(gathered.per_process[0] > 0 && gathered.per_process[1] > 0);
}

/* Runs of 1.5 seconds with slots every second: the next slot is always skipped. */
static void keep_for_six_steps(void)
{
    world.call_length = 6 * STEP;
}

/* Runs of half a second; only both nodes together fill the gate. */
static void keep_for_two_steps(void)
{
    world.call_length = 2 * STEP;
    world.capacity = GATE - 1;
}

static bool is_overlap(const struct handed *x, const struct handed *y)
{
    return x->schedule == y->schedule && x->at < y->ended_at && y->at < x->ended_at;
}

static void two_processes_start_no_overlapping_run_under_skip(void **state)
{
    struct processes processes = {.steps = STEPS, .before = keep_for_six_steps};
    char name[16];

    (void)state;
    create_jobs(JOBS, overlapping(every(SPAN_S), OVERLAP_SKIP));
    processes_run(&processes);
    assert_true(gathered.per_process[0] > 0 && gathered.per_process[1] > 0);
    for (int i = 0; i < gathered.count; i++)
        for (int j = 0; j < i; j++)
            assert_false(is_overlap(&gathered.list[i], &gathered.list[j]));
    for (int i = 0; i < JOBS; i++) {
        name_job(name, i);
        assert_int_equal(cursor_of(name).started + cursor_of(name).skipped, SECONDS);
        assert_in_range(cursor_of(name).started, SECONDS / 3, SECONDS / 2);
    }
}

static void row_98_two_processes_claim_each_run_once(void **state)
{
    struct processes processes = {.steps = STEPS, .polls = JOBS / 2, .polls_wait = true};
    char name[16];

    (void)state;
    create_jobs(JOBS, pulled(overlapping(every(SPAN_S), OVERLAP_ALLOW_ALL)));
    processes_run(&processes);
    assert_int_equal(gathered.per_process[0], STEPS / 6 * (JOBS / 2));
    assert_int_equal(gathered.per_process[1], STEPS / 6 * (JOBS / 2));
    for (int i = 0; i < gathered.count; i++)
        assert_int_equal(count_of_slot(gathered.list[i].schedule, gathered.list[i].slot), 1);
    for (int i = 0; i < JOBS; i++) {
        name_job(name, i);
        assert_int_equal(cursor_of(name).started, SECONDS);
    }
}

static struct gate gate_of(const char *name)
{
    struct db *db = world.nodes[0].db;
    struct db_result found = {0}, row = {0};
    struct gate gate;
    struct err err;

    gates_find(db, world.namespace, str_of(name), &found);
    assert_int_equal(db_flush(db, world.arena, &err), RC_OK);
    gates_lock(db, db_int_at(&found, 0, 0), &row);
    assert_int_equal(db_flush(db, world.arena, &err), RC_OK);
    gates_read(&row, 0, &gate);
    return gate;
}

static void the_limit_of_a_gate_holds_across_nodes(void **state)
{
    struct processes processes = {.steps = STEPS, .before = keep_for_two_steps};
    struct test_schedule w = overlapping(every(SPAN_S), OVERLAP_SKIP);

    (void)state;
    w.draft.plan.policies.gate = STR("db");
    w.draft.plan.policies.gate_limit = GATE;
    create_jobs(JOBS, w);
    processes_run(&processes);
    assert_true(gathered.per_process[0] > 0 && gathered.per_process[1] > 0);
    assert_int_equal(most_open(STEPS), GATE);
    /* Three at a time, half a second each, from the first second on, without idle time. */
    assert_true(gathered.count >= (SECONDS - 1) * 2 * GATE * 8 / 10);
    assert_true(gate_of("db").open <= GATE);
    world.call_length = 0;
    world.tick = SPAN_S;
    run_until(world.now + 20 * SPAN_S); /* runs of the ended processes are taken over */
    assert_int_equal(gate_of("db").most, GATE);
    assert_int_equal(gate_of("db").open, calls_open());
}

/* The gate is empty, and workers at both nodes poll for its full limit at the same time. */
static void the_limit_of_a_gate_holds_when_both_nodes_are_polled_at_once(void **state)
{
    struct processes processes = {.steps = STEPS, .polls = GATE, .before = keep_for_two_steps};
    struct test_schedule w = pulled(overlapping(every(SPAN_S), OVERLAP_SKIP));

    (void)state;
    w.draft.plan.policies.gate = STR("db");
    w.draft.plan.policies.gate_limit = GATE;
    create_jobs(JOBS / 5, w);
    processes_run(&processes);
    assert_int_equal(most_open(STEPS), GATE);
    assert_int_equal(gathered.count, STEPS / 6 * GATE);
    assert_true(gate_of("db").open <= GATE);
}

static void keep_for_two_steps_of_workers(void)
{
    world.call_length = 2 * STEP;
}

/* A queue with a limit that the workers of one node cannot fill; both poll at the same time. */
static void the_limit_of_a_queue_holds_when_both_nodes_are_polled_at_once(void **state)
{
    struct processes processes = {
        .steps = STEPS, .polls = LIMIT - 1, .before = keep_for_two_steps_of_workers};
    struct command command = command_for(COMMAND_QUEUE_LIMIT, "q");

    (void)state;
    command.limit = LIMIT;
    assert_int_equal(submit(&command).rc, RC_OK);
    create_jobs(JOBS / 5, pulled(overlapping(every(SPAN_S), OVERLAP_SKIP)));
    processes_run(&processes);
    assert_true(gathered.per_process[0] > 0 && gathered.per_process[1] > 0);
    assert_int_equal(most_open(STEPS), LIMIT);
    assert_true(gathered.count <= STEPS / 6 * LIMIT);
}

/* Two writers of each name: both succeed, and there is one row. */
static void put_names(void)
{
    char name[16];

    for (int i = 0; i < JOBS; i++) {
        struct test_schedule w = every(SPAN_H);
        struct command command;
        struct reply reply;

        name_job(name, i);
        command = command_for(COMMAND_PUT, name);
        command.save.draft = draft_of(&w);
        reply = submit(&command);
        if (reply.rc != RC_OK)
            fail_test("%s: %s: %.*s", name, rc_name(reply.rc), STR_ARG(reply.text));
    }
}

static void row_131_concurrent_writes_of_the_same_names(void **state)
{
    struct processes processes = {.steps = 4, .before = put_names};
    char name[16];

    (void)state;
    processes_run(&processes);
    for (int i = 0; i < JOBS; i++) {
        struct test_schedule w = every(SPAN_H);

        name_job(name, i);
        assert_int_equal(update(name, 2, w).rc, RC_OK); /* each name was written twice */
    }
    run_until(when("01:00"));
    assert_int_equal(count_calls(), JOBS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(no_double_start_under_skip),
        TIMELINE(row_112_work_continues_when_a_node_dies),
        TIMELINE(the_events_of_a_node_that_never_returns_are_pruned),
        TIMELINE(the_audit_of_a_node_that_never_returns_is_pruned),
        TIMELINE(a_stale_report_is_refused_with_an_event),
        TIMELINE(a_worker_may_report_to_the_other_node),
        TIMELINE(the_node_row_shows_whether_a_commit_in_doubt_succeeded),
        TIMELINE(a_cancel_reaches_the_node_that_makes_the_call),
        TIMELINE(a_termination_reaches_the_node_that_makes_the_call),
        TIMELINE(the_success_of_a_call_whose_run_was_terminated_is_stale),
        TIMELINE(overlap_reaches_the_node_that_makes_the_call),
        TIMELINE(a_schedule_locked_by_another_session_starts_later),
        TIMELINE(a_limited_queue_locked_by_another_session_is_retried_soon),
        TIMELINE(row_77_two_processes_start_each_slot_once),
        TIMELINE(two_processes_start_no_overlapping_run_under_skip),
        TIMELINE(row_98_two_processes_claim_each_run_once),
        TIMELINE(the_limit_of_a_gate_holds_across_nodes),
        TIMELINE(the_limit_of_a_gate_holds_when_both_nodes_are_polled_at_once),
        TIMELINE(the_limit_of_a_queue_holds_when_both_nodes_are_polled_at_once),
        TIMELINE(row_131_concurrent_writes_of_the_same_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
