/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Namespaces and their settings.
 */
#include "world.h"

static void a_namespace_is_made_once(void **state)
{
    (void)state;
    assert_int_equal(ask("PUT /api/v1/namespaces/team%20a", NULL, ""), 201);
    assert_json("name", "'team a'");
    assert_int_equal(ask("PUT /api/v1/namespaces/team%20a", NULL, "{}"), 200);
    assert_int_equal(get("/api/v1/schedules/x?namespace=team%20a"), 404);
    assert_json("detail", "'schedule \\'x\\' does not exist'");
}

static void settings_are_checked_and_shown_without_secrets(void **state)
{
    (void)state;
    assert_refused(ask("PUT /api/v1/namespaces/n", NULL, js("{'settings':{'wrong':1}}")), 400,
                   "invalid_field", "settings.wrong");
    assert_refused(ask("PUT /api/v1/namespaces/n", NULL, js("{'settings':[]}")), 400,
                   "invalid_field", "settings");
    assert_refused(ask("PUT /api/v1/namespaces/n", NULL, js("{'setting':{}}")), 400,
                   "invalid_field", "setting");
    assert_refused(ask("PUT /api/v1/namespaces/%01", NULL, ""), 400, "invalid_field", "");
    assert_int_equal(
        ask("PUT /api/v1/namespaces/n", NULL, js("{'settings':{'keys':{'main':['s']}}}")), 201);
    assert_int_equal(get("/api/v1/namespaces"), 200);
    assert_json("namespaces.0.name", "'default'");
    assert_json("namespaces.0.settings", "{}");
    assert_json("namespaces.1.name", "'n'");
    assert_json("namespaces.1.settings", "{'keys':{'main':['set']}}");
    assert_json("namespaces.1.createdAt", "'2026-01-05T10:00:00.000Z'");
    assert_json("cursor", "null");
}

static void one_namespace_is_shown_as_in_the_list(void **state)
{
    (void)state;
    assert_int_equal(ask("PUT /api/v1/namespaces/team%20a", NULL,
                         js("{'settings':{'keys':{'main':['s']}}}")),
                     201);
    assert_int_equal(get("/api/v1/namespaces/team%20a"), 200);
    assert_json("", "{'name':'team a','settings':{'keys':{'main':['set']}},"
                    "'createdAt':'2026-01-05T10:00:00.000Z'}");
    assert_int_equal(get("/api/v1/namespaces/default"), 200);
    assert_json("settings", "{}");
    assert_refused(get("/api/v1/namespaces/b"), 404, "not_found", "");
    assert_refused(get("/api/v1/namespaces/default?x=1"), 400, "invalid_field", "");
}

static void a_list_continues_at_its_cursor(void **state)
{
    (void)state;
    assert_int_equal(ask("PUT /api/v1/namespaces/b", NULL, ""), 201);
    assert_int_equal(ask("PUT /api/v1/namespaces/a", NULL, ""), 201);
    assert_int_equal(get("/api/v1/namespaces?limit=2"), 200);
    assert_json("namespaces.0.name", "'a'");
    assert_json("namespaces.1.name", "'b'");
    assert_json("cursor", "'b'");
    assert_int_equal(get("/api/v1/namespaces?limit=2&cursor=b"), 200);
    assert_json("namespaces.0.name", "'default'");
    assert_json("namespaces.1", "absent");
    assert_json("cursor", "null");
    assert_refused(get("/api/v1/namespaces?limit=0"), 400, "invalid_field", "limit");
    assert_refused(get("/api/v1/namespaces?limit=1001"), 400, "invalid_field", "limit");
    assert_refused(get("/api/v1/namespaces?limit=x"), 400, "invalid_field", "limit");
    assert_refused(get("/api/v1/namespaces?limit=1&limit=2"), 400, "invalid_field", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_namespace_is_made_once),
        API_TEST(settings_are_checked_and_shown_without_secrets),
        API_TEST(one_namespace_is_shown_as_in_the_list),
        API_TEST(a_list_continues_at_its_cursor),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
