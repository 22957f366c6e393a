/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What becomes of the slots of a backfill [P-40]: its counters, its end, a stop, and backfills
 * of only the slots that were not started.
 */
#include "harness.h"
#include "store/exceptions_backfills.h"

/* "1 running: started 2, buffered 3": the id and state of a backfill, and its counters. */
static void assert_backfill(const char *name, int64_t pass, const char *expected)
{
    static char text[400];
    struct buf out = BUF(text);
    struct db_result result = {0};
    struct backfill b;
    struct err err;

    backfills_find(world.nodes[0].db, cursor_of(name).id, pass, &result);
    assert_int_equal(db_flush(world.nodes[0].db, world.arena, &err), RC_OK);
    assert_int_equal(result.rows, 1);
    backfills_read(&result, 0, &b);
    const struct {
        const char *name;
        int64_t count;
    } list[] = {{"started", b.begun},
                {"skipped", b.skipped},
                {"buffered", backfill_buffered(&b)},
                {"open", backfill_open(&b)},
                {"succeeded", b.succeeded},
                {"failed", b.failed},
                {"cancelled", b.cancelled + b.withdrawn},
                {"expired", (b.flags & BACKFILL_EXPIRED) != 0},
                {"stopped", (b.flags & BACKFILL_STOPPED) != 0}};

    text[0] = '\0';
    buf_text(&out, b.stage == BACKFILL_ENDED ? "ended" : "running");
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (list[i].count != 0)
            buf_printf(&out, " %s %lld", list[i].name, (long long)list[i].count);
    assert_string_equal(text, expected);
}

static struct reply fill(const char *from, const char *until, enum overlap overlap,
                         int64_t flags)
{
    struct command command = command_for(COMMAND_BACKFILL, "job");
    struct range range = {
        .from = when(from), .until = when(until), .overlap = overlap, .flags = flags};

    command.backfill = (struct backfill_args){&range, 1};
    return submit(&command);
}

static void the_answer_says_what_became_of_the_slots(void **state)
{
    struct reply reply;

    (void)state;
    world.call_length = SPAN_MIN;
    create("job", every(SPAN_H));
    run_to("00:30");
    reply = fill("05-31 00:00", "05-31 04:00", OVERLAP_SKIP, 0);
    assert_int_equal(reply.started, 1);
    assert_int_equal(reply.skipped, 4);
    assert_int_equal(reply.buffered, 0);
    assert_int_equal(reply.run.pass, 1);
    assert_backfill("job", 1, "running started 1 skipped 4 open 1");
    run_to("00:40");
    assert_backfill("job", 1, "ended started 1 skipped 4 succeeded 1");
    reply = fill("05-31 00:00", "05-31 04:00", OVERLAP_BUFFER_ALL, 0);
    assert_int_equal(reply.started, 1);
    assert_int_equal(reply.skipped, 0);
    assert_int_equal(reply.buffered, 4);
    assert_int_equal(reply.run.pass, 2);
    run_to("00:41:30");
    assert_backfill("job", 2, "running started 2 buffered 3 open 1 succeeded 1");
    assert_counts("job", "started 3, skipped 4, open 1, waiting 3, backfills 1");
}

static void a_backfill_ends_with_its_last_run(void **state)
{
    const struct event *end = &world.last_event[EVENT_BACKFILL_ENDED];

    (void)state;
    create("job", every(SPAN_H));
    run_to("00:30");
    ends("05-31 01:00", "00:31", OUTCOME_FAILED);
    ends("05-31 02:00", "00:35", OUTCOME_SUCCEEDED);
    ends("05-31 03:00", "00:36", OUTCOME_SUCCEEDED);
    fill("05-31 01:00", "05-31 03:00", OVERLAP_ALLOW_ALL, 0);
    assert_int_equal(world.events[EVENT_BACKFILL_STARTED], 1);
    run_to("00:35:30");
    assert_backfill("job", 1, "running started 3 open 1 succeeded 1 failed 1");
    assert_int_equal(world.events[EVENT_BACKFILL_ENDED], 0);
    run_to("00:36");
    assert_backfill("job", 1, "ended started 3 succeeded 2 failed 1");
    assert_int_equal(world.events[EVENT_BACKFILL_ENDED], 1);
    assert_int_equal(end->pass, 1);
    assert_int_equal(end->count, 3);   /* started   */
    assert_int_equal(end->detail, 0);  /* skipped   */
    assert_int_equal(end->attempt, 2); /* succeeded */
    assert_int_equal(end->fence, 1);   /* failed    */
    assert_int_equal(end->slot, 0);    /* cancelled */
    assert_int_equal(cursor_of("job").backfills, 0);
}

