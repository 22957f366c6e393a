/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Overlap and catch-up over the native API: runs that last longer than the minute of their cron
 * line, and downtimes of the server.  The clock starts at 10:00:00.
 */
#include "one_schedule.h"

static void make_minutely(const char *policies)
{
    assert_int_equal(put("{'cron':['* * * * *']}", js(",'policies':{%s}", policies)), 201);
}

/* The run of 10:01 is still open at 10:02, 10:03 and 10:04. */
static struct claimed run_through_three_slots(const char *policies)
{
    struct claimed run;

    make_minutely(policies);
    pass_to("10:01:00");
    assert_int_equal(claim(&run, "w"), 1);
    for (int i = 0; i < 7; i++) {
        pass_in_seconds(30 * SPAN_S);
        assert_int_equal(report(&run, "heartbeat"), 200);
    }
    return run; /* 10:04:30 */
}

static void assert_outcome(const struct claimed *run, const char *outcome)
{
    assert_int_equal(get(js("/api/v1/runs/%s", run->id)), 200);
    assert_json("outcome", outcome);
}

static void skip_runs_one_at_a_time_and_counts_the_others(void **state)
{
    struct claimed run, other;

    (void)state;
    run = run_through_three_slots("'overlap':'skip'");
    assert_int_equal(claim(&other, "v"), 0);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.open", "1");
    assert_json("state.counters.skipped", "3");
    assert_int_equal(report(&run, "complete"), 200);
    assert_int_equal(claim(&other, "v"), 0); /* nothing was buffered */
    run_at("10:05:00", "10:05:00", "complete");
}

/* The follow-up is for the first of the late slots. */
static void buffer_one_has_exactly_one_follow_up(void **state)
{
    struct claimed run;

    (void)state;
    run = run_through_three_slots("'overlap':'bufferOne'");
    assert_int_equal(report(&run, "complete"), 200);
    assert_int_equal(claim(&run, "w"), 1);
    assert_claimed_slot("10:02:00");
    assert_int_equal(report(&run, "complete"), 200);
    assert_int_equal(claim(&run, "w"), 0);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.counters.started", "2");
    assert_json("state.waiting", "0");
}

static void buffer_all_has_a_follow_up_for_each_in_order(void **state)
{
    static const char *const slots[] = {"10:02:00", "10:03:00", "10:04:00"};
    struct claimed run, other;

    (void)state;
    run = run_through_three_slots("'overlap':'bufferAll'");
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.waiting", "3");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(report(&run, "complete"), 200);
        assert_int_equal(claim(&run, "w"), 1);
        assert_claimed_slot(slots[i]);
        assert_int_equal(claim(&other, "v"), 0); /* one after the other */
    }
    assert_int_equal(report(&run, "complete"), 200);
    assert_int_equal(claim(&run, "w"), 0);
}

/* The buffer has room for two; the third is dropped. */
static void a_full_buffer_drops_and_counts(void **state)
{
    struct claimed run;

    (void)state;
    run = run_through_three_slots("'overlap':'bufferAll','bufferLimit':2,"
                                  "'catchup':{'mode':'all','whenFull':'drop'}");
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.waiting", "2");
    assert_json("state.counters.dropped", "1");
    assert_int_equal(report(&run, "complete"), 200);
    assert_int_equal(get("/api/v1/schedules/s/slots?from=2026-01-05T10:04:00Z"
                         "&to=2026-01-05T10:04:00Z"),
                     200);
    assert_json("slots.0.outcome", "'dropped'");
    assert_json("slots.0.reason", "'buffer'");
}

/* The next heartbeat reports the cancellation; the new run starts when the old one ends. */
static void cancel_other_starts_when_the_old_one_was_cancelled(void **state)
{
    struct claimed run, other;

    (void)state;
    make_minutely("'overlap':'cancelOther'");
    pass_to("10:01:00");
    assert_int_equal(claim(&run, "w"), 1);
    pass_to("10:02:00");
    assert_int_equal(claim(&other, "v"), 0);
    assert_int_equal(report(&run, "heartbeat"), 200);
    assert_json("cancelled", "true");
    assert_int_equal(report(&run, "fail"), 200);
    assert_outcome(&run, "'cancelled'");
    assert_int_equal(claim(&other, "v"), 1);
    assert_claimed_slot("10:02:00");
}

