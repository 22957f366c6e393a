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

static void a_run_can_be_cancelled_before_it_is_claimed(void **state)
{
    (void)state;
    start();
    assert_int_equal(post(js("/api/v1/runs/%s/cancel", id), ""), 202);
    assert_true(str_eq(text_at("id"), str_of(id)));
    assert_refused(post(js("/api/v1/runs/%s/cancel", id), ""), 409, "bad_state", "");
    assert_json("detail", "'the run is not open; it ended as cancelled'");
    assert_refused(post(js("/api/v1/runs/%s/terminate", id), ""), 409, "bad_state", "");
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    assert_json("runs", "[]");
}

static void a_claimed_run_can_be_terminated(void **state)
{
    (void)state;
    start();
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    assert_int_equal(post(js("/api/v1/runs/%s/terminate", id), "{}"), 200);
    assert_refused(post(js("/api/v1/runs/%s/heartbeat", id), js("{'fence':1}")), 409,
                   "stale_fence", "");
}

static void runs_of_another_namespace_are_not_found(void **state)
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
    assert_non_null(strstr(json_at("detail"), "run \\'"));
}

static void a_missing_run_is_not_found(void **state)
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
    assert_json("schedule", "'s'");
    assert_json("kind", "'trigger'");
    assert_json("state", "'ready'");
    assert_json("queue", "'q'");
    assert_json("attempts", "[]");
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q'],'worker':'w'}")), 200);
    assert_int_equal(
        post(js("/api/v1/runs/%s/heartbeat", id), js("{'fence':1,'progress':'half'}")), 200);
    assert_int_equal(get(js("/api/v1/runs/%s", id)), 200);
    assert_json("state", "'running'");
    assert_json("worker", "'w'");
    assert_json("progress", "'half'");
    assert_json("leaseUntil", "'2026-01-05T10:01:30.000Z'");
    pass_time(SPAN_S);
    assert_int_equal(
        post(js("/api/v1/runs/%s/complete", id), js("{'fence':1,'result':[1],'summary':'s'}")),
        200);
    assert_int_equal(get(js("/api/v1/runs/%s", id)), 200);
    assert_json("state", "'ended'");
    assert_json("outcome", "'succeeded'");
    assert_json("result", "[1]");
    assert_json("summary", "'s'");
    assert_json("endedAt", "'2026-01-05T10:00:01.000Z'");
    assert_json("attempts.0.outcome", "'succeeded'");
    assert_json("attempts.0.worker", "'w'");
    assert_json("attempts.1", "absent");
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
    assert_json("state", "'backoff'");
    assert_json("attempts.0.error", "{'code':'disk','message':'full','retryable':true}");
    assert_json("attempts.0.reason", "'target'");
    pass_time(SPAN_S);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    assert_int_equal(post(js("/api/v1/runs/%s/complete", id), js("{'fence':2}")), 200);
    assert_int_equal(get(js("/api/v1/runs/%s", id)), 200);
    assert_json("outcome", "'succeeded'");
    assert_json("attempt", "2");
    assert_json("attempts.0.outcome", "'failed'");
    assert_json("attempts.1.outcome", "'succeeded'");
    assert_json("attempts.2", "absent");
}

