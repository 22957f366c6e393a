/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Days of schedules through crashes, commits in doubt and retention: the sum of all days is
 * what the cursor has counted, and each slot is on its day in the zone of the schedule.
 */
#include "base/prng.h"
#include "days_check.h"

#define FIRST_DAY INT64_C(19144) /* 2022-06-01 */

static struct test_schedule in_zone(struct test_schedule w, const char *zone)
{
    w.def.zone = str_of(zone);
    return w;
}

static int64_t on_day(const char *name, int64_t day, enum day_kind kind, enum day_count what)
{
    sum_days(cursor_of(name).id, day, day);
    return days_sum.counts[kind][what];
}

/* In summer, a day in New York begins at 04:00 UTC. */
static void a_slot_is_on_its_day_in_the_zone_of_the_schedule(void **state)
{
    (void)state;
    world.call_length = SPAN_S;
    create("job", in_zone(cron("0 * * * *"), "America/New_York"));
    run_to("06-03 12:30");
    assert_int_equal(on_day("job", FIRST_DAY - 1, DAY_SLOT, DAY_SUCCEEDED), 3);
    assert_int_equal(on_day("job", FIRST_DAY, DAY_SLOT, DAY_SUCCEEDED), 24);
    assert_int_equal(on_day("job", FIRST_DAY + 1, DAY_SLOT, DAY_SUCCEEDED), 24);
    assert_int_equal(on_day("job", FIRST_DAY + 2, DAY_SLOT, DAY_SUCCEEDED), 9);
    check_days("job");
}

static void missed_slots_are_on_their_days(void **state)
{
    struct test_schedule w = in_zone(cron("0 * * * MON-FRI"), "America/New_York");

    (void)state;
    world.call_length = SPAN_S;
    create("job", w);
    run_to("06-01 10:30");
    pause_it("job", "");
    run_to("06-07 10:30"); /* Tuesday */
    resume("job");
    run_to("06-07 11:30");
    assert_int_equal(on_day("job", FIRST_DAY, DAY_SLOT, DAY_MISSED), 17);
    assert_int_equal(on_day("job", FIRST_DAY + 1, DAY_SLOT, DAY_MISSED), 24);
    assert_int_equal(on_day("job", FIRST_DAY + 2, DAY_SLOT, DAY_MISSED), 24);
    assert_int_equal(on_day("job", FIRST_DAY + 3, DAY_SLOT, DAY_MISSED), 0); /* Saturday */
    assert_int_equal(on_day("job", FIRST_DAY + 4, DAY_SLOT, DAY_MISSED), 0);
    assert_int_equal(on_day("job", FIRST_DAY + 5, DAY_SLOT, DAY_MISSED), 24);
    assert_int_equal(on_day("job", FIRST_DAY + 6, DAY_SLOT, DAY_MISSED), 7);
    check_days("job");
}

/* More days than a row is split into: they share the slots evenly. */
static void slots_of_a_long_pause_are_spread_over_its_days(void **state)
{
    int64_t sum = 0;

    (void)state;
    world.call_length = SPAN_S;
    create("job", cron("0 */2 * * *"));
    run_to("06-01 01:00");
    pause_it("job", "");
    run_to("08-20 23:30");
    resume("job");
    run_to("08-21 01:30");
    for (int64_t day = FIRST_DAY; day <= FIRST_DAY + 80; day++) {
        int64_t n = on_day("job", day, DAY_SLOT, DAY_MISSED);

        assert_in_range(n, 11, 12);
        sum += n;
    }
    assert_int_equal(sum, 81 * 12 - 1);
    check_days("job");
}

static void triggers_and_backfills_count_apart_from_slots(void **state)
{
    struct cursor c;

    (void)state;
    world.call_length = SPAN_S;
    world.tick = SPAN_MIN;
    create("job", every(SPAN_H));
    run_to("06-02 06:30");
    trigger("job", OVERLAP_ALLOW_ALL);
    submit_ok(COMMAND_TEST, "job");
    backfill("job", "06-01 10:30", "06-01 15:30", OVERLAP_ALLOW_ALL);
    run_to("06-02 07:30");
    assert_int_equal(on_day("job", FIRST_DAY, DAY_SLOT, DAY_SUCCEEDED), 23);
    assert_int_equal(on_day("job", FIRST_DAY, DAY_BACKFILL, DAY_SUCCEEDED), 5);
    assert_int_equal(on_day("job", FIRST_DAY + 1, DAY_SLOT, DAY_SUCCEEDED), 8);
    assert_int_equal(on_day("job", FIRST_DAY + 1, DAY_TRIGGER, DAY_SUCCEEDED), 1);
    c = cursor_of("job");
    sum_days(c.id, INT64_MIN, INT64_MAX);
    assert_int_equal(day_total(DAY_SUCCEEDED), c.succeeded);
    assert_int_equal(days_sum.took.total, c.succeeded);
}

/* The namespace is the subject of runs without a queue. */
static void lateness_and_duration_are_in_histograms(void **state)
{
    struct test_schedule w = every(SPAN_MIN);

    (void)state;
    world.call_length = 40 * SPAN_S;
    world.tick = SPAN_MIN;
    w.draft.plan.policies.catchup_window = SPAN_H;
    create("job", w);
    run_to("00:30:50");
    down_to("00:31:30"); /* 30 s late; still open at 00:32, which is skipped */
    run_to("01:00:50");
    sum_days(cursor_of("job").id, FIRST_DAY, FIRST_DAY);
    assert_int_equal(days_sum.late.total, 59);
    assert_int_equal(days_sum.late.counts[1], 58); /* on time */
    assert_int_equal(days_sum.late.most, 30 * SPAN_S);
    assert_int_equal(days_sum.took.total, 59);
    assert_in_range(histogram_quantile(&days_sum.took, 500), 36 * SPAN_S, 44 * SPAN_S);
    run_to("01:30:50");
    sum_counted(world.namespace, FIRST_DAY, FIRST_DAY);
    assert_in_range(days_sum.late.total, 59, 89);
}

