/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The status of each call of Conductor's API, as in the tests of its REST layer: those of the
 * current Conductor (200) where the older one answered 201 and 204; clients accept any 2xx.
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
    assert_told("status", "404");
    assert_told("message", "'Schedule 'ghost' not found'");
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
    assert_int_equal(post(S, js("{'name':'a','cronExpression':'bad',"
                                "'startWorkflowRequest':{'name':'wf'}}")),
                     400);
    assert_told("status", "400");
    assert_told("retryable", "false");
}

static void s_rest_one_is_shown(void **state)
{
    (void)state;
    save("a", "");
    assert_int_equal(get(S "/a"), 200);
    assert_string_equal(world.call.content_type, "application/json");
}

static void s_rest_one_that_is_missing_is_404(void **state)
{
    (void)state;
    assert_missing(get(S "/ghost"));
}

static void s_rest_all_are_a_list(void **state)
{
    (void)state;
    assert_int_equal(get(S), 200);
    assert_true(json_is_array(world.json));
    save("a", "");
    assert_int_equal(get(S), 200);
    assert_int_equal(json_array_size(world.json), 1);
}

static void s_rest_those_of_a_workflow_are_a_list(void **state)
{
    (void)state;
    save("a", "");
    assert_int_equal(get(S "?workflowName=wf"), 200);
    assert_int_equal(json_array_size(world.json), 1);
    assert_int_equal(get(S "?workflowName=none"), 200);
    assert_told("", "[]");
}

static void s_rest_one_is_deleted(void **state)
{
    (void)state;
    save("a", "");
    assert_empty(ask("DELETE " S "/a", NULL, NULL));
}

static void s_rest_deleting_a_missing_one_is_404(void **state)
{
    (void)state;
    assert_missing(ask("DELETE " S "/ghost", NULL, NULL));
}

static void s_rest_one_is_paused(void **state)
{
    (void)state;
    save("a", "");
    assert_empty(ask("PUT " S "/a/pause", NULL, NULL));
}

static void s_rest_pausing_a_missing_one_is_404(void **state)
{
    (void)state;
    assert_missing(ask("PUT " S "/ghost/pause?reason=x", NULL, NULL));
}

static void s_rest_one_is_resumed(void **state)
{
    (void)state;
    save("a", ",'paused':true");
    assert_empty(ask("PUT " S "/a/resume", NULL, NULL));
    assert_empty(ask("PUT " S "/a/resume", NULL, NULL)); /* not paused: accepted */
}

static void s_rest_resuming_a_missing_one_is_404(void **state)
{
    (void)state;
    assert_missing(ask("PUT " S "/ghost/resume", NULL, NULL));
}

static void m_next_execution_times_of_a_missing_one_are_404(void **state)
{
    (void)state;
    assert_missing(get(S "/ghost/next-execution-times"));
}

static void m_history_of_a_missing_one_is_404(void **state)
{
    (void)state;
    assert_missing(get(S "/ghost/executions"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(s_rest_a_valid_schedule_is_saved),
        SERVED(s_rest_an_invalid_schedule_is_400),
        SERVED(s_rest_one_is_shown),
        SERVED(s_rest_one_that_is_missing_is_404),
        SERVED(s_rest_all_are_a_list),
        SERVED(s_rest_those_of_a_workflow_are_a_list),
        SERVED(s_rest_one_is_deleted),
        SERVED(s_rest_deleting_a_missing_one_is_404),
        SERVED(s_rest_one_is_paused),
        SERVED(s_rest_pausing_a_missing_one_is_404),
        SERVED(s_rest_one_is_resumed),
        SERVED(s_rest_resuming_a_missing_one_is_404),
        SERVED(m_next_execution_times_of_a_missing_one_are_404),
        SERVED(m_history_of_a_missing_one_is_404),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
