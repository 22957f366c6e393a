/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Releasing a schedule from quarantine over the native API: what it shows before and after, and
 * what it refuses.
 */
#include "one_schedule.h"

static int release(void)
{
    return post("/api/v1/schedules/s/release", "");
}

static void quarantine(void)
{
    assert_int_equal(put("{'cron':['*/5 * * * *']}", ""), 201);
    quarantine_schedules();
}

static void a_quarantined_schedule_says_how_to_release_it(void **state)
{
    (void)state;
    quarantine();
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.status", "'paused'");
    assert_json("state.pausedReason", "'quarantined'");
    assert_json("state.nextAt", "null");
    assert_int_equal(get("/api/v1/schedules/s/health"), 200);
    assert_non_null(strstr(json_at(""), "belfry schedule release"));
}

static void a_release_starts_the_schedule_again(void **state)
{
    struct claimed run;

    (void)state;
    quarantine();
    pass_to("10:12:00");
    assert_int_equal(claim(&run, "w"), 0);
    assert_int_equal(release(), 200);
    assert_json("id", "'s'");
    assert_json("state.status", "'active'");
    assert_json("state.pausedReason", "null");
    assert_json("state.nextAt", "'2026-01-05T10:15:00.000Z'");
    assert_json("state.version", "2");
    assert_json("state.counters.dropped", "2"); /* 10:05 and 10:10 */
    assert_int_equal(get("/api/v1/events?type=schedule.released"), 200);
    assert_json("events.0.schedule", "'s'");
    assert_json("events.0.version", "2");
    assert_json("events.1", "absent");
    assert_int_equal(get("/api/v1/audit"), 200);
    assert_non_null(strstr(json_at(""), "schedule.release"));
    pass_to("10:15:00");
    assert_int_equal(claim(&run, "w"), 1);
}

static void only_a_quarantined_schedule_can_be_released(void **state)
{
    (void)state;
    assert_refused(release(), 404, "not_found", "");
    quarantine();
    assert_refused(ask("POST /api/v1/schedules/s/release", "If-Match: \"9\"\r\n", ""), 412,
                   "version_conflict", "");
    assert_refused(post("/api/v1/schedules/s/release", js("{'why':1}")), 400, "invalid_field",
                   "why");
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.pausedReason", "'quarantined'");
    assert_int_equal(release(), 200);
    assert_refused(release(), 409, "bad_state", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_quarantined_schedule_says_how_to_release_it),
        API_TEST(a_release_starts_the_schedule_again),
        API_TEST(only_a_quarantined_schedule_can_be_released),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
