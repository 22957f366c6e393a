/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The health of a schedule and its warnings.
 */
#include "world.h"

static void make(const char *spec, const char *rest)
{
    assert_int_equal(ask("PUT /api/v1/schedules/s", NULL,
                         js("{'spec':%s,'action':{'type':'queue','queue':'q'}%s}", spec, rest)),
                     201);
}

static void end_after(span time, const char *how, const char *more)
{
    char id[64], fence[16];

    assert_int_equal(post("/api/v1/schedules/s/trigger", ""), 202);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q'],'worker':'w'}")), 200);
    snprintf(id, sizeof id, "%s", text_at("runs.0.id").ptr);
    snprintf(fence, sizeof fence, "%s", told("runs.0.fence"));
    world.now += time;
    assert_int_equal(post(js("/api/v1/runs/%s/%s", id, how), js("{'fence':%s%s}", fence, more)),
                     200);
}

static void end_one(const char *how, const char *more)
{
    end_after(0, how, more);
}

static void health(const char *query)
{
    assert_int_equal(get(js("/api/v1/schedules/s/health%s", query)), 200);
}

static void assert_warned(const char *part)
{
    if (!strstr(told("warnings"), part))
        fail_msg("%s", told("warnings"));
}

static void a_schedule_that_is_well(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    health("");
    assert_told("health", "'ok'");
    assert_told("late", "false");
    assert_told("failing", "false");
    assert_told("nextAt", "'2026-01-05T11:00:00.000Z'");
    assert_told("successRate", "null");
    assert_told("last", "[]");
    assert_told("warnings", "[]");
}

#define EXEC "{'spec':{'cron':['0 * * * *']},'action':{'type':'exec','argv':['/bin/true']}}"
#define NO_EXEC                                                                     \
    "'its runs fail, because this server runs no programs; set exec = true in its " \
    "configuration'"

/* The warning is in the answers of create, change, read, health and explain. */
static void an_exec_action_where_exec_is_off_is_warned_of(void **state)
{
    (void)state;
    world.context.has_no_exec = true;
    assert_int_equal(ask("PUT /api/v1/schedules/s", NULL, js(EXEC)), 201);
    assert_told("state.warnings", "[" NO_EXEC "]");
    assert_int_equal(ask("PUT /api/v1/schedules/s", NULL, js(EXEC)), 200);
    assert_told("state.warnings", "[" NO_EXEC "]");
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_told("state.warnings", "[" NO_EXEC "]");
    health("");
    assert_told("warnings", "[" NO_EXEC "]");
    assert_int_equal(get("/api/v1/schedules/s/explain?at=2026-01-05T12:00:00Z"), 200);
    if (!strstr(told("moments.0.sentences"), "Its runs fail, because this server runs no"))
        fail_msg("%s", told("moments.0.sentences"));
    assert_int_equal(post("/api/v1/bulk/schedules/put",
                          js("{'items':[{'id':'b','action':{'type':'exec','argv':['/x']}},"
                             "{'id':'c','action':{'type':'queue','queue':'q'}}]}")),
                     200);
    assert_told("results.0.warnings", "[" NO_EXEC "]");
    assert_false(strstr(told("results.1"), "warnings"));
    assert_int_equal(get("/api/v1/schedules/c"), 200);
    assert_false(strstr(told("state"), "warnings"));
    /* With exec enabled there is no warning. */
    world.context.has_no_exec = false;
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_false(strstr(told("state"), "warnings"));
    health("");
    assert_told("warnings", "[]");
}

static void its_last_runs_and_how_many_were_good(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    end_one("complete", "");
    end_one("fail", ",'error':{'code':'x','message':'broken','retryable':false}");
    end_one("complete", "");
    health("");
    assert_told("runs", "3");
    assert_told("succeeded", "2");
    assert_told("failed", "1");
    assert_non_null(memmem(world.call.answer.ptr, world.call.answer.len,
                           "\"successRate\":0.666,", strlen("\"successRate\":0.666,")));
    assert_told("last.0.outcome", "'succeeded'");
    assert_told("last.1.outcome", "'failed'");
    assert_told("last.1.reason", "'target'");
    health("?runs=1");
    assert_told("runs", "1");
    assert_told("successRate", "1.0");
}

