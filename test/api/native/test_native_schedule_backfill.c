/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Backfills: ranges, dry runs and limits.
 */
#include "world.h"

static void make(const char *spec, const char *rest)
{
    assert_int_equal(ask("PUT /api/v1/schedules/s", NULL,
                         js("{'spec':%s,'action':{'type':'queue','queue':'q'}%s}", spec, rest)),
                     201);
}

static int backfill(const char *body)
{
    return post("/api/v1/schedules/s/backfill", js("%s", body));
}

static void a_range_is_run_with_both_its_ends(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(backfill("{'from':'2026-01-04T10:00:00Z','to':'2026-01-04T13:00:00Z',"
                              "'overlap':'allowAll'}"),
                     202);
    assert_json("count", "4");
    assert_json("dryRun", "absent");
    assert_json("ranges.0.first", "'2026-01-04T10:00:00.000Z'");
    assert_json("ranges.0.last", "'2026-01-04T13:00:00.000Z'");
    assert_json("ranges.0.overlap", "'allowAll'");
    pass_time(0);
    assert_int_equal(get("/api/v1/runs?schedule=s"), 200);
    assert_json("runs.3.slot", "'2026-01-04T10:00:00.000Z'");
    assert_json("runs.3.kind", "'backfill'");
    assert_json("runs.4", "absent");
}

static void a_dry_run_counts_and_lists(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(backfill("{'ranges':[{'from':'2026-01-01T00:30:00Z',"
                              "'to':'2026-01-01T02:00:00Z'},{'from':'2025-01-01T00:00:00Z',"
                              "'to':'2025-12-31T23:59:59Z'}],'dryRun':true,'limit':3}"),
                     200);
    assert_json("dryRun", "true");
    assert_json("count", "8762");
    assert_json("ranges.0.count", "2");
    assert_json("ranges.1.count", "8760");
    assert_json("times", "['2026-01-01T01:00:00.000Z','2026-01-01T02:00:00.000Z',"
                         "'2025-01-01T00:00:00.000Z']");
    pass_time(0);
    assert_int_equal(get("/api/v1/runs?schedule=s"), 200);
    assert_json("runs", "[]");
}

/* Every second of ten years, without visiting each slot. */
static void many_are_counted_by_arithmetic(void **state)
{
    (void)state;
    make("{'cron':['* * * * * *']}", "");
    assert_int_equal(backfill("{'from':'2016-01-01T00:00:00Z','to':'2025-12-31T23:59:59Z',"
                              "'dryRun':true,'limit':1}"),
                     200);
    assert_json("count", "315619200"); /* 3653 days */
    assert_json("more", "absent");
}

/* A backfill has a maximum size.  31 December 2024 to 11 January is 1,036,800 s. */
static void more_than_a_million_slots_are_refused(void **state)
{
    (void)state;
    make("{'intervals':[{'every':'1s'}]}", "");
    assert_refused(backfill("{'from':'2024-12-31T00:00:00Z','to':'2025-01-11T23:59:59Z'}"), 422,
                   "limit", "");
    assert_non_null(
        strstr(json_at("detail"),
               "the ranges have 1036800 slots; the limit of one backfill is 1000000"));
    assert_refused(backfill("{'ranges':[{'from':'2024-12-31T00:00:00Z',"
                            "'to':'2025-01-05T23:59:59Z'},{'from':'2025-01-06T00:00:00Z',"
                            "'to':'2025-01-11T23:59:59Z'}]}"),
                   422, "limit", "");
    assert_int_equal(backfill("{'from':'2024-12-31T00:00:00Z','to':'2025-01-11T13:46:39Z'}"),
                     202);
    assert_json("count", "1000000");
}

static void an_empty_range_is_valid(void **state)
{
    (void)state;
    make("{'cron':['0 0 1 1 *']}", "");
    assert_int_equal(backfill("{'from':'2025-02-01T00:00:00Z','to':'2025-03-01T00:00:00Z',"
                              "'dryRun':true}"),
                     200);
    assert_json("count", "0");
    assert_json("times", "[]");
    assert_json("ranges.0.first", "null");
}