static void create_mix(void)
{
    struct test_schedule kept = every(SPAN_MIN), aged = every(SPAN_MIN);

    kept.draft.plan.policies.retention_count = 5;
    aged.draft.plan.policies.retention_age = 10 * SPAN_MIN;
    create("skips", in_zone(cron("* * * * *"), "Asia/Tokyo"));
    create("all", overlapping(every(30 * SPAN_S), OVERLAP_ALLOW_ALL));
    create("buffers", overlapping(every(SPAN_MIN), OVERLAP_BUFFER_ONE));
    create("cancels", overlapping(every(SPAN_MIN), OVERLAP_CANCEL_OTHER));
    create("kept", kept);
    create("aged", aged);
}

static const char *const mix[] = {"skips", "all", "buffers", "cancels", "kept", "aged"};
enum { MIX = sizeof mix / sizeof *mix };

/* A command for one of the schedules, or none. */
static void disturb(struct prng *prng)
{
    const char *name = mix[prng_below(prng, MIX)];

    switch (prng_below(prng, 6)) {
    case 0:
        pause_it(name, "");
        break;
    case 1:
        resume(name);
        break;
    case 2:
        trigger(name, OVERLAP_DEFAULT);
        break;
    case 3:
        backfill(name, "00:00", "00:10", OVERLAP_BUFFER_ALL);
        break;
    default:
        break;
    }
}

static void check_mix(void)
{
    for (int i = 0; i < MIX; i++)
        check_days(mix[i]);
}

/* All of them are counted at last. */
static void check_counted(void)
{
    for (int i = 0; i < MIX; i++)
        pause_it(mix[i], "");
    world.tick = SPAN_MIN;
    run_until(world.now + SPAN_H);
    for (int i = 0; i < MIX; i++) {
        struct cursor c = cursor_of(mix[i]);

        sum_counted(c.id, INT64_MIN, INT64_MAX);
        check_sum(&c);
    }
}

static void days_add_up_although_the_node_is_killed_often(void **state)
{
    struct test_node *a = &world.nodes[0];
    struct prng prng;

    (void)state;
    prng_seed(&prng, 1);
    world.call_length = 90 * SPAN_S;
    world.tick = 10 * SPAN_S;
    create_mix();
    for (int i = 1; i <= 24; i++) {
        /* Often in the seconds after a pass has begun. */
        run_until(world.now + (span)(1 + prng_below(&prng, 8 * 60)) * SPAN_S);
        disturb(&prng);
        check_mix();
        node_kill(a);
        node_boot(a);
        for (uint64_t n = prng_below(&prng, 5); n > 0; n--) {
            world.now += SPAN_S;
            turn(a);
        }
        check_mix();
        if (prng_chance(&prng, 1, 3)) {
            node_kill(a);
            node_boot(a);
        }
    }
    check_counted();
}

static struct prng breaks;

static enum rc one_of_twelve(enum db_point point)
{
    if (!prng_chance(&breaks, 1, 12))
        return RC_OK;
    return point == DB_BEFORE_FLUSH || prng_chance(&breaks, 1, 2) ? RC_LOST : RC_UNKNOWN;
}

static void days_add_up_although_commits_are_in_doubt(void **state)
{
    (void)state;
    prng_seed(&breaks, 7);
    world.call_length = 90 * SPAN_S;
    world.tick = 30 * SPAN_S;
    create_mix();
    for (int i = 1; i <= 12; i++) {
        world.draw_break = one_of_twelve;
        run_until(world.base + i * 10 * SPAN_MIN);
        world.draw_break = NULL;
        settle();
        check_mix();
    }
    check_counted();
}

/* About as many as are kept, and only the newest. */
static void old_days_are_deleted_when_new_ones_come(void **state)
{
    struct test_schedule w = cron("0 12 * * *");
    int64_t id, today;

    (void)state;
    world.call_length = SPAN_S;
    w.draft.plan.policies.retention_age = 5 * SPAN_DAY;
    id = create("job", w);
    run_until(world.base + (DAYS_KEPT + 60) * SPAN_DAY);
    today = world.now / SPAN_DAY;
    assert_in_range(sum_counted(id, INT64_MIN, INT64_MAX), DAYS_KEPT - 2, DAYS_KEPT + 2);
    assert_int_equal(sum_counted(id, INT64_MIN, today - DAYS_KEPT - 2), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE(a_slot_is_on_its_day_in_the_zone_of_the_schedule),
        TIMELINE(missed_slots_are_on_their_days),
        TIMELINE(slots_of_a_long_pause_are_spread_over_its_days),
        TIMELINE(triggers_and_backfills_count_apart_from_slots),
        TIMELINE(lateness_and_duration_are_in_histograms),
        TIMELINE(days_add_up_although_the_node_is_killed_often),
        TIMELINE(days_add_up_although_commits_are_in_doubt),
        TIMELINE(old_days_are_deleted_when_new_ones_come),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
