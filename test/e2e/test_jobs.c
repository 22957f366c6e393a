/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of the jobs API with a worker of an organisation: the organisation is created with its
 * first schedule; the worker waits for its queue, fails a job, and then completes it.
 */
#include "request.h"

#define ORG   "/api/orgs/acme/schedules"
#define CLAIM "/api/v1/queues/claim?namespace=acme"

static struct answer report(struct server *d, const char *verb, const json_t *run)
{
    char path[256];

    snprintf(path, sizeof path, "/api/v1/runs/%s/%s?namespace=acme", text_at(run, "id"), verb);
    return ask(d, "POST", path, "{'fence':%lld}", (long long)number_at(run, "fence"));
}

static void a_worker_of_an_organisation_gets_its_jobs_and_they_are_counted(void **state)
{
    struct server *d = server_start(*state, NULL);
    char path[256], native[256];
    const json_t *made, *run, *seen;
    int fd;

    assert_int_equal(json_array_size(api(d, 200, "GET", ORG, NULL)), 0);
    made = api(d, 201, "POST", ORG,
               "{'name':'Backup','serverInstanceId':'srv-1','cronExpression':'0 2 1 1 *',"
               "'jobType':'backup','payload':{'path':'/srv'},"
               "'retryPolicy':{'maxRetries':1,'backoffMs':10}}");
    snprintf(path, sizeof path, ORG "/%s", text_at(made, "id"));
    snprintf(native, sizeof native, "/api/v1/schedules/%s/trigger?namespace=acme",
             text_at(made, "id"));
    fd = request_begin(d, "POST", CLAIM, "{'queues':['jobs:acme'],'wait':'30s','worker':'w'}");
    api(d, 202, "POST", native, "{}");
    run = at(request_end(d, fd).json, "runs[0]");
    assert_string_equal(text_at(run, "input.jobId"), text_at(run, "id"));
    assert_string_equal(text_at(run, "input.jobRunId"), text_at(run, "id"));
    assert_string_equal(text_at(run, "input.hostId"), "srv-1");
    assert_string_equal(text_at(run, "input.type"), "backup");
    assert_string_equal(text_at(run, "input.payload.path"), "/srv");
    assert_string_equal(text_at(api(d, 200, "GET", path, NULL), "lastRunStatus"), "success");

    assert_int_equal(report(d, "fail", run).status, 200);
    run = at(api(d, 200, "POST", CLAIM, "{'queues':['jobs:acme'],'wait':'30s','worker':'w'}"),
             "runs[0]");
    assert_int_equal(number_at(run, "attempt"), 2);
    assert_int_equal(report(d, "fail", run).status, 200);
    seen = api(d, 200, "GET", path, NULL);
    assert_string_equal(text_at(seen, "lastRunStatus"), "failed");
    assert_int_equal(number_at(seen, "runCount"), 1);
    assert_int_equal(number_at(seen, "failureCount"), 1);
    assert_int_equal(ask(d, "DELETE", path, NULL).status, 204);
    assert_int_equal(server_stop(d), 0);
}

static void a_restart_keeps_the_next_run(void **state)
{
    struct server *d = server_start(*state, NULL);
    char next[64];

    snprintf(next, sizeof next, "%s",
             text_at(api(d, 201, "POST", ORG,
                         "{'name':'n','serverInstanceId':'s','cronExpression':'0 2 1 1 *',"
                         "'jobType':'j'}"),
                     "nextRunAt"));
    assert_int_equal(server_stop(d), 0);
    d = server_start(*state, NULL);
    assert_string_equal(text_at(api(d, 200, "GET", ORG, NULL), "[0].nextRunAt"), next);
    assert_int_equal(server_stop(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(a_worker_of_an_organisation_gets_its_jobs_and_they_are_counted),
        E2E_TEST(a_restart_keeps_the_next_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
