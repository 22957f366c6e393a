/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merge patches of schedules.
 */
#include "world.h"

#define QUEUED "'action':{'type':'queue','queue':'q'}"

static void make(const char *rest)
{
    assert_int_equal(ask("PUT /api/v1/schedules/s", NULL,
                         js("{'spec':{'cron':['0 * * * *']}," QUEUED "%s}", rest)),
                     201);
}

static int patch(const char *fields, const char *body)
{
    return ask("PATCH /api/v1/schedules/s", fields, js("%s", body));
}

static void fields_that_a_patch_omits_are_unchanged(void **state)
{
    (void)state;
    make(",'description':'old','labels':{'a':'1','b':'2'},'policies':{'priority':7}");
    assert_int_equal(patch(NULL, "{'description':'new','labels':{'a':null,'c':'3'}}"), 200);
    assert_string_equal(field("ETag"), "\"2\"");
    assert_json("description", "'new'");
    assert_json("labels", "{'b':'2','c':'3'}");
    assert_json("policies.priority", "7");
    assert_json("spec.cron.0.expr", "'0 * * * *'");
    assert_json("state.version", "2");
}

static void lists_are_replaced_whole_and_the_plan_with_them(void **state)
{
    (void)state;
    make("");
    assert_int_equal(patch(NULL, "{'spec':{'cron':['30 12 * * *']}}"), 200);
    assert_json("spec.cron.1", "absent");
    assert_json("state.nextAt", "'2026-01-05T12:30:00.000Z'");
}

static void null_restores_the_default(void **state)
{
    (void)state;
    make(",'policies':{'priority':7,'overlap':'allowAll'}");
    assert_int_equal(patch(NULL, "{'policies':{'priority':null}}"), 200);
    assert_json("policies.priority", "5");
    assert_json("policies.overlap", "'allowAll'");
    assert_int_equal(patch(NULL, "{'policies':null}"), 200);
    assert_json("policies.overlap", "'skip'");
}

static void an_action_of_another_type_replaces_the_old_one(void **state)
{
    (void)state;
    make("");
    assert_int_equal(patch(NULL, "{'action':{'input':{'a':1}}}"), 200);
    assert_json("action.queue", "'q'");
    assert_json("action.input", "{'a':1}");
    assert_int_equal(patch(NULL, "{'action':{'type':'http','url':'http://example.com/'}}"),
                     200);
    assert_json("action.type", "'http'");
    assert_json("action.queue", "absent");
}

static void a_patch_does_not_resume_or_enable_a_schedule(void **state)
{
    (void)state;
    make(",'enabled':false");
    assert_int_equal(post("/api/v1/schedules/s/pause", js("{'reason':'because'}")), 200);
    assert_int_equal(patch(NULL, "{'description':'x'}"), 200);
    assert_json("enabled", "false");
    assert_json("state.pausedReason", "'because'");
    assert_int_equal(patch(NULL, "{'enabled':true}"), 200);
    assert_json("enabled", "true");
    assert_json("state.status", "'paused'");
}

static void another_version_in_if_match_is_a_conflict(void **state)
{
    (void)state;
    make("");
    assert_refused(patch("If-Match: \"7\"\r\n", "{'description':'x'}"), 412, "version_conflict",
                   "");
    assert_int_equal(patch("If-Match: \"1\"\r\n", "{'description':'x'}"), 200);
    assert_refused(patch("If-Match: 7\r\n", "{}"), 400, "invalid_field", "If-Match");
}

static void a_patch_with_the_same_key_is_applied_once(void **state)
{
    (void)state;
    make("");
    assert_int_equal(patch("Idempotency-Key: k\r\n", "{'description':'x'}"), 200);
    assert_int_equal(patch("Idempotency-Key: k\r\n", "{'description':'x'}"), 200);
    assert_json("state.version", "2");
}

static void errors_name_the_field(void **state)
{
    (void)state;
    assert_refused(patch(NULL, "{}"), 404, "not_found", "");
    make("");
    assert_refused(patch(NULL, "{'descripton':'x'}"), 400, "invalid_field", "descripton");
    assert_non_null(strstr(json_at("detail"), "description"));
    assert_refused(patch(NULL, "{'spec':{'cron':['x']}}"), 400, "invalid_spec",
                   "spec.cron[0].expr");
    assert_refused(patch(NULL, "{'policies':{'priority':11}}"), 400, "invalid_policy",
                   "policies.priority");
    assert_refused(patch(NULL, "{'id':'other'}"), 400, "invalid_field", "id");
    assert_refused(patch(NULL, "{'spec':{'timezone':'Nowhere/City'}}"), 400, "invalid_spec",
                   "spec.timezone");
    assert_refused(patch(NULL, "[]"), 400, "invalid_field", "");
    assert_refused(patch(NULL, "{"), 400, "invalid_json", "");
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.version", "1");
}

static void a_hint_comes_with_its_reason(void **state)
{
    (void)state;
    make(",'governor':{}");
    assert_int_equal(patch(NULL, "{'governor':{'minInterval':'1m','hint':{'interval':'5m',"
                                 "'expires':'2026-01-05T12:00:00Z','reason':'busy'}}}"),
                     200);
    assert_json("governor.minInterval", "'1m'");
    assert_json("governor.hint.interval", "'5m'");
    assert_json("governor.hint.reason", "'busy'");
    assert_int_equal(patch(NULL, "{'description':'x'}"), 200);
    assert_json("governor.hint.interval", "'5m'");
    assert_json("governor.hint.reason", "'busy'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(fields_that_a_patch_omits_are_unchanged),
        API_TEST(lists_are_replaced_whole_and_the_plan_with_them),
        API_TEST(null_restores_the_default),
        API_TEST(an_action_of_another_type_replaces_the_old_one),
        API_TEST(a_patch_does_not_resume_or_enable_a_schedule),
        API_TEST(another_version_in_if_match_is_a_conflict),
        API_TEST(a_patch_with_the_same_key_is_applied_once),
        API_TEST(errors_name_the_field),
        API_TEST(a_hint_comes_with_its_reason),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
