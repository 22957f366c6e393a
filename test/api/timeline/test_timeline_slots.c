/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slots of many schedules in a window.
 */
#include "timeline.h"

#define DAY_1 "&from=2026-01-05T00:00:00Z&to=2026-01-05T17:00:00Z"

static void past_and_planned_are_one_list(void **state)
{
    (void)state;
    make("s", "{'cron':['0 * * * *'],'timezone':'Europe/Berlin'}", "");
    pass_time(SPAN_H); /* 11:00 starts */
    work("s", true);
    pass_time(SPAN_H);     /* 12:00 starts and stays open */
    pass_time(2 * SPAN_H); /* 13:00, 14:00 are skipped    */
    assert_int_equal(ask("PUT /api/v1/schedules/s/exceptions/2026-01-05T16:00:00Z", NULL, ""),
                     201);
    assert_string_equal(slots(DAY_1), "11:00 started [succeeded], 12:00 started [ready], "
                                      "13:00 skipped/overlap, 14:00 skipped/overlap, "
                                      "15:00 planned, 16:00 cancelled/user");
    assert_json("schedules.0.timezone", "'Europe/Berlin'");
    assert_json("schedules.0.queue", "'q-s'");
    assert_json("schedules.0.action", "'queue'");
    assert_json("schedules.0.status", "'active'");
    assert_json("schedules.0.cut", "null");
    assert_json("schedules.0.slots.0.run.endedAt", "'2026-01-05T11:00:00.000Z'");
    assert_json("schedules.0.slots.4.due", "'2026-01-05T15:00:00.000Z'");
    assert_json("cursor", "null");
    assert_json("cut", "null");
    assert_json("from", "'2026-01-05T00:00:00.000Z'");
    assert_json("now", "'2026-01-05T14:00:00.000Z'");
    assert_json("step", "'15m'"); /* 17 h / 96 is 10 min 37.5 s */
}

static void the_window_is_a_day_around_now(void **state)
{
    (void)state;
    make("s", "{'cron':['0 */6 * * *']}", "");
    assert_string_equal(slots(""), "12:00 planned, 18:00 planned, 06.00:00 planned");
    assert_json("from", "'2026-01-05T04:00:00.000Z'");
    assert_json("to", "'2026-01-06T04:00:00.000Z'");
    assert_string_equal(slots("&from=2026-01-05T12:00:00Z"),
                        "12:00 planned, 18:00 planned, 06.00:00 planned, 06.06:00 planned");
    assert_string_equal(slots("&to=2026-01-05T18:00:00Z"), "12:00 planned");
}

/* 10:01 succeeds, 10:02 fails, 10:03 stays open, 10:04 is skipped; 10:05 to 11:59 follow. */
static void many_slots_are_counted(void **state)
{
    (void)state;
    make("s", "{'cron':['* * * * *']}", "");
    for (int i = 0; i < 4; i++) {
        pass_time(SPAN_MIN);
        if (i < 2)
            work("s", i == 0);
    }
    assert_string_equal(slots("&from=2026-01-05T09:00:00Z&to=2026-01-05T12:00:00Z&step=30m"),
                        "10:00 open=1 succeeded=1 failed=1 skipped=1, plan 10:05 +1m x115");
    assert_string_equal(
        slots("&from=2026-01-05T10:02:00Z&to=2026-01-05T10:06:00Z&step=2m&slots=0"),
        "10:02 open=1 failed=1, 10:04 skipped=1, plan 10:05 x1");
    assert_json("schedules.0.planned.0.step", "null");
    /* As many as the limit are listed. */
    assert_string_equal(slots("&from=2026-01-05T10:02:00Z&to=2026-01-05T10:06:00Z&slots=4"),
                        "10:02 started [failed], 10:03 started [ready], "
                        "10:04 skipped/overlap, 10:05 planned");
}

/* Claimed 90 s after it was due, ended 12.5 s later; the next one still waits. */
static void late_and_busy_time_are_counted(void **state)
{
    char fence[32];
    struct str id;

    (void)state;
    make("s", "{'cron':['0 * * * *']}", ",'policies':{'overlap':'allowAll'}");
    pass_time(SPAN_H);
    for (int i = 0; i < 9; i++)
        pass_time(10 * SPAN_S);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q-s'],'worker':'w'}")), 200);
    snprintf(fence, sizeof fence, "%s", json_at("runs.0.fence"));
    id = text_at("runs.0.id");
    pass_time(12500 * SPAN_MS);
    assert_int_equal(post(js("/api/v1/runs/%s/complete", id.ptr), js("{'fence':%s}", fence)),
                     200);
    pass_time(58 * SPAN_MIN); /* 11:59:42.5 */
    pass_time(2 * SPAN_MIN);  /* 12:01:42.5 */
    assert_string_equal(slots(DAY_1 "&slots=0&step=1h"),
                        "11:00 succeeded=1 late=1 busy=12s500ms, 12:00 open=1 late=1, "
                        "plan 13:00 +1h x4");
}

