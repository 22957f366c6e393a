/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues with a limit of runs that workers may hold at once.
 */
#include "harness.h"

enum { BEYOND = 1030 }; /* more than RESTRICTED_QUEUES_MAX of engine_memory.h */

static struct reply limit_of(const char *queue, int64_t most)
{
    struct command command = command_for(COMMAND_QUEUE_LIMIT, queue);

    command.limit = most;
    return submit(&command);
}

static void limit(const char *queue, int64_t most)
{
    struct reply reply = limit_of(queue, most);

    assert_int_equal(reply.rc, RC_OK);
    assert_int_equal(reply.schedule, queue_of(queue));
}

static void pause_queue(enum command_kind kind)
{
    struct command command = command_for(kind, "");

    command.key = queue_of("q");
    assert_int_equal(submit(&command).rc, RC_OK);
}

/* Four hourly jobs of the queue "q", whose runs continue until a test ends them. */
static void create_four(void)
{
    world.length = INSTANT_NEVER;
    world.names = true;
    for (char name[] = "a"; *name <= 'd'; ++*name)
        create(name, pulled(every(SPAN_H)));
}

static void end_first_open(enum outcome outcome)
{
    for (int i = 0; i < world.dispatch_count; i++)
        if (world.dispatches[i].is_open) {
            end_now(&world.dispatches[i], outcome);
            return;
        }
    fail();
}

static void one_run_is_out_however_many_workers_wait(void **state)
{
    (void)state;
    create_four();
    limit("q", 1);
    poll_for("q", 5, "one");
    poll_for("q", 5, "two");
    run_to("01:00:30");
    assert_calls("a 01:00@01:00");
    assert_int_equal(calls_open(), 1);
}

/* In the same turn, not with the periodic work of the next second. */
static void the_end_of_one_lets_out_the_next_at_once(void **state)
{
    (void)state;
    create_four();
    limit("q", 1);
    poll_for("q", 5, "one");
    run_to("01:00:30.100");
    assert_calls("a 01:00@01:00");
    end_first_open(OUTCOME_SUCCEEDED);
    assert_calls("b 01:00@01:00:30.100");
    end_first_open(OUTCOME_FAILED);
    assert_calls("c 01:00@01:00:30.100");
    assert_int_equal(calls_open(), 1);
}

static void what_is_handed_back_makes_room_at_once(void **state)
{
    (void)state;
    create_four();
    limit("q", 1);
    poll_for("q", 5, "one");
    run_to("01:00:30.100");
    assert_calls("a 01:00@01:00");
    assert_int_equal(report(call_of("01:00"), REPORT_RELEASE, 0), RC_OK);
    assert_calls("a 01:00@01:00:30.100"); /* it ranks first again */
    assert_int_equal(calls_open(), 2);    /* the harness still counts the released one */
}

static void what_is_terminated_makes_room_at_once(void **state)
{
    (void)state;
    create_four();
    limit("q", 1);
    poll_for("q", 5, "one");
    run_to("01:00:30.100");
    assert_calls("a 01:00@01:00");
    assert_int_equal(submit_run(COMMAND_TERMINATE, run_of("a", "01:00")).rc, RC_OK);
    assert_calls("b 01:00@01:00:30.100");
}

/* After a lease of 90 seconds and 30 of grace the run is lost and ready again. */
static void a_worker_that_is_lost_makes_room(void **state)
{
    (void)state;
    create_four();
    limit("q", 1);
    poll_for("q", 1, "one");
    poll_for("q", 1, "two");
    world.tick = SPAN_S; /* a node that was silent itself waits longer */
    run_to("01:01:59");
    assert_calls("a 01:00@01:00");
    run_to("01:02:01");
    assert_calls("a 01:00#2@01:02");
}

static void a_limit_that_is_raised_counts_at_once(void **state)
{
    (void)state;
    create_four();
    limit("q", 1);
    poll_for("q", 5, "one");
    run_to("01:00:30.100");
    assert_calls("a 01:00@01:00");
    limit("q", 3);
    assert_calls("b 01:00@01:00:30.100, c 01:00@01:00:30.100");
}

static void a_limit_that_is_lowered_takes_nothing_away(void **state)
{
    (void)state;
    create_four();
    limit("q", 3);
    poll_for("q", 5, "one");
    run_to("01:00:30.100");
    assert_calls("a 01:00@01:00, b 01:00@01:00, c 01:00@01:00");
    limit("q", 1);
    run_to("01:00:40.100");
    assert_int_equal(calls_open(), 3);
    end_first_open(OUTCOME_SUCCEEDED);
    end_first_open(OUTCOME_SUCCEEDED);
    assert_calls(""); /* one is claimed, which is the limit */
    end_first_open(OUTCOME_SUCCEEDED);
    assert_calls("d 01:00@01:00:40.100");
}

