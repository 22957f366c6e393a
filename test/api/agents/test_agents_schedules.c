/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agents' schedules: create, get, list, update, delete.  Paths, status codes and members
 * are those of the specification of the API.
 */
#include "agents.h"

/* ---- create ---- */

static void a_schedule_is_created_with_201_and_all_its_members(void **state)
{
    (void)state;
    assert_int_equal(schedule("reconciler", ",'timezone':'America/Denver','projectId':'xyz',"
                                            "'projectScope':'PROJECT','scheduleType':'CRON',"
                                            "'cronExpr':'0 0 */2 * * *'"),
                     201);
    assert_json("", "{'scheduleId':'agent:reconciler@xyz','agentId':'reconciler',"
                    "'enabled':true,'timezone':'America/Denver','scheduleType':'CRON',"
                    "'cronExpr':'0 0 */2 * * *','timesOfDay':null,'intervalMinutes':null,"
                    "'projectScope':'PROJECT','projectId':'xyz',"
                    "'inputsPolicy':{'inputType':'none','windowMinutes':null,"
                    "'threadFilter':null},"
                    "'executorPolicy':{'maxConcurrent':1,'priority':5,'maxAttempts':3,"
                    "'retryBackoffMs':60000,'riskGate':false},"
                    "'nextExecutionAt':'2026-01-05T11:00:00.000Z','version':1,"
                    "'createdAt':'2026-01-05T10:00:00.000Z',"
                    "'updatedAt':'2026-01-05T10:00:00.000Z',"
                    "'createdBy':'test','updatedBy':'test'}");
    assert_string_equal(field("Location"), "/api/schedules/agent%3Areconciler%40xyz");
    assert_int_equal(get(SCHEDULES "/agent:reconciler@xyz"), 200);
    assert_json("cronExpr", "'0 0 */2 * * *'");
}

static void a_schedule_of_an_agent_has_its_native_form(void **state)
{
    (void)state;
    assert_int_equal(
        schedule("distiller",
                 ",'scheduleType':'INTERVAL','intervalMinutes':30,'timezone':'UTC',"
                 "'inputsPolicy':{'inputType':'latest_intake_window','windowMinutes':90,"
                 "'threadFilter':'open'},'executorPolicy':{'maxConcurrent':2,'priority':9,"
                 "'maxAttempts':4,'retryBackoffMs':120000,'riskGate':true}"),
        201);
    assert_int_equal(get("/api/v1/schedules/agent:distiller"), 200);
    assert_json("state.dialect", "'agents'");
    assert_json("spec.intervals.0.every", "'30m'");
    assert_json("spec.intervals.0.anchor", "'midnight'");
    assert_json("spec.dst", "{'gap':'skip','fold':'both'}");
    assert_json("action.queue", "'distiller'");
    assert_json("action.input", "{'agentId':'distiller','projectId':null,'inputsPolicy':"
                                "{'inputType':'latest_intake_window','windowMinutes':90,"
                                "'threadFilter':'open'}}");
    assert_json("policies.overlap", "'allowAll'");
    assert_json("policies.catchup.mode", "'none'");
    assert_json("policies.concurrency", "{'key':'agent:distiller','limit':2}");
    assert_json("policies.priority", "9");
    assert_json("policies.approval", "true");
    assert_json("policies.retry.attempts", "4");
    assert_json("policies.retry.backoff", "'fixed'");
    assert_json("policies.retry.delay", "'2m'");
    assert_json("policies.retention.age", "'90d'");
}

static void the_default_zone_is_that_of_the_server(void **state)
{
    (void)state;
    world.context.default_timezone = STR("America/Denver");
    assert_int_equal(schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['09:00']"),
                     201);
    assert_json("timezone", "'America/Denver'");
    assert_json("nextExecutionAt", "'2026-01-05T16:00:00.000Z'");
}

static void a_cron_expression_of_five_fields_is_accepted(void **state)
{
    (void)state;
    assert_int_equal(
        schedule("a", ",'scheduleType':'CRON','timezone':'UTC','cronExpr':'0 9 * * MON-FRI'"),
        201);
    assert_json("nextExecutionAt", "'2026-01-06T09:00:00.000Z'");
    assert_json("cronExpr", "'0 9 * * MON-FRI'");
}

static void a_second_schedule_of_an_agent_and_project_is_409(void **state)
{
    static const char *const each = ",'scheduleType':'INTERVAL','intervalMinutes':30";

    (void)state;
    assert_int_equal(schedule("a", each), 201);
    assert_refused(schedule("a", each), 409, "exists", "");
    assert_int_equal(schedule("a", ",'scheduleType':'INTERVAL','intervalMinutes':30,"
                                   "'projectId':'p'"),
                     201);
    assert_int_equal(schedule("a@p", each), 201);
    assert_json("scheduleId", "'agent:a~40p'");
}

