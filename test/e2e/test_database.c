/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of a PostgreSQL server that stops or freezes while Belfry runs, and returns.
 */
#include <arpa/inet.h>
#include <sys/socket.h>

#include "h2_client.h"
#include "peers/pg_server.h"
#include "peers/receiver.h"
#include "request.h"

#define QUEUED "'action':{'type':'queue','queue':'q'}"

static struct pg_server pg_server; /* shared by the tests: each leaves it running */

static int free_postgres(void **state)
{
    (void)state;
    pg_server_free(&pg_server);
    return 0;
}

static void find_postgres(const struct world *w)
{
    if (pg_server.pid == 0)
        pg_server_find(w, &pg_server);
}

/* No request hangs, and no answer is wrong. */
static void assert_unavailable(struct server *d)
{
    struct answer answer;
    int write, read;

    UNTIL(ask(d, "GET", "/readyz", NULL).status == 503);
    assert_int_equal(ask(d, "GET", "/healthz", NULL).status, 200);
    write = request_begin(d, "POST", "/api/v1/schedules", "{'id':'meanwhile'," QUEUED "}");
    read = request_begin(d, "GET", "/api/v1/schedules/work", NULL);
    answer = request_end(d, read);
    assert_int_equal(answer.status, 503);
    assert_string_equal(text_at(answer.json, "code"), "unavailable");
    answer = request_end(d, write);
    assert_int_equal(answer.status, 503);
    assert_string_equal(text_at(answer.json, "code"), "unknown_result");
}

/* A run that started before the outage ends after it, once. */
static void assert_recovers(struct server *d, const json_t *run)
{
    UNTIL(ask(d, "GET", "/readyz", NULL).status == 200);
    assert_int_equal(tell_run(d, "complete", run, "").status, 200);
    trigger(d, "work");
    run = at(claim(d, "q", 1, "30s"), "[0]");
    assert_int_equal(tell_run(d, "complete", run, "").status, 200);
    assert_int_equal(number_at(schedule_state(d, "work"), "counters.succeeded"), 2);
    assert_int_equal(world_number(d->world, "SELECT count(*) FROM history"), 2);
    assert_int_equal(world_number(d->world, "SELECT max(fence) FROM history"), 1);
    /* The request of unknown outcome was executed at most once. */
    assert_in_range(world_number(d->world, "SELECT count(*) FROM schedules"), 1, 2);
    assert_int_equal(server_stop(d), 0);
}

static struct server *start_with_claimed_run(struct world *w, const json_t **ret)
{
    struct server *d = server_start(w, NULL);

    find_postgres(w);
    make_schedule(d, "work", QUEUED);
    trigger(d, "work");
    *ret = at(claim(d, "q", 1, "30s"), "[0]");
    return d;
}

static void the_server_reconnects_to_a_restarted_postgres(void **state)
{
    struct world *w = *state;
    const json_t *run;
    struct server *d = start_with_claimed_run(w, &run);

    pg_server_stop(&pg_server);
    assert_unavailable(d);
    pg_server_start(w, &pg_server);
    assert_recovers(d, run);
}

static void the_server_waits_for_a_frozen_postgres(void **state)
{
    struct world *w = *state;
    const json_t *run;
    struct server *d = start_with_claimed_run(w, &run);

    pg_server_freeze(&pg_server);
    assert_unavailable(d);
    pg_server_thaw(&pg_server);
    assert_recovers(d, run);
}

#define METHOD "/temporal.api.workflowservice.v1.WorkflowService/"

/* gRPC frames about the schedule `made` of the namespace `default`. */
#define MADE     "\n\7default\x12\4made"
#define WORKFLOW "\n\1w\x12\3\n\1t\x1a\3\n\1q"
#define DESCRIBE STR("\0\0\0\0\x0f" MADE)
#define CREATE   STR("\0\0\0\0\x27" MADE "\x1a\x13\n\0\x12\x0f\n\x0d" WORKFLOW "2\1r")

