/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connections that break in and around the commit of a turn.  The caller repeats a turn in
 * doubt with the same input: everything is done once and answered once.
 */
#include "base/prng.h"
#include "harness.h"

struct break_case {
    enum db_point at;
    enum rc rc;
};

/* Not begun, not committed, unknown whether committed, and committed without an answer. */
static const struct break_case break_cases[] = {
    {DB_BEFORE_FLUSH, RC_LOST},
    {DB_BEFORE_COMMIT, RC_LOST},
    {DB_BEFORE_COMMIT, RC_UNKNOWN},
    {DB_AFTER_COMMIT, RC_UNKNOWN},
};
enum { BREAK_CASES = sizeof break_cases / sizeof break_cases[0] };

static void arm(const struct break_case *break_case)
{
    world.nodes[0].break_at = break_case->at;
    world.nodes[0].break_with = break_case->rc;
}

static void assert_broke(int times)
{
    assert_int_equal(world.nodes[0].break_with, RC_OK);
    assert_int_equal(world.nodes[0].breaks, times);
}

static void a_create_in_doubt_is_done_once(void **state)
{
    char name[16];

    (void)state;
    for (int i = 0; i < BREAK_CASES; i++) {
        snprintf(name, sizeof name, "job-%d", i);
        arm(&break_cases[i]);
        create(name, every(SPAN_H));
        assert_broke(i + 1);
        assert_int_equal(cursor_of(name).version, 1);
    }
    assert_int_equal(world.events[EVENT_SCHEDULE_CREATED], BREAK_CASES);
    run_to("01:00");
    assert_int_equal(count_calls(), BREAK_CASES);
}

static void an_update_in_doubt_raises_the_version_once(void **state)
{
    (void)state;
    create("job", every(SPAN_H));
    for (int i = 0; i < BREAK_CASES; i++) {
        struct reply reply;

        arm(&break_cases[i]);
        reply = update("job", i + 1, every(SPAN_H));
        assert_broke(i + 1);
        assert_int_equal(reply.rc, RC_OK);
        assert_int_equal(reply.version, i + 2);
        assert_int_equal(cursor_of("job").version, i + 2);
    }
}

static void a_trigger_in_doubt_starts_one_run(void **state)
{
    (void)state;
    create("job", overlapping(every(SPAN_H), OVERLAP_ALLOW_ALL));
    for (int i = 0; i < BREAK_CASES; i++) {
        run_until(world.now + SPAN_S);
        arm(&break_cases[i]);
        trigger("job", OVERLAP_DEFAULT);
        assert_broke(i + 1);
        assert_int_equal(count_calls(), 1);
    }
    assert_counts("job", "started 4");
}

static void a_fire_in_doubt_is_one_call(void **state)
{
    (void)state;
    create("job", every(SPAN_MIN));
    for (int i = 0; i < BREAK_CASES; i++) {
        run_until(when("00:00:30") + i * SPAN_MIN);
        arm(&break_cases[i]);
        run_until(when("00:01:30") + i * SPAN_MIN);
        assert_broke(i + 1);
    }
    assert_calls("00:01@00:01, 00:02@00:02, 00:03@00:03, 00:04@00:04");
    assert_history("job", "00:01 succeeded, 00:02 succeeded, 00:03 succeeded, 00:04 succeeded");
    assert_counts("job", "started 4");
}

static void the_end_of_a_run_in_doubt_is_one_end(void **state)
{
    (void)state;
    world.call_length = 20 * SPAN_S;
    create("job", every(SPAN_MIN));
    for (int i = 0; i < BREAK_CASES; i++) {
        run_until(when("00:01:10") + i * SPAN_MIN);
        arm(&break_cases[i]);
        run_until(when("00:01:30") + i * SPAN_MIN);
        assert_broke(i + 1);
    }
    assert_history("job", "00:01 succeeded, 00:02 succeeded, 00:03 succeeded, 00:04 succeeded");
    assert_int_equal(cursor_of("job").succeeded, 4);
    assert_int_equal(world.events[EVENT_RUN_ENDED], 4);
}

static void a_grant_in_doubt_is_one_grant(void **state)
{
    (void)state;
    create("job", pulled(every(SPAN_MIN)));
    for (int i = 0; i < BREAK_CASES; i++) {
        run_until(when("00:01:10") + i * SPAN_MIN);
        (void)queue_of("q");
        arm(&break_cases[i]);
        poll_for("q", 1, "one");
        assert_broke(i + 1);
        assert_int_equal(count_calls(), 1);
    }
    assert_counts("job", "started 4");
}

/* Time passes while the connection is opened again. */
static void a_turn_in_doubt_may_be_repeated_later(void **state)
{
    struct test_node *a = &world.nodes[0];
    struct err err = {.text = ""};

    (void)state;
    world.call_length = INSTANT_NEVER;
    create("job", every(SPAN_MIN));
    arm(&break_cases[3]);
    world.now = when("00:01");
    assert_int_equal(turn_try(a, &err), RC_UNKNOWN);
    world.now += 3 * SPAN_S;
    node_open(a);
    engine_attach(a->engine, a->db);
    assert_int_equal(turn_try(a, &err), RC_OK);
    settle();
    assert_calls("00:01@00:01:03");
    assert_int_equal(call_of("00:01")->work.run.attempt, 1);
    assert_counts("job", "started 1, open 1");
}

