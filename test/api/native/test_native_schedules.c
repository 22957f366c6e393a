/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creating, replacing, deleting, pausing and triggering schedules.
 */
#include "world.h"

#define QUEUED "'action':{'type':'queue','queue':'q'}"

/* 02:30 from Monday to Friday. */
static const char nightly[] = "{'id':'nightly','spec':{'cron':['30 2 * * MON-FRI']}," QUEUED
                              "}";

static int create(const char *json)
{
    return post("/api/v1/schedules", js("%s", json));
}

static void a_schedule_is_created_and_shown_with_its_next_run(void **state)
{
    (void)state;
    assert_int_equal(create(nightly), 201);
    assert_string_equal(field("Location"), "/api/v1/schedules/nightly");
    assert_string_equal(field("ETag"), "\"1\"");
    assert_string_equal(world.call.content_type, "application/json");
    assert_json("id", "'nightly'");
    assert_json("namespace", "'default'");
    assert_json("enabled", "true");
    assert_json("spec.cron.0",
                "{'expr':'30 2 * * MON-FRI','dialect':'belfry','timezone':null}");
    assert_json("action.queue", "'q'");
    assert_json("policies.overlap", "'skip'");
    assert_json("state.status", "'active'");
    assert_json("state.nextAt", "'2026-01-06T02:30:00.000Z'");
    assert_json("state.version", "1");
    assert_json("state.dialect", "'native'");
    assert_json("state.createdAt", "'2026-01-05T10:00:00.000Z'");
    assert_json("state.createdBy", "'test'");

    assert_int_equal(get("/api/v1/schedules/nightly"), 200);
    assert_string_equal(field("ETag"), "\"1\"");
    assert_json("state.nextAt", "'2026-01-06T02:30:00.000Z'");
}

/* The answer to create is built from the request, that of get is read: they are equal. */
static void create_and_get_return_the_same(void **state)
{
    static const char *const bodies[] = {
        "'action':{'type':'queue','queue':'q'}",
        "'spec':{'cron':['30 2 * * *']},'action':{'type':'queue','queue':'q'},"
        "'description':'of the night','labels':{'b':'2','a':'1'},'extra':{'z':[1,{}]}",
        "'spec':{'intervals':[{'every':'15m'}],'timezone':'America/New_York'},"
        "'action':{'type':'http','url':'https://example.com/','body':{'a':null}},"
        "'policies':{'concurrency':{'key':'db','limit':4},'retry':{'attempts':3}}",
        "'enabled':false,'spec':{'timesOfDay':['09:00']},"
        "'action':{'type':'exec','argv':['/bin/x']}",
        "'spec':{'at':['now']},'action':{'type':'queue','queue':'q','input':{'n':1}}",
        "'spec':{'at':['2020-01-01T00:00:00Z']},'action':{'type':'queue','queue':'q'}",
        "'spec':{'intervals':[{'every':'1h'}]},'governor':{'minInterval':'1m'},"
        "'action':{'type':'queue','queue':'q'}",
    };

    (void)state;
    for (int i = 0; i < (int)(sizeof bodies / sizeof bodies[0]); i++) {
        const char *path = js("/api/v1/schedules/s%d", i);
        json_t *made;

        pass_time(SPAN_MS);
        assert_int_equal(ask(js("PUT %s", path), NULL, js("{%s}", bodies[i])), 201);
        assert_string_equal(field("ETag"), "\"1\"");
        made = json_incref(world.json);
        assert_int_equal(get(path), 200);
        if (!json_equal(made, world.json))
            fail_msg("%s", bodies[i]);
        json_decref(made);
    }
}

static void a_missing_id_is_generated(void **state)
{
    struct str first;

    (void)state;
    assert_int_equal(create("{" QUEUED "}"), 201);
    first = text_at("id");
    assert_int_equal(first.len, 21);
    assert_true(str_starts(first, STR("1ke6sjt80"))); /* 1767607200000 ms since 1970 */
    assert_int_equal(create("{" QUEUED "}"), 201);
    assert_false(str_eq(first, text_at("id")));
    assert_int_equal(get(js("/api/v1/schedules/%s", first.ptr)), 200);
}

