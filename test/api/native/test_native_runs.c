/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run: shown, cancelled and terminated.
 */
#include "world.h"

static char id[RUN_ID_TEXT_MAX];

static void start(void)
{
    assert_int_equal(post("/api/v1/schedules", js("{'id':'s','action':{'type':'queue','queue':"
                                                  "'q'}}")),
                     201);
    assert_int_equal(post("/api/v1/schedules/s/trigger", ""), 202);
    snprintf(id, sizeof id, "%s", text_at("id").ptr);
}

static void a_run_is_cancelled_before_anyone_has_it(void **state)
{
    (void)state;
    start();
    assert_int_equal(post(js("/api/v1/runs/%s/cancel", id), ""), 202);
    assert_true(str_eq(text_at("id"), str_of(id)));
    assert_refused(post(js("/api/v1/runs/%s/cancel", id), ""), 409, "bad_state", "");
    assert_told("detail", "'the run is not open; it ended as cancelled'");
    assert_refused(post(js("/api/v1/runs/%s/terminate", id), ""), 409, "bad_state", "");
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    assert_told("runs", "[]");
}

static void a_run_is_terminated_whoever_has_it(void **state)
{
    (void)state;
    start();
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    assert_int_equal(post(js("/api/v1/runs/%s/terminate", id), "{}"), 200);
    assert_refused(post(js("/api/v1/runs/%s/heartbeat", id), js("{'fence':1}")), 409,
                   "stale_fence", "");
}

static void runs_of_another_namespace_are_not_there(void **state)
{
    (void)state;
    start();
    assert_int_equal(ask("PUT /api/v1/namespaces/other", NULL, ""), 201);
    assert_refused(post(js("/api/v1/runs/%s/cancel?namespace=other", id), ""), 404, "not_found",
                   "");
    assert_refused(post(js("/api/v1/runs/%s/terminate?namespace=other", id), ""), 404,
                   "not_found", "");
    assert_int_equal(post(js("/api/v1/runs/%s/terminate", id), ""), 200);
    assert_refused(post(js("/api/v1/runs/%s/cancel?namespace=other", id), ""), 404, "not_found",
                   "");
    assert_non_null(strstr(told("detail"), "run \\'"));
}

static void what_is_no_run_is_not_found(void **state)
{
    (void)state;
    assert_refused(post("/api/v1/runs/nightly/cancel", ""), 404, "not_found", "");
    assert_refused(post("/api/v1/runs/r_0000000000000000000000/terminate", ""), 404,
                   "not_found", "");
    start();
    assert_refused(post(js("/api/v1/runs/%s/cancel", id), js("{'why':'x'}")), 400,
                   "invalid_field", "why");
}

static void a_run_is_shown_from_its_start_to_its_end(void **state)
{
    (void)state;
    start();
    assert_int_equal(get(js("/api/v1/runs/%s", id)), 200);
    assert_true(str_eq(text_at("id"), str_of(id)));
    assert_told("schedule", "'s'");
    assert_told("kind", "'trigger'");
    assert_told("state", "'ready'");
    assert_told("queue", "'q'");
    assert_told("attempts", "[]");
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q'],'worker':'w'}")), 200);
    assert_int_equal(
        post(js("/api/v1/runs/%s/heartbeat", id), js("{'fence':1,'progress':'half'}")), 200);
    assert_int_equal(get(js("/api/v1/runs/%s", id)), 200);
    assert_told("state", "'running'");
    assert_told("worker", "'w'");
    assert_told("progress", "'half'");
    assert_told("leaseUntil", "'2026-01-05T10:01:30.000Z'");
    pass(SPAN_S);
    assert_int_equal(
        post(js("/api/v1/runs/%s/complete", id), js("{'fence':1,'result':[1],'summary':'s'}")),
        200);
    assert_int_equal(get(js("/api/v1/runs/%s", id)), 200);
    assert_told("state", "'ended'");
    assert_told("outcome", "'succeeded'");
    assert_told("result", "[1]");
    assert_told("summary", "'s'");
    assert_told("endedAt", "'2026-01-05T10:00:01.000Z'");
    assert_told("attempts.0.outcome", "'succeeded'");
    assert_told("attempts.0.worker", "'w'");
    assert_told("attempts.1", "absent");
}

static void attempts_that_failed_are_shown_with_the_run(void **state)
{
    (void)state;
    assert_int_equal(post("/api/v1/schedules",
                          js("{'id':'s','action':{'type':'queue','queue':'q'},'policies':"
                             "{'retry':{'attempts':2,'delay':'1s'}}}")),
                     201);
    assert_int_equal(post("/api/v1/schedules/s/trigger", ""), 202);
    snprintf(id, sizeof id, "%s", text_at("id").ptr);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    assert_int_equal(post(js("/api/v1/runs/%s/fail", id),
                          js("{'fence':1,'error':{'code':'disk','message':'full'}}")),
                     200);
    assert_int_equal(get(js("/api/v1/runs/%s", id)), 200);
    assert_told("state", "'backoff'");
    assert_told("attempts.0.error", "{'code':'disk','message':'full','retryable':true}");
    assert_told("attempts.0.reason", "'target'");
    pass(SPAN_S);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    assert_int_equal(post(js("/api/v1/runs/%s/complete", id), js("{'fence':2}")), 200);
    assert_int_equal(get(js("/api/v1/runs/%s", id)), 200);
    assert_told("outcome", "'succeeded'");
    assert_told("attempt", "2");
    assert_told("attempts.0.outcome", "'failed'");
    assert_told("attempts.1.outcome", "'succeeded'");
    assert_told("attempts.2", "absent");
}