/* The process dies instead of repeating the turn: the next one continues what was committed. */
static void after_a_death_in_doubt_the_next_process_continues(void **state)
{
    struct test_node *a = &world.nodes[0];
    struct err err = {.text = ""};

    (void)state;
    create("job", every(SPAN_MIN));
    arm(&break_cases[3]);
    world.now = when("00:01");
    assert_int_equal(turn_try(a, &err), RC_UNKNOWN);
    node_kill(a);
    world.now += SPAN_S;
    node_boot(a);
    run_to("00:01:30");
    assert_int_equal(count_calls(), 1);
    assert_counts("job", "started 1");
    assert_int_equal(cursor_of("job").succeeded, 1);
}

/* The answer was lost; the client repeats the request and gets the answer of the first one. */
static void row_79_a_repeated_request_gets_the_lost_answer(void **state)
{
    struct command command = command_for(COMMAND_TRIGGER, "job");
    struct test_node *a = &world.nodes[0];
    struct turn_in in = {.rows = TURN_ROWS_MAX, .commands = &command, .command_count = 1};
    struct turn_out out;
    struct err err = {.text = ""};
    struct reply reply;

    (void)state;
    create("job", overlapping(every(SPAN_H), OVERLAP_ALLOW_ALL));
    command.request = STR("7d30");
    in.now = world.now;
    arm(&break_cases[3]);
    a->is_turning = true;
    assert_int_equal(engine_turn(a->engine, &in, &out, &err), RC_UNKNOWN);
    a->is_turning = false;
    node_kill(a);
    world.now += SPAN_S;
    node_boot(a);
    reply = submit(&command);
    assert_int_equal(reply.rc, RC_OK);
    assert_true(reply.is_repeated);
    assert_int_equal(reply.run.slot_ms, world.base / SPAN_MS);
    assert_calls("t00:00@00:00:01");
    assert_counts("job", "started 1");
}

static struct prng prng;

static enum rc one_of_twelve(enum db_point point)
{
    if (!prng_chance(&prng, 1, 12))
        return RC_OK;
    return point == DB_BEFORE_FLUSH || prng_chance(&prng, 1, 2) ? RC_LOST : RC_UNKNOWN;
}

/* Many breaks: the timeline is the same as without any. */
static void nothing_is_lost_or_doubled_by_many_breaks(void **state)
{
    struct test_node *a = &world.nodes[0];

    (void)state;
    prng_seed(&prng, 20);
    world.shows_names = true;
    ends("00:02", "00:03:30", OUTCOME_SUCCEEDED);
    create("skip", every(SPAN_MIN));
    create("pull", pulled(overlapping(every(2 * SPAN_MIN), OVERLAP_BUFFER_ALL)));
    world.draw_break = one_of_twelve;
    poll_for("q", 3, "one");
    trigger("skip", OVERLAP_ALLOW_ALL);
    run_to("00:03");
    pause_it("skip", "x");
    run_to("00:05");
    resume("skip");
    run_to("00:06:30");
    backfill("pull", "05-31 00:00", "05-31 00:02", OVERLAP_ALLOW_ALL);
    run_to("00:07:30");
    assert_true(a->breaks > 10);
    assert_int_equal(cursor_of("skip").version, 3);
    assert_counts("pull", "started 5, open 2, backfills 1");
    assert_ledger("skip", "skipped(overlap) 00:03, missed(paused) 00:04-00:05 x2");
    assert_counts("skip", "started 5, skipped 1, missed 2");
}

/* Nine o'clock is 07:00 UTC; with the files that come while a turn is in doubt, 05:00. */
static void new_zone_files_during_doubt_take_effect(void **state)
{
    struct test_node *a = &world.nodes[0];
    struct test_schedule w = cron("0 9 * * *");
    struct err err;

    (void)state;
    w.def.zone = STR("Europe/Berlin");
    create("job", w);
    assert_at(cursor_of("job").next_at, "07:00");
    arm(&(struct break_case){DB_AFTER_COMMIT, RC_UNKNOWN});
    assert_int_equal(turn_try(a, &err), RC_UNKNOWN);
    world.changed_zone = "Europe/Berlin";
    world.changed_to = "Asia/Dubai";
    engine_replan(a->engine, STR("new"));
    node_open(a);
    engine_attach(a->engine, a->db);
    turn(a); /* the one in doubt */
    turn(a);
    run_to("08:00");
    assert_calls("05:00@05:00");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(a_create_in_doubt_is_done_once),
        TIMELINE(an_update_in_doubt_raises_the_version_once),
        TIMELINE(a_trigger_in_doubt_starts_one_run),
        TIMELINE(a_fire_in_doubt_is_one_call),
        TIMELINE(the_end_of_a_run_in_doubt_is_one_end),
        TIMELINE(a_grant_in_doubt_is_one_grant),
        TIMELINE(a_turn_in_doubt_may_be_repeated_later),
        TIMELINE(after_a_death_in_doubt_the_next_process_continues),
        TIMELINE(row_79_a_repeated_request_gets_the_lost_answer),
        TIMELINE(nothing_is_lost_or_doubled_by_many_breaks),
        TIMELINE(new_zone_files_during_doubt_take_effect),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