static void a_schedule_that_is_paused_is_backfilled(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(post("/api/v1/schedules/s/pause", ""), 200);
    assert_int_equal(backfill("{'from':'2026-01-04T10:00:00Z','to':'2026-01-04T10:00:00Z'}"),
                     202);
    pass_time(0);
    assert_int_equal(get("/api/v1/runs?schedule=s"), 200);
    assert_json("runs.0.kind", "'backfill'");
}

/* No slot is lost because another one runs, unless the request says so. */
static void the_default_overlap_buffers(void **state)
{
    static const struct {
        const char *policy, *expected;
    } list[] = {{"skip", "'bufferAll'"},        {"bufferOne", "'bufferAll'"},
                {"bufferAll", "'bufferAll'"},   {"allowAll", "'allowAll'"},
                {"cancelOther", "'bufferAll'"}, {"terminateOther", "'bufferAll'"}};

    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        ask("DELETE /api/v1/schedules/s", NULL, "");
        make("{'cron':['0 * * * *']}", js(",'policies':{'overlap':'%s'}", list[i].policy));
        assert_int_equal(
            backfill("{'from':'2026-01-04T10:00:00Z','to':'2026-01-04T14:00:00Z'}"), 202);
        assert_json("ranges.0.overlap", list[i].expected);
        assert_json("skipped", "0");
    }
}

static void the_answer_says_what_started(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(backfill("{'from':'2026-01-04T10:00:00Z','to':'2026-01-04T14:00:00Z',"
                              "'overlap':'skip'}"),
                     202);
    assert_json("count", "5");
    assert_json("started", "1");
    assert_json("skipped", "4");
    assert_json("buffered", "0");
    assert_json("ranges.0.id", "1");
    assert_int_equal(backfill("{'from':'2026-01-04T10:00:00Z','to':'2026-01-04T14:00:00Z'}"),
                     202);
    assert_json("started", "0");
    assert_json("buffered", "5");
    assert_json("ranges.0.id", "2");
    assert_int_equal(get("/api/v1/events?type=backfill.started&after=oldest"), 200);
    assert_json("events.0.schedule", "'s'");
    assert_json("events.0.backfill.id", "1");
    assert_json("events.0.backfill.started", "1");
    assert_json("events.0.backfill.skipped", "4");
    assert_json("events.0.backfill.buffered", "0");
    assert_json("events.1.backfill.buffered", "5");
}

static void backfills_are_listed_shown_and_stopped(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    backfill("{'from':'2026-01-04T10:00:00Z','to':'2026-01-04T12:00:00Z'}");
    backfill("{'from':'2026-01-03T10:00:00Z','to':'2026-01-03T11:00:00Z'}");
    assert_int_equal(get("/api/v1/schedules/s/backfills"), 200);
    assert_json("backfills.0.id", "2");
    assert_json("backfills.1.id", "1");
    assert_json("backfills.1.slots", "3");
    assert_json("backfills.1.state", "'running'");
    assert_json("backfills.2", "absent");
    assert_int_equal(get("/api/v1/schedules/s/backfills/1"), 200);
    assert_json("started", "1");
    assert_json("buffered", "2");
    assert_json("pending", "0");
    assert_json("endedAt", "null");
    assert_int_equal(post("/api/v1/schedules/s/backfills/2/stop", ""), 200);
    assert_json("state", "'ended'");
    assert_json("stopped", "true");
    assert_json("cancelled", "2");
    assert_refused(post("/api/v1/schedules/s/backfills/2/stop", ""), 404, "not_found", "");
    assert_refused(get("/api/v1/schedules/s/backfills/3"), 404, "not_found", "");
    assert_refused(get("/api/v1/schedules/s/backfills/x"), 400, "invalid_field", "backfill");
    assert_refused(get("/api/v1/schedules/none/backfills"), 404, "not_found", "");
}

