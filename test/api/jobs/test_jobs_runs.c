/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runs of the jobs API: window, flow, failure table, telemetry, retry policy.
 *
 * Each test is a row of test/mission/jobs.txt; its name begins with the subject.  Times follow
 * from the clock, which starts on Monday, 2026-01-05T10:00:00Z.
 */
#include "jobs.h"

/* ---- the flow ---- */

static void flow_a_fire_puts_a_job_on_the_queue_of_its_organisation(void **state)
{
    char id[64];

    (void)state;
    created(",'payload':{'path':'/srv','n':[1,null]}");
    pass_time(SPAN_H);
    assert_int_equal(claim("acme"), 1);
    assert_json("runs.0.queue", "'jobs:acme'");
    assert_json("runs.0.action", "{'type':'queue','kind':'backup'}");
    snprintf(id, sizeof id, "%s", json_at("runs.0.id"));
    assert_json("runs.0.input.jobId", id);
    assert_json("runs.0.input.jobRunId", id);
    assert_json("runs.0.input.hostId", "'srv-1'");
    assert_json("runs.0.input.type", "'backup'");
    assert_json("runs.0.input.payload", "{'path':'/srv','n':[1,null]}");
}

static void flow_each_organisation_has_a_queue_of_its_own(void **state)
{
    (void)state;
    created("");
    assert_int_equal(
        post("/api/orgs/other/schedules", js("{'name':'n','serverInstanceId':'s','jobType':'j',"
                                             "'cronExpression':'0 * * * *'}")),
        201);
    pass_time(SPAN_H);
    assert_int_equal(claim("other"), 1);
    assert_json("runs.0.input.hostId", "'s'");
    assert_int_equal(claim("other"), 0);
    assert_int_equal(claim("acme"), 1);
}

static void flow_slots_during_a_downtime_are_not_caught_up(void **state)
{
    const char *path = created("");

    (void)state;
    world.now += 3 * SPAN_H + 30 * SPAN_MIN; /* the server was down */
    pass_time(0);
    assert_int_equal(claim("acme"), 0);
    get(path);
    assert_json("nextRunAt", "'2026-01-05T14:00:00.000Z'");
    pass_time(30 * SPAN_MIN);
    assert_int_equal(claim("acme"), 1);
}

/* ---- the window ---- */

static void assert_next(const char *cron, const char *from, const char *to, const char *next)
{
    assert_int_equal(post(ORG, js("{'name':'n','serverInstanceId':'s','jobType':'j',"
                                  "'cronExpression':'%s','executionWindowStart':'%s',"
                                  "'executionWindowEnd':'%s'}",
                                  cron, from, to)),
                     201);
    assert_json("nextRunAt", next);
}

static void window_a_run_outside_goes_to_the_next_start_of_the_window(void **state)
{
    (void)state;
    assert_next("0 * * * *", "02:00", "06:00", "'2026-01-06T02:00:00.000Z'");
    assert_next("0 * * * *", "12:30", "14:00", "'2026-01-05T12:30:00.000Z'");
    assert_next("0 12 * * *", "02:15", "06:00", "'2026-01-06T02:15:00.000Z'");
}

static void window_both_ends_are_inside(void **state)
{
    (void)state;
    assert_next("0 11 * * *", "11:00", "12:00", "'2026-01-05T11:00:00.000Z'");
    assert_next("0 11 * * *", "10:30", "11:00", "'2026-01-05T11:00:00.000Z'");
}

static void window_overnight_a_run_inside_stays_where_it_is(void **state)
{
    (void)state;
    assert_next("0 23 * * *", "22:00", "06:00", "'2026-01-05T23:00:00.000Z'");
    assert_next("0 3 * * *", "22:00", "06:00", "'2026-01-06T03:00:00.000Z'");
    assert_next("0 12 * * *", "22:00", "06:00", "'2026-01-05T22:00:00.000Z'");
}

static void window_has_two_ends_that_are_times_of_day(void **state)
{
    (void)state;
    assert_int_equal(create(",'executionWindowStart':'02:00'"), 400);
    assert_json("field", "'executionWindowEnd'");
    assert_int_equal(create(",'executionWindowEnd':'02:00'"), 400);
    assert_json("field", "'executionWindowStart'");
    assert_int_equal(create(",'executionWindowStart':'24:00','executionWindowEnd':'02:00'"),
                     400);
    assert_json("field", "'executionWindowStart'");
    assert_int_equal(create(",'executionWindowStart':'2:00','executionWindowEnd':'06:00'"),
                     400);
    assert_int_equal(create(",'executionWindowStart':'02:00','executionWindowEnd':'06:60'"),
                     400);
    assert_json("field", "'executionWindowEnd'");
}