/* 02:30 in Berlin does not exist on 29 March: the slot moves to 03:00, 01:00 UTC. */
static void clock_changes_are_obeyed(void **state)
{
    const char *window = "&from=2026-03-28T00:00:00Z&to=2026-03-31T00:00:00Z";

    (void)state;
    make("s", "{'cron':['30 2 * * *'],'timezone':'Europe/Berlin'}", "");
    assert_string_equal(slots(window), "28.01:30 planned, 29.01:00 planned, 30.00:30 planned");
    make("t", "{'cron':['0 9 * * *'],'timezone':'Europe/Berlin'}", "");
    make("u", "{'cron':['*/5 * * * *'],'timezone':'Europe/Berlin'}", "");
    assert_int_equal(get(js("/api/v1/slots?slots=0%s", window)), 200);
    assert_string_equal(row_text("t"), "plan 28.08:00 +23h x2, plan 30.07:00 x1");
    assert_string_equal(row_text("u"), "plan 28.00:00 +5m x864");
}

/* An interval is counted by a division, and other specs are walked: both give series. */
static void series_are_of_equal_distance(void **state)
{
    const char *window = "&slots=0&from=2026-01-06T00:00:00Z&to=2026-01-06T02:00:00Z";

    (void)state;
    make("s", "{'intervals':[{'every':'7s'}]}", ""); /* of 1970: 1767657600 % 7 is 2 */
    assert_string_equal(slots(window), "plan 06.00:00 +7s x1028");
    assert_json("schedules.0.planned.0.first", "'2026-01-06T00:00:05.000Z'");
    assert_int_equal(ask("PATCH /api/v1/schedules/s", NULL,
                         js("{'spec':{'intervals':null,'cron':['*/25 * * * *']}}")),
                     200);
    assert_string_equal(slots(window), "plan 06.00:00 +25m x3, plan 06.01:00 +25m x3");
}

/* Every seventh minute: each hour is a series of nine slots, so two days need 48 series. */
static void too_many_series_are_counted_by_bucket(void **state)
{
    const json_t *buckets;
    int64_t sum = 0;

    (void)state;
    make("s", "{'cron':['*/7 * * * *']}", "");
    (void)slots("&slots=0&from=2026-01-06T00:00:00Z&to=2026-01-08T00:00:00Z&step=1h");
    assert_json("schedules.0.planned", "absent");
    buckets = json_object_get(row_of("s"), "buckets");
    assert_int_equal(json_array_size(buckets), 48);
    for (size_t i = 0; i < 48; i++)
        sum += json_integer_value(json_object_get(json_array_get(buckets, i), "planned"));
    assert_int_equal(sum, 48 * 9);
}

static void pauses_and_exceptions_are_obeyed(void **state)
{
    (void)state;
    make("s", "{'cron':['0 * * * *']}", "");
    assert_int_equal(post("/api/v1/schedules/s/pause", js("{'until':'2026-01-05T14:30:00Z'}")),
                     200);
    pass_time(SPAN_H); /* 11:00 is missed, but not written before the pause ends */
    assert_int_equal(ask("PUT /api/v1/schedules/s/exceptions/2026-01-05T16:00:00Z", NULL, ""),
                     201);
    assert_string_equal(slots(DAY_1), "11:00 missed/paused, 12:00 planned/paused, "
                                      "13:00 planned/paused, 14:00 planned/paused, "
                                      "15:00 planned, 16:00 cancelled/user");
    assert_json("schedules.0.status", "'paused'");
    assert_string_equal(slots(DAY_1 "&slots=0&step=1h"),
                        "11:00 missed=1, 16:00 cancelled=1, plan 12:00 +1h x3/paused, "
                        "plan 15:00 x1");
}

/* They are counted by a division, also within a pause. */
static void pauses_of_an_interval_are_series(void **state)
{
    (void)state;
    make("s", "{'intervals':[{'every':'20m'}]}", "");
    assert_int_equal(post("/api/v1/schedules/s/pause", ""), 200);
    pass_time(SPAN_H); /* it is 11:00 */
    assert_string_equal(slots(DAY_1 "&slots=0&step=1h"),
                        "10:00 missed=2, 11:00 missed=1, plan 11:20 +20m x17/paused");
    assert_int_equal(post("/api/v1/schedules/s/pause", js("{'until':'2026-01-05T12:00:00Z'}")),
                     200);
    assert_string_equal(slots(DAY_1 "&slots=0&step=1h"),
                        "10:00 missed=2, 11:00 missed=1, plan 11:20 +20m x2/paused, "
                        "plan 12:00 +20m x15");
}