static void a_stop_cancels_what_waits(void **state)
{
    struct command stop = command_for(COMMAND_UNBACKFILL, "job");

    (void)state;
    world.call_length = SPAN_MIN;
    create("job", every(SPAN_H));
    run_to("00:30");
    fill("05-31 00:00", "05-31 04:00", OVERLAP_BUFFER_ALL, 0);
    stop.key = 2;
    assert_int_equal(submit(&stop).rc, RC_NOT_FOUND);
    stop.key = 1;
    assert_int_equal(submit(&stop).rc, RC_OK);
    assert_backfill("job", 1, "running started 1 open 1 cancelled 4 stopped 1");
    assert_int_equal(world.events[EVENT_BACKFILL_STOPPED], 1);
    run_to("00:40");
    assert_calls("b05-31 00:00@00:30");
    assert_backfill("job", 1, "ended started 1 succeeded 1 cancelled 4 stopped 1");
    assert_counts("job", "started 1, cancelled 4");
    assert_int_equal(submit(&stop).rc, RC_NOT_FOUND);
}

/* A stop before the last batch: the slots that are left are not decided. */
static void a_stopped_backfill_requests_no_more(void **state)
{
    struct command stop = command_for(COMMAND_UNBACKFILL, "job");

    (void)state;
    world.call_length = SPAN_MIN;
    create("job", every(SPAN_H));
    run_to("00:30");
    fill("05-01 00:00", "05-31 23:00", OVERLAP_BUFFER_ALL,
         0); /* 744 slots; 450, then 11, fit into half of the buffer */
    stop.key = 1;
    assert_int_equal(submit(&stop).rc, RC_OK);
    run_to("00:59");
    assert_int_equal(count_calls(), 1);
    assert_backfill("job", 1, "ended started 1 succeeded 1 cancelled 460 stopped 1");
}

/* 01:00 ran, 02:00 was skipped, 03:00 and 04:00 were paused, 05:00 was cancelled. */
static void make_a_past(void)
{
    create("job", overlapping(every(SPAN_H), OVERLAP_SKIP));
    ends("01:00", "02:30", OUTCOME_SUCCEEDED);
    run_to("02:40");
    pause_it("job", "x");
    run_to("04:30");
    resume("job");
    assert_int_equal(submit_run(COMMAND_SKIP, run_of("job", "05:00")).rc, RC_OK);
    ends("06:00", "06:10", OUTCOME_FAILED);
    run_to("06:20");
    assert_ledger("job", "skipped(overlap) 02:00, missed(paused) 03:00-04:00 x2, "
                         "cancelled(user) 05:00");
    assert_calls("01:00@01:00, 06:00@06:00");
}

static void only_slots_that_were_not_started_are_filled(void **state)
{
    (void)state;
    make_a_past();
    fill("01:00", "06:00", OVERLAP_ALLOW_ALL, BACKFILL_MISSED);
    run_to("06:21");
    assert_calls("b02:00@06:20, b03:00@06:20, b04:00@06:20");
    assert_backfill("job", 1, "ended started 3 succeeded 3");
}

static void a_slot_that_was_cancelled_is_filled_on_request(void **state)
{
    (void)state;
    make_a_past();
    fill("04:30", "06:00", OVERLAP_ALLOW_ALL, BACKFILL_MISSED | BACKFILL_CANCELLED);
    run_to("06:21");
    assert_calls("b05:00@06:20");
}

static void a_slot_is_filled_once(void **state)
{
    struct range ranges[2];
    struct command command = command_for(COMMAND_BACKFILL, "job");

    (void)state;
    make_a_past();
    for (int i = 0; i < 2; i++)
        ranges[i] = (struct range){.from = when("01:00"),
                                   .until = when("06:00"),
                                   .overlap = OVERLAP_ALLOW_ALL,
                                   .flags = BACKFILL_MISSED};
    command.backfill = (struct backfill_args){ranges, 2};
    assert_int_equal(submit(&command).rc, RC_OK);
    run_to("06:30");
    assert_calls("b02:00@06:20, b03:00@06:20, b04:00@06:20");
    assert_backfill("job", 2, "ended");
    fill("01:00", "06:00", OVERLAP_ALLOW_ALL, BACKFILL_MISSED);
    run_to("06:40");
    assert_calls("");
}

