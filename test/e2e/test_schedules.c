/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of operations on schedules that involve all threads of the server; test/api tests the
 * answer of each operation.
 */
#include "request.h"

#define QUEUED "'action':{'type':'queue','queue':'q'}"
#define S      "/api/v1/schedules/s"

enum { PATCHES = 8 };

/* Each patch applies to a document that the others change at the same time; none is lost. */
static void concurrent_patches_are_all_applied(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *schedule;
    int fds[PATCHES];

    make_schedule(d, "s", QUEUED);
    for (int i = 0; i < PATCHES; i++)
        fds[i] = request_begin(d, "PATCH", S, "{'labels':{'l%d':'x'}}", i);
    for (int i = 0; i < PATCHES; i++)
        assert_int_equal(request_end(d, fds[i]).status, 200);
    schedule = api(d, 200, "GET", S, NULL);
    assert_int_equal(json_object_size(at(schedule, "labels")), PATCHES);
    assert_int_equal(number_at(schedule, "state.version"), 1 + PATCHES);
    assert_string_equal(text_at(api(d, 400, "PATCH", S, "{'spec':{'cron':['x']}}"), "field"),
                        "spec.cron[0].expr");
    assert_int_equal(server_stop(d), 0);
}

static void slots_are_skipped_missed_and_run_again(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *answer, *runs;

    make_schedule(d, "s", "'spec':{'cron':['0 0 1 1 *']}," QUEUED);
    answer = api(d, 200, "POST", S "/skip-next", "{'count':2}");
    assert_int_equal(json_array_size(at(answer, "skipped")), 2);
    assert_string_equal(
        text_at(at(api(d, 200, "GET", S "/slots?to=2200-01-01T00:00:00Z", NULL), "slots[1]"),
                "outcome"),
        "cancelled");
    api(d, 200, "POST", S "/pause", "{'reason':'e2e'}");
    assert_int_equal(number_at(api(d, 200, "POST", S "/resume", "{'dryRun':true}"), "missed"),
                     0);
    assert_string_equal(text_at(api(d, 200, "GET", S "/health", NULL), "health"), "paused");
    api(d, 200, "POST", S "/resume", NULL);
    answer = api(d, 200, "POST", S "/backfill",
                 "{'from':'2020-01-01T00:00:00Z','to':'2023-01-01T00:00:00Z','dryRun':true}");
    assert_int_equal(number_at(answer, "count"), 4);
    api(d, 202, "POST", S "/backfill",
        "{'from':'2020-01-01T00:00:00Z','to':'2023-01-01T00:00:00Z','overlap':'allowAll'}");
    runs = claim(d, "q", 10, "10s");
    assert_string_equal(text_at(json_array_get(runs, 0), "kind"), "backfill");
    assert_string_equal(text_at(api(d, 200, "GET", S "/explain?at=2020-01-01T00:00:00Z", NULL),
                                "moments[0].why"),
                        "slot");
    assert_int_equal(
        number_at(api(d, 200, "POST", S "/plan-diff", "{'patch':{'description':'x'}}"), "same"),
        100);
    assert_int_equal(server_stop(d), 0);
}

/* An address is checked at once, a name later: the first answer does not wait for it. */
static void runs_that_will_fail_are_announced(void **state)
{
    struct server *d = server_start(*state, &(struct server_start){.args = WORDS("--exec")});
    const json_t *warnings;

    make_schedule(d, "a", "'action':{'type':'http','url':'http://169.254.169.254/'}");
    warnings = at(schedule_state(d, "a"), "warnings");
    assert_non_null(strstr(json_string_value(json_array_get(warnings, 0)),
                           "169.254.169.254, a link-local address"));
    make_schedule(d, "t", "'action':{'type':'exec','argv':['/no/such'],'user':'no-such'}");
    UNTIL(json_array_size(json_object_get(schedule_state(d, "t"), "warnings")) == 2);
    warnings = at(schedule_state(d, "t"), "warnings");
    assert_non_null(strstr(json_string_value(json_array_get(warnings, 0)),
                           "the program \"/no/such\" does not exist"));
    assert_int_equal(server_stop(d), 0);
}

/* The engine plans schedules again when a calendar that they name changes. */
static void a_calendar_moves_the_schedules_that_name_it(void **state)
{
    struct server *d = server_start(*state, NULL);
    const char *next;

    make_schedule(
        d, "s",
        "'spec':{'cron':['0 0 1 1 *'],'exclude':{'named':['free'],'shift':'next'}}," QUEUED);
    next = text_at(schedule_state(d, "s"), "nextAt");
    api(d, 201, "PUT", "/api/v1/calendars/free", "{'dates':['%.10s']}", next);
    UNTIL(strncmp(text_at(schedule_state(d, "s"), "nextAt") + 4, "-01-02T", 7) == 0);
    assert_int_equal(ask(d, "DELETE", "/api/v1/calendars/free", NULL).status, 204);
    UNTIL(strncmp(text_at(schedule_state(d, "s"), "nextAt") + 4, "-01-01T", 7) == 0);
    assert_int_equal(server_stop(d), 0);
}

static void an_export_can_be_put_back(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *result;
    char *items;

    make_schedule(d, "s", "'spec':{'cron':['0 9 * * *']},'labels':{'a':'b'}," QUEUED);
    make_schedule(d, "t", QUEUED);
    items = json_dumps(at(api(d, 200, "GET", "/api/v1/export", NULL), "items"), JSON_COMPACT);
    assert_int_equal(ask(d, "GET", "/api/v1/export?format=ndjson", NULL).status, 200);
    result = api(d, 200, "POST", "/api/v1/bulk/schedules/delete", "{'items':['s','t','u']}");
    assert_string_equal(text_at(result, "results[1].status"), "ok");
    assert_string_equal(text_at(result, "results[2].error.code"), "not_found");
    api(d, 200, "POST", "/api/v1/bulk/schedules/put", "{'items':%s}", items);
    free(items);
    assert_int_equal(json_array_size(at(api(d, 200, "GET", "/api/v1/schedules?label=a:b", NULL),
                                        "schedules")),
                     1);
    result = api(d, 200, "GET", "/api/v1/schedules?sort=-updatedAt&limit=1", NULL);
    assert_true(json_is_string(at(result, "cursor")));
    assert_int_equal(number_at(api(d, 200, "POST", "/api/v1/preview",
                                   "{'spec':{'cron':['* * 0-19 * * *']}}"),
                               "perDay"),
                     72000);
    assert_int_equal(server_stop(d), 0);
}

/* A hint's reason is stored with the cursor and survives a restart. */
static void a_hint_survives_a_restart(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(w, NULL);

    make_schedule(d, "s", "'spec':{'intervals':[{'every':'1h'}]},'governor':{}," QUEUED);
    api(d, 200, "PUT", S "/hint",
        "{'interval':'30m','expires':'2190-01-01T00:00:00Z','reason':'why'}");
    assert_int_equal(server_stop(d), 0);
    d = server_start(w, NULL);
    assert_string_equal(text_at(api(d, 200, "GET", S, NULL), "governor.hint.reason"), "why");
    assert_string_equal(text_at(api(d, 200, "PUT", "/api/v1/gates/g", "{'limit':3}"), "name"),
                        "g");
    assert_int_equal(server_stop(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(concurrent_patches_are_all_applied),
        E2E_TEST(slots_are_skipped_missed_and_run_again),
        E2E_TEST(runs_that_will_fail_are_announced),
        E2E_TEST(a_calendar_moves_the_schedules_that_name_it),
        E2E_TEST(an_export_can_be_put_back),
        E2E_TEST(a_hint_survives_a_restart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
