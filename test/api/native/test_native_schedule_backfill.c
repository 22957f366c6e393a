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
    assert_told("count", "4");
    assert_told("dryRun", "absent");
    assert_told("ranges.0.first", "'2026-01-04T10:00:00.000Z'");
    assert_told("ranges.0.last", "'2026-01-04T13:00:00.000Z'");
    assert_told("ranges.0.overlap", "'allowAll'");
    pass(0);
    assert_int_equal(get("/api/v1/runs?schedule=s"), 200);
    assert_told("runs.3.slot", "'2026-01-04T10:00:00.000Z'");
    assert_told("runs.3.kind", "'backfill'");
    assert_told("runs.4", "absent");
}

static void a_dry_run_counts_and_lists(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(backfill("{'ranges':[{'from':'2026-01-01T00:30:00Z',"
                              "'to':'2026-01-01T02:00:00Z'},{'from':'2025-01-01T00:00:00Z',"
                              "'to':'2025-12-31T23:59:59Z'}],'dryRun':true,'limit':3}"),
                     200);
    assert_told("dryRun", "true");
    assert_told("count", "8762");
    assert_told("ranges.0.count", "2");
    assert_told("ranges.1.count", "8760");
    assert_told("times", "['2026-01-01T01:00:00.000Z','2026-01-01T02:00:00.000Z',"
                         "'2025-01-01T00:00:00.000Z']");
    pass(0);
    assert_int_equal(get("/api/v1/runs?schedule=s"), 200);
    assert_told("runs", "[]");
}

/* Every second of thirty days and of ten years, without visiting each slot. */
static void many_are_counted_by_arithmetic(void **state)
{
    (void)state;
    make("{'cron':['* * * * * *']}", "");
    assert_int_equal(backfill("{'from':'2016-01-01T00:00:00Z','to':'2025-12-31T23:59:59Z',"
                              "'dryRun':true,'limit':1}"),
                     200);
    assert_told("count", "315619200"); /* 3653 days */
    assert_told("more", "absent");
}

/* A backfill has a maximum size.  31 December 2024 to 11 January is 1,036,800 s. */
static void more_than_a_million_slots_are_refused(void **state)
{
    (void)state;
    make("{'intervals':[{'every':'1s'}]}", "");
    assert_refused(backfill("{'from':'2024-12-31T00:00:00Z','to':'2025-01-11T23:59:59Z'}"), 422,
                   "limit", "");
    assert_non_null(strstr(
        told("detail"), "the ranges have 1036800 slots; the limit of one backfill is 1000000"));
    assert_refused(backfill("{'ranges':[{'from':'2024-12-31T00:00:00Z',"
                            "'to':'2025-01-05T23:59:59Z'},{'from':'2025-01-06T00:00:00Z',"
                            "'to':'2025-01-11T23:59:59Z'}]}"),
                   422, "limit", "");
    assert_int_equal(backfill("{'from':'2024-12-31T00:00:00Z','to':'2025-01-11T13:46:39Z'}"),
                     202);
    assert_told("count", "1000000");
}

static void an_empty_range_is_no_mistake(void **state)
{
    (void)state;
    make("{'cron':['0 0 1 1 *']}", "");
    assert_int_equal(backfill("{'from':'2025-02-01T00:00:00Z','to':'2025-03-01T00:00:00Z',"
                              "'dryRun':true}"),
                     200);
    assert_told("count", "0");
    assert_told("times", "[]");
    assert_told("ranges.0.first", "null");
}

static void a_schedule_that_is_paused_is_backfilled(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(post("/api/v1/schedules/s/pause", ""), 200);
    assert_int_equal(backfill("{'from':'2026-01-04T10:00:00Z','to':'2026-01-04T10:00:00Z'}"),
                     202);
    pass(0);
    assert_int_equal(get("/api/v1/runs?schedule=s"), 200);
    assert_told("runs.0.kind", "'backfill'");
}

static void what_is_wrong_is_named(void **state)
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
}

static void there_is_a_most_of_them(void **state)
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
        SERVED(a_range_is_run_with_both_its_ends),
        SERVED(a_dry_run_counts_and_lists),
        SERVED(many_are_counted_by_arithmetic),
        SERVED(more_than_a_million_slots_are_refused),
        SERVED(an_empty_range_is_no_mistake),
        SERVED(a_schedule_that_is_paused_is_backfilled),
        SERVED(what_is_wrong_is_named),
        SERVED(there_is_a_most_of_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