static void terminate_other_starts_at_once(void **state)
{
    struct claimed run, other;

    (void)state;
    make_minutely("'overlap':'terminateOther'");
    pass_to("10:01:00");
    assert_int_equal(claim(&run, "w"), 1);
    pass_to("10:02:00");
    assert_int_equal(claim(&other, "v"), 1);
    assert_claimed_slot("10:02:00");
    assert_outcome(&run, "'terminated'");
    assert_json("endedAt", "'2026-01-05T10:02:00.000Z'");
    assert_refused(report(&run, "complete"), 409, "stale_fence", "");
}

/* Runs of 90 s each minute: two at a time. */
static void allow_all_runs_in_parallel(void **state)
{
    struct claimed run, other;

    (void)state;
    make_minutely("'overlap':'allowAll'");
    pass_to("10:01:00");
    assert_int_equal(claim(&run, "w"), 1);
    pass_to("10:02:00");
    assert_int_equal(claim(&other, "v"), 1);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.open", "2");
    pass_to("10:02:30");
    assert_int_equal(report(&run, "complete"), 200);
    assert_int_equal(report(&other, "complete"), 200);
}

/* For one run only: the policy of the schedule does not change. */
static void a_trigger_may_have_a_policy_of_its_own(void **state)
{
    struct claimed run, other;

    (void)state;
    make_minutely("'overlap':'skip'");
    pass_to("10:01:00");
    assert_int_equal(claim(&run, "w"), 1);
    assert_int_equal(post("/api/v1/schedules/s/trigger", js("{'overlap':'allowAll'}")), 202);
    assert_int_equal(claim(&other, "v"), 1);
    assert_json("runs.0.kind", "'trigger'");
    pass_to("10:02:00");
    assert_int_equal(claim(&other, "u"), 0);
}

enum { CLAIMS_MAX = 100 };

/*
 * The server is down until 13:00:30 and misses the 180 slots from 10:01 to 13:00.  The 60 slots
 * from 12:01 on are not older than an hour; they run late, oldest first.
 */
static void after_a_downtime_only_the_catchup_window_runs(void **state)
{
    int count = 0;

    (void)state;
    make_minutely("'overlap':'allowAll','catchup':{'mode':'all','window':'1h'}");
    world.now += 3 * SPAN_H + 30 * SPAN_S;
    pass_time(0);
    for (; count < CLAIMS_MAX; count++) {
        struct claimed run;

        if (claim(&run, "w") == 0)
            break;
        if (count == 0)
            assert_claimed_slot("12:01:00");
        assert_int_equal(report(&run, "complete"), 200);
    }
    assert_int_equal(count, 60);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.counters.started", "60");
    assert_json("state.counters.missed", "120");
}

/* A poll reads runs ahead of their slots. */
static void no_run_is_granted_before_its_slot_or_twice(void **state)
{
    struct claimed run;

    (void)state;
    make_minutely("'overlap':'skip'");
    for (int i = 50; i < 60; i++) {
        pass_to(js("10:00:%02d", i));
        assert_int_equal(claim(&run, "w"), 0);
    }
    pass_to("10:01:00");
    assert_int_equal(claim(&run, "w"), 1);
    assert_json("runs.0.startedAt", "'2026-01-05T10:01:00.000Z'");
    assert_int_equal(claim(&run, "w"), 0);
    assert_int_equal(report(&run, "complete"), 200);
    for (int i = 1; i < 60; i++) {
        pass_to(js("10:01:%02d", i));
        assert_int_equal(claim(&run, "w"), 0);
    }
    pass_to("10:02:00");
    assert_int_equal(claim(&run, "w"), 1);
    assert_claimed_slot("10:02:00");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(skip_runs_one_at_a_time_and_counts_the_others),
        API_TEST(buffer_one_has_exactly_one_follow_up),
        API_TEST(buffer_all_has_a_follow_up_for_each_in_order),
        API_TEST(a_full_buffer_drops_and_counts),
        API_TEST(cancel_other_starts_when_the_old_one_was_cancelled),
        API_TEST(terminate_other_starts_at_once),
        API_TEST(allow_all_runs_in_parallel),
        API_TEST(a_trigger_may_have_a_policy_of_its_own),
        API_TEST(after_a_downtime_only_the_catchup_window_runs),
        API_TEST(no_run_is_granted_before_its_slot_or_twice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
