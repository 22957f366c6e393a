/* SPDX-License-Identifier: Apache-2.0 */
/* The "state" object of a schedule, field by field as specified. */
#include "model/schedule_state.h"

#include "codecs.h"
#include "core/outcome.h"
#include "core/policy/governor.h"

#define NEW_YEAR INT64_C(1798761600000000) /* 2027-01-01T00:00:00Z */

static struct cursor fresh_cursor(void)
{
    return (struct cursor){.mark = NEW_YEAR,
                           .next_at = NEW_YEAR + SPAN_H,
                           .version = 1,
                           .paused_until = INSTANT_NEVER,
                           .last_start = INSTANT_NONE,
                           .last_ok = INSTANT_NONE,
                           .last_late = CURSOR_LATE_UNKNOWN};
}

static const char *shown_text(const struct schedule_state *state)
{
    struct buf out = BUF(text_a);

    schedule_state_show(state, &out);
    assert_false(out.cut);
    return text_a;
}

static json_t *state_of(const struct cursor *cursor, const char *reason)
{
    struct schedule_state state = {.cursor = cursor, .paused_reason = str_of(reason)};

    return json_of(shown_text(&state));
}

static void check_field(json_t *json, const char *name, const char *value)
{
    json_t *field = json_object_get(json, name);

    assert_non_null(field);
    assert_string_equal(line_of(json_incref(field), text_a), value);
}

static void a_new_schedule_shows_every_field_of_the_model(void **state)
{
    struct cursor cursor = fresh_cursor();
    struct schedule_state shown = {.cursor = &cursor,
                                   .dialect = STR("native"),
                                   .created_at = NEW_YEAR,
                                   .created_by = STR("ann"),
                                   .updated_at = NEW_YEAR + 1500,
                                   .updated_by = STR("bob")};

    (void)state;
    assert_string_equal(
        shown_text(&shown),
        "{\"status\":\"active\",\"pausedReason\":null,\"pausedUntil\":null,"
        "\"nextAt\":\"2027-01-01T01:00:00.000Z\",\"nextSource\":\"baseline-cron\","
        "\"mark\":\"2027-01-01T00:00:00.000Z\",\"open\":0,\"waiting\":0,\"failures\":0,"
        "\"lastOutcome\":null,\"lastRunAt\":null,\"lastRunId\":null,"
        "\"lastSuccessAt\":null,\"lastLateness\":null,\"recent\":\"\","
        "\"counters\":{\"started\":0,\"skipped\":0,\"missed\":0,\"dropped\":0,"
        "\"cancelled\":0,\"succeeded\":0,\"failed\":0},"
        "\"version\":1,\"dialect\":\"native\",\"createdAt\":\"2027-01-01T00:00:00.000Z\","
        "\"createdBy\":\"ann\",\"updatedAt\":\"2027-01-01T00:00:00.001Z\","
        "\"updatedBy\":\"bob\"}");
}

static void numbers_come_from_the_cursor(void **state)
{
    struct cursor cursor = fresh_cursor();
    struct schedule_state shown = {.cursor = &cursor, .last_run = STR("r_x")};
    json_auto_t *json = NULL;

    (void)state;
    cursor.open = 1;
    cursor.waiting = 2;
    cursor.failures = 3;
    cursor.version = 4;
    cursor.source = SOURCE_CLAMPED_MAX;
    cursor.last_outcome = OUTCOME_TIMED_OUT;
    cursor.last_start = NEW_YEAR;
    cursor.started = 5;
    cursor.skipped = 6;
    cursor.missed = 7;
    cursor.dropped = 8;
    cursor.cancelled = 9;
    cursor.succeeded = 10;
    cursor.failed = 11;
    json = json_of(shown_text(&shown));
    check_field(json, "open", "1");
    check_field(json, "waiting", "2");
    check_field(json, "failures", "3");
    check_field(json, "version", "4");
    check_field(json, "nextSource", "\"clamped-max\"");
    check_field(json, "lastOutcome", "\"timedOut\"");
    check_field(json, "lastRunAt", "\"2027-01-01T00:00:00.000Z\"");
    check_field(json, "lastRunId", "\"r_x\"");
    check_field(json, "counters",
                "{\"started\":5,\"skipped\":6,\"missed\":7,\"dropped\":8,\"cancelled\":9,"
                "\"succeeded\":10,\"failed\":11}");
}