/* A trigger with the nominal time of a slot starts it; a test does not. */
static void a_triggered_slot_is_not_filled(void **state)
{
    struct command trigger_it = command_for(COMMAND_TRIGGER, "job");
    struct command test = command_for(COMMAND_TEST, "job");

    (void)state;
    make_a_past();
    trigger_it.start.slot = when("03:00");
    assert_int_equal(submit(&trigger_it).rc, RC_OK);
    test.start.slot = when("04:00");
    assert_int_equal(submit(&test).rc, RC_OK);
    run_to("06:21");
    count_calls();
    fill("03:00", "04:00", OVERLAP_ALLOW_ALL, BACKFILL_MISSED);
    run_to("06:22");
    assert_calls("b04:00@06:21");
}

/* The decision is made in each turn: what starts while the backfill waits is left out. */
static void a_slot_that_starts_meanwhile_is_not_filled(void **state)
{
    (void)state;
    world.backfill_portion = 1;
    node_kill(&world.nodes[0]);
    node_boot(&world.nodes[0]);
    world.call_length = SPAN_MIN;
    create("job", every(SPAN_H));
    pause_it("job", "x");
    run_to("03:30");
    resume("job");
    assert_ledger("job", "missed(paused) 01:00-03:00 x3");
    fill("01:00", "03:00", OVERLAP_SKIP, BACKFILL_MISSED);
    run_to("03:40");
    assert_backfill("job", 1, "ended started 1 skipped 2 succeeded 1");
    fill("01:00", "03:00", OVERLAP_BUFFER_ALL, BACKFILL_MISSED);
    run_to("03:50");
    assert_calls("b01:00@03:30, b02:00@03:40, b03:00@03:41");
}

/* What another backfill requests in the same turn may be skipped, and is then still missed. */
static void a_slot_that_another_backfill_skips_is_filled(void **state)
{
    struct test_schedule w = every(SPAN_H);
    struct range ranges[2] = {
        {.from = when("05-31 20:00"), .until = when("05-31 23:00"), .overlap = OVERLAP_SKIP},
        {.from = when("05-31 21:00"),
         .until = when("05-31 23:00"),
         .overlap = OVERLAP_ALLOW_ALL,
         .flags = BACKFILL_MISSED}};
    struct command command = command_for(COMMAND_BACKFILL, "job");

    (void)state;
    w.draft.plan.policies.buffer_limit = 4; /* each turn starts one slot of each backfill */
    world.call_length = SPAN_H;
    create("job", w);
    run_to("01:30");
    command.backfill = (struct backfill_args){ranges, 2};
    assert_int_equal(submit(&command).rc, RC_OK);
    run_to("01:31");
    assert_backfill("job", 1, "ended skipped 4");
    assert_calls("01:00@01:00, b05-31 21:00@01:30, b05-31 22:00@01:30, b05-31 23:00@01:30");
    assert_backfill("job", 2, "running started 3 open 3");
}

static void the_slots_of_a_pause_are_filled_while_it_lasts(void **state)
{
    (void)state;
    create("job", every(SPAN_H));
    pause_it("job", "x");
    run_to("03:30");
    fill("00:30", "03:30", OVERLAP_ALLOW_ALL, BACKFILL_MISSED);
    run_to("03:31");
    assert_calls("b01:00@03:30, b02:00@03:30, b03:00@03:30");
    assert_ledger("job", "missed(paused) 01:00-03:00 x3");
}

/* No slot before the creation was started. */
static void slots_before_the_creation_are_filled(void **state)
{
    (void)state;
    create("job", every(SPAN_H));
    run_to("01:30");
    assert_calls("01:00@01:00");
    fill("05-31 22:00", "01:00", OVERLAP_ALLOW_ALL, BACKFILL_MISSED);
    run_to("01:31");
    assert_calls("b05-31 22:00@01:30, b05-31 23:00@01:30");
}

/* The slot of the creation is in whole milliseconds, the creation is not. */
static void the_slot_of_the_creation_is_not_filled(void **state)
{
    struct test_schedule w = once("00:00");

    (void)state;
    w.def.at[0] = INSTANT_NONE; /* now */
    run_to("00:30");
    world.now += 357;
    create("job", w);
    run_to("00:40");
    assert_int_equal(count_calls(), 1);
    fill("00:00", "00:35", OVERLAP_ALLOW_ALL, BACKFILL_MISSED);
    run_to("00:41");
    assert_calls("");
}

/* What is not known any more is not guessed. */
static void slots_older_than_the_ledger_are_left_out(void **state)
{
    struct test_schedule w = every(SPAN_H);

    (void)state;
    w.draft.plan.policies.retention_age = 2 * SPAN_H;
    create("job", w);
    pause_it("job", "x");
    run_to("04:30");
    resume("job");
    fill("01:00", "04:00", OVERLAP_ALLOW_ALL, BACKFILL_MISSED);
    run_to("04:31");
    assert_calls("b03:00@04:30, b04:00@04:30");
    assert_backfill("job", 1, "ended started 2 succeeded 2 expired 1");
}

