/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agents' schedules: create, get, list, update, delete.  Paths, status codes and members
 * are those of sections 4, 8 and 12 of the plan that the API follows.
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
    assert_told("", "{'scheduleId':'agent:reconciler@xyz','agentId':'reconciler',"
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
    assert_int_equal(get(S "/agent:reconciler@xyz"), 200);
    assert_told("cronExpr", "'0 0 */2 * * *'");
}

static void what_is_made_runs_as_the_plan_says(void **state)
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
    assert_told("state.dialect", "'agents'");
    assert_told("spec.intervals.0.every", "'30m'");
    assert_told("spec.intervals.0.anchor", "'midnight'");
    assert_told("spec.dst", "{'gap':'skip','fold':'both'}");
    assert_told("action.queue", "'distiller'");
    assert_told("action.input", "{'agentId':'distiller','projectId':null,'inputsPolicy':"
                                "{'inputType':'latest_intake_window','windowMinutes':90,"
                                "'threadFilter':'open'}}");
    assert_told("policies.overlap", "'allowAll'");
    assert_told("policies.catchup.mode", "'none'");
    assert_told("policies.concurrency", "{'key':'agent:distiller','limit':2}");
    assert_told("policies.priority", "9");
    assert_told("policies.approval", "true");
    assert_told("policies.retry.attempts", "4");
    assert_told("policies.retry.backoff", "'fixed'");
    assert_told("policies.retry.delay", "'2m'");
    assert_told("policies.retention.age", "'90d'");
}

static void the_zone_is_that_of_the_server_when_none_is_named(void **state)
{
    (void)state;
    world.context.default_timezone = STR("America/Denver");
    assert_int_equal(schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['09:00']"),
                     201);
    assert_told("timezone", "'America/Denver'");
    assert_told("nextExecutionAt", "'2026-01-05T16:00:00.000Z'");
}

static void a_cron_of_five_fields_is_taken(void **state)
{
    (void)state;
    assert_int_equal(
        schedule("a", ",'scheduleType':'CRON','timezone':'UTC','cronExpr':'0 9 * * MON-FRI'"),
        201);
    assert_told("nextExecutionAt", "'2026-01-06T09:00:00.000Z'");
    assert_told("cronExpr", "'0 9 * * MON-FRI'");
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
    assert_told("scheduleId", "'agent:a~40p'");
}

static void what_is_wrong_is_refused_by_its_name(void **state)
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
        int status = post(S, js("%s", wrong[i].body));

        if (status != 400 || !str_eq(text_at("field"), str_of(wrong[i].where)))
            fail_msg("%s: %d %s", wrong[i].body, status, told(""));
    }
    assert_int_equal(get(S), 200);
    assert_told("", "[]");
}

static void unknown_members_are_ignored(void **state)
{
    (void)state;
    assert_int_equal(schedule("a", ",'scheduleType':'IMMEDIATE','colour':'red'"), 201);
    assert_told("colour", "absent");
}

/* ---- get and list ---- */

static void filters_narrow_together(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'INTERVAL','intervalMinutes':30");
    schedule("a", ",'scheduleType':'INTERVAL','intervalMinutes':30,'projectId':'p',"
                  "'enabled':false");
    schedule("b", ",'scheduleType':'INTERVAL','intervalMinutes':30,'enabled':false");
    post("/api/v1/schedules", js("{'id':'native','action':{'type':'queue','queue':'a'}}"));
    assert_int_equal(get(S), 200);
    assert_told("2.scheduleId", "'agent:b'");
    assert_told("3", "absent");
    assert_int_equal(get(S "?agentId=a&enabled=false"), 200);
    assert_told("0.scheduleId", "'agent:a@p'");
    assert_told("1", "absent");
    assert_int_equal(get(S "?enabled=true"), 200);
    assert_told("0.scheduleId", "'agent:a'");
    assert_told("1", "absent");
    assert_refused(get(S "?enabled=maybe"), 400, "invalid_field", "enabled");
}

