/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The status codes of Conductor's API, as in the tests of its REST layer (s_ and m_ are rows of
 * test/mission/conductor.txt).  Where the older Conductor returned 201 or 204, they are those
 * of the current one, 200; clients accept any 2xx.
 */
#include "conductor.h"

/* 200 without a body and without a Content-Type, as clients expect. */
static void assert_empty(int status)
{
    assert_int_equal(status, 200);
    assert_int_equal(world.call.answer.len, 0);
    assert_null(world.call.content_type);
}

static void assert_missing(int status)
{
    assert_int_equal(status, 404);
    assert_json("status", "404");
    assert_json("message", "'Schedule 'ghost' not found'");
}

static void s_rest_a_valid_schedule_is_saved(void **state)
{
    (void)state;
    assert_int_equal(save("a", ""), 200);
    assert_string_equal(world.call.content_type, "application/json");
}

static void s_rest_an_invalid_schedule_is_400(void **state)
{
    (void)state;
    assert_int_equal(post(SCHEDULES, js("{'name':'a','cronExpression':'bad',"
                                        "'startWorkflowRequest':{'name':'wf'}}")),
                     400);
    assert_json("status", "400");
    assert_json("retryable", "false");
}

static void s_rest_one_is_shown(void **state)
{
    (void)state;
    save("a", "");
    assert_int_equal(get(SCHEDULES "/a"), 200);
    assert_string_equal(world.call.content_type, "application/json");
}

static void s_rest_one_that_is_missing_is_404(void **state)
{
    (void)state;
    assert_missing(get(SCHEDULES "/ghost"));
}

static void s_rest_all_are_a_list(void **state)
{
    (void)state;
    assert_int_equal(get(SCHEDULES), 200);
    assert_true(json_is_array(world.json));
    save("a", "");
    assert_int_equal(get(SCHEDULES), 200);
    assert_int_equal(json_array_size(world.json), 1);
}

static void s_rest_those_of_a_workflow_are_a_list(void **state)
{
    (void)state;
    save("a", "");
    assert_int_equal(get(SCHEDULES "?workflowName=wf"), 200);
    assert_int_equal(json_array_size(world.json), 1);
    assert_int_equal(get(SCHEDULES "?workflowName=none"), 200);
    assert_json("", "[]");
}

static void s_rest_one_is_deleted(void **state)
{
    (void)state;
    save("a", "");
    assert_empty(ask("DELETE " SCHEDULES "/a", NULL, NULL));
}

static void s_rest_deleting_a_missing_one_is_404(void **state)
{
    (void)state;
    assert_missing(ask("DELETE " SCHEDULES "/ghost", NULL, NULL));
}

static void s_rest_one_is_paused(void **state)
{
    (void)state;
    save("a", "");
    assert_empty(ask("PUT " SCHEDULES "/a/pause", NULL, NULL));
}

static void s_rest_pausing_a_missing_one_is_404(void **state)
{
    (void)state;
    assert_missing(ask("PUT " SCHEDULES "/ghost/pause?reason=x", NULL, NULL));
}

static void s_rest_one_is_resumed(void **state)
{
    (void)state;
    save("a", ",'paused':true");
    assert_empty(ask("PUT " SCHEDULES "/a/resume", NULL, NULL));
    assert_empty(ask("PUT " SCHEDULES "/a/resume", NULL, NULL)); /* not paused: accepted */
}

static void s_rest_resuming_a_missing_one_is_404(void **state)
{
    (void)state;
    assert_missing(ask("PUT " SCHEDULES "/ghost/resume", NULL, NULL));
}

static void m_next_execution_times_of_a_missing_one_are_404(void **state)
{
    (void)state;
    assert_missing(get(SCHEDULES "/ghost/next-execution-times"));
}

static void m_history_of_a_missing_one_is_404(void **state)
{
    (void)state;
    assert_missing(get(SCHEDULES "/ghost/executions"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(s_rest_a_valid_schedule_is_saved),
        API_TEST(s_rest_an_invalid_schedule_is_400),
        API_TEST(s_rest_one_is_shown),
        API_TEST(s_rest_one_that_is_missing_is_404),
        API_TEST(s_rest_all_are_a_list),
        API_TEST(s_rest_those_of_a_workflow_are_a_list),
        API_TEST(s_rest_one_is_deleted),
        API_TEST(s_rest_deleting_a_missing_one_is_404),
        API_TEST(s_rest_one_is_paused),
        API_TEST(s_rest_pausing_a_missing_one_is_404),
        API_TEST(s_rest_one_is_resumed),
        API_TEST(s_rest_resuming_a_missing_one_is_404),
        API_TEST(m_next_execution_times_of_a_missing_one_are_404),
        API_TEST(m_history_of_a_missing_one_is_404),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
