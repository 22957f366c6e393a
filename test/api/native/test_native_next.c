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

/* "HH:MM" of each time, or "day HH:MM" if it is on another day than the first. */
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
    assert_told("schedule", "'s'");
    assert_told("timezone", "'UTC'");
    assert_told("times.0", "{'slot':'2026-01-06T02:30:00.000Z','due':"
                           "'2026-01-06T02:30:00.000Z','source':'baseline-cron'}");
    assert_told("later", "absent");
    assert_string_equal(times("?count=1&from=2026-01-08T02:30:00Z"), "01-08T02:30");
    assert_string_equal(times("?count=1&from=2020-01-01T00:00:00Z"), "01-06T02:30");
}

static void clock_changes_are_as_the_spec_has_them(void **state)
{
    (void)state;
    /* 2026-03-08: New York skips 02:00 to 03:00; a fixed time in the gap moves to its end. */
    make("{'cron':['30 2 * * *'],'timezone':'America/New_York'}", "");
    assert_string_equal(times("?count=3&from=2026-03-07T00:00:00Z"),
                        "03-07T07:30 03-08T07:00 03-09T06:30");
}

static void an_end_and_a_number_of_runs_bound_them(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *'],'end':'2026-01-05T12:00:00Z'}", "");
    assert_string_equal(times(""), "01-05T11:00 01-05T12:00");
    assert_int_equal(ask("DELETE /api/v1/schedules/s", NULL, NULL), 204);
    make("{'cron':['0 * * * *']}", ",'policies':{'remainingRuns':3}");
    assert_string_equal(times(""), "01-05T11:00 01-05T12:00 01-05T13:00");
}

static void jitter_is_shown_beside_the_slot(void **state)
{
    struct str slot, due;

    (void)state;
    make("{'cron':['0 * * * *'],'jitter':'30m'}", "");
    assert_int_equal(get("/api/v1/schedules/s/next?count=20"), 200);
    for (int i = 0; i < 20; i++) {
        slot = text_at(js("times.%d.slot", i));
        due = text_at(js("times.%d.due", i));
        assert_true(memcmp(slot.ptr, due.ptr, slot.len) <= 0);
        assert_memory_equal(slot.ptr, due.ptr, 13); /* the same hour */
    }
}

/* The due time that `next` shows; `slots` must show the same. */
static struct str due_at_eleven(void)
{
    struct str due;

    assert_int_equal(get("/api/v1/schedules/s/next"), 200);
    assert_told("times.0.slot", "'2026-01-05T11:00:00.000Z'");
    due = text_at("times.0.due");
    assert_int_equal(get("/api/v1/schedules/s/slots?from=2026-01-05T11:00:00Z"), 200);
    assert_string_equal(text_at("slots.0.due").ptr, due.ptr);
    return due;
}

/* The end of a run sets the next time of its interval; the due time of 11:00 stays. */
static void jitter_that_was_told_stays_when_a_run_ends(void **state)
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
    pass(SPAN_H + SPAN_MS);
    assert_int_equal(post(js("/api/v1/runs/%s/complete", id.ptr), js("{'fence':1}")), 200);
    assert_string_equal(due_at_eleven().ptr, due);
    pass(20 * SPAN_MIN);
    assert_int_equal(get("/api/v1/schedules/s/slots?from=2026-01-05T11:00:00Z"), 200);
    assert_told("slots.0.outcome", "'started'");
    assert_string_equal(text_at("slots.0.due").ptr, due);
}

static void a_pause_moves_them_or_leaves_none(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(post("/api/v1/schedules/s/pause", js("{'until':'2026-01-05T20:30:00Z'}")),
                     200);
    assert_string_equal(times("?count=1"), "01-05T21:00");
    assert_told("status", "'paused'");
    assert_int_equal(post("/api/v1/schedules/s/pause", ""), 200);
    assert_string_equal(times("?count=1"), "");
}

static void a_governor_knows_one_time(void **state)
{
    (void)state;
    make("{'intervals':[{'every':'1h'}]}", ",'governor':{}");
    assert_int_equal(get("/api/v1/schedules/s/next"), 200);
    assert_told("times.0.source", "'baseline-interval'");
    assert_told("times.1", "absent");
    assert_told("later", "'dependsOnRuns'");
}

static void intervals_name_their_source(void **state)
{
    (void)state;
    make("{'intervals':[{'every':'15m'}]}", "");
    assert_string_equal(times("?count=3"), "01-05T10:15 01-05T10:30 01-05T10:45");
    assert_told("times.0.source", "'baseline-interval'");
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

static void the_question_is_checked(void **state)
{
    (void)state;
    assert_refused(get("/api/v1/schedules/none/next"), 404, "not_found", "");
    assert_refused(get("/api/v1/schedules/s/next?count=0"), 400, "invalid_field", "count");
    assert_refused(get("/api/v1/schedules/s/next?count=1001"), 400, "invalid_field", "count");
    assert_refused(get("/api/v1/schedules/s/next?from=now"), 400, "invalid_field", "from");
    assert_refused(get("/api/v1/schedules/s/next?form=x"), 400, "invalid_field", "");
    assert_told("detail",
                "'unknown parameter \\'form\\'; did you mean from? valid: from, namespace, "
                "count'");
}

/* The times do not change; a note says how the server delays starts. */
static void a_server_that_spreads_starts_says_so(void **state)
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
    assert_told("note", "absent");
    start_again(30 * SPAN_S);
    assert_int_equal(get("/api/v1/schedules/plain/next"), 200);
    assert_told("note", note);
    assert_told("times.0.due", "'2026-01-05T11:00:00.000Z'");
    assert_int_equal(get("/api/v1/schedules/plain/explain?at=2026-01-05T11:00:00Z"), 200);
    assert_told("note", note);
    assert_int_equal(post("/api/v1/preview", js("{'spec':{'cron':['0 11 * * *']}}")), 200);
    assert_told("note", note);
    assert_told("next.0.due", "'2026-01-05T11:00:00.000Z'");
    /* Schedules with their own jitter or a governor are not affected. */
    assert_int_equal(get("/api/v1/schedules/own/next"), 200);
    assert_told("note", "absent");
    assert_int_equal(get("/api/v1/schedules/governed/next"), 200);
    assert_told("note", "absent");
    assert_int_equal(get("/api/v1/schedules/governed/explain"), 200);
    assert_told("note", "absent");
    assert_int_equal(
        post("/api/v1/preview", js("{'spec':{'cron':['0 11 * * *'],'jitter':'1s'}}")), 200);
    assert_told("note", "absent");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(the_next_times_of_a_cron),
        SERVED(clock_changes_are_as_the_spec_has_them),
        SERVED(an_end_and_a_number_of_runs_bound_them),
        SERVED(jitter_is_shown_beside_the_slot),
        SERVED(jitter_that_was_told_stays_when_a_run_ends),
        SERVED(a_pause_moves_them_or_leaves_none),
        SERVED(a_governor_knows_one_time),
        SERVED(intervals_name_their_source),
        SERVED(a_cancelled_slot_is_left_out),
        SERVED(a_server_that_spreads_starts_says_so),
        SERVED(the_question_is_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
