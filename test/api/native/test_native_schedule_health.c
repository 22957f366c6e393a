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
    snprintf(fence, sizeof fence, "%s", json_at("runs.0.fence"));
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
    if (!strstr(json_at("warnings"), part))
        fail_msg("%s", json_at("warnings"));
}

static void a_healthy_schedule(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    health("");
    assert_json("health", "'ok'");
    assert_json("late", "false");
    assert_json("failing", "false");
    assert_json("nextAt", "'2026-01-05T11:00:00.000Z'");
    assert_json("successRate", "null");
    assert_json("last", "[]");
    assert_json("warnings", "[]");
}

#define EXEC "{'spec':{'cron':['0 * * * *']},'action':{'type':'exec','argv':['/bin/true']}}"
#define NO_EXEC                                                                     \
    "'its runs fail, because this server runs no programs; set exec = true in its " \
    "configuration'"

/* The warning is in the answers of create, change, read, health and explain. */
static void an_exec_action_causes_a_warning_if_exec_is_off(void **state)
{
    (void)state;
    world.context.has_no_exec = true;
    assert_int_equal(ask("PUT /api/v1/schedules/s", NULL, js(EXEC)), 201);
    assert_json("state.warnings", "[" NO_EXEC "]");
    assert_int_equal(ask("PUT /api/v1/schedules/s", NULL, js(EXEC)), 200);
    assert_json("state.warnings", "[" NO_EXEC "]");
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.warnings", "[" NO_EXEC "]");
    health("");
    assert_json("warnings", "[" NO_EXEC "]");
    assert_int_equal(get("/api/v1/schedules/s/explain?at=2026-01-05T12:00:00Z"), 200);
    if (!strstr(json_at("moments.0.sentences"), "Its runs fail, because this server runs no"))
        fail_msg("%s", json_at("moments.0.sentences"));
    assert_int_equal(post("/api/v1/bulk/schedules/put",
                          js("{'items':[{'id':'b','action':{'type':'exec','argv':['/x']}},"
                             "{'id':'c','action':{'type':'queue','queue':'q'}}]}")),
                     200);
    assert_json("results.0.warnings", "[" NO_EXEC "]");
    assert_false(strstr(json_at("results.1"), "warnings"));
    assert_int_equal(get("/api/v1/schedules/c"), 200);
    assert_false(strstr(json_at("state"), "warnings"));
    /* With exec enabled there is no warning. */
    world.context.has_no_exec = false;
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_false(strstr(json_at("state"), "warnings"));
    health("");
    assert_json("warnings", "[]");
}

static int warn_twice(void *arg, const struct context_action *action, struct arena *arena,
                      struct str ret[static CONTEXT_WARNINGS_MAX])
{
    (void)arg;
    (void)arena;
    assert_true(str_eq(action->namespace, STR("default")));
    assert_true(str_starts(action->json, STR("{\"type\":\"http\"")));
    ret[0] = STR("first");
    ret[1] = STR("second");
    return 2;
}

#define CALL "{'spec':{'cron':['0 * * * *']},'action':{'type':'http','url':'http://a/{{b}}'}}"
#define BRACES                                                                            \
    "['\\'{{\\' is sent as it is; a value is written ${name}, such as ${scheduledTime}'," \
    "'first','second']"

/* What the server knows, and `{{`, in all answers that have warnings. */
static void all_warnings_of_the_server_are_shown(void **state)
{
    (void)state;
    world.context.action_warnings = warn_twice;
    assert_int_equal(ask("PUT /api/v1/schedules/s", NULL, js(CALL)), 201);
    assert_json("state.warnings", BRACES);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.warnings", BRACES);
    assert_int_equal(get("/api/v1/schedules/s?fields=enabled"), 200);
    assert_json("", "{'id':'s','enabled':true}");
    assert_int_equal(get("/api/v1/schedules"), 200);
    assert_json("schedules.0.state.warnings", BRACES);
    health("");
    assert_json("warnings", BRACES);
    assert_int_equal(ask("PATCH /api/v1/schedules/s", NULL, js("{'enabled':false}")), 200);
    assert_json("state.warnings", BRACES);
    assert_int_equal(
        post("/api/v1/bulk/schedules/put", js("{'items':[{'id':'b','action':{'type':'http',"
                                              "'url':'http://a/{{b}}'}}]}")),
        200);
    assert_json("results.0.warnings", BRACES);
}

static void health_has_the_last_runs_and_the_success_rate(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    end_one("complete", "");
    end_one("fail", ",'error':{'code':'x','message':'broken','retryable':false}");
    end_one("complete", "");
    health("");
    assert_json("runs", "3");
    assert_json("succeeded", "2");
    assert_json("failed", "1");
    assert_non_null(memmem(world.call.answer.ptr, world.call.answer.len,
                           "\"successRate\":0.666,", strlen("\"successRate\":0.666,")));
    assert_json("last.0.outcome", "'succeeded'");
    assert_json("last.1.outcome", "'failed'");
    assert_json("last.1.reason", "'target'");
    health("?runs=1");
    assert_json("runs", "1");
    assert_json("successRate", "1.0");
}

