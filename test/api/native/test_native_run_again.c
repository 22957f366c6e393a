/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Retrying an ended run, approving and rejecting runs, and the list of attempts.
 */
#include "world.h"

static char id[RUN_ID_TEXT_MAX];

static void keep_id(void)
{
    snprintf(id, sizeof id, "%s", text_at("id").ptr);
}

static void make(const char *policies)
{
    assert_int_equal(post("/api/v1/schedules",
                          js("{'id':'s','action':{'type':'queue','queue':'q','input':{'a':1}},"
                             "'policies':{%s}}",
                             policies)),
                     201);
}

static void start(const char *body)
{
    assert_int_equal(post("/api/v1/schedules/s/trigger", body), 202);
    keep_id();
}

static void claim(void)
{
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q'],'worker':'w'}")), 200);
}

static void a_run_that_has_ended_is_started_again_with_its_slot_and_input(void **state)
{
    char first[RUN_ID_TEXT_MAX];

    (void)state;
    make("");
    start(js("{'input':{'b':2},'scheduledTime':'2025-12-31T23:00:00Z'}"));
    claim();
    assert_json("runs.0.input.b", "2");
    assert_int_equal(post(js("/api/v1/runs/%s/fail", id), js("{'fence':1,'error':'no'}")), 200);
    snprintf(first, sizeof first, "%s", id);
    assert_int_equal(post(js("/api/v1/runs/%s/retry", id), ""), 202);
    assert_json("schedule", "'s'");
    assert_string_equal(field("Location"), js("/api/v1/runs/%s", text_at("id").ptr));
    keep_id();
    assert_string_not_equal(id, first);
    claim();
    assert_true(str_eq(text_at("runs.0.id"), str_of(id)));
    assert_json("runs.0.input.b", "2");
    assert_json("runs.0.kind", "'trigger'");
    assert_json("runs.0.slot", "'2025-12-31T23:00:00.000Z'");
    assert_int_equal(get(js("/api/v1/runs/%s", first)), 200); /* the first run is unchanged */
    assert_json("outcome", "'failed'");
}

/* The run ended before a worker had its input. */
static void a_retry_of_a_cancelled_run_has_its_input(void **state)
{
    (void)state;
    make("");
    start(js("{'input':{'b':3}}"));
    assert_int_equal(post(js("/api/v1/runs/%s/cancel", id), ""), 202);
    assert_int_equal(post(js("/api/v1/runs/%s/retry", id), "{}"), 202);
    claim();
    assert_json("runs.0.input.b", "3");
}

/* The engine caches the claimed run without its input. */
static void a_retry_of_a_succeeded_run_has_its_input(void **state)
{
    (void)state;
    make("");
    start(js("{'input':{'b':4}}"));
    claim();
    assert_int_equal(post(js("/api/v1/runs/%s/complete", id), js("{'fence':1}")), 200);
    assert_int_equal(post(js("/api/v1/runs/%s/retry", id), ""), 202);
    claim();
    assert_json("runs.0.input.b", "4");
}

static void a_run_that_is_open_is_not_started_again(void **state)
{
    (void)state;
    make("");
    start("");
    assert_refused(post(js("/api/v1/runs/%s/retry", id), ""), 409, "bad_state", "");
    assert_refused(post(js("/api/v1/runs/%s/retry", id), js("{'why':1}")), 400, "invalid_field",
                   "why");
    assert_refused(post("/api/v1/runs/x/retry", ""), 404, "not_found", "");
    assert_refused(post("/api/v1/runs/r_0000000000000000000000/retry", ""), 404, "not_found",
                   "");
    assert_int_equal(post(js("/api/v1/runs/%s/terminate", id), ""), 200);
    assert_int_equal(ask("PUT /api/v1/namespaces/other", NULL, ""), 201);
    assert_refused(post(js("/api/v1/runs/%s/retry?namespace=other", id), ""), 404, "not_found",
                   "");
    assert_int_equal(ask("DELETE /api/v1/schedules/s", NULL, ""), 204);
    assert_refused(post(js("/api/v1/runs/%s/retry", id), ""), 404, "not_found", "");
}