/* The ledger has one row for the whole pause, of which the window has 30 slots. */
static void a_range_of_the_ledger_is_divided(void **state)
{
    (void)state;
    make("s", "{'cron':['* * * * *']}", "");
    assert_int_equal(post("/api/v1/schedules/s/pause", ""), 200);
    pass_time(100 * SPAN_MIN); /* 10:01 to 11:40 */
    assert_int_equal(post("/api/v1/schedules/s/resume", ""), 200);
    assert_string_equal(
        slots("&slots=0&step=20m&from=2026-01-05T10:30:00Z&to=2026-01-05T11:00:00Z"),
        "10:20 missed=10, 10:40 missed=20");
    assert_string_equal(
        slots("&slots=0&step=1h&from=2026-01-05T10:00:00Z&to=2026-01-05T12:00:00Z"),
        "10:00 missed=59, 11:00 missed=41, plan 11:41 +1m x19");
}

/* The current spec does not tell where the ten slots were. */
static void a_range_of_another_spec_is_one_entry(void **state)
{
    (void)state;
    make("s", "{'cron':['* * * * *']}", "");
    assert_int_equal(post("/api/v1/schedules/s/pause", ""), 200);
    pass_time(10 * SPAN_MIN);
    assert_int_equal(
        ask("PATCH /api/v1/schedules/s", NULL, js("{'spec':{'cron':['0 * * * *']}}")), 200);
    assert_int_equal(post("/api/v1/schedules/s/resume", ""), 200);
    assert_string_equal(slots("&to=2026-01-05T12:00:00Z"),
                        "10:01 missed/paused x10, 11:00 planned");
    assert_json("schedules.0.slots.0.last", "'2026-01-05T10:10:00.000Z'");
    assert_json("schedules.0.cut", "null");
    assert_string_equal(slots("&to=2026-01-05T12:00:00Z&slots=0&step=5m"),
                        "10:00 missed=10, plan 11:00 x1");
    assert_non_null(strstr(json_at("schedules.0.cut"), "earlier spec"));
}

static void triggers_and_backfills_are_marked(void **state)
{
    (void)state;
    make("s", "{'cron':['0 * * * *']}", ",'policies':{'overlap':'allowAll'}");
    assert_int_equal(post("/api/v1/schedules/s/trigger", ""), 202);
    assert_int_equal(post("/api/v1/schedules/s/backfill",
                          js("{'from':'2026-01-05T08:00:00Z','to':'2026-01-05T09:00:00Z'}")),
                     202);
    pass_time(SPAN_S);
    assert_string_equal(slots("&to=2026-01-05T12:00:00Z"),
                        "08:00 started [ready] backfill, 09:00 started [ready] backfill, "
                        "10:00 started [ready] trigger, 11:00 planned");
    work("s", true); /* the trigger is due first? all are due now: the order is that of ranks */
    work("s", true);
    work("s", true);
    assert_string_equal(slots("&to=2026-01-05T12:00:00Z"),
                        "08:00 started [succeeded] backfill, "
                        "09:00 started [succeeded] backfill, "
                        "10:00 started [succeeded] trigger, 11:00 planned");
    assert_string_equal(slots("&to=2026-01-05T12:00:00Z&slots=0&step=12h"),
                        "00:00 succeeded=3, plan 11:00 x1");
}

/* Only the next slot is known. */
static void schedules_that_follow_their_runs_have_one_planned_slot(void **state)
{
    (void)state;
    make("s", "{'intervals':[{'every':'1h'}]}", ",'governor':{}");
    make("t", "{'intervals':[{'every':'1h','anchor':'completion'}]}", "");
    assert_int_equal(get("/api/v1/slots"), 200);
    assert_string_equal(row_text("s"), "11:00 planned");
    assert_string_equal(row_text("t"), "11:00 planned");
    assert_int_equal(get("/api/v1/slots?slots=0"), 200);
    assert_string_equal(row_text("s"), "plan 11:00 x1");
    assert_string_equal(row_text("t"), "plan 11:00 x1");
}

