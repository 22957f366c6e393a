/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters, orders and pages of the searches of Conductor's API.  Each test is a row of
 * test/mission/conductor.txt, of group M (m_) or H (h_).
 */
#include "conductor.h"

#define FIND "/api/scheduler/schedules/search"
#define RUNS "/api/scheduler/search/executions"

/* ---- schedules ---- */

static void save_later(const char *name, const char *workflow, const char *more)
{
    assert_int_equal(post(SCHEDULES, js("{'name':'%s','cronExpression':'0 * * * * ?',"
                                        "'startWorkflowRequest':{'name':'%s'}%s}",
                                        name, workflow, more)),
                     200);
    world.now += SPAN_S;
}

/* Created in this order, a second apart; the first one is changed last. */
static void make_schedules(void)
{
    save_later("Beta-job", "two", "");
    save_later("alpha-job", "one", ",'paused':true");
    save_later("gamma", "two", "");
    save_later("delta", "two", ",'paused':true");
    assert_int_equal(ask("PUT " SCHEDULES "/Beta-job/pause", NULL, NULL), 200);
}

/* `expected` is "COUNT: NAME NAME". */
static void assert_schedules(const char *query, const char *expected)
{
    char text[512];
    struct buf out = BUF(text);
    const json_t *results;

    assert_int_equal(get(js(FIND "%s", query)), 200);
    results = json_object_get(world.json, "results");
    buf_printf(&out, "%s:", json_at("totalHits"));
    for (size_t i = 0; i < json_array_size(results); i++)
        buf_printf(&out, " %s",
                   json_string_value(json_object_get(json_array_get(results, i), "name")));
    assert_string_equal(text, expected);
}

#define SCHEDULE_TEST(name, query, expected) \
    static void name(void **state)           \
    {                                        \
        (void)state;                         \
        make_schedules();                    \
        assert_schedules(query, expected);   \
    }

#define ALL "4: Beta-job alpha-job delta gamma"

SCHEDULE_TEST(m_schedules_all, "", ALL)
SCHEDULE_TEST(m_schedules_by_workflow_exactly, "?workflowName=two", "3: Beta-job delta gamma")
SCHEDULE_TEST(m_schedules_by_an_unused_workflow, "?workflowName=three", "0:")
SCHEDULE_TEST(m_schedules_by_free_text, "?freeText=-job", "2: Beta-job alpha-job")
SCHEDULE_TEST(m_schedules_by_free_text_in_any_case, "?freeText=ALPHA", "1: alpha-job")
SCHEDULE_TEST(m_schedules_by_the_free_text_star, "?freeText=*", ALL)
SCHEDULE_TEST(m_schedules_by_no_free_text, "?freeText=", ALL)
SCHEDULE_TEST(m_schedules_by_a_part_of_the_name, "?scheduleName=elt", "1: delta")
SCHEDULE_TEST(m_schedules_by_a_part_in_any_case, "?scheduleName=BETA", "1: Beta-job")
SCHEDULE_TEST(m_schedules_that_are_paused, "?paused=true", "3: Beta-job alpha-job delta")
SCHEDULE_TEST(m_schedules_that_are_not_paused, "?paused=false", "1: gamma")
SCHEDULE_TEST(m_schedules_paused_or_not, "?paused=", ALL)
SCHEDULE_TEST(m_schedules_of_a_page, "?start=1&size=2", "4: alpha-job delta")
SCHEDULE_TEST(m_schedules_are_counted_before_paging, "?size=1", "4: Beta-job")
SCHEDULE_TEST(m_schedules_past_the_end, "?start=10&size=2", "4:")
SCHEDULE_TEST(m_schedules_by_name_ascending, "?sort=name:ASC", ALL)
SCHEDULE_TEST(m_schedules_by_name_descending, "?sort=name:DESC",
              "4: gamma delta alpha-job Beta-job")
SCHEDULE_TEST(m_schedules_newest_first, "?sort=createTime:DESC",
              "4: delta gamma alpha-job Beta-job")
