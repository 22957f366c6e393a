/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The next times of a schedule.
 */
#include "world.h"

static void make(const char *spec, const char *rest)
{
    assert_int_equal(ask("PUT /api/v1/schedules/s", NULL,
                         js("{'spec':%s,'action':{'type':'queue','queue':'q'}%s}", spec, rest)),
                     201);
}

/* "MM-DDTHH:MM" of each time. */
static const char *times(const char *query)
{
    static char text[1000];
    struct buf out = BUF(text);

    text[0] = '\0';
    assert_int_equal(get(js("/api/v1/schedules/s/next%s", query)), 200);
    for (size_t i = 0; i < json_array_size(json_object_get(world.json, "times")); i++) {
        const char *slot = text_at(js("times.%zu.slot", i)).ptr;

        buf_printf(&out, "%s%.11s", i > 0 ? " " : "", slot + 5);
    }
    return text;
}

static void the_next_times_of_a_cron(void **state)
{
    (void)state;
    make("{'cron':['30 2 * * MON-FRI'],'timezone':'UTC'}", "");
    assert_string_equal(times("?count=5"),
                        "01-06T02:30 01-07T02:30 01-08T02:30 01-09T02:30 01-12T02:30");
    assert_json("schedule", "'s'");
    assert_json("timezone", "'UTC'");
    assert_json("times.0", "{'slot':'2026-01-06T02:30:00.000Z','due':"
                           "'2026-01-06T02:30:00.000Z','source':'baseline-cron'}");
    assert_json("later", "absent");
    assert_string_equal(times("?count=1&from=2026-01-08T02:30:00Z"), "01-08T02:30");
    assert_string_equal(times("?count=1&from=2020-01-01T00:00:00Z"), "01-06T02:30");
}

static void a_time_in_the_gap_of_a_clock_change_moves_to_its_end(void **state)
{
    (void)state;
    /* 2026-03-08: New York skips 02:00 to 03:00; a fixed time in the gap moves to its end. */
    make("{'cron':['30 2 * * *'],'timezone':'America/New_York'}", "");
    assert_string_equal(times("?count=3&from=2026-03-07T00:00:00Z"),
                        "03-07T07:30 03-08T07:00 03-09T06:30");
}

static void the_end_and_remaining_runs_limit_the_times(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *'],'end':'2026-01-05T12:00:00Z'}", "");
    assert_string_equal(times(""), "01-05T11:00 01-05T12:00");
    assert_int_equal(ask("DELETE /api/v1/schedules/s", NULL, NULL), 204);
    make("{'cron':['0 * * * *']}", ",'policies':{'remainingRuns':3}");
    assert_string_equal(times(""), "01-05T11:00 01-05T12:00 01-05T13:00");
}

/* Runs before `from` use up the remaining runs: 11:00, 12:00, and 13:00 is the third. */
static void runs_before_the_list_count_as_remaining_runs(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", ",'policies':{'remainingRuns':3}");
    assert_string_equal(times("?from=2026-01-05T12:30:00Z"), "01-05T13:00");
    assert_string_equal(times("?from=2026-01-05T13:30:00Z"), "");
    assert_json("noNextReason", "'its remaining runs are planned before that time'");
    /* A cancelled slot uses up none. */
    assert_int_equal(post("/api/v1/schedules/s/skip-next", ""), 200);
    assert_string_equal(times("?from=2026-01-05T12:30:00Z"), "01-05T13:00 01-05T14:00");
    assert_int_equal(get("/api/v1/schedules/s/slots?from=2026-01-05T12:30:00Z"
                         "&to=2026-01-06T10:00:00Z"),
                     200);
    assert_json("slots.1.slot", "'2026-01-05T14:00:00.000Z'");
    assert_json("slots.2", "absent");
}

static void assert_no_next(const char *spec, const char *rest, const char *reason)
{
    make(spec, rest);
    assert_json("state.nextAt", "null");
    assert_json("state.noNextReason", reason);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.noNextReason", reason);
    assert_string_equal(times(""), "");
    assert_json("noNextReason", reason);
    assert_int_equal(ask("DELETE /api/v1/schedules/s", NULL, NULL), 204);
}