static void a_limit_that_is_removed_is_none(void **state)
{
    (void)state;
    create_four();
    limit("q", 1);
    poll_for("q", 5, "one");
    run_to("01:00:30.100");
    assert_calls("a 01:00@01:00");
    limit("q", 0);
    assert_calls("b 01:00@01:00:30.100, c 01:00@01:00:30.100, d 01:00@01:00:30.100");
}

/* Runs that were claimed before the limit was set count, too. */
static void a_limit_counts_from_the_turn_that_sets_it(void **state)
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

static void a_limit_holds_only_its_own_queue(void **state)
{
    struct wish other = pulled(every(SPAN_H));

    (void)state;
    create_four();
    other.draft.queue = STR("other");
    create("e", other);
    create("f", other);
    limit("q", 1);
    poll_for("q", 5, "one");
    poll_for("other", 5, "two");
    run_to("01:00:10");
    assert_int_equal(count_calls(), 3);
}

static void a_queue_that_is_paused_gives_out_nothing_below_its_limit(void **state)
{
    (void)state;
    create_four();
    limit("q", 2);
    pause_queue(COMMAND_QUEUE_PAUSE);
    poll_for("q", 5, "one");
    run_to("01:00:30");
    assert_calls("");
    pause_queue(COMMAND_QUEUE_RESUME);
    run_to("01:00:32");
    assert_int_equal(calls_open(), 2);
}

/* With a gate of one: a run that waits for the gate does not count for the queue's limit. */
static void what_waits_for_a_gate_takes_no_place_of_the_queue(void **state)
{
    struct wish gated = pulled(every(SPAN_H));

    (void)state;
    world.length = INSTANT_NEVER;
    world.names = true;
    gated.draft.plan.policies.gate = STR("db");
    gated.draft.plan.policies.gate_limit = 1;
    create("a", gated);
    create("b", gated);
    create("c", pulled(every(SPAN_H)));
    create("d", pulled(every(SPAN_H)));
    limit("q", 2);
    poll_for("q", 5, "one");
    run_to("01:00:10");
    assert_calls("a 01:00@01:00, c 01:00@01:00");
}

static void the_best_rank_goes_first(void **state)
{
    struct wish urgent = pulled(every(SPAN_H));

    (void)state;
    create_four();
    urgent.draft.plan.policies.priority = 9;
    create("urgent", urgent);
    limit("q", 1);
    poll_for("q", 5, "one");
    run_to("01:00:10.100");
    assert_calls("urgent 01:00@01:00");
    end_first_open(OUTCOME_SUCCEEDED);
    assert_calls("a 01:00@01:00:10.100");
}

static void a_limit_outlives_the_engine(void **state)
{
    (void)state;
    create_four();
    limit("q", 1);
    poll_for("q", 5, "one");
    run_to("00:59");
    node_kill(&world.nodes[0]);
    node_boot(&world.nodes[0]);
    run_to("01:00:10");
    assert_calls("a 01:00@01:00");
}

/* For queues that are not in the full list the rows are read: limits hold, others have none. */
static void limits_hold_beyond_what_is_remembered(void **state)
{
    struct wish free = pulled(every(SPAN_H));
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
    limit("q", 1);
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
        TIMELINE(one_run_is_out_however_many_workers_wait),
        TIMELINE(the_end_of_one_lets_out_the_next_at_once),
        TIMELINE(what_is_handed_back_makes_room_at_once),
        TIMELINE(what_is_terminated_makes_room_at_once),
        TIMELINE(a_worker_that_is_lost_makes_room),
        TIMELINE(a_limit_that_is_raised_counts_at_once),
        TIMELINE(a_limit_that_is_lowered_takes_nothing_away),
        TIMELINE(a_limit_that_is_removed_is_none),
        TIMELINE(a_limit_counts_from_the_turn_that_sets_it),
        TIMELINE(a_limit_holds_only_its_own_queue),
        TIMELINE(a_queue_that_is_paused_gives_out_nothing_below_its_limit),
        TIMELINE(what_waits_for_a_gate_takes_no_place_of_the_queue),
        TIMELINE(the_best_rank_goes_first),
        TIMELINE(a_limit_outlives_the_engine),
        TIMELINE(limits_hold_beyond_what_is_remembered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
