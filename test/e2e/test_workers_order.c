/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of many runs and workers: batches, priorities, namespaces, paused queues.
 */
#include "request.h"

enum {
    BATCH = 1000,
    LARGE = 100,
    LARGE_INPUT = 200 * 1024,
    TEXT_MAX = 512 * 1024,
    LINE_MAX = 256
};

#define CLAIM "/api/v1/queues/claim"

/* Creates `count` schedules whose runs are due now. */
static void make_many(struct server *d, const char *namespace, const char *prefix, int count,
                      const char *policies)
{
    static char text[TEXT_MAX];
    char path[LINE_MAX];
    const json_t *results;
    size_t len = 0;

    for (int i = 0; i < count; i++) {
        int n = snprintf(text + len, sizeof text - len,
                         "%s{'id':'%s%d','spec':{'at':['now']},"
                         "'action':{'type':'queue','queue':'q'},'policies':{%s}}",
                         i > 0 ? "," : "", prefix, i, policies);

        assert_in_range(n, 1, sizeof text - len - 1);
        len += (size_t)n;
    }
    snprintf(path, sizeof path, "/api/v1/bulk/schedules?namespace=%s", namespace);
    results = at(api(d, 200, "POST", path, "{'items':[%s]}", text), "results");
    assert_int_equal(json_array_size(results), count);
    for (int i = 0; i < count; i++)
        assert_string_equal(text_at(json_array_get(results, (size_t)i), "status"), "ok");
}

static int64_t ready(const struct server *d)
{
    return world_number(d->world, "SELECT count(*) FROM runs WHERE state = 3");
}

/* Completes all runs in one request; returns how many were accepted. */
static int complete(struct server *d, const json_t *runs)
{
    static char text[TEXT_MAX];
    const json_t *results;
    size_t len = 0;
    int accepted = 0;

    for (size_t i = 0; i < json_array_size(runs); i++) {
        const json_t *run = json_array_get(runs, i);
        int n = snprintf(text + len, sizeof text - len, "%s{'id':'%s','fence':%lld}",
                         i > 0 ? "," : "", text_at(run, "id"),
                         (long long)number_at(run, "fence"));

        assert_in_range(n, 1, sizeof text - len - 1);
        len += (size_t)n;
    }
    results = at(api(d, 200, "POST", "/api/v1/runs/complete", "{'items':[%s]}", text),
                 "results");
    for (size_t i = 0; i < json_array_size(results); i++)
        accepted += strcmp(text_at(json_array_get(results, i), "status"), "ok") == 0;
    return accepted;
}

/* An answer has room for all of them, but a turn is limited in time and may grant fewer. */
static void a_thousand_runs_are_claimed_in_batches_and_completed_at_once(void **state)
{
    struct server *d = server_start(*state, NULL);
    json_t *runs = world_keep(*state, json_array());

    make_many(d, "default", "s", BATCH, "");
    for (int i = 0; i < TRIES && json_array_size(runs) < BATCH; i++)
        json_array_extend(runs, (json_t *)claim(d, "q", BATCH, "5s"));
    assert_int_equal(json_array_size(runs), BATCH);
    assert_int_equal(complete(d, runs), BATCH);
    assert_int_equal(complete(d, runs), 0); /* already completed */
    assert_int_equal(
        world_number(d->world, "SELECT CAST(sum(succeeded) AS BIGINT) FROM cursors"), BATCH);
    assert_int_equal(world_number(d->world, "SELECT count(*) FROM history"), BATCH);
    assert_int_equal(world_number(d->world, "SELECT count(*) FROM runs"), 0);
    assert_int_equal(server_stop(d), 0);
}

static void claims_of_more_than_a_thousand_are_refused(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct answer answer = ask(d, "POST", CLAIM, "{'queues':['q'],'max':1001}");

    assert_int_equal(answer.status, 400);
    assert_string_equal(text_at(answer.json, "field"), "max");
    assert_int_equal(server_stop(d), 0);
}

static void runs_of_higher_priority_are_granted_first(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *runs;

    make_many(d, "default", "low", 3, "'priority':1");
    make_many(d, "default", "usual", 3, "");
    make_many(d, "default", "high", 3, "'priority':10");
    UNTIL(ready(d) == 9);
    runs = claim(d, "q", 9, "5s");
    assert_int_equal(json_array_size(runs), 9);
    for (size_t i = 0; i < 9; i++)
        assert_memory_equal(text_at(json_array_get(runs, i), "schedule"),
                            i < 3   ? "high"
                            : i < 6 ? "usua"
                                    : "low",
                            3);
    assert_int_equal(server_stop(d), 0);
}