/* The time comes before the random part, so smaller random numbers do not change the order. */
static void generated_ids_sort_by_time(void **state)
{
    struct str last = STR("");

    (void)state;
    for (int i = 0; i < 20; i++) {
        struct str id;

        world.random = (uint64_t)(1000 - 10 * i);
        assert_int_equal(create("{" QUEUED "}"), 201);
        id = text_at("id");
        assert_true(strcmp(last.ptr, id.ptr) < 0);
        last = id;
        world.now += SPAN_MS;
    }
}

static void a_location_is_a_url(void **state)
{
    (void)state;
    assert_int_equal(create("{'id':'a b/c?\u00e9'," QUEUED "}"), 201);
    assert_string_equal(field("Location"), "/api/v1/schedules/a%20b%2Fc%3F%C3%A9");
    assert_int_equal(get(field("Location")), 200);
    assert_json("id", "'a b/c?\u00e9'");
}

static void a_name_that_is_taken_is_refused(void **state)
{
    (void)state;
    assert_int_equal(create(nightly), 201);
    assert_refused(create(nightly), 409, "exists", "");
}

static void errors_name_the_field(void **state)
{
    static const struct {
        const char *body, *code, *field;
        int status;
    } wrong[] = {
        {"", "invalid_json", "", 400},
        {"{", "invalid_json", "", 400},
        {"{'id':'a','id':'b'}", "invalid_json", "", 400},
        {"[]", "invalid_field", "", 400},
        {"{'id':'a'}", "invalid_action", "action", 400},
        {"{'ident':'a'," QUEUED "}", "invalid_field", "ident", 400},
        {"{'id':''," QUEUED "}", "invalid_field", "id", 400},
        {"{'id':'a','spec':{'cron':['61 * * * *']}," QUEUED "}", "invalid_spec",
         "spec.cron[0].expr.minute", 400},
        {"{'id':'a','spec':{'timezone':'Mars/Base'}," QUEUED "}", "invalid_spec",
         "spec.timezone", 400},
        {"{'id':'a','action':{'type':'queue'}}", "invalid_action", "action.queue", 400},
        {"{'id':'a','policies':{'overlap':'maybe'}," QUEUED "}", "invalid_policy",
         "policies.overlap", 400},
        {"{'id':'a','governor':{'minInterval':5}," QUEUED "}", "invalid_policy",
         "governor.minInterval", 400},
        {"{'id':'a','namespace':'other'," QUEUED "}", "invalid_field", "namespace", 400},
        {"{'id':'a','action':{'type':'workflow','name':'w','upstream':'up'}}", "invalid_action",
         "action.upstream", 400},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        int status = create(wrong[i].body);

        assert_refused(status, wrong[i].status, wrong[i].code, wrong[i].field);
    }
    assert_int_equal(create("{'id':'a','spec':{'cron':['61 * * * *']}," QUEUED "}"), 400);
    assert_json("at", "0");
    assert_refused(get("/api/v1/schedules/a"), 404, "not_found", "");
}

static void a_server_may_bound_how_often_a_schedule_runs(void **state)
{
    (void)state;
    world.context.min_interval = SPAN_MIN;
    assert_refused(create("{'spec':{'intervals':[{'every':'30s'}]}," QUEUED "}"), 400,
                   "invalid_spec", "spec.intervals[0].every");
    assert_json("detail", "'is 30s; the minimum interval of this server is 1m'");
    assert_refused(create("{'spec':{'cron':['*/30 * * * * *']}," QUEUED "}"), 400,
                   "invalid_spec", "spec");
    assert_json("detail", "'two slots have a distance of 30s; the minimum interval of this "
                          "server is 1m'");
    assert_int_equal(create("{'spec':{'cron':['* * * * *']}," QUEUED "}"), 201);
}

