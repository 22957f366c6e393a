/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of planned days and of midnights: each is written once, at the right time.
 */
#include "harness.h"

static const struct event *planned(int count)
{
    assert_int_equal(world.events[EVENT_RUN_PLANNED], count);
    return &world.last_event[EVENT_RUN_PLANNED];
}

static void assert_plan(int events, const char *first, const char *last, int count)
{
    const struct event *e = planned(events);

    assert_at(e->slot, first);
    assert_at(e->detail, last);
    assert_int_equal(e->count, count);
}

static struct wish in_zone(struct wish w, const char *zone)
{
    w.def.zone = str_of(zone);
    return w;
}

static void a_day_is_told_of_once_when_the_one_before_is_over(void **state)
{
    (void)state;
    create("job", cron("0 9,17 * * *"));
    assert_plan(1, "09:00", "17:00", 2);
    run_to("09:00");
    planned(1);
    run_to("16:59");
    planned(1);
    run_to("17:00");
    assert_plan(2, "06-02 09:00", "06-02 17:00", 2);
    run_to("06-02 16:59");
    planned(2);
    run_to("06-02 17:00");
    planned(3);
}

/* The event counts all slots of the rest of the day, however many. */
static void a_schedule_of_every_second_has_one_plan_a_day(void **state)
{
    (void)state;
    world.length = 0;
    run_to("23:59");
    create("job", overlapping(every(SPAN_S), OVERLAP_ALLOW_ALL));
    assert_plan(1, "23:59:01", "23:59:59", 59);
    run_to("06-02 00:00:05");
    assert_plan(2, "06-02 00:00", "06-02 23:59:59", 86400);
}

/* 15:00 in New York is 19:00 UTC; the day ends there at 04:00 UTC. */
static void a_day_is_one_of_the_schedules_zone(void **state)
{
    (void)state;
    create("job", in_zone(cron("0 15,23 * * *"), "America/New_York"));
    assert_plan(1, "03:00", "03:00", 1);
    run_to("03:00");
    assert_plan(2, "19:00", "06-02 03:00", 2);
    run_to("19:00");
    planned(2);
}

static void an_edit_and_a_resume_tell_the_day_anew_and_a_pause_does_not(void **state)
{
    (void)state;
    create("job", cron("0 9,17 * * *"));
    planned(1);
    update("job", 0, cron("0 10,11,12 * * *"));
    assert_plan(2, "10:00", "12:00", 3);
    pause_it("job", "a while");
    planned(2);
    run_to("11:30");
    planned(2);
    resume("job");
    assert_plan(3, "12:00", "12:00", 1);
}

static void runs_that_are_left_are_the_most_that_a_day_can_have(void **state)
{
    struct wish w = cron("0 * * * *");

    (void)state;
    w.draft.plan.policies.remaining_runs = 3;
    create("job", w);
    assert_int_equal(planned(1)->count, 3);
    run_to("05:00");
    planned(1);
}

static void what_never_runs_by_itself_has_no_plan(void **state)
{
    (void)state;
    create("job", wish());
    trigger("job", OVERLAP_DEFAULT);
    run_to("06-03 00:00");
    planned(0);
    assert_int_equal(world.events[EVENT_PLAN_MIDNIGHT], 0);
}

static void midnights(int count, const char *at)
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
    midnights(0, "");
    run_to("04:01");
    midnights(1, "04:00");
    run_to("15:01");
    midnights(2, "15:00");
    run_to("06-02 00:01");
    midnights(3, "06-02 00:00");
    run_to("06-02 23:59");
    midnights(5, "06-02 15:00");
}

static void midnights_of_a_long_silence_are_one(void **state)
{
    (void)state;
    world.tick = SPAN_MIN;
    create("utc", cron("0 9 * * *"));
    down_to("06-04 12:00");
    run_to("06-04 12:01");
    midnights(1, "06-04 00:00");
    run_to("06-05 00:01");
    midnights(2, "06-05 00:00");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(a_day_is_told_of_once_when_the_one_before_is_over),
        TIMELINE(a_schedule_of_every_second_has_one_plan_a_day),
        TIMELINE(a_day_is_one_of_the_schedules_zone),
        TIMELINE(an_edit_and_a_resume_tell_the_day_anew_and_a_pause_does_not),
        TIMELINE(runs_that_are_left_are_the_most_that_a_day_can_have),
        TIMELINE(what_never_runs_by_itself_has_no_plan),
        TIMELINE(every_zone_has_its_midnight_once_a_day),
        TIMELINE(midnights_of_a_long_silence_are_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