/* Waiting runs of one namespace do not delay the workers of another. */
static void a_namespace_with_many_runs_does_not_delay_another(void **state)
{
    struct server *d = server_start(*state, NULL);
    const char *const claims[] = {CLAIM "?namespace=much", CLAIM "?namespace=little"};
    struct answer answers[2];
    int fds[2];

    api(d, 201, "PUT", "/api/v1/namespaces/much", "{}");
    api(d, 201, "PUT", "/api/v1/namespaces/little", "{}");
    make_many(d, "much", "a", BATCH, "'priority':10");
    make_many(d, "little", "b", 2, "'priority':1");
    UNTIL(ready(d) == BATCH + 2);
    for (int i = 0; i < 2; i++)
        fds[i] = request_begin(d, "POST", claims[i], "{'queues':['q'],'max':2,'wait':'30s'}");
    for (int i = 0; i < 2; i++) {
        answers[i] = request_end(d, fds[i]);
        assert_int_equal(json_array_size(at(answers[i].json, "runs")), 2);
    }
    assert_string_equal(text_at(answers[0].json, "runs[0].namespace"), "much");
    assert_string_equal(text_at(answers[1].json, "runs[0].namespace"), "little");
    assert_int_equal(server_stop(d), 0);
}

/* All workers that wait for a queue get some runs before one gets all. */
static void waiting_workers_share_new_runs(void **state)
{
    struct server *d = server_start(*state, NULL);
    size_t got[2];
    int fds[2];

    claim(d, "q", 1, "0s");
    for (int i = 0; i < 2; i++)
        fds[i] = request_begin(d, "POST", CLAIM, "{'queues':['q'],'max':1000,'wait':'30s'}");
    claim(d, "other", 1, "0s"); /* answered after two turns: both wait */
    claim(d, "other", 1, "0s");
    make_many(d, "default", "s", 100, "");
    for (int i = 0; i < 2; i++) {
        got[i] = json_array_size(at(request_end(d, fds[i]).json, "runs"));
        assert_true(got[i] > 0);
    }
    assert_int_equal(got[0] + got[1] + (size_t)ready(d), 100);
    assert_int_equal(server_stop(d), 0);
}

/* More than one answer and more than one read of the database can hold. */
static void large_inputs_are_granted_in_several_answers(void **state)
{
    struct server *d = server_start(*state, NULL);
    static char input[LARGE_INPUT + 1];
    size_t got = 0;

    memset(input, 'x', LARGE_INPUT);
    make_schedule(d, "large",
                  "'action':{'type':'queue','queue':'q'},'policies':{'overlap':'allowAll'}");
    for (int i = 0; i < LARGE; i++)
        api(d, 202, "POST", "/api/v1/schedules/large/trigger", "{'input':{'x':'%s'}}", input);
    for (int i = 0; i < TRIES && got < LARGE; i++) {
        const json_t *runs = claim(d, "q", BATCH, "5s");

        got += json_array_size(runs);
        if (json_array_size(runs) > 0)
            assert_int_equal(complete(d, runs), (int)json_array_size(runs));
    }
    assert_int_equal(got, LARGE);
    assert_false(server_has_logged(d, "level=error"));
    assert_int_equal(ask(d, "GET", "/readyz", NULL).status, 200);
    assert_int_equal(server_stop(d), 0);
}

static void a_paused_queue_grants_nothing_until_it_is_resumed(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct answer answer;
    int fd;

    api(d, 404, "POST", "/api/v1/queues/q/pause", NULL);
    make_many(d, "default", "s", 1, "");
    UNTIL(ready(d) == 1);
    assert_true(
        json_is_true(at(api(d, 200, "POST", "/api/v1/queues/q/pause", NULL), "paused")));
    assert_int_equal(json_array_size(claim(d, "q", 1, "0s")), 0);
    fd = request_begin(d, "POST", CLAIM, "{'queues':['q'],'wait':'30s'}");
    make_many(d, "default", "t", 1, "");
    UNTIL(ready(d) == 2);
    assert_false(request_is_answered(fd));
    api(d, 200, "POST", "/api/v1/queues/q/resume", NULL);
    answer = request_end(d, fd);
    assert_int_equal(json_array_size(at(answer.json, "runs")), 1);
    assert_int_equal(json_array_size(claim(d, "q", 2, "5s")), 1);
    assert_int_equal(server_stop(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(a_thousand_runs_are_claimed_in_batches_and_completed_at_once),
        E2E_TEST(claims_of_more_than_a_thousand_are_refused),
        E2E_TEST(runs_of_higher_priority_are_granted_first),
        E2E_TEST(a_namespace_with_many_runs_does_not_delay_another),
        E2E_TEST(waiting_workers_share_new_runs),
        E2E_TEST(large_inputs_are_granted_in_several_answers),
        E2E_TEST(a_paused_queue_grants_nothing_until_it_is_resumed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