static void the_query_and_the_path_are_checked_too(void **state)
{
    (void)state;
    assert_refused(post("/api/v1/schedules?namspace=x", "{}"), 400, "invalid_field", "");
    assert_refused(get("/api/v1/schedules/a?namespace=x%01"), 400, "invalid_field",
                   "namespace");
    assert_refused(get("/api/v1/schedules/a?namespace=nowhere"), 404, "not_found", "");
    assert_refused(get("/api/v1/schedules/%01"), 404, "not_found", "");
    assert_refused(ask("GET /api/v1/schedules/a", NULL, "{}"), 400, "invalid_json", "");
    assert_refused(ask("PUT /api/v1/schedules/a", "If-Match: 3\r\n", "{}"), 400,
                   "invalid_field", "If-Match");
}

static void a_request_with_a_key_is_executed_once(void **state)
{
    const char *key = "Idempotency-Key: k1\r\n", *body = js("{" QUEUED "}");
    struct str id;

    (void)state;
    assert_int_equal(ask("POST /api/v1/schedules/x/trigger", key, ""), 404);
    assert_int_equal(
        ask("POST /api/v1/schedules", "Idempotency-Key: k2\r\n", js("{'id':'a'," QUEUED "}")),
        201);
    assert_int_equal(
        ask("POST /api/v1/schedules", "Idempotency-Key: k2\r\n", js("{'id':'a'," QUEUED "}")),
        201);
    assert_json("state.version", "1");
    assert_refused(ask("POST /api/v1/schedules", "Idempotency-Key: k2\r\n", body), 409,
                   "exists", "");
    assert_int_equal(ask("POST /api/v1/schedules/a/trigger", key, ""), 202);
    id = text_at("id");
    assert_int_equal(ask("POST /api/v1/schedules/a/trigger", key, ""), 202);
    assert_true(str_eq(id, text_at("id")));
    assert_refused(ask("POST /api/v1/schedules/a/trigger", key, js("{'input':{'a':1}}")), 409,
                   "exists", "");
}

/* A missing id is generated; with an idempotency key it is generated once. */
static void a_generated_id_is_the_same_for_the_same_key(void **state)
{
    const char *key = "Idempotency-Key: k1\r\n", *bulk = "Idempotency-Key: k2\r\n";
    const char *items = js("{'items':[{" QUEUED "},{'id':' a/b '," QUEUED "},{" QUEUED "}]}");
    struct str first, third;

    (void)state;
    assert_int_equal(ask("POST /api/v1/schedules", key, js("{" QUEUED "}")), 201);
    first = text_at("id");
    assert_int_equal(ask("POST /api/v1/schedules", key, js("{" QUEUED "}")), 201);
    assert_true(str_eq(text_at("id"), first));
    assert_string_equal(field("Location"), js("/api/v1/schedules/%s", first.ptr));
    assert_json("state.version", "1");

    assert_int_equal(ask("POST /api/v1/bulk/schedules", bulk, items), 200);
    first = text_at("results.0.id");
    third = text_at("results.2.id");
    assert_int_equal(ask("POST /api/v1/bulk/schedules", bulk, items), 200);
    assert_true(str_eq(text_at("results.0.id"), first));
    assert_json("results.1.id", "' a/b '");
    assert_true(str_eq(text_at("results.2.id"), third));
    assert_int_equal(get("/api/v1/schedules"), 200);
    assert_json("schedules.3.enabled", "true");
    assert_json("schedules.4", "absent");
}

/* RFC 3986, 5.2.4: clients normalize such paths, so these ids could not be addressed. */
static void ids_that_a_url_cannot_contain_are_refused(void **state)
{
    static const struct {
        const char *body, *code, *field;
    } wrong[] = {
        {"{'id':'.'," QUEUED "}", "invalid_field", "id"},
        {"{'id':'..'," QUEUED "}", "invalid_field", "id"},
        {"{'id':'a','action':{'type':'queue','queue':'..'}}", "invalid_action", "action.queue"},
        {"{'id':'a','action':{'type':'workflow','name':'.'}}", "invalid_action", "action.name"},
        {"{'id':'a','action':{'type':'workflow','name':'w','queue':'.'}}", "invalid_action",
         "action.queue"},
        {"{'id':'a','policies':{'concurrency':{'key':'..','limit':1}}," QUEUED "}",
         "invalid_policy", "policies.concurrency.key"},
    };

    (void)state;
    for (int i = 0; i < (int)(sizeof wrong / sizeof wrong[0]); i++) {
        assert_refused(create(wrong[i].body), 400, wrong[i].code, wrong[i].field);
        assert_non_null(strstr(json_at("detail"), "a URL path cannot name it"));
    }
    assert_int_equal(create("{'id':'...'," QUEUED "}"), 201);
    assert_int_equal(get("/api/v1/schedules/..."), 200);
}

