/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues with a limit of runs that workers may hold at once.
 */
#include "harness.h"

enum { BEYOND = 1030 }; /* more than RESTRICTED_QUEUES_MAX of engine_memory.h */

static struct reply try_limit(const char *queue, int64_t most)
{
    struct command command = command_for(COMMAND_QUEUE_LIMIT, queue);

    command.limit = most;
    return submit(&command);
}

static void set_limit(const char *queue, int64_t most)
{
    struct reply reply = try_limit(queue, most);

    assert_int_equal(reply.rc, RC_OK);
    assert_int_equal(reply.schedule, queue_of(queue));
}

static void command_queue(enum command_kind kind)
{
    struct command command = command_for(kind, "");

    command.key = queue_of("q");
    assert_int_equal(submit(&command).rc, RC_OK);
}

/* Four hourly jobs of the queue "q", whose runs continue until a test ends them. */
static void create_four(void)
{
    world.call_length = INSTANT_NEVER;
    world.shows_names = true;
    for (char name[] = "a"; *name <= 'd'; ++*name)
        create(name, pulled(every(SPAN_H)));
}

static void end_first_open(enum outcome outcome)
{
    for (int i = 0; i < world.call_count; i++)
        if (world.calls[i].is_open) {
            end_now(&world.calls[i], outcome);
            return;
        }
    fail();
}

static void one_run_is_claimed_although_two_workers_wait(void **state)
{
    (void)state;
    create_four();
    set_limit("q", 1);
    poll_for("q", 5, "one");
    poll_for("q", 5, "two");
    run_to("01:00:30");
    assert_calls("a 01:00@01:00");
    assert_int_equal(calls_open(), 1);
}

/* In the same turn, not with the periodic work of the next second. */
static void the_end_of_a_run_frees_its_place_in_the_same_turn(void **state)
{
    (void)state;
    create_four();
    set_limit("q", 1);
    poll_for("q", 5, "one");
    run_to("01:00:30.100");
    assert_calls("a 01:00@01:00");
    end_first_open(OUTCOME_SUCCEEDED);
    assert_calls("b 01:00@01:00:30.100");
    end_first_open(OUTCOME_FAILED);
    assert_calls("c 01:00@01:00:30.100");
    assert_int_equal(calls_open(), 1);
}

static void a_released_run_frees_its_place_in_the_same_turn(void **state)
{
    (void)state;
    create_four();
    set_limit("q", 1);
    poll_for("q", 5, "one");
    run_to("01:00:30.100");
    assert_calls("a 01:00@01:00");
    assert_int_equal(report(call_of("01:00"), REPORT_RELEASE, 0), RC_OK);
    assert_calls("a 01:00@01:00:30.100"); /* it ranks first again */
    assert_int_equal(calls_open(), 2);    /* the harness still counts the released one */
}

static void a_terminated_run_frees_its_place_in_the_same_turn(void **state)
{
    (void)state;
    create_four();
    set_limit("q", 1);
    poll_for("q", 5, "one");
    run_to("01:00:30.100");
    assert_calls("a 01:00@01:00");
    assert_int_equal(submit_run(COMMAND_TERMINATE, run_of("a", "01:00")).rc, RC_OK);
    assert_calls("b 01:00@01:00:30.100");
}

/* After a lease of 90 seconds and 30 of grace the run is lost and ready again. */
static void the_run_of_a_lost_worker_frees_its_place(void **state)
{
    (void)state;
    create_four();
    set_limit("q", 1);
    poll_for("q", 1, "one");
    poll_for("q", 1, "two");
    world.tick = SPAN_S; /* a node that was silent itself waits longer */
    run_to("01:01:59");
    assert_calls("a 01:00@01:00");
    run_to("01:02:01");
    assert_calls("a 01:00#2@01:02");
}

static void a_raised_limit_takes_effect_at_once(void **state)
{
    (void)state;
    create_four();
    set_limit("q", 1);
    poll_for("q", 5, "one");
    run_to("01:00:30.100");
    assert_calls("a 01:00@01:00");
    set_limit("q", 3);
    assert_calls("b 01:00@01:00:30.100, c 01:00@01:00:30.100");
}

static void a_lowered_limit_does_not_stop_claimed_runs(void **state)
{
    (void)state;
    create_four();
    set_limit("q", 3);
    poll_for("q", 5, "one");
    run_to("01:00:30.100");
    assert_calls("a 01:00@01:00, b 01:00@01:00, c 01:00@01:00");
    set_limit("q", 1);
    run_to("01:00:40.100");
    assert_int_equal(calls_open(), 3);
    end_first_open(OUTCOME_SUCCEEDED);
    end_first_open(OUTCOME_SUCCEEDED);
    assert_calls(""); /* one is claimed, which is the limit */
    end_first_open(OUTCOME_SUCCEEDED);
    assert_calls("d 01:00@01:00:40.100");
}

static void a_removed_limit_frees_all_ready_runs(void **state)
{
    (void)state;
    create_four();
    set_limit("q", 1);
    poll_for("q", 5, "one");
    run_to("01:00:30.100");
    assert_calls("a 01:00@01:00");
    set_limit("q", 0);
    assert_calls("b 01:00@01:00:30.100, c 01:00@01:00:30.100, d 01:00@01:00:30.100");
}