static void a_number_of_runs_or_an_end_ends_the_plan(void **state)
{
    (void)state;
    make("s", "{'cron':['0 * * * *']}", ",'policies':{'remainingRuns':2}");
    make("t", "{'cron':['0 * * * *'],'end':'2026-01-05T13:30:00Z'}", "");
    assert_int_equal(get("/api/v1/slots?slots=0"), 200);
    assert_string_equal(row_text("s"), "plan 11:00 +1h x2");
    assert_string_equal(row_text("t"), "plan 11:00 +1h x3");
}

/* A calendar that excludes 6 January: only the slots of the 5th and the 7th are left. */
static void excluded_days_have_no_slots(void **state)
{
    (void)state;
    assert_int_equal(ask("PUT /api/v1/calendars/days", NULL, js("{'dates':['2026-01-06']}")),
                     201);
    make("s", "{'cron':['0 12 * * *'],'exclude':{'named':['days']}}", "");
    assert_string_equal(slots("&to=2026-01-08T00:00:00Z&from=2026-01-05T00:00:00Z"),
                        "12:00 planned, 07.12:00 planned");
}

/* More attempts than a group of schedules reads, and then more than one schedule reads. */
static void many_attempts_of_a_schedule_are_counted(void **state)
{
    static const char window[] = "&slots=0&step=1h&to=2026-01-05T11:00:00Z";

    (void)state;
    make("s", "{'at':['2027-01-01T00:00:00Z']}", "");
    pass_time(SPAN_H);
    add_history(8000);
    assert_string_equal(slots(window), "10:00 succeeded=8000");
    assert_json("schedules.0.cut", "null");
}

static void more_attempts_than_the_limit_are_cut(void **state)
{
    (void)state;
    make("s", "{'at':['2027-01-01T00:00:00Z']}", "");
    pass_time(SPAN_H);
    add_history(18000); /* five in a second; the limit is 16,000 */
    assert_string_equal(slots("&slots=0&step=1h&to=2026-01-05T12:00:00Z"),
                        "10:00 succeeded=16000");
    assert_non_null(strstr(json_at("schedules.0.cut"), "more runs"));
    /* Of a window in the past, the runs that ended first are read. */
    assert_string_equal(slots("&slots=0&step=10m&to=2026-01-05T10:10:00Z"),
                        "10:00 succeeded=3000");
}

/* ---- selection ---- */

static void pages_continue_after_the_last_id(void **state)
{
    static const char *const filters[] = {"", "&status=active", "&prefix=p"};
    char cursor[200];

    (void)state;
    for (int i = 0; i < 5; i++)
        make(js("p%d", i), "{'cron':['0 * * * *']}", "");
    make("a", "{'cron':['0 * * * *']}", "");
    assert_int_equal(post("/api/v1/schedules/a/pause", ""), 200);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(get(js("/api/v1/slots?limit=4%s", filters[i])), 200);
        assert_string_equal(ids(), i == 0 ? "a p0 p1 p2" : "p0 p1 p2 p3");
        snprintf(cursor, sizeof cursor, "%s", text_at("cursor").ptr);
        assert_int_equal(get(js("/api/v1/slots?limit=4%s&cursor=%s", filters[i], cursor)), 200);
        assert_string_equal(ids(), i == 0 ? "p3 p4" : "p4");
        assert_json("cursor", "null");
    }
    assert_int_equal(get("/api/v1/slots?limit=6"), 200);
    assert_json("cursor", "null");
    assert_int_equal(get("/api/v1/slots?schedule=p3,p1,x,p1&limit=1"), 200);
    assert_string_equal(ids(), "p1");
    assert_int_equal(
        get(js("/api/v1/slots?schedule=p3,p1,x,p1&limit=1&cursor=%s", text_at("cursor").ptr)),
        200);
    assert_string_equal(ids(), "p3");
    assert_refused(get(js("/api/v1/slots?cursor=%s", cursor)), 400, "invalid_field", "cursor");
}

static void filters_select_schedules(void **state)
{
    (void)state;
    make("a", "{'cron':['0 * * * *']}", ",'labels':{'team':'web'}");
    make("b", "{'cron':['0 * * * *'],'timezone':'Asia/Tokyo'}", ",'labels':{'team':'db'}");
    pass_time(SPAN_H);
    work("a", true);
    work("b", false);
    assert_int_equal(get("/api/v1/slots?label=team:web"), 200);
    assert_string_equal(ids(), "a");
    assert_int_equal(get("/api/v1/slots?queue=q-b"), 200);
    assert_string_equal(ids(), "b");
    assert_int_equal(get("/api/v1/slots?outcome=failed,timedOut"), 200);
    assert_string_equal(ids(), "b");
    assert_int_equal(get("/api/v1/slots?health=ok"), 200);
    assert_string_equal(ids(), "a");
    assert_int_equal(get("/api/v1/slots?zone=Asia/Tokyo"), 200);
    assert_string_equal(ids(), "b");
    world.is_catalogue_loading = true;
    assert_int_equal(get("/api/v1/slots?outcome=failed"), 503);
    assert_int_equal(get("/api/v1/slots?queue=q-b"), 200);
    assert_string_equal(ids(), "b");
    assert_int_equal(get("/api/v1/slots?prefix=a"), 200);
    assert_string_equal(ids(), "a");
    world.context.catalogue = NULL;
    assert_int_equal(get("/api/v1/slots?outcome=failed"), 409);
    assert_int_equal(get("/api/v1/slots?search=B"), 200);
    assert_string_equal(ids(), "b");
}

