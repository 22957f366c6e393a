/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of what the server reports about itself: /metrics after a known load, its nodes, its
 * version, the summary; and of a trace that passes through it.
 */
#include <fcntl.h>
#include <signal.h>

#include "base/instant.h"
#include "command.h"
#include "io/clock.h"
#include "peers/receiver.h"
#include "prometheus_text.h"
#include "request.h"

enum { TEXT_BYTES = 1 << 20 };

static char text[TEXT_BYTES];

/* The body of the answer, read to the end of the connection. */
static const char *raw(struct server *d, const char *request)
{
    int fd = request_connect(d);
    size_t len = 0;
    ssize_t n;
    char *body;

    assert_int_equal(write(fd, request, strlen(request)), (ssize_t)strlen(request));
    while (len < sizeof text - 1 && (n = read(fd, text + len, sizeof text - 1 - len)) > 0)
        len += (size_t)n;
    close(fd);
    text[len] = '\0';
    body = strstr(text, "\r\n\r\n");
    assert_non_null(body);
    return body + 4;
}

#define END " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"

static const char *metrics(struct server *d)
{
    const char *body = raw(d, "GET /metrics" END "\r\n");
    const char *wrong = prometheus_wrong(body);

    if (wrong)
        fail_msg("%s", wrong);
    return body;
}

static double value(struct server *d, const char *series)
{
    return prometheus_value(metrics(d), series);
}

static void await_end(struct server *d, const char *id)
{
    char path[256];

    snprintf(path, sizeof path, "/api/v1/runs/%s", id);
    UNTIL(strcmp(text_at(api(d, 200, "GET", path, NULL), "state"), "ended") == 0);
}

static void the_metrics_match_a_known_load(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *runs, *summary;
    instant triggered;

    make_schedule(d, "job",
                  "'action':{'type':'queue','queue':'q'},'policies':{'latenessBudget':'1ms'}");
    make_schedule(d, "call", "'action':{'type':'http','url':'http://127.0.0.1:1/'}");
    trigger(d, "job");
    triggered = clock_now();
    UNTIL(clock_now() > triggered + SPAN_MS); /* its latenessBudget */
    runs = claim(d, "q", 1, "10s");
    assert_int_equal(tell_run(d, "complete", at(runs, "[0]"), "").status, 200);
    assert_int_equal(tell_run(d, "complete", at(runs, "[0]"), "").status, 409);
    await_end(d, trigger(d, "call"));
    UNTIL(value(d, "belfry_stale_reports_refused_total") == 1);
    assert_true(value(d, "belfry_runs_started_total{kind=\"trigger\"}") == 2);
    assert_true(value(d, "belfry_runs_late_total") == 1);
    assert_true(value(d, "belfry_lateness_seconds_count") == 2);
    assert_true(value(d, "belfry_runs_ended_total{type=\"queue\",outcome=\"succeeded\"}") == 1);
    assert_true(value(d, "belfry_attempts_total{type=\"http\",outcome=\"failed\"}") == 1);
    assert_true(
        value(d, "belfry_http_requests_total{operation=\"schedule.create\",code=\"2xx\"}") ==
        2);
    assert_true(
        value(d, "belfry_http_requests_total{operation=\"run.complete\",code=\"4xx\"}") == 1);
    assert_true(value(d, "belfry_schedules") == 2);
    assert_true(value(d, "belfry_database_up") == 1);
    assert_true(value(d, "belfry_ready") == 1);
    UNTIL(value(d, "belfry_catalogue_schedules") == 2);
    UNTIL(value(d, "belfry_catalogue_loaded") == 1);
    assert_true(value(d, "belfry_catalogue_bytes") > 0);
    assert_true(value(d, "belfry_catalogue_load_seconds") > 0);
    assert_true(value(d, "belfry_catalogue_age_seconds") > 0);
    assert_true(value(d, "belfry_turn_seconds_count") > 3);
    assert_true(value(d, "belfry_commit_seconds_sum") > 0);
    assert_true(value(d, "process_resident_memory_bytes") > 1 << 20);
    assert_true(value(d, "process_open_fds") > 5);
    assert_true(value(d, "process_start_time_seconds") > 1.7e9);
    summary = api(d, 200, "GET", "/api/v1/metrics/summary?by=schedule", NULL);
    assert_int_equal(number_at(summary, "total.totalRuns"), 2);
    assert_int_equal(number_at(summary, "groups[0].successCount"), 1);
    assert_int_equal(number_at(summary, "groups[1].failCount"), 1);
    assert_int_equal(world_events(*state, "run.late"), 1);
    assert_int_equal(
        number_at(api(d, 200, "GET", "/api/v1/schedules/job/health", NULL), "lateRuns"), 1);
    assert_int_equal(server_stop(d), 0);
}