static void an_answer_without_a_next_run_says_why(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_json("state.noNextReason", "absent");
    assert_string_equal(times("?count=1"), "01-05T11:00");
    assert_json("noNextReason", "absent");
    assert_int_equal(ask("DELETE /api/v1/schedules/s", NULL, NULL), 204);
    assert_no_next("{'cron':['0 0 31 2 *']}", "", "'February has no day 31'");
    assert_no_next("{'cron':['0 0 31 4,6 *']}", "", "'April and June have no day 31'");
    assert_no_next("{'cron':['0 * * * *'],'end':'2025-12-31T00:00:00Z'}", "",
                   "'its end, 2025-12-31T00:00:00Z, has passed'");
    assert_no_next("{'at':['2026-01-01T00:00:00Z']}", "",
                   "'its last time was 2026-01-01T00:00:00Z'");
    assert_no_next("{}", "", "'the spec has no entries'");
    assert_no_next("{'cron':['0 * * * *']}", ",'enabled':false", "'it is not enabled'");
    assert_no_next("{'cron':['0 * * * *']}", ",'paused':{'reason':'moving'}",
                   "'it is paused: moving'");
    assert_no_next("{'cron':['0 * * * *'],'end':'2026-01-05T12:00:00Z'}",
                   ",'paused':{'until':'2026-01-05T13:00:00Z'}",
                   "'its end, 2026-01-05T12:00:00Z, has passed'");
}

static void a_used_up_or_cancelled_plan_has_no_next_run(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *'],'end':'2026-01-05T11:30:00Z'}", "");
    assert_int_equal(post("/api/v1/schedules/s/skip-next", ""), 200);
    assert_string_equal(times(""), "");
    assert_json("noNextReason", "'all its remaining slots are cancelled'");
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.noNextReason", "'all its remaining slots are cancelled'");
    assert_int_equal(ask("DELETE /api/v1/schedules/s", NULL, NULL), 204);
    make("{'cron':['0 * * * *']}", ",'policies':{'remainingRuns':1}");
    pass_time(2 * SPAN_H);
    assert_string_equal(times(""), "");
    assert_json("noNextReason", "'its number of runs is used up (policies.remainingRuns)'");
    assert_int_equal(ask("DELETE /api/v1/schedules/s", NULL, NULL), 204);
    make("{'intervals':[{'every':'1h','anchor':'completion'}]}", "");
    pass_time(2 * SPAN_H);
    assert_string_equal(times(""), "");
    assert_json("noNextReason", "'its next run is planned when the open run ends'");
}

/* The slot after it counts from the cancelled one: 12:00 is known when 11:00 has passed. */
static void a_cancelled_slot_is_not_the_next_time_of_a_schedule_that_follows_runs(void **state)
{
    static const char *const more[] = {"", ",'governor':{}"};
    static const char reason[] = "'its next slot is cancelled; the time after it is not known "
                                 "yet'";

    (void)state;
    for (int i = 0; i < 2; i++) {
        make(i == 0 ? "{'intervals':[{'every':'1h','anchor':'completion'}]}"
                    : "{'intervals':[{'every':'1h'}]}",
             more[i]);
        assert_int_equal(post("/api/v1/schedules/s/skip-next", ""), 200);
        assert_string_equal(times(""), "");
        assert_json("later", "'dependsOnRuns'");
        assert_json("noNextReason", reason);
        assert_int_equal(get("/api/v1/schedules/s"), 200);
        assert_json("state.nextAt", "null");
        assert_json("state.noNextReason", reason);
        assert_int_equal(ask("DELETE /api/v1/schedules/s", NULL, NULL), 204);
    }
    make("{'intervals':[{'every':'1h','anchor':'completion'}]}", "");
    assert_int_equal(post("/api/v1/schedules/s/skip-next", ""), 200);
    pass_time(SPAN_H + SPAN_MIN);
    assert_string_equal(times(""), "01-05T12:00");
}