/* ---- the failure table ---- */

static void failure_a_cron_that_cannot_be_read_is_refused_and_nothing_is_kept(void **state)
{
    (void)state;
    assert_int_equal(post(ORG, js("{'name':'n','serverInstanceId':'s','jobType':'j',"
                                  "'cronExpression':'61 2 * * *'}")),
                     400);
    assert_json("code", "'invalid_field'");
    assert_json("field", "'cronExpression'");
    get(ORG);
    assert_json("", "[]");
}

static void failure_a_cron_without_a_next_time_has_no_next_run(void **state)
{
    (void)state;
    assert_int_equal(post(ORG, js("{'name':'n','serverInstanceId':'s','jobType':'j',"
                                  "'cronExpression':'0 0 31 2 *'}")),
                     201);
    assert_json("nextRunAt", "null");
}

/* The worker fails every attempt: one failure is counted, and the next slot runs. */
static void failure_a_job_that_fails_counts_once_and_the_next_run_comes(void **state)
{
    const char *path = created(",'retryPolicy':{'maxRetries':0}");

    (void)state;
    pass_time(SPAN_H);
    assert_int_equal(claim("acme"), 1);
    report("fail");
    get(path);
    assert_json("lastRunStatus", "'failed'");
    assert_json("failureCount", "1");
    assert_json("runCount", "1");
    assert_json("nextRunAt", "'2026-01-05T12:00:00.000Z'");
    pass_time(SPAN_H);
    assert_int_equal(claim("acme"), 1);
    report("complete");
    get(path);
    assert_json("lastRunStatus", "'success'");
    assert_json("failureCount", "1");
    assert_json("runCount", "2");
}

/*
 * Jobs may overlap, so none is ever dropped; a policy that only the native API can set makes
 * them run one after the other, with at most one waiting.
 */
static void failure_a_job_that_cannot_be_made_is_scheduler_failed_and_the_next_comes(
    void **state)
{
    const char *path = created("");

    (void)state;
    assert_int_equal(ask(js("PATCH /api/v1/schedules/%s?namespace=acme", path + sizeof ORG),
                         "Content-Type: application/merge-patch+json\r\n",
                         js("{'policies':{'overlap':'bufferAll','bufferLimit':1,"
                            "'catchup':{'whenFull':'drop'}}}")),
                     200);
    for (int i = 0; i < 3; i++)
        pass_time(SPAN_H); /* the first waits for a worker, the second for the first */
    get(path);
    assert_json("lastRunStatus", "'scheduler_failed'");
    assert_json("lastRunAt", "'2026-01-05T11:00:00.000Z'");
    assert_json("nextRunAt", "'2026-01-05T14:00:00.000Z'");
    assert_json("runCount", "1");
    assert_json("failureCount", "1"); /* once */
    assert_int_equal(claim("acme"), 1);
    report("complete");
    pass_time(SPAN_S);
    assert_int_equal(claim("acme"), 1); /* the one of 12:00 */
    report("complete");
    pass_time(SPAN_H - SPAN_S);
    get(path);
    assert_json("lastRunStatus", "'success'");
    assert_json("lastRunAt", "'2026-01-05T14:00:00.000Z'");
    assert_json("runCount", "3");
    assert_json("failureCount", "1");
}

/* A worker that dies sends no heartbeats: its lease ends, and another attempt starts. */
static void failure_a_worker_that_falls_silent_loses_the_job_to_another(void **state)
{
    char id[64];

    (void)state;
    created("");
    pass_time(SPAN_H);
    assert_int_equal(claim("acme"), 1);
    snprintf(id, sizeof id, "%s", json_at("runs.0.id"));
    for (int i = 0; i < 60; i++)
        pass_time(5 * SPAN_S); /* in steps: after its own downtime the server extends leases */
    assert_int_equal(claim("acme"), 1);
    assert_json("runs.0.id", id);
    assert_json("runs.0.input.jobId", id);
}

/* ---- telemetry ---- */

static void telemetry_of_a_fire(void **state)
{
    const char *path = created("");
    char id[64];

    (void)state;
    pass_time(SPAN_H);
    get(path);
    assert_json("lastRunAt", "'2026-01-05T11:00:00.000Z'");
    assert_json("nextRunAt", "'2026-01-05T12:00:00.000Z'");
    assert_json("lastRunStatus", "'success'"); /* it is queued */
    assert_json("runCount", "1");
    assert_json("failureCount", "0");
    snprintf(id, sizeof id, "%s", json_at("lastRunJobId"));
    assert_int_equal(claim("acme"), 1);
    assert_json("runs.0.input.jobId", id);
    pass_time(SPAN_H);
    get(path);
    assert_json("runCount", "2");
    assert_string_not_equal(json_at("lastRunJobId"), id);
}