static void schedules_of_other_apis_are_not_seen(void **state)
{
    (void)state;
    post("/api/v1/schedules", js("{'id':'native','action':{'type':'queue','queue':'a'}}"));
    assert_int_equal(get(S "/native"), 404);
    assert_int_equal(ask("PUT " S "/native", NULL, "{}"), 404);
    assert_int_equal(ask("DELETE " S "/native", NULL, ""), 404);
    assert_int_equal(get("/api/v1/schedules/native"), 200);
}

/* ---- update ---- */

static void a_change_keeps_what_it_does_not_name_and_counts_the_version(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['09:00','17:00'],"
                  "'timezone':'America/Denver','executorPolicy':{'maxAttempts':7}");
    pass(SPAN_MIN);
    assert_int_equal(ask("PUT " S "/agent:a", NULL,
                         js("{'timesOfDay':['09:00','13:00','17:00'],'cronExpr':null,"
                            "'executorPolicy':{'priority':2}}")),
                     200);
    assert_told("version", "2");
    assert_told("timesOfDay", "['09:00','13:00','17:00']");
    assert_told("timezone", "'America/Denver'");
    assert_told("executorPolicy.maxAttempts", "7");
    assert_told("executorPolicy.priority", "2");
    assert_told("createdAt", "'2026-01-05T10:00:00.000Z'");
    assert_told("updatedAt", "'2026-01-05T10:01:00.000Z'");
}

static void a_disabled_schedule_has_no_next_execution(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'INTERVAL','intervalMinutes':30");
    assert_int_equal(ask("PUT " S "/agent:a", NULL, js("{'enabled':false}")), 200);
    assert_told("enabled", "false");
    assert_told("nextExecutionAt", "null");
    assert_int_equal(ask("PUT " S "/agent:a", NULL, js("{'enabled':true}")), 200);
    assert_told("nextExecutionAt", "'2026-01-05T10:30:00.000Z'");
}

static void a_stale_version_is_409(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'INTERVAL','intervalMinutes':30");
    assert_int_equal(ask("PUT " S "/agent:a", NULL, js("{'intervalMinutes':5,'version':1}")),
                     200);
    assert_int_equal(ask("PUT " S "/agent:a", NULL, js("{'intervalMinutes':6,'version':1}")),
                     409);
    assert_told("status", "409");
    assert_told("code", "'version_conflict'");
    assert_int_equal(ask("PUT " S "/agent:a", "If-Match: \"1\"\r\n", js("{}")), 409);
    assert_int_equal(ask("PUT " S "/agent:a", "If-Match: \"2\"\r\n", js("{}")), 200);
}

static void a_schedule_stays_with_its_agent(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'INTERVAL','intervalMinutes':30");
    assert_refused(ask("PUT " S "/agent:a", NULL, js("{'agentId':'b'}")), 400, "invalid_field",
                   "agentId");
    assert_int_equal(ask("PUT " S "/agent:a", NULL, js("{'agentId':'a'}")), 200);
    assert_int_equal(ask("PUT " S "/agent:b", NULL, "{}"), 404);
}

/* ---- delete ---- */

static void a_deleted_schedule_is_gone_and_its_place_is_free(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'INTERVAL','intervalMinutes':30");
    assert_int_equal(ask("DELETE " S "/agent:a", NULL, ""), 204);
    assert_int_equal(get(S "/agent:a"), 404);
    assert_int_equal(ask("DELETE " S "/agent:a", NULL, ""), 404);
    assert_int_equal(schedule("a", ",'scheduleType':'INTERVAL','intervalMinutes':30"), 201);
}

/* Another API may overwrite it with anything; other schedules are not affected. */
static void one_that_was_written_over_is_no_schedule_of_agents_any_more(void **state)
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
        assert_int_equal(get(S), 200);
        assert_int_equal(json_array_size(world.json), 1);
        assert_told("0.agentId", "'b'");
        assert_int_equal(get(S "/agent:a"), 404);
        assert_int_equal(get(E "/future"), 200);
        assert_int_equal(get(E "/past"), 200);
        assert_int_equal(get(E "/metrics"), 200);
        assert_int_equal(get(E "/events"), 200);
    }
    assert_int_equal(schedule("a", ",'scheduleType':'IMMEDIATE'"), 409); /* name in use */
    assert_int_equal(ask("DELETE /api/v1/schedules/agent:a", NULL, ""), 204);
    assert_int_equal(schedule("a", ",'scheduleType':'IMMEDIATE'"), 201);
}

