/* SPDX-License-Identifier: Apache-2.0 */
#include "world.h"

static char id[RUN_ID_TEXT_MAX];

static void start(void)
{
    assert_int_equal(post("/api/v1/schedules", js("{'id':'s','action':{'type':'queue','queue':"
                                                  "'q'}}")),
                     201);
    assert_int_equal(post("/api/v1/schedules/s/trigger", ""), 202);
    snprintf(id, sizeof id, "%s", text_at("id").ptr);
}

static void a_run_is_cancelled_before_anyone_has_it(void **state)
{
    (void)state;
    start();
    assert_int_equal(post(js("/api/v1/runs/%s/cancel", id), ""), 202);
    assert_true(str_eq(text_at("id"), str_of(id)));
    assert_refused(post(js("/api/v1/runs/%s/cancel", id), ""), 404, "not_found", "");
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    assert_told("runs", "[]");
}

static void a_run_is_terminated_whoever_has_it(void **state)
{
    (void)state;
    start();
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    assert_int_equal(post(js("/api/v1/runs/%s/terminate", id), "{}"), 200);
    assert_refused(post(js("/api/v1/runs/%s/heartbeat", id), js("{'fence':1}")), 409,
                   "stale_fence", "");
}

static void runs_of_another_namespace_are_not_there(void **state)
{
    (void)state;
    start();
    assert_int_equal(ask("PUT /api/v1/namespaces/other", NULL, ""), 201);
    assert_refused(post(js("/api/v1/runs/%s/cancel?namespace=other", id), ""), 404, "not_found",
                   "");
    assert_refused(post(js("/api/v1/runs/%s/terminate?namespace=other", id), ""), 404,
                   "not_found", "");
    assert_int_equal(post(js("/api/v1/runs/%s/terminate", id), ""), 200);
}

static void what_is_no_run_is_not_found(void **state)
{
    (void)state;
    assert_refused(post("/api/v1/runs/nightly/cancel", ""), 404, "not_found", "");
    assert_refused(post("/api/v1/runs/r_0000000000000000000000/terminate", ""), 404,
                   "not_found", "");
    start();
    assert_refused(post(js("/api/v1/runs/%s/cancel", id), js("{'why':'x'}")), 400,
                   "invalid_field", "why");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(a_run_is_cancelled_before_anyone_has_it),
        SERVED(a_run_is_terminated_whoever_has_it),
        SERVED(runs_of_another_namespace_are_not_there),
        SERVED(what_is_no_run_is_not_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
