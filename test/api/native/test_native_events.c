/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events: pages, filters, streams and lost positions.
 */
#include "world.h"

#include "api/events/event_watch.h"

#define QUEUED "'action':{'type':'queue','queue':'q'}"
#define SSE    "Accept: text/event-stream\r\n"

static char id[RUN_ID_TEXT_MAX];

static void make(const char *name)
{
    assert_int_equal(post("/api/v1/schedules", js("{'id':'%s'," QUEUED "}", name)), 201);
}

static void start(const char *name)
{
    assert_int_equal(post(js("/api/v1/schedules/%s/trigger", name), ""), 202);
    snprintf(id, sizeof id, "%s", text_at("id").ptr);
}

/* The types of the events of the page, "a b". */
static const char *types(const char *query)
{
    static char text[4096];
    size_t len = 0;

    if (get(js("/api/v1/events%s", query)) != 200)
        fail_msg("%s", json_at(""));
    text[0] = '\0';
    for (int i = 0; strcmp(json_at(js("events.%d", i)), "absent") != 0; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%s", i > 0 ? " " : "",
                                text_at(js("events.%d.type", i)).ptr);
    return text;
}

static const char *cursor(void)
{
    static char text[EVENT_CURSOR_TEXT_MAX];

    snprintf(text, sizeof text, "%s", text_at("cursor").ptr);
    return text;
}

static void a_run_has_its_events_in_order(void **state)
{
    (void)state;
    make("s");
    start("s");
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q'],'worker':'w'}")), 200);
    assert_int_equal(post(js("/api/v1/runs/%s/heartbeat", id), js("{'fence':1}")), 200);
    assert_int_equal(post(js("/api/v1/runs/%s/complete", id), js("{'fence':1}")), 200);
    assert_string_equal(types(""),
                        "schedule.created run.ready run.claimed run.started run.ended");
    assert_json("more", "false");
    assert_json("events.0.schedule", "'s'");
    assert_json("events.0.namespace", "'default'");
    assert_json("events.0.version", "1");
    assert_json("events.0.run", "null");
    assert_json("events.0.node", "'a'");
    assert_json("events.4.at", "'2026-01-05T10:00:00.000Z'");
    assert_true(str_eq(text_at("events.4.run"), str_of(id)));
    assert_json("events.4.slot", "'2026-01-05T10:00:00.000Z'");
    assert_json("events.4.attempt", "1");
    assert_json("events.4.fence", "1");
    assert_json("events.4.outcome", "'succeeded'");
    assert_json("events.4.reason", "null");
    assert_json("events.4.version", "null");
    assert_string_equal(cursor(), text_at("events.4.id").ptr);
}

static void pages_follow_each_other_without_a_gap(void **state)
{
    char all[4096], one[4096] = "";
    const char *place = "oldest";

    (void)state;
    make("s");
    for (int i = 0; i < 5; i++)
        start("s");
    snprintf(all, sizeof all, "%s", types("?limit=1000"));
    for (int i = 0; i < 100; i++) {
        size_t len = strlen(one);

        snprintf(one + len, sizeof one - len, "%s%s", i > 0 ? " " : "",
                 types(js("?limit=1&after=%s", place)));
        place = cursor();
        if (strcmp(json_at("more"), "false") == 0)
            break;
    }
    assert_string_equal(one, all);
    assert_string_equal(types(js("?after=%s", place)), "");
    start("s");
    assert_string_equal(types(js("?after=%s", place)), "slot.skipped");
    assert_json("events.0.outcome", "'skipped'");
    assert_json("events.0.reason", "'overlap'");
    assert_json("events.0.count", "1");
    assert_string_equal(types("?after=now"), "");
}

static void events_are_filtered_by_type_schedule_and_run(void **state)
{
    char first[RUN_ID_TEXT_MAX];

    (void)state;
    make("a");
    make("b");
    start("a");
    snprintf(first, sizeof first, "%s", id);
    start("b");
    assert_int_equal(post(js("/api/v1/runs/%s/cancel", id), ""), 202);
    assert_string_equal(types("?type=run.cancelled"), "run.cancelled");
    assert_json("events.0.outcome", "'cancelled'");
    assert_json("events.0.reason", "'user'");
    assert_string_equal(types("?type=run.cancelled,schedule.created"),
                        "schedule.created schedule.created run.cancelled");
    assert_string_equal(types("?type=run.*"), "run.ready run.ready run.cancelled");
    assert_string_equal(types("?schedule=a"), "schedule.created run.ready");
    assert_string_equal(types(js("?run=%s", id)), "run.ready run.cancelled");
    assert_string_equal(types(js("?run=%s&type=run.ready", first)), "run.ready");
    assert_string_equal(types(js("?run=%s&schedule=b", first)), "");
    assert_string_equal(types("?schedule=none"), "");
}

