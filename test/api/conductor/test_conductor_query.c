/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The query of executions in both dialects, and the order of results, on five records that
 * differ in every field.  Tests whose names begin with m_ or h_ are rows of
 * test/mission/conductor.txt.
 */
#include "world.h"

#include "api/conductor/conductor_query.h"

#define MS(n) ((n)*SPAN_MS)

static const struct conductor_found all[] = {
    {{"e1", 2}, {"daily", 5}, {"report", 6}, {"w1", 2}, EXECUTION_EXECUTED, MS(100), MS(105)},
    {{"e2", 2}, {"daily", 5}, {"report", 6}, {"", 0}, EXECUTION_FAILED, MS(200), MS(201)},
    {{"e3", 2}, {"hourly", 6}, {"clean", 5}, {"w3", 2}, EXECUTION_EXECUTED, MS(300), MS(390)},
    {{"e4", 2}, {"hourly", 6}, {"Clean-2", 7}, {"", 0}, EXECUTION_POLLED, MS(400), MS(380)},
    {{"e5", 2},
     {"salt and pepper", 15},
     {"", 0},
     {"x9", 2},
     EXECUTION_EXECUTED,
     MS(500),
     MS(500)},
};

enum { ALL = sizeof all / sizeof all[0] };

/* The numbers of the matching records, "1 3". */
static const char *found(const char *query, const char *text)
{
    static char list[64];
    struct conductor_query read;
    struct buf out = BUF(list);
    struct err err;

    list[0] = '\0';
    if (conductor_query_read(str_of(query), str_of(text), &read, &err) != RC_OK)
        return "invalid";
    for (int i = 0; i < ALL; i++)
        if (conductor_query_fits(&read, &all[i]))
            buf_printf(&out, "%s%d", out.len > 0 ? " " : "", i + 1);
    return list;
}

#define assert_found(query, expected) assert_string_equal(found(query, "*"), expected)

static void m_an_empty_query_finds_all(void **state)
{
    (void)state;
    assert_found("", "1 2 3 4 5");
    assert_found("   ", "1 2 3 4 5");
    assert_found("*", "1 2 3 4 5");
}

static void m_schedule_names(void **state)
{
    (void)state;
    assert_found("scheduleName IN (daily)", "1 2");
    assert_found("scheduleName IN (daily,hourly)", "1 2 3 4");
    assert_found("scheduleName in ( daily , 'hourly' )", "1 2 3 4");
    assert_found("scheduleName IN (DAILY)", "");
    assert_found("scheduleName IN (none)", "");
    assert_found("scheduleName IN ()", "");
    assert_found("scheduleName=daily", "1 2");
    assert_found("scheduleName IN (salt and pepper)", "5");
}

static void m_states_by_either_name(void **state)
{
    (void)state;
    assert_found("status IN (EXECUTED)", "1 3 5");
    assert_found("state IN (FAILED,POLLED)", "2 4");
    assert_found("state IN (NONE)", "");
    assert_found("state=FAILED", "2");
}

static void m_workflow_types_are_exact(void **state)
{
    (void)state;
    assert_found("workflowType IN (report)", "1 2");
    assert_found("workflowType IN (clean,report)", "1 2 3");
    assert_found("workflowType IN (rep)", "");
}

static void h_workflow_name_matches_a_part(void **state)
{
    (void)state;
    assert_found("workflowName=clean", "3 4");
    assert_found("workflowName=REP", "1 2");
    assert_found("workflowName=none", "");
}

static void m_start_time_is_that_of_the_execution(void **state)
{
    (void)state;
    assert_found("startTime>201", "3 4 5");
    assert_found("startTime<201", "1");
    assert_found("startTime>105 AND startTime<390", "2 4");
    assert_found("startTime > 'x'", "invalid");
    assert_found("startTime>", "invalid");
    assert_found("scheduledTime<12h", "invalid");
}

static void h_scheduled_time_is_that_of_the_slot(void **state)
{
    (void)state;
    assert_found("scheduledTime>200", "3 4 5");
    assert_found("scheduledTime<200", "1");
    assert_found("scheduledTime>100 AND scheduledTime<400", "2 3");
}

static void m_execution_id_with_and_without_quotes(void **state)
{
    (void)state;
    assert_found("executionId='e3'", "3");
    assert_found("executionId=e3", "3");
    assert_found("executionId=\"e3\"", "3");
    assert_found("executionId='e'", "");
}

static void m_an_unknown_clause_does_not_filter(void **state)
{
    (void)state;
    assert_found("colour=red", "1 2 3 4 5");
    assert_found("colour=red AND state IN (FAILED)", "2");
    assert_found("scheduleName LIKE daily", "1 2 3 4 5");
}

