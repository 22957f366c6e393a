/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of two servers on one PostgreSQL database.
 */
#include <signal.h>

#include "db/db.h"
#include "peers/listen.h"
#include "peers/receiver.h"

enum { CALLS = 40, TEXT_MAX = 256, TURNS = 20 };

#define QUEUED  "'action':{'type':'queue','queue':'q'}"
#define CALLING "'action':{'type':'http','url':'http://127.0.0.1:%u/'}"
#define CLAIM   "/api/v1/queues/claim"

/* A node that is only slow must not count as dead on a busy machine. */
static const struct server_start calling = {
    .args = WORDS("--http-allow-private", "--node-lease", "8s", "--http-concurrency", "1")};

static void a_worker_gets_a_run_that_another_node_made_ready(void **state)
{
    struct world *w = *state;
    struct server *a = server_start(w, NULL), *b = server_start(w, NULL);
    struct answer answer;
    const json_t *run;
    int fd;

    make_schedule(a, "work", QUEUED);
    fd = request_begin(b, "POST", CLAIM, "{'queues':['q'],'wait':'30s','worker':'b'}");
    claim(b, "other", 1, "0s"); /* sent later, so the worker waits */
    trigger(a, "work");
    answer = request_end(b, fd);
    run = at(answer.json, "runs[0]");
    assert_string_equal(text_at(run, "worker"), "b");
    assert_int_equal(json_array_size(claim(a, "q", 1, "0s")), 0);
    assert_int_equal(tell_run(a, "complete", run, "").status, 200); /* any node accepts it */
    assert_int_equal(tell_run(b, "complete", run, "").status, 409);
    assert_int_equal(number_at(schedule_state(b, "work"), "counters.succeeded"), 1);
    assert_int_equal(server_stop(a), 0);
    assert_int_equal(server_stop(b), 0);
}

/* A change on one node is visible on the other: both use the same database. */
static void a_namespace_of_one_node_is_known_to_the_other(void **state)
{
    struct world *w = *state;
    struct server *a = server_start(w, NULL), *b = server_start(w, NULL);

    api(a, 201, "PUT", "/api/v1/namespaces/other", "{}");
    api(b, 201, "POST", "/api/v1/schedules?namespace=other", "{'id':'work'," QUEUED "}");
    api(a, 200, "GET", "/api/v1/schedules/work?namespace=other", NULL);
    api(a, 404, "GET", "/api/v1/schedules/work", NULL);
    assert_int_equal(server_stop(a), 0);
    assert_int_equal(server_stop(b), 0);
}

static void both_nodes_make_calls_and_none_is_made_twice(void **state)
{
    struct world *w = *state;
    struct server *a = server_start(w, &calling), *b = server_start(w, &calling);
    struct receiver r;

    receiver_open(&r);
    make_schedule(a, "call", CALLING ",'policies':{'overlap':'allowAll'}", r.port);
    for (int i = 0; i < CALLS; i++)
        trigger(i % 2 == 0 ? a : b, "call");
    for (int i = 0; i < CALLS; i++) {
        struct received_request request;

        receiver_take(&r, &request);
        receiver_answer(&request, "200 OK", "{}");
    }
    UNTIL(world_number(w, "SELECT succeeded FROM cursors") == CALLS);
    assert_false(receiver_has(&r));
    assert_int_equal(world_number(w, "SELECT count(*) FROM history"), CALLS);
    assert_int_equal(world_number(w, "SELECT count(DISTINCT node) FROM history"), 2);
    receiver_close(&r);
    assert_int_equal(server_stop(a), 0);
    assert_int_equal(server_stop(b), 0);
}

static void the_calls_of_a_dead_node_are_taken_over(void **state)
{
    struct world *w = *state;
    struct server *a = server_start(w, &calling), *b;
    char key[TEXT_MAX];
    struct receiver r;
    struct received_request request;

    receiver_open(&r);
    make_schedule(a, "call", CALLING, r.port); /* overlap: skip */
    trigger(a, "call");
    receiver_take(&r, &request);
    snprintf(key, sizeof key, "%s", received_field(&request, "idempotency-key"));
    b = server_start(w, &calling);
    server_kill(a);
    close(request.fd);
    trigger(b, "call"); /* a run is open, so this one is skipped */
    receiver_take(&r, &request);
    assert_string_equal(received_field(&request, "idempotency-key"), key);
    assert_true(strtol(received_field(&request, "belfry-fence"), NULL, 10) > 1);
    receiver_answer(&request, "200 OK", "{}");
    UNTIL(world_number(w, "SELECT succeeded FROM cursors") == 1);
    assert_int_equal(world_number(w, "SELECT count(*) FROM runs"), 0);
    assert_int_equal(world_number(w, "SELECT started + skipped FROM cursors"), 2);
    assert_int_equal(world_number(w, "SELECT skipped FROM cursors"), 1);
    assert_false(receiver_has(&r));
    assert_int_equal(world_events(w, "node.down"), 1);
    receiver_close(&r);
    assert_int_equal(server_stop(b), 0);
}

