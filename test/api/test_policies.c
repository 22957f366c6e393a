/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots that come too early or too late, as users see them: runs that last longer than the
 * minute of their cron line, servers that were down.  The clock begins at 10:00:00.
 */
#include "hints.h"

static void make_minutely(const char *policies)
{
    assert_int_equal(put("{'cron':['* * * * *']}", js(",'policies':{%s}", policies)), 201);
}

/* The run of 10:01 is still open at 10:02, 10:03 and 10:04. */
static struct taken run_through_three_slots(const char *policies)
{
    struct taken run;

    make_minutely(policies);
    pass_to("10:01:00");
    assert_int_equal(take(&run, "w"), 1);
    for (int i = 0; i < 7; i++) {
        live(30 * SPAN_S);
        assert_int_equal(tell(&run, "heartbeat"), 200);
    }
    return run; /* 10:04:30 */
}

static void assert_outcome(const struct taken *run, const char *outcome)
{
    assert_int_equal(get(js("/api/v1/runs/%s", run->id)), 200);
    assert_told("outcome", outcome);
}

static void skip_has_one_run_at_a_time_and_counts_the_others(void **state)
{
    struct taken run, other;

    (void)state;
    run = run_through_three_slots("'overlap':'skip'");
    assert_int_equal(take(&other, "v"), 0);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_told("state.open", "1");
    assert_told("state.counters.skipped", "3");
    assert_int_equal(tell(&run, "complete"), 200);
    assert_int_equal(take(&other, "v"), 0); /* nothing was buffered */
    run_at("10:05:00", "10:05:00", "complete");
}

/* C11: it is the first of the late slots. */
static void buffer_one_has_exactly_one_follow_up(void **state)
{
    struct taken run;

    (void)state;
    run = run_through_three_slots("'overlap':'bufferOne'");
    assert_int_equal(tell(&run, "complete"), 200);
    assert_int_equal(take(&run, "w"), 1);
    assert_taken_slot("10:02:00");
    assert_int_equal(tell(&run, "complete"), 200);
    assert_int_equal(take(&run, "w"), 0);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_told("state.counters.started", "2");
    assert_told("state.waiting", "0");
}

static void buffer_all_has_a_follow_up_for_each_in_order(void **state)
{
    static const char *const slots[] = {"10:02:00", "10:03:00", "10:04:00"};
    struct taken run, other;

    (void)state;
    run = run_through_three_slots("'overlap':'bufferAll'");
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_told("state.waiting", "3");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(tell(&run, "complete"), 200);
        assert_int_equal(take(&run, "w"), 1);
        assert_taken_slot(slots[i]);
        assert_int_equal(take(&other, "v"), 0); /* one after the other */
    }
    assert_int_equal(tell(&run, "complete"), 200);
    assert_int_equal(take(&run, "w"), 0);
}

/* The buffer has room for two; the third is dropped. */
static void a_full_buffer_drops_and_counts(void **state)
{
    struct taken run;

    (void)state;
    run = run_through_three_slots("'overlap':'bufferAll','bufferLimit':2,"
                                  "'catchup':{'mode':'all','whenFull':'drop'}");
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_told("state.waiting", "2");
    assert_told("state.counters.dropped", "1");
    assert_int_equal(tell(&run, "complete"), 200);
    assert_int_equal(get("/api/v1/schedules/s/slots?from=2026-01-05T10:04:00Z"
                         "&to=2026-01-05T10:04:00Z"),
                     200);
    assert_told("slots.0.outcome", "'dropped'");
    assert_told("slots.0.reason", "'buffer'");
}

/* The worker learns of it with its next heartbeat; the new run starts when the old one ends. */
static void cancel_other_starts_when_the_old_one_was_cancelled(void **state)
{
    struct taken run, other;

    (void)state;
    make_minutely("'overlap':'cancelOther'");
    pass_to("10:01:00");
    assert_int_equal(take(&run, "w"), 1);
    pass_to("10:02:00");
    assert_int_equal(take(&other, "v"), 0);
    assert_int_equal(tell(&run, "heartbeat"), 200);
    assert_told("cancelled", "true");
    assert_int_equal(tell(&run, "fail"), 200);
    assert_outcome(&run, "'cancelled'");
    assert_int_equal(take(&other, "v"), 1);
    assert_taken_slot("10:02:00");
}