static void other_namespaces_are_not_visible(void **state)
{
    (void)state;
    assert_int_equal(ask("PUT /api/v1/namespaces/other", NULL, "{}"), 201);
    assert_int_equal(
        ask("PUT /api/v1/schedules/x?namespace=other", NULL,
            js("{'spec':{'cron':['0 * * * *']},'action':{'type':'queue','queue':'q'}}")),
        201);
    make("a", "{'cron':['0 * * * *']}", "");
    assert_int_equal(get("/api/v1/slots"), 200);
    assert_string_equal(ids(), "a");
    assert_int_equal(get("/api/v1/slots?schedule=x,a"), 200);
    assert_string_equal(ids(), "a");
    assert_int_equal(get("/api/v1/slots?namespace=other"), 200);
    assert_string_equal(ids(), "x");
    assert_int_equal(get("/api/v1/slots?namespace=other&search=x"), 200);
    assert_string_equal(ids(), "x");
}

static void errors_name_the_field(void **state)
{
    static const struct {
        const char *query;
        int status;
        const char *code, *field;
    } wrong[] = {
        {"from=today", 400, "invalid_field", "from"},
        {"to=1", 400, "invalid_field", "to"},
        {"from=2026-01-05T12:00:00Z&to=2026-01-05T12:00:00Z", 400, "invalid_field", "to"},
        {"from=2026-01-05T12:00:00Z&to=2026-03-08T12:00:01Z", 422, "limit", "to"},
        {"step=0s", 400, "invalid_field", "step"},
        {"step=1500ms", 400, "invalid_field", "step"},
        {"step=15", 400, "invalid_field", "step"},
        {"step=1m", 422, "limit", "step"},
        {"slots=-1", 400, "invalid_field", "slots"},
        {"slots=1001", 400, "invalid_field", "slots"},
        {"limit=0", 400, "invalid_field", "limit"},
        {"limit=5001", 400, "invalid_field", "limit"},
        {"status=on", 400, "invalid_field", "status"},
        {"outcome=good", 400, "invalid_field", "outcome"},
        {"schedule=a&zone=UTC", 400, "invalid_field", "schedule"},
        {"cursor=x", 400, "invalid_field", "cursor"},
        {"sort=id", 400, "invalid_field", ""},
    };
    char text[400];
    struct buf many = BUF(text);

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_refused(get(js("/api/v1/slots?%s", wrong[i].query)), wrong[i].status,
                       wrong[i].code, wrong[i].field);
    buf_text(&many, "schedule=a");
    for (int i = 0; i < 100; i++)
        buf_text(&many, ",b");
    assert_refused(get(js("/api/v1/slots?%s", text)), 422, "limit", "schedule");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(past_and_planned_are_one_list),
        API_TEST(the_window_is_a_day_around_now),
        API_TEST(many_slots_are_counted),
        API_TEST(late_and_busy_time_are_counted),
        API_TEST(clock_changes_are_obeyed),
        API_TEST(series_are_of_equal_distance),
        API_TEST(too_many_series_are_counted_by_bucket),
        API_TEST(pauses_and_exceptions_are_obeyed),
        API_TEST(pauses_of_an_interval_are_series),
        API_TEST(a_range_of_the_ledger_is_divided),
        API_TEST(a_range_of_another_spec_is_one_entry),
        API_TEST(triggers_and_backfills_are_marked),
        API_TEST(schedules_that_follow_their_runs_have_one_planned_slot),
        API_TEST(a_number_of_runs_or_an_end_ends_the_plan),
        API_TEST(excluded_days_have_no_slots),
        API_TEST(many_attempts_of_a_schedule_are_counted),
        API_TEST(more_attempts_than_the_limit_are_cut),
        API_TEST(pages_continue_after_the_last_id),
        API_TEST(filters_select_schedules),
        API_TEST(other_namespaces_are_not_visible),
        API_TEST(errors_name_the_field),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
