/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of past and planned slots of a schedule.
 */
#include "world.h"

static void make(const char *spec, const char *rest)
{
    assert_int_equal(ask("PUT /api/v1/schedules/s", NULL,
                         js("{'spec':%s,'action':{'type':'queue','queue':'q'}%s}", spec, rest)),
                     201);
}

/* Claims the ready run and completes it. */
static void work(void)
{
    struct str id;

    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q'],'worker':'w'}")), 200);
    id = text_at("runs.0.id");
    assert_int_equal(post(js("/api/v1/runs/%s/complete", id.ptr),
                          js("{'fence':%s}", json_at("runs.0.fence"))),
                     200);
}

/* "HH:MM outcome/reason" of each slot, with the state or outcome of its run in brackets. */
static const char *slots(const char *query)
{
    static char text[4000];
    struct buf out = BUF(text);

    text[0] = '\0';
    assert_int_equal(get(js("/api/v1/schedules/s/slots%s", query)), 200);
    for (size_t i = 0; i < json_array_size(json_object_get(world.json, "slots")); i++) {
        const json_t *slot = json_array_get(json_object_get(world.json, "slots"), i);
        const json_t *run = json_object_get(slot, "run");
        const char *outcome = json_string_value(json_object_get(slot, "outcome"));
        const char *reason = json_string_value(json_object_get(slot, "reason"));
        const char *end = json_string_value(json_object_get(run, "outcome"));

        buf_printf(&out, "%s%.5s %s", i > 0 ? ", " : "",
                   json_string_value(json_object_get(slot, "slot")) + 11,
                   outcome ? outcome : "planned");
        if (reason)
            buf_printf(&out, "/%s", reason);
        if (json_object_get(slot, "count"))
            buf_printf(&out, " x%d", (int)json_integer_value(json_object_get(slot, "count")));
        if (json_is_object(run))
            buf_printf(&out, " [%s]",
                       end ? end : json_string_value(json_object_get(run, "state")));
    }
    assert_false(out.cut);
    return text;
}

static void past_and_planned_are_one_list(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    pass_time(SPAN_H); /* 11:00 starts */
    work();
    pass_time(SPAN_H);     /* 12:00 starts and stays open */
    pass_time(2 * SPAN_H); /* 13:00, 14:00 are skipped    */
    assert_int_equal(ask("PUT /api/v1/schedules/s/exceptions/2026-01-05T16:00:00Z", NULL, ""),
                     201);
    assert_string_equal(slots("?from=2026-01-05T00:00:00Z&to=2026-01-05T17:00:00Z"),
                        "11:00 started [succeeded], 12:00 started [ready], "
                        "13:00 skipped/overlap, 14:00 skipped/overlap, 15:00 planned, "
                        "16:00 cancelled/user, 17:00 planned");
    assert_json("cursor", "null");
    assert_json("slots.0.run.attempt", "1");
    assert_json("slots.0.run.endedAt", "'2026-01-05T11:00:00.000Z'");
    assert_json("slots.2.run", "null");
    assert_json("slots.4.due", "'2026-01-05T15:00:00.000Z'");
    assert_true(str_starts(text_at("slots.4.id"), STR("r_")));
}

static void both_ends_of_a_range_are_included(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_string_equal(slots("?from=2026-01-05T12:00:00Z&to=2026-01-05T13:00:00Z"),
                        "12:00 planned, 13:00 planned");
    assert_string_equal(slots("?from=2026-01-05T12:00:00.001Z&to=2026-01-05T12:59:59Z"), "");
}

/* The ledger has one row for a whole pause; the list shows each of its slots, in pages. */
static void a_range_is_listed_slot_by_slot(void **state)
{
    int seen = 0, pages = 0;
    struct str cursor = {NULL, 0};

    (void)state;
    make("{'cron':['* * * * *']}", "");
    assert_int_equal(post("/api/v1/schedules/s/pause", ""), 200);
    pass_time(100 * SPAN_MIN);
    assert_int_equal(post("/api/v1/schedules/s/resume", ""), 200);
    do {
        assert_int_equal(
            get(js("/api/v1/schedules/s/slots?limit=40&to=2026-01-05T11:40:00Z%s%s",
                   pages > 0 ? "&cursor=" : "", pages > 0 ? cursor.ptr : "")),
            200);
        assert_json("slots.0.outcome", "'missed'");
        assert_json("slots.0.reason", "'paused'");
        seen += (int)json_array_size(json_object_get(world.json, "slots"));
        cursor = json_is_null(json_object_get(world.json, "cursor")) ? (struct str){NULL, 0}
                                                                     : text_at("cursor");
    } while (++pages < 9 && cursor.len > 0);
    assert_int_equal(seen, 100);
    assert_int_equal(pages, 3);
}

static void slots_of_a_current_pause_are_marked(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(post("/api/v1/schedules/s/pause", js("{'until':'2026-01-05T14:30:00Z'}")),
                     200);
    pass_time(2 * SPAN_H);
    assert_string_equal(slots("?to=2026-01-05T15:00:00Z"),
                        "11:00 missed/paused, 12:00 missed/paused, 13:00 planned/paused, "
                        "14:00 planned/paused, 15:00 planned");
}