/* Runs of 30 s the day before, of 10 s and 20 s today: (30 + 10 + 20) / 3 s, and 15 s. */
static void health_has_the_average_duration_and_can_start_at_a_time(void **state)
{
    (void)state;
    make("{'cron':['0 0 1 1 *']}", "");
    health("");
    assert_json("avgDurationMs", "null");
    end_after(30 * SPAN_S, "fail", ",'error':{'message':'x','retryable':false}");
    pass_time(24 * SPAN_H);
    end_after(10 * SPAN_S, "complete", "");
    end_after(20 * SPAN_S, "fail", ",'error':{'message':'x','retryable':false}");
    health("");
    assert_json("runs", "3");
    assert_json("avgDurationMs", "20000");
    health("?from=2026-01-05T10:01:00Z");
    assert_json("runs", "2");
    assert_json("succeeded", "1");
    assert_json("failed", "1");
    assert_json("failures", "1"); /* consecutive failures */
    assert_json("avgDurationMs", "15000");
    assert_json("last.0.outcome", "'failed'");
    health("?from=2026-01-07T00:00:00Z");
    assert_json("runs", "0");
    assert_json("avgDurationMs", "null");
    assert_refused(get("/api/v1/schedules/s/health?from=yesterday"), 400, "invalid_field",
                   "from");
}

#define BROKEN ",'error':{'code':'x','message':'broken','retryable':false}"

static void a_failed_run_makes_a_schedule_failing_until_one_succeeds(void **state)
{
    (void)state;
    make("{'cron':['0 0 1 1 *']}", "");
    end_one("complete", "");
    health("");
    assert_json("failing", "false");
    assert_json("failingSince", "null");
    end_after(SPAN_MIN, "fail", BROKEN); /* ends at 10:01 */
    health("");
    assert_json("health", "'failing'");
    assert_json("failing", "true");
    assert_json("failures", "1");
    assert_json("failingSince", "'2026-01-05T10:01:00.000Z'");
    assert_json("warnings", "['its last run failed']");
    end_after(SPAN_MIN, "fail", BROKEN);
    end_after(SPAN_MIN, "fail", BROKEN);
    health("?runs=1"); /* also if the first failure is not among the evaluated runs */
    assert_json("failures", "3");
    assert_json("failingSince", "'2026-01-05T10:01:00.000Z'");
    assert_warned("its last 3 runs failed, the first of them at 2026-01-05T10:01:00Z");
    end_one("complete", "");
    health("");
    assert_json("health", "'ok'");
    assert_json("failing", "false");
    assert_json("failingSince", "null");
}

/* A run that was cancelled before it started has no duration. */
static void the_average_duration_is_that_of_runs_that_started(void **state)
{
    char id[64];

    (void)state;
    make("{'cron':['0 0 1 1 *']}", "");
    end_after(10 * SPAN_S, "complete", "");
    assert_int_equal(post("/api/v1/schedules/s/trigger", ""), 202);
    snprintf(id, sizeof id, "%s", text_at("id").ptr);
    assert_int_equal(post(js("/api/v1/runs/%s/cancel", id), ""), 202);
    health("");
    assert_json("runs", "2");
    assert_json("avgDurationMs", "10000");
}

/* As in the state of the schedule: without cancelled slots and slots in a pause. */
static void the_next_time_is_that_of_the_next_run(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(post("/api/v1/schedules/s/skip-next", ""), 200);
    health("");
    assert_json("nextAt", "'2026-01-05T12:00:00.000Z'");
    assert_int_equal(post("/api/v1/schedules/s/pause", js("{'until':'2026-01-06T00:30:00Z'}")),
                     200);
    health("");
    assert_json("nextAt", "'2026-01-06T01:00:00.000Z'");
}

/* The end and the reason of a pause belong to the pause, not to the other states. */
static void each_reason_why_a_schedule_is_stopped_is_a_warning(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", ",'enabled':false");
    assert_int_equal(post("/api/v1/schedules/s/pause",
                          js("{'reason':'moving','until':'2026-01-06T00:00:00Z'}")),
                     200);
    health("");
    assert_json("warnings",
                "['it is not enabled','it is paused until 2026-01-06T00:00:00Z: moving']");
}

static void a_run_that_is_not_claimed_makes_the_schedule_late(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", ",'policies':{'latenessBudget':'10m'}");
    pass_time(SPAN_H + 9 * SPAN_MIN);
    health("");
    assert_json("late", "false");
    pass_time(SPAN_MIN);
    health("");
    assert_json("health", "'late'");
    assert_json("late", "true");
    assert_json("lateSince", "'2026-01-05T11:00:00.000Z'");
    assert_warned("check that a worker polls");
    assert_json("latenessBudget", "'10m'");
    assert_json("lateRuns", "0");
    pass_time(SPAN_S); /* a lateness equal to the budget is not late */
    end_one("complete", "");
    health("");
    assert_json("late", "false");
    assert_json("lateRuns", "1");
}