static void a_retry_with_a_key_is_made_once(void **state)
{
    const char *fields = "Idempotency-Key: k\r\n";

    (void)state;
    make("'overlap':'allowAll'");
    start("");
    assert_int_equal(post(js("/api/v1/runs/%s/terminate", id), ""), 200);
    assert_int_equal(ask(js("POST /api/v1/runs/%s/retry", id), fields, ""), 202);
    assert_int_equal(ask(js("POST /api/v1/runs/%s/retry", id), fields, ""), 202);
    assert_int_equal(get("/api/v1/runs?state=open"), 200);
    assert_json("runs.1", "absent");
}

static void a_run_waits_for_approval(void **state)
{
    (void)state;
    make("'approval':true");
    start("");
    claim();
    assert_json("runs", "[]");
    assert_int_equal(get(js("/api/v1/runs/%s", id)), 200);
    assert_json("state", "'approval'");
    assert_int_equal(post(js("/api/v1/runs/%s/approve", id), js("{'reason':'it is due'}")),
                     200);
    assert_refused(post(js("/api/v1/runs/%s/approve", id), ""), 409, "bad_state", "");
    assert_refused(post(js("/api/v1/runs/%s/reject", id), ""), 409, "bad_state", "");
    assert_int_equal(get(js("/api/v1/runs/%s/logs", id)), 200);
    assert_json("lines.0.text", "'approved by test: it is due'");
    claim();
    assert_true(str_eq(text_at("runs.0.id"), str_of(id)));
}

static void a_run_is_rejected(void **state)
{
    (void)state;
    make("'approval':true");
    start("");
    assert_refused(post(js("/api/v1/runs/%s/reject", id), js("{'why':'x'}")), 400,
                   "invalid_field", "why");
    assert_int_equal(post(js("/api/v1/runs/%s/reject", id), js("{'reason':'not today'}")), 200);
    assert_int_equal(get(js("/api/v1/runs/%s", id)), 200);
    assert_json("outcome", "'cancelled'");
    assert_json("reason", "'rejected'");
    assert_json("error", "{'code':'rejected','message':'not today','retryable':false}");
    assert_refused(post(js("/api/v1/runs/%s/approve", id), ""), 409, "bad_state", "");
}

static void the_current_attempt_is_listed_too(void **state)
{
    (void)state;
    make("'retry':{'attempts':3,'delay':'1s'}");
    start("");
    assert_int_equal(get(js("/api/v1/runs/%s/attempts", id)), 200);
    assert_json("", "{'attempts':[],'cursor':null}");
    claim();
    assert_int_equal(post(js("/api/v1/runs/%s/fail", id), js("{'fence':1,'error':'no'}")), 200);
    pass_time(SPAN_S);
    claim();
    assert_int_equal(get(js("/api/v1/runs/%s/attempts", id)), 200);
    assert_json("attempts.0.attempt", "1");
    assert_json("attempts.0.outcome", "'failed'");
    assert_json("attempts.1.attempt", "2");
    assert_json("attempts.1.startedAt", "'2026-01-05T10:00:01.000Z'");
    assert_json("attempts.1.endedAt", "null");
    assert_json("attempts.2", "absent");
    assert_refused(get("/api/v1/runs/r_0000000000000000000000/attempts"), 404, "not_found", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_run_that_has_ended_is_started_again_with_its_slot_and_input),
        API_TEST(a_retry_of_a_cancelled_run_has_its_input),
        API_TEST(a_retry_of_a_succeeded_run_has_its_input),
        API_TEST(a_run_that_is_open_is_not_started_again),
        API_TEST(a_retry_with_a_key_is_made_once),
        API_TEST(a_run_waits_for_approval),
        API_TEST(a_run_is_rejected),
        API_TEST(the_current_attempt_is_listed_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