/* Slots belong to the schedule, not to a node. */
static void slots_continue_when_a_node_dies_and_none_starts_twice(void **state)
{
    struct world *w = *state;
    struct server *a = server_start(w, &calling), *b = server_start(w, &calling);

    make_schedule(a, "tick",
                  "'spec':{'intervals':[{'every':'1s'}]}," QUEUED
                  ",'policies':{'overlap':'allowAll','catchup':{'mode':'all'}}");
    UNTIL(world_number(w, "SELECT started FROM cursors") >= 2);
    server_kill(a);
    UNTIL(world_number(w, "SELECT started FROM cursors") >= 5);
    assert_int_equal(world_number(w, "SELECT mark / 1000000 - (SELECT created_at FROM "
                                     "schedules) / 1000000 - started FROM cursors"),
                     0);
    assert_int_equal(server_stop(b), 0);
}

static void a_stream_has_the_events_of_both_nodes(void **state)
{
    struct world *w = *state;
    struct server *a = server_start(w, NULL), *b = server_start(w, NULL);
    struct listener *l = listen_open(b, "/api/v1/events?type=schedule.*", NULL), *again;

    listen_await(l, 1);
    make_schedule(a, "of-a", QUEUED);
    listen_await(l, 2);
    assert_string_equal(text_at(l->events[1].data, "schedule"), "of-a");
    make_schedule(b, "of-b", QUEUED);
    listen_await(l, 3);
    assert_string_equal(text_at(l->events[2].data, "schedule"), "of-b");
    assert_string_not_equal(text_at(l->events[1].data, "node"),
                            text_at(l->events[2].data, "node"));
    make_schedule(a, "last", QUEUED);
    again = listen_open(a, "/api/v1/events?type=schedule.*",
                        listen_last_id(l)); /* any node can resume it */
    listen_await(again, 2);
    assert_string_equal(text_at(again->events[1].data, "schedule"), "last");
    listen_close(l);
    listen_close(again);
    assert_int_equal(server_stop(a), 0);
    assert_int_equal(server_stop(b), 0);
}

/* Holds the rows like a slow turn of another node. */
static struct db *hold_cursors(const struct world *w)
{
    struct db *db;
    struct err err;

    assert_int_equal(db_open(w->url, &(struct db_options){0}, &db, &err), RC_OK);
    db_begin(db);
    /* Without it, PostgreSQL ends a session that is idle for ten seconds. */
    assert_int_equal(
        db_exec(db, STR("SET LOCAL idle_in_transaction_session_timeout = 0"), &err), RC_OK);
    assert_int_equal(db_exec(db, STR("SELECT id FROM cursors FOR UPDATE"), &err), RC_OK);
    return db;
}

static void a_drain_waits_for_a_row_that_another_node_holds(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(
        w, &(struct server_start){.args = WORDS("--http-allow-private", "--drain", "1h")});
    struct receiver r;
    struct received_request request;
    struct db *other;
    int64_t turn;

    receiver_open(&r);
    make_schedule(d, "call", CALLING, r.port);
    trigger(d, "call");
    receiver_take(&r, &request);
    other = hold_cursors(w);
    server_signal(d, SIGTERM);
    server_await(d, "msg=draining");
    receiver_answer(&request, "200 OK", "{}");
    turn = world_number(w, "SELECT turn FROM nodes");
    UNTIL(world_number(w, "SELECT turn FROM nodes") >= turn + TURNS);
    db_close(other);
    assert_int_equal(server_wait(d), 0);
    assert_int_equal(world_number(w, "SELECT succeeded FROM cursors"), 1);
    receiver_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(a_worker_gets_a_run_that_another_node_made_ready),
        E2E_TEST(a_namespace_of_one_node_is_known_to_the_other),
        E2E_TEST(both_nodes_make_calls_and_none_is_made_twice),
        E2E_TEST(the_calls_of_a_dead_node_are_taken_over),
        E2E_TEST(slots_continue_when_a_node_dies_and_none_starts_twice),
        E2E_TEST(a_drain_waits_for_a_row_that_another_node_holds),
        E2E_TEST(a_stream_has_the_events_of_both_nodes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
