/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The comparison of times before and after an edit.
 */
#include "world.h"

#define QUEUED "'action':{'type':'queue','queue':'q'}"

static void make(const char *spec)
{
    assert_int_equal(ask("PUT /api/v1/schedules/s", NULL, js("{'spec':%s," QUEUED "}", spec)),
                     201);
}

static int diff(const char *body)
{
    return post("/api/v1/schedules/s/plan-diff", js("%s", body));
}

static void a_diff_lists_added_and_removed_times(void **state)
{
    (void)state;
    make("{'cron':['0 */2 * * *']}");
    assert_int_equal(diff("{'patch':{'spec':{'cron':['0 */3 * * *']}},'count':4}"), 200);
    assert_json("from", "'2026-01-05T10:00:00.000Z'");
    /* Before: 10 12 14 16, after: 12 15 18 21; both lists are complete up to 16:00. */
    assert_json("until", "'2026-01-05T16:00:00.000Z'");
    assert_json("before", "['2026-01-05T10:00:00.000Z','2026-01-05T12:00:00.000Z',"
                          "'2026-01-05T14:00:00.000Z','2026-01-05T16:00:00.000Z']");
    assert_json("after", "['2026-01-05T12:00:00.000Z','2026-01-05T15:00:00.000Z']");
    assert_json("added", "['2026-01-05T15:00:00.000Z']");
    assert_json("removed", "['2026-01-05T10:00:00.000Z','2026-01-05T14:00:00.000Z',"
                           "'2026-01-05T16:00:00.000Z']");
    assert_json("same", "1");
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.version", "1");
}

static void a_diff_with_a_document_replaces_the_schedule(void **state)
{
    (void)state;
    make("{'at':['2026-01-06T00:00:00Z','2026-01-07T00:00:00Z']}");
    assert_int_equal(diff("{'document':{'spec':{'at':['2026-01-07T00:00:00Z',"
                          "'2026-01-08T00:00:00Z']}," QUEUED "}}"),
                     200);
    assert_json("until", "null");
    assert_json("added", "['2026-01-08T00:00:00.000Z']");
    assert_json("removed", "['2026-01-06T00:00:00.000Z']");
    assert_json("same", "1");
}

static void an_edit_of_something_else_changes_no_time(void **state)
{
    (void)state;
    make("{'cron':['0 */2 * * *'],'jitter':'10m'}");
    assert_int_equal(diff("{'patch':{'description':'x'},'from':'2027-01-01T00:00:00Z'}"), 200);
    assert_json("added", "[]");
    assert_json("removed", "[]");
    assert_json("same", "100");
    assert_json("before.0", "'2027-01-01T00:00:00.000Z'");
}

static void times_that_depend_on_runs_are_marked(void **state)
{
    (void)state;
    make("{'cron':['0 */2 * * *']}");
    assert_int_equal(diff("{'patch':{'description':'x'}}"), 200);
    assert_json("later", "absent");
    assert_int_equal(diff("{'patch':{'spec':{'cron':null,"
                          "'intervals':[{'every':'1h','anchor':'completion'}]}}}"),
                     200);
    assert_json("later", "'dependsOnRuns'");
    assert_int_equal(diff("{'patch':{'governor':{'maxInterval':'1h'}}}"), 200);
    assert_json("later", "'dependsOnRuns'");
}

/* Skipped slots and those of a pause ([P-14] of docs/semantics.md) are omitted. */
static void times_during_a_pause_are_removed(void **state)
{
    (void)state;
    make("{'cron':['0 0 * * *']}");
    assert_int_equal(diff("{'patch':{'enabled':false},'count':2}"), 200);
    assert_json("before", "['2026-01-06T00:00:00.000Z','2026-01-07T00:00:00.000Z']");
    assert_json("after", "[]");
    assert_json("removed", "['2026-01-06T00:00:00.000Z','2026-01-07T00:00:00.000Z']");
    assert_int_equal(diff("{'patch':{'paused':true},'count':2}"), 200);
    assert_json("after", "[]");
    assert_json("note", "absent");
    assert_int_equal(diff("{'patch':{'paused':{'until':'2026-01-07T00:00:00Z'}},'count':2}"),
                     200);
    assert_json("removed", "['2026-01-06T00:00:00.000Z']");
    assert_json("after", "['2026-01-07T00:00:00.000Z']");
    assert_int_equal(post("/api/v1/schedules/s/skip-next", "{}"), 200);
    assert_int_equal(diff("{'patch':{'description':'x'},'count':1}"), 200);
    assert_json("before", "['2026-01-07T00:00:00.000Z']");
}