static void a_run_that_waits_for_approval_causes_a_warning(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", ",'policies':{'approval':true}");
    pass_time(SPAN_H);
    health("");
    assert_warned("waiting for approval since 2026-01-05T11:00:00Z");
    assert_json("open", "1");
}

/* A run is open, and the buffer of one waiting run is full. */
static void a_full_buffer_causes_a_warning(void **state)
{
    (void)state;
    make("{'intervals':[{'every':'1m'}]}",
         ",'policies':{'overlap':'bufferAll','bufferLimit':1,'catchup':{'window':'1h'}}");
    pass_time(5 * SPAN_MIN);
    health("");
    assert_warned("the buffer of waiting runs is full (1); further slots wait "
                  "(policies.catchup.whenFull)");
}

static void the_health_of_a_paused_schedule_has_the_reason(void **state)
{
    (void)state;
    make("{'cron':['0 * * * *']}", "");
    assert_int_equal(post("/api/v1/schedules/s/pause",
                          js("{'reason':'moving','until':'2026-01-06T00:00:00Z'}")),
                     200);
    health("");
    assert_json("health", "'paused'");
    assert_warned("it is paused until 2026-01-06T00:00:00Z: moving");
    assert_int_equal(post("/api/v1/schedules/s/resume", ""), 200);
    assert_int_equal(ask("PATCH /api/v1/schedules/s", NULL, js("{'enabled':false}")), 200);
    health("");
    assert_warned("it is not enabled");
    assert_json("nextAt", "null");
}

static void an_unusual_spec_causes_a_warning(void **state)
{
    (void)state;
    make("{'cron':['*/10 * * * * *']}", "");
    health("");
    assert_json("health", "'ok'");
    assert_warned("it runs 8640 times a day");
    assert_int_equal(ask("PATCH /api/v1/schedules/s", NULL,
                         js("{'spec':{'cron':[],'at':['2026-01-05T10:30:00Z']}}")),
                     200);
    pass_time(SPAN_H);
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

static void errors_name_the_field(void **state)
{
    (void)state;
    assert_refused(get("/api/v1/schedules/s/health"), 404, "not_found", "");
    make("{'cron':['0 * * * *']}", "");
    assert_refused(get("/api/v1/schedules/s/health?runs=0"), 400, "invalid_field", "runs");
    assert_refused(get("/api/v1/schedules/s/health?run=1"), 400, "invalid_field", "");
}

#define UNPOLLED \
    "['no worker has polled its queue \\'q\\' for an hour; start one: belfry worker']"

/* A poll is recorded at most every ten minutes, so the warning may come so much later. */
static void a_queue_that_no_worker_polls_causes_a_warning(void **state)
{
    (void)state;
    make("{'cron':['0 0 1 1 *']}", "");
    pass_time(SPAN_H);
    health("");
    assert_json("warnings", "[]");
    pass_time(11 * SPAN_MIN);
    health("");
    assert_json("warnings", UNPOLLED);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q'],'worker':'w'}")), 200);
    health("");
    assert_json("warnings", "[]");
    /* Polls of other queues do not count. */
    for (int i = 0; i < 8; i++) {
        pass_time(10 * SPAN_MIN);
        assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['r'],'worker':'w'}")),
                         200);
    }
    health("");
    assert_json("warnings", UNPOLLED);
    /* A server that has just started cannot know. */
    world.context.parts.started_at = world.now - 5 * SPAN_MIN;
    health("");
    assert_json("warnings", "[]");
    world.context.parts.started_at = world.now - SPAN_H;
    assert_int_equal(post("/api/v1/schedules/s/pause", ""), 200);
    health("");
    assert_json("warnings", "['it is paused']");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_healthy_schedule),
        API_TEST(an_exec_action_causes_a_warning_if_exec_is_off),
        API_TEST(all_warnings_of_the_server_are_shown),
        API_TEST(health_has_the_last_runs_and_the_success_rate),
        API_TEST(health_has_the_average_duration_and_can_start_at_a_time),
        API_TEST(a_failed_run_makes_a_schedule_failing_until_one_succeeds),
        API_TEST(the_average_duration_is_that_of_runs_that_started),
        API_TEST(the_next_time_is_that_of_the_next_run),
        API_TEST(each_reason_why_a_schedule_is_stopped_is_a_warning),
        API_TEST(a_run_that_is_not_claimed_makes_the_schedule_late),
        API_TEST(a_run_that_waits_for_approval_causes_a_warning),
        API_TEST(a_full_buffer_causes_a_warning),
        API_TEST(the_health_of_a_paused_schedule_has_the_reason),
        API_TEST(an_unusual_spec_causes_a_warning),
        API_TEST(a_queue_that_no_worker_polls_causes_a_warning),
        API_TEST(errors_name_the_field),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
