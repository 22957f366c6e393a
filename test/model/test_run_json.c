/* SPDX-License-Identifier: Apache-2.0 */
/* The run object of the native JSON, field by field as specified. */
#include "model/run_json.h"

#include "codecs.h"
#include "core/policy/governor.h"

#define NEW_YEAR INT64_C(1798761600000000) /* 2027-01-01T00:00:00Z */

static struct run some_run(void)
{
    return (struct run){.id = 9,
                        .schedule = 5,
                        .slot = NEW_YEAR,
                        .kind = RUN_SLOT,
                        .state = RUN_READY,
                        .due = NEW_YEAR + 250 * SPAN_MS,
                        .attempt = 1,
                        .fence = 7,
                        .lease_until = INSTANT_NEVER,
                        .wake_at = INSTANT_NEVER,
                        .created_at = NEW_YEAR + SPAN_S,
                        .started_at = INSTANT_NONE,
                        .attempt_at = INSTANT_NONE,
                        .last_run_at = INSTANT_NONE};
}

static void check_field(const struct run_doc *doc, const char *name, const char *value)
{
    json_auto_t *json = run_to_json(doc, FIELDS_ALL);
    json_t *field = json_object_get(json, name);

    assert_non_null(field);
    assert_string_equal(line_of(json_incref(field), text_a), value);
}

static void a_new_run_shows_every_field_of_the_model(void **state)
{
    struct run run = some_run();
    struct run_doc doc = run_doc_of(&run);
    const struct run_id id = {5, NEW_YEAR / SPAN_MS, 0};
    char name[RUN_ID_TEXT_MAX], expected[2000];
    struct buf out = BUF(expected);

    (void)state;
    doc.schedule = STR("nightly");
    run_id_format(&id, name);
    buf_printf(&out,
               "{\"id\":\"%s\",\"schedule\":\"nightly\",\"kind\":\"slot\","
               "\"slot\":\"2027-01-01T00:00:00.000Z\",\"due\":\"2027-01-01T00:00:00.250Z\","
               "\"state\":\"ready\",\"attempt\":1,\"fence\":7,\"queue\":null,\"worker\":null,"
               "\"leaseUntil\":null,\"source\":null,\"input\":{},"
               "\"createdAt\":\"2027-01-01T00:00:01.000Z\",\"startedAt\":null,"
               "\"endedAt\":null,\"outcome\":null,\"reason\":null,\"error\":null,"
               "\"progress\":null,\"result\":null,\"summary\":null,\"refs\":null,"
               "\"llm\":null,\"tools\":null,\"sessionId\":null,\"threadId\":null,"
               "\"lastRunAt\":null,\"idempotencyKey\":\"%s\"}",
               name, name);
    assert_string_equal(line_of(run_to_json(&doc, FIELDS_ALL), text_a), expected);
}

static void a_claimed_run_shows_its_worker_and_lease(void **state)
{
    struct run run = some_run();
    struct run_doc doc;

    (void)state;
    run.state = RUN_RUNNING;
    run.kind = RUN_TRIGGER;
    run.worker = STR("w1");
    run.lease_until = NEW_YEAR + SPAN_MIN;
    run.started_at = NEW_YEAR + 2 * SPAN_S;
    run.source = SOURCE_AI_ONESHOT + 1;
    run.input = STR("{\"k\":[1]}");
    run.progress = STR("half");
    run.pass = 3;
    doc = run_doc_of(&run);
    doc.queue = STR("q");
    assert_int_equal(doc.id.pass, 3);
    check_field(&doc, "kind", "\"trigger\"");
    check_field(&doc, "state", "\"running\"");
    check_field(&doc, "queue", "\"q\"");
    check_field(&doc, "worker", "\"w1\"");
    check_field(&doc, "leaseUntil", "\"2027-01-01T00:01:00.000Z\"");
    check_field(&doc, "startedAt", "\"2027-01-01T00:00:02.000Z\"");
    check_field(&doc, "source", "\"ai-oneshot\"");
    check_field(&doc, "input", "{\"k\":[1]}");
    check_field(&doc, "progress", "\"half\"");
    run.progress = STR("{\"percent\":50}");
    doc = run_doc_of(&run);
    check_field(&doc, "progress", "{\"percent\":50}");
}

static void a_lease_counts_only_while_the_run_is_claimed(void **state)
{
    struct run run = some_run();
    struct run_doc doc;

    (void)state;
    run.state = RUN_BACKOFF;
    run.lease_until = NEW_YEAR;
    doc = run_doc_of(&run);
    check_field(&doc, "leaseUntil", "null");
}