static void a_log_is_read_part_by_part(void **state)
{
    (void)state;
    start();
    assert_int_equal(get(js("/api/v1/runs/%s/logs", id)), 200);
    assert_json("", "{'lines':[],'cursor':0,'truncated':false}");
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    assert_int_equal(
        post(js("/api/v1/runs/%s/heartbeat", id), js("{'fence':1,'log':['one','two']}")), 200);
    assert_int_equal(
        post(js("/api/v1/runs/%s/complete", id), js("{'fence':1,'log':'th\u00e9\\\\three'}")),
        200);
    assert_int_equal(get(js("/api/v1/runs/%s/logs?limit=1", id)), 200);
    assert_json("lines.0", "{'at':'2026-01-05T10:00:00.000Z','stream':'worker','attempt':1,"
                           "'text':'one'}");
    assert_json("lines.1.text", "'two'");
    assert_json("lines.2", "absent");
    assert_int_equal(get(js("/api/v1/runs/%s/logs?after=%s", id, js("%s", json_at("cursor")))),
                     200);
    assert_json("lines.0.text", "'th\xc3\xa9\\\\three'");
    assert_json("lines.1", "absent");
    assert_int_equal(get(js("/api/v1/runs/%s/logs?after=%s", id, js("%s", json_at("cursor")))),
                     200);
    assert_json("lines", "[]");
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
    assert_json("truncated", "true");
}

static void missing_runs_and_runs_of_other_namespaces_are_not_shown(void **state)
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
    assert_json("outcome", "'terminated'");
    assert_json("reason", "'user'");
}

static void an_invalid_run_id_is_explained(void **state)
{
    (void)state;
    assert_refused(get("/api/v1/runs/r_zzz"), 404, "not_found", "");
    assert_json("detail", "'\\'r_zzz\\' is not the id of a run; an id is \\'r_\\' and 23 or "
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

static void finish(void)
{
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    assert_int_equal(
        post(js("/api/v1/runs/%s/complete", id), js("{'fence':%s}", json_at("runs.0.fence"))),
        200);
}

static void trigger(const char *body)
{
    assert_int_equal(post("/api/v1/schedules/s/trigger", js("%s", body)), 202);
    snprintf(id, sizeof id, "%s", text_at("id").ptr);
}

static void a_run_shows_its_input_after_its_end(void **state)
{
    (void)state;
    start();
    finish();
    assert_int_equal(get(js("/api/v1/runs/%s", id)), 200);
    assert_json("input", "{}");
    trigger("{'input':{'a':[1,2]}}");
    assert_int_equal(get(js("/api/v1/runs/%s?fields=input", id)), 200);
    assert_json("input", "{'a':[1,2]}");
    finish();
    assert_int_equal(get(js("/api/v1/runs/%s?fields=input", id)), 200);
    assert_json("input", "{'a':[1,2]}");
    assert_int_equal(get(js("/api/v1/runs/%s", id)), 200);
    assert_json("state", "'ended'");
    assert_json("input", "{'a':[1,2]}");
}

/* scheduledTime is a value for the run, not the time at which it runs. */
static void a_trigger_for_a_future_time_is_found_after_its_end(void **state)
{
    (void)state;
    start();
    finish();
    trigger("{'scheduledTime':'2026-01-20T00:00:00Z'}");
    finish();
    pass_time(3 * SPAN_DAY); /* before that time */
    assert_int_equal(get(js("/api/v1/runs/%s", id)), 200);
    assert_json("outcome", "'succeeded'");
    pass_time(30 * SPAN_DAY); /* after it */
    assert_int_equal(get(js("/api/v1/runs/%s", id)), 200);
    assert_json("slot", "'2026-01-20T00:00:00.000Z'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_run_can_be_cancelled_before_it_is_claimed),
        API_TEST(a_claimed_run_can_be_terminated),
        API_TEST(runs_of_another_namespace_are_not_found),
        API_TEST(a_missing_run_is_not_found),
        API_TEST(a_run_is_shown_from_its_start_to_its_end),
        API_TEST(attempts_that_failed_are_shown_with_the_run),
        API_TEST(a_log_is_read_part_by_part),
        API_TEST(a_log_that_was_cut_says_so),
        API_TEST(missing_runs_and_runs_of_other_namespaces_are_not_shown),
        API_TEST(an_invalid_run_id_is_explained),
        API_TEST(reports_of_another_namespace_are_stale),
        API_TEST(a_run_shows_its_input_after_its_end),
        API_TEST(a_trigger_for_a_future_time_is_found_after_its_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
