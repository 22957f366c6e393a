/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list that has a damaged row shows it as damaged, and all other rows as usual.
 */
#include "temporal.h"

#define QUEUED "'action':{'type':'queue','queue':'q'}"

PRINTF(1, 2) static void damage(const char *fmt, ...)
{
    struct err err = {.text = ""};
    char sql[256];
    va_list args;

    va_start(args, fmt);
    vsnprintf(sql, sizeof sql, fmt, args);
    va_end(args);
    if (db_exec(world.db, str_of(sql), &err) != RC_OK)
        fail_msg("%s", err.text);
}

static void damage_middle(const char *part)
{
    damage("UPDATE schedules SET %s = 'x' WHERE name = 'b'", part);
}

static void three_schedules(void)
{
    static const char *const names[] = {"a", "b", "c"};

    for (int i = 0; i < 3; i++)
        assert_int_equal(
            post("/api/v1/schedules",
                 js("{'id':'%s','spec':{'cron':['0 12 * * *']}," QUEUED "}", names[i])),
            201);
}

static void a_list_of_schedules(void **state)
{
    static const char *const parts[] = {"spec",     "action", "policies",
                                        "governor", "labels", "extra"};

    (void)state;
    three_schedules();
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        damage_middle(parts[i]);
        assert_int_equal(get("/api/v1/schedules"), 200);
        assert_json("schedules.0.id", "'a'");
        assert_json("schedules.1", "{'id':'b','damaged':'a stored part of the schedule is not "
                                   "JSON'}");
        assert_json("schedules.2.id", "'c'");
        damage("UPDATE schedules SET %s = (SELECT %s FROM schedules WHERE name = 'a')",
               parts[i], parts[i]);
    }
    assert_int_equal(get("/api/v1/schedules"), 200);
    assert_json("schedules.1.id", "'b'");
    assert_json("schedules.1.damaged", "absent");
}

/* Nobody can take the entry for a schedule: it has no member that an import needs. */
static void an_export(void **state)
{
    (void)state;
    three_schedules();
    damage_middle("action");
    assert_int_equal(get("/api/v1/export"), 200);
    assert_json("items.0.id", "'a'");
    assert_json("items.1.id", "'b'");
    assert_json("items.1.damaged", "'a stored part of the schedule is not JSON'");
    assert_json("items.1.action", "absent");
    assert_json("items.2.id", "'c'");
}

static void a_list_of_runs(void **state)
{
    char id[64];

    (void)state;
    three_schedules();
    for (int i = 0; i < 3; i++) {
        assert_int_equal(post("/api/v1/schedules/a/trigger", ""), 202);
        assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
        snprintf(id, sizeof id, "%s", text_at("runs.0.id").ptr);
        assert_int_equal(
            post(js("/api/v1/runs/%s/complete", id), js("{'fence':1,'result':{'n':%d}}", i)),
            200);
        world.now += SPAN_S;
    }
    damage("UPDATE history SET result = 'x' WHERE slot = (SELECT max(slot) FROM history)");
    assert_int_equal(get("/api/v1/runs?fields=result,error"), 200);
    assert_json("runs.0.result", "null");
    assert_json("runs.0.error.message", "'the stored result is damaged'");
    assert_json("runs.1.result", "{'n':1}");
    assert_json("runs.2.result", "{'n':0}");
    assert_int_equal(get(js("/api/v1/runs/%s", id)), 200);
    assert_json("error.message", "'the stored result is damaged'");
}

static void a_log(void **state)
{
    char id[64];

    (void)state;
    three_schedules();
    assert_int_equal(post("/api/v1/schedules/a/trigger", ""), 202);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    snprintf(id, sizeof id, "%s", text_at("runs.0.id").ptr);
    for (int i = 0; i < 3; i++)
        assert_int_equal(
            post(js("/api/v1/runs/%s/heartbeat", id), js("{'fence':1,'log':'line %d'}", i)),
            200);
    damage("UPDATE logs SET body = X'ff' WHERE id = (SELECT min(id) + 1 FROM logs)");
    assert_int_equal(get(js("/api/v1/runs/%s/logs", id)), 200);
    assert_json("lines.0.text", "'line 0'");
    assert_json("lines.1.text", "'the log is damaged; lines are missing'");
    assert_json("lines.2.text", "'line 2'");
    assert_json("lines.3", "absent");
}

static void the_list_of_jobs(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(post("/api/orgs/acme/schedules",
                              js("{'name':'n%d','serverInstanceId':'s','cronExpression':"
                                 "'0 * * * *','jobType':'j'}",
                                 i)),
                         201);
    damage("UPDATE schedules SET spec = 'x' WHERE id = (SELECT max(id) - 1 FROM schedules)");
    assert_int_equal(get("/api/orgs/acme/schedules"), 200);
    assert_json("0.name", "'n2'");
    assert_json("1.description", "'a stored part of the schedule is not JSON'");
    assert_json("2.name", "'n0'");
}

static void the_list_of_conductor(void **state)
{
    static const char *const names[] = {"a", "b", "c"};

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(
            post("/api/scheduler/schedules", js("{'name':'%s','cronExpression':'0 * * * * ?',"
                                                "'startWorkflowRequest':{'name':'wf'}}",
                                                names[i])),
            200);
    damage_middle("policies");
    assert_int_equal(get("/api/scheduler/schedules"), 200);
    assert_json("0.name", "'a'");
    assert_json("1", "{'name':'b','description':'a stored part of the schedule is not JSON'}");
    assert_json("2.name", "'c'");
}

static void the_list_of_temporal(void **state)
{
    static const char *const names[] = {"a", "b", "c"};
    Temporal__ListSchedulesRequest list = TEMPORAL__LIST_SCHEDULES_REQUEST__INIT;
    Temporal__ListSchedulesResponse *listed;

    (void)state;
    for (int i = 0; i < 3; i++) {
        make_request(names[i]);
        sent.create.request_id = proto_text(names[i]);
        assert_int_equal(create(), 200);
    }
    damage_middle("action");
    list.namespace_ = proto_text("default");
    assert_int_equal(call_method("ListSchedules", &list.base), 200);
    listed = unpack_answer(&temporal__list_schedules_response__descriptor);
    assert_int_equal(listed->n_schedules, 3);
    assert_string_equal(listed->schedules[0]->info->workflow_type->name, "report");
    assert_string_equal(listed->schedules[1]->schedule_id, "b");
    assert_string_equal(listed->schedules[2]->info->workflow_type->name, "report");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_list_of_schedules),  API_TEST(an_export),
        API_TEST(a_list_of_runs),       API_TEST(a_log),
        API_TEST(the_list_of_jobs),     API_TEST(the_list_of_conductor),
        API_TEST(the_list_of_temporal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