static void events_of_a_deleted_schedule_keep_its_name(void **state)
{
    (void)state;
    make("s");
    assert_int_equal(post("/api/v1/schedules/s/pause", ""), 200);
    assert_int_equal(post("/api/v1/schedules/s/resume", ""), 200);
    assert_int_equal(ask("PUT /api/v1/schedules/s", NULL, js("{" QUEUED "}")), 200);
    assert_int_equal(ask("DELETE /api/v1/schedules/s", NULL, ""), 204);
    pass_time(2 * SPAN_H); /* its row could have been pruned by now */
    assert_string_equal(types("?schedule=s"), "schedule.created schedule.paused "
                                              "schedule.resumed schedule.updated "
                                              "schedule.deleted");
}

static void invalid_parameters_are_refused(void **state)
{
    (void)state;
    assert_refused(get("/api/v1/events?type=run.endd"), 400, "invalid_field", "type");
    assert_refused(get("/api/v1/events?type=run.ended,"), 400, "invalid_field", "type");
    assert_refused(get("/api/v1/events?type=run."), 400, "invalid_field", "type");
    assert_refused(get("/api/v1/events?run=x"), 400, "invalid_field", "run");
    assert_refused(get("/api/v1/events?after=x"), 400, "invalid_field", "after");
    assert_refused(get("/api/v1/events?everything=yes"), 400, "invalid_field", "everything");
    assert_refused(get("/api/v1/events?limit=0"), 400, "invalid_field", "limit");
    assert_refused(get("/api/v1/events?cursor=1.1"), 400, "invalid_field", "");
    assert_refused(ask("GET /api/v1/events", SSE "Last-Event-ID: x\r\n", NULL), 400,
                   "invalid_field", "Last-Event-ID");
}

static void a_namespace_sees_its_own_events_and_an_admin_of_all_sees_all(void **state)
{
    (void)state;
    assert_int_equal(ask("PUT /api/v1/namespaces/other", NULL, ""), 201);
    make("mine");
    assert_int_equal(
        post("/api/v1/schedules?namespace=other", js("{'id':'theirs'," QUEUED "}")), 201);
    assert_string_equal(types("?type=schedule.*"), "schedule.created");
    assert_json("events.0.schedule", "'mine'");
    assert_string_equal(types("?namespace=other"), "schedule.created");
    assert_json("events.0.schedule", "'theirs'");
    assert_json("events.0.namespace", "'other'");
    assert_string_equal(types("?everything=true"), "node.up schedule.created schedule.created");
    assert_json("events.0.namespace", "null");
    assert_json("events.0.schedule", "null");
    assert_json("events.0.node", "'a'");
    assert_refused(get("/api/v1/events?namespace=none"), 404, "not_found", "");
}

/* All events after the first of a row are lost with it; the rows before and after are read. */
static void a_damaged_row_is_told_and_the_rest_is_read(void **state)
{
    struct err err = {.text = ""};

    (void)state;
    make("a");
    make("b");
    make("c");
    if (db_exec(world.db, STR("UPDATE events SET body = X'ff', count = 2 WHERE seq = 3"),
                &err) != RC_OK)
        fail_msg("%s", err.text);
    if (db_exec(world.db, STR("UPDATE events SET seq = 5 WHERE seq = 4"), &err) != RC_OK ||
        db_exec(world.db, STR("UPDATE nodes SET event = 5"), &err) != RC_OK)
        fail_msg("%s", err.text);
    assert_string_equal(types("?type=schedule.*"),
                        "schedule.created events.damaged schedule.created");
    assert_json("events.0.schedule", "'a'");
    assert_json("events.1.count", "2");
    assert_json("events.1.id", "'1.4'");
    assert_json("events.2.schedule", "'c'");
    assert_string_equal(types("?after=1.4"), "schedule.created");
}

static void prune_until(int64_t seq)
{
    struct err err = {.text = ""};

    if (db_exec(world.db, str_of(js("DELETE FROM events WHERE seq < %lld", (long long)seq)),
                &err) != RC_OK)
        fail_msg("%s", err.text);
}

