/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events in the terms of the agents' API, and those of a change listener: rows 161 to 164 of
 * test/mission/rows.txt.
 */
#include "agents.h"

#include "api/events/event_cursor.h"

#define SSE "Accept: text/event-stream\r\n"

static char id[RUN_ID_TEXT_MAX];

static void claim_run(const char *agent)
{
    assert_int_equal(
        post("/api/v1/queues/claim", js("{'queues':['%s'],'max':1,'worker':'w'}", agent)), 200);
    assert_int_equal(world.call.grant_count, 1);
    snprintf(id, sizeof id, "%s", text_at("runs.0.id").ptr);
}

static void report_run(const char *what, int fence)
{
    assert_int_equal(post(js("/api/v1/runs/%s/%s", id, what),
                          js("{'fence':%d%s}", fence,
                             strcmp(what, "fail") == 0 ? ",'error':{'message':'x'}" : "")),
                     200);
}

/* The types of the page, "A B". */
static const char *types(const char *target)
{
    static char text[4096];
    size_t len = 0;

    if (get(target) != 200)
        fail_msg("%s", json_at(""));
    text[0] = '\0';
    for (int i = 0; strcmp(json_at(js("events.%d", i)), "absent") != 0; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%s", i > 0 ? " " : "",
                                text_at(js("events.%d.type", i)).ptr);
    return text;
}

/* Fails once, then succeeds. */
static void fail_then_complete(const char *agent)
{
    claim_run(agent);
    report_run("heartbeat", 1);
    report_run("fail", 1);
    pass_time(61 * SPAN_S);
    claim_run(agent);
    report_run("heartbeat", 2);
    report_run("complete", 2);
}

static void an_execution_has_its_events_in_order(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE','projectId':'p'");
    fail_then_complete("a");
    assert_string_equal(types(EXECUTIONS "/events"),
                        "SCHEDULE_CREATED EXEC_PLANNED EXEC_CLAIMED EXEC_STARTED "
                        "EXEC_RETRYING EXEC_CLAIMED EXEC_STARTED EXEC_FINISHED");
    assert_json("events.0.payload", "{'agentId':'a','projectId':'p','scheduleId':'agent:a@p',"
                                    "'version':1}");
    assert_json("events.0.timestamp", "'2026-01-05T10:00:00.000Z'");
    assert_string_equal(text_at("events.1.payload.executionId").ptr, id);
    assert_json("events.1.payload.scheduledAt", "'2026-01-05T10:00:00.000Z'");
    assert_json("events.1.payload.count", "1");
    assert_json("events.1.payload.immediate", "true");
    assert_json("events.4.payload.attempt", "1");
    assert_json("events.4.payload.reason", "'target'");
    assert_json("events.5.payload.attempt", "2");
    assert_json("events.7.payload.resultStatus", "'SUCCESS'");
    assert_json("events.7.payload.attempt", "2");
    assert_json("events.7.payload.reason", "null");
    assert_json("more", "false");
}

/* In two parts: events that exist already, and later ones. */
static void a_stream_has_the_same_events_in_the_same_order(void **state)
{
    char place[EVENT_CURSOR_TEXT_MAX + 64];

    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE'");
    assert_int_equal(ask("GET " EXECUTIONS "/events?after=oldest", SSE, NULL), 0);
    assert_string_equal(stream_names(), "begin SCHEDULE_CREATED EXEC_PLANNED");
    assert_true(read_stream());
    assert_string_equal(stream_names(), "");
    get(EXECUTIONS "/events");
    snprintf(place, sizeof place, SSE "Last-Event-ID: %s\r\n", text_at("cursor").ptr);
    fail_then_complete("a");
    assert_int_equal(ask("GET " EXECUTIONS "/events", place, NULL), 0);
    assert_string_equal(stream_names(), "begin EXEC_CLAIMED EXEC_STARTED EXEC_RETRYING "
                                        "EXEC_CLAIMED EXEC_STARTED EXEC_FINISHED");
}

static void a_day_is_planned_when_it_is_known_and_after_each_edit(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['12:00','17:00'],"
                  "'timezone':'UTC'");
    assert_string_equal(types(EXECUTIONS "/events"), "SCHEDULE_CREATED EXEC_PLANNED");
    assert_json("events.1.payload",
                "{'agentId':'a','projectId':null,'scheduleId':'agent:a','executionId':null,"
                "'scheduledAt':'2026-01-05T12:00:00.000Z','count':2,"
                "'firstAt':'2026-01-05T12:00:00.000Z','lastAt':'2026-01-05T17:00:00.000Z',"
                "'immediate':false}");
    ask("PUT " SCHEDULES "/agent:a", NULL, js("{'timesOfDay':['12:00','13:00','17:00']}"));
    assert_string_equal(types(EXECUTIONS "/events?type=EXEC_PLANNED"),
                        "EXEC_PLANNED EXEC_PLANNED");
    assert_json("events.1.payload.count", "3");
    pass_time(3 * SPAN_H);
    claim_run("a"); /* the run of 12:00: EXEC_PLANNED is not repeated */
    assert_string_equal(types(EXECUTIONS "/events?type=EXEC_*"),
                        "EXEC_PLANNED EXEC_PLANNED EXEC_CLAIMED");
}