static void telemetry_a_slot_that_somebody_cancelled_is_skipped(void **state)
{
    const char *path = created("");
    const char *id = path + sizeof ORG;

    (void)state;
    assert_int_equal(post(js("/api/v1/schedules/%s/skip-next?namespace=acme", id), "{}"), 200);
    pass_time(SPAN_H);
    get(path);
    assert_json("lastRunStatus", "'skipped'");
    assert_json("runCount", "0");
    assert_json("failureCount", "0");
    pass_time(SPAN_H);
    get(path);
    assert_json("lastRunStatus", "'success'");
}

/* ---- the retry policy ---- */

/* Fails a job until no worker gets it again: the waits in between, in milliseconds. */
static const char *waits_of(const char *policy)
{
    static char text[256];
    struct buf out = BUF(text);

    created(policy);
    pass_time(SPAN_H);
    buf_text(&out, "");
    while (claim("acme") == 1) {
        span waited = 0;

        report("fail");
        while (waited <= 10 * SPAN_S && claim("acme") == 0) {
            pass_time(500 * SPAN_MS);
            waited += 500 * SPAN_MS;
        }
        if (waited > 10 * SPAN_S)
            break;
        buf_printf(&out, "%d ", (int)(waited / SPAN_MS));
        assert_int_equal(json_array_size(json_object_get(world.json, "runs")), 1);
        report("release"); /* for the claim of the next round */
    }
    assert_false(out.cut);
    return text;
}

static void retry_without_a_policy_there_are_three_attempts_two_seconds_apart(void **state)
{
    (void)state;
    assert_string_equal(waits_of(""), "2000 2000 ");
}

static void retry_attempts_are_max_retries_and_one(void **state)
{
    (void)state;
    assert_string_equal(waits_of(",'retryPolicy':{'maxRetries':4,'backoffMs':500}"),
                        "500 500 500 500 ");
}

static void retry_an_exponential_backoff_doubles(void **state)
{
    (void)state;
    assert_string_equal(waits_of(",'retryPolicy':{'maxRetries':4,'backoffMs':1000,"
                                 "'backoffType':'exponential'}"),
                        "1000 2000 4000 8000 ");
}

static void retry_a_policy_that_is_wrong_is_refused(void **state)
{
    (void)state;
    assert_int_equal(create(",'retryPolicy':{'maxRetries':-1}"), 400);
    assert_json("field", "'retryPolicy.maxRetries'");
    assert_int_equal(create(",'retryPolicy':{'maxRetries':1000}"), 400);
    assert_int_equal(create(",'retryPolicy':{'backoffMs':'soon'}"), 400);
    assert_json("field", "'retryPolicy.backoffMs'");
    assert_int_equal(create(",'retryPolicy':{'backoffType':'linear'}"), 400);
    assert_json("field", "'retryPolicy.backoffType'");
    assert_int_equal(create(",'retryPolicy':3"), 400);
    assert_json("field", "'retryPolicy'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(flow_a_fire_puts_a_job_on_the_queue_of_its_organisation),
        API_TEST(flow_each_organisation_has_a_queue_of_its_own),
        API_TEST(flow_slots_during_a_downtime_are_not_caught_up),
        API_TEST(window_a_run_outside_goes_to_the_next_start_of_the_window),
        API_TEST(window_both_ends_are_inside),
        API_TEST(window_overnight_a_run_inside_stays_where_it_is),
        API_TEST(window_has_two_ends_that_are_times_of_day),
        API_TEST(failure_a_cron_that_cannot_be_read_is_refused_and_nothing_is_kept),
        API_TEST(failure_a_cron_without_a_next_time_has_no_next_run),
        API_TEST(failure_a_job_that_fails_counts_once_and_the_next_run_comes),
        API_TEST(failure_a_job_that_cannot_be_made_is_scheduler_failed_and_the_next_comes),
        API_TEST(failure_a_worker_that_falls_silent_loses_the_job_to_another),
        API_TEST(telemetry_of_a_fire),
        API_TEST(telemetry_a_slot_that_somebody_cancelled_is_skipped),
        API_TEST(retry_without_a_policy_there_are_three_attempts_two_seconds_apart),
        API_TEST(retry_attempts_are_max_retries_and_one),
        API_TEST(retry_an_exponential_backoff_doubles),
        API_TEST(retry_a_policy_that_is_wrong_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
