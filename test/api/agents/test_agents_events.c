/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events in the terms of the agents' API (rows 161 to 163 of the feature matrix), and those of
 * a change listener (row 164).
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
        fail_msg("%s", told(""));
    text[0] = '\0';
    for (int i = 0; strcmp(told(js("events.%d", i)), "absent") != 0; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%s", i > 0 ? " " : "",
                                text_at(js("events.%d.type", i)).ptr);
    return text;
}

/* Fails once, then succeeds. */
static void live(const char *agent)
{
    claim_run(agent);
    report_run("heartbeat", 1);
    report_run("fail", 1);
    pass(61 * SPAN_S);
    claim_run(agent);
    report_run("heartbeat", 2);
    report_run("complete", 2);
}

static void the_life_of_an_execution_is_told_in_order(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE','projectId':'p'");
    live("a");
    assert_string_equal(types(E "/events"),
                        "SCHEDULE_CREATED EXEC_PLANNED EXEC_CLAIMED EXEC_STARTED "
                        "EXEC_RETRYING EXEC_CLAIMED EXEC_STARTED EXEC_FINISHED");
    assert_told("events.0.payload", "{'agentId':'a','projectId':'p','scheduleId':'agent:a@p',"
                                    "'version':1}");
    assert_told("events.0.timestamp", "'2026-01-05T10:00:00.000Z'");
    assert_string_equal(text_at("events.1.payload.executionId").ptr, id);
    assert_told("events.1.payload.scheduledAt", "'2026-01-05T10:00:00.000Z'");
    assert_told("events.1.payload.count", "1");
    assert_told("events.1.payload.immediate", "true");
    assert_told("events.4.payload.attempt", "1");
    assert_told("events.4.payload.reason", "'target'");
    assert_told("events.5.payload.attempt", "2");
    assert_told("events.7.payload.resultStatus", "'SUCCESS'");
    assert_told("events.7.payload.attempt", "2");
    assert_told("events.7.payload.reason", "null");
    assert_told("more", "false");
}

/* In two parts: events that exist already, and later ones. */
static void a_stream_tells_the_same_in_the_same_order(void **state)
{
    char place[EVENT_CURSOR_TEXT_MAX + 64];

    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE'");
    assert_int_equal(ask("GET " E "/events?after=oldest", SSE, NULL), 0);
    assert_string_equal(streamed(), "begin SCHEDULE_CREATED EXEC_PLANNED");
    assert_true(read_on());
    assert_string_equal(streamed(), "");
    get(E "/events");
    snprintf(place, sizeof place, SSE "Last-Event-ID: %s\r\n", text_at("cursor").ptr);
    live("a");
    assert_int_equal(ask("GET " E "/events", place, NULL), 0);
    assert_string_equal(streamed(), "begin EXEC_CLAIMED EXEC_STARTED EXEC_RETRYING "
                                    "EXEC_CLAIMED EXEC_STARTED EXEC_FINISHED");
}

static void a_day_is_planned_when_it_is_known_and_after_each_edit(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['12:00','17:00'],"
                  "'timezone':'UTC'");
    assert_string_equal(types(E "/events"), "SCHEDULE_CREATED EXEC_PLANNED");
    assert_told("events.1.payload",
                "{'agentId':'a','projectId':null,'scheduleId':'agent:a','executionId':null,"
                "'scheduledAt':'2026-01-05T12:00:00.000Z','count':2,"
                "'firstAt':'2026-01-05T12:00:00.000Z','lastAt':'2026-01-05T17:00:00.000Z',"
                "'immediate':false}");
    ask("PUT " S "/agent:a", NULL, js("{'timesOfDay':['12:00','13:00','17:00']}"));
    assert_string_equal(types(E "/events?type=EXEC_PLANNED"), "EXEC_PLANNED EXEC_PLANNED");
    assert_told("events.1.payload.count", "3");
    pass(3 * SPAN_H);
    claim_run("a"); /* the run of 12:00: EXEC_PLANNED is not repeated */
    assert_string_equal(types(E "/events?type=EXEC_*"),
                        "EXEC_PLANNED EXEC_PLANNED EXEC_CLAIMED");
}

static void changes_of_a_schedule_are_told(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'FIXED_TIMES','timesOfDay':['12:00']");
    ask("PUT " S "/agent:a", NULL, js("{'timesOfDay':['13:00']}"));
    ask("PUT " S "/agent:a", NULL, js("{'enabled':false}"));
    ask("PUT " S "/agent:a", NULL, js("{'enabled':true}"));
    ask("DELETE " S "/agent:a", NULL, "");
    assert_string_equal(types(E "/events?type=SCHEDULE_*"),
                        "SCHEDULE_CREATED SCHEDULE_UPDATED SCHEDULE_DISABLED SCHEDULE_UPDATED "
                        "SCHEDULE_UPDATED SCHEDULE_DISABLED");
    assert_told("events.1.payload.version", "2");
    assert_told("events.2.payload.reason", "'disabled'");
    assert_told("events.5.payload.reason", "'deleted'");
    assert_told("events.5.payload.agentId", "'a'");
}