static void a_run_that_is_over_shows_how_it_ended(void **state)
{
    struct run_doc doc = {.id = {5, NEW_YEAR / SPAN_MS, 0},
                          .slot = NEW_YEAR,
                          .due = NEW_YEAR,
                          .state = RUN_ENDED,
                          .attempt = 3,
                          .lease_until = INSTANT_NEVER,
                          .created_at = NEW_YEAR,
                          .started_at = NEW_YEAR,
                          .ended_at = NEW_YEAR + SPAN_S,
                          .outcome = OUTCOME_TIMED_OUT,
                          .reason = REASON_MAX_RUN_TIME,
                          .error = STR("it took \"too\" long"),
                          .last_run_at = NEW_YEAR - SPAN_DAY};

    (void)state;
    doc.result = (struct run_result){.result = STR("[1,2]"),
                                     .refs = STR("[\"a\"]"),
                                     .llm = STR("{\"tokens\":5}"),
                                     .tools = STR("{\"total\":1}"),
                                     .summary = STR("done"),
                                     .session_id = STR("s"),
                                     .thread_id = STR("t")};
    check_field(&doc, "schedule", "null");
    check_field(&doc, "state", "\"ended\"");
    check_field(&doc, "endedAt", "\"2027-01-01T00:00:01.000Z\"");
    check_field(&doc, "outcome", "\"timedOut\"");
    check_field(&doc, "reason", "\"maxRunTime\"");
    check_field(&doc, "error",
                "{\"code\":\"maxRunTime\",\"message\":\"it took \\\"too\\\" long\","
                "\"retryable\":null}");
    check_field(&doc, "lastRunAt", "\"2026-12-31T00:00:00.000Z\"");
    check_field(&doc, "result", "[1,2]");
    check_field(&doc, "refs", "[\"a\"]");
    check_field(&doc, "llm", "{\"tokens\":5}");
    check_field(&doc, "tools", "{\"total\":1}");
    check_field(&doc, "summary", "\"done\"");
    check_field(&doc, "sessionId", "\"s\"");
    check_field(&doc, "threadId", "\"t\"");
    doc.error = STR("{\"code\":\"E1\",\"message\":\"m\",\"retryable\":false}");
    check_field(&doc, "error", "{\"code\":\"E1\",\"message\":\"m\",\"retryable\":false}");
    doc.error = STR("{not json");
    check_field(&doc, "error",
                "{\"code\":\"maxRunTime\",\"message\":\"{not json\",\"retryable\":null}");
}

static struct run_result result_of(const char *text)
{
    json_auto_t *json = json_of(text);
    struct run_result result;
    struct err err = {0};

    if (run_result_from_json(json, arena, &result, &err) != RC_OK)
        fail_msg("%s: %s: %s", text, err.field, err.text);
    return result;
}

static void results_of_workers_are_stored_and_read_back(void **state)
{
    static const char all[] = "{\"result\":{\"a\":1},\"summary\":\"s\",\"refs\":[],"
                              "\"llm\":{\"m\":\"x\"},\"tools\":{},\"sessionId\":\"1\","
                              "\"threadId\":\"2\"}";
    struct run_result result = result_of(all), again;
    struct err err = {0};

    (void)state;
    assert_str(run_result_keep(&result, arena), all);
    assert_int_equal(run_result_recall(str_of(all), arena, &again, &err), RC_OK);
    assert_str(run_result_keep(&again, arena), all);
    result = result_of("{\"id\":\"r_x\",\"fence\":1,\"result\":\"x\",\"summary\":null}");
    assert_str(run_result_keep(&result, arena), "{\"result\":\"x\"}");
    result = result_of("{}");
    assert_int_equal(run_result_keep(&result, arena).len, 0);
    assert_int_equal(run_result_recall(STR(""), arena, &again, &err), RC_OK);
    assert_int_equal(run_result_keep(&again, arena).len, 0);
}

static void invalid_stored_results_are_corrupt(void **state)
{
    static const char *const texts[] = {"{", "[]", "5", "{\"summary\":5}"};

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct run_result result;
        struct err err = {0};

        assert_int_equal(run_result_recall(str_of(texts[i]), arena, &result, &err), RC_CORRUPT);
        assert_int_equal(err.rc, RC_CORRUPT);
    }
}

static enum rc read_result(const json_t *json, struct err *reterr)
{
    struct run_result result;

    return run_result_from_json(json, arena, &result, reterr);
}

static void results_of_workers_are_limited(void **state)
{
    struct wrong wrong = {NULL, "summary", "the limit is 4096", RC_LIMIT};

    (void)state;
    wrong.text = lengthy("{\"summary\":\"", SUMMARY_MAX + 1, "\"}");
    check_wrong(read_result, &wrong, 1);
    wrong = (struct wrong){lengthy("{\"result\":\"", RESULT_MAX, "\"}"), "result",
                           "the limit is 262144", RC_LIMIT};
    check_wrong(read_result, &wrong, 1);
    wrong = (struct wrong){"{\"summary\":[]}", "summary", "must be a string", RC_INVALID};
    check_wrong(read_result, &wrong, 1);
}

/* An answer that an http action stores, with the maximum `keepBytes`. */
static void results_of_http_actions_may_be_longer(void **state)
{
    const char *text = lengthy("{\"result\":\"", 4 * RESULT_MAX, "\"}");
    struct run_result result;
    struct err err = {0};

    (void)state;
    assert_int_equal(run_result_recall(str_of(text), arena, &result, &err), RC_OK);
    assert_int_equal(result.result.len, 4 * RESULT_MAX + 2);
    assert_int_equal(run_result_value(str_of(text), arena).len, 0); /* too long to pass on */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_run_shows_every_field_of_the_model),
        cmocka_unit_test(a_claimed_run_shows_its_worker_and_lease),
        cmocka_unit_test(a_lease_counts_only_while_the_run_is_claimed),
        cmocka_unit_test(a_run_that_is_over_shows_how_it_ended),
        cmocka_unit_test(results_of_workers_are_stored_and_read_back),
        cmocka_unit_test(invalid_stored_results_are_corrupt),
        cmocka_unit_test(results_of_workers_are_limited),
        cmocka_unit_test(results_of_http_actions_may_be_longer),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