static void a_schedule_that_is_paused_is_compared_as_if_it_ran(void **state)
{
    (void)state;
    make("{'cron':['0 0 * * *']}");
    assert_int_equal(post("/api/v1/schedules/s/pause", "{}"), 200);
    assert_int_equal(diff("{'patch':{'paused':false},'count':1}"), 200);
    assert_json("before", "[]");
    assert_json("added", "['2026-01-06T00:00:00.000Z']");
    assert_json("note", "absent");
    assert_int_equal(diff("{'patch':{'spec':{'cron':['0 1 * * *']}},'count':1}"), 200);
    assert_json("before", "['2026-01-06T00:00:00.000Z']");
    assert_json("note", "'the schedule does not run, and the edit does not change this; these "
                        "are the times at which it would otherwise run'");
    assert_int_equal(post("/api/v1/schedules/s/pause", js("{'until':'2026-01-08T00:00:00Z'}")),
                     200);
    assert_int_equal(diff("{'patch':{'description':'x'},'count':1}"), 200);
    assert_json("before", "['2026-01-08T00:00:00.000Z']");
    assert_json("same", "1");
}

static void an_edit_of_a_quarantined_schedule_ends_the_quarantine(void **state)
{
    (void)state;
    make("{'cron':['0 0 * * *']}");
    quarantine_schedules();
    assert_int_equal(diff("{'patch':{'description':'x'},'count':1}"), 200);
    assert_json("before", "[]");
    assert_json("added", "['2026-01-06T00:00:00.000Z']");
    assert_json("note", "absent");
    assert_int_equal(ask("PATCH /api/v1/schedules/s", NULL, js("{'description':'x'}")), 200);
    assert_json("state.nextAt", "'2026-01-06T00:00:00.000Z'");
}

/* RFC 7396: a merge patch without members changes nothing. */
static void an_empty_patch_changes_nothing(void **state)
{
    (void)state;
    make("{'cron':['0 */2 * * *']}");
    assert_int_equal(diff("{'patch':{},'count':2}"), 200);
    assert_json("before", "['2026-01-05T10:00:00.000Z','2026-01-05T12:00:00.000Z']");
    assert_json("after", "['2026-01-05T10:00:00.000Z','2026-01-05T12:00:00.000Z']");
    assert_json("added", "[]");
    assert_json("removed", "[]");
    assert_json("same", "2");
    assert_refused(diff("{'patch':{},'document':{}}"), 400, "invalid_field", "document");
    assert_refused(diff("{'patch':null}"), 400, "invalid_field", "document");
    assert_refused(diff("{'document':{}}"), 400, "invalid_action", "document.action");
}

static void errors_name_the_field(void **state)
{
    (void)state;
    assert_refused(diff("{'patch':{'description':'x'}}"), 404, "not_found", "");
    make("{'cron':['0 */2 * * *']}");
    assert_refused(diff("{}"), 400, "invalid_field", "document");
    assert_refused(diff("{'patch':{'a':1},'document':{'a':1}}"), 400, "invalid_field",
                   "document");
    assert_refused(diff("{'patch':{'spec':{'cron':['x']}}}"), 400, "invalid_spec",
                   "patch.spec.cron[0].expr");
    assert_refused(diff("{'patch':{'spec':{'timezone':'No/Where'}}}"), 400, "invalid_spec",
                   "patch.spec.timezone");
    assert_refused(diff("{'patch':{'descripton':'x'}}"), 400, "invalid_field",
                   "patch.descripton");
    assert_refused(diff("{'document':{'spec':{'cron':['* * * * *']}}}"), 400, "invalid_action",
                   "document.action");
    assert_refused(diff("{'spec':{'cron':['* * * * *']}}"), 400, "invalid_field", "spec");
    assert_refused(diff("{'patch':{'a':1},'count':0}"), 400, "invalid_field", "count");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_diff_lists_added_and_removed_times),
        API_TEST(a_diff_with_a_document_replaces_the_schedule),
        API_TEST(an_edit_of_something_else_changes_no_time),
        API_TEST(times_that_depend_on_runs_are_marked),
        API_TEST(times_during_a_pause_are_removed),
        API_TEST(a_schedule_that_is_paused_is_compared_as_if_it_ran),
        API_TEST(an_edit_of_a_quarantined_schedule_ends_the_quarantine),
        API_TEST(an_empty_patch_changes_nothing),
        API_TEST(errors_name_the_field),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