static void jitter_is_shown_beside_the_slot(void **state)
{
    struct str slot, due;
    int delayed = 0;

    (void)state;
    make("{'cron':['0 * * * *'],'jitter':'30m'}", "");
    assert_int_equal(get("/api/v1/schedules/s/next?count=20"), 200);
    for (int i = 0; i < 20; i++) {
        slot = text_at(js("times.%d.slot", i));
        due = text_at(js("times.%d.due", i));
        assert_true(memcmp(slot.ptr, due.ptr, slot.len) <= 0);
        assert_memory_equal(slot.ptr, due.ptr, 13); /* the same hour */
        delayed += memcmp(slot.ptr, due.ptr, slot.len) < 0;
    }
    assert_true(delayed > 10);
}

/* The due time that `next` shows; `slots` must show the same. */
static struct str due_at_eleven(void)
{
    struct str due;

    assert_int_equal(get("/api/v1/schedules/s/next"), 200);
    assert_json("times.0.slot", "'2026-01-05T11:00:00.000Z'");
    due = text_at("times.0.due");
    assert_int_equal(get("/api/v1/schedules/s/slots?from=2026-01-05T11:00:00Z"), 200);
    assert_string_equal(text_at("slots.0.due").ptr, due.ptr);
    return due;
}

/* The end of a run sets the next time of its interval; the due time of 11:00 stays. */
static void the_jitter_of_a_slot_stays_the_same_when_a_run_ends(void **state)
{
    char due[32];
    struct str id;

    (void)state;
    make("{'cron':['0 * * * *'],'intervals':[{'every':'20m','anchor':'completion'}],"
         "'jitter':'1h'}",
         "");
    assert_int_equal(post("/api/v1/schedules/s/trigger", ""), 202);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q'],'worker':'w'}")), 200);
    id = text_at("runs.0.id");
    snprintf(due, sizeof due, "%s", due_at_eleven().ptr);
    assert_true(strcmp(due, "2026-01-05T11:00:00.001Z") > 0);
    assert_true(strcmp(due, "2026-01-05T11:20:00.000Z") < 0);
    pass_time(SPAN_H + SPAN_MS);
    assert_int_equal(post(js("/api/v1/runs/%s/complete", id.ptr), js("{'fence':1}")), 200);
    assert_string_equal(due_at_eleven().ptr, due);
    pass_time(20 * SPAN_MIN);
    assert_int_equal(get("/api/v1/schedules/s/slots?from=2026-01-05T11:00:00Z"), 200);
    assert_json("slots.0.outcome", "'started'");
    assert_string_equal(text_at("slots.0.due").ptr, due);
}

static void a_pause_delays_the_next_time_or_removes_it(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(post("/api/v1/schedules/s/pause", js("{'until':'2026-01-05T20:30:00Z'}")),
                     200);
    assert_string_equal(times("?count=1"), "01-05T21:00");
    assert_json("status", "'paused'");
    assert_int_equal(post("/api/v1/schedules/s/pause", js("{'reason':'x'}")), 200);
    assert_string_equal(times("?count=1"), "");
}

static void a_governed_schedule_shows_one_time(void **state)
{
    (void)state;
    make("{'intervals':[{'every':'1h'}]}", ",'governor':{}");
    assert_int_equal(get("/api/v1/schedules/s/next"), 200);
    assert_json("times.0.source", "'baseline-interval'");
    assert_json("times.1", "absent");
    assert_json("later", "'dependsOnRuns'");
}

static void intervals_name_their_source(void **state)
{
    (void)state;
    make("{'intervals':[{'every':'15m'}]}", "");
    assert_string_equal(times("?count=3"), "01-05T10:15 01-05T10:30 01-05T10:45");
    assert_json("times.0.source", "'baseline-interval'");
}

static void a_cancelled_slot_is_left_out(void **state)
{
    struct run_id id = {0};
    char text[RUN_ID_TEXT_MAX];
    struct err err;

    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(post("/api/v1/schedules/s/trigger", ""), 202);
    assert_int_equal(run_id_parse(text_at("id"), &id, &err), RC_OK);
    id.pass = 0;
    id.slot_ms = INT64_C(1767614400000); /* 12:00 */
    run_id_format(&id, text);
    assert_int_equal(post(js("/api/v1/runs/%s/cancel", text), ""), 202);
    assert_string_equal(times("?count=2"), "01-05T11:00 01-05T13:00");
}