static void a_log_is_read_part_by_part(void **state)
{
    (void)state;
    start();
    assert_int_equal(get(js("/api/v1/runs/%s/logs", id)), 200);
    assert_told("", "{'lines':[],'cursor':0,'truncated':false}");
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    assert_int_equal(
        post(js("/api/v1/runs/%s/heartbeat", id), js("{'fence':1,'log':['one','two']}")), 200);
    assert_int_equal(
        post(js("/api/v1/runs/%s/complete", id), js("{'fence':1,'log':'th\u00e9\\\\three'}")),
        200);
    assert_int_equal(get(js("/api/v1/runs/%s/logs?limit=1", id)), 200);
    assert_told("lines.0", "{'at':'2026-01-05T10:00:00.000Z','stream':'worker','attempt':1,"
                           "'text':'one'}");
    assert_told("lines.1.text", "'two'");
    assert_told("lines.2", "absent");
    assert_int_equal(get(js("/api/v1/runs/%s/logs?after=%s", id, js("%s", told("cursor")))),
                     200);
    assert_told("lines.0.text", "'th\xc3\xa9\\\\three'");
    assert_told("lines.1", "absent");
    assert_int_equal(get(js("/api/v1/runs/%s/logs?after=%s", id, js("%s", told("cursor")))),
                     200);
    assert_told("lines", "[]");
    assert_refused(get(js("/api/v1/runs/%s/logs?after=x", id)), 400, "invalid_field", "after");
    assert_refused(get(js("/api/v1/runs/%s/logs?limit=0", id)), 400, "invalid_field", "limit");
}

static void a_log_that_was_cut_says_so(void **state)
{
    static char text[200 * 1024];

    (void)state;
    memset(text, 'x', sizeof text - 1);
    for (size_t i = 100; i < sizeof text - 1; i += 100)
        memcpy(text + i - 1, "\\n", 2);
    start();
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    for (int i = 0; i < 7; i++)
        assert_int_equal(
            post(js("/api/v1/runs/%s/heartbeat", id), js("{'fence':1,'log':'%s'}", text)), 200);
    assert_int_equal(get(js("/api/v1/runs/%s/logs?limit=100000", id)), 200);
    assert_told("truncated", "true");
}

static void what_is_not_there_or_not_ours_is_not_shown(void **state)
{
    struct run_id none = {.schedule = 1, .slot_ms = 1};
    char text[RUN_ID_TEXT_MAX];

    (void)state;
    run_id_format(&none, text);
    start();
    assert_int_equal(ask("PUT /api/v1/namespaces/other", NULL, ""), 201);
    assert_refused(get(js("/api/v1/runs/%s", text)), 404, "not_found", "");
    assert_refused(get(js("/api/v1/runs/%s/logs", text)), 404, "not_found", "");
    assert_refused(get("/api/v1/runs/x"), 404, "not_found", "");
    assert_refused(get(js("/api/v1/runs/%s?namespace=other", id)), 404, "not_found", "");
    assert_refused(get(js("/api/v1/runs/%s/logs?namespace=other", id)), 404, "not_found", "");
    assert_int_equal(post(js("/api/v1/runs/%s/terminate", id), ""), 200);
    assert_refused(get(js("/api/v1/runs/%s?namespace=other", id)), 404, "not_found", "");
    assert_int_equal(get(js("/api/v1/runs/%s", id)), 200);
    assert_told("outcome", "'terminated'");
    assert_told("reason", "'user'");
}

static void what_is_no_id_is_said_once(void **state)
{
    (void)state;
    assert_refused(get("/api/v1/runs/r_zzz"), 404, "not_found", "");
    assert_told("detail", "'\\'r_zzz\\' is not the id of a run; an id is \\'r_\\' and 23 or "
                          "30 letters and digits'");
}

static void reports_of_another_namespace_are_stale(void **state)
{
    (void)state;
    start();
    assert_int_equal(ask("PUT /api/v1/namespaces/other", NULL, ""), 201);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    assert_refused(post(js("/api/v1/runs/%s/complete?namespace=other", id), js("{'fence':1}")),
                   409, "stale_fence", "");
    assert_int_equal(post(js("/api/v1/runs/%s/complete", id), js("{'fence':1}")), 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(a_run_is_cancelled_before_anyone_has_it),
        SERVED(a_run_is_terminated_whoever_has_it),
        SERVED(runs_of_another_namespace_are_not_there),
        SERVED(what_is_no_run_is_not_found),
        SERVED(a_run_is_shown_from_its_start_to_its_end),
        SERVED(attempts_that_failed_are_shown_with_the_run),
        SERVED(a_log_is_read_part_by_part),
        SERVED(a_log_that_was_cut_says_so),
        SERVED(what_is_not_there_or_not_ours_is_not_shown),
        SERVED(what_is_no_id_is_said_once),
        SERVED(reports_of_another_namespace_are_stale),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