static void the_error_for_a_body_that_is_not_json_shows_the_format(void **state)
{
    static const char *const bodies[] = {"", "id=nightly&x=1", "id: nightly\n", " \n<a/>"};

    (void)state;
    for (int i = 0; i < (int)(sizeof bodies / sizeof bodies[0]); i++) {
        assert_refused(post("/api/v1/schedules", bodies[i]), 400, "invalid_json", "");
        assert_non_null(strstr(json_at("detail"), i == 0 ? "is empty" : "is not JSON"));
        assert_non_null(strstr(json_at("detail"), "{\\'name\\':\\'value\\'}"));
        assert_non_null(strstr(json_at("detail"), "POST /api/v1/schedules"));
    }
    assert_refused(post("/api/v1/schedules", "\n{\"id\":}"), 400, "invalid_json", "");
    assert_non_null(strstr(json_at("detail"), "line 2, column 7"));
}

static void put_creates_and_replaces(void **state)
{
    const char *body = js("{'description':'one'," QUEUED "}");

    (void)state;
    assert_int_equal(ask("PUT /api/v1/schedules/a", NULL, body), 201);
    assert_string_equal(field("Location"), "/api/v1/schedules/a");
    assert_int_equal(
        ask("PUT /api/v1/schedules/a", NULL, js("{'id':'a','description':'two'," QUEUED "}")),
        200);
    assert_string_equal(field("ETag"), "\"2\"");
    assert_json("description", "'two'");
    assert_refused(ask("PUT /api/v1/schedules/a", NULL, js("{'id':'b'," QUEUED "}")), 400,
                   "invalid_field", "id");
}

static void a_failed_precondition_refuses_a_request(void **state)
{
    const char *body = js("{" QUEUED "}");

    (void)state;
    assert_refused(ask("PUT /api/v1/schedules/a", "If-Match: \"1\"\r\n", body), 404,
                   "not_found", "");
    assert_int_equal(ask("PUT /api/v1/schedules/a", "If-None-Match: *\r\n", body), 201);
    assert_refused(ask("PUT /api/v1/schedules/a", "If-None-Match: *\r\n", body), 409, "exists",
                   "");
    /* RFC 9110, 13.1.2: a request that names the current version must not be executed. */
    assert_refused(ask("PUT /api/v1/schedules/a", "If-None-Match: \"1\"\r\n", body), 400,
                   "invalid_field", "If-None-Match");
    assert_int_equal(ask("PUT /api/v1/schedules/a", "If-Match: \"1\"\r\n", body), 200);
    assert_refused(ask("PUT /api/v1/schedules/a", "If-Match: \"1\"\r\n", body), 412,
                   "version_conflict", "");
    assert_refused(ask("DELETE /api/v1/schedules/a", "If-Match: \"1\"\r\n", NULL), 412,
                   "version_conflict", "");
    assert_int_equal(ask("DELETE /api/v1/schedules/a", "If-Match: \"2\"\r\n", NULL), 204);
    assert_int_equal(world.call.answer.len, 0);
    assert_refused(ask("DELETE /api/v1/schedules/a", NULL, NULL), 404, "not_found", "");
}

static void a_hint_that_comes_with_the_schedule_counts(void **state)
{
    (void)state;
    assert_int_equal(
        create("{'id':'g','spec':{'intervals':[{'every':'1h'}]},'governor':"
               "{'hint':{'interval':'10m','expires':'2026-01-05T12:00:00Z'}}," QUEUED "}"),
        201);
    assert_json("governor.hint.interval", "'10m'");
    assert_json("state.nextSource", "'ai-interval'");
}

