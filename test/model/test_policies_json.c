/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The "policies" object of the native JSON: names, order, words and defaults are those of the
 * specification; durations are printed as in core/time/text.h (90s is 1m30s).
 */
#include "model/policies_json.h"

#include "codecs.h"

static char text_b[TEXT_MAX];

static const char usual[] =
    "{\"overlap\":\"skip\",\"bufferLimit\":1000,"
    "\"catchup\":{\"mode\":\"latest\",\"window\":null,\"whilePaused\":false,"
    "\"whenFull\":\"wait\"},"
    "\"pauseOnFailure\":false,\"remainingRuns\":null,\"startWithin\":null,"
    "\"retry\":{\"attempts\":1,\"backoff\":\"exponential\",\"delay\":\"1s\",\"max\":\"1h\","
    "\"jitter\":\"0s\"},"
    "\"timeout\":null,\"maxRunTime\":\"1d\","
    "\"lease\":{\"for\":\"1m30s\",\"heartbeat\":\"30s\",\"grace\":\"30s\"},"
    "\"priority\":5,\"concurrency\":null,\"approval\":false,\"delivery\":\"atLeastOnce\","
    "\"latenessBudget\":null,\"retention\":{\"age\":\"90d\",\"count\":null}}";

/* No field has its default. */
static const char unusual[] =
    "{\"overlap\":\"bufferAll\",\"bufferLimit\":0,"
    "\"catchup\":{\"mode\":\"all\",\"window\":\"0s\",\"whilePaused\":true,"
    "\"whenFull\":\"drop\",\"expires\":\"starting\"},"
    "\"pauseOnFailure\":true,\"remainingRuns\":0,\"startWithin\":\"250ms\","
    "\"retry\":{\"attempts\":1000,\"backoff\":\"fixed\",\"delay\":\"2s\",\"max\":\"2s\","
    "\"jitter\":\"3s\"},"
    "\"timeout\":\"100ms\",\"maxRunTime\":\"0s\","
    "\"lease\":{\"for\":\"1s\",\"heartbeat\":\"100ms\",\"grace\":\"0s\"},"
    "\"priority\":10,\"concurrency\":{\"key\":\"db\",\"limit\":4},\"approval\":true,"
    "\"delivery\":\"atMostOnce\",\"latenessBudget\":\"5s\","
    "\"retention\":{\"age\":\"0s\",\"count\":7},\"lastResult\":true,\"idleClose\":\"7d\"}";

static enum rc read(const json_t *json, struct err *reterr)
{
    struct policies initial = policies_default(), policies;

    return policies_from_json(json, &initial, arena, false, &policies, reterr);
}

static struct policies policies_of(const char *text)
{
    json_auto_t *json = json_of(text);
    struct policies policies = policies_default();
    struct err err = {0};

    if (policies_from_json(json, &policies, arena, false, &policies, &err) != RC_OK)
        fail_msg("%s: %s: %s", text, err.field, err.text);
    return policies;
}

static void an_empty_object_is_the_defaults_of_the_model(void **state)
{
    struct policies policies = policies_of("{}");

    (void)state;
    assert_string_equal(line_of(policies_to_json(&policies, SPEC_FULL), text_a), usual);
    assert_string_equal(line_of(policies_to_json(&policies, SPEC_BRIEF), text_a), "{}");
    policies = policies_of(
        "{\"maxRunTime\":\"24h\",\"lease\":{\"for\":\"90s\"},\"retention\":{\"age\":\"90d\"}}");
    assert_string_equal(line_of(policies_to_json(&policies, SPEC_BRIEF), text_a), "{}");
}

static void every_field_is_read_into_its_member(void **state)
{
    struct policies p = policies_of(unusual);

    (void)state;
    assert_int_equal(p.overlap, OVERLAP_BUFFER_ALL);
    assert_int_equal(p.buffer_limit, 0);
    assert_int_equal(p.catchup, CATCHUP_ALL);
    assert_int_equal(p.catchup_window, 0);
    assert_true(p.catchup_paused && p.drop_when_full && p.pause_on_failure);
    assert_int_equal(p.remaining_runs, 0);
    assert_int_equal(p.start_within, 250 * SPAN_MS);
    assert_int_equal(p.retry.attempts, 1000);
    assert_int_equal(p.retry.backoff, BACKOFF_FIXED);
    assert_int_equal(p.retry.delay, 2 * SPAN_S);
    assert_int_equal(p.retry.max, 2 * SPAN_S);
    assert_int_equal(p.retry.jitter, 3 * SPAN_S);
    assert_int_equal(p.timeout, 100 * SPAN_MS);
    assert_int_equal(p.max_run_time, 0);
    assert_int_equal(p.lease, SPAN_S);
    assert_int_equal(p.heartbeat, 100 * SPAN_MS);
    assert_int_equal(p.grace, 0);
    assert_int_equal(p.priority, 10);
    assert_str(p.gate, "db");
    assert_int_equal(p.gate_limit, 4);
    assert_true(p.approval && p.at_most_once && p.wants_last);
    assert_int_equal(p.lateness_budget, 5 * SPAN_S);
    assert_int_equal(p.retention_age, 0);
    assert_int_equal(p.retention_count, 7);
    assert_int_equal(p.idle_close, 7 * SPAN_DAY);
}