SCHEDULE_TEST(m_schedules_oldest_first, "?sort=createTime:ASC",
              "4: Beta-job alpha-job gamma delta")
SCHEDULE_TEST(m_schedules_by_change_ascending, "?sort=updatedTime:ASC",
              "4: alpha-job gamma delta Beta-job")
SCHEDULE_TEST(m_schedules_by_change_descending, "?sort=updatedTime:DESC",
              "4: Beta-job delta gamma alpha-job")
SCHEDULE_TEST(m_schedules_by_two_filters, "?workflowName=two&paused=true", "2: Beta-job delta")
SCHEDULE_TEST(m_schedules_by_three_filters, "?workflowName=two&paused=true&freeText=del",
              "1: delta")
SCHEDULE_TEST(h_schedules_by_an_unknown_name, "?scheduleName=ghost", "0:")

/* ---- executions ---- */

/*
 * Three schedules whose workflows an upstream starts.  For 10:01, the upstream has started that
 * of a (as w-a), refused that of b and not answered for c-sharp.  For 10:02, it has not
 * answered yet.  The workflow of c-sharp is named `Report`, the others `wf`.
 */
static void make_records(void)
{
    world.upstream = "c";
    world.workflow_limit = 10;
    save("a", "");
    save("b", "");
    assert_int_equal(post(SCHEDULES, js("{'name':'c-sharp','cronExpression':'0 * * * * ?',"
                                        "'startWorkflowRequest':{'name':'Report'}}")),
                     200);
    pass_time(SPAN_MIN);
    assert_int_equal(world.dispatch_count, 3);
    report_dispatch(
        0, (struct report){.kind = REPORT_ALIVE, .progress = STR("{\"workflowId\":\"w-a\"}")});
    report_dispatch(1, (struct report){.kind = REPORT_DONE, .outcome = OUTCOME_FAILED});
    pass_time(SPAN_MIN);
    assert_int_equal(world.dispatch_count, 6);
}

/* `expected` is "COUNT: a2 b1": the schedule and the minute of each record. */
static void assert_records(const char *query, const char *expected)
{
    char text[512];
    struct buf out = BUF(text);
    const json_t *results;

    assert_int_equal(get(js(RUNS "%s", query)), 200);
    results = json_object_get(world.json, "results");
    buf_printf(&out, "%s:", json_at("totalHits"));
    for (size_t i = 0; i < json_array_size(results); i++) {
        const json_t *one = json_array_get(results, i);
        json_int_t slot = json_integer_value(json_object_get(one, "scheduledTime"));

        buf_printf(&out, " %s%d", json_string_value(json_object_get(one, "scheduleName")),
                   (int)((slot - 1767607200000) / 60000));
    }
    assert_string_equal(text, expected);
}

#define RECORD_TEST(name, query, expected) \
    static void name(void **state)         \
    {                                      \
        (void)state;                       \
        make_records();                    \
        assert_records(query, expected);   \
    }

#define BY_NAME "&sort=scheduleName:ASC"

static void m_records_without_schedules(void **state)
{
    (void)state;
    assert_records("", "0:");
}

RECORD_TEST(m_records_are_all_counted, "?size=0", "6:")
RECORD_TEST(m_records_of_one_schedule, "?query=scheduleName+IN+(a)", "2: a2 a1")
RECORD_TEST(m_records_of_several_schedules, "?query=scheduleName+IN+(a,b)&size=0", "4:")
RECORD_TEST(m_records_of_an_unknown_schedule, "?query=scheduleName+IN+(ghost)", "0:")
RECORD_TEST(m_records_of_one_status, "?query=status+IN+(FAILED)", "1: b1")
RECORD_TEST(m_records_of_several_states, "?query=status+IN+(FAILED,EXECUTED)" BY_NAME,
            "2: a1 b1")