/* It is 10:00 on 5 January; the schedule was created then, so no slot before was started. */
static void only_missed_slots_are_counted_and_run(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(backfill("{'from':'2026-01-05T07:00:00Z','to':'2026-01-05T08:00:00Z'}"),
                     202);
    pass_time(0);
    assert_int_equal(backfill("{'from':'2026-01-05T05:30:00Z','to':'2026-01-05T09:30:00Z',"
                              "'only':'missed','dryRun':true}"),
                     200);
    assert_json("count", "2");
    assert_json("only", "'missed'");
    assert_json("times", "['2026-01-05T06:00:00.000Z','2026-01-05T09:00:00.000Z']");
    assert_int_equal(backfill("{'from':'2026-01-05T05:30:00Z','to':'2026-01-05T09:30:00Z',"
                              "'only':'missed'}"),
                     202);
    assert_json("count", "2");
    pass_time(0);
    assert_int_equal(get("/api/v1/schedules/s/backfills/2"), 200);
    assert_json("buffered", "2");
    assert_json("pending", "0");
}

/* Slots of a pause count as missed while it lasts. */
static void the_slots_of_a_pause_are_missed(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(post("/api/v1/schedules/s/pause", ""), 200);
    pass_time(3 * SPAN_H);
    assert_int_equal(backfill("{'from':'2026-01-05T10:30:00Z','to':'2026-01-05T11:30:00Z',"
                              "'only':'missed','dryRun':true}"),
                     200);
    assert_json("times", "['2026-01-05T11:00:00.000Z']");
}

static void slots_that_are_not_kept_are_refused(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", ",'policies':{'retention':{'age':'2d'}}");
    assert_refused(backfill("{'from':'2026-01-03T09:59:59Z','to':'2026-01-04T00:00:00Z',"
                            "'only':'missed'}"),
                   400, "invalid_field", "from");
    assert_int_equal(backfill("{'from':'2026-01-03T10:00:00Z','to':'2026-01-04T00:00:00Z',"
                              "'only':'missed','dryRun':true}"),
                     200);
    assert_refused(backfill("{'from':'2026-01-04T10:00:00Z','to':'2026-01-04T10:00:00Z',"
                            "'only':'some'}"),
                   400, "invalid_field", "only");
    assert_refused(backfill("{'from':'2026-01-04T10:00:00Z','to':'2026-01-04T10:00:00Z',"
                            "'include':['cancelled']}"),
                   400, "invalid_field", "include");
    assert_refused(backfill("{'from':'2026-01-04T10:00:00Z','to':'2026-01-04T10:00:00Z',"
                            "'only':'missed','include':['x']}"),
                   400, "invalid_field", "include[0]");
}

/* Years of seconds with a shift must be walked: what was not counted is not started. */
static void slots_that_cannot_be_counted_are_refused(void **state)
{
    static char body[64 * 1024];
    struct buf out = BUF(body);

    (void)state;
    make("{'cron':['* * * * * *'],'exclude':{'dates':['2020-01-01'],'shift':'next'}}", "");
    buf_text(&out, "{'ranges':[");
    for (int i = 0; i < BACKFILLS_MAX; i++)
        buf_printf(&out, "%s{'from':'2025-01-01T00:00:00Z','to':'2025-12-31T00:00:00Z'}",
                   i > 0 ? "," : "");
    buf_text(&out, "]}");
    assert_refused(backfill(body), 422, "limit", "");
    assert_int_equal(get("/api/v1/schedules/s/backfills"), 200);
    assert_json("backfills", "[]");
    assert_int_equal(backfill("{'from':'2025-01-01T00:00:00Z','to':'2025-12-31T00:00:00Z',"
                              "'overlap':'skip'}"),
                     422);
}