/* An interval of a minute in fifty projects: rows 166 and 185 of the feature matrix. */
static void row_185_72000_executions_a_day_are_warned_of(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        assert_int_equal(schedule("a", js(",'scheduleType':'INTERVAL','intervalMinutes':1,"
                                          "'timezone':'UTC','projectId':'p%d'",
                                          i)),
                         201);
        if (i == 0)
            assert_told("warnings", "absent"); /* up to 1,440 runs there is no warning */
    }
    assert_told("warnings", "['agent \\'a\\' has 72000 runs a day in 50 schedules; ignore "
                            "this warning if that is intended']");
    assert_string_equal(world.warned,
                        "default/agent:a@p49: agent \"a\" has 72000 runs a day in 50 "
                        "schedules; ignore this warning if that is intended");
    schedule("a-b", ",'scheduleType':'INTERVAL','intervalMinutes':5"); /* another agent */
    assert_told("warnings", "absent");
    get(S "/agent:a@p0");
    assert_told("warnings", "absent"); /* only writes warn */
    ask("PUT " S "/agent:a@p0", NULL, js("{'enabled':false}"));
    assert_told("warnings.0", "'agent \\'a\\' has 70560 runs a day in 49 schedules; ignore "
                              "this warning if that is intended'");
}

static void row_166_one_schedule_that_runs_too_often_is_warned_of(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'CRON','cronExpr':'*/10 * * * * *'");
    assert_told("warnings", "['agent \\'a\\' has 8640 runs a day in this schedule; ignore "
                            "this warning if that is intended']");
    world.context.plan_warn_per_day = 10000;
    ask("PUT " S "/agent:a", NULL, js("{'executorPolicy':{'priority':1}}"));
    assert_told("warnings", "absent");
    world.context.plan_warn_per_day = 0;
    world.warned[0] = '\0';
    ask("PUT " S "/agent:a", NULL, js("{'cronExpr':'* * * * * *'}"));
    assert_told("warnings", "absent");
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
        get(strcmp(agents[i], "a b") == 0 ? S "?agentId=a%20b"
                                          : js(S "?agentId=%s", agents[i]));
        assert_int_equal(json_array_size(world.json), 2);
        assert_string_equal(text_at("0.agentId").ptr, agents[i]);
        assert_told("0.projectId", "null");
        assert_told("1.projectId", "'~'");
    }
    get(S "?agentId=c");
    assert_told("", "[]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(a_schedule_is_created_with_201_and_all_its_members),
        SERVED(what_is_made_runs_as_the_plan_says),
        SERVED(the_zone_is_that_of_the_server_when_none_is_named),
        SERVED(a_cron_of_five_fields_is_taken),
        SERVED(a_second_schedule_of_an_agent_and_project_is_409),
        SERVED(what_is_wrong_is_refused_by_its_name),
        SERVED(unknown_members_are_ignored),
        SERVED(filters_narrow_together),
        SERVED(schedules_of_other_apis_are_not_seen),
        SERVED(a_change_keeps_what_it_does_not_name_and_counts_the_version),
        SERVED(a_disabled_schedule_has_no_next_execution),
        SERVED(a_stale_version_is_409),
        SERVED(a_schedule_stays_with_its_agent),
        SERVED(a_deleted_schedule_is_gone_and_its_place_is_free),
        SERVED(one_that_was_written_over_is_no_schedule_of_agents_any_more),
        SERVED(row_185_72000_executions_a_day_are_warned_of),
        SERVED(row_166_one_schedule_that_runs_too_often_is_warned_of),
        SERVED(the_schedules_of_an_agent_are_found_among_all_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