RECORD_TEST(m_records_of_an_unknown_status, "?query=status+IN+(LOST)", "0:")
RECORD_TEST(m_records_of_a_workflow_type, "?query=workflowType+IN+(Report)",
            "2: c-sharp2 c-sharp1")
RECORD_TEST(m_records_of_an_unknown_workflow_type, "?query=workflowType+IN+(report)", "0:")
RECORD_TEST(m_records_started_after, "?query=startTime%3E1767607260000" BY_NAME,
            "3: a2 b2 c-sharp2")
RECORD_TEST(m_records_started_before, "?query=startTime%3C1767607320000" BY_NAME,
            "3: a1 b1 c-sharp1")
RECORD_TEST(m_records_started_between,
            "?query=startTime%3E1767607200000+AND+startTime%3C1767607261000" BY_NAME,
            "3: a1 b1 c-sharp1")
RECORD_TEST(m_records_of_an_unknown_id, "?query=executionId=%27r_none%27", "0:")
RECORD_TEST(m_records_by_an_unknown_clause, "?query=colour=red&size=0", "6:")
RECORD_TEST(
    m_records_by_combined_clauses,
    "?query=scheduleName+IN+(a,b)+and+status+IN+(POLLED)+AND+workflowType+IN+(wf)" BY_NAME,
    "2: a2 b2")
RECORD_TEST(m_records_by_text_in_the_schedule, "?freeText=SHARP", "2: c-sharp2 c-sharp1")
RECORD_TEST(m_records_by_text_in_the_workflow, "?freeText=w-a", "1: a1")
RECORD_TEST(m_records_by_unmatched_text, "?freeText=nothing", "0:")
RECORD_TEST(m_records_by_the_text_star, "?freeText=*&size=0", "6:")
RECORD_TEST(m_records_by_no_text, "?freeText=&size=0", "6:")
RECORD_TEST(m_records_by_start_ascending, "?query=a&sort=startTime:ASC", "2: a1 a2")
RECORD_TEST(m_records_by_start_descending, "?query=a&sort=startTime:DESC", "2: a2 a1")
RECORD_TEST(m_records_by_slot_ascending, "?query=a&sort=scheduledTime:ASC", "2: a1 a2")
RECORD_TEST(m_records_by_slot_descending, "?query=a&sort=scheduledTime:DESC", "2: a2 a1")
RECORD_TEST(m_records_in_no_order, "?query=a&sort=", "2: a2 a1")
RECORD_TEST(m_records_in_an_order_without_a_direction, "?query=a&sort=scheduledTime",
            "2: a2 a1")
RECORD_TEST(m_records_of_a_page, "?query=scheduleName+IN+(a)&start=1&size=1", "2: a1")
RECORD_TEST(m_records_past_the_end, "?start=60", "6:")
RECORD_TEST(h_records_of_a_bare_word, "?query=b", "2: b2 b1")
RECORD_TEST(h_records_by_a_part_of_the_workflow, "?query=workflowName=REP",
            "2: c-sharp2 c-sharp1")
RECORD_TEST(h_records_of_a_state, "?query=state+IN+(EXECUTED)", "1: a1")
RECORD_TEST(h_records_of_slots_after, "?query=scheduledTime%3E1767607260000" BY_NAME,
            "3: a2 b2 c-sharp2")
RECORD_TEST(h_records_of_slots_between,
            "?query=scheduledTime%3E1767607200000+AND+scheduledTime%3C1767607320000" BY_NAME,
            "3: a1 b1 c-sharp1")
RECORD_TEST(h_records_by_combined_clauses,
            "?query=scheduleName+IN+(a,c-sharp)+AND+state+IN+(POLLED)+AND+workflowName=wf",
            "1: a2")
RECORD_TEST(h_records_by_an_empty_query, "?query=&size=0", "6:")

static void id_of_first(const char *query, char ret[64])
{
    assert_int_equal(get(js(RUNS "%s", query)), 200);
    snprintf(ret, 64, "%s", text_at("results.0.executionId").ptr);
}