static void terminate_other_starts_at_once(void **state)
{
    struct taken run, other;

    (void)state;
    make_minutely("'overlap':'terminateOther'");
    pass_to("10:01:00");
    assert_int_equal(take(&run, "w"), 1);
    pass_to("10:02:00");
    assert_int_equal(take(&other, "v"), 1);
    assert_taken_slot("10:02:00");
    assert_outcome(&run, "'terminated'");
    assert_told("endedAt", "'2026-01-05T10:02:00.000Z'");
    assert_refused(tell(&run, "complete"), 409, "stale_fence", "");
}

/* Runs of 90 s each minute: two at a time. */
static void allow_all_stacks_runs(void **state)
{
    struct taken run, other;

    (void)state;
    make_minutely("'overlap':'allowAll'");
    pass_to("10:01:00");
    assert_int_equal(take(&run, "w"), 1);
    pass_to("10:02:00");
    assert_int_equal(take(&other, "v"), 1);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_told("state.open", "2");
    pass_to("10:02:30");
    assert_int_equal(tell(&run, "complete"), 200);
    assert_int_equal(tell(&other, "complete"), 200);
}

/* For one run only: the policy of the schedule does not change. */
static void a_trigger_may_have_a_policy_of_its_own(void **state)
{
    struct taken run, other;

    (void)state;
    make_minutely("'overlap':'skip'");
    pass_to("10:01:00");
    assert_int_equal(take(&run, "w"), 1);
    assert_int_equal(post("/api/v1/schedules/s/trigger", js("{'overlap':'allowAll'}")), 202);
    assert_int_equal(take(&other, "v"), 1);
    assert_told("runs.0.kind", "'trigger'");
    pass_to("10:02:00");
    assert_int_equal(take(&other, "u"), 0);
}

enum { TAKEN_MAX = 100 };

/*
 * The server is down until 13:00:30 and misses the 180 slots from 10:01 to 13:00.  The 60 slots
 * from 12:01 on are not older than an hour; they run late, oldest first.
 */
static void of_three_hours_away_a_window_of_one_is_made_up_for(void **state)
{
    int count = 0;

    (void)state;
    make_minutely("'overlap':'allowAll','catchup':{'mode':'all','window':'1h'}");
    world.now += 3 * SPAN_H + 30 * SPAN_S;
    pass(0);
    for (; count < TAKEN_MAX; count++) {
        struct taken run;

        if (take(&run, "w") == 0)
            break;
        if (count == 0)
            assert_taken_slot("12:01:00");
        assert_int_equal(tell(&run, "complete"), 200);
    }
    assert_int_equal(count, 60);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_told("state.counters.started", "60");
    assert_told("state.counters.missed", "120");
}

/* No worker gets a run before its slot, or twice, however far a poll reads ahead. */
static void nothing_is_given_out_before_its_slot_nor_twice(void **state)
{
    struct taken run;

    (void)state;
    make_minutely("'overlap':'skip'");
    for (int i = 50; i < 60; i++) {
        pass_to(js("10:00:%02d", i));
        assert_int_equal(take(&run, "w"), 0);
    }
    pass_to("10:01:00");
    assert_int_equal(take(&run, "w"), 1);
    assert_told("runs.0.startedAt", "'2026-01-05T10:01:00.000Z'");
    assert_int_equal(take(&run, "w"), 0);
    assert_int_equal(tell(&run, "complete"), 200);
    for (int i = 1; i < 60; i++) {
        pass_to(js("10:01:%02d", i));
        assert_int_equal(take(&run, "w"), 0);
    }
    pass_to("10:02:00");
    assert_int_equal(take(&run, "w"), 1);
    assert_taken_slot("10:02:00");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(skip_has_one_run_at_a_time_and_counts_the_others),
        SERVED(buffer_one_has_exactly_one_follow_up),
        SERVED(buffer_all_has_a_follow_up_for_each_in_order),
        SERVED(a_full_buffer_drops_and_counts),
        SERVED(cancel_other_starts_when_the_old_one_was_cancelled),
        SERVED(terminate_other_starts_at_once),
        SERVED(allow_all_stacks_runs),
        SERVED(a_trigger_may_have_a_policy_of_its_own),
        SERVED(of_three_hours_away_a_window_of_one_is_made_up_for),
        SERVED(nothing_is_given_out_before_its_slot_nor_twice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