static void pause_and_resume_return_the_new_state(void **state)
{
    (void)state;
    assert_int_equal(create(nightly), 201);
    assert_int_equal(post("/api/v1/schedules/nightly/pause",
                          js("{'reason':'holiday','until':'2026-01-07T00:00:00Z'}")),
                     200);
    assert_json("state.status", "'paused'");
    assert_json("state.pausedReason", "'holiday'");
    assert_json("state.pausedUntil", "'2026-01-07T00:00:00.000Z'");
    assert_json("state.nextAt", "'2026-01-07T02:30:00.000Z'"); /* after the pause */
    assert_int_equal(post("/api/v1/schedules/nightly/resume", ""), 200);
    assert_json("state.status", "'active'");
    assert_json("state.nextAt", "'2026-01-06T02:30:00.000Z'");

    assert_refused(post("/api/v1/schedules/nightly/pause", js("{'until':'soon'}")), 400,
                   "invalid_field", "until");
    assert_refused(
        post("/api/v1/schedules/nightly/pause", js("{'until':'2026-01-05T10:00:00Z'}")), 400,
        "invalid_field", "until");
    assert_refused(post("/api/v1/schedules/nightly/pause", js("{'why':'x'}")), 400,
                   "invalid_field", "why");
    assert_refused(post("/api/v1/schedules/none/pause", ""), 404, "not_found", "");
    assert_refused(post("/api/v1/schedules/nightly/resume", js("{'a':1}")), 400,
                   "invalid_field", "a");
}

static void a_trigger_returns_the_run_that_it_creates(void **state)
{
    struct str id;
    char text[RUN_ID_TEXT_MAX];
    struct run_id run = {0};
    struct err err;

    (void)state;
    assert_int_equal(create(nightly), 201);
    assert_int_equal(post("/api/v1/schedules/nightly/trigger", js("{'input':{'a':1}}")), 202);
    id = text_at("id");
    assert_int_equal(run_id_parse(id, &run, &err), RC_OK);
    assert_int_equal(run.slot_ms, world.now / SPAN_MS);
    assert_json("schedule", "'nightly'");
    snprintf(text, sizeof text, "%s", id.ptr);
    assert_string_equal(field("Location"), js("/api/v1/runs/%s", text));

    assert_int_equal(post("/api/v1/schedules/nightly/trigger", ""), 202);
    assert_json("outcome", "'skipped'"); /* the policy allows one run at a time */
    assert_json("reason", "'overlap'");
    assert_int_equal(post("/api/v1/schedules/nightly/trigger",
                          js("{'overlap':'allowAll','scheduledTime':'2026-01-01T00:00:00Z'}")),
                     202);
    assert_json("outcome", "absent");
    assert_int_equal(run_id_parse(text_at("id"), &run, &err), RC_OK);
    assert_int_equal(run.slot_ms, INT64_C(1767225600000));

    assert_refused(post("/api/v1/schedules/nightly/trigger", js("{'input':[1]}")), 400,
                   "invalid_field", "input");
    assert_refused(post("/api/v1/schedules/nightly/trigger", js("{'overlap':'x'}")), 400,
                   "invalid_field", "overlap");
    assert_refused(post("/api/v1/schedules/nightly/trigger", js("{'scheduledTime':1}")), 400,
                   "invalid_field", "scheduledTime");
}

static void a_workflow_goes_to_the_upstream_if_there_is_one(void **state)
{
    (void)state;
    world.upstream = "main";
    assert_int_equal(
        create("{'id':'w','action':{'type':'workflow','name':'n','upstream':'main'}}"), 201);
    assert_int_equal(world.call.commands[0].save.draft->plan.lane, LANE_FLOW);
    world.upstream = NULL;
    assert_int_equal(create("{'id':'v','action':{'type':'workflow','name':'n'}}"), 201);
    assert_int_equal(world.call.commands[0].save.draft->plan.lane, LANE_PULL);
}

#define WITH_ID "{'id':'%s','action':{'type':'queue','queue':'q'}}"

