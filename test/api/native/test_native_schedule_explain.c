/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explanations of why a schedule does or does not run at a time.
 */
#include "world.h"

static void make(const char *spec, const char *rest)
{
    assert_int_equal(ask("PUT /api/v1/schedules/s", NULL,
                         js("{'spec':%s,'action':{'type':'queue','queue':'q'}%s}", spec, rest)),
                     201);
}

static void explain(const char *at)
{
    assert_int_equal(get(js("/api/v1/schedules/s/explain?at=%s", at)), 200);
}

static void assert_said(const char *part)
{
    if (!strstr(json_at("moments.0.sentences"), part))
        fail_msg("%s", json_at("moments.0.sentences"));
}

static void a_planned_slot(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    explain("2026-01-05T12:00:00Z");
    assert_json("timezone", "'UTC'");
    assert_json("moments.0.at", "'2026-01-05T12:00:00.000Z'");
    assert_json("moments.0.isSlot", "true");
    assert_json("moments.0.why", "'slot'");
    assert_json("moments.0.previous", "'2026-01-05T11:00:00.000Z'");
    assert_json("moments.0.next", "'2026-01-05T13:00:00.000Z'");
    assert_json("moments.0.slot.outcome", "null");
    assert_json("moments.1", "absent");
    assert_said("It will be started.");
}

#define FIRST_OF_JUNE "'from':'2025-06-01T00:00:00Z','to':'2025-06-01T00:00:00Z'"

/* A backfill at a time before the schedule was created. */
static void a_slot_that_was_backfilled(void **state)
{
    (void)state;
    make("{'cron':['0 0 * * *']}", "");
    explain("2025-06-01T00:00:00Z");
    assert_json("moments.0.sentences.2", "absent");
    assert_int_equal(post("/api/v1/schedules/s/backfill", js("{" FIRST_OF_JUNE "}")), 202);
    pass_time(SPAN_S);
    explain("2025-06-01T00:00:00Z");
    assert_said("created later.");
    assert_said(", of a backfill or a retry, is open: ready.");
    assert_int_equal(
        post("/api/v1/schedules/s/backfill", js("{" FIRST_OF_JUNE ",'overlap':'skip'}")), 202);
    pass_time(SPAN_S);
    explain("2025-06-01T00:00:00Z");
    assert_said("A backfill included it, but it was skipped: a run of the schedule was still");
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    assert_int_equal(post("/api/v1/runs/complete",
                          js("{'items':[{'id':%s,'fence':1}]}", json_at("runs.0.id"))),
                     200);
    explain("2025-06-01T00:00:00Z");
    assert_said(", of a backfill or a retry, ended as succeeded.");
}

static void a_time_that_is_not_a_slot(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *'],'exclude':{'dates':['2026-01-06']},"
         "'window':{'from':'08:00','to':'20:00','rule':'filter'},"
         "'end':'2026-02-01T00:00:00Z'}",
         "");
    explain("2026-01-05T12:30:00Z");
    assert_json("moments.0.isSlot", "false");
    assert_json("moments.0.why", "'noMatch'");
    assert_json("moments.0.slot", "null");
    explain("2026-01-06T12:00:00Z");
    assert_json("moments.0.why", "'excludedDate'");
    explain("2026-01-07T03:00:00Z");
    assert_json("moments.0.why", "'outsideWindow'");
    explain("2026-02-03T12:00:00Z");
    assert_json("moments.0.why", "'afterEnd'");
}

