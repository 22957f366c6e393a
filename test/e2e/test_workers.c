/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of workers and claimed runs: which worker gets a run, for how long, and which next.
 */
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>

#include "base/instant.h"
#include "io/clock.h"
#include "request.h"

enum { HEAVY = 64, HEAVY_INPUT = 64 * 1024, SMALL_BUFFER = 4096 };

#define QUEUED "'action':{'type':'queue','queue':'q'}"
#define CLAIM  "/api/v1/queues/claim"

/* It ends within a test, but not while a busy machine sends the next requests. */
#define SHORT_LEASE "'policies':{'lease':{'for':'5s','heartbeat':'1s','grace':'0s'}}"

static size_t count(const json_t *runs)
{
    assert_true(json_is_array(runs));
    return json_array_size(runs);
}

/* A waiting worker, whose claim has reached the server. */
static int wait_for_run(struct server *d, const char *worker, const char *wait)
{
    int fd = request_begin(d, "POST", CLAIM, "{'queues':['q'],'wait':'%s','worker':'%s'}", wait,
                           worker);

    /* The first of these requests may overtake the claim; the second is answered after it. */
    claim(d, "other", 1, "0s");
    claim(d, "other", 1, "0s");
    return fd;
}

/* ---- claims ---- */

static void of_two_waiting_workers_one_gets_the_run(void **state)
{
    struct server *d = server_start(*state, NULL);
    int fds[2], winner;

    make_schedule(d, "work", QUEUED);
    fds[0] = wait_for_run(d, "a", "60s");
    fds[1] = wait_for_run(d, "b", "60s");
    trigger(d, "work");
    UNTIL(request_is_answered(fds[0]) || request_is_answered(fds[1]));
    winner = request_is_answered(fds[0]) ? 0 : 1;
    assert_int_equal(count(at(request_end(d, fds[winner]).json, "runs")), 1);
    server_signal(d, SIGTERM); /* ends the wait of the other */
    assert_int_equal(count(at(request_end(d, fds[1 - winner]).json, "runs")), 0);
    assert_int_equal(server_wait(d), 0);
    assert_int_equal(world_number(d->world, "SELECT fence FROM runs"), 1);
}

/* The run was created and granted in one turn: a turn reads the clock once. */
static void a_waiting_worker_gets_a_run_in_the_turn_that_creates_it(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *run;
    int fd;

    make_schedule(d, "work", QUEUED);
    fd = wait_for_run(d, "a", "30s");
    trigger(d, "work");
    run = at(request_end(d, fd).json, "runs[0]");
    assert_string_equal(text_at(run, "createdAt"), text_at(run, "startedAt"));
    assert_string_equal(text_at(run, "worker"), "a");
    assert_int_equal(server_stop(d), 0);
}

/* ---- leases ---- */

static void the_run_of_a_dead_worker_goes_to_another(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *first, *second;

    make_schedule(d, "work", QUEUED "," SHORT_LEASE);
    trigger(d, "work");
    first = at(claim(d, "q", 1, "5s"), "[0]");
    second = at(claim(d, "q", 1, "30s"), "[0]"); /* the first worker sends no heartbeat */
    assert_string_equal(text_at(second, "id"), text_at(first, "id"));
    assert_true(number_at(second, "fence") > number_at(first, "fence"));
    assert_int_equal(world_events(d->world, "lease.expired"), 1);

    /* The first worker wakes up late: its reports are refused and recorded. */
    assert_int_equal(tell_run(d, "heartbeat", first, "").status, 409);
    assert_int_equal(tell_run(d, "complete", first, ",'result':'late'").status, 409);
    assert_string_equal(text_at(tell_run(d, "fail", first, "").json, "code"), "stale_fence");
    assert_true(world_events(d->world, "lease.stale") >= 1);
    assert_string_equal(text_at(api(d, 200, "POST", "/api/v1/runs/complete",
                                    "{'items':[{'id':'%s','fence':1}]}", text_at(first, "id")),
                                "results[0].status"),
                        "stale");
    assert_int_equal(tell_run(d, "complete", second, "").status, 200);
    assert_int_equal(number_at(schedule_state(d, "work"), "counters.succeeded"), 1);
    assert_int_equal(server_stop(d), 0);
}

static void heartbeats_keep_a_run(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *run;
    char until[64];

    make_schedule(d, "work", QUEUED "," SHORT_LEASE);
    trigger(d, "work");
    run = at(claim(d, "q", 1, "5s"), "[0]");
    snprintf(until, sizeof until, "%s", text_at(run, "leaseUntil"));
    for (int i = 0; i < 4; i++) { /* for longer than a lease */
        struct answer answer;

        assert_int_equal(count(claim(d, "q", 1, "1500ms")), 0);
        answer = tell_run(d, "heartbeat", run, "");
        assert_int_equal(answer.status, 200);
        assert_true(strcmp(text_at(answer.json, "leaseUntil"), until) > 0);
        snprintf(until, sizeof until, "%s", text_at(answer.json, "leaseUntil"));
    }
    assert_int_equal(world_events(d->world, "lease.expired"), 0);
    assert_int_equal(tell_run(d, "complete", run, "").status, 200);
    assert_int_equal(server_stop(d), 0);
}

static void a_heartbeat_can_extend_the_lease(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct answer answer;
    const json_t *run;
    int64_t lease;

    make_schedule(d, "work", QUEUED "," SHORT_LEASE);
    trigger(d, "work");
    run = at(claim(d, "q", 1, "5s"), "[0]");
    lease = world_number(d->world, "SELECT lease_until FROM runs");
    answer = tell_run(d, "heartbeat", run, ",'extend':'1h'");
    assert_int_equal(answer.status, 200);
    assert_true(world_number(d->world, "SELECT lease_until FROM runs") >=
                lease - 5 * SPAN_S + SPAN_H);
    assert_int_equal(server_stop(d), 0);
}