static void m_records_of_an_id(void **state)
{
    char id[64];

    (void)state;
    make_records();
    id_of_first("?query=status+IN+(FAILED)", id);
    assert_records(js("?query=executionId=%%27%s%%27", id), "1: b1");
}

static void h_records_of_an_id(void **state)
{
    char id[64];

    (void)state;
    make_records();
    id_of_first("?query=state+IN+(EXECUTED)", id);
    assert_records(js("?query=executionId=%s", id), "1: a1");
}

static void m_records_by_text_in_the_id(void **state)
{
    char id[64];

    (void)state;
    make_records();
    id_of_first("?query=status+IN+(FAILED)", id);
    assert_records(js("?freeText=%s", id), "1: b1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(m_schedules_all),
        API_TEST(m_schedules_by_workflow_exactly),
        API_TEST(m_schedules_by_an_unused_workflow),
        API_TEST(m_schedules_by_free_text),
        API_TEST(m_schedules_by_free_text_in_any_case),
        API_TEST(m_schedules_by_the_free_text_star),
        API_TEST(m_schedules_by_no_free_text),
        API_TEST(m_schedules_by_a_part_of_the_name),
        API_TEST(m_schedules_by_a_part_in_any_case),
        API_TEST(m_schedules_that_are_paused),
        API_TEST(m_schedules_that_are_not_paused),
        API_TEST(m_schedules_paused_or_not),
        API_TEST(m_schedules_of_a_page),
        API_TEST(m_schedules_are_counted_before_paging),
        API_TEST(m_schedules_past_the_end),
        API_TEST(m_schedules_by_name_ascending),
        API_TEST(m_schedules_by_name_descending),
        API_TEST(m_schedules_newest_first),
        API_TEST(m_schedules_oldest_first),
        API_TEST(m_schedules_by_change_ascending),
        API_TEST(m_schedules_by_change_descending),
        API_TEST(m_schedules_by_two_filters),
        API_TEST(m_schedules_by_three_filters),
        API_TEST(h_schedules_by_an_unknown_name),
        API_TEST(m_records_without_schedules),
        API_TEST(m_records_are_all_counted),
        API_TEST(m_records_of_one_schedule),
        API_TEST(m_records_of_several_schedules),
        API_TEST(m_records_of_an_unknown_schedule),
        API_TEST(m_records_of_one_status),
        API_TEST(m_records_of_several_states),
        API_TEST(m_records_of_an_unknown_status),
        API_TEST(m_records_of_a_workflow_type),
        API_TEST(m_records_of_an_unknown_workflow_type),
        API_TEST(m_records_started_after),
        API_TEST(m_records_started_before),
        API_TEST(m_records_started_between),
        API_TEST(m_records_of_an_id),
        API_TEST(m_records_of_an_unknown_id),
        API_TEST(m_records_by_an_unknown_clause),
        API_TEST(m_records_by_combined_clauses),
        API_TEST(m_records_by_text_in_the_schedule),
        API_TEST(m_records_by_text_in_the_workflow),
        API_TEST(m_records_by_text_in_the_id),
        API_TEST(m_records_by_unmatched_text),
        API_TEST(m_records_by_the_text_star),
        API_TEST(m_records_by_no_text),
        API_TEST(m_records_by_start_ascending),
        API_TEST(m_records_by_start_descending),
        API_TEST(m_records_by_slot_ascending),
        API_TEST(m_records_by_slot_descending),
        API_TEST(m_records_in_no_order),
        API_TEST(m_records_in_an_order_without_a_direction),
        API_TEST(m_records_of_a_page),
        API_TEST(m_records_past_the_end),
        API_TEST(h_records_of_a_bare_word),
        API_TEST(h_records_by_a_part_of_the_workflow),
        API_TEST(h_records_of_a_state),
        API_TEST(h_records_of_slots_after),
        API_TEST(h_records_of_slots_between),
        API_TEST(h_records_of_an_id),
        API_TEST(h_records_by_combined_clauses),
        API_TEST(h_records_by_an_empty_query),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
