/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of planned days and of midnights: each is written once, at the right time.
 */
#include "harness.h"

static const struct event *assert_planned(int count)
{
    assert_int_equal(world.events[EVENT_RUN_PLANNED], count);
    return &world.last_event[EVENT_RUN_PLANNED];
}

static void assert_plan(int events, const char *first, const char *last, int count)
{
    const struct event *e = assert_planned(events);

    assert_at(e->slot, first);
    assert_at(e->detail, last);
    assert_int_equal(e->count, count);
}

static struct test_schedule in_zone(struct test_schedule w, const char *zone)
{
    w.def.zone = str_of(zone);
    return w;
}

static void a_day_is_announced_once_at_the_last_slot_of_the_day_before(void **state)
{
    (void)state;
    create("job", cron("0 9,17 * * *"));
    assert_plan(1, "09:00", "17:00", 2);
    run_to("09:00");
    assert_planned(1);
    run_to("16:59");
    assert_planned(1);
    run_to("17:00");
    assert_plan(2, "06-02 09:00", "06-02 17:00", 2);
    run_to("06-02 16:59");
    assert_planned(2);
    run_to("06-02 17:00");
    assert_planned(3);
}

/* The event counts all slots of the rest of the day, however many. */
static void a_schedule_of_every_second_has_one_plan_a_day(void **state)
{
    (void)state;
    world.call_length = 0;
    run_to("23:59");
    create("job", overlapping(every(SPAN_S), OVERLAP_ALLOW_ALL));
    assert_plan(1, "23:59:01", "23:59:59", 59);
    run_to("06-02 00:00:05");
    assert_plan(2, "06-02 00:00", "06-02 23:59:59", 86400);
}

/* 15:00 in New York is 19:00 UTC; the day ends there at 04:00 UTC. */
static void a_day_begins_and_ends_in_the_zone_of_the_schedule(void **state)
{
    (void)state;
    create("job", in_zone(cron("0 15,23 * * *"), "America/New_York"));
    assert_plan(1, "03:00", "03:00", 1);
    run_to("03:00");
    assert_plan(2, "19:00", "06-02 03:00", 2);
    run_to("19:00");
    assert_planned(2);
}

static void an_edit_and_a_resume_announce_the_day_again_and_a_pause_does_not(void **state)
{
    (void)state;
    create("job", cron("0 9,17 * * *"));
    assert_planned(1);
    update("job", 0, cron("0 10,11,12 * * *"));
    assert_plan(2, "10:00", "12:00", 3);
    pause_it("job", "a while");
    assert_planned(2);
    run_to("11:30");
    assert_planned(2);
    resume("job");
    assert_plan(3, "12:00", "12:00", 1);
}

static const struct event *assert_unplanned(int events, const char *first, int count)
{
    const struct event *e = &world.last_event[EVENT_RUN_UNPLANNED];

    assert_int_equal(world.events[EVENT_RUN_UNPLANNED], events);
    assert_at(e->slot, first);
    assert_int_equal(e->count, count);
    return e;
}

/* Seed 003: the item of 17:00 is retained, because its time has not changed. */
static void an_edit_reports_the_slots_of_the_day_that_it_removes(void **state)
{
    (void)state;
    create("job", cron("0 9,13,15,17 * * *"));
    run_to("10:00");
    update("job", 0, cron("0 9,11,17 * * *"));
    assert_at(assert_unplanned(1, "13:00", 2)->detail, "15:00");
    update("job", 0, cron("0 11,17 * * *")); /* 09:00 is over: nothing is removed */
    assert_unplanned(1, "13:00", 2);
    update("job", 0, cron("0 9-17 * * *")); /* adds slots */
    assert_unplanned(1, "13:00", 2);
    update("job", 0, no_slots());
    assert_at(assert_unplanned(2, "11:00", 7)->detail, "17:00");
    update("job", 0, cron("0 9 * * *")); /* tomorrow is planned */
    update("job", 0, cron("0 8 * * *"));
    assert_unplanned(3, "06-02 09:00", 1);
}

static void an_edit_removes_only_what_was_planned(void **state)
{
    struct test_schedule limited = cron("0 * * * *");

    (void)state;
    create("paused", cron("0 9,17 * * *"));
    pause_it("paused", "a while");
    update("paused", 0, cron("0 10 * * *"));
    assert_int_equal(world.events[EVENT_RUN_UNPLANNED], 0);
    limited.draft.plan.policies.remaining_runs = 3;
    create("limited", limited);
    update("limited", 0, no_slots());
    assert_at(assert_unplanned(1, "01:00", 3)->detail, "03:00");
}

