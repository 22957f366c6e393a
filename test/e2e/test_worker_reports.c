/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of the reports of workers about their runs, and of the server's answers.
 */
#include "request.h"

enum { LINE_MAX = 256 };

#define QUEUED "'action':{'type':'queue','queue':'q'}"

/* Creates a schedule, triggers it and claims its run. */
static const json_t *claim_new_run(struct server *d)
{
    make_schedule(d, "work", QUEUED);
    trigger(d, "work");
    return at(claim(d, "q", 1, "5s"), "[0]");
}

static const json_t *show(struct server *d, const json_t *run, const char *what)
{
    char path[LINE_MAX];

    snprintf(path, sizeof path, "/api/v1/runs/%s%s", text_at(run, "id"), what);
    return api(d, 200, "GET", path, NULL);
}

static void post_to_run(struct server *d, const json_t *run, const char *verb, int status)
{
    char path[LINE_MAX];

    snprintf(path, sizeof path, "/api/v1/runs/%s/%s", text_at(run, "id"), verb);
    api(d, status, "POST", path, NULL);
}

static void progress_and_log_lines_are_shown_during_and_after_the_run(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *run = claim_new_run(d), *shown;
    struct answer answer;

    assert_string_equal(text_at(show(d, run, ""), "state"), "leased");
    answer = tell_run(d, "heartbeat", run,
                      ",'progress':{'text':'half','percent':50},'log':['one','two']");
    assert_int_equal(answer.status, 200);
    shown = show(d, run, "");
    assert_string_equal(text_at(shown, "state"), "running");
    assert_string_equal(text_at(shown, "progress.text"), "half");
    assert_int_equal(number_at(shown, "progress.percent"), 50);
    shown = show(d, run, "/logs");
    assert_string_equal(text_at(shown, "lines[0].text"), "one");
    assert_string_equal(text_at(shown, "lines[1].text"), "two");
    assert_string_equal(text_at(shown, "lines[1].stream"), "worker");

    answer = tell_run(d, "complete", run,
                      ",'result':{'rows':7},'summary':'all is well','log':['three']");
    assert_int_equal(answer.status, 200);
    shown = show(d, run, "");
    assert_string_equal(text_at(shown, "state"), "ended");
    assert_string_equal(text_at(shown, "outcome"), "succeeded");
    assert_int_equal(number_at(shown, "result.rows"), 7);
    assert_string_equal(text_at(shown, "summary"), "all is well");
    shown = show(d, run, "/logs");
    assert_int_equal(json_array_size(at(shown, "lines")), 3);
    assert_string_equal(text_at(shown, "lines[2].text"), "three");
    assert_int_equal(server_stop(d), 0);
}

static void a_failure_is_stored_and_retried(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *run;

    make_schedule(d, "work", QUEUED ",'policies':{'retry':{'attempts':3,'delay':'1s'}}");
    trigger(d, "work");
    run = at(claim(d, "q", 1, "5s"), "[0]");
    assert_int_equal(
        tell_run(d, "fail", run, ",'error':{'code':'busy','message':'m'},'retryAfter':'0s'")
            .status,
        200);
    run = at(claim(d, "q", 1, "30s"), "[0]");
    assert_int_equal(number_at(run, "attempt"), 2);
    assert_int_equal(
        tell_run(d, "fail", run, ",'error':{'code':'bad','message':'no','retryable':false}")
            .status,
        200);
    run = show(d, run, "");
    assert_string_equal(text_at(run, "outcome"), "failed");
    assert_string_equal(text_at(run, "error.code"), "bad");
    assert_string_equal(text_at(run, "error.message"), "no");
    assert_int_equal(number_at(schedule_state(d, "work"), "counters.failed"), 1);
    assert_int_equal(server_stop(d), 0);
}

static void a_cancel_reaches_the_worker_by_its_heartbeat(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *run = claim_new_run(d);
    struct answer answer = tell_run(d, "heartbeat", run, "");

    assert_null(json_object_get(answer.json, "cancelled"));
    post_to_run(d, run, "cancel", 202);
    answer = tell_run(d, "heartbeat", run, "");
    assert_int_equal(answer.status, 200);
    assert_true(json_is_true(at(answer.json, "cancelled")));
    assert_int_equal(tell_run(d, "fail", run, ",'error':{'code':'cancelled'}").status, 200);
    assert_string_equal(text_at(show(d, run, ""), "outcome"), "cancelled");
    assert_int_equal(server_stop(d), 0);
}

static void a_terminated_run_has_ended_at_once(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *run = claim_new_run(d);

    post_to_run(d, run, "terminate", 200);
    assert_string_equal(text_at(show(d, run, ""), "outcome"), "terminated");
    assert_int_equal(tell_run(d, "heartbeat", run, "").status, 409);
    assert_int_equal(tell_run(d, "complete", run, "").status, 409);
    assert_string_equal(text_at(show(d, run, ""), "outcome"), "terminated");
    assert_int_equal(world_number(d->world, "SELECT count(*) FROM runs"), 0);
    assert_int_equal(server_stop(d), 0);
}

static void a_run_that_waits_is_cancelled_at_once(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *shown;
    char path[LINE_MAX];

    make_schedule(d, "work", QUEUED);
    snprintf(path, sizeof path, "/api/v1/runs/%s", trigger(d, "work"));
    shown = api(d, 200, "GET", path, NULL);
    assert_string_equal(text_at(shown, "state"), "ready");
    post_to_run(d, shown, "cancel", 202);
    shown = api(d, 200, "GET", path, NULL);
    assert_string_equal(text_at(shown, "outcome"), "cancelled");
    assert_int_equal(json_array_size(claim(d, "q", 1, "0s")), 0);
    assert_int_equal(server_stop(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(progress_and_log_lines_are_shown_during_and_after_the_run),
        E2E_TEST(a_failure_is_stored_and_retried),
        E2E_TEST(a_cancel_reaches_the_worker_by_its_heartbeat),
        E2E_TEST(a_terminated_run_has_ended_at_once),
        E2E_TEST(a_run_that_waits_is_cancelled_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