static void a_released_run_is_ready_at_once(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *first, *second;

    make_schedule(d, "work", QUEUED);
    trigger(d, "work");
    first = at(claim(d, "q", 1, "5s"), "[0]");
    assert_int_equal(tell_run(d, "release", first, "").status, 200);
    second = at(claim(d, "q", 1, "0s"), "[0]");
    assert_string_equal(text_at(second, "id"), text_at(first, "id"));
    assert_int_equal(number_at(second, "attempt"), 1); /* the first attempt did not begin */
    assert_true(number_at(second, "fence") > number_at(first, "fence"));
    assert_int_equal(tell_run(d, "complete", first, "").status, 409);
    assert_int_equal(server_stop(d), 0);
}

/* ---- clients that disconnect ---- */

static void reset_connection(int fd)
{
    const struct linger hard = {.l_onoff = 1, .l_linger = 0};

    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard), 0);
    close(fd);
}

static void a_worker_that_leaves_while_it_waits_gets_nothing(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *run;

    make_schedule(d, "work", QUEUED);
    for (int i = 0; i < 2; i++) {
        int fd = wait_for_run(d, "gone", "60s");

        if (i == 0)
            reset_connection(fd);
        else
            close(fd);
    }
    /* The disconnected client may still get the run, but then it is released. */
    trigger(d, "work");
    run = at(claim(d, "q", 1, "30s"), "[0]");
    assert_string_equal(text_at(run, "worker"), "w");
    assert_int_equal(number_at(run, "attempt"), 1);
    assert_int_equal(tell_run(d, "complete", run, "").status, 200);
    assert_int_equal(server_stop(d), 0);
}

static void make_heavy(struct server *d)
{
    static char input[HEAVY_INPUT + 1];

    memset(input, 'x', HEAVY_INPUT);
    make_schedule(d, "heavy",
                  "'action':{'type':'queue','queue':'q','input':{'x':'%s'}},"
                  "'policies':{'overlap':'allowAll'}",
                  input);
    for (int i = 0; i < HEAVY; i++)
        trigger(d, "heavy");
}

/* The answer is larger than the socket buffers, and the client does not read it. */
static void a_grant_that_was_not_delivered_is_ready_at_once(void **state)
{
    struct server *d = server_start(*state, NULL);
    const int little = SMALL_BUFFER;
    int fd;

    make_heavy(d);
    fd = request_begin(d, "POST", CLAIM, "{'queues':['q'],'max':%d,'wait':'5s'}", HEAVY);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &little, sizeof little), 0);
    UNTIL(request_is_answered(fd)); /* the beginning of the answer */
    assert_int_equal(count(claim(d, "q", 1, "0s")), 0);
    reset_connection(fd);
    for (int got = 0; got < HEAVY;) {
        const json_t *runs = claim(d, "q", HEAVY, "30s");

        for (size_t i = 0; i < count(runs); i++)
            assert_int_equal(number_at(json_array_get(runs, i), "attempt"), 1);
        assert_true(count(runs) > 0);
        got += (int)count(runs);
    }
    assert_int_equal(server_stop(d), 0);
}

/* ---- an unavailable server ---- */

static instant lease_of(const struct world *w)
{
    return world_number(w, "SELECT max(lease_until) FROM runs");
}

static void leases_that_expire_in_an_outage_are_not_lost(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(w, NULL);
    const json_t *first, *second;
    instant until;
    int fd;

    make_schedule(d, "a", QUEUED "," SHORT_LEASE);
    make_schedule(d, "b", QUEUED "," SHORT_LEASE);
    trigger(d, "a");
    trigger(d, "b");
    first = at(claim(d, "q", 1, "5s"), "[0]");
    second = at(claim(d, "q", 1, "5s"), "[0]");
    until = lease_of(w);
    server_kill(d);
    UNTIL(clock_now() > until); /* both leases have expired without a heartbeat */
    d = server_restart(d, NULL);
    fd = request_begin(d, "POST", CLAIM, "{'queues':['q'],'wait':'60s'}");
    assert_int_equal(tell_run(d, "heartbeat", first, "").status, 200);
    assert_int_equal(tell_run(d, "complete", second, ",'result':1").status, 200);
    assert_int_equal(tell_run(d, "complete", first, ",'result':1").status, 200);
    assert_false(request_is_answered(fd));
    reset_connection(fd);
    assert_int_equal(world_number(w, "SELECT count(*) FROM history"), 2);
    assert_int_equal(world_number(w, "SELECT max(fence) FROM history"), 1);
    assert_int_equal(world_events(w, "lease.expired"), 0);
    assert_int_equal(server_stop(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(of_two_waiting_workers_one_gets_the_run),
        E2E_TEST(a_waiting_worker_gets_a_run_in_the_turn_that_creates_it),
        E2E_TEST(the_run_of_a_dead_worker_goes_to_another),
        E2E_TEST(heartbeats_keep_a_run),
        E2E_TEST(a_heartbeat_can_extend_the_lease),
        E2E_TEST(a_released_run_is_ready_at_once),
        E2E_TEST(a_worker_that_leaves_while_it_waits_gets_nothing),
        E2E_TEST(a_grant_that_was_not_delivered_is_ready_at_once),
        E2E_TEST(leases_that_expire_in_an_outage_are_not_lost),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
