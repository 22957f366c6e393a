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
    assert_int_equal(
        post(js("/api/v1/runs/%s/complete", id.ptr), js("{'fence':%s}", told("runs.0.fence"))),
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
    pass(SPAN_H); /* 11:00 starts */
    work();
    pass(SPAN_H);     /* 12:00 starts and stays open */
    pass(2 * SPAN_H); /* 13:00, 14:00 are skipped    */
    assert_int_equal(ask("PUT /api/v1/schedules/s/exceptions/2026-01-05T16:00:00Z", NULL, ""),
                     201);
    assert_string_equal(slots("?from=2026-01-05T00:00:00Z&to=2026-01-05T17:00:00Z"),
                        "11:00 started [succeeded], 12:00 started [ready], "
                        "13:00 skipped/overlap, 14:00 skipped/overlap, 15:00 planned, "
                        "16:00 cancelled/user, 17:00 planned");
    assert_told("cursor", "null");
    assert_told("slots.0.run.attempt", "1");
    assert_told("slots.0.run.endedAt", "'2026-01-05T11:00:00.000Z'");
    assert_told("slots.2.run", "null");
    assert_told("slots.4.due", "'2026-01-05T15:00:00.000Z'");
    assert_true(str_starts(text_at("slots.4.id"), STR("r_")));
}

static void both_ends_count(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_string_equal(slots("?from=2026-01-05T12:00:00Z&to=2026-01-05T13:00:00Z"),
                        "12:00 planned, 13:00 planned");
    assert_string_equal(slots("?from=2026-01-05T12:00:00.001Z&to=2026-01-05T12:59:59Z"), "");
}

/* The ledger has one row for a whole pause; the list shows each of its slots, in pages. */
static void a_range_is_told_slot_by_slot(void **state)
{
    int told_of = 0, pages = 0;
    struct str cursor = {NULL, 0};

    (void)state;
    make("{'cron':['* * * * *']}", "");
    assert_int_equal(post("/api/v1/schedules/s/pause", ""), 200);
    pass(100 * SPAN_MIN);
    assert_int_equal(post("/api/v1/schedules/s/resume", ""), 200);
    do {
        assert_int_equal(
            get(js("/api/v1/schedules/s/slots?limit=40&to=2026-01-05T11:40:00Z%s%s",
                   pages > 0 ? "&cursor=" : "", pages > 0 ? cursor.ptr : "")),
            200);
        assert_told("slots.0.outcome", "'missed'");
        assert_told("slots.0.reason", "'paused'");
        told_of += (int)json_array_size(json_object_get(world.json, "slots"));
        cursor = json_is_null(json_object_get(world.json, "cursor")) ? (struct str){NULL, 0}
                                                                     : text_at("cursor");
    } while (++pages < 9 && cursor.len > 0);
    assert_int_equal(told_of, 100);
    assert_int_equal(pages, 3);
}

static void a_pause_is_shown_live(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(post("/api/v1/schedules/s/pause", js("{'until':'2026-01-05T14:30:00Z'}")),
                     200);
    pass(2 * SPAN_H);
    assert_string_equal(slots("?to=2026-01-05T15:00:00Z"),
                        "11:00 missed/paused, 12:00 missed/paused, 13:00 planned/paused, "
                        "14:00 planned/paused, 15:00 planned");
}

static void slots_that_a_pause_only_delays_stay_planned(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", ",'policies':{'catchup':{'whilePaused':true}}");
    assert_int_equal(post("/api/v1/schedules/s/pause", ""), 200);
    pass(SPAN_H);
    assert_string_equal(slots("?to=2026-01-05T12:00:00Z"),
                        "11:00 planned/paused, 12:00 planned/paused");
}

/* After an edit the range is not expanded, because the current spec has other slots. */
static void a_range_of_another_spec_is_one_entry(void **state)
{
    (void)state;
    make("{'cron':['* * * * *']}", "");
    assert_int_equal(post("/api/v1/schedules/s/pause", ""), 200);
    pass(10 * SPAN_MIN);
    assert_int_equal(
        ask("PATCH /api/v1/schedules/s", NULL, js("{'spec':{'cron':['0 * * * *']}}")), 200);
    assert_int_equal(post("/api/v1/schedules/s/resume", ""), 200);
    assert_string_equal(slots("?to=2026-01-05T11:00:00Z"),
                        "10:01 missed/paused x10, 11:00 planned");
    assert_told("slots.0.last", "'2026-01-05T10:10:00.000Z'");
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

static void triggers_are_no_slots(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(post("/api/v1/schedules/s/trigger", ""), 202);
    assert_string_equal(slots("?to=2026-01-05T11:00:00Z"), "11:00 planned");
}

/*
 * More attempts than one answer scans ended between the slot of 11:00 and the end of its run:
 * the slot is still shown as started.
 */
static void a_run_that_ended_behind_many_others_is_not_lost(void **state)
{
    struct err err = {.text = ""};

    (void)state;
    make("{'cron':['0 * * * *']}", "");
    pass(SPAN_H);
    if (db_exec(world.db,
                STR("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
                    " WHERE i < 5000) INSERT INTO history (id, schedule, slot, pass, attempt,"
                    " fence, bits, outcome, reason, last, due, created_at, started_at,"
                    " ended_at, expire_at, queue, node) SELECT"
                    " ((1767610800000 - 1577836800000) << 22) + i, (SELECT id FROM schedules),"
                    " 0, i, 1, 1, 1, 10, 0, 1, 0, 0, 0, 0, 9223372036854775807, 0, 0 FROM n"),
                &err) != RC_OK)
        fail_msg("%s", err.text);
    pass(2 * SPAN_MIN);
    work();
    assert_string_equal(slots("?to=2026-01-05T12:00:00Z"), "11:00 started, 12:00 planned");
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    assert_refused(get("/api/v1/schedules/s/slots"), 404, "not_found", "");
    make("{'cron':['0 * * * *']}", "");
    assert_refused(get("/api/v1/schedules/s/slots?from=today"), 400, "invalid_field", "from");
    assert_refused(
        get("/api/v1/schedules/s/slots?from=2026-01-05T12:00:00Z&to=2026-01-05T11:00:00Z"), 400,
        "invalid_field", "from");
    assert_non_null(strstr(told("detail"), "2026-01-05T11:00:00"));
    assert_refused(get("/api/v1/schedules/s/slots?from=2026-01-07T00:00:00Z"), 400,
                   "invalid_field", "from");
    assert_refused(get("/api/v1/schedules/s/slots?to=2026-01-03T00:00:00Z"), 400,
                   "invalid_field", "to");
    assert_refused(get("/api/v1/schedules/s/slots?cursor=x"), 400, "invalid_field", "cursor");
    assert_refused(get("/api/v1/schedules/s/slots?limit=0"), 400, "invalid_field", "limit");
    assert_refused(get("/api/v1/schedules/s/slots?until=1"), 400, "invalid_field", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(past_and_planned_are_one_list),
        SERVED(both_ends_count),
        SERVED(a_range_is_told_slot_by_slot),
        SERVED(a_pause_is_shown_live),
        SERVED(slots_that_a_pause_only_delays_stay_planned),
        SERVED(a_range_of_another_spec_is_one_entry),
        SERVED(a_number_of_runs_ends_the_plan),
        SERVED(an_adaptive_schedule_has_one_planned_slot),
        SERVED(triggers_are_no_slots),
        SERVED(a_run_that_ended_behind_many_others_is_not_lost),
        SERVED(what_is_wrong_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