static void slots_that_a_pause_only_delays_stay_planned(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", ",'policies':{'catchup':{'whilePaused':true}}");
    assert_int_equal(post("/api/v1/schedules/s/pause", ""), 200);
    pass_time(SPAN_H);
    assert_string_equal(slots("?to=2026-01-05T12:00:00Z"),
                        "11:00 planned/paused, 12:00 planned/paused");
}

/* After an edit the range is not expanded, because the current spec has other slots. */
static void a_range_of_another_spec_is_one_entry(void **state)
{
    (void)state;
    make("{'cron':['* * * * *']}", "");
    assert_int_equal(post("/api/v1/schedules/s/pause", ""), 200);
    pass_time(10 * SPAN_MIN);
    assert_int_equal(
        ask("PATCH /api/v1/schedules/s", NULL, js("{'spec':{'cron':['0 * * * *']}}")), 200);
    assert_int_equal(post("/api/v1/schedules/s/resume", ""), 200);
    assert_string_equal(slots("?to=2026-01-05T11:00:00Z"),
                        "10:01 missed/paused x10, 11:00 planned");
    assert_json("slots.0.last", "'2026-01-05T10:10:00.000Z'");
    assert_string_equal(slots("?from=2026-01-05T10:05:00Z&to=2026-01-05T11:00:00Z"),
                        "10:01 missed/paused x10, 11:00 planned");
    assert_string_equal(slots("?limit=1&to=2026-01-05T11:00:00Z"), "10:01 missed/paused x10");
    assert_string_equal(slots(js("?to=2026-01-05T11:00:00Z&cursor=%s", text_at("cursor").ptr)),
                        "11:00 planned");
}

static void a_number_of_runs_ends_the_plan(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", ",'policies':{'remainingRuns':2}");
    assert_string_equal(slots(""), "11:00 planned, 12:00 planned");
    assert_string_equal(slots("?from=2026-01-05T11:30:00Z"), "12:00 planned");
}

static void an_adaptive_schedule_has_one_planned_slot(void **state)
{
    (void)state;
    make("{'intervals':[{'every':'1h'}]}", ",'governor':{}");
    assert_string_equal(slots(""), "11:00 planned");
}

static void triggers_are_not_slots(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(post("/api/v1/schedules/s/trigger", ""), 202);
    assert_string_equal(slots("?to=2026-01-05T11:00:00Z"), "11:00 planned");
}

/*
 * More attempts than one answer scans ended between the slot of 11:00 and the end of its run:
 * the slot is still shown as started.  An id has the milliseconds since 2020 in its high bits.
 */
static void a_run_that_ended_after_many_others_is_not_lost(void **state)
{
    struct err err = {.text = ""};

    (void)state;
    make("{'cron':['0 * * * *']}", "");
    pass_time(SPAN_H);
    if (db_exec(world.db,
                STR("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
                    " WHERE i < 5000) INSERT INTO history (id, schedule, slot, pass, attempt,"
                    " fence, bits, outcome, reason, last, due, created_at, started_at,"
                    " ended_at, expire_at, queue, node) SELECT"
                    " ((1767610800000 - 1577836800000) << 22) + i, (SELECT id FROM schedules),"
                    " 0, i, 1, 1, 1, 10, 0, 1, 0, 0, 0, 0, 9223372036854775807, 0, 0 FROM n"),
                &err) != RC_OK)
        fail_msg("%s", err.text);
    pass_time(2 * SPAN_MIN);
    work();
    assert_string_equal(slots("?to=2026-01-05T12:00:00Z"), "11:00 started, 12:00 planned");
}

static void errors_name_the_field(void **state)
{
    (void)state;
    assert_refused(get("/api/v1/schedules/s/slots"), 404, "not_found", "");
    make("{'cron':['0 * * * *']}", "");
    assert_refused(get("/api/v1/schedules/s/slots?from=today"), 400, "invalid_field", "from");
    assert_refused(
        get("/api/v1/schedules/s/slots?from=2026-01-05T12:00:00Z&to=2026-01-05T11:00:00Z"), 400,
        "invalid_field", "from");
    assert_non_null(strstr(json_at("detail"), "2026-01-05T11:00:00"));
    assert_refused(get("/api/v1/schedules/s/slots?from=2026-01-07T00:00:00Z"), 400,
                   "invalid_field", "from");
    assert_refused(get("/api/v1/schedules/s/slots?to=2026-01-03T00:00:00Z"), 400,
                   "invalid_field", "to");
    assert_refused(get("/api/v1/schedules/s/slots?cursor=x"), 400, "invalid_field", "cursor");
    assert_refused(get("/api/v1/schedules/s/slots?limit=0"), 400, "invalid_field", "limit");
    assert_refused(get("/api/v1/schedules/s/slots?until=1"), 400, "invalid_field", "");
}

static const char *explain_at(const char *clock)
{
    assert_int_equal(get(js("/api/v1/schedules/s/explain?at=2026-01-05T%s:00Z", clock)), 200);
    return json_at("moments.0.sentences");
}

