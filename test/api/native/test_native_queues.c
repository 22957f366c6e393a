/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues: their depth, pausing them, and their limits.
 */
#include "world.h"

static void make(const char *id, const char *queue)
{
    assert_int_equal(
        post("/api/v1/schedules",
             js("{'id':'%s','action':{'type':'queue','queue':'%s'},'policies':{'overlap':"
                "'allowAll'}}",
                id, queue)),
        201);
}

static void queues_are_listed_by_name(void **state)
{
    (void)state;
    make("a", "q2");
    make("b", "q1");
    make("c", "q3");
    assert_int_equal(get("/api/v1/queues?limit=2"), 200);
    assert_json("", "{'queues':["
                    "{'name':'q1','paused':false,'limit':null,'depth':0,'oldest':null},"
                    "{'name':'q2','paused':false,'limit':null,'depth':0,'oldest':null}],"
                    "'cursor':'q2'}");
    assert_int_equal(get("/api/v1/queues?cursor=q2"), 200);
    assert_json("", "{'queues':["
                    "{'name':'q3','paused':false,'limit':null,'depth':0,'oldest':null}],"
                    "'cursor':null}");
}

/* A claimed run does not count as waiting. */
static void a_list_of_queues_shows_the_depth_of_each(void **state)
{
    (void)state;
    make("a", "q1");
    make("b", "q2");
    assert_int_equal(post("/api/v1/schedules/b/trigger", ""), 202);
    pass_time(SPAN_S);
    assert_int_equal(post("/api/v1/schedules/b/trigger", js("{'overlap':'allowAll'}")), 202);
    assert_int_equal(get("/api/v1/queues"), 200);
    assert_json("queues.0.depth", "0");
    assert_json("queues.0.oldest", "null");
    assert_json("queues.1.depth", "2");
    assert_json("queues.1.oldest", "'2026-01-05T10:00:00.000Z'");
    assert_json("queues.1.more", "absent");
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q2']}")), 200);
    assert_int_equal(get("/api/v1/queues"), 200);
    assert_json("queues.1.depth", "1");
    assert_json("queues.1.oldest", "'2026-01-05T10:00:01.000Z'");
}

static void a_paused_queue_grants_no_runs(void **state)
{
    (void)state;
    make("a", "q");
    assert_int_equal(post("/api/v1/schedules/a/trigger", ""), 202);
    assert_int_equal(post("/api/v1/queues/q/pause", ""), 200);
    assert_json("paused", "true");
    pass_time(2 * SPAN_S);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    assert_json("runs", "[]");
    assert_int_equal(post("/api/v1/queues/q/resume", ""), 200);
    assert_json("paused", "false");
    pass_time(2 * SPAN_S);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    assert_json("runs.0.schedule", "'a'");
}

static void a_missing_queue_cannot_be_paused(void **state)
{
    (void)state;
    assert_refused(post("/api/v1/queues/q/pause", ""), 404, "not_found", "");
    assert_refused(post("/api/v1/queues/q/resume", ""), 404, "not_found", "");
    assert_refused(get("/api/v1/queues/q"), 404, "not_found", "");
    assert_refused(post("/api/v1/queues/q/pause", js("{'why':1}")), 400, "invalid_field",
                   "why");
}

static void a_queue_shows_its_depth_and_oldest_run(void **state)
{
    (void)state;
    make("a", "q");
    assert_int_equal(get("/api/v1/queues/q"), 200);
    assert_json("", "{'name':'q','paused':false,'limit':null,'depth':0,'oldest':null}");
    assert_int_equal(post("/api/v1/schedules/a/trigger", ""), 202);
    pass_time(SPAN_S);
    assert_int_equal(post("/api/v1/schedules/a/trigger", ""), 202);
    assert_int_equal(get("/api/v1/queues/q"), 200);
    assert_json("depth", "2");
    assert_json("oldest", "'2026-01-05T10:00:00.000Z'");
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    assert_int_equal(get("/api/v1/queues/q"), 200);
    assert_json("depth", "1");
    assert_json("oldest", "'2026-01-05T10:00:01.000Z'");
}

static int put(const char *name, const char *body)
{
    return ask(js("PUT /api/v1/queues/%s", name), NULL, js("%s", body));
}

static void claim_all(void)
{
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q'],'max':9,'worker':'w'}")),
                     200);
}

static void a_queue_is_made_and_its_limit_changed(void **state)
{
    (void)state;
    assert_int_equal(put("q", "{'limit':4}"), 200);
    assert_json("", "{'name':'q','paused':false,'limit':4,'depth':0,'oldest':null}");
    assert_int_equal(put("q", "{'limit':1000000}"), 200);
    assert_json("limit", "1000000");
    assert_int_equal(post("/api/v1/queues/q/pause", ""), 200);
    assert_json("limit", "1000000");
    assert_int_equal(get("/api/v1/queues"), 200);
    assert_json("queues", "[{'name':'q','paused':true,'limit':1000000,'depth':0,"
                          "'oldest':null}]");
    assert_int_equal(put("q", "{'limit':null}"), 200);
    assert_json("limit", "null");
    assert_json("paused", "true");
}

/* Three runs wait; the limit is one, and then it is removed. */
static void a_queue_grants_no_more_runs_than_its_limit(void **state)
{
    (void)state;
    make("a", "q");
    for (int i = 0; i < 3; i++)
        assert_int_equal(post("/api/v1/schedules/a/trigger", ""), 202);
    assert_int_equal(put("q", "{'limit':1}"), 200);
    claim_all();
    assert_json("runs.0.schedule", "'a'");
    assert_json("runs.1", "absent");
    claim_all();
    assert_json("runs", "[]");
    assert_int_equal(get("/api/v1/queues/q"), 200);
    assert_json("depth", "2");
    assert_int_equal(put("q", "{'limit':null}"), 200);
    claim_all();
    assert_json("runs.1.schedule", "'a'");
    assert_json("runs.2", "absent");
}

static void errors_name_the_limit(void **state)
{
    (void)state;
    assert_refused(put("q", "{}"), 400, "invalid_field", "limit");
    assert_refused(put("q", "{'limit':0}"), 400, "invalid_field", "limit");
    assert_refused(put("q", "{'limit':1000001}"), 400, "invalid_field", "limit");
    assert_refused(put("q", "{'limit':'many'}"), 400, "invalid_field", "limit");
    assert_refused(put("q", "{'limits':1}"), 400, "invalid_field", "limits");
    assert_refused(put("q", ""), 400, "invalid_json", "");
    assert_refused(put("a%01b", "{'limit':1}"), 400, "invalid_field", "");
    assert_refused(get("/api/v1/queues/q"), 404, "not_found", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(queues_are_listed_by_name),
        API_TEST(a_list_of_queues_shows_the_depth_of_each),
        API_TEST(a_paused_queue_grants_no_runs),
        API_TEST(a_missing_queue_cannot_be_paused),
        API_TEST(a_queue_shows_its_depth_and_oldest_run),
        API_TEST(a_queue_is_made_and_its_limit_changed),
        API_TEST(a_queue_grants_no_more_runs_than_its_limit),
        API_TEST(errors_name_the_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
