/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resuming schedules, and the forecast of a dry run.
 */
#include "world.h"

static void make(const char *spec, const char *rest)
{
    assert_int_equal(ask("PUT /api/v1/schedules/s", NULL,
                         js("{'spec':%s,'action':{'type':'queue','queue':'q'}%s}", spec, rest)),
                     201);
    assert_int_equal(post("/api/v1/schedules/s/pause", ""), 200);
}

static void dry_run(void)
{
    assert_int_equal(post("/api/v1/schedules/s/resume", js("{'dryRun':true}")), 200);
    assert_json("dryRun", "true");
}

static void slots_of_a_pause_would_be_missed(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    pass_time(3 * SPAN_H + SPAN_MIN);
    dry_run();
    assert_json("missed", "3");
    assert_json("replayed", "0");
    assert_json("first", "'2026-01-05T11:00:00.000Z'");
    assert_json("last", "'2026-01-05T13:00:00.000Z'");
    assert_json("slots", "[{'outcome':'missed','reason':'paused','count':3,"
                         "'first':'2026-01-05T11:00:00.000Z',"
                         "'last':'2026-01-05T13:00:00.000Z'}]");
    assert_json("nextAt", "'2026-01-05T14:00:00.000Z'");
    assert_json("status", "'paused'");
    /* The dry run changed nothing. */
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.status", "'paused'");
    assert_int_equal(post("/api/v1/schedules/s/resume", ""), 200);
    assert_json("state.status", "'active'");
    assert_json("state.counters.missed", "3");
    assert_json("state.nextAt", "'2026-01-05T14:00:00.000Z'");
}

static void slots_of_a_pause_would_be_replayed_where_that_is_asked_for(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}",
         ",'policies':{'overlap':'allowAll','catchup':{'mode':'all','whilePaused':true,"
         "'window':'2h30m'}}");
    pass_time(4 * SPAN_H + SPAN_MIN);
    dry_run();
    assert_json("replayed", "3"); /* 14:01 - 2:30 is 11:31 */
    assert_json("missed", "1");
    assert_json("slots.0.reason", "'window'");
    assert_json("slots.0.count", "1");
    assert_json("slots.1.outcome", "'started'");
    assert_json("slots.1.first", "'2026-01-05T12:00:00.000Z'");
    assert_json("slots.1.last", "'2026-01-05T14:00:00.000Z'");
    assert_int_equal(post("/api/v1/schedules/s/resume", ""), 200);
    pass_time(0);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.counters.started", "3");
    assert_json("state.counters.missed", "1");
}

static void with_mode_latest_one_slot_is_replayed(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", ",'policies':{'catchup':{'whilePaused':true}}");
    pass_time(4 * SPAN_H + SPAN_MIN);
    dry_run();
    assert_json("replayed", "1");
    assert_json("missed", "3");
    assert_json("slots.0.reason", "'coalesced'");
    assert_json("slots.1.first", "'2026-01-05T14:00:00.000Z'");
}

/* 86,400 slots a day are counted without visiting each one. */
static void a_long_pause_of_a_busy_schedule(void **state)
{
    (void)state;
    make("{'cron':['* * * * * *']}", "");
    pass_time(30 * SPAN_DAY);
    dry_run();
    assert_json("missed", "2592000");
    assert_json("last", "'2026-02-04T10:00:00.000Z'");
}

static void cancelled_slots_are_counted_separately(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(ask("PUT /api/v1/schedules/s/exceptions/2026-01-05T12:00:00Z", NULL, ""),
                     201);
    pass_time(3 * SPAN_H + SPAN_MIN);
    dry_run();
    assert_json("missed", "2");
    assert_json("slots.1.outcome", "'cancelled'");
    assert_json("slots.1.count", "1");
}

static void resuming_an_active_schedule_changes_nothing(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(post("/api/v1/schedules/s/resume", ""), 200);
    dry_run();
    assert_json("missed", "0");
    assert_json("replayed", "0");
    assert_json("first", "null");
    assert_json("status", "'active'");
    assert_non_null(strstr(json_at("text"), "not paused"));
}

static void resuming_does_not_enable_a_disabled_schedule(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", ",'enabled':false");
    pass_time(3 * SPAN_H);
    dry_run();
    assert_json("missed", "0");
    assert_non_null(strstr(json_at("text"), "also disabled"));
}

static void a_governed_schedule_that_is_overdue_runs_at_once(void **state)
{
    (void)state;
    make("{'intervals':[{'every':'1h'}]}", ",'governor':{}");
    pass_time(3 * SPAN_H);
    dry_run();
    assert_json("replayed", "1");
    assert_json("missed", "1"); /* the pick itself; the run at the resume is another slot */
    assert_json("nextAt", "'2026-01-05T13:00:00.000Z'");
    assert_int_equal(post("/api/v1/schedules/s/resume", ""), 200);
    assert_json("state.counters.missed", "1");
    assert_json("state.counters.started", "1");
}

