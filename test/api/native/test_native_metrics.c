/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /metrics, the list of nodes, and the daily statistics.
 */
#include "world.h"

#include "prometheus_text.h"

#include "api/call/prometheus.h"

static const char *metrics_text(void)
{
    static char copy[1 << 20];

    snprintf(copy, sizeof copy, "%.*s", (int)world.call.answer.len, world.call.answer.ptr);
    return copy;
}

#define assert_series(series, value) \
    assert_true(prometheus_value(metrics_text(), series) == (double)(value))

static void make(const char *id, const char *more)
{
    assert_int_equal(
        post("/api/v1/schedules",
             js("{'id':'%s','spec':{'cron':['0 * * * *']},'action':{'type':'queue',"
                "'queue':'q'}%s}",
                id, more)),
        201);
}

static void trigger(const char *id)
{
    char target[128];

    snprintf(target, sizeof target, "/api/v1/schedules/%s/trigger", id);
    assert_in_range(post(target, ""), 200, 202);
}

/* Claims the next run and reports its end after this time. */
static void work(span took, const char *verb, const char *more)
{
    struct str id;
    char body[512];

    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    id = text_at("runs.0.id");
    snprintf(body, sizeof body, "{'items':[{'id':'%.*s','fence':%s%s}]}", STR_ARG(id),
             json_at("runs.0.fence"), more);
    world.now += took;
    assert_int_equal(post(verb, js("%s", body)), 200);
    assert_json("results.0.status", "'ok'");
}

static void metrics_have_the_format_of_prometheus(void **state)
{
    struct prometheus_histogram h = {.counts = {[0] = 2, [3] = 1, [20] = 4}, .sum = 1500000};
    struct answer out;
    char labels[64];
    struct buf label = BUF(labels);

    (void)state;
    assert_int_equal(get("/healthz"), 200);
    out = answer_new(world.call.arena);
    prometheus_family(&out, "a_seconds", "histogram", "Lengths.");
    prometheus_print(&out, "a_seconds", "", &h);
    prometheus_print(&out, "a_seconds", "x=\"1\"", &h);
    prometheus_family(&out, "b", "gauge", "Names.");
    prometheus_label(&label, "name", STR("a\"b\\c\nd"));
    prometheus_seconds(&out, "b", labels, 90 * SPAN_S + 250);
    prometheus_seconds(&out, "b", "", -1500 * SPAN_MS);
    prometheus_one(&out, "c_total", "counter", "Many.", INT64_MAX);
    world.call.answer = answer_done(&out);
    if (prometheus_wrong(metrics_text()))
        fail_msg("%s", prometheus_wrong(metrics_text()));
    assert_series("a_seconds_bucket{le=\"0.0001\"}", 2);
    assert_series("a_seconds_bucket{le=\"0.001\"}", 3);
    assert_series("a_seconds_bucket{le=\"21600\"}", 3);
    assert_series("a_seconds_bucket{le=\"+Inf\"}", 7);
    assert_series("a_seconds_bucket{x=\"1\",le=\"+Inf\"}", 7);
    assert_series("a_seconds_sum", 1.5);
    assert_series("a_seconds_count", 7);
    assert_series("b{name=\"a\\\"b\\\\c\\nd\"}", 90.00025);
    assert_series("b", -1.5);
}

static void a_duration_is_counted_in_its_bucket(void **state)
{
    (void)state;
    assert_int_equal(prometheus_bucket(0), 0);
    assert_int_equal(prometheus_bucket(100), 0);
    assert_int_equal(prometheus_bucket(101), 1);
    assert_int_equal(prometheus_bucket(SPAN_S), 12);
    assert_int_equal(prometheus_bucket(INT64_MAX), PROMETHEUS_BOUNDS);
    for (int i = 1; i < PROMETHEUS_BOUNDS; i++)
        assert_true(prometheus_bounds[i] > prometheus_bounds[i - 1]);
}