static void changes_of_a_schedule_have_events(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['12:00']");
    ask("PUT " SCHEDULES "/agent:a", NULL, js("{'timesOfDay':['13:00']}"));
    ask("PUT " SCHEDULES "/agent:a", NULL, js("{'enabled':false}"));
    ask("PUT " SCHEDULES "/agent:a", NULL, js("{'enabled':true}"));
    ask("DELETE " SCHEDULES "/agent:a", NULL, "");
    assert_string_equal(types(EXECUTIONS "/events?type=SCHEDULE_*"),
                        "SCHEDULE_CREATED SCHEDULE_UPDATED SCHEDULE_DISABLED SCHEDULE_UPDATED "
                        "SCHEDULE_UPDATED SCHEDULE_DISABLED");
    assert_json("events.1.payload.version", "2");
    assert_json("events.2.payload.reason", "'disabled'");
    assert_json("events.5.payload.reason", "'deleted'");
    assert_json("events.5.payload.agentId", "'a'");
}

static void cancelled_executions_have_exec_cancelled(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE'"); /* ready */
    get(EXECUTIONS "/future");
    snprintf(id, sizeof id, "%s", text_at("0.executionId").ptr);
    post(js(EXECUTIONS "/future/%s/cancel", id), "");
    assert_string_equal(types(js(EXECUTIONS "/events?type=EXEC_CANCELLED&executionId=%s", id)),
                        "EXEC_CANCELLED");
    assert_json("events.0.payload.resultStatus", "'CANCELLED'");
    assert_json("events.0.payload.reason", "'user'");
    post(EXECUTIONS "/trigger", js("{'agentId':'a'}")); /* pending */
    claim_run("a");
    post(js(EXECUTIONS "/future/%s/cancel", id), "");
    assert_string_equal(types(js(EXECUTIONS "/events?executionId=%s", id)),
                        "EXEC_PLANNED EXEC_CLAIMED EXEC_CANCELLED");
    post(EXECUTIONS "/trigger", js("{'agentId':'a'}")); /* deleted with its schedule */
    snprintf(id, sizeof id, "%s", text_at("executionId").ptr);
    ask("DELETE " SCHEDULES "/agent:a", NULL, "");
    assert_string_equal(types(js(EXECUTIONS "/events?executionId=%s", id)),
                        "EXEC_PLANNED EXEC_CANCELLED");
    assert_json("events.1.payload.reason", "'deleted'");
}

static void a_final_failure_is_exec_finished_with_fail(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE','executorPolicy':{'maxAttempts':1}");
    claim_run("a");
    report_run("fail", 1);
    assert_string_equal(types(EXECUTIONS "/events?type=EXEC_FINISHED,EXEC_RETRYING"),
                        "EXEC_FINISHED");
    assert_json("events.0.payload.resultStatus", "'FAIL'");
    assert_json("events.0.payload.reason", "'target'");
}

static void each_zone_has_its_midnight(void **state)
{
    (void)state;
    schedule("d", ",'scheduleType':'INTERVAL','intervalMinutes':720,"
                  "'timezone':'America/Denver'");
    schedule("u", ",'scheduleType':'INTERVAL','intervalMinutes':720,'timezone':'UTC'");
    pass_time(14 * SPAN_H); /* to 2026-01-06T00:00:00Z */
    assert_string_equal(types(EXECUTIONS "/events?type=MIDNIGHT_REBUILD"), "MIDNIGHT_REBUILD");
    assert_json("events.0.payload", "{'timezone':'UTC','midnight':'2026-01-06T00:00:00.000Z'}");
    pass_time(7 * SPAN_H);
    assert_string_equal(types(EXECUTIONS "/events?type=MIDNIGHT_REBUILD"),
                        "MIDNIGHT_REBUILD MIDNIGHT_REBUILD");
    assert_json("events.1.payload",
                "{'timezone':'America/Denver','midnight':'2026-01-06T07:00:00.000Z'}");
    assert_string_equal(types(EXECUTIONS "/events?type=MIDNIGHT_REBUILD&agentId=d"), "");
}