static void what_is_printed_reads_back_and_prints_the_same(void **state)
{
    static const char *const texts[] = {usual, unusual};

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct policies policies = policies_of(texts[i]);

        assert_string_equal(line_of(policies_to_json(&policies, SPEC_FULL), text_a), texts[i]);
        line_of(policies_to_json(&policies, SPEC_BRIEF), text_a);
        policies = policies_of(text_a);
        assert_string_equal(line_of(policies_to_json(&policies, SPEC_FULL), text_b), texts[i]);
    }
    assert_string_equal(text_a, unusual); /* no field has its default */
}

static void null_is_the_default_in_nested_objects(void **state)
{
    struct policies policies = policies_of(
        "{\"overlap\":null,\"catchup\":{\"mode\":null,\"window\":null},\"retry\":null,"
        "\"lease\":{\"for\":null},\"concurrency\":null,\"retention\":{\"age\":null,"
        "\"count\":null},\"maxRunTime\":null,\"idleClose\":null}");

    (void)state;
    assert_string_equal(line_of(policies_to_json(&policies, SPEC_BRIEF), text_a), "{}");
}

static void every_word_is_accepted(void **state)
{
    static const char *const texts[] = {
        "{\"overlap\":\"bufferOne\"}",         "{\"overlap\":\"cancelOther\"}",
        "{\"overlap\":\"terminateOther\"}",    "{\"overlap\":\"allowAll\"}",
        "{\"catchup\":{\"mode\":\"oldest\"}}", "{\"catchup\":{\"mode\":\"none\"}}",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct policies policies = policies_of(texts[i]);

        assert_string_equal(line_of(policies_to_json(&policies, SPEC_BRIEF), text_a), texts[i]);
    }
}

static void errors_name_the_path_and_the_range(void **state)
{
    static const struct wrong cases[] = {
        {"[]", "", "must be an object, not a list", 0},
        {"{\"retry\":{\"attempts\":0}}", "retry.attempts", "must be between 1 and 1000, not 0",
         0},
        {"{\"retry\":{\"attempts\":1001}}", "retry.attempts", "not 1001", 0},
        {"{\"retry\":{\"attempts\":1.5}}", "retry.attempts", "must be a whole number", 0},
        {"{\"retry\":{\"attempts\":\"3\"}}", "retry.attempts",
         "must be a whole number, not a string", 0},
        {"{\"retry\":{\"atempts\":3}}", "retry.atempts", "did you mean attempts?", 0},
        {"{\"retry\":{\"backoff\":\"linear\"}}", "retry.backoff", "exponential", 0},
        {"{\"retry\":{\"delay\":5}}", "retry.delay", "a bare number has no unit", 0},
        {"{\"retry\":{\"delay\":\"2h\"}}", "retry.delay", "longer than retry.max, which is 1h",
         0},
        {"{\"retry\":{\"max\":\"500ms\"}}", "retry.delay", "which is 500ms", 0},
        {"{\"overlap\":\"queue\"}", "overlap", "queue", 0},
        {"{\"Overlap\":\"skip\"}", "Overlap", "did you mean overlap?", 0},
        {"{\"bufferLimit\":-1}", "bufferLimit", "must be between 0 and 10000, not -1", 0},
        {"{\"bufferLimit\":10001}", "bufferLimit", "must be between 0 and 10000", 0},
        {"{\"remainingRuns\":-1}", "remainingRuns", "between 0 and 1000000000", 0},
        {"{\"catchup\":\"all\"}", "catchup", "must be an object, not a string", 0},
        {"{\"catchup\":{\"whenFull\":\"skip\"}}", "catchup.whenFull",
         "`skip` is not known; use `wait` or `drop`", 0},
        {"{\"catchup\":{\"expires\":\"never\"}}", "catchup.expires",
         "`never` is not known; use `waiting` or `starting`", 0},
        {"{\"catchup\":{\"whilePaused\":1}}", "catchup.whilePaused",
         "must be true or false, not a number", 0},
        {"{\"priority\":11}", "priority", "must be between 1 and 10, not 11", 0},
        {"{\"priority\":0}", "priority", "must be between 1 and 10, not 0", 0},
        {"{\"timeout\":\"99ms\"}", "timeout", "must be 0s or between 100ms and 366d, not 99ms",
         0},
        {"{\"timeout\":\"1.5ms\"}", "timeout", "whole milliseconds", 0},
        {"{\"lease\":{\"for\":\"999ms\"}}", "lease.for", "must be between 1s and 1d", 0},
        {"{\"lease\":{\"for\":\"20s\"}}", "lease.heartbeat",
         "longer than lease.for, which is 20s", 0},
        {"{\"concurrency\":{\"limit\":4}}", "concurrency.key", "key is missing", 0},
        {"{\"concurrency\":{\"key\":\"db\"}}", "concurrency.limit", "limit is missing", 0},
        {"{\"concurrency\":{\"key\":\"\",\"limit\":1}}", "concurrency.key", "is empty", 0},
        {"{\"concurrency\":{\"key\":\"a\\nb\",\"limit\":1}}", "concurrency.key",
         "control character", 0},
        {"{\"concurrency\":{\"key\":\"db\",\"limit\":0}}", "concurrency.limit",
         "between 1 and 1000000", 0},
        {"{\"delivery\":\"once\"}", "delivery", "use `atLeastOnce` or `atMostOnce`", 0},
        {"{\"retention\":{\"count\":0}}", "retention.count", "between 1 and", 0},
        {"{\"startWithin\":\"-1s\"}", "startWithin", "", 0},
    };

    (void)state;
    check_wrong(read, cases, COUNT(cases));
}