/* 1,500 slots are compared; the number of more is not known, and not guessed. */
static void an_edit_of_a_schedule_of_every_second_does_not_count_them(void **state)
{
    (void)state;
    world.call_length = 0;
    create("job", overlapping(every(SPAN_S), OVERLAP_ALLOW_ALL));
    update("job", 0, no_slots());
    assert_unplanned(1, "00:00:01", 0);
    assert_true(world.last_event[EVENT_RUN_UNPLANNED].detail == INSTANT_NONE);
    create("minutes", overlapping(every(SPAN_MIN), OVERLAP_ALLOW_ALL));
    update("minutes", 0, no_slots());
    assert_unplanned(2, "00:01", 1439);
}

/* A thousand slots with 200 entries each are more work than an edit may cause. */
static void an_edit_of_an_expensive_spec_does_not_count_them(void **state)
{
    struct test_schedule w = overlapping(cron("* * * * *"), OVERLAP_ALLOW_ALL);
    struct cron_def *list = arena_array(world.arena, 200, sizeof *list);

    (void)state;
    world.call_length = 0;
    for (int i = 0; i < 200; i++)
        list[i] = w.def.cron[0];
    w.def.cron = list;
    w.def.cron_count = 200;
    w.def.jitter = SPAN_S; /* walking it has no short cut */
    create("job", w);
    update("job", 0, no_slots());
    assert_int_equal(world.events[EVENT_RUN_UNPLANNED], 1);
    assert_int_equal(world.last_event[EVENT_RUN_UNPLANNED].count, 0);
    assert_true(world.last_event[EVENT_RUN_UNPLANNED].detail == INSTANT_NONE);
}

static void the_count_of_a_day_is_limited_to_the_remaining_runs(void **state)
{
    struct test_schedule w = cron("0 * * * *");

    (void)state;
    w.draft.plan.policies.remaining_runs = 3;
    create("job", w);
    assert_int_equal(assert_planned(1)->count, 3);
    run_to("05:00");
    assert_planned(1);
}

static void a_schedule_without_slots_has_neither_plan_nor_midnight(void **state)
{
    (void)state;
    create("job", no_slots());
    trigger("job", OVERLAP_DEFAULT);
    run_to("06-03 00:00");
    assert_planned(0);
    assert_int_equal(world.events[EVENT_PLAN_MIDNIGHT], 0);
}

static void assert_midnights(int count, const char *at)
{
    assert_int_equal(world.events[EVENT_PLAN_MIDNIGHT], count);
    if (count > 0)
        assert_at(world.last_event[EVENT_PLAN_MIDNIGHT].slot, at);
}

/* New York's midnight is 04:00 UTC in summer, Tokyo's 15:00. */
static void every_zone_has_its_midnight_once_a_day(void **state)
{
    (void)state;
    world.tick = SPAN_MIN;
    create("utc", cron("0 9 * * *"));
    create("utc-2", cron("0 10 * * *"));
    create("ny", in_zone(cron("0 9 * * *"), "America/New_York"));
    create("tokyo", in_zone(cron("0 9 * * *"), "Asia/Tokyo"));
    run_to("03:59");
    assert_midnights(0, "");
    run_to("04:01");
    assert_midnights(1, "04:00");
    run_to("15:01");
    assert_midnights(2, "15:00");
    run_to("06-02 00:01");
    assert_midnights(3, "06-02 00:00");
    run_to("06-02 23:59");
    assert_midnights(5, "06-02 15:00");
}

static void several_missed_midnights_are_one_event(void **state)
{
    (void)state;
    world.tick = SPAN_MIN;
    create("utc", cron("0 9 * * *"));
    down_to("06-04 12:00");
    run_to("06-04 12:01");
    assert_midnights(1, "06-04 00:00");
    run_to("06-05 00:01");
    assert_midnights(2, "06-05 00:00");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(a_day_is_announced_once_at_the_last_slot_of_the_day_before),
        TIMELINE(a_schedule_of_every_second_has_one_plan_a_day),
        TIMELINE(a_day_begins_and_ends_in_the_zone_of_the_schedule),
        TIMELINE(an_edit_and_a_resume_announce_the_day_again_and_a_pause_does_not),
        TIMELINE(an_edit_reports_the_slots_of_the_day_that_it_removes),
        TIMELINE(an_edit_removes_only_what_was_planned),
        TIMELINE(an_edit_of_a_schedule_of_every_second_does_not_count_them),
        TIMELINE(an_edit_of_an_expensive_spec_does_not_count_them),
        TIMELINE(the_count_of_a_day_is_limited_to_the_remaining_runs),
        TIMELINE(a_schedule_without_slots_has_neither_plan_nor_midnight),
        TIMELINE(every_zone_has_its_midnight_once_a_day),
        TIMELINE(several_missed_midnights_are_one_event),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