static void a_governed_schedule_misses_the_grid_of_its_pause(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", ",'governor':{}");
    pass_time(3 * SPAN_H + SPAN_MIN);
    dry_run();
    assert_json("replayed", "1");
    assert_json("missed", "3");
    assert_json("first", "'2026-01-05T11:00:00.000Z'");
    assert_int_equal(post("/api/v1/schedules/s/resume", ""), 200);
    assert_json("state.counters.missed", "3");
    assert_json("state.counters.started", "1");
}

static void edit(const char *spec, const char *rest)
{
    assert_int_equal(ask("PUT /api/v1/schedules/s", NULL,
                         js("{'spec':%s,'action':{'type':'queue','queue':'q'}%s}", spec, rest)),
                     200);
}

static void a_document_that_is_not_paused_resumes(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    pass_time(3 * SPAN_H + SPAN_MIN);
    edit("{'cron':['30 * * * *']}", ",'paused':false");
    assert_json("state.status", "'active'");
    assert_json("state.counters.missed", "3"); /* counted with the plan during the pause */
    assert_json("state.nextAt", "'2026-01-05T13:30:00.000Z'");
    assert_int_equal(get("/api/v1/events?type=schedule.resumed"), 200);
    assert_json("events.1", "absent");
    assert_int_equal(get("/api/v1/schedules/s/slots?from=2026-01-05T10:00:00Z"
                         "&to=2026-01-05T13:01:00Z"),
                     200);
    assert_json("slots.0.reason", "'paused'");
    assert_json("slots.0.last", "'2026-01-05T13:00:00.000Z'");
    assert_json("slots.1", "absent");
}

static void a_document_replays_where_that_is_asked_for(void **state)
{
    const char *policies = "'policies':{'overlap':'allowAll','catchup':{'mode':'all',"
                           "'whilePaused':true,'window':'2h30m'}}";

    (void)state;
    make("{'cron':['0 * * * *']}", js(",%s", policies));
    pass_time(4 * SPAN_H + SPAN_MIN);
    edit("{'cron':['0 * * * *']}", js(",'paused':false,%s", policies));
    pass_time(0);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.counters.started", "3");
    assert_json("state.counters.missed", "1");
    assert_json("state.nextAt", "'2026-01-05T15:00:00.000Z'");
}

static void a_document_lets_a_governed_schedule_that_is_overdue_run_at_once(void **state)
{
    (void)state;
    make("{'intervals':[{'every':'5m'}]}", ",'governor':{}");
    pass_time(SPAN_H);
    edit("{'intervals':[{'every':'5m'}]}", ",'governor':{},'paused':false");
    pass_time(0);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.counters.started", "1");
}

static void a_document_that_is_paused_pauses_in_the_same_step(void **state)
{
    (void)state;
    assert_int_equal(ask("PUT /api/v1/schedules/s", NULL,
                         js("{'paused':{'reason':'not yet'},'spec':{'at':['now']},"
                            "'action':{'type':'queue','queue':'q'}}")),
                     201);
    assert_json("state.status", "'paused'");
    assert_json("state.pausedReason", "'not yet'");
    assert_json("paused", "absent"); /* `state` shows it */
    assert_int_equal(post("/api/v1/schedules/s/resume", ""), 200);
    assert_int_equal(ask("PATCH /api/v1/schedules/s", NULL,
                         js("{'paused':{'until':'2026-01-05T12:00:00Z'},"
                            "'spec':{'at':[],'cron':['* * * * *']}}")),
                     200);
    assert_json("state.status", "'paused'");
    assert_json("state.pausedReason", "null");
    assert_json("state.pausedUntil", "'2026-01-05T12:00:00.000Z'");
    pass_time(SPAN_H);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.counters.started", "0");
    pass_time(SPAN_H);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.status", "'active'");
}

static void a_document_without_paused_keeps_the_pause(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    edit("{'cron':['30 * * * *']}", "");
    assert_json("state.status", "'paused'");
    edit("{'cron':['30 * * * *']}", ",'paused':null,'state':{'status':'active'}");
    assert_json("state.status", "'paused'");
    assert_int_equal(ask("PATCH /api/v1/schedules/s", NULL, js("{'description':'x'}")), 200);
    assert_json("state.status", "'paused'");
    assert_int_equal(post("/api/v1/schedules/s/resume", ""), 200);
    assert_int_equal(ask("PATCH /api/v1/schedules/s", NULL, js("{'description':'y'}")), 200);
    assert_json("state.status", "'active'");
}

static void a_pause_that_ended_in_the_past_has_no_effect(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    edit("{'cron':['0 * * * *']}", ",'paused':{'until':'2026-01-05T10:00:00Z'}");
    assert_json("state.status", "'active'");
    assert_json("state.pausedReason", "null");
}