/* With a number of kept runs, the run of an earlier backfill may be gone. */
static void a_deleted_history_starts_nothing_twice(void **state)
{
    struct test_schedule w = every(SPAN_H);

    (void)state;
    w.draft.plan.policies.retention_count = 1;
    create("job", w);
    pause_it("job", "x");
    run_to("08:30");
    resume("job");
    fill("01:00", "08:00", OVERLAP_ALLOW_ALL, BACKFILL_MISSED);
    run_to("08:31");
    assert_int_equal(count_calls(), 8);
    fill("01:00", "08:00", OVERLAP_ALLOW_ALL, BACKFILL_MISSED);
    run_to("08:32");
    assert_calls("");
}

/* ---- a resume from a past time [P-45] ---- */

static struct reply resume_from(const char *from)
{
    struct command command = command_for(COMMAND_RESUME, "job");

    command.pause.replays = true;
    command.pause.from = when(from);
    return submit(&command);
}

static void a_resume_from_a_past_time_starts_the_slots_since(void **state)
{
    (void)state;
    create("job", overlapping(every(SPAN_H), OVERLAP_ALLOW_ALL));
    pause_it("job", "x");
    run_to("04:30");
    assert_int_equal(resume_from("02:30").rc, RC_OK);
    run_to("05:30");
    assert_calls("b03:00@04:30, b04:00@04:30, 05:00@05:00");
    assert_ledger("job", "missed(paused) 01:00-04:00 x4");
}

/* The slots before `from` belong to another server, also if the schedule would catch up. */
static void a_resume_from_a_past_time_overrides_the_catch_up(void **state)
{
    struct test_schedule w = overlapping(every(SPAN_H), OVERLAP_ALLOW_ALL);

    (void)state;
    w.draft.plan.policies.catchup = CATCHUP_ALL;
    w.draft.plan.policies.catchup_paused = true;
    create("job", w);
    pause_it("job", "x");
    run_to("04:30");
    assert_int_equal(resume_from("03:00").rc, RC_OK);
    run_to("05:30");
    assert_calls("b03:00@04:30, b04:00@04:30, 05:00@05:00");
    assert_ledger("job", "missed(paused) 01:00-04:00 x4");
}

static void a_resume_from_before_the_creation_starts_earlier_slots(void **state)
{
    (void)state;
    run_to("00:10");
    create("job", overlapping(every(SPAN_H), OVERLAP_ALLOW_ALL));
    pause_it("job", "x");
    run_to("01:30");
    assert_int_equal(resume_from("05-31 22:30").rc, RC_OK);
    run_to("01:31");
    assert_calls("b05-31 23:00@01:30, b00:00@01:30, b01:00@01:30");
}

/* Otherwise a repeated request would start slots that were skipped since. */
static void a_resume_from_a_past_time_needs_a_pause(void **state)
{
    (void)state;
    create("job", every(SPAN_H));
    assert_int_equal(resume_from("05-31 22:30").rc, RC_CONFLICT);
    pause_it("job", "x");
    run_to("01:30");
    assert_int_equal(resume_from("00:30").rc, RC_OK);
    assert_int_equal(resume_from("00:30").rc, RC_CONFLICT);
    run_to("01:31");
    assert_calls("b01:00@01:30");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(the_answer_says_what_became_of_the_slots),
        TIMELINE(a_backfill_ends_with_its_last_run),
        TIMELINE(a_stop_cancels_what_waits),
        TIMELINE(a_stopped_backfill_requests_no_more),
        TIMELINE(only_slots_that_were_not_started_are_filled),
        TIMELINE(a_slot_that_was_cancelled_is_filled_on_request),
        TIMELINE(a_slot_is_filled_once),
        TIMELINE(a_triggered_slot_is_not_filled),
        TIMELINE(a_slot_that_starts_meanwhile_is_not_filled),
        TIMELINE(a_slot_that_another_backfill_skips_is_filled),
        TIMELINE(the_slots_of_a_pause_are_filled_while_it_lasts),
        TIMELINE(slots_before_the_creation_are_filled),
        TIMELINE(the_slot_of_the_creation_is_not_filled),
        TIMELINE(slots_older_than_the_ledger_are_left_out),
        TIMELINE(a_deleted_history_starts_nothing_twice),
        TIMELINE(a_resume_from_a_past_time_starts_the_slots_since),
        TIMELINE(a_resume_from_a_past_time_overrides_the_catch_up),
        TIMELINE(a_resume_from_before_the_creation_starts_earlier_slots),
        TIMELINE(a_resume_from_a_past_time_needs_a_pause),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
