/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log of a run, as pages and as a stream.
 */
#include "world.h"

#include "store/logs.h"

static char id[RUN_ID_TEXT_MAX];

static void start(void)
{
    assert_int_equal(post("/api/v1/schedules", js("{'id':'s','action':{'type':'queue','queue':"
                                                  "'q'}}")),
                     201);
    assert_int_equal(post("/api/v1/schedules/s/trigger", ""), 202);
    snprintf(id, sizeof id, "%s", text_at("id").ptr);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
}

static void follow(const char *fields)
{
    assert_int_equal(ask(js("GET /api/v1/runs/%s/logs?follow=true", id), fields, NULL), 0);
}

static void assert_line(int index, const char *place, const char *name, const char *part)
{
    const struct call_line *line = &world.call.stream->lines[index];

    assert_true(index < world.call.stream->line_count);
    assert_true(str_eq(line->id, str_of(place)));
    assert_true(str_eq(line->name, str_of(name)));
    if (!memmem(line->data.ptr, line->data.len, part, strlen(part)))
        fail_msg("%.*s", STR_ARG(line->data));
}

static void a_log_is_followed_until_the_run_ends(void **state)
{
    (void)state;
    start();
    follow(NULL);
    assert_string_equal(stream_names(), "");
    assert_false(world.call.stream->is_over);
    assert_int_equal(
        post(js("/api/v1/runs/%s/heartbeat", id), js("{'fence':1,'log':['one','two']}")), 200);
    follow(NULL);
    assert_string_equal(stream_names(), "line line");
    assert_line(0, "0.1", "line", js("'stream':'worker','attempt':1,'text':'one'}"));
    assert_line(1, "0.2", "line", js("'text':'two'}"));
    assert_true(read_stream());
    assert_string_equal(stream_names(), "");
    assert_int_equal(post(js("/api/v1/runs/%s/complete", id), js("{'fence':1,'log':'three'}")),
                     200);
    follow(NULL);
    assert_string_equal(stream_names(), "line line line end");
    assert_line(3, js("%zu.0", 3 * (size_t)LOG_LINE_HEAD + strlen("onetwothree")), "end",
                js("{'outcome':'succeeded','endedAt':'2026-01-05T10:00:00.000Z'"));
    assert_true(world.call.stream->is_over);
}

static void a_stream_continues_after_the_last_event_id(void **state)
{
    (void)state;
    start();
    assert_int_equal(
        post(js("/api/v1/runs/%s/heartbeat", id), js("{'fence':1,'log':['one','two']}")), 200);
    follow("Last-Event-ID: 0.1\r\n");
    assert_string_equal(stream_names(), "line");
    assert_line(0, "0.2", "line", "two");
    follow("Last-Event-ID: 0.2\r\n");
    assert_string_equal(stream_names(), "");
}

/* A line of bytes that need six characters each in JSON. */
static void a_line_that_is_too_long_for_an_event_is_cut(void **state)
{
    char log[LOGS_LINE_MAX * 6 + 100];
    struct buf out = BUF(log);

    (void)state;
    start();
    buf_text(&out, js("{'fence':1,'log':['"));
    for (int i = 0; i < LOGS_LINE_MAX; i++)
        buf_text(&out, "\\u0001");
    buf_text(&out, js("']}"));
    buf_char(&out, '\0');
    assert_false(out.cut);
    assert_int_equal(post(js("/api/v1/runs/%s/heartbeat", id), log), 200);
    follow(NULL);
    assert_string_equal(stream_names(), "line");
    assert_true(world.call.stream->lines[0].data.len < 65000);
    assert_true(world.call.stream->lines[0].data.len > 50000);
}

static void invalid_requests_are_refused(void **state)
{
    (void)state;
    start();
    assert_refused(get(js("/api/v1/runs/%s/logs?follow=yes", id)), 400, "invalid_field",
                   "follow");
    assert_refused(
        ask(js("GET /api/v1/runs/%s/logs?follow=true", id), "Last-Event-ID: 1\r\n", NULL), 400,
        "invalid_field", "Last-Event-ID");
    assert_refused(get("/api/v1/runs/r_0000000000000000000000/logs?follow=true"), 404,
                   "not_found", "");
    assert_int_equal(ask("PUT /api/v1/namespaces/other", NULL, ""), 201);
    assert_refused(get(js("/api/v1/runs/%s/logs?follow=true&namespace=other", id)), 404,
                   "not_found", "");
}

static void the_log_of_a_missing_run_is_not_found(void **state)
{
    (void)state;
    start();
    assert_int_equal(get(js("/api/v1/runs/%s/logs", id)), 200);
    assert_json("lines", "[]");
    id[strlen(id) - 1] = id[strlen(id) - 1] == '7' ? '8' : '7'; /* another pass */
    assert_refused(get(js("/api/v1/runs/%s/logs", id)), 404, "not_found", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_log_is_followed_until_the_run_ends),
        API_TEST(a_stream_continues_after_the_last_event_id),
        API_TEST(a_line_that_is_too_long_for_an_event_is_cut),
        API_TEST(invalid_requests_are_refused),
        API_TEST(the_log_of_a_missing_run_is_not_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
