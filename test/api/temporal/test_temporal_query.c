/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The query of Temporal's lists: its grammar, and which schedules it matches.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/temporal/temporal_query.h"
#include "model/temporal_codec.h"

static struct arena *arena;

static int set_up(void **state)
{
    (void)state;
    arena = arena_new(16 << 20);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena = arena_free(arena);
    return 0;
}

static Temporal__Fields *attributes(const char *const *pairs, size_t count)
{
    Temporal__Fields *fields = arena_take(arena, sizeof *fields);

    temporal__fields__init(fields);
    fields->fields = arena_array(arena, count, sizeof *fields->fields);
    for (size_t i = 0; i < count; i++) {
        Temporal__Fields__FieldsEntry *entry = arena_take(arena, sizeof *entry);
        Temporal__Payload *payload = arena_take(arena, sizeof *payload);

        temporal__fields__fields_entry__init(entry);
        temporal__payload__init(payload);
        entry->key = temporal_text(str_of(pairs[2 * i]), arena);
        entry->value = payload;
        payload->data = (ProtobufCBinaryData){
            strlen(pairs[2 * i + 1]),
            (uint8_t *)temporal_text(str_of(pairs[2 * i + 1]), arena)};
        fields->fields[fields->n_fields++] = entry;
    }
    return fields;
}

/* A paused schedule "nightly" with one run open, next at 2026-01-05T10:00:00Z. */
static bool fits(const char *text)
{
    static const char *const pairs[] = {"Team",  "\"blue\"",
                                        "Teams", "[\"a\",\"b\"]",
                                        "N",     "5",
                                        "F",     "2.5",
                                        "Old",   "[7]",
                                        "Is",    "true",
                                        "At",    "\"2026-01-01T00:00:00+01:00\"",
                                        "Null",  "null",
                                        "Odd",   "{{"};
    struct schedule_view view = {
        .row.name = STR("nightly"),
        .cursor = {.flags = CURSOR_PAUSED, .open = 1, .next_at = INT64_C(1767607200) * SPAN_S}};
    struct temporal_query *query;
    struct err err;

    if (temporal_query_parse(str_of(text), arena, &query, &err) != RC_OK)
        fail_msg("%s: %s", text, err.text);
    return temporal_query_fits(query, &view,
                               attributes(pairs, sizeof pairs / sizeof pairs[0] / 2));
}

static void these_queries_match(void **state)
{
    static const char *const list[] = {
        "",
        "  ",
        "ScheduleId = 'nightly'",
        "ScheduleId=\"nightly\"",
        "`ScheduleId` = 'nightly'",
        "ScheduleId STARTS_WITH 'night'",
        "ScheduleId NOT STARTS_WITH 'day'",
        "ScheduleId > 'm' AND ScheduleId < 'o'",
        "TemporalSchedulePaused = true",
        "TemporalSchedulePaused != false",
        "ScheduleRunningWorkflowCount = 1",
        "ScheduleBufferedStartsCount = 0",
        "ScheduleNextActionTime <= '2026-01-05T10:00:00Z'",
        "ScheduleNextActionTime BETWEEN '2026-01-05T11:00:00+01:00' AND '2026-01-06T00:00:00Z'",
        "Team = 'blue'",
        "Team IN ('red', 'blue')",
        "Team NOT IN ('red', 'green')",
        "Teams = 'b'",
        "Teams != 'c'",
        "N = 5 and N >= 5 AND N < 5.5 AND N > -1",
        "N BETWEEN 5 AND 5",
        "NOT N NOT BETWEEN 1 AND 9",
        "F = 2.5",
        "Old = 7",
        "Is = true",
        "At = '2025-12-31T23:00:00Z'",
        "Nothing IS NULL",
        "Null IS NULL",
        "Odd IS NULL",
        "Nothing != 'x'",
        "Team IS NOT NULL",
        "Team = 'red' OR Team = 'blue'",
        "Team = 'red' AND Team = 'x' OR N = 5", /* AND binds tighter than OR */
        "N = 5 OR Team = 'red' AND Team = 'x'",
        "(N = 5 OR Team = 'red') AND Team = 'blue'",
        "NOT (Team = 'red')",
        "NOT NOT Team = 'blue'",
    };

    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (!fits(list[i]))
            fail_msg("%s", list[i]);
}

static void these_queries_do_not_match(void **state)
{
    static const char *const list[] = {
        "ScheduleId = 'Nightly'",
        "ScheduleId != 'nightly'",
        "TemporalSchedulePaused = false",
        "TemporalSchedulePaused = 'true'",
        "Team = 5",
        "Team IN ('red')",
        "Team NOT IN ('blue')",
        "Teams != 'b'",
        "N > 5",
        "N NOT BETWEEN 1 AND 9",
        "Nothing = 'x'",
        "Nothing < 5",
        "Nothing IS NOT NULL",
        "Team IS NULL",
        "NOT N = 5",
        "(N = 5 OR Team = 'red') AND Team = 'x'",
        "ScheduleNextActionTime > '2026-01-05T10:00:00Z'",
    };

    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (fits(list[i]))
            fail_msg("%s", list[i]);
}

static void these_queries_are_refused(void **state)
{
    static const char *const list[] = {
        "Team",          "Team =",         "= 'x'",         "Team = 'x",
        "Team = x",      "Team 'x'",       "Team = 'x' N",  "Team = 'x' AND",
        "(Team = 'x'",   "Team = 'x')",    "Team IN 'x'",   "Team IN ()",
        "Team IN ('x'",  "N BETWEEN 1, 2", "N BETWEEN 1",   "Team IS 'x'",
        "NOT",           "Team NOT = 'x'", "N = 1x",        "N = --1",
        "Team LIKE 'x'", "Team ; 'x'",     "ORDER BY Team", "Team = 'x' ORDER BY N",
    };

    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct temporal_query *query;
        struct err err;

        if (temporal_query_parse(str_of(list[i]), arena, &query, &err) != RC_INVALID)
            fail_msg("%s", list[i]);
    }
}

static void fields_that_schedules_lack_are_refused(void **state)
{
    static const char *const list[] = {"WorkflowType = 'x'", "TemporalChangeVersion = 'x'",
                                       "StartTime > '2026-01-01T00:00:00Z'"};

    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct temporal_query *query;
        struct err err;

        assert_int_equal(temporal_query_parse(str_of(list[i]), arena, &query, &err),
                         RC_INVALID);
        assert_non_null(strstr(err.text, "invalid query filter for schedules: cannot filter "));
    }
}

static void the_length_and_depth_of_a_query_are_limited(void **state)
{
    static char text[QUERY_BYTES_MAX + 2];
    struct buf out = BUF(text);
    struct temporal_query *query;
    struct err err;

    (void)state;
    memset(text, '(', 1000);
    assert_int_equal(temporal_query_parse(str_of(text), arena, &query, &err), RC_INVALID);
    for (int i = 0; i < 300; i++)
        buf_text(&out, i == 0 ? "N = 1" : " OR N = 1");
    assert_int_equal(temporal_query_parse(str_of(text), arena, &query, &err), RC_INVALID);
    memset(text, ' ', QUERY_BYTES_MAX + 1);
    assert_int_equal(temporal_query_parse(str_of(text), arena, &query, &err), RC_INVALID);
}

#define IN_ARENA(name) cmocka_unit_test_setup_teardown(name, set_up, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ARENA(these_queries_match),
        IN_ARENA(these_queries_do_not_match),
        IN_ARENA(these_queries_are_refused),
        IN_ARENA(fields_that_schedules_lack_are_refused),
        IN_ARENA(the_length_and_depth_of_a_query_are_limited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