static void a_malformed_query_is_invalid(void **state)
{
    char list[1024] = "scheduleName IN (n";
    struct buf many = BUF(list);

    (void)state;
    assert_found("state=FAILED OR state=POLLED", "invalid");
    assert_found("scheduleName IN (daily) or scheduleName IN (hourly)", "invalid");
    assert_found("scheduleName IN (a OR b)", "");
    assert_found("scheduleName='a OR b'", "");
    assert_found("scheduleName IN daily", "invalid");
    assert_found("scheduleName IN (daily", "invalid");
    assert_found("scheduleName='daily", "invalid");
    many.len = strlen(list);
    for (int i = 0; i < QUERY_LIST_MAX; i++)
        buf_text(&many, ",n");
    buf_text(&many, ")");
    assert_found(list, "invalid");
}

static void h_a_bare_word_is_a_schedule(void **state)
{
    (void)state;
    assert_found("daily", "1 2");
    assert_found("'salt and pepper'", "1 2 3 4 5"); /* more than one word: not readable */
    assert_found("nothing", "");
}

static void m_and_is_read_in_any_case(void **state)
{
    (void)state;
    assert_found("scheduleName IN (daily) AND status IN (FAILED)", "2");
    assert_found("scheduleName IN (daily) and status IN (FAILED)", "2");
    assert_found("scheduleName IN (daily,hourly) AND status IN (EXECUTED) AND startTime>105",
                 "3");
    assert_found("scheduleName IN (daily) AND ", "1 2");
    assert_found(" AND scheduleName IN (daily)", "1 2");
}

static void m_free_text_is_in_schedule_workflow_or_execution(void **state)
{
    (void)state;
    assert_string_equal(found("", "DAIL"), "1 2");
    assert_string_equal(found("", "w3"), "3");
    assert_string_equal(found("", "e4"), "4");
    assert_string_equal(found("", "nothing"), "");
    assert_string_equal(found("", ""), "1 2 3 4 5");
    assert_string_equal(found("state IN (EXECUTED)", "daily"), "1");
}

/* A single word is always the name of a schedule. */
static void odd_clauses_do_not_filter(void **state)
{
    static const char *const ignored[] = {"=", "  AND  AND ", "a IN b", ">9", "a=)("};
    static const char *const invalid[] = {"(",   "state IN", "state IN (", "state IN b",
                                          "a='", "((((",     ")",          "'"};

    (void)state;
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        assert_found(ignored[i], "1 2 3 4 5");
    for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++)
        assert_found(invalid[i], "invalid");
    assert_found("IN", "");
    assert_found("AND", "");
    assert_found("startTime>99999999999999999999", ""); /* later than any time */
}

/* The first and the last record in this order. */
static void assert_order(const char *text, int first, int last)
{
    struct conductor_sort sort = conductor_sort_read(str_of(text));
    const struct conductor_found *low = &all[0], *high = &all[0];

    for (int i = 1; i < ALL; i++) {
        if (conductor_sort_compare(&sort, &all[i], low) < 0)
            low = &all[i];
        if (conductor_sort_compare(&sort, &all[i], high) > 0)
            high = &all[i];
    }
    assert_int_equal(low - all + 1, first);
    assert_int_equal(high - all + 1, last);
}

static void m_orders(void **state)
{
    (void)state;
    assert_order("", 5, 1); /* newest slot first */
    assert_order("scheduledTime:ASC", 1, 5);
    assert_order("scheduledTime:DESC", 5, 1);
    assert_order("scheduledTime", 5, 1); /* no direction: descending */
    assert_order("startTime:asc", 1, 5);
    assert_order("executionTime:DESC,scheduleName:ASC", 5, 1);
    assert_order("scheduleName:ASC", 1, 5);
    assert_order("workflowName:ASC", 5, 2);
    assert_order("state:ASC", 1, 4);
    assert_order("nonsense:ASC", 1, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m_an_empty_query_finds_all),
        cmocka_unit_test(m_schedule_names),
        cmocka_unit_test(m_states_by_either_name),
        cmocka_unit_test(m_workflow_types_are_exact),
        cmocka_unit_test(h_workflow_name_matches_a_part),
        cmocka_unit_test(m_start_time_is_that_of_the_execution),
        cmocka_unit_test(h_scheduled_time_is_that_of_the_slot),
        cmocka_unit_test(m_execution_id_with_and_without_quotes),
        cmocka_unit_test(m_an_unknown_clause_does_not_filter),
        cmocka_unit_test(a_malformed_query_is_invalid),
        cmocka_unit_test(h_a_bare_word_is_a_schedule),
        cmocka_unit_test(m_and_is_read_in_any_case),
        cmocka_unit_test(m_free_text_is_in_schedule_workflow_or_execution),
        cmocka_unit_test(odd_clauses_do_not_filter),
        cmocka_unit_test(m_orders),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