/* New York, 2026-03-08: 02:00 becomes 03:00; 2026-11-01: 02:00 becomes 01:00. */
static void a_local_time_may_occur_never_or_twice(void **state)
{
    (void)state;
    make("{'cron':['30 2 * * *'],'timezone':'America/New_York'}", "");
    explain("2026-03-08T02:30");
    assert_json("moments.0.at", "null");
    assert_json("moments.0.why", "'gap'");
    assert_json("moments.1", "absent");
    explain("2026-06-01T02:30");
    assert_json("moments.0.at", "'2026-06-01T06:30:00.000Z'");
    assert_int_equal(
        ask("PATCH /api/v1/schedules/s", NULL, js("{'spec':{'cron':['30 1 * * *']}}")), 200);
    explain("2026-11-01T01:30:00");
    assert_json("moments.0.at", "'2026-11-01T05:30:00.000Z'");
    assert_json("moments.0.local", "'2026-11-01T01:30:00-04:00'");
    assert_json("moments.0.isSlot", "true");
    assert_json("moments.1.at", "'2026-11-01T06:30:00.000Z'");
    assert_json("moments.1.isSlot", "false");
    assert_json("moments.1.why", "'fold'");
}

static void past_slots_have_their_outcome(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    pass_time(2 * SPAN_H); /* 11:00 is open, 12:00 skipped */
    explain("2026-01-05T11:00:00Z");
    assert_json("moments.0.slot.outcome", "'started'");
    assert_said("It was started, and its run is open: ready.");
    explain("2026-01-05T12:00:00Z");
    assert_json("moments.0.slot.reason", "'overlap'");
    assert_said("It was skipped: a run of the schedule was still open");
    explain("2026-01-05T09:00:00Z");
    assert_said("the schedule was created later");
    assert_json("moments.0.slot", "null");
}

static void past_and_future_slots_of_a_pause(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(post("/api/v1/schedules/s/pause", ""), 200);
    pass_time(SPAN_H);
    explain("2026-01-05T11:00:00Z");
    assert_said("It was missed: the schedule was paused");
    explain("2026-01-05T12:00:00Z");
    assert_said("the slot will be missed unless the schedule is resumed before");
    assert_int_equal(post("/api/v1/schedules/s/resume", ""), 200);
    assert_int_equal(post("/api/v1/schedules/s/skip-next", ""), 200);
    explain("2026-01-05T12:00:00Z");
    assert_said("a user has skipped it");
}

static void a_slot_of_an_earlier_spec(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    pass_time(SPAN_H);
    assert_int_equal(
        ask("PATCH /api/v1/schedules/s", NULL, js("{'spec':{'cron':['30 * * * *']}}")), 200);
    explain("2026-01-05T11:00:00Z");
    assert_json("moments.0.isSlot", "false");
    assert_json("moments.0.slot.outcome", "'started'");
    assert_said("with an earlier spec or calendar");
    explain("2026-01-05T10:30:00Z");
    assert_json("moments.0.isSlot", "true");
    assert_json("moments.0.slot", "null");
    assert_said("the schedule was edited later");
}

static void explain_defaults_to_now(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    pass_time(10 * SPAN_MIN);
    assert_int_equal(get("/api/v1/schedules/s/explain"), 200);
    assert_json("moments.0.at", "'2026-01-05T10:10:00.000Z'");
    assert_json("moments.0.why", "'noMatch'");
    assert_json("moments.0.next", "'2026-01-05T11:00:00.000Z'");
}

static void errors_name_the_field(void **state)
{
    (void)state;
    assert_refused(get("/api/v1/schedules/s/explain?at=2026-01-05T10:00:00Z"), 404, "not_found",
                   "");
    make("{'cron':['0 * * * *']}", "");
    assert_refused(get("/api/v1/schedules/s/explain?at=noon"), 400, "invalid_field", "at");
    assert_refused(get("/api/v1/schedules/s/explain?at=2026-01-05T25:00"), 400, "invalid_field",
                   "at");
    assert_refused(get("/api/v1/schedules/s/explain?t=1"), 400, "invalid_field", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_planned_slot),
        API_TEST(a_slot_that_was_backfilled),
        API_TEST(a_time_that_is_not_a_slot),
        API_TEST(a_local_time_may_occur_never_or_twice),
        API_TEST(past_slots_have_their_outcome),
        API_TEST(past_and_future_slots_of_a_pause),
        API_TEST(a_slot_of_an_earlier_spec),
        API_TEST(explain_defaults_to_now),
        API_TEST(errors_name_the_field),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