static void a_namespace_has_as_many_schedules_as_its_quota(void **state)
{
    (void)state;
    world.quota = 2;
    assert_int_equal(post("/api/v1/schedules", js(WITH_ID, "a")), 201);
    assert_int_equal(ask("PUT /api/v1/schedules/b", NULL, js(WITH_ID, "b")), 201);
    assert_refused(post("/api/v1/schedules", js(WITH_ID, "c")), 422, "quota", "");
    assert_refused(ask("PUT /api/v1/schedules/c", NULL, js(WITH_ID, "c")), 422, "quota", "");
    /* An existing id is reported as such, not as an exceeded quota. */
    assert_refused(post("/api/v1/schedules", js(WITH_ID, "a")), 409, "exists", "");
    assert_int_equal(ask("PUT /api/v1/schedules/b", NULL, js(WITH_ID, "b")), 200);
    assert_int_equal(ask("PUT /api/v1/namespaces/team", NULL, ""), 201);
    assert_int_equal(post("/api/v1/schedules?namespace=team", js(WITH_ID, "c")), 201);
    assert_int_equal(ask("DELETE /api/v1/schedules/a", NULL, NULL), 204);
    assert_int_equal(post("/api/v1/schedules", js(WITH_ID, "c")), 201);
}

/* Schedules of the same turn count too. */
static void a_quota_counts_what_a_batch_makes(void **state)
{
    (void)state;
    world.quota = 2;
    assert_int_equal(post("/api/v1/bulk/schedules",
                          js("{'items':[{'id':'a','action':{'type':'queue','queue':'q'}},"
                             "{'id':'b','action':{'type':'queue','queue':'q'}},"
                             "{'id':'c','action':{'type':'queue','queue':'q'}}]}")),
                     200);
    assert_json("results.1.status", "'ok'");
    assert_json("results.2.error.code", "'quota'");
    assert_int_equal(get("/api/v1/schedules/c"), 404);
}

/* The exclusions remove every second. */
static void a_spec_that_takes_too_long_to_search_is_refused(void **state)
{
    const char *body = js("{'id':'a','spec':{'cron':['* * * * * *'],'exclude':{'calendars':["
                          "{'second':'*/2','minute':'*','hour':'*','month':'1-6'},"
                          "{'second':'1-59/2','minute':'*','hour':'*','month':'1-6'},"
                          "{'second':'*/2','minute':'*','hour':'*','month':'7-12'},"
                          "{'second':'1-59/2','minute':'*','hour':'*','month':'7-12'}]}},"
                          "'action':{'type':'queue','queue':'q'}}");

    (void)state;
    world.steps = 100000;
    assert_refused(post("/api/v1/schedules", body), 422, "limit", "spec");
    assert_int_equal(get("/api/v1/schedules/a"), 404);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_spec_that_takes_too_long_to_search_is_refused),
        API_TEST(a_schedule_is_created_and_shown_with_its_next_run),
        API_TEST(create_and_get_return_the_same),
        API_TEST(a_missing_id_is_generated),
        API_TEST(generated_ids_sort_by_time),
        API_TEST(a_location_is_a_url),
        API_TEST(a_name_that_is_taken_is_refused),
        API_TEST(errors_name_the_field),
        API_TEST(a_server_may_bound_how_often_a_schedule_runs),
        API_TEST(the_query_and_the_path_are_checked_too),
        API_TEST(a_request_with_a_key_is_executed_once),
        API_TEST(a_generated_id_is_the_same_for_the_same_key),
        API_TEST(ids_that_a_url_cannot_contain_are_refused),
        API_TEST(the_error_for_a_body_that_is_not_json_shows_the_format),
        API_TEST(put_creates_and_replaces),
        API_TEST(a_failed_precondition_refuses_a_request),
        API_TEST(a_hint_that_comes_with_the_schedule_counts),
        API_TEST(pause_and_resume_return_the_new_state),
        API_TEST(a_trigger_returns_the_run_that_it_creates),
        API_TEST(a_namespace_has_as_many_schedules_as_its_quota),
        API_TEST(a_quota_counts_what_a_batch_makes),
        API_TEST(a_workflow_goes_to_the_upstream_if_there_is_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
