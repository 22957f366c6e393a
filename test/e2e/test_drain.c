/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of SIGTERM: no new run starts, running work may end, and the rest is returned.
 */
#include <signal.h>

#include "peers/receiver.h"
#include "request.h"

enum { DRAINS = 12 };

#define CALLING "'action':{'type':'http','url':'http://127.0.0.1:%u/','timeout':'60s'}"

static const char *const open_runs = "SELECT count(*) FROM runs";
static const char *const claimed_runs = "SELECT count(*) FROM runs WHERE state IN (5, 6)";
static const char *const ready_runs = "SELECT count(*) FROM runs WHERE state = 3";

/* A server with a call in progress, whose request is in *ret. */
static struct server *start_calling(struct world *w, struct receiver *r, const char *drain,
                                    struct received_request *ret)
{
    struct server *d = server_start(
        w, &(struct server_start){.args = WORDS("--http-allow-private", "--drain", drain)});

    make_schedule(d, "call", CALLING, r->port);
    trigger(d, "call");
    receiver_take(r, ret);
    return d;
}

static void the_drain_waits_for_a_call_that_ends(void **state)
{
    struct world *w = *state;
    struct receiver r;
    struct received_request request;
    struct server *d;

    receiver_open(&r);
    d = start_calling(w, &r, "30s", &request);
    trigger(d, "call"); /* it is skipped or waits; in either case it must not start */
    server_signal(d, SIGTERM);
    assert_non_null(strstr(server_await(d, "msg=draining"), "runs=1"));
    receiver_answer(&request, "200 OK", "{\"done\":true}");
    assert_int_equal(server_wait(d), 0);
    assert_false(server_has_logged(d, "releasing runs"));
    assert_false(receiver_has(&r));
    assert_int_equal(world_number(w, "SELECT count(*) FROM history"), 1);
    assert_int_equal(world_number(w, "SELECT succeeded FROM cursors"), 1);
    receiver_close(&r);
}

static void a_call_that_does_not_end_is_released_at_the_deadline(void **state)
{
    struct world *w = *state;
    struct receiver r;
    struct received_request request;
    struct server *d;

    receiver_open(&r);
    d = start_calling(w, &r, "200ms", &request);
    server_signal(d, SIGTERM);
    assert_non_null(strstr(server_await(d, "releasing runs"), "runs=1"));
    assert_int_equal(server_wait(d), 0);
    close(request.fd);
    assert_int_equal(world_number(w, ready_runs), 1);

    /* The next server continues the run under another fence. */
    d = server_restart(d, &(struct server_start){.args = WORDS("--http-allow-private")});
    receiver_take(&r, &request);
    receiver_answer(&request, "200 OK", "{}");
    UNTIL(world_number(w, "SELECT succeeded FROM cursors") == 1);
    assert_int_equal(server_stop(d), 0);
    receiver_close(&r);
}

static void a_second_signal_ends_the_drain(void **state)
{
    struct world *w = *state;
    struct receiver r;
    struct received_request request;
    struct server *d;

    receiver_open(&r);
    d = start_calling(w, &r, "1h", &request);
    server_signal(d, SIGTERM);
    server_await(d, "msg=draining");
    server_signal(d, SIGTERM);
    assert_int_equal(server_wait(d), 0);
    close(request.fd);
    assert_int_equal(world_number(w, ready_runs), 1);
    receiver_close(&r);
}

static void a_waiting_worker_gets_an_empty_answer(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(w, NULL);
    struct answer answer;
    int fd;

    assert_int_equal(json_array_size(claim(d, "q", 1, "0s")),
                     0); /* from now on the server knows the queue */
    fd = request_begin(d, "POST", "/api/v1/queues/claim", "{'queues':['q'],'wait':'60s'}");
    api(d, 200, "GET", "/readyz", NULL); /* sent later, so the claim has arrived */
    server_signal(d, SIGTERM);
    answer = request_end(d, fd);
    assert_int_equal(answer.status, 200);
    assert_int_equal(json_array_size(at(answer.json, "runs")), 0);
    assert_int_equal(server_wait(d), 0);
    assert_int_equal(world_number(w, open_runs), 0);
}