/* The engine writes 12:00 when the run ends; before that the answers compute the same. */
static void a_grid_time_has_its_outcome_before_it_is_written(void **state)
{
    static const char *const all = "11:00 started [succeeded], 12:00 skipped/governor, "
                                   "13:00 planned";
    char fence[32], id[RUN_ID_TEXT_MAX];

    (void)state;
    make("{'cron':['0 * * * *']}", ",'governor':{}");
    pass_time(SPAN_H);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q'],'worker':'w'}")), 200);
    snprintf(id, sizeof id, "%s", text_at("runs.0.id").ptr);
    snprintf(fence, sizeof fence, "%s", json_at("runs.0.fence"));
    assert_non_null(strstr(explain_at("12:00"), "The governor decides"));
    pass_time(SPAN_H + 30 * SPAN_MIN);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.counters.skipped", "0");
    assert_string_equal(slots("?from=2026-01-05T10:30:00Z&to=2026-01-05T14:30:00Z"),
                        "11:00 started [leased], 12:00 skipped/governor");
    assert_non_null(strstr(explain_at("12:00"), "It was skipped: the governor"));
    assert_json("moments.0.isSlot", "true");
    assert_json("moments.0.slot.reason", "'governor'");
    assert_int_equal(post(js("/api/v1/runs/%s/complete", id), js("{'fence':%s}", fence)), 200);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.counters.skipped", "1");
    assert_string_equal(slots("?from=2026-01-05T10:30:00Z&to=2026-01-05T14:30:00Z"), all);
    assert_non_null(strstr(explain_at("12:00"), "It was skipped: the governor"));
    assert_non_null(strstr(explain_at("13:00"), "It will be started"));
    assert_non_null(strstr(explain_at("14:00"), "The governor decides"));
}

static void a_grid_time_in_a_pause_is_missed(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", ",'governor':{}");
    assert_int_equal(post("/api/v1/schedules/s/pause", "{}"), 200);
    pass_time(2 * SPAN_H + SPAN_MIN);
    assert_string_equal(slots("?from=2026-01-05T10:30:00Z&to=2026-01-05T14:30:00Z"),
                        "11:00 missed/paused, 12:00 missed/paused");
    assert_int_equal(post("/api/v1/schedules/s/resume", ""), 200);
    assert_string_equal(slots("?from=2026-01-05T10:30:00Z&to=2026-01-05T14:30:00Z"),
                        "11:00 missed/paused, 12:00 missed/paused, 12:01 started [ready]");
}

static void a_pick_off_the_grid_is_a_slot(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", ",'governor':{'minInterval':'90m'}");
    assert_string_equal(slots("?from=2026-01-05T10:30:00Z&to=2026-01-05T14:30:00Z"),
                        "11:30 planned");
    assert_non_null(strstr(explain_at("11:30"), "It will be started"));
    assert_json("moments.0.isSlot", "true");
    pass_time(2 * SPAN_H);
    assert_string_equal(slots("?from=2026-01-05T10:30:00Z&to=2026-01-05T14:30:00Z"),
                        "11:00 skipped/governor, 11:30 started [ready], "
                        "12:00 skipped/governor");
}

static void the_times_of_an_interval_are_not_slots(void **state)
{
    (void)state;
    make("{'intervals':[{'every':'10m'}]}", ",'governor':{'minInterval':'25m'}");
    explain_at("10:20");
    assert_json("moments.0.isSlot", "false");
    explain_at("10:25");
    assert_json("moments.0.isSlot", "true");
}

static void after_the_end_health_says_that_nothing_comes(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *'],'end':'2026-01-05T11:30:00Z'}",
         ",'governor':{'maxInterval':'40m'}");
    pass_time(40 * SPAN_MIN);
    work();
    assert_string_equal(slots("?from=2026-01-05T10:30:00Z&to=2026-01-05T14:30:00Z"),
                        "10:40 started [succeeded], 11:00 planned");
    pass_time(20 * SPAN_MIN);
    work();
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.nextAt", "null");
    assert_int_equal(get("/api/v1/schedules/s/health"), 200);
    assert_non_null(strstr(json_at("warnings"), "will not run by itself again"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(past_and_planned_are_one_list),
        API_TEST(both_ends_of_a_range_are_included),
        API_TEST(a_range_is_listed_slot_by_slot),
        API_TEST(slots_of_a_current_pause_are_marked),
        API_TEST(slots_that_a_pause_only_delays_stay_planned),
        API_TEST(a_range_of_another_spec_is_one_entry),
        API_TEST(a_number_of_runs_ends_the_plan),
        API_TEST(an_adaptive_schedule_has_one_planned_slot),
        API_TEST(triggers_are_not_slots),
        API_TEST(a_run_that_ended_after_many_others_is_not_lost),
        API_TEST(errors_name_the_field),
        API_TEST(a_grid_time_has_its_outcome_before_it_is_written),
        API_TEST(a_grid_time_in_a_pause_is_missed),
        API_TEST(a_pick_off_the_grid_is_a_slot),
        API_TEST(the_times_of_an_interval_are_not_slots),
        API_TEST(after_the_end_health_says_that_nothing_comes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