/* Runs that were claimed before the limit was set count, too. */
static void a_limit_takes_effect_in_the_turn_that_sets_it(void **state)
{
    struct command commands[2];
    enum rc answers[2];

    (void)state;
    create_four();
    (void)queue_of("q");
    poll_for("q", 5, "one");
    commands[0] = command_for(COMMAND_QUEUE_LIMIT, "q");
    commands[0].limit = 1;
    commands[1] = command_for(COMMAND_TRIGGER, "a");
    run_to("00:10:00.100");
    submit_together(commands, 2, answers);
    assert_int_equal(answers[0], RC_OK);
    assert_int_equal(answers[1], RC_OK);
    assert_int_equal(calls_open(), 1);
    (void)trigger("b", OVERLAP_DEFAULT);
    run_to("00:10:10");
    assert_int_equal(calls_open(), 1);
}

static void a_limit_does_not_affect_other_queues(void **state)
{
    struct test_schedule other = pulled(every(SPAN_H));

    (void)state;
    create_four();
    other.draft.queue = STR("other");
    create("e", other);
    create("f", other);
    set_limit("q", 1);
    poll_for("q", 5, "one");
    poll_for("other", 5, "two");
    run_to("01:00:10");
    assert_int_equal(count_calls(), 3);
}

static void a_paused_queue_gives_out_no_run_below_its_limit(void **state)
{
    (void)state;
    create_four();
    set_limit("q", 2);
    command_queue(COMMAND_QUEUE_PAUSE);
    poll_for("q", 5, "one");
    run_to("01:00:30");
    assert_calls("");
    command_queue(COMMAND_QUEUE_RESUME);
    run_to("01:00:32");
    assert_int_equal(calls_open(), 2);
}

/* With a gate of one: a run that waits for the gate does not count for the queue's limit. */
static void a_run_that_waits_for_a_gate_does_not_count_for_the_queue(void **state)
{
    struct test_schedule gated = pulled(every(SPAN_H));

    (void)state;
    world.call_length = INSTANT_NEVER;
    world.shows_names = true;
    gated.draft.plan.policies.gate = STR("db");
    gated.draft.plan.policies.gate_limit = 1;
    create("a", gated);
    create("b", gated);
    create("c", pulled(every(SPAN_H)));
    create("d", pulled(every(SPAN_H)));
    set_limit("q", 2);
    poll_for("q", 5, "one");
    run_to("01:00:10");
    assert_calls("a 01:00@01:00, c 01:00@01:00");
}

static void the_best_rank_goes_first(void **state)
{
    struct test_schedule urgent = pulled(every(SPAN_H));

    (void)state;
    create_four();
    urgent.draft.plan.policies.priority = 9;
    create("urgent", urgent);
    set_limit("q", 1);
    poll_for("q", 5, "one");
    run_to("01:00:10.100");
    assert_calls("urgent 01:00@01:00");
    end_first_open(OUTCOME_SUCCEEDED);
    assert_calls("a 01:00@01:00:10.100");
}

static void a_limit_stays_after_a_restart(void **state)
{
    (void)state;
    create_four();
    set_limit("q", 1);
    poll_for("q", 5, "one");
    run_to("00:59");
    node_kill(&world.nodes[0]);
    node_boot(&world.nodes[0]);
    run_to("01:00:10");
    assert_calls("a 01:00@01:00");
}

/* The cache is full, so the engine reads the rows of these queues; one of them has a limit. */
static void limits_apply_to_more_queues_than_the_cache_holds(void **state)
{
    struct test_schedule free = pulled(every(SPAN_H));
    char name[16];

    (void)state;
    for (int i = 0; i < BEYOND; i++) {
        struct command command;

        snprintf(name, sizeof name, "l%d", i);
        command = command_for(COMMAND_QUEUE_LIMIT, name);
        command.limit = 1;
        assert_int_equal(submit(&command).rc, RC_OK);
    }
    create_four();
    set_limit("q", 1);
    free.draft.queue = STR("free");
    create("e", free);
    create("f", free);
    poll_for("q", 5, "one");
    poll_for("free", 5, "two");
    run_to("01:00:10");
    assert_calls("a 01:00@01:00, e 01:00@01:00, f 01:00@01:00");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(one_run_is_claimed_although_two_workers_wait),
        TIMELINE(the_end_of_a_run_frees_its_place_in_the_same_turn),
        TIMELINE(a_released_run_frees_its_place_in_the_same_turn),
        TIMELINE(a_terminated_run_frees_its_place_in_the_same_turn),
        TIMELINE(the_run_of_a_lost_worker_frees_its_place),
        TIMELINE(a_raised_limit_takes_effect_at_once),
        TIMELINE(a_lowered_limit_does_not_stop_claimed_runs),
        TIMELINE(a_removed_limit_frees_all_ready_runs),
        TIMELINE(a_limit_takes_effect_in_the_turn_that_sets_it),
        TIMELINE(a_limit_does_not_affect_other_queues),
        TIMELINE(a_paused_queue_gives_out_no_run_below_its_limit),
        TIMELINE(a_run_that_waits_for_a_gate_does_not_count_for_the_queue),
        TIMELINE(the_best_rank_goes_first),
        TIMELINE(a_limit_stays_after_a_restart),
        TIMELINE(limits_apply_to_more_queues_than_the_cache_holds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
