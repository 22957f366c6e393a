/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The status of the last run as the jobs API derives it from the cursor; hidden secrets.
 */
#include "api/jobs/jobs_doc.h"
#include "core/outcome.h"
#include "world.h"

enum { AT = 1000 };

static struct cursor cursor_of(instant start, instant end, enum outcome outcome)
{
    return (struct cursor){.last_start = start, .last_end = end, .last_outcome = outcome};
}

static void assert_status(struct cursor cursor, const char *expected)
{
    const char *got = jobs_last_status(&cursor);

    assert_string_equal(got ? got : "null", expected);
}

static void the_status_of_a_run_is_success_until_the_job_reports_otherwise(void **state)
{
    (void)state;
    assert_status(cursor_of(INSTANT_NONE, INSTANT_NONE, OUTCOME_NONE), "null");
    assert_status(cursor_of(AT, INSTANT_NONE, OUTCOME_NONE), "success");
    assert_status(cursor_of(AT, AT - 1, OUTCOME_FAILED), "success"); /* of the previous run */
    assert_status(cursor_of(AT, AT, OUTCOME_SUCCEEDED), "success");
    assert_status(cursor_of(AT, AT + 1, OUTCOME_FAILED), "failed");
    assert_status(cursor_of(AT, AT + 1, OUTCOME_TIMED_OUT), "failed");
    assert_status(cursor_of(AT, AT + 1, OUTCOME_UNKNOWN), "failed");
    assert_status(cursor_of(AT, AT + 1, OUTCOME_CANCELLED), "skipped");
    assert_status(cursor_of(AT, AT + 1, OUTCOME_TERMINATED), "skipped");
}

static void the_status_of_a_slot_without_a_job_is_skipped_or_scheduler_failed(void **state)
{
    struct cursor cursor = cursor_of(AT, AT + 1, OUTCOME_SUCCEEDED);

    (void)state;
    cursor.tail = OUTCOME_MISSED * 256 + REASON_COALESCED;
    assert_status(cursor, "skipped");
    cursor.tail = OUTCOME_SLOT_CANCELLED * 256 + REASON_USER;
    assert_status(cursor, "skipped");
    cursor.tail = OUTCOME_DROPPED * 256 + REASON_BUFFER;
    assert_status(cursor, "scheduler_failed");
    cursor.tail = OUTCOME_DROPPED * 256 + REASON_QUARANTINED;
    assert_status(cursor, "scheduler_failed");
    cursor.tail = OUTCOME_MISSED * 256 + REASON_PAUSED; /* disabled: it does not run */
    assert_status(cursor, "success");
}

static void secrets_are_hidden_by_their_names_however_deep(void **state)
{
    json_auto_t *json = json_loads(js("{'a':{'Api_Key':{'x':1}},'l':[[{'mySecret':5}],'token'],"
                                      "'password':null,'pass':'p'}"),
                                   0, NULL);
    char *text;

    (void)state;
    jobs_hide_secrets(json);
    text = json_dumps(json, JSON_COMPACT);
    assert_string_equal(text, js("{'a':{'Api_Key':'***'},'l':[[{'mySecret':'***'}],'token'],"
                                 "'password':null,'pass':'p'}"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_status_of_a_run_is_success_until_the_job_reports_otherwise),
        cmocka_unit_test(the_status_of_a_slot_without_a_job_is_skipped_or_scheduler_failed),
        cmocka_unit_test(secrets_are_hidden_by_their_names_however_deep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
