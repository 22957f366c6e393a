/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Archiving a schedule over the native API: what it keeps, rejects and no longer starts.
 */
#include "one_schedule.h"

static int archive(void)
{
    return post("/api/v1/schedules/s/archive", "");
}

/* It never starts a run; its history can be read by its name. */
static void an_archived_schedule_never_runs_and_keeps_its_history(void **state)
{
    struct claimed run;

    (void)state;
    assert_int_equal(put("{'cron':['*/5 * * * *']}", ""), 201);
    run_at("10:05:00", "10:05:01", "complete");
    assert_int_equal(archive(), 200);
    assert_json("state.status", "'closed'");
    assert_json("state.nextAt", "null");
    assert_json("state.version", "2");
    pass_time(3 * SPAN_H);
    assert_int_equal(claim(&run, "w"), 0);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.status", "'closed'");
    assert_json("state.counters", "{'started':1,'skipped':0,'missed':0,'dropped':0,"
                                  "'cancelled':0,'succeeded':1,'failed':0}");
    assert_int_equal(get("/api/v1/runs?schedule=s"), 200);
    assert_json("runs.0.slot", "'2026-01-05T10:05:00.000Z'");
    assert_json("runs.0.outcome", "'succeeded'");
    assert_json("runs.1", "absent");
    assert_int_equal(get("/api/v1/schedules/s/next"), 200);
    assert_json("times", "[]");
    assert_int_equal(get("/api/v1/schedules?status=closed"), 200);
    assert_json("schedules.0.id", "'s'");
    assert_int_equal(get("/api/v1/events?type=schedule.closed"), 200);
    assert_json("events.0.schedule", "'s'");
}

static void an_archived_schedule_can_only_be_deleted(void **state)
{
    (void)state;
    make_every("1h", "", "");
    assert_int_equal(archive(), 200);
    assert_refused(post("/api/v1/schedules/s/trigger", ""), 409, "bad_state", "");
    assert_refused(post("/api/v1/schedules/s/test", ""), 409, "bad_state", "");
    assert_refused(post("/api/v1/schedules/s/resume", ""), 409, "bad_state", "");
    assert_refused(hint("{'interval':'5m'}"), 409, "bad_state", "");
    assert_refused(put("{'cron':['* * * * *']}", ""), 409, "bad_state", "");
    assert_refused(archive(), 409, "bad_state", "");
    assert_true(strstr(json_at("detail"), "closed") != NULL);
    assert_int_equal(ask("DELETE /api/v1/schedules/s", NULL, NULL), 204);
    assert_int_equal(put("{'cron':['* * * * *']}", ""), 201); /* the id can be used again */
}

/* Its owner must end them first. */
static void a_schedule_with_open_runs_is_not_archived(void **state)
{
    struct claimed run;

    (void)state;
    assert_int_equal(put("{'cron':['*/5 * * * *']}", ",'policies':{'overlap':'bufferAll'}"),
                     201);
    pass_to("10:05:00");
    assert_refused(archive(), 409, "bad_state", ""); /* one is ready */
    assert_int_equal(claim(&run, "w"), 1);
    assert_refused(archive(), 409, "bad_state", "");
    assert_int_equal(post("/api/v1/schedules/s/pause", ""), 200);
    assert_int_equal(report(&run, "complete"), 200);
    pass_to("10:12:00"); /* 10:10 is missed, reason paused */
    assert_int_equal(archive(), 200);
    assert_json("state.status", "'closed'");
    assert_json("state.counters.missed", "1");
    pass_to("10:40:00"); /* from then on it has no slots */
    assert_int_equal(get("/api/v1/schedules/s/slots?from=2026-01-05T10:00:00Z"
                         "&to=2026-01-05T10:40:00Z"),
                     200);
    assert_json("slots.0.outcome", "'started'");
    assert_json("slots.1.outcome", "'missed'");
    assert_json("slots.2", "absent");
}

static void errors_name_the_field(void **state)
{
    (void)state;
    assert_refused(archive(), 404, "not_found", "");
    make_every("1h", "", "");
    assert_refused(post("/api/v1/schedules/s/archive", js("{'why':1}")), 400, "invalid_field",
                   "why");
    assert_refused(ask("POST /api/v1/schedules/s/archive", "If-Match: \"9\"\r\n", ""), 412,
                   "version_conflict", "");
    assert_int_equal(ask("POST /api/v1/schedules/s/archive", "If-Match: \"1\"\r\n", ""), 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(an_archived_schedule_never_runs_and_keeps_its_history),
        API_TEST(an_archived_schedule_can_only_be_deleted),
        API_TEST(a_schedule_with_open_runs_is_not_archived),
        API_TEST(errors_name_the_field),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