/* The rows that a count of missed slots reads are part of the work of the request. */
static void a_count_of_missed_slots_ends_with_its_budget(void **state)
{
    static char body[64 * 1024];
    struct buf out = BUF(body);

    (void)state;
    make("{'cron':['0 * * * *']}", "");
    buf_text(&out, "{'only':'missed','dryRun':true,'ranges':[");
    for (int i = 0; i < BACKFILLS_MAX; i++)
        buf_printf(&out, "%s{'from':'2026-01-04T01:00:00Z','to':'2026-01-04T02:00:00Z'}",
                   i > 0 ? "," : "");
    buf_text(&out, "]}");
    assert_int_equal(backfill(body), 200);
    assert_json("count", "200");
    world.read_steps = 100000;
    assert_refused(backfill(body), 422, "limit", "");
}

/* The backfills of another namespace, and of deleted schedules, are not listed. */
static void the_backfills_of_all_schedules_are_listed(void **state)
{
    const char *range = "{'from':'2026-01-04T10:00:00Z','to':'2026-01-04T12:00:00Z'}";
    char next[200];

    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(backfill(range), 202);
    assert_int_equal(backfill(range), 202);
    assert_int_equal(post("/api/v1/schedules/s/backfills/2/stop", ""), 200);
    for (const char *name = "abc"; *name; name++) {
        char path[64];

        snprintf(path, sizeof path, "PUT /api/v1/schedules/%c", *name);
        assert_int_equal(ask(path, NULL,
                             js("{'spec':{'cron':['0 * * * *']},"
                                "'action':{'type':'queue','queue':'q'}}")),
                         201);
        snprintf(path, sizeof path, "/api/v1/schedules/%c/backfill", *name);
        assert_int_equal(post(path, js("%s", range)), 202);
    }
    assert_int_equal(get("/api/v1/backfills"), 200);
    assert_json("backfills.0.schedule", "'c'");
    assert_json("backfills.1.schedule", "'b'");
    assert_json("backfills.2.schedule", "'a'");
    assert_json("backfills.3.schedule", "'s'");
    assert_json("backfills.3.stopped", "true");
    assert_json("backfills.4.schedule", "'s'");
    assert_json("backfills.4.buffered", "2");
    assert_json("backfills.5", "absent");
    assert_json("cursor", "null");
    assert_int_equal(get("/api/v1/backfills?limit=3"), 200);
    assert_json("backfills.2.schedule", "'a'");
    assert_json("backfills.3", "absent");
    snprintf(next, sizeof next, "%s", text_at("cursor").ptr);
    assert_int_equal(get(js("/api/v1/backfills?limit=3&cursor=%s", next)), 200);
    assert_json("backfills.0.id", "2");
    assert_json("backfills.1.id", "1");
    assert_json("backfills.2", "absent");
    assert_json("cursor", "null");
    assert_refused(get(js("/api/v1/backfills?cursor=%s&state=running", next)), 400,
                   "invalid_field", "cursor");
    assert_int_equal(get("/api/v1/backfills?state=ended"), 200);
    assert_json("backfills.0.schedule", "'s'");
    assert_json("backfills.1", "absent");
    assert_int_equal(get("/api/v1/backfills?state=running&limit=2"), 200);
    assert_json("backfills.1.schedule", "'b'");
    assert_json("backfills.2", "absent");
    assert_refused(get("/api/v1/backfills?state=open"), 400, "invalid_field", "state");
    assert_int_equal(get("/api/v1/schedules/s/backfills?state=running"), 200);
    assert_json("backfills.0.id", "1");
    assert_json("backfills.1", "absent");
    assert_int_equal(ask("DELETE /api/v1/schedules/c", NULL, NULL), 204);
    assert_int_equal(get("/api/v1/backfills?limit=1"), 200);
    assert_json("backfills.0.schedule", "'b'");
    assert_int_equal(ask("PUT /api/v1/namespaces/other", NULL, ""), 201);
    assert_int_equal(get("/api/v1/backfills?namespace=other"), 200);
    assert_json("backfills", "[]");
}

