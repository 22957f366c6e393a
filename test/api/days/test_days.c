/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The days of a schedule, and quantiles of lateness and duration.  The world begins on Monday,
 * 2026-01-05, at 10:00 UTC.
 */
#include "world.h"

static void make(const char *name, const char *spec, const char *rest)
{
    assert_int_equal(ask(js("PUT /api/v1/schedules/%s", name), NULL,
                         js("{'spec':%s,'action':{'type':'queue','queue':'q'}%s}", spec, rest)),
                     201);
}

/* Claims the ready run, and completes it or lets it fail. */
static void work(bool succeeds)
{
    struct str id;

    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q'],'worker':'w'}")), 200);
    id = text_at("runs.0.id");
    assert_int_equal(
        post(js("/api/v1/runs/%s/%s", id.ptr, succeeds ? "complete" : "fail"),
             js("{'fence':%s%s}", json_at("runs.0.fence"), succeeds ? "" : ",'error':'no'")),
        200);
}

/* In Auckland, 13 hours ahead, 11:00 UTC is the first slot of Tuesday. */
static void a_day_is_that_of_the_zone(void **state)
{
    (void)state;
    make("s", "{'cron':['0 0,20 * * *'],'timezone':'Pacific/Auckland'}", "");
    pass_time(2 * SPAN_H);
    work(true);
    assert_int_equal(get("/api/v1/schedules/s/days"), 200);
    assert_json("year", "2026");
    assert_json("timeZone", "'Pacific/Auckland'");
    assert_json("days.0.date", "'2026-01-06'");
    assert_json("days.0.slots.succeeded", "1");
    assert_json("days.0.slots.failed", "0");
    assert_null(
        json_object_get(json_array_get(json_object_get(world.json, "days"), 0), "triggers"));
    assert_int_equal(json_array_size(json_object_get(world.json, "days")), 1);
    assert_int_equal(get("/api/v1/schedules/s/days?year=2025"), 200);
    assert_json("days", "[]");
}

/* The answer is the same before the rows are counted and after. */
static void slots_triggers_and_backfills_are_apart(void **state)
{
    (void)state;
    make("s", "{'cron':['0 * * * *']}", ",'policies':{'overlap':'skip'}");
    pass_time(SPAN_H);
    pass_time(SPAN_H); /* 12:00 is skipped: the run of 11:00 waits for a worker */
    work(false);
    assert_int_equal(post("/api/v1/schedules/s/trigger", js("{}")), 202);
    work(true);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(get("/api/v1/schedules/s/days?year=2026"), 200);
        assert_json("days.0.slots.failed", "1");
        assert_json("days.0.slots.skipped", "1");
        assert_json("days.0.slots.succeeded", "0");
        assert_json("days.0.triggers.succeeded", "1");
        pass_time(20 * SPAN_MIN);
        pass_time(SPAN_MIN);
        pass_time(SPAN_MIN);
    }
}

static void missed_slots_of_a_pause_are_on_their_days(void **state)
{
    (void)state;
    make("s", "{'cron':['0 */6 * * *']}", "");
    assert_int_equal(post("/api/v1/schedules/s/pause", js("{}")), 200);
    pass_time(2 * SPAN_DAY);
    assert_int_equal(post("/api/v1/schedules/s/resume", js("{}")), 200);
    assert_int_equal(get("/api/v1/schedules/s/days"), 200);
    assert_json("days.0.date", "'2026-01-05'");
    assert_json("days.0.slots.missed", "2");
    assert_json("days.1.slots.missed", "4");
    assert_json("days.2.slots.missed", "2");
}

static void late_and_long_runs_have_quantiles(void **state)
{
    (void)state;
    make("s", "{'cron':['0 * * * *']}", ",'labels':{'team':'web'}");
    for (int i = 0; i < 3; i++) {
        pass_time(SPAN_H + 10 * SPAN_S); /* claimed 10 s, 20 s and 30 s late */
        work(true);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(get("/api/v1/lateness?schedule=s&by=day"), 200);
        assert_json("total.count", "3");
        assert_json("total.maxMs", "30000.0");
        assert_in_range((int)json_real_value(
                            json_object_get(json_object_get(world.json, "total"), "p50Ms")),
                        18000, 22000);
        assert_json("groups.0.day", "'2026-01-05'");
        assert_json("groups.0.count", "3");
        assert_int_equal(get("/api/v1/durations?schedule=s&by=schedule"), 200);
        assert_json("groups.0.schedule", "'s'");
        assert_json("groups.0.count", "3");
        pass_time(20 * SPAN_MIN);
        pass_time(SPAN_MIN);
        pass_time(SPAN_MIN);
    }
    assert_int_equal(get("/api/v1/lateness?by=queue"), 200);
    assert_json("groups.0.queue", "'q'");
    assert_json("groups.0.count", "3");
    assert_json("groups.0.maxMs", "30000.0");
    assert_int_equal(get("/api/v1/lateness?queue=q&by=none"), 200);
    assert_json("total.count", "3");
    assert_int_equal(get("/api/v1/lateness?label=team%3Dweb&by=schedule"), 200);
    assert_json("groups.0.schedule", "'s'");
    assert_int_equal(get("/api/v1/lateness?label=team"), 200);
    assert_json("total.count", "3");
    assert_int_equal(get("/api/v1/lateness?label=team%3Dnone"), 200);
    assert_json("total.count", "0");
    assert_json("total.p50Ms", "null");
    assert_int_equal(get("/api/v1/lateness?from=2026-01-06&to=2026-01-07&schedule=s"), 200);
    assert_json("total.count", "0");
    assert_json("from", "'2026-01-06'");
    assert_json("to", "'2026-01-07'");
}

static void errors_name_the_parameter(void **state)
{
    (void)state;
    assert_refused(get("/api/v1/schedules/s/days"), 404, "not_found", "");
    assert_refused(get("/api/v1/lateness?schedule=s"), 404, "not_found", "");
    assert_refused(get("/api/v1/lateness?queue=none"), 404, "not_found", "");
    make("s", "{'cron':['0 * * * *']}", "");
    assert_refused(get("/api/v1/schedules/s/days?year=1969"), 400, "invalid_field", "year");
    assert_refused(get("/api/v1/lateness?by=week"), 400, "invalid_field", "by");
    assert_refused(get("/api/v1/lateness?from=2026-02-30"), 400, "invalid_field", "from");
    assert_refused(get("/api/v1/lateness?to=2026-2-3"), 400, "invalid_field", "to");
    assert_refused(get("/api/v1/lateness?from=2026-01-03&to=2026-01-02"), 400, "invalid_field",
                   "from");
    assert_refused(get("/api/v1/lateness?from=2020-01-03&to=2026-01-02"), 422, "limit", "from");
    assert_refused(get("/api/v1/durations?schedule=s&queue=q"), 400, "invalid_field", "queue");
    assert_refused(get("/api/v1/durations?schedule=s&by=queue"), 400, "invalid_field", "by");
    assert_refused(get("/api/v1/durations?queue=q&by=schedule"), 400, "invalid_field", "by");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_day_is_that_of_the_zone),
        API_TEST(slots_triggers_and_backfills_are_apart),
        API_TEST(missed_slots_of_a_pause_are_on_their_days),
        API_TEST(late_and_long_runs_have_quantiles),
        API_TEST(errors_name_the_parameter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
