/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Protobuf messages read from JSON, as protobuf's JSON mapping specifies.
 */
#include "model/proto_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/limits.h"
#include "wire/temporal.pb-c.h"

static struct arena *arena;

static int make_arena(void **state)
{
    (void)state;
    arena = arena_new(16 << 20);
    return 0;
}

static int free_arena(void **state)
{
    (void)state;
    arena = arena_free(arena);
    return 0;
}

static enum rc read_spec(const char *text, const Temporal__ScheduleSpec **ret, struct err *err)
{
    json_auto_t *json = NULL;
    ProtobufCMessage *message = NULL;
    enum rc rc = json_read(str_of(text), &json, err);

    if (rc == RC_OK)
        rc = proto_from_json(&temporal__schedule_spec__descriptor, json, arena, &message, err);
    *ret = (const Temporal__ScheduleSpec *)message;
    return rc;
}

static void every_kind_of_field_is_read(void **state)
{
    const Temporal__ScheduleSpec *spec;
    struct err err = {0};

    (void)state;
    if (read_spec("{\"structuredCalendar\":[{\"dayOfWeek\":[{\"start\":1,\"end\":5},{}],"
                  "\"comment\":\"é\"},{}],\"cronString\":[\"@daily\",\"\"],"
                  "\"interval\":[{\"interval\":\"90.5s\"}],"
                  "\"startTime\":\"2026-01-05T10:00:00.25Z\",\"jitter\":\"-1.5s\","
                  "\"timezoneName\":\"UTC\",\"timezoneData\":\"VFppZg==\"}",
                  &spec, &err) != RC_OK)
        fail_msg("%s: %s", err.field, err.text);
    assert_int_equal(spec->n_structured_calendar, 2);
    assert_int_equal(spec->structured_calendar[0]->n_day_of_week, 2);
    assert_int_equal(spec->structured_calendar[0]->day_of_week[0]->end, 5);
    assert_int_equal(spec->structured_calendar[0]->day_of_week[1]->start, 0);
    assert_string_equal(spec->structured_calendar[0]->comment, "é");
    assert_string_equal(spec->structured_calendar[1]->comment, "");
    assert_int_equal(spec->n_cron_string, 2);
    assert_string_equal(spec->cron_string[0], "@daily");
    assert_int_equal(spec->interval[0]->interval->seconds, 90);
    assert_int_equal(spec->interval[0]->interval->nanos, 500000000);
    assert_null(spec->interval[0]->phase);
    assert_int_equal(spec->start_time->seconds, 1767607200);
    assert_int_equal(spec->start_time->nanos, 250000000);
    assert_null(spec->end_time);
    assert_int_equal(spec->jitter->seconds, -1);
    assert_int_equal(spec->jitter->nanos, -500000000);
    assert_string_equal(spec->timezone_name, "UTC");
    assert_int_equal(spec->timezone_data.len, 4);
    assert_memory_equal(spec->timezone_data.data, "TZif", 4);
}

static void nulls_and_unknown_fields_are_ignored(void **state)
{
    const Temporal__ScheduleSpec *spec;
    struct err err = {0};

    (void)state;
    assert_int_equal(read_spec("{\"x\":1,\"cron_string\":[\"@daily\"],\"cronString\":null,"
                               "\"timezoneName\":null,\"jitter\":null}",
                               &spec, &err),
                     RC_OK);
    assert_int_equal(spec->n_cron_string, 0);
    assert_string_equal(spec->timezone_name, "");
    assert_null(spec->jitter);
}

static void errors_name_the_field(void **state)
{
    static const struct {
        const char *text, *field, *says;
    } cases[] = {
        {"[]", "", "an object, not a list"},
        {"{\"cronString\":\"@daily\"}", "cronString", "a list, not a string"},
        {"{\"cronString\":[\"@daily\",null]}", "cronString[1]", "a string, not null"},
        {"{\"calendar\":[{},{\"dayOfWeek\":1}]}", "calendar[1].dayOfWeek", "a string"},
        {"{\"structuredCalendar\":[{\"hour\":[{\"end\":true}]}]}",
         "structuredCalendar[0].hour[0].end", "a whole number, not a boolean"},
        {"{\"structuredCalendar\":[{\"hour\":[{\"end\":-2147483649}]}]}",
         "structuredCalendar[0].hour[0].end", "32 bits"},
        {"{\"interval\":[{\"phase\":60}]}", "interval[0].phase", "a string"},
        {"{\"timezoneData\":\"?\"}", "timezoneData", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Temporal__ScheduleSpec *spec;
        struct err err = {0};

        if (read_spec(cases[i].text, &spec, &err) != RC_INVALID ||
            strcmp(err.field, cases[i].field) != 0 || !strstr(err.text, cases[i].says))
            fail_msg("%s: %s: %s", cases[i].text, err.field, err.text);
    }
}

static void lists_are_bounded(void **state)
{
    char text[SPEC_ENTRIES_MAX * 4];
    const Temporal__ScheduleSpec *spec;

    (void)state;
    for (int count = SPEC_ENTRIES_MAX; count <= SPEC_ENTRIES_MAX + 1; count++) {
        struct buf out = BUF(text);
        struct err err = {0};

        buf_text(&out, "{\"calendar\":[{}");
        for (int i = 1; i < count; i++)
            buf_text(&out, ",{}");
        buf_text(&out, "]}");
        assert_false(out.cut);
        assert_int_equal(read_spec(text, &spec, &err),
                         count == SPEC_ENTRIES_MAX ? RC_OK : RC_LIMIT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_kind_of_field_is_read, make_arena, free_arena),
        cmocka_unit_test_setup_teardown(nulls_and_unknown_fields_are_ignored, make_arena,
                                        free_arena),
        cmocka_unit_test_setup_teardown(errors_name_the_field, make_arena, free_arena),
        cmocka_unit_test_setup_teardown(lists_are_bounded, make_arena, free_arena),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