/* A gRPC call with a timeout. */
static struct h2c_answer *call(struct h2c *h, const char *path, struct str frame,
                               const char *within)
{
    return h2c_ask(h, &(struct h2c_request){.method = "POST",
                                            .path = path,
                                            .authority = "localhost",
                                            .name = "content-type",
                                            .value = "application/grpc",
                                            .name2 = "grpc-timeout",
                                            .value2 = within,
                                            .body = frame});
}

static void assert_has_line(const struct h2c_answer *a, const char *words)
{
    assert_non_null(strstr(a->head, ":status: 200\n"));
    if (!strstr(a->body_len > 0 ? a->tail : a->head, words))
        fail_msg("no %s in %s%s", words, a->head, a->tail);
}

/* Status 4 is the client's deadline, 14 an unavailable server. */
static void a_grpc_deadline_and_an_outage_have_different_statuses(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(w, NULL);
    struct h2c *h = h2c_open(request_connect(d));
    struct h2c_answer *in_time, *read, *write, *patient, *patient_write;
    bool is_first;

    find_postgres(w);
    in_time = call(h, METHOD "CreateSchedule", CREATE, "20S");
    h2c_await(h, in_time);
    assert_has_line(in_time, "grpc-status: 0\n");
    pg_server_freeze(&pg_server);
    patient = call(h, METHOD "DescribeSchedule", DESCRIBE, "1H");
    patient_write = call(h, METHOD "CreateSchedule", CREATE, "1H");
    read = call(h, METHOD "DescribeSchedule", DESCRIBE, "200m");
    write = call(h, METHOD "CreateSchedule", CREATE, "200m");
    h2c_await(h, read);
    h2c_await(h, write);
    is_first = !patient->is_closed;
    h2c_await(h, patient);
    h2c_await(h, patient_write);
    pg_server_thaw(&pg_server);
    assert_has_line(read, "grpc-status: 4\n");
    assert_has_line(write, "grpc-status: 4\n");
    assert_has_line(
        write, "grpc-message: the deadline of the request has passed; the result is unknown");
    assert_true(is_first);
    assert_has_line(patient, "grpc-status: 14\n");
    assert_has_line(patient_write, "grpc-status: 14\n");
    assert_has_line(patient_write, "or retry with the same request_id\n");
    h2c_close(h);
    UNTIL(ask(d, "GET", "/readyz", NULL).status == 200);
    assert_int_equal(server_stop(d), 0);
}

static void a_call_that_ends_in_an_outage_is_recorded_later(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(
        w, &(struct server_start){.args = WORDS("--http-allow-private", "--node-lease", "1h")});
    struct receiver r;
    struct received_request request;

    find_postgres(w);
    receiver_open(&r);
    make_schedule(d, "call", "'action':{'type':'http','url':'http://127.0.0.1:%u/'}", r.port);
    trigger(d, "call");
    receiver_take(&r, &request);
    pg_server_stop(&pg_server);
    UNTIL(ask(d, "GET", "/readyz", NULL).status == 503);
    receiver_answer(&request, "200 OK", "{}");
    pg_server_start(w, &pg_server);
    UNTIL(ask(d, "GET", "/readyz", NULL).status == 200);
    UNTIL(number_at(schedule_state(d, "call"), "counters.succeeded") == 1);
    assert_int_equal(world_number(w, "SELECT count(*) FROM history"), 1);
    assert_false(receiver_has(&r));
    receiver_close(&r);
    assert_int_equal(server_stop(d), 0);
}

static void the_server_waits_until_postgres_is_started(void **state)
{
    struct world *w = *state;
    struct server *d;

    find_postgres(w);
    pg_server_stop(&pg_server);
    d = server_spawn(w, &(struct server_start){0});
    d->port = server_port(d);
    server_await(d, "msg=\"database unavailable; retrying\"");
    assert_int_equal(ask(d, "GET", "/readyz", NULL).status, 503);
    pg_server_start(w, &pg_server);
    server_await(d, "msg=ready");
    make_schedule(d, "work", QUEUED);
    assert_int_equal(server_stop(d), 0);
}

