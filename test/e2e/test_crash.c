/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of kill -9: acknowledged changes are durable, and running work is resumed once.
 */
#include <signal.h>

#include "peers/receiver.h"
#include "request.h"

enum { CYCLES = 5, CREATES = 10, IN_FLIGHT = 4, TEXT_MAX = 256 };

#define QUEUED "'action':{'type':'queue','queue':'q'}"

static void assert_exist(struct server *d, int last)
{
    for (int i = 0; i < last; i++) {
        char path[TEXT_MAX];

        snprintf(path, sizeof path, "/api/v1/schedules/s%d", i);
        api(d, 200, "GET", path, NULL);
    }
}

static void acknowledged_changes_survive_a_kill(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(w, NULL);
    int made = 0;

    for (int cycle = 0; cycle < CYCLES; cycle++) {
        int fds[IN_FLIGHT];
        int64_t acknowledged;

        for (int i = 0; i < CREATES; i++) {
            char id[TEXT_MAX];

            snprintf(id, sizeof id, "s%d", made++);
            make_schedule(d, id, QUEUED);
        }
        /* These may or may not be created, but an acknowledged one must be. */
        for (int i = 0; i < IN_FLIGHT; i++)
            fds[i] = request_begin(d, "POST", "/api/v1/schedules", "{'id':'f%d-%d'," QUEUED "}",
                                   cycle, i);
        server_kill(d);
        acknowledged = 0;
        for (int i = 0; i < IN_FLIGHT; i++)
            acknowledged += request_end(d, fds[i]).status == 201;
        d = server_restart(d, NULL);
        assert_exist(d, made);
        assert_true(world_number(w, "SELECT count(*) FROM schedules WHERE name LIKE 'f%'") >=
                    acknowledged);
    }
    assert_int_equal(server_stop(d), 0);
}

/* A node with the same name and boot id, on the same machine, takes its runs back at once. */
static void a_call_of_a_killed_server_is_made_again_under_a_new_fence(void **state)
{
    struct world *w = *state;
    const struct server_start start = {
        .args = WORDS("--http-allow-private", "--node-lease", "2s")};
    struct server *d = server_start(w, &start);
    char key[TEXT_MAX];
    struct receiver r;
    struct received_request request;

    receiver_open(&r);
    make_schedule(d, "call", "'action':{'type':'http','url':'http://127.0.0.1:%u/'}", r.port);
    trigger(d, "call");
    receiver_take(&r, &request);
    snprintf(key, sizeof key, "%s", received_field(&request, "idempotency-key"));
    assert_string_equal(received_field(&request, "belfry-fence"), "1");
    server_kill(d);
    close(request.fd);
    d = server_restart(d, &start);
    receiver_take(&r, &request);
    assert_string_equal(received_field(&request, "idempotency-key"), key);
    assert_string_not_equal(received_field(&request, "belfry-fence"), "1");
    receiver_answer(&request, "200 OK", "{}");
    UNTIL(number_at(schedule_state(d, "call"), "counters.succeeded") == 1);
    assert_int_equal(world_number(w, "SELECT count(*) FROM runs"), 0);
    assert_false(receiver_has(&r));
    receiver_close(&r);
    assert_int_equal(server_stop(d), 0);
}

/* At most once: the result of the call is unknown, and so is its outcome. */
static void an_at_most_once_call_is_not_repeated_after_a_kill(void **state)
{
    struct world *w = *state;
    const struct server_start start = {
        .args = WORDS("--http-allow-private", "--node-lease", "2s")};
    struct server *d = server_start(w, &start);
    struct receiver r;
    struct received_request request;
    char path[TEXT_MAX];

    receiver_open(&r);
    make_schedule(d, "call",
                  "'action':{'type':'http','url':'http://127.0.0.1:%u/'},"
                  "'policies':{'delivery':'atMostOnce'}",
                  r.port);
    snprintf(path, sizeof path, "/api/v1/runs/%s", trigger(d, "call"));
    receiver_take(&r, &request);
    server_kill(d);
    close(request.fd);
    d = server_restart(d, &start);
    UNTIL(strcmp(text_at(api(d, 200, "GET", path, NULL), "state"), "ended") == 0);
    assert_string_equal(text_at(api(d, 200, "GET", path, NULL), "outcome"), "unknown");
    assert_false(receiver_has(&r));
    receiver_close(&r);
    assert_int_equal(server_stop(d), 0);
}

/* The number in a file; 0: not written yet. */
static long number_in(const char *path)
{
    FILE *file = fopen(path, "r");
    char text[64];
    long number = 0;

    if (!file)
        return 0;
    if (fgets(text, sizeof text, file))
        number = strtol(text, NULL, 10);
    fclose(file);
    return number;
}

/* A program dies with the server that started it, and the next server starts it again. */
static void a_program_does_not_outlive_a_killed_server(void **state)
{
    struct world *w = *state;
    const struct server_start start = {.args = WORDS("--exec", "--node-lease", "2s")};
    struct server *d = server_start(w, &start);
    const char *mark = world_path(w, "pids");
    long pid;

    make_schedule(d, "x",
                  "'action':{'type':'exec','argv':['/bin/sh','-c',"
                  "'echo $$ >> %s; exec sleep 600']}",
                  mark);
    trigger(d, "x");
    UNTIL((pid = number_in(mark)) > 1);
    server_kill(d);
    UNTIL(kill((pid_t)pid, 0) != 0);
    d = server_restart(d, &start);
    UNTIL(world_number(w, "SELECT max(fence) FROM runs") > 1);
    server_signal(d, SIGTERM);
    server_await(d, "msg=draining");
    assert_int_equal(server_stop(d), 0); /* the second SIGTERM ends it at once */
    assert_true(server_has_logged(d, "second stop signal; releasing runs"));
    assert_false(server_has_logged(d, "drain timed out"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(acknowledged_changes_survive_a_kill),
        E2E_TEST(a_call_of_a_killed_server_is_made_again_under_a_new_fence),
        E2E_TEST(an_at_most_once_call_is_not_repeated_after_a_kill),
        E2E_TEST(a_program_does_not_outlive_a_killed_server),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
