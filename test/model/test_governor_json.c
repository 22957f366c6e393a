/* SPDX-License-Identifier: Apache-2.0 */
/* The "governor" object of the native JSON, as specified. */
#include "model/governor_json.h"

#include "codecs.h"

static const char usual[] =
    "{\"minInterval\":null,\"maxInterval\":null,\"backoff\":true,"
    "\"hint\":{\"interval\":null,\"at\":null,\"expires\":null,\"reason\":null}}";

static const char unusual[] =
    "{\"minInterval\":\"1m\",\"maxInterval\":\"2h\",\"backoff\":false,"
    "\"hint\":{\"interval\":\"30s\",\"at\":\"2027-01-01T00:00:00.000Z\","
    "\"expires\":\"2027-01-01T01:00:00.000Z\",\"reason\":\"busy\"}}";

static enum rc read(const json_t *json, struct err *reterr)
{
    struct governor_def governor;

    return governor_from_json(json, arena, false, &governor, reterr);
}

static struct governor_def governor_of(const char *text)
{
    json_auto_t *json = json_of(text);
    struct governor_def governor;
    struct err err = {0};

    if (governor_from_json(json, arena, false, &governor, &err) != RC_OK)
        fail_msg("%s: %s: %s", text, err.field, err.text);
    return governor;
}

static void null_is_not_a_governor(void **state)
{
    struct governor_def governor = governor_of("null");

    (void)state;
    assert_false(governor.is_set);
    assert_string_equal(line_of(governor_to_json(&governor, SPEC_FULL), text_a), "null");
}

static void an_empty_object_is_a_governor_with_defaults(void **state)
{
    struct governor_def governor = governor_of("{}");

    (void)state;
    assert_true(governor.is_set);
    assert_string_equal(line_of(governor_to_json(&governor, SPEC_FULL), text_a), usual);
    assert_string_equal(line_of(governor_to_json(&governor, SPEC_BRIEF), text_a), "{}");
}

static void every_field_is_read_and_printed(void **state)
{
    struct governor_def governor = governor_of(unusual);

    (void)state;
    assert_false(governor.has_backoff);
    assert_int_equal(governor.min, SPAN_MIN);
    assert_int_equal(governor.max, 2 * SPAN_H);
    assert_int_equal(governor.hint_interval, 30 * SPAN_S);
    assert_int_equal(governor.hint_at, INT64_C(1798761600000000));
    assert_int_equal(governor.hint_expires, INT64_C(1798761600000000) + SPAN_H);
    assert_str(governor.hint_reason, "busy");
    assert_string_equal(line_of(governor_to_json(&governor, SPEC_FULL), text_a), unusual);
    assert_string_equal(line_of(governor_to_json(&governor, SPEC_BRIEF), text_a), unusual);
}

static void errors_name_the_field(void **state)
{
    static const struct wrong cases[] = {
        {"true", "", "must be an object, not a boolean", 0},
        {"{\"frequency\":1}", "frequency", "unknown field; valid fields: minInterval", 0},
        {"{\"minInteval\":\"1m\"}", "minInteval", "did you mean minInterval?", 0},
        {"{\"minInterval\":\"10ms\"}", "minInterval", "must be 0s or between 1s and", 0},
        {"{\"minInterval\":\"2h\",\"maxInterval\":\"1h\"}", "minInterval",
         "is longer than maxInterval", 0},
        {"{\"hint\":{\"interval\":\"1m\"}}", "hint.expires", "a hint must expire", 0},
        {"{\"hint\":{\"at\":\"2027-01-01T00:00:00Z\"}}", "hint.expires", "is missing", 0},
        {"{\"hint\":{\"at\":\"tomorrow\"}}", "hint.at", "", 0},
    };

    (void)state;
    check_wrong(read, cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_is_not_a_governor),
        cmocka_unit_test(an_empty_object_is_a_governor_with_defaults),
        cmocka_unit_test(every_field_is_read_and_printed),
        cmocka_unit_test(errors_name_the_field),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