/* Only PostgreSQL is unavailable: restarting Belfry would not help. */
static void the_watchdog_is_notified_during_an_outage(void **state)
{
    struct world *w = *state;
    int fd = world_notify_open(w);
    struct server *d = server_start(
        w, &(struct server_start){.env = WORDS(world_notify_env(w), "WATCHDOG_USEC=7000000")});

    find_postgres(w);
    world_notify_await(fd, "READY=1");
    pg_server_stop(&pg_server);
    UNTIL(ask(d, "GET", "/readyz", NULL).status == 503);
    world_notify_drop(fd);
    for (int i = 0; i < 12; i++) /* for much longer than WATCHDOG_USEC */
        world_notify_await(fd, "WATCHDOG=1");
    pg_server_start(w, &pg_server);
    UNTIL(ask(d, "GET", "/readyz", NULL).status == 200);
    close(fd);
    assert_int_equal(server_stop(d), 0);
}

/* The process of the session that listens; 0 if there is none. */
static int64_t listening_backend(const struct world *w)
{
    return world_number(w, "SELECT coalesce(max(pid), 0) FROM pg_stat_activity"
                           " WHERE application_name = 'belfry listen'");
}

static bool has_reason(struct server *d, const char *code)
{
    struct answer answer = ask(d, "GET", "/readyz", NULL);
    const json_t *reason;
    size_t i;

    assert_int_equal(answer.status, 200);
    json_array_foreach(at(answer.json, "reasons"), i,
                       reason) if (strcmp(text_at(reason, "code"), code) == 0) return true;
    return false;
}

/* A session that does not answer, as behind a firewall that has forgotten it. */
static void a_listen_connection_that_is_dead_is_replaced(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(w, NULL);
    int64_t pid = 0;

    UNTIL((pid = listening_backend(w)) > 0);
    UNTIL(!has_reason(d, "listen_lost"));
    assert_int_equal(kill((pid_t)pid, SIGSTOP), 0);
    server_await(d, "LISTEN connection lost");
    UNTIL(!has_reason(d, "listen_lost"));
    assert_true(listening_backend(w) != pid);
    assert_int_equal(kill((pid_t)pid, SIGCONT), 0);
    assert_int_equal(server_stop(d), 0);
}

/* Puts a host that accepts connections and then stays silent before the host of the URL. */
static int add_silent_host(struct world *w)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t len = sizeof address;
    char directory[128];
    const char *at = strstr(w->url, "host=");

    assert_non_null(at);
    snprintf(directory, sizeof directory, "%s", at + strlen("host="));
    assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(fd, 64), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    snprintf(w->url, sizeof w->url,
             "postgres:///postgres?user=belfry&host=127.0.0.1,%s&port=%d,5432"
             "&sslmode=disable&gssencmode=disable",
             directory, ntohs(address.sin_port));
    return fd;
}

static void a_silent_host_does_not_keep_the_server_from_the_others(void **state)
{
    struct world *w = *state;
    int silent = add_silent_host(w);
    struct server *d = server_start(w, NULL);
    const json_t *run;

    find_postgres(w);
    assert_true(server_has_logged(d, "msg=\"database host cannot be used\" host=127.0.0.1:"));
    make_schedule(d, "work", QUEUED);
    trigger(d, "work");
    run = at(claim(d, "q", 1, "30s"), "[0]");
    pg_server_stop(&pg_server);
    UNTIL(ask(d, "GET", "/readyz", NULL).status == 503);
    pg_server_start(w, &pg_server);
    assert_recovers(d, run);
    close(silent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(the_server_reconnects_to_a_restarted_postgres),
        E2E_TEST(the_server_waits_for_a_frozen_postgres),
        E2E_TEST(a_grpc_deadline_and_an_outage_have_different_statuses),
        E2E_TEST(a_call_that_ends_in_an_outage_is_recorded_later),
        E2E_TEST(the_server_waits_until_postgres_is_started),
        E2E_TEST(the_watchdog_is_notified_during_an_outage),
        E2E_TEST(a_listen_connection_that_is_dead_is_replaced),
        E2E_TEST(a_silent_host_does_not_keep_the_server_from_the_others),
    };

    return cmocka_run_group_tests(tests, NULL, free_postgres);
}