static void pruned_events_are_reported_as_gone(void **state)
{
    char place[EVENT_CURSOR_TEXT_MAX];

    (void)state;
    make("s");
    types("?after=now");
    snprintf(place, sizeof place, "%s", cursor());
    start("s");
    start("s");
    prune_until(4);
    assert_refused(get(js("/api/v1/events?after=%s", place)), 410, "not_found", "");
    assert_string_equal(field("Belfry-Oldest"), "1.3");
    assert_string_equal(types("?after=1.3"), "slot.skipped");
    assert_string_equal(types("?after=oldest"), "slot.skipped");
    assert_refused(get("/api/v1/events?after=1.900"), 410, "not_found", ""); /* in the future */
    assert_refused(get("/api/v1/events?after=2.1"), 410, "not_found", ""); /* an unknown node */
}

static void a_stream_continues_where_it_was(void **state)
{
    char place[64];

    (void)state;
    make("s");
    assert_int_equal(ask("GET /api/v1/events?type=run.ready", SSE, NULL), 0);
    assert_string_equal(stream_names(), "begin"); /* starts now */
    assert_true(read_stream());
    assert_string_equal(stream_names(), "");
    snprintf(place, sizeof place, "Last-Event-ID: 1.2\r\n" SSE);
    start("s");
    start("s");
    world.call.stream = NULL;
    assert_int_equal(ask("GET /api/v1/events?after=1.3", place, NULL),
                     0); /* Last-Event-ID overrides after */
    assert_string_equal(stream_names(), "begin run.ready slot.skipped");
    assert_true(str_eq(world.call.stream->lines[0].id, STR("1.2")));
    assert_true(str_eq(world.call.stream->lines[2].id, STR("1.4")));
    assert_true(read_stream());
    assert_string_equal(stream_names(), "");
    assert_int_equal(ask("GET /api/v1/events?after=oldest", SSE, NULL), 0);
    assert_string_equal(stream_names(), "begin schedule.created run.ready slot.skipped");
}

static void a_stream_reports_lost_events_and_continues(void **state)
{
    (void)state;
    make("s");
    start("s");
    start("s");
    prune_until(4);
    assert_int_equal(ask("GET /api/v1/events", SSE "Last-Event-ID: 1.1\r\n", NULL), 0);
    assert_string_equal(stream_names(), "lost");
    assert_true(str_eq(world.call.stream->lines[0].data, STR("{\"id\":\"1.3\"}")));
    assert_true(world.call.stream->has_more);
    assert_true(read_stream());
    assert_string_equal(stream_names(), "slot.skipped");
}

/* More events than one read scans. */
static void a_page_of_rare_events_may_be_empty_with_more_to_come(void **state)
{
    struct err err = {.text = ""};
    int pages = 0;
    const char *place = "oldest";

    (void)state;
    make("s");
    /* Copies of one event, each with its own number. */
    if (db_exec(world.db,
                STR("INSERT INTO events SELECT 1, v.n, 1, 0, (SELECT body FROM events WHERE"
                    " seq = 2) FROM (WITH RECURSIVE r(n) AS (SELECT 3 UNION ALL SELECT n + 1"
                    " FROM r WHERE n < 5000) SELECT n FROM r) AS v"),
                &err) != RC_OK)
        fail_msg("%s", err.text);
    do {
        assert_string_equal(types(js("?type=run.ended&after=%s", place)), "");
        place = cursor();
        pages++;
    } while (strcmp(json_at("more"), "true") == 0 && pages < 100);
    assert_true(pages > 1 && pages < 100);
    assert_string_equal(place, "1.5000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_run_has_its_events_in_order),
        API_TEST(pages_follow_each_other_without_a_gap),
        API_TEST(events_are_filtered_by_type_schedule_and_run),
        API_TEST(events_of_a_deleted_schedule_keep_its_name),
        API_TEST(invalid_parameters_are_refused),
        API_TEST(a_namespace_sees_its_own_events_and_an_admin_of_all_sees_all),
        API_TEST(pruned_events_are_reported_as_gone),
        API_TEST(a_stream_continues_where_it_was),
        API_TEST(a_stream_reports_lost_events_and_continues),
        API_TEST(a_page_of_rare_events_may_be_empty_with_more_to_come),
        API_TEST(a_damaged_row_is_told_and_the_rest_is_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
