/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting workers: which worker gets which run, when there are many of both.
 */
#include "harness.h"

enum {
    MANY_QUEUES = 300,
    MANY_POLLS = 20,
    PERIODS = 6,
    LARGE = 255 * 1024, /* bytes of an input        */
    LARGE_COUNT = 80,   /* more than a result holds */
};

static void create_jobs(int count)
{
    for (int i = 0; i < count; i++) {
        struct test_schedule w = pulled(every(SPAN_H));
        char name[16];

        snprintf(name, sizeof name, "job-%d", i);
        w.draft.plan.policies.priority = 1 + i % 10;
        create(name, w);
    }
}

static int granted_to(const char *worker)
{
    int count = 0;

    for (int i = 0; i < world.call_count; i++)
        count += strcmp(world.calls[i].work.run.worker.ptr, worker) == 0;
    return count;
}

static void assert_in_order_of_rank(void)
{
    for (int i = 1; i < world.call_count; i++)
        assert_true(world.calls[i - 1].work.run.rank <= world.calls[i].work.run.rank);
}

static void command_queue(enum command_kind kind)
{
    struct command command = command_for(kind, "");

    command.key = queue_of("q");
    assert_int_equal(submit(&command).rc, RC_OK);
}

/* Each of them has room for all runs. */
static void waiting_workers_share_runs_that_become_ready(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create_jobs(10);
    poll_for("q", 1000, "one");
    poll_for("q", 1000, "two");
    poll_for("q", 1, "three");
    run_to("01:00");
    assert_int_equal(world.call_count, 10);
    assert_int_equal(granted_to("one"), 5);
    assert_int_equal(granted_to("two"), 4);
    assert_int_equal(granted_to("three"), 1);
    assert_in_order_of_rank();
    assert_string_equal(world.calls[0].work.run.worker.ptr, "one");
    assert_string_equal(world.calls[1].work.run.worker.ptr, "two");
    assert_string_equal(world.calls[2].work.run.worker.ptr, "three");
    assert_string_equal(world.calls[3].work.run.worker.ptr, "one");
}

static void waiting_workers_share_runs_that_were_ready_before(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create_jobs(10);
    command_queue(COMMAND_QUEUE_PAUSE);
    poll_for("q", 1000, "one");
    poll_for("q", 1000, "two");
    run_to("01:00:10");
    assert_calls("");
    command_queue(COMMAND_QUEUE_RESUME);
    run_to("01:00:12");
    assert_int_equal(world.call_count, 10);
    assert_int_equal(granted_to("one"), 5);
    assert_int_equal(granted_to("two"), 5);
    assert_in_order_of_rank();
}

/*
 * A turn has 64 rows; the worker has room for all runs and need not wait for the next second.
 */
static void a_worker_gets_more_runs_at_once_than_one_turn_reads(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create_jobs(1);
    backfill("job-0", "2022-05-01T00:00:00Z", "2022-05-09T07:00:00Z", OVERLAP_ALLOW_ALL);
    assert_int_equal(cursor_of("job-0").open, 200);
    world.rows = TURN_ROWS_MIN;
    poll_for("q", 1000, "one");
    assert_int_equal(world.call_count, 200);
    assert_in_order_of_rank();
}

/* It asks for one run, from either queue. */
static void a_worker_of_two_queues_gets_no_more_than_it_asked_for(void **state)
{
    struct test_schedule other = pulled(every(SPAN_H));
    struct poll poll = {.tag = 1, .queue_count = 2, .max = 1, .worker = STR("one")};
    struct turn_in in = {.rows = TURN_ROWS_MIN, .polls = &poll, .poll_count = 1};
    struct turn_out out;
    struct err err;

    (void)state;
    other.draft.queue = STR("other");
    create("a", pulled(every(SPAN_H)));
    create("b", other);
    poll.queues[0] = queue_of("q");
    poll.queues[1] = queue_of("other");
    poll.is_new = true;
    run_to("01:00");
    in.now = world.now;
    assert_int_equal(engine_turn(world.nodes[0].engine, &in, &out, &err), RC_OK);
    assert_int_equal(out.grant_count, 1);
    assert_int_equal(engine_turn(world.nodes[0].engine, &in, &out, &err), RC_OK);
    assert_int_equal(out.grant_count, 1);
    assert_int_equal(engine_turn(world.nodes[0].engine, &in, &out, &err), RC_OK);
    assert_int_equal(out.grant_count, 0);
}

/* Five runs are ready when five more become ready; each five have priorities 1, 3, 5, 7, 9. */
static void create_two_fives(const char *gate)
{
    for (int i = 0; i < 10; i++) {
        struct test_schedule w = pulled(once(i < 5 ? "01:59:50" : "02:00"));
        char name[16];

        snprintf(name, sizeof name, "five-%d", i);
        w.draft.plan.policies.priority = 1 + i % 5 * 2;
        w.draft.plan.policies.gate = i < 5 ? STR("") : str_of(gate);
        w.draft.plan.policies.gate_limit = 10;
        create(name, w);
    }
    run_to("01:59:59");
    assert_calls("");
}