static void a_wrong_pause_of_a_document_is_named(void **state)
{
    (void)state;
    assert_refused(
        post("/api/v1/schedules", js("{'paused':'yes','action':{'type':'queue','queue':'q'}}")),
        400, "invalid_field", "paused");
    assert_refused(post("/api/v1/schedules", js("{'paused':{'untill':'2027-01-01T00:00:00Z'},"
                                                "'action':{'type':'queue','queue':'q'}}")),
                   400, "invalid_field", "paused.untill");
}

static void errors_name_the_field(void **state)
{
    (void)state;
    assert_refused(post("/api/v1/schedules/s/resume", js("{'dryRun':true}")), 404, "not_found",
                   "");
    make("{'cron':['0 * * * *']}", "");
    assert_refused(post("/api/v1/schedules/s/resume", js("{'dryrun':true}")), 400,
                   "invalid_field", "dryrun");
    assert_non_null(strstr(json_at("detail"), "dryRun"));
    assert_refused(post("/api/v1/schedules/s/resume", js("{'dryRun':1}")), 400, "invalid_field",
                   "dryRun");
}

/* The catch-up mode latest does not apply: another server has run the slots before 12:30. */
static void a_resume_from_a_past_time_runs_the_slots_since(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", ",'policies':{'overlap':'allowAll'}");
    pass_time(4 * SPAN_H + SPAN_MIN);
    assert_int_equal(post("/api/v1/schedules/s/resume",
                          js("{'from':'2026-01-05T12:30:00Z','reason':'taken over'}")),
                     200);
    assert_json("state.status", "'active'");
    pass_time(0);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.counters.started", "2");
    assert_json("state.counters.missed", "4");
    assert_json("state.nextAt", "'2026-01-05T15:00:00.000Z'");
    assert_refused(post("/api/v1/schedules/s/resume", js("{'from':'2026-01-05T12:30:00Z'}")),
                   409, "bad_state", "");
}

static void a_resume_from_a_wrong_time_is_rejected(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_refused(post("/api/v1/schedules/s/resume", js("{'from':'2026-01-06T00:00:00Z'}")),
                   400, "invalid_field", "from");
    assert_refused(post("/api/v1/schedules/s/resume", js("{'from':'2025-12-20T00:00:00Z'}")),
                   400, "invalid_field", "from");
    assert_refused(
        post("/api/v1/schedules/s/resume", js("{'from':'2026-01-05T00:00:00Z','dryRun':true}")),
        400, "invalid_field", "from");
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.status", "'paused'");
}

/* docs/semantics.md [P-14]: slots of a quarantine are dropped, also with whilePaused. */
static void slots_of_a_quarantine_would_be_dropped(void **state)
{
    (void)state;
    assert_int_equal(ask("PUT /api/v1/schedules/s", NULL,
                         js("{'spec':{'cron':['0 * * * *']},'action':{'type':'queue',"
                            "'queue':'q'},'policies':{'catchup':{'whilePaused':true}}}")),
                     201);
    quarantine_schedules();
    world.now += 2 * SPAN_H + SPAN_MIN; /* no turn has recorded the slots */
    dry_run();
    assert_json("slots", "[{'outcome':'dropped','reason':'quarantined','count':2,"
                         "'first':'2026-01-05T11:00:00.000Z',"
                         "'last':'2026-01-05T12:00:00.000Z'}]");
    assert_json("missed", "0");
    assert_json("replayed", "0");
    assert_json("text", "'the quarantine would end; its slots are dropped and do not run; next "
                        "run at 2026-01-05T13:00:00Z'");
    assert_int_equal(post("/api/v1/schedules/s/resume", ""), 200);
    assert_json("state.counters.dropped", "2");
    assert_json("state.counters.missed", "0");
    assert_json("state.nextAt", "'2026-01-05T13:00:00.000Z'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(slots_of_a_pause_would_be_missed),
        API_TEST(slots_of_a_pause_would_be_replayed_where_that_is_asked_for),
        API_TEST(with_mode_latest_one_slot_is_replayed),
        API_TEST(a_long_pause_of_a_busy_schedule),
        API_TEST(cancelled_slots_are_counted_separately),
        API_TEST(resuming_an_active_schedule_changes_nothing),
        API_TEST(resuming_does_not_enable_a_disabled_schedule),
        API_TEST(a_governed_schedule_that_is_overdue_runs_at_once),
        API_TEST(a_governed_schedule_misses_the_grid_of_its_pause),
        API_TEST(a_document_that_is_not_paused_resumes),
        API_TEST(a_document_replays_where_that_is_asked_for),
        API_TEST(a_document_lets_a_governed_schedule_that_is_overdue_run_at_once),
        API_TEST(a_document_that_is_paused_pauses_in_the_same_step),
        API_TEST(a_document_without_paused_keeps_the_pause),
        API_TEST(a_pause_that_ended_in_the_past_has_no_effect),
        API_TEST(a_wrong_pause_of_a_document_is_named),
        API_TEST(slots_of_a_quarantine_would_be_dropped),
        API_TEST(errors_name_the_field),
        API_TEST(a_resume_from_a_past_time_runs_the_slots_since),
        API_TEST(a_resume_from_a_wrong_time_is_rejected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