static void the_events_of_agents_are_only_those_of_agents(void **state)
{
    (void)state;
    post("/api/v1/schedules", js("{'id':'n','action':{'type':'queue','queue':'q'}}"));
    post("/api/v1/schedules/n/trigger", "");
    schedule("a", ",'scheduleType':'IMMEDIATE'");
    schedule("a", ",'scheduleType':'IMMEDIATE','projectId':'p'");
    post(EXECUTIONS "/trigger", js("{'agentId':'lonely'}"));
    assert_string_equal(types(EXECUTIONS "/events"),
                        "SCHEDULE_CREATED EXEC_PLANNED SCHEDULE_CREATED "
                        "EXEC_PLANNED EXEC_PLANNED");
    assert_json("events.4.payload.agentId", "'lonely'");
    assert_json("events.4.payload.scheduleId", "null");
    assert_string_equal(types(EXECUTIONS "/events?agentId=lonely"), "EXEC_PLANNED");
    assert_string_equal(types(EXECUTIONS "/events?agentId=a&projectId=p"),
                        "SCHEDULE_CREATED EXEC_PLANNED");
    assert_string_equal(types(EXECUTIONS "/events?scheduleId=agent:a"),
                        "SCHEDULE_CREATED EXEC_PLANNED");
    assert_refused(get(EXECUTIONS "/events?type=EXEC_STARTET"), 400, "invalid_field", "type");
    assert_refused(get(EXECUTIONS "/events?executionId=x"), 400, "invalid_field",
                   "executionId");
    assert_refused(get(EXECUTIONS "/events?agent=a"), 400, "invalid_field", "");
}

/* Cursors are those of the native events. */
static void pages_continue_at_the_cursor(void **state)
{
    char place[EVENT_CURSOR_TEXT_MAX];

    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE'");
    assert_string_equal(types(EXECUTIONS "/events?limit=1"), "SCHEDULE_CREATED");
    assert_json("more", "true");
    snprintf(place, sizeof place, "%s", text_at("cursor").ptr);
    assert_string_equal(place, text_at("events.0.eventId").ptr);
    assert_string_equal(types(js(EXECUTIONS "/events?after=%s", place)), "EXEC_PLANNED");
    assert_string_equal(types(js("/api/v1/events?after=%s&type=run.*", place)), "run.ready");
}

/* Events of a schedule of another API, as its change listeners would get them. */
static void row_164_a_listener_gets_every_change(void **state)
{
    static const char schedule_of[] =
        "{'name':'c','cronExpression':'0 0 * * * *','startWorkflowRequest':{'name':'w'}%s}";

    (void)state;
    post("/api/scheduler/schedules", js(schedule_of, ""));
    post("/api/scheduler/schedules", js(schedule_of, ",'paused':false,'description':'d'"));
    ask("PUT /api/scheduler/schedules/c/pause?reason=x", NULL, "");
    ask("PUT /api/scheduler/schedules/c/resume", NULL, "");
    ask("DELETE /api/scheduler/schedules/c", NULL, "");
    assert_string_equal(types("/api/v1/events?schedule=c&type=schedule.*"),
                        "schedule.created schedule.updated schedule.paused schedule.resumed "
                        "schedule.deleted");
}

static void an_edit_reports_the_items_that_it_voids(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['12:00','15:00','17:00'],"
                  "'timezone':'UTC','projectId':'p'");
    ask("PUT " SCHEDULES "/agent:a@p", NULL, js("{'timesOfDay':['13:00','17:00']}"));
    assert_string_equal(types(EXECUTIONS "/events"),
                        "SCHEDULE_CREATED EXEC_PLANNED SCHEDULE_UPDATED EXEC_CANCELLED "
                        "EXEC_PLANNED");
    assert_json("events.3.payload",
                "{'agentId':'a','projectId':'p','scheduleId':'agent:a@p','executionId':null,"
                "'scheduledAt':'2026-01-05T12:00:00.000Z','attempt':0,'count':2,"
                "'firstAt':'2026-01-05T12:00:00.000Z','lastAt':'2026-01-05T15:00:00.000Z',"
                "'resultStatus':'CANCELLED','reason':'schedule changed'}");
    get(EXECUTIONS "/future?execStatus=READY");
    snprintf(id, sizeof id, "%s", text_at("0.executionId").ptr);
    ask("PUT " SCHEDULES "/agent:a@p", NULL, js("{'timesOfDay':['17:00']}"));
    assert_string_equal(types(js(EXECUTIONS "/events?executionId=%s", id)), "EXEC_CANCELLED");
    assert_json("events.0.payload.scheduledAt", "'2026-01-05T13:00:00.000Z'");
    assert_json("events.0.payload.count", "1");
    get("/api/v1/events?type=run.unplanned");
    assert_json("events.0.slot", "'2026-01-05T12:00:00.000Z'");
    assert_json("events.0.last", "'2026-01-05T15:00:00.000Z'");
    assert_json("events.0.count", "2");
    assert_string_equal(text_at("events.1.run").ptr, id);
    assert_json("events.1.fence", "null");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(an_execution_has_its_events_in_order),
        API_TEST(a_stream_has_the_same_events_in_the_same_order),
        API_TEST(a_day_is_planned_when_it_is_known_and_after_each_edit),
        API_TEST(changes_of_a_schedule_have_events),
        API_TEST(cancelled_executions_have_exec_cancelled),
        API_TEST(a_final_failure_is_exec_finished_with_fail),
        API_TEST(each_zone_has_its_midnight),
        API_TEST(the_events_of_agents_are_only_those_of_agents),
        API_TEST(pages_continue_at_the_cursor),
        API_TEST(row_164_a_listener_gets_every_change),
        API_TEST(an_edit_reports_the_items_that_it_voids),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