static void errors_name_the_field(void **state)
{
    static const struct {
        const char *body, *where;
    } wrong[] = {
        {"{'scheduleType':'IMMEDIATE'}", "agentId"},
        {"{'agentId':'','scheduleType':'IMMEDIATE'}", "agentId"},
        {"{'agentId':'a'}", "scheduleType"},
        {"{'agentId':'a','scheduleType':'DAILY'}", "scheduleType"},
        {"{'agentId':'a','scheduleType':'CRON'}", "cronExpr"},
        {"{'agentId':'a','scheduleType':'CRON','cronExpr':'0 61 * * * *'}", "cronExpr"},
        {"{'agentId':'a','scheduleType':'FIXED_TIMES'}", "timesOfDay"},
        {"{'agentId':'a','scheduleType':'FIXED_TIMES','timesOfDay':[]}", "timesOfDay"},
        {"{'agentId':'a','scheduleType':'FIXED_TIMES','timesOfDay':['25:00']}",
         "timesOfDay[0]"},
        {"{'agentId':'a','scheduleType':'INTERVAL'}", "intervalMinutes"},
        {"{'agentId':'a','scheduleType':'INTERVAL','intervalMinutes':0}", "intervalMinutes"},
        {"{'agentId':'a','scheduleType':'IMMEDIATE','timezone':'Mars/Phobos'}", "timezone"},
        {"{'agentId':'a','scheduleType':'IMMEDIATE','projectScope':'PROJECT'}", "projectId"},
        {"{'agentId':'a','scheduleType':'IMMEDIATE','projectScope':'SPECIFIC'}",
         "projectScope"},
        {"{'agentId':'a','scheduleType':'IMMEDIATE','executorPolicy':{'priority':11}}",
         "executorPolicy.priority"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        int status = post(SCHEDULES, js("%s", wrong[i].body));

        if (status != 400 || !str_eq(text_at("field"), str_of(wrong[i].where)))
            fail_msg("%s: %d %s", wrong[i].body, status, json_at(""));
    }
    assert_int_equal(get(SCHEDULES), 200);
    assert_json("", "[]");
}

static void unknown_members_are_ignored(void **state)
{
    (void)state;
    assert_int_equal(schedule("a", ",'scheduleType':'IMMEDIATE','colour':'red'"), 201);
    assert_json("colour", "absent");
}

/* ---- get and list ---- */

static void filters_are_combined(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'INTERVAL','intervalMinutes':30");
    schedule("a", ",'scheduleType':'INTERVAL','intervalMinutes':30,'projectId':'p',"
                  "'enabled':false");
    schedule("b", ",'scheduleType':'INTERVAL','intervalMinutes':30,'enabled':false");
    post("/api/v1/schedules", js("{'id':'native','action':{'type':'queue','queue':'a'}}"));
    assert_int_equal(get(SCHEDULES), 200);
    assert_json("2.scheduleId", "'agent:b'");
    assert_json("3", "absent");
    assert_int_equal(get(SCHEDULES "?agentId=a&enabled=false"), 200);
    assert_json("0.scheduleId", "'agent:a@p'");
    assert_json("1", "absent");
    assert_int_equal(get(SCHEDULES "?enabled=true"), 200);
    assert_json("0.scheduleId", "'agent:a'");
    assert_json("1", "absent");
    assert_refused(get(SCHEDULES "?enabled=maybe"), 400, "invalid_field", "enabled");
}

static void schedules_of_other_apis_are_not_seen(void **state)
{
    (void)state;
    post("/api/v1/schedules", js("{'id':'native','action':{'type':'queue','queue':'a'}}"));
    assert_int_equal(get(SCHEDULES "/native"), 404);
    assert_int_equal(ask("PUT " SCHEDULES "/native", NULL, "{}"), 404);
    assert_int_equal(ask("DELETE " SCHEDULES "/native", NULL, ""), 404);
    assert_int_equal(get("/api/v1/schedules/native"), 200);
}

/* ---- update ---- */

static void an_update_keeps_omitted_members_and_increments_the_version(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['09:00','17:00'],"
                  "'timezone':'America/Denver','executorPolicy':{'maxAttempts':7}");
    pass_time(SPAN_MIN);
    assert_int_equal(ask("PUT " SCHEDULES "/agent:a", NULL,
                         js("{'timesOfDay':['09:00','13:00','17:00'],'cronExpr':null,"
                            "'executorPolicy':{'priority':2}}")),
                     200);
    assert_json("version", "2");
    assert_json("timesOfDay", "['09:00','13:00','17:00']");
    assert_json("timezone", "'America/Denver'");
    assert_json("executorPolicy.maxAttempts", "7");
    assert_json("executorPolicy.priority", "2");
    assert_json("createdAt", "'2026-01-05T10:00:00.000Z'");
    assert_json("updatedAt", "'2026-01-05T10:01:00.000Z'");
}

