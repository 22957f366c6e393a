/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gates: their limits, the schedules that use them, and deleting them.
 */
#include "world.h"

static int put(const char *name, const char *body)
{
    return ask(js("PUT /api/v1/gates/%s", name), NULL, js("%s", body));
}

static void a_gate_is_made_and_its_limit_changed(void **state)
{
    (void)state;
    assert_int_equal(put("db", "{'limit':4}"), 200);
    assert_json("", "{'name':'db','limit':4,'open':0,'waiting':0}");
    assert_int_equal(put("db", "{'limit':2}"), 200);
    assert_json("limit", "2");
    assert_int_equal(get("/api/v1/gates/db"), 200);
    assert_json("limit", "2");
}

static void a_gate_shows_its_open_and_waiting_runs(void **state)
{
    (void)state;
    assert_int_equal(ask("PUT /api/v1/schedules/s", NULL,
                         js("{'action':{'type':'queue','queue':'q'},"
                            "'policies':{'overlap':'allowAll',"
                            "'concurrency':{'key':'db','limit':1}}}")),
                     201);
    for (int i = 0; i < 3; i++)
        assert_int_equal(post("/api/v1/schedules/s/trigger", ""), 202);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q'],'max':9,'worker':'w'}")),
                     200);
    assert_int_equal(get("/api/v1/gates/db"), 200);
    assert_json("", "{'name':'db','limit':1,'open':1,'waiting':2}");
    assert_int_equal(put("db", "{'limit':3}"), 200);
    pass_time(SPAN_S);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q'],'max':9,'worker':'w'}")),
                     200);
    assert_json("runs.2", "absent");
    assert_int_equal(get("/api/v1/gates/db"), 200);
    assert_json("open", "3");
}

/* A limit set by an operator must not be overwritten by an edit of something else. */
static void an_edit_that_leaves_the_concurrency_alone_leaves_the_gate_alone(void **state)
{
    (void)state;
    assert_int_equal(
        post("/api/v1/schedules", js("{'id':'s','action':{'type':'queue','queue':'q'},"
                                     "'policies':{'concurrency':{'key':'db','limit':4}}}")),
        201);
    assert_int_equal(put("db", "{'limit':1}"), 200);
    assert_int_equal(ask("PATCH /api/v1/schedules/s", NULL, js("{'description':'other'}")),
                     200);
    assert_int_equal(get("/api/v1/gates/db"), 200);
    assert_json("limit", "1");
    assert_int_equal(
        ask("PATCH /api/v1/schedules/s", NULL, js("{'policies':{'concurrency':{'limit':3}}}")),
        200);
    assert_int_equal(get("/api/v1/gates/db"), 200);
    assert_json("limit", "3");
}

static int delete (const char *name)
{
    return ask(js("DELETE /api/v1/gates/%s", name), NULL, NULL);
}

static void use(const char *id, const char *key, int status)
{
    assert_int_equal(ask(js("PUT /api/v1/schedules/%s", id), NULL,
                         js("{'action':{'type':'queue','queue':'q'},"
                            "'policies':{'concurrency':{'key':'%s','limit':2}}}",
                            key)),
                     status);
}

static void a_gate_that_nothing_uses_is_deleted(void **state)
{
    (void)state;
    assert_refused(delete ("db"), 404, "not_found", "");
    assert_int_equal(put("db", "{'limit':4}"), 200);
    use("s", "DB", 201); /* another gate */
    assert_int_equal(delete ("db"), 204);
    assert_refused(get("/api/v1/gates/db"), 404, "not_found", "");
    assert_refused(delete ("db"), 404, "not_found", "");
    assert_int_equal(get("/api/v1/audit?operation=gate.delete"), 200);
    assert_json("entries.1.object", "'db'");
    /* A schedule that names it creates it again. */
    use("s", "db", 200);
    assert_int_equal(get("/api/v1/gates/db"), 200);
    assert_json("limit", "2");
}

static void a_gate_that_schedules_use_stays(void **state)
{
    (void)state;
    for (const char *id = "abcd"; *id != '\0'; id++)
        use(js("%c", *id), "a \\\" b", 201);
    pass_time(SPAN_H);
    assert_refused(delete ("a%20%22%20b"), 409, "bad_state", "");
    assert_json("detail", "'gate \\'a \\' b\\' is the concurrency.key of schedules: \\'a\\', "
                          "\\'b\\', \\'c\\' and more; change or delete them first'");
    for (const char *id = "abc"; *id != '\0'; id++)
        assert_int_equal(ask(js("DELETE /api/v1/schedules/%c", *id), NULL, NULL), 204);
    assert_refused(delete ("a%20%22%20b"), 409, "bad_state", "");
    use("d", "other", 200);
    assert_int_equal(delete ("a%20%22%20b"), 204);
}

static void a_gate_that_open_runs_name_stays(void **state)
{
    (void)state;
    use("s", "db", 201);
    assert_int_equal(post("/api/v1/schedules/s/trigger", ""), 202);
    use("s", "other", 200);
    assert_refused(delete ("db"), 409, "bad_state", ""); /* a run waits for a worker */
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q'],'max':9,'worker':'w'}")),
                     200);
    assert_refused(delete ("db"), 409, "bad_state", ""); /* a run holds the gate */
    assert_int_equal(get("/api/v1/gates/db"), 200);
    assert_int_equal(ask("DELETE /api/v1/schedules/s", NULL, NULL), 204);
    assert_refused(delete ("db"), 409, "bad_state", "");
}

static void gates_are_listed_in_pages(void **state)
{
    (void)state;
    put("b", "{'limit':1}");
    put("a", "{'limit':1}");
    assert_int_equal(get("/api/v1/gates?limit=1"), 200);
    assert_json("gates.0.name", "'a'");
    assert_json("cursor", "'a'");
    assert_int_equal(get("/api/v1/gates?cursor=a"), 200);
    assert_json("gates.0.name", "'b'");
    assert_json("gates.1", "absent");
    assert_json("cursor", "null");
}

static void errors_name_the_field(void **state)
{
    (void)state;
    assert_refused(get("/api/v1/gates/db"), 404, "not_found", "");
    assert_refused(put("db", "{}"), 400, "invalid_field", "limit");
    assert_refused(put("db", "{'limit':0}"), 400, "invalid_field", "limit");
    assert_refused(put("db", "{'limit':1000001}"), 400, "invalid_field", "limit");
    assert_refused(put("db", "{'limits':1}"), 400, "invalid_field", "limits");
    assert_refused(put("db", ""), 400, "invalid_json", "");
    assert_refused(get("/api/v1/gates?limits=1"), 400, "invalid_field", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_gate_is_made_and_its_limit_changed),
        API_TEST(a_gate_shows_its_open_and_waiting_runs),
        API_TEST(an_edit_that_leaves_the_concurrency_alone_leaves_the_gate_alone),
        API_TEST(a_gate_that_nothing_uses_is_deleted),
        API_TEST(a_gate_that_schedules_use_stays),
        API_TEST(a_gate_that_open_runs_name_stays),
        API_TEST(gates_are_listed_in_pages),
        API_TEST(errors_name_the_field),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