static void the_last_runs_are_shown(void **state)
{
    struct cursor cursor = fresh_cursor();
    json_auto_t *json = NULL, *early = NULL;

    (void)state;
    cursor.last_ok = NEW_YEAR;
    cursor.last_late = 90 * SPAN_S + 250 * SPAN_MS;
    cursor.recent = 2 * 16 + 3 * 4 + 1; /* it failed, was cancelled, succeeded */
    json = state_of(&cursor, "");
    check_field(json, "lastSuccessAt", "\"2027-01-01T00:00:00.000Z\"");
    check_field(json, "lastLateness", "\"1m30s250ms\"");
    check_field(json, "recent", "\"sof\"");
    cursor.last_late = 0;
    early = state_of(&cursor, "");
    check_field(early, "lastLateness", "\"0s\"");
}

static void a_pause_shows_its_reason_its_end_and_the_next_run(void **state)
{
    struct cursor cursor = fresh_cursor();
    json_auto_t *until = NULL, *soon = NULL, *for_good = NULL;

    (void)state;
    cursor.flags = CURSOR_PAUSED;
    cursor.paused_until = NEW_YEAR + SPAN_DAY;
    until = state_of(&cursor, "holidays");
    check_field(until, "status", "\"paused\"");
    check_field(until, "pausedReason", "\"holidays\"");
    check_field(until, "pausedUntil", "\"2027-01-02T00:00:00.000Z\"");
    check_field(until, "nextAt", "\"2027-01-02T00:00:00.000Z\"");
    check_field(until, "nextSource", "\"paused\"");
    cursor.paused_until = NEW_YEAR + SPAN_MIN;
    soon = state_of(&cursor, "");
    check_field(soon, "nextAt", "\"2027-01-01T01:00:00.000Z\""); /* it is over by then */
    check_field(soon, "nextSource", "\"baseline-cron\"");
    cursor.paused_until = INSTANT_NEVER;
    for_good = state_of(&cursor, "");
    check_field(for_good, "pausedUntil", "null");
    check_field(for_good, "pausedReason", "null");
    check_field(for_good, "nextAt", "null");
    check_field(for_good, "nextSource", "null");
}

static void the_status_is_one_of_three(void **state)
{
    static const struct {
        int64_t flags;
        const char *status, *reason;
    } cases[] = {
        {0, "\"active\"", "null"},
        {CURSOR_EXCEPTIONS | CURSOR_FULL, "\"active\"", "null"},
        {CURSOR_DISABLED, "\"paused\"", "null"},
        {CURSOR_QUARANTINED, "\"paused\"", "\"quarantined\""},
        {CURSOR_CLOSED, "\"closed\"", "null"},
        {CURSOR_CLOSED | CURSOR_PAUSED, "\"closed\"", "null"},
        {CURSOR_DELETED, "\"closed\"", "null"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cursor cursor = fresh_cursor();
        json_auto_t *json = NULL;

        cursor.flags = cases[i].flags;
        json = state_of(&cursor, "");
        check_field(json, "status", cases[i].status);
        check_field(json, "pausedReason", cases[i].reason);
    }
}

static void without_a_next_slot_there_is_no_source(void **state)
{
    struct cursor cursor = fresh_cursor();
    json_auto_t *json = NULL;

    (void)state;
    cursor.next_at = INSTANT_NEVER;
    json = state_of(&cursor, "");
    check_field(json, "nextAt", "null");
    check_field(json, "nextSource", "null");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_schedule_shows_every_field_of_the_model),
        cmocka_unit_test(numbers_come_from_the_cursor),
        cmocka_unit_test(the_last_runs_are_shown),
        cmocka_unit_test(a_pause_shows_its_reason_its_end_and_the_next_run),
        cmocka_unit_test(the_status_is_one_of_three),
        cmocka_unit_test(without_a_next_slot_there_is_no_source),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