/* Runs of 30 s the day before, of 10 s and 20 s today: (30 + 10 + 20) / 3 s, and 15 s. */
static void how_long_they_took_and_how_they_went_since_yesterday(void **state)
{
    (void)state;
    make("{'cron':['0 0 1 1 *']}", "");
    health("");
    assert_told("avgDurationMs", "null");
    end_after(30 * SPAN_S, "fail", ",'error':{'message':'x','retryable':false}");
    pass(24 * SPAN_H);
    end_after(10 * SPAN_S, "complete", "");
    end_after(20 * SPAN_S, "fail", ",'error':{'message':'x','retryable':false}");
    health("");
    assert_told("runs", "3");
    assert_told("avgDurationMs", "20000");
    health("?from=2026-01-05T10:01:00Z");
    assert_told("runs", "2");
    assert_told("succeeded", "1");
    assert_told("failed", "1");
    assert_told("failures", "1"); /* consecutive failures */
    assert_told("avgDurationMs", "15000");
    assert_told("last.0.outcome", "'failed'");
    health("?from=2026-01-07T00:00:00Z");
    assert_told("runs", "0");
    assert_told("avgDurationMs", "null");
    assert_refused(get("/api/v1/schedules/s/health?from=yesterday"), 400, "invalid_field",
                   "from");
}

static void failures_in_a_row(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    for (int i = 0; i < 3; i++)
        end_one("fail", ",'error':{'code':'x','message':'broken','retryable':false}");
    health("");
    assert_told("health", "'failing'");
    assert_told("failing", "true");
    assert_told("failures", "3");
    assert_warned("its last 3 runs failed");
}

static void a_run_that_nobody_takes(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", ",'policies':{'latenessBudget':'10m'}");
    pass(SPAN_H + 9 * SPAN_MIN);
    health("");
    assert_told("late", "false");
    pass(SPAN_MIN);
    health("");
    assert_told("health", "'late'");
    assert_told("late", "true");
    assert_told("lateSince", "'2026-01-05T11:00:00.000Z'");
    assert_warned("check that a worker polls");
    assert_told("latenessBudget", "'10m'");
    assert_told("lateRuns", "0");
    pass(SPAN_S); /* a lateness equal to the budget is not late */
    end_one("complete", "");
    health("");
    assert_told("late", "false");
    assert_told("lateRuns", "1");
}

static void a_run_that_waits_for_approval(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", ",'policies':{'approval':true}");
    pass(SPAN_H);
    health("");
    assert_warned("waiting for approval since 2026-01-05T11:00:00Z");
    assert_told("open", "1");
}

static void a_schedule_at_rest_says_why(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(post("/api/v1/schedules/s/pause",
                          js("{'reason':'moving','until':'2026-01-06T00:00:00Z'}")),
                     200);
    health("");
    assert_told("health", "'paused'");
    assert_warned("it is paused until 2026-01-06T00:00:00Z: moving");
    assert_int_equal(post("/api/v1/schedules/s/resume", ""), 200);
    assert_int_equal(ask("PATCH /api/v1/schedules/s", NULL, js("{'enabled':false}")), 200);
    health("");
    assert_warned("it is not enabled");
    assert_told("nextAt", "null");
}

static void a_plan_that_is_odd(void **state)
{
    (void)state;
    make("{'cron':['*/10 * * * * *']}", "");
    health("");
    assert_told("health", "'ok'");
    assert_warned("it runs 8640 times a day");
    assert_int_equal(ask("PATCH /api/v1/schedules/s", NULL,
                         js("{'spec':{'cron':[],'at':['2026-01-05T10:30:00Z']}}")),
                     200);
    pass(SPAN_H);
    health("");
    assert_warned("will not run by itself again");
    assert_int_equal(
        ask("PATCH /api/v1/schedules/s", NULL,
            js("{'spec':{'cron':['0 * * * *'],'exclude':{'named':['holidays']}}}")),
        200);
    health("");
    assert_warned(
        "calendar \\'holidays\\' does not exist; until it is created, it excludes no day");
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    assert_refused(get("/api/v1/schedules/s/health"), 404, "not_found", "");
    make("{'cron':['0 * * * *']}", "");
    assert_refused(get("/api/v1/schedules/s/health?runs=0"), 400, "invalid_field", "runs");
    assert_refused(get("/api/v1/schedules/s/health?run=1"), 400, "invalid_field", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(a_schedule_that_is_well),
        SERVED(an_exec_action_where_exec_is_off_is_warned_of),
        SERVED(its_last_runs_and_how_many_were_good),
        SERVED(how_long_they_took_and_how_they_went_since_yesterday),
        SERVED(failures_in_a_row),
        SERVED(a_run_that_nobody_takes),
        SERVED(a_run_that_waits_for_approval),
        SERVED(a_schedule_at_rest_says_why),
        SERVED(a_plan_that_is_odd),
        SERVED(what_is_wrong_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