static void a_key_is_bounded(void **state)
{
    struct wrong wrong = {NULL, "concurrency.key", "has 256 bytes; the limit is 255", RC_LIMIT};
    struct policies policies = policies_of(
        lengthy("{\"concurrency\":{\"limit\":1,\"key\":\"", 255, "\"}}"));

    (void)state;
    assert_int_equal(policies.gate.len, 255);
    wrong.text = lengthy("{\"concurrency\":{\"limit\":1,\"key\":\"", 256, "\"}}");
    check_wrong(read, &wrong, 1);
}

static void lenient_reading_ignores_unknown_fields_at_every_depth(void **state)
{
    json_auto_t *json = json_of("{\"x\":1,\"retry\":{\"y\":2,\"attempts\":3}}");
    struct policies policies = policies_default();
    struct err err = {0};

    (void)state;
    assert_int_equal(policies_from_json(json, &policies, arena, true, &policies, &err), RC_OK);
    assert_int_equal(policies.retry.attempts, 3);
    assert_int_equal(read(json, &err), RC_INVALID);
}

static void a_dialect_brings_its_own_defaults(void **state)
{
    json_auto_t *json = json_of("{\"priority\":null}");
    struct policies initial = policies_default(), policies;
    struct err err = {0};

    (void)state;
    initial.overlap = OVERLAP_ALLOW_ALL;
    initial.priority = 7;
    assert_int_equal(policies_from_json(json, &initial, arena, false, &policies, &err), RC_OK);
    assert_int_equal(policies.overlap, OVERLAP_ALLOW_ALL);
    assert_int_equal(policies.priority, 7);
}

static void failure_leaves_the_result_alone(void **state)
{
    json_auto_t *json = json_of("{\"priority\":7,\"timeout\":1}");
    struct policies initial = policies_default(), policies, before;
    struct err err = {0};

    (void)state;
    memset(&policies, 0x5a, sizeof policies);
    memcpy(&before, &policies, sizeof policies);
    assert_int_equal(policies_from_json(json, &initial, arena, false, &policies, &err),
                     RC_INVALID);
    assert_memory_equal(&policies, &before, sizeof policies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_object_is_the_defaults_of_the_model),
        cmocka_unit_test(every_field_is_read_into_its_member),
        cmocka_unit_test(what_is_printed_reads_back_and_prints_the_same),
        cmocka_unit_test(null_is_the_default_in_nested_objects),
        cmocka_unit_test(every_word_is_accepted),
        cmocka_unit_test(errors_name_the_path_and_the_range),
        cmocka_unit_test(a_key_is_bounded),
        cmocka_unit_test(lenient_reading_ignores_unknown_fields_at_every_depth),
        cmocka_unit_test(a_dialect_brings_its_own_defaults),
        cmocka_unit_test(failure_leaves_the_result_alone),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