/* Requests on a connection from before the drain are still answered correctly. */
static void a_draining_server_is_healthy_but_not_ready(void **state)
{
    struct world *w = *state;
    struct receiver r;
    struct received_request request;
    struct server *d;
    struct answer answer;
    int ready, health;

    receiver_open(&r);
    d = start_calling(w, &r, "1h", &request);
    ready = request_connect(d);
    health = request_connect(d);
    request_send_head(ready, "GET", "/readyz");
    request_send_head(health, "GET", "/healthz");
    api(d, 200, "GET", "/readyz", NULL);
    server_signal(d, SIGTERM);
    server_await(d, "msg=draining");
    request_send_rest(ready);
    answer = request_end(d, ready);
    assert_int_equal(answer.status, 503);
    assert_string_equal(text_at(answer.json, "detail"), "the server is stopping");
    request_send_rest(health);
    assert_int_equal(request_end(d, health).status, 200);
    receiver_answer(&request, "200 OK", "{}");
    assert_int_equal(server_wait(d), 0);
    receiver_close(&r);
}

/* The client can follow the stream from the next server. */
static void a_new_stream_does_not_delay_the_drain(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(w, &(struct server_start){.args = WORDS("--drain", "1h")});
    int fd = request_connect(d);

    request_send_head(fd, "GET", "/api/v1/events");
    assert_true(dprintf(fd, "Accept: text/event-stream\r\n") > 0);
    api(d, 200, "GET", "/readyz", NULL); /* sent later, so the head has arrived */
    server_signal(d, SIGTERM);
    server_await(d, "msg=draining");
    request_send_rest(fd);
    assert_int_equal(request_end(d, fd).status, 503);
    assert_int_equal(server_wait(d), 0);
}

/* The drain neither waits for the runs of workers nor takes them away. */
static void runs_of_workers_outlive_a_restart(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(w, NULL);
    const json_t *run;

    make_schedule(d, "work", "'action':{'type':'queue','queue':'q'}");
    trigger(d, "work");
    run = at(claim(d, "q", 1, "5s"), "[0]");
    assert_int_equal(server_stop(d), 0);
    d = server_restart(d, NULL);
    assert_int_equal(json_array_size(claim(d, "q", 1, "0s")), 0);
    assert_int_equal(tell_run(d, "complete", run, "").status, 200);
    assert_int_equal(number_at(schedule_state(d, "work"), "counters.succeeded"), 1);
    assert_int_equal(server_stop(d), 0);
}

/* A run that was claimed in the turn before the drain and has not started yet. */
static void a_run_claimed_as_the_drain_begins_is_not_left_claimed(void **state)
{
    struct world *w = *state;
    const struct server_start start = {.args = WORDS("--exec")};
    struct server *d = server_start(w, &start);

    make_schedule(d, "x", "'action':{'type':'exec','argv':['/bin/true']}");
    for (int i = 0; i < DRAINS; i++) {
        int fd = request_begin(d, "POST", "/api/v1/schedules/x/trigger", NULL);

        if (i % 2 == 1)
            UNTIL(request_is_answered(fd)); /* otherwise the signal may arrive first */
        server_signal(d, SIGTERM);
        request_end(d, fd);
        assert_int_equal(server_wait(d), 0);
        assert_int_equal(world_number(w, claimed_runs), 0);
        d = server_restart(d, &start);
    }
    assert_int_equal(server_stop(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(the_drain_waits_for_a_call_that_ends),
        E2E_TEST(a_call_that_does_not_end_is_released_at_the_deadline),
        E2E_TEST(a_second_signal_ends_the_drain),
        E2E_TEST(a_waiting_worker_gets_an_empty_answer),
        E2E_TEST(a_draining_server_is_healthy_but_not_ready),
        E2E_TEST(a_new_stream_does_not_delay_the_drain),
        E2E_TEST(runs_of_workers_outlive_a_restart),
        E2E_TEST(a_run_claimed_as_the_drain_begins_is_not_left_claimed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
