/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches of Conductor's API, one test for each line of the acceptance lists of its own
 * tests: m_ for the version that first spoke Orkes' dialect, h_ for the current one.
 */
#include "conductor.h"

#define FIND "/api/scheduler/schedules/search"
#define RUNS "/api/scheduler/search/executions"

/* ---- schedules ---- */

static void save_later(const char *name, const char *workflow, const char *more)
{
    assert_int_equal(post(S, js("{'name':'%s','cronExpression':'0 * * * * ?',"
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
    assert_int_equal(ask("PUT " S "/Beta-job/pause", NULL, NULL), 200);
}

/* "COUNT: NAME NAME" */
static void assert_schedules(const char *query, const char *expected)
{
    char text[512];
    struct buf out = BUF(text);
    const json_t *results;

    assert_int_equal(get(js(FIND "%s", query)), 200);
    results = json_object_get(world.json, "results");
    buf_printf(&out, "%s:", told("totalHits"));
    for (size_t i = 0; i < json_array_size(results); i++)
        buf_printf(&out, " %s",
                   json_string_value(json_object_get(json_array_get(results, i), "name")));
    assert_string_equal(text, expected);
}

#define SCHEDULES(name, query, expected)   \
    static void name(void **state)         \
    {                                      \
        (void)state;                       \
        make_schedules();                  \
        assert_schedules(query, expected); \
    }

#define ALL "4: Beta-job alpha-job delta gamma"

SCHEDULES(m_schedules_all, "", ALL)
SCHEDULES(m_schedules_by_workflow_exactly, "?workflowName=two", "3: Beta-job delta gamma")
SCHEDULES(m_schedules_by_a_workflow_of_none, "?workflowName=three", "0:")
SCHEDULES(m_schedules_by_free_text, "?freeText=-job", "2: Beta-job alpha-job")
SCHEDULES(m_schedules_by_free_text_in_any_case, "?freeText=ALPHA", "1: alpha-job")
SCHEDULES(m_schedules_by_the_free_text_of_all, "?freeText=*", ALL)
SCHEDULES(m_schedules_by_no_free_text, "?freeText=", ALL)
SCHEDULES(m_schedules_by_a_part_of_the_name, "?scheduleName=elt", "1: delta")
SCHEDULES(m_schedules_by_a_part_in_any_case, "?scheduleName=BETA", "1: Beta-job")
SCHEDULES(m_schedules_that_are_paused, "?paused=true", "3: Beta-job alpha-job delta")
SCHEDULES(m_schedules_that_are_not_paused, "?paused=false", "1: gamma")
SCHEDULES(m_schedules_paused_or_not, "?paused=", ALL)
SCHEDULES(m_schedules_of_a_page, "?start=1&size=2", "4: alpha-job delta")
SCHEDULES(m_schedules_are_counted_before_paging, "?size=1", "4: Beta-job")
SCHEDULES(m_schedules_past_the_end, "?start=10&size=2", "4:")
SCHEDULES(m_schedules_by_name_up, "?sort=name:ASC", ALL)
SCHEDULES(m_schedules_by_name_down, "?sort=name:DESC", "4: gamma delta alpha-job Beta-job")
SCHEDULES(m_schedules_newest_first, "?sort=createTime:DESC",
          "4: delta gamma alpha-job Beta-job")
SCHEDULES(m_schedules_oldest_first, "?sort=createTime:ASC", "4: Beta-job alpha-job gamma delta")
SCHEDULES(m_schedules_by_change_up, "?sort=updatedTime:ASC",
          "4: alpha-job gamma delta Beta-job")
SCHEDULES(m_schedules_by_change_down, "?sort=updatedTime:DESC",
          "4: Beta-job delta gamma alpha-job")
SCHEDULES(m_schedules_by_two_filters, "?workflowName=two&paused=true", "2: Beta-job delta")
SCHEDULES(m_schedules_by_three_filters, "?workflowName=two&paused=true&freeText=del",
          "1: delta")
SCHEDULES(h_schedules_by_an_unknown_name, "?scheduleName=ghost", "0:")

/* ---- executions ---- */

/*
 * Workflows of an upstream.  10:01: the one of a was started there (w-a), that of b was
 * refused, that of c is being started; 10:02: no answers yet.  The workflow of c is named
 * `Report`, the others `wf`.
 */
static void make_records(void)
{
    world.upstream = "c";
    world.flows = 10;
    save("a", "");
    save("b", "");
    assert_int_equal(post(S, js("{'name':'c-sharp','cronExpression':'0 * * * * ?',"
                                "'startWorkflowRequest':{'name':'Report'}}")),
                     200);
    pass(SPAN_MIN);
    assert_int_equal(world.dispatch_count, 3);
    report_call(
        0, (struct report){.kind = REPORT_ALIVE, .progress = STR("{\"workflowId\":\"w-a\"}")});
    report_call(1, (struct report){.kind = REPORT_DONE, .outcome = OUTCOME_FAILED});
    pass(SPAN_MIN);
    assert_int_equal(world.dispatch_count, 6);
}

/* "COUNT: a2 b1", the minute after the name. */
static void assert_records(const char *query, const char *expected)
{
    char text[512];
    struct buf out = BUF(text);
    const json_t *results;

    assert_int_equal(get(js(RUNS "%s", query)), 200);
    results = json_object_get(world.json, "results");
    buf_printf(&out, "%s:", told("totalHits"));
    for (size_t i = 0; i < json_array_size(results); i++) {
        const json_t *one = json_array_get(results, i);
        json_int_t slot = json_integer_value(json_object_get(one, "scheduledTime"));

        buf_printf(&out, " %s%d", json_string_value(json_object_get(one, "scheduleName")),
                   (int)((slot - 1767607200000) / 60000));
    }
    assert_string_equal(text, expected);
}

#define RECORDS(name, query, expected)   \
    static void name(void **state)       \
    {                                    \
        (void)state;                     \
        make_records();                  \
        assert_records(query, expected); \
    }

#define UP "&sort=scheduleName:ASC"

static void m_records_of_nothing(void **state)
{
    (void)state;
    assert_records("", "0:");
}

RECORDS(m_records_are_all_counted, "?size=0", "6:")
RECORDS(m_records_of_one_schedule, "?query=scheduleName+IN+(a)", "2: a2 a1")
RECORDS(m_records_of_several_schedules, "?query=scheduleName+IN+(a,b)&size=0", "4:")
RECORDS(m_records_of_a_schedule_of_none, "?query=scheduleName+IN+(ghost)", "0:")
RECORDS(m_records_of_one_status, "?query=status+IN+(FAILED)", "1: b1")
RECORDS(m_records_of_several_states, "?query=status+IN+(FAILED,EXECUTED)" UP, "2: a1 b1")
RECORDS(m_records_of_a_status_of_none, "?query=status+IN+(LOST)", "0:")
RECORDS(m_records_of_a_workflow_type, "?query=workflowType+IN+(Report)", "2: c-sharp2 c-sharp1")
RECORDS(m_records_of_a_workflow_type_of_none, "?query=workflowType+IN+(report)", "0:")
RECORDS(m_records_started_after, "?query=startTime%3E1767607260000" UP, "3: a2 b2 c-sharp2")
RECORDS(m_records_started_before, "?query=startTime%3C1767607320000" UP, "3: a1 b1 c-sharp1")
RECORDS(m_records_started_between,
        "?query=startTime%3E1767607200000+AND+startTime%3C1767607261000" UP,
        "3: a1 b1 c-sharp1")
RECORDS(m_records_of_an_id_of_none, "?query=executionId=%27r_none%27", "0:")
RECORDS(m_records_by_an_unknown_clause, "?query=colour=red&size=0", "6:")
RECORDS(m_records_by_combined_clauses,
        "?query=scheduleName+IN+(a,b)+and+status+IN+(POLLED)+AND+workflowType+IN+(wf)" UP,
        "2: a2 b2")
RECORDS(m_records_by_text_in_the_schedule, "?freeText=SHARP", "2: c-sharp2 c-sharp1")
RECORDS(m_records_by_text_in_the_workflow, "?freeText=w-a", "1: a1")
RECORDS(m_records_by_text_of_none, "?freeText=nothing", "0:")
RECORDS(m_records_by_the_text_of_all, "?freeText=*&size=0", "6:")
RECORDS(m_records_by_no_text, "?freeText=&size=0", "6:")
RECORDS(m_records_by_start_up, "?query=a&sort=startTime:ASC", "2: a1 a2")
RECORDS(m_records_by_start_down, "?query=a&sort=startTime:DESC", "2: a2 a1")
RECORDS(m_records_by_slot_up, "?query=a&sort=scheduledTime:ASC", "2: a1 a2")
RECORDS(m_records_by_slot_down, "?query=a&sort=scheduledTime:DESC", "2: a2 a1")
RECORDS(m_records_in_no_order, "?query=a&sort=", "2: a2 a1")
RECORDS(m_records_in_an_order_without_a_way, "?query=a&sort=scheduledTime", "2: a2 a1")
RECORDS(m_records_of_a_page, "?query=scheduleName+IN+(a)&start=1&size=1", "2: a1")
RECORDS(m_records_past_the_end, "?start=60", "6:")
RECORDS(h_records_of_a_bare_word, "?query=b", "2: b2 b1")
RECORDS(h_records_by_a_part_of_the_workflow, "?query=workflowName=REP", "2: c-sharp2 c-sharp1")
RECORDS(h_records_of_a_state, "?query=state+IN+(EXECUTED)", "1: a1")
RECORDS(h_records_of_slots_after, "?query=scheduledTime%3E1767607260000" UP,
        "3: a2 b2 c-sharp2")
RECORDS(h_records_of_slots_between,
        "?query=scheduledTime%3E1767607200000+AND+scheduledTime%3C1767607320000" UP,
        "3: a1 b1 c-sharp1")
RECORDS(h_records_by_combined_clauses,
        "?query=scheduleName+IN+(a,c-sharp)+AND+state+IN+(POLLED)+AND+workflowName=wf", "1: a2")
RECORDS(h_records_by_an_empty_query, "?query=&size=0", "6:")

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
        SERVED(m_schedules_all),
        SERVED(m_schedules_by_workflow_exactly),
        SERVED(m_schedules_by_a_workflow_of_none),
        SERVED(m_schedules_by_free_text),
        SERVED(m_schedules_by_free_text_in_any_case),
        SERVED(m_schedules_by_the_free_text_of_all),
        SERVED(m_schedules_by_no_free_text),
        SERVED(m_schedules_by_a_part_of_the_name),
        SERVED(m_schedules_by_a_part_in_any_case),
        SERVED(m_schedules_that_are_paused),
        SERVED(m_schedules_that_are_not_paused),
        SERVED(m_schedules_paused_or_not),
        SERVED(m_schedules_of_a_page),
        SERVED(m_schedules_are_counted_before_paging),
        SERVED(m_schedules_past_the_end),
        SERVED(m_schedules_by_name_up),
        SERVED(m_schedules_by_name_down),
        SERVED(m_schedules_newest_first),
        SERVED(m_schedules_oldest_first),
        SERVED(m_schedules_by_change_up),
        SERVED(m_schedules_by_change_down),
        SERVED(m_schedules_by_two_filters),
        SERVED(m_schedules_by_three_filters),
        SERVED(h_schedules_by_an_unknown_name),
        SERVED(m_records_of_nothing),
        SERVED(m_records_are_all_counted),
        SERVED(m_records_of_one_schedule),
        SERVED(m_records_of_several_schedules),
        SERVED(m_records_of_a_schedule_of_none),
        SERVED(m_records_of_one_status),
        SERVED(m_records_of_several_states),
        SERVED(m_records_of_a_status_of_none),
        SERVED(m_records_of_a_workflow_type),
        SERVED(m_records_of_a_workflow_type_of_none),
        SERVED(m_records_started_after),
        SERVED(m_records_started_before),
        SERVED(m_records_started_between),
        SERVED(m_records_of_an_id),
        SERVED(m_records_of_an_id_of_none),
        SERVED(m_records_by_an_unknown_clause),
        SERVED(m_records_by_combined_clauses),
        SERVED(m_records_by_text_in_the_schedule),
        SERVED(m_records_by_text_in_the_workflow),
        SERVED(m_records_by_text_in_the_id),
        SERVED(m_records_by_text_of_none),
        SERVED(m_records_by_the_text_of_all),
        SERVED(m_records_by_no_text),
        SERVED(m_records_by_start_up),
        SERVED(m_records_by_start_down),
        SERVED(m_records_by_slot_up),
        SERVED(m_records_by_slot_down),
        SERVED(m_records_in_no_order),
        SERVED(m_records_in_an_order_without_a_way),
        SERVED(m_records_of_a_page),
        SERVED(m_records_past_the_end),
        SERVED(h_records_of_a_bare_word),
        SERVED(h_records_by_a_part_of_the_workflow),
        SERVED(h_records_of_a_state),
        SERVED(h_records_of_slots_after),
        SERVED(h_records_of_slots_between),
        SERVED(h_records_of_an_id),
        SERVED(h_records_by_combined_clauses),
        SERVED(h_records_by_an_empty_query),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