static void the_server_reports_its_node_and_versions(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *nodes = api(d, 200, "GET", "/api/v1/nodes", NULL),
                 *version = api(d, 200, "GET", "/version", NULL);
    char address[64];

    snprintf(address, sizeof address, "http://127.0.0.1:%u", d->port);
    assert_string_equal(text_at(nodes, "nodes[0].state"), "up");
    assert_string_equal(text_at(nodes, "nodes[0].version"), text_at(version, "version"));
    assert_string_equal(text_at(nodes, "nodes[0].address"), address);
    assert_true(number_at(nodes, "nodes[0].clockSkewMs") > -1000);
    assert_true(number_at(nodes, "nodes[0].clockSkewMs") < 1000);
    assert_true(text_at(version, "sqlite")[0] == '3');
    assert_true(text_at(version, "libpq")[0] != '\0');
    assert_true(text_at(version, "openssl")[0] == '3');
    assert_true(strlen(text_at(version, "startedAt")) > 10);
    assert_int_equal(server_stop(d), 0);
}

/* From the client that triggers, through the server, to the called URL. */
static void a_trace_is_passed_on(void **state)
{
    struct server *d = server_start(
        *state, &(struct server_start){.args = WORDS("--http-allow-private")});
    struct receiver r;
    struct received_request request;

    receiver_open(&r);
    make_schedule(d, "call", "'action':{'type':'http','url':'http://127.0.0.1:%u/'}", r.port);
    raw(d, "POST /api/v1/schedules/call/trigger" END "Content-Length: 0\r\n"
           "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00\r\n\r\n");
    receiver_take(&r, &request);
    assert_memory_equal(received_field(&request, "traceparent"),
                        "00-4bf92f3577b34da6a3ce929d0e0e4736-", 36);
    assert_null(strstr(received_field(&request, "traceparent"), "00f067aa0ba902b7"));
    assert_string_equal(received_field(&request, "traceparent") + 52, "-00");
    receiver_answer(&request, "200 OK", "{}");
    receiver_close(&r);
    assert_int_equal(server_stop(d), 0);
}

/* A real worker is killed while its program runs: the run is counted as lost once, and done. */
static void a_worker_that_is_killed_is_counted(void **state)
{
    struct server *d = server_start(*state, NULL);
    const struct command worker = {
        .server = d, .words = WORDS("worker", "--queue", "q", "--", "/bin/sleep", "60")};
    int out = open("/dev/null", O_WRONLY);
    const json_t *first, *second;
    const char *id;
    char path[256];
    pid_t pid;

    make_schedule(d, "work",
                  "'action':{'type':'queue','queue':'q'},"
                  "'policies':{'lease':{'for':'5s','heartbeat':'1s','grace':'0s'}}");
    id = trigger(d, "work");
    snprintf(path, sizeof path, "/api/v1/runs/%s", id);
    pid = command_begin(*state, &worker, out);
    UNTIL(strcmp(text_at(api(d, 200, "GET", path, NULL), "state"), "running") == 0);
    assert_true(value(d, "belfry_lease_expiries_total") == 0);
    first = api(d, 200, "GET", path, NULL);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(command_end(pid), 128 + SIGKILL);
    close(out);
    second = at(claim(d, "q", 1, "30s"), "[0]");
    assert_string_equal(text_at(second, "id"), id);
    assert_true(number_at(second, "fence") > number_at(first, "fence"));
    UNTIL(value(d, "belfry_lease_expiries_total") == 1);
    assert_int_equal(tell_run(d, "complete", second, "").status, 200);
    assert_true(value(d, "belfry_stale_reports_refused_total") == 0);
    assert_int_equal(tell_run(d, "complete", first, "").status, 409); /* a duplicate */
    UNTIL(value(d, "belfry_stale_reports_refused_total") == 1);
    assert_int_equal(number_at(schedule_state(d, "work"), "counters.succeeded"), 1);
    assert_int_equal(server_stop(d), 0);
}

/* Its call was in progress: the next server takes the run back and counts that. */
static void a_server_that_is_killed_is_counted(void **state)
{
    const struct server_start calling = {
        .args = WORDS("--http-allow-private", "--node-lease", "2s")};
    struct server *d = server_start(*state, &calling);
    struct receiver r;
    struct received_request request;
    const char *id;

    receiver_open(&r);
    make_schedule(d, "call", "'action':{'type':'http','url':'http://127.0.0.1:%u/'}", r.port);
    id = trigger(d, "call");
    receiver_take(&r, &request);
    assert_true(value(d, "belfry_zombies_cleaned_total") == 0);
    server_kill(d);
    close(request.fd);
    d = server_restart(d, &calling);
    receiver_take(&r, &request);
    assert_string_equal(received_field(&request, "idempotency-key"), id);
    receiver_answer(&request, "200 OK", "{}");
    await_end(d, id);
    UNTIL(value(d, "belfry_zombies_cleaned_total") == 1);
    receiver_close(&r);
    assert_int_equal(server_stop(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(the_metrics_match_a_known_load),
        E2E_TEST(the_server_reports_its_node_and_versions),
        E2E_TEST(a_trace_is_passed_on),
        E2E_TEST(a_worker_that_is_killed_is_counted),
        E2E_TEST(a_server_that_is_killed_is_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