static void errors_name_the_field(void **state)
{
    (void)state;
    assert_refused(backfill("{'from':'2026-01-04T10:00:00Z','to':'2026-01-04T10:00:00Z'}"), 404,
                   "not_found", "");
    make("{'cron':['0 * * * *']}", "");
    assert_refused(backfill("{}"), 400, "invalid_field", "from");
    assert_refused(backfill("{'from':'2026-01-04T10:00:00Z'}"), 400, "invalid_field", "to");
    assert_refused(backfill("{'from':'2026-01-04T10:00:00Z','to':'2026-01-03T10:00:00Z'}"), 400,
                   "invalid_field", "to");
    assert_refused(backfill("{'from':'2026-01-04T10:00:00Z','to':'2026-01-05T10:00:01Z'}"), 400,
                   "invalid_field", "to");
    assert_refused(backfill("{'from':'1900-01-04T10:00:00Z','to':'2026-01-01T00:00:00Z'}"), 400,
                   "invalid_field", "to");
    assert_refused(backfill("{'ranges':[]}"), 400, "invalid_field", "ranges");
    assert_refused(backfill("{'ranges':[{'from':'2026-01-04T10:00:00Z'}]}"), 400,
                   "invalid_field", "ranges[0].to");
    assert_refused(backfill("{'ranges':[{'until':1}]}"), 400, "invalid_field",
                   "ranges[0].until");
    assert_refused(backfill("{'ranges':[{}],'from':'2026-01-04T10:00:00Z'}"), 400,
                   "invalid_field", "ranges");
    assert_refused(backfill("{'from':'2026-01-04T10:00:00Z','to':'2026-01-04T10:00:00Z',"
                            "'overlap':'never'}"),
                   400, "invalid_field", "overlap");
    assert_refused(backfill("{'from':'yesterday'}"), 400, "invalid_field", "from");
    /* Missed slots are known only as long as they are stored. */
    assert_refused(backfill("{'only':'missed','from':'2020-01-01T00:00:00Z',"
                            "'to':'2026-01-04T10:00:00Z'}"),
                   400, "invalid_field", "from");
    assert_refused(backfill("{'only':'missed','ranges':[{'from':'2026-01-04T10:00:00Z',"
                            "'to':'2026-01-04T10:00:00Z'},{'from':'2020-01-01T00:00:00Z',"
                            "'to':'2026-01-04T10:00:00Z'}]}"),
                   400, "invalid_field", "ranges[1].from");
}

static void the_number_of_ranges_is_limited(void **state)
{
    static char body[64 * 1024];
    struct buf out = BUF(body);

    (void)state;
    make("{'cron':['0 * * * *']}", "");
    buf_text(&out, "{'ranges':[");
    for (int i = 0; i <= BACKFILLS_MAX; i++)
        buf_printf(&out, "%s{'from':'2026-01-04T10:00:00Z','to':'2026-01-04T10:00:00Z'}",
                   i > 0 ? "," : "");
    buf_text(&out, "]}");
    assert_refused(backfill(body), 422, "limit", "ranges");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_range_is_run_with_both_its_ends),
        API_TEST(a_dry_run_counts_and_lists),
        API_TEST(many_are_counted_by_arithmetic),
        API_TEST(more_than_a_million_slots_are_refused),
        API_TEST(an_empty_range_is_valid),
        API_TEST(a_schedule_that_is_paused_is_backfilled),
        API_TEST(the_default_overlap_buffers),
        API_TEST(the_answer_says_what_started),
        API_TEST(backfills_are_listed_shown_and_stopped),
        API_TEST(only_missed_slots_are_counted_and_run),
        API_TEST(the_slots_of_a_pause_are_missed),
        API_TEST(slots_that_are_not_kept_are_refused),
        API_TEST(slots_that_cannot_be_counted_are_refused),
        API_TEST(a_count_of_missed_slots_ends_with_its_budget),
        API_TEST(the_backfills_of_all_schedules_are_listed),
        API_TEST(errors_name_the_field),
        API_TEST(the_number_of_ranges_is_limited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