static void invalid_parameters_are_refused(void **state)
{
    (void)state;
    assert_refused(get("/api/v1/schedules/none/next"), 404, "not_found", "");
    assert_refused(get("/api/v1/schedules/s/next?count=0"), 400, "invalid_field", "count");
    assert_refused(get("/api/v1/schedules/s/next?count=1001"), 400, "invalid_field", "count");
    assert_refused(get("/api/v1/schedules/s/next?from=now"), 400, "invalid_field", "from");
    assert_refused(get("/api/v1/schedules/s/next?form=x"), 400, "invalid_field", "");
    assert_json("detail",
                "'unknown parameter \\'form\\'; did you mean from? valid: from, namespace, "
                "count'");
}

/* The times do not change; a note says how the server delays starts. */
static void dispatch_jitter_is_shown_as_a_note(void **state)
{
    static const char note[] = "'starts may be up to 30s later: this server spreads them "
                               "(dispatch_jitter)'";

    (void)state;
    assert_int_equal(ask("PUT /api/v1/schedules/plain", NULL,
                         js("{'spec':{'cron':['0 11 * * *']},"
                            "'action':{'type':'queue','queue':'q'}}")),
                     201);
    assert_int_equal(ask("PUT /api/v1/schedules/own", NULL,
                         js("{'spec':{'cron':['0 11 * * *'],'jitter':'1s'},"
                            "'action':{'type':'queue','queue':'q'}}")),
                     201);
    assert_int_equal(ask("PUT /api/v1/schedules/governed", NULL,
                         js("{'spec':{'intervals':[{'every':'1h'}]},'governor':{},"
                            "'action':{'type':'queue','queue':'q'}}")),
                     201);
    assert_int_equal(get("/api/v1/schedules/plain/next"), 200);
    assert_json("note", "absent");
    restart_server(30 * SPAN_S);
    assert_int_equal(get("/api/v1/schedules/plain/next"), 200);
    assert_json("note", note);
    assert_json("times.0.due", "'2026-01-05T11:00:00.000Z'");
    assert_int_equal(get("/api/v1/schedules/plain/explain?at=2026-01-05T11:00:00Z"), 200);
    assert_json("note", note);
    assert_int_equal(post("/api/v1/preview", js("{'spec':{'cron':['0 11 * * *']}}")), 200);
    assert_json("note", note);
    assert_json("next.0.due", "'2026-01-05T11:00:00.000Z'");
    /* Schedules with their own jitter or a governor are not affected. */
    assert_int_equal(get("/api/v1/schedules/own/next"), 200);
    assert_json("note", "absent");
    assert_int_equal(get("/api/v1/schedules/governed/next"), 200);
    assert_json("note", "absent");
    assert_int_equal(get("/api/v1/schedules/governed/explain"), 200);
    assert_json("note", "absent");
    assert_int_equal(
        post("/api/v1/preview", js("{'spec':{'cron':['0 11 * * *'],'jitter':'1s'}}")), 200);
    assert_json("note", "absent");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(the_next_times_of_a_cron),
        API_TEST(a_time_in_the_gap_of_a_clock_change_moves_to_its_end),
        API_TEST(the_end_and_remaining_runs_limit_the_times),
        API_TEST(runs_before_the_list_count_as_remaining_runs),
        API_TEST(an_answer_without_a_next_run_says_why),
        API_TEST(a_used_up_or_cancelled_plan_has_no_next_run),
        API_TEST(a_cancelled_slot_is_not_the_next_time_of_a_schedule_that_follows_runs),
        API_TEST(jitter_is_shown_beside_the_slot),
        API_TEST(the_jitter_of_a_slot_stays_the_same_when_a_run_ends),
        API_TEST(a_pause_delays_the_next_time_or_removes_it),
        API_TEST(a_governed_schedule_shows_one_time),
        API_TEST(intervals_name_their_source),
        API_TEST(a_cancelled_slot_is_left_out),
        API_TEST(dispatch_jitter_is_shown_as_a_note),
        API_TEST(invalid_parameters_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