/* A worker with room for seven polls in the turn that creates the second five. */
static void assert_seven_best(void)
{
    struct poll poll = {.queue_count = 1, .max = 7, .worker = STR("one"), .is_new = true};
    struct turn_in in = {.now = when("02:00"), .rows = 64, .polls = &poll, .poll_count = 1};
    struct turn_out out;
    struct err err;

    poll.queues[0] = queue_of("q");
    assert_int_equal(engine_turn(world.nodes[0].engine, &in, &out, &err), RC_OK);
    assert_int_equal(out.grant_count, 7);
    for (int i = 0; i < 7; i++) { /* of the same priority, the older ranks first */
        assert_int_equal(out.grants[i].run.priority, 9 - i / 2 * 2);
        assert_int_equal(out.grants[i].run.due, when(i % 2 == 0 ? "01:59:50" : "02:00"));
    }
    in.now += SPAN_MS;
    assert_int_equal(engine_turn(world.nodes[0].engine, &in, &out, &err), RC_OK);
    assert_int_equal(out.grant_count, 3);
    assert_int_equal(out.grants[0].run.due, when("02:00"));
    assert_int_equal(out.grants[1].run.due, when("01:59:50"));
    assert_int_equal(out.grants[2].run.due, when("02:00"));
}

static void new_and_older_ready_runs_are_granted_by_rank(void **state)
{
    (void)state;
    create_two_fives("");
    assert_seven_best();
}

static void a_gate_with_room_changes_no_order(void **state)
{
    (void)state;
    create_two_fives("wide");
    assert_seven_best();
}

static int64_t make_queue_with_a_run(int number)
{
    struct test_schedule w = pulled(no_slots());
    char name[16];

    snprintf(name, sizeof name, "q-%d", number);
    w.draft.queue = str_of(name);
    create(name, w);
    trigger(name, OVERLAP_DEFAULT);
    return submit_ok(COMMAND_QUEUE, name).schedule;
}

/* There are more queues than one turn searches, and no poll is new. */
static void no_queue_is_forgotten_among_many(void **state)
{
    static struct poll polls[MANY_POLLS];
    struct turn_in in = {.rows = TURN_ROWS_MAX, .polls = polls, .poll_count = MANY_POLLS};
    struct turn_out out;
    struct err err;
    int granted = 0;

    (void)state;
    for (int i = 0; i < MANY_POLLS; i++)
        polls[i] = (struct poll){.tag = (uint64_t)i, .max = POLL_RUNS_MAX, .worker = STR("w")};
    for (int i = 0; i < MANY_QUEUES; i++) {
        struct poll *poll = &polls[i % MANY_POLLS];

        poll->queues[poll->queue_count++] = make_queue_with_a_run(i);
    }
    for (int i = 0; i < PERIODS; i++) {
        world.now += SPAN_S;
        in.now = world.now;
        assert_int_equal(engine_turn(world.nodes[0].engine, &in, &out, &err), RC_OK);
        granted += out.grant_count;
    }
    assert_int_equal(granted, MANY_QUEUES);
}

static void trigger_large(const char *name, int count)
{
    static char input[LARGE];
    struct command command = command_for(COMMAND_TRIGGER, name);

    memset(input, ' ', sizeof input);
    for (int i = 0; i < count; i++) {
        snprintf(input, sizeof input, "{\"n\":%d}", i);
        input[strlen(input)] = ' ';
        command.start.input = (struct str){input, sizeof input};
        assert_int_equal(submit(&command).rc, RC_OK);
    }
}

static void assert_large_inputs(int count)
{
    assert_int_equal(world.call_count, count);
    for (int i = 0; i < count; i++) {
        char start[32];

        snprintf(start, sizeof start, "{\"n\":%d}", i);
        assert_int_equal(world.calls[i].work.run.input.len, LARGE);
        assert_true(str_starts(world.calls[i].work.run.input, str_of(start)));
    }
}

/* However large the inputs of one tenant are: turns get smaller, and all schedules continue. */
static void large_inputs_are_handed_out_a_few_at_a_time(void **state)
{
    (void)state;
    create("large", overlapping(pulled(no_slots()), OVERLAP_ALLOW_ALL));
    create("other", every(SPAN_H));
    trigger_large("large", LARGE_COUNT);
    poll_for("q", POLL_RUNS_MAX, "one");
    assert_large_inputs(LARGE_COUNT);
    run_to("01:00");
    assert_counts("other", "started 1");
    assert_counts("large", "started 80");
}

static void large_inputs_of_runs_that_wait_are_read_when_they_start(void **state)
{
    (void)state;
    world.call_length = INSTANT_NEVER;
    create("large", overlapping(no_slots(), OVERLAP_BUFFER_ALL));
    trigger_large("large", LARGE_COUNT);
    assert_counts("large", "started 1, open 1, waiting 79");
    world.call_length = 0;
    end_now(&world.calls[0], OUTCOME_SUCCEEDED);
    assert_large_inputs(LARGE_COUNT);
}

static void a_second_attempt_has_the_input_of_the_first(void **state)
{
    struct test_schedule w = no_slots();

    (void)state;
    w.draft.plan.policies.retry = (struct retry_policy){
        .attempts = 2, .backoff = BACKOFF_FIXED, .delay = SPAN_MIN, .max = SPAN_H};
    ends("00:00", "00:00", OUTCOME_FAILED);
    create("job", w);
    trigger_large("job", 1);
    run_to("00:02");
    assert_calls("t00:00@00:00, t00:00#2@00:01");
    assert_int_equal(world.calls[1].work.run.input.len, LARGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(waiting_workers_share_runs_that_become_ready),
        TIMELINE(waiting_workers_share_runs_that_were_ready_before),
        TIMELINE(a_worker_gets_more_runs_at_once_than_one_turn_reads),
        TIMELINE(a_worker_of_two_queues_gets_no_more_than_it_asked_for),
        TIMELINE(new_and_older_ready_runs_are_granted_by_rank),
        TIMELINE(a_gate_with_room_changes_no_order),
        TIMELINE(no_queue_is_forgotten_among_many),
        TIMELINE(large_inputs_are_handed_out_a_few_at_a_time),
        TIMELINE(large_inputs_of_runs_that_wait_are_read_when_they_start),
        TIMELINE(a_second_attempt_has_the_input_of_the_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