static void what_is_voided_is_told_as_cancelled(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE'"); /* ready */
    get(E "/future");
    snprintf(id, sizeof id, "%s", text_at("0.executionId").ptr);
    post(js(E "/future/%s/cancel", id), "");
    assert_string_equal(types(js(E "/events?type=EXEC_CANCELLED&executionId=%s", id)),
                        "EXEC_CANCELLED");
    assert_told("events.0.payload.resultStatus", "'CANCELLED'");
    assert_told("events.0.payload.reason", "'user'");
    post(E "/trigger", js("{'agentId':'a'}")); /* pending */
    claim_run("a");
    post(js(E "/future/%s/cancel", id), "");
    assert_string_equal(types(js(E "/events?executionId=%s", id)),
                        "EXEC_PLANNED EXEC_CLAIMED EXEC_CANCELLED");
    post(E "/trigger", js("{'agentId':'a'}")); /* deleted with its schedule */
    snprintf(id, sizeof id, "%s", text_at("executionId").ptr);
    ask("DELETE " S "/agent:a", NULL, "");
    assert_string_equal(types(js(E "/events?executionId=%s", id)),
                        "EXEC_PLANNED EXEC_CANCELLED");
    assert_told("events.1.payload.reason", "'deleted'");
}

static void a_failure_for_good_is_told_as_finished_with_fail(void **state)
{
    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE','executorPolicy':{'maxAttempts':1}");
    claim_run("a");
    report_run("fail", 1);
    assert_string_equal(types(E "/events?type=EXEC_FINISHED,EXEC_RETRYING"), "EXEC_FINISHED");
    assert_told("events.0.payload.resultStatus", "'FAIL'");
    assert_told("events.0.payload.reason", "'target'");
}

static void each_zone_has_its_midnight(void **state)
{
    (void)state;
    schedule("d", ",'scheduleType':'INTERVAL','intervalMinutes':720,"
                  "'timezone':'America/Denver'");
    schedule("u", ",'scheduleType':'INTERVAL','intervalMinutes':720,'timezone':'UTC'");
    pass(14 * SPAN_H); /* to 2026-01-06T00:00:00Z */
    assert_string_equal(types(E "/events?type=MIDNIGHT_REBUILD"), "MIDNIGHT_REBUILD");
    assert_told("events.0.payload", "{'timezone':'UTC','midnight':'2026-01-06T00:00:00.000Z'}");
    pass(7 * SPAN_H);
    assert_string_equal(types(E "/events?type=MIDNIGHT_REBUILD"),
                        "MIDNIGHT_REBUILD MIDNIGHT_REBUILD");
    assert_told("events.1.payload",
                "{'timezone':'America/Denver','midnight':'2026-01-06T07:00:00.000Z'}");
    assert_string_equal(types(E "/events?type=MIDNIGHT_REBUILD&agentId=d"), "");
}

static void agents_hear_of_agents_alone(void **state)
{
    (void)state;
    post("/api/v1/schedules", js("{'id':'n','action':{'type':'queue','queue':'q'}}"));
    post("/api/v1/schedules/n/trigger", "");
    schedule("a", ",'scheduleType':'IMMEDIATE'");
    schedule("a", ",'scheduleType':'IMMEDIATE','projectId':'p'");
    post(E "/trigger", js("{'agentId':'lonely'}"));
    assert_string_equal(types(E "/events"), "SCHEDULE_CREATED EXEC_PLANNED SCHEDULE_CREATED "
                                            "EXEC_PLANNED EXEC_PLANNED");
    assert_told("events.4.payload.agentId", "'lonely'");
    assert_told("events.4.payload.scheduleId", "null");
    assert_string_equal(types(E "/events?agentId=lonely"), "EXEC_PLANNED");
    assert_string_equal(types(E "/events?agentId=a&projectId=p"),
                        "SCHEDULE_CREATED EXEC_PLANNED");
    assert_string_equal(types(E "/events?scheduleId=agent:a"), "SCHEDULE_CREATED EXEC_PLANNED");
    assert_refused(get(E "/events?type=EXEC_STARTET"), 400, "invalid_field", "type");
    assert_refused(get(E "/events?executionId=x"), 400, "invalid_field", "executionId");
    assert_refused(get(E "/events?agent=a"), 400, "invalid_field", "");
}

/* Cursors are those of the native events. */
static void pages_go_on_where_the_last_one_ended(void **state)
{
    char place[EVENT_CURSOR_TEXT_MAX];

    (void)state;
    schedule("a", ",'scheduleType':'IMMEDIATE'");
    assert_string_equal(types(E "/events?limit=1"), "SCHEDULE_CREATED");
    assert_told("more", "true");
    snprintf(place, sizeof place, "%s", text_at("cursor").ptr);
    assert_string_equal(place, text_at("events.0.eventId").ptr);
    assert_string_equal(types(js(E "/events?after=%s", place)), "EXEC_PLANNED");
    assert_string_equal(types(js("/api/v1/events?after=%s&type=run.*", place)), "run.ready");
}

/* Events of a schedule of another API, as its change listeners would get them. */
static void row_164_a_listener_is_told_of_every_change(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(the_life_of_an_execution_is_told_in_order),
        SERVED(a_stream_tells_the_same_in_the_same_order),
        SERVED(a_day_is_planned_when_it_is_known_and_after_each_edit),
        SERVED(changes_of_a_schedule_are_told),
        SERVED(what_is_voided_is_told_as_cancelled),
        SERVED(a_failure_for_good_is_told_as_finished_with_fail),
        SERVED(each_zone_has_its_midnight),
        SERVED(agents_hear_of_agents_alone),
        SERVED(pages_go_on_where_the_last_one_ended),
        SERVED(row_164_a_listener_is_told_of_every_change),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