static void a_disabled_schedule_has_no_next_execution(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'INTERVAL','intervalMinutes':30");
    assert_int_equal(ask("PUT " SCHEDULES "/agent:a", NULL, js("{'enabled':false}")), 200);
    assert_json("enabled", "false");
    assert_json("nextExecutionAt", "null");
    assert_int_equal(ask("PUT " SCHEDULES "/agent:a", NULL, js("{'enabled':true}")), 200);
    assert_json("nextExecutionAt", "'2026-01-05T10:30:00.000Z'");
}

static void a_stale_version_is_409(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'INTERVAL','intervalMinutes':30");
    assert_int_equal(
        ask("PUT " SCHEDULES "/agent:a", NULL, js("{'intervalMinutes':5,'version':1}")), 200);
    assert_int_equal(
        ask("PUT " SCHEDULES "/agent:a", NULL, js("{'intervalMinutes':6,'version':1}")), 409);
    assert_json("status", "409");
    assert_json("code", "'version_conflict'");
    assert_int_equal(ask("PUT " SCHEDULES "/agent:a", "If-Match: \"1\"\r\n", js("{}")), 409);
    assert_int_equal(ask("PUT " SCHEDULES "/agent:a", "If-Match: \"2\"\r\n", js("{}")), 200);
}

static void the_agent_of_a_schedule_cannot_be_changed(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'INTERVAL','intervalMinutes':30");
    assert_refused(ask("PUT " SCHEDULES "/agent:a", NULL, js("{'agentId':'b'}")), 400,
                   "invalid_field", "agentId");
    assert_int_equal(ask("PUT " SCHEDULES "/agent:a", NULL, js("{'agentId':'a'}")), 200);
    assert_int_equal(ask("PUT " SCHEDULES "/agent:b", NULL, "{}"), 404);
}

/* ---- delete ---- */

static void a_deleted_schedule_is_gone_and_its_name_is_free(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'INTERVAL','intervalMinutes':30");
    assert_int_equal(ask("DELETE " SCHEDULES "/agent:a", NULL, ""), 204);
    assert_int_equal(get(SCHEDULES "/agent:a"), 404);
    assert_int_equal(ask("DELETE " SCHEDULES "/agent:a", NULL, ""), 404);
    assert_int_equal(schedule("a", ",'scheduleType':'INTERVAL','intervalMinutes':30"), 201);
}

/* Another API may overwrite it with anything; other schedules are not affected. */
static void an_overwritten_schedule_is_not_listed_for_agents(void **state)
{
    static const char *const extras[] = {"null", "{}", "{'agentId':5}", "{'agentId':'a'}",
                                         "{'agentId':'a','scheduleType':'NEVER'}"};

    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE'");
    schedule("b", ",'scheduleType':'IMMEDIATE'");
    for (size_t i = 0; i < sizeof extras / sizeof extras[0]; i++) {
        int put = ask("PUT /api/v1/schedules/agent:a", NULL,
                      js("{'action':{'type':'queue','queue':'a'},'extra':%s}", extras[i]));

        assert_int_equal(put, 200);
        assert_int_equal(get(SCHEDULES), 200);
        assert_int_equal(json_array_size(world.json), 1);
        assert_json("0.agentId", "'b'");
        assert_int_equal(get(SCHEDULES "/agent:a"), 404);
        assert_int_equal(get(EXECUTIONS "/future"), 200);
        assert_int_equal(get(EXECUTIONS "/past"), 200);
        assert_int_equal(get(EXECUTIONS "/metrics"), 200);
        assert_int_equal(get(EXECUTIONS "/events"), 200);
    }
    assert_int_equal(schedule("a", ",'scheduleType':'IMMEDIATE'"), 409); /* name in use */
    assert_int_equal(ask("DELETE /api/v1/schedules/agent:a", NULL, ""), 204);
    assert_int_equal(schedule("a", ",'scheduleType':'IMMEDIATE'"), 201);
}