/* Checks that the parser of these tests finds errors in the format. */
static void the_parser_of_these_tests_finds_errors(void **state)
{
    static const char *const bad[] = {
        "x 1\n",
        "# HELP x X.\n# TYPE x gauge\nx 1\nx 2\n",
        "# HELP x X.\n# TYPE x counter\nx 1\n",
        "# HELP x X.\n# TYPE x gauge\nx{a=\"1} 1\n",
        "# HELP x X.\n# TYPE x gauge\nx{a=1} 1\n",
        "# HELP x X.\n# TYPE x gauge\nx one\n",
        "# HELP x X.\n# TYPE x gauge\nx 1",
        "# HELP x X.\n# TYPE x gauge\nx 1\n# HELP y Y.\n# TYPE y gauge\nx 2\n",
        "# HELP x X.\n# TYPE x histogram\nx_bucket{le=\"1\"} 2\nx_bucket{le=\"2\"} 1\n",
        "# HELP x X.\n# TYPE x histogram\nx_bucket{le=\"+Inf\"} 2\nx_sum 1\nx_count 1\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_non_null(prometheus_wrong(bad[i]));
    assert_null(prometheus_wrong("# HELP x X.\n# TYPE x gauge\nx{a=\"1\"} 1e9\nx 1\n"));
}

static void metrics_of_the_database(void **state)
{
    (void)state;
    make("a", "");
    make("b", "");
    trigger("a");
    trigger("b");
    world.now += 90 * SPAN_S;
    assert_int_equal(get("/api/v1/schedules/a"), 200);
    assert_int_equal(get("/metrics"), 200);
    assert_string_equal(world.call.content_type, "text/plain; version=0.0.4; charset=utf-8");
    if (prometheus_wrong(metrics_text()))
        fail_msg("%s", prometheus_wrong(metrics_text()));
    assert_series("x_total", 7); /* a counter of the server */
    assert_series("belfry_schedules", 2);
    assert_series("belfry_open_runs{state=\"ready\",type=\"queue\"}", 2);
    assert_series("belfry_oldest_ready_run_seconds{type=\"queue\"}", 90);
    assert_series("belfry_due_schedules", 0);
    assert_series("belfry_lag_seconds", 0);
    assert_series("belfry_database_up", 1);
    assert_true(prometheus_value(metrics_text(), "belfry_database_size_bytes") > 4096);
    /* 11:00 and 12:00 have passed without a turn. */
    world.now += 2 * SPAN_H;
    assert_int_equal(get("/metrics"), 200);
    assert_series("belfry_due_schedules", 2);
    assert_series("belfry_lag_seconds", 3690);
}

static void the_schedules_with_the_highest_lateness_are_named(void **state)
{
    (void)state;
    make("a", "");
    trigger("a");
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    world.latest[0] = (struct context_latest){world.call.grants[0].run.schedule, 2 * SPAN_S};
    world.latest[1] = (struct context_latest){12345, SPAN_S}; /* it does not exist */
    assert_int_equal(get("/metrics"), 200);
    assert_null(prometheus_wrong(metrics_text()));
    assert_series("belfry_latest_schedule_seconds{namespace=\"default\",schedule=\"a\"}", 2);
}

static void without_a_database_the_other_metrics_are_served(void **state)
{
    (void)state;
    world.not_ready = "the database is away";
    assert_int_equal(get("/metrics"), 200);
    assert_null(prometheus_wrong(metrics_text()));
    assert_series("x_total", 7);
    assert_series("belfry_database_up", 0);
    assert_series("belfry_schedules", -1);
    assert_refused(get("/metrics?x=1"), 400, "invalid_field", "");
}

static void nodes_are_listed(void **state)
{
    (void)state;
    pass_time(SPAN_S);
    assert_int_equal(get("/api/v1/nodes"), 200);
    assert_json("cursor", "null");
    assert_json("nodes.0.id", "1");
    assert_json("nodes.0.name", "'a'");
    assert_json("nodes.0.state", "'up'");
    assert_json("nodes.0.boot", "1");
    assert_json("nodes.0.startedAt", "'2026-01-05T10:00:00.000Z'");
    assert_json("nodes.0.lastTurnAt", "'2026-01-05T10:00:01.000Z'");
    assert_json("nodes.0.leaseUntil", "'2026-01-05T10:00:11.000Z'");
    assert_json("nodes.0.clockSkewMs", "0");
    assert_json("nodes.0.calls", "0");
    assert_json("nodes.1", "absent");
    world.now += SPAN_MIN;
    assert_int_equal(get("/api/v1/nodes"), 200);
    assert_json("nodes.0.state", "'silent'");
    assert_refused(get("/api/v1/nodes?x=1"), 400, "invalid_field", "");
}

/* Two runs that succeed in 2 s and 4 s, and one that fails after 3 s. */
static void some_runs(void)
{
    make("a", ",'extra':{'agentId':'ann'}");
    make("b", ",'extra':{'agentId':'bob'}");
    make("c", "");
    trigger("a");
    work(2 * SPAN_S, "/api/v1/runs/complete",
         ",'llm':{'promptTokens':100,'completionTokens':23,'estimatedCostUsd':0.5}");
    trigger("b");
    work(4 * SPAN_S, "/api/v1/runs/complete",
         ",'llm':{'totalTokens':1000,'promptTokens':1,'estimatedCostUsd':0.0000014}");
    trigger("c");
    work(3 * SPAN_S, "/api/v1/runs/fail", ",'error':'no'");
}

/* The sum of both does not fit into 64 bits; a run counts at most 1e9 tokens. */
static void a_run_has_a_limited_number_of_tokens(void **state)
{
    (void)state;
    make("a", "");
    trigger("a");
    work(SPAN_S, "/api/v1/runs/complete",
         ",'llm':{'promptTokens':9223372036854775807,'completionTokens':9223372036854775807}");
    trigger("a");
    work(SPAN_S, "/api/v1/runs/complete", ",'llm':{'promptTokens':-5,'completionTokens':7}");
    assert_int_equal(get("/api/v1/metrics/summary"), 200);
    assert_json("total.totalTokens", "1000000007");
}

static void a_summary_adds_up_days(void **state)
{
    (void)state;
    some_runs();
    assert_int_equal(get("/api/v1/metrics/summary"), 200);
    assert_json("by", "'none'");
    assert_json("from", "'2025-12-07T00:00:00.000Z'");
    assert_json("to", "'2026-01-06T00:00:00.000Z'");
    assert_json("total.totalRuns", "3");
    assert_json("total.successCount", "2");
    assert_json("total.failCount", "1");
    assert_json("total.attempts", "3");
    assert_json("total.avgDurationMs", "3000");
    assert_json("total.avgLatenessMs", "0");
    assert_json("total.totalTokens", "1123");
    assert_true(json_number_value(json_object_get(json_object_get(world.json, "total"),
                                                  "estimatedCostUsd")) == 0.500001);
    assert_json("groups", "[]");
    /* The same after the daily statistics are written. */
    pass_time(SPAN_H);
    assert_int_equal(
        get("/api/v1/metrics/summary?from=2026-01-05T23:00:00Z&to=2026-01-06T00:00:00Z"), 200);
    assert_json("total.totalRuns", "3");
    assert_json("from", "'2026-01-05T00:00:00.000Z'");
    assert_int_equal(get("/api/v1/metrics/summary?to=2026-01-05T00:00:00Z"), 200);
    assert_json("total.totalRuns", "0");
    assert_json("total.avgDurationMs", "null");
}

static void a_summary_can_be_grouped_by_agent(void **state)
{
    (void)state;
    some_runs();
    assert_int_equal(get("/api/v1/metrics/summary?by=agent"), 200);
    assert_json("groups.0.agent", "null");
    assert_json("groups.0.failCount", "1");
    assert_json("groups.1.agent", "'ann'");
    assert_json("groups.1.avgDurationMs", "2000");
    assert_json("groups.1.totalTokens", "123");
    assert_json("groups.2.agent", "'bob'");
    assert_json("groups.2.totalRuns", "1");
    assert_json("groups.3", "absent");
}

static void a_summary_can_be_grouped_by_queue_and_schedule(void **state)
{
    char target[128], other[128];
    struct str cursor;

    (void)state;
    some_runs();
    assert_int_equal(get("/api/v1/metrics/summary?by=queue"), 200);
    assert_json("groups.0.queue", "'q'");
    assert_json("groups.0.totalRuns", "3");
    assert_json("groups.1", "absent");
    assert_int_equal(get("/api/v1/metrics/summary?by=schedule&limit=2"), 200);
    assert_json("groups.0.schedule", "'a'");
    assert_json("groups.1.schedule", "'b'");
    assert_json("groups.2", "absent");
    assert_json("total.totalRuns", "3");
    cursor = text_at("cursor");
    snprintf(target, sizeof target, "/api/v1/metrics/summary?by=schedule&limit=2&cursor=%.*s",
             STR_ARG(cursor));
    assert_int_equal(get(target), 200);
    assert_json("groups.0.schedule", "'c'");
    assert_json("groups.1", "absent");
    assert_json("cursor", "null");
    snprintf(other, sizeof other, "/api/v1/metrics/summary?by=queue&%s",
             strstr(target, "cursor="));
    assert_refused(get(other), 400, "invalid_field", "cursor");
}

/* The calendar has the years 1 to 9999 ([T-2] of docs/semantics.md); days are cut to it. */
static void a_summary_works_in_the_first_and_the_last_year(void **state)
{
    (void)state;
    assert_int_equal(get("/api/v1/metrics/summary?to=0001-01-01T00:00:00Z"), 200);
    assert_json("from", "'0001-01-01T00:00:00.000Z'");
    assert_json("to", "'0001-01-01T00:00:00.000Z'");
    assert_int_equal(get("/api/v1/metrics/summary?to=9999-12-31T23:59:59.999Z"), 200);
    assert_json("from", "'9999-12-02T00:00:00.000Z'");
    assert_json("to", "'9999-12-31T23:59:59.999Z'");
    assert_int_equal(
        get("/api/v1/metrics/summary?from=1969-12-31T12:00:00Z&to=1970-01-01T00:00:00Z"), 200);
    assert_json("from", "'1969-12-31T00:00:00.000Z'");
    assert_json("to", "'1970-01-01T00:00:00.000Z'");
}

static void an_invalid_summary_request_is_refused(void **state)
{
    (void)state;
    assert_refused(get("/api/v1/metrics/summary?by=day"), 400, "invalid_field", "by");
    assert_refused(get("/api/v1/metrics/summary?from=yesterday"), 400, "invalid_field", "from");
    assert_refused(
        get("/api/v1/metrics/summary?from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z"), 400,
        "invalid_field", "from");
    assert_refused(get("/api/v1/metrics/summary?from=2020-01-02T00:00:00Z"), 422, "limit",
                   "from");
    assert_refused(get("/api/v1/metrics/summary?cursor=x&by=queue"), 400, "invalid_field",
                   "cursor");
    assert_refused(get("/api/v1/metrics/summary?namespace=other"), 404, "not_found", "");
}

/* The worker gets the trace context of the client that triggered the run. */
static void a_trigger_continues_the_trace_of_the_client(void **state)
{
    struct str trace;

    (void)state;
    make("a", "");
    ask("POST /api/v1/schedules/a/trigger",
        "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n", "");
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    trace = text_at("runs.0.traceparent");
    assert_int_equal(trace.len, 55);
    assert_memory_equal(trace.ptr, "00-4bf92f3577b34da6a3ce929d0e0e4736-", 36);
    assert_memory_not_equal(trace.ptr + 36, "00f067aa0ba902b7", 16);
    ask("POST /api/v1/schedules/a/trigger?", "traceparent: nonsense\r\n",
        js("{'overlap':'allowAll'}"));
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    trace = text_at("runs.0.traceparent");
    assert_int_equal(trace.len, 55);
    assert_memory_not_equal(trace.ptr, "00-4bf92f3577b34da6a3ce929d0e0e4736-", 36);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(metrics_have_the_format_of_prometheus),
        API_TEST(a_duration_is_counted_in_its_bucket),
        API_TEST(the_parser_of_these_tests_finds_errors),
        API_TEST(metrics_of_the_database),
        API_TEST(the_schedules_with_the_highest_lateness_are_named),
        API_TEST(without_a_database_the_other_metrics_are_served),
        API_TEST(nodes_are_listed),
        API_TEST(a_run_has_a_limited_number_of_tokens),
        API_TEST(a_summary_adds_up_days),
        API_TEST(a_summary_can_be_grouped_by_agent),
        API_TEST(a_summary_can_be_grouped_by_queue_and_schedule),
        API_TEST(a_summary_works_in_the_first_and_the_last_year),
        API_TEST(an_invalid_summary_request_is_refused),
        API_TEST(a_trigger_continues_the_trace_of_the_client),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