/* An interval of a minute in fifty projects: rows 166 and 185 of test/mission/rows.txt. */
static void row_185_72000_executions_a_day_cause_a_warning(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        assert_int_equal(schedule("a", js(",'scheduleType':'INTERVAL','intervalMinutes':1,"
                                          "'timezone':'UTC','projectId':'p%d'",
                                          i)),
                         201);
        if (i == 0)
            assert_json("warnings", "absent"); /* up to 1,440 runs there is no warning */
    }
    assert_json("warnings", "['agent \\'a\\' has 72000 runs a day in 50 schedules; ignore "
                            "this warning if that is intended']");
    assert_string_equal(world.warned,
                        "default/agent:a@p49: agent \"a\" has 72000 runs a day in 50 "
                        "schedules; ignore this warning if that is intended");
    schedule("a-b", ",'scheduleType':'INTERVAL','intervalMinutes':5"); /* another agent */
    assert_json("warnings", "absent");
    get(SCHEDULES "/agent:a@p0");
    assert_json("warnings", "absent"); /* only writes warn */
    ask("PUT " SCHEDULES "/agent:a@p0", NULL, js("{'enabled':false}"));
    assert_json("warnings.0", "'agent \\'a\\' has 70560 runs a day in 49 schedules; ignore "
                              "this warning if that is intended'");
}

static void row_166_a_schedule_that_runs_too_often_causes_a_warning(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'CRON','cronExpr':'*/10 * * * * *'");
    assert_json("warnings", "['agent \\'a\\' has 8640 runs a day in this schedule; ignore "
                            "this warning if that is intended']");
    world.context.plan_warn_per_day = 10000;
    ask("PUT " SCHEDULES "/agent:a", NULL, js("{'executorPolicy':{'priority':1}}"));
    assert_json("warnings", "absent");
    world.context.plan_warn_per_day = 0;
    world.warned[0] = '\0';
    ask("PUT " SCHEDULES "/agent:a", NULL, js("{'cronExpr':'* * * * * *'}"));
    assert_json("warnings", "absent");
    assert_string_equal(world.warned, "");
}

/* Names with a common prefix, and names that sort between them. */
static void the_schedules_of_an_agent_are_found_among_all_others(void **state)
{
    static const char *const agents[] = {"a", "a-b", "a.b", "ab", "A", "a b", "a~", "b", "_a"};
    enum { COUNT = sizeof agents / sizeof agents[0] };

    (void)state;
    post("/api/v1/schedules", js("{'id':'agent:a~~','action':{'type':'queue','queue':'q'}}"));
    post("/api/v1/schedules", js("{'id':'agent:`','action':{'type':'queue','queue':'q'}}"));
    for (int i = 0; i < COUNT; i++) {
        schedule(agents[i], ",'scheduleType':'IMMEDIATE'");
        schedule(agents[i], ",'scheduleType':'IMMEDIATE','projectId':'~'");
    }
    for (int i = 0; i < COUNT; i++) {
        get(strcmp(agents[i], "a b") == 0 ? SCHEDULES "?agentId=a%20b"
                                          : js(SCHEDULES "?agentId=%s", agents[i]));
        assert_int_equal(json_array_size(world.json), 2);
        assert_string_equal(text_at("0.agentId").ptr, agents[i]);
        assert_json("0.projectId", "null");
        assert_json("1.projectId", "'~'");
    }
    get(SCHEDULES "?agentId=c");
    assert_json("", "[]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_schedule_is_created_with_201_and_all_its_members),
        API_TEST(a_schedule_of_an_agent_has_its_native_form),
        API_TEST(the_default_zone_is_that_of_the_server),
        API_TEST(a_cron_expression_of_five_fields_is_accepted),
        API_TEST(a_second_schedule_of_an_agent_and_project_is_409),
        API_TEST(errors_name_the_field),
        API_TEST(unknown_members_are_ignored),
        API_TEST(filters_are_combined),
        API_TEST(schedules_of_other_apis_are_not_seen),
        API_TEST(an_update_keeps_omitted_members_and_increments_the_version),
        API_TEST(a_disabled_schedule_has_no_next_execution),
        API_TEST(a_stale_version_is_409),
        API_TEST(the_agent_of_a_schedule_cannot_be_changed),
        API_TEST(a_deleted_schedule_is_gone_and_its_name_is_free),
        API_TEST(an_overwritten_schedule_is_not_listed_for_agents),
        API_TEST(row_185_72000_executions_a_day_cause_a_warning),
        API_TEST(row_166_a_schedule_that_runs_too_often_causes_a_warning),
        API_TEST(the_schedules_of_an_agent_are_found_among_all_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
