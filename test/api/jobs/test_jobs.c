/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The jobs API: its schema, its organisations, what it refuses.
 *
 * The expected values are those of the API's specification (test/mission/jobs.txt), or follow
 * from the clock, which starts on Monday, 2026-01-05T10:00:00Z.
 */
#include "jobs.h"

#define BELL4 "\xf0\x9f\x94\x94\xf0\x9f\x94\x94\xf0\x9f\x94\x94\xf0\x9f\x94\x94"
#define BELLS "a" BELL4 BELL4 BELL4 BELL4 /* 65 bytes */

static void assert_create_refused(const char *body, const char *message)
{
    assert_int_equal(post(ORG, js("%s", body)), 400);
    assert_json("statusCode", "400");
    assert_json("error", "'Bad Request'");
    if (strncmp(json_at("message") + 1, message, strlen(message)) != 0)
        fail_msg("%s, not %s", json_at("message"), message);
}

/* ---- the schema, row by row ---- */

static void schema_a_schedule_has_every_field(void **state)
{
    (void)state;
    assert_int_equal(create(",'description':'each hour','payload':{'path':'/srv'},"
                            "'executionWindowStart':'02:00','executionWindowEnd':'06:00',"
                            "'retryPolicy':{'maxRetries':4,'backoffMs':500,"
                            "'backoffType':'exponential'}"),
                     201);
    assert_json("orgId", "'acme'");
    assert_json("serverInstanceId", "'srv-1'");
    assert_json("name", "'Backup'");
    assert_json("description", "'each hour'");
    assert_json("cronExpression", "'0 * * * *'");
    assert_json("jobType", "'backup'");
    assert_json("payload", "{'path':'/srv'}");
    assert_json("enabled", "true");
    assert_json("executionWindowStart", "'02:00'");
    assert_json("executionWindowEnd", "'06:00'");
    assert_json("retryPolicy", "{'maxRetries':4,'backoffMs':500,'backoffType':'exponential'}");
    assert_json("lastRunAt", "null");
    assert_json("nextRunAt", "'2026-01-06T02:00:00.000Z'");
    assert_json("lastRunStatus", "null");
    assert_json("lastRunJobId", "null");
    assert_json("runCount", "0");
    assert_json("failureCount", "0");
    assert_json("createdById", "'test'");
    assert_json("createdAt", "'2026-01-05T10:00:00.000Z'");
    assert_json("updatedAt", "'2026-01-05T10:00:00.000Z'");
    assert_string_equal(world.call.content_type, "application/json");
}

static void schema_optional_fields_are_null_and_it_is_enabled(void **state)
{
    (void)state;
    assert_int_equal(create(",'id':'mine','runCount':7,'unknown':[1]"), 201);
    assert_json("description", "null");
    assert_json("payload", "{}");
    assert_json("enabled", "true");
    assert_json("executionWindowStart", "null");
    assert_json("executionWindowEnd", "null");
    assert_json("retryPolicy", "null");
    assert_json("runCount", "0"); /* read-only and unknown members are ignored */
    assert_string_not_equal(json_at("id"), "'mine'");
}

static void schema_ids_are_made_and_differ(void **state)
{
    const char *first = created(""), *second = created("");

    (void)state;
    assert_string_not_equal(first, second);
    assert_int_equal(get(first), 200);
    assert_int_equal(get(second), 200);
}

static void schema_name_server_cron_and_type_are_required(void **state)
{
    (void)state;
    assert_create_refused("{'serverInstanceId':'s','cronExpression':'0 2 * * *','jobType':'j'}",
                          "name: is required");
    assert_create_refused("{'name':'n','cronExpression':'0 2 * * *','jobType':'j'}",
                          "serverInstanceId: is required");
    assert_create_refused("{'name':'n','serverInstanceId':'s','jobType':'j'}",
                          "cronExpression: is required");
    assert_create_refused("{'name':'n','serverInstanceId':'s','cronExpression':'0 2 * * *'}",
                          "jobType: is required");
    assert_create_refused("{'name':' ','serverInstanceId':'s','cronExpression':'0 2 * * *',"
                          "'jobType':'j'}",
                          "name: is required");
    assert_create_refused("{'name':5}", "name: must be ");
    assert_create_refused("[]", "must be an object, a schedule");
    assert_int_equal(get(ORG), 200);
    assert_json("", "[]");
}

static void schema_cron_has_five_fields(void **state)
{
    (void)state;
    assert_int_equal(post(ORG, js("{'name':'n','serverInstanceId':'s','jobType':'j',"
                                  "'cronExpression':'0 2 * * *'}")),
                     201);
    assert_json("nextRunAt", "'2026-01-06T02:00:00.000Z'");
    assert_create_refused("{'name':'n','serverInstanceId':'s','jobType':'j',"
                          "'cronExpression':'0 0 2 * * *'}",
                          "cronExpression: must have 5 fields");
    assert_create_refused(
        "{'name':'n','serverInstanceId':'s','jobType':'j','cronExpression':'@daily'}",
        "cronExpression: must have 5 fields");
}

static void schema_a_schedule_that_is_not_enabled_is_not_enqueued(void **state)
{
    const char *path = created(",'enabled':false");

    (void)state;
    assert_json("enabled", "false");
    assert_json("nextRunAt", "null");
    pass_time(3 * SPAN_H);
    assert_int_equal(claim("acme"), 0);
    get(path);
    assert_json("runCount", "0");
    assert_json("lastRunStatus", "null");
    assert_int_equal(patch(path, "{'enabled':true}"), 200);
    assert_json("enabled", "true");
    assert_json("nextRunAt", "'2026-01-05T14:00:00.000Z'");
    pass_time(SPAN_H);
    assert_int_equal(claim("acme"), 1);
}

/* ---- requests ---- */

static void the_list_has_the_newest_first(void **state)
{
    (void)state;
    created("");
    world.now += SPAN_MIN;
    created(",'description':'second'");
    world.now += SPAN_MIN;
    created(",'description':'third'");
    assert_int_equal(get(ORG), 200);
    assert_int_equal(json_array_size(world.json), 3);
    assert_json("0.description", "'third'");
    assert_json("1.description", "'second'");
    assert_json("2.description", "null");
}

static void the_list_hides_members_that_are_named_like_secrets(void **state)
{
    created(",'payload':{'user':'u','dbPassword':'p','on':[{'TOKEN':'t'}]}");

    (void)state;
    assert_int_equal(get(ORG), 200);
    assert_json("0.payload", "{'user':'u','dbPassword':'***','on':[{'TOKEN':'***'}]}");
}

/* What a worker of the organisation's queue gets as payload. */
static const char *claimed_payload(void)
{
    pass_time(SPAN_H);
    assert_int_equal(claim("acme"), 1);
    return json_at("runs.0.input.payload");
}

static void every_answer_hides_members_that_are_named_like_secrets(void **state)
{
    const char *hidden = "{'user':'u','dbPassword':'***','on':[{'TOKEN':'***'}]}";
    const char *path = created(",'payload':{'user':'u','dbPassword':'p','on':[{'TOKEN':'t'}]}");

    (void)state;
    assert_json("payload", hidden); /* the answer to the POST */
    assert_int_equal(get(path), 200);
    assert_json("payload", hidden);
    assert_int_equal(patch(path, "{'name':'n'}"), 200);
    assert_json("payload", hidden);
    assert_string_equal(claimed_payload(),
                        "{'user':'u','dbPassword':'p','on':[{'TOKEN':'t'}]}");
}

/* A client that reads a schedule, changes it and sends it back does not lose the secrets. */
static void a_hidden_secret_that_is_sent_back_keeps_its_value(void **state)
{
    const char *path = created(",'payload':{'user':'u','dbPassword':'p','on':[{'TOKEN':'t'}]}");

    (void)state;
    assert_int_equal(
        ask(js("PATCH %s", path), NULL,
            js("{'payload':{'user':'v','dbPassword':'***','on':[{'TOKEN':'x'}]}}")),
        200);
    assert_string_equal(claimed_payload(),
                        "{'user':'v','dbPassword':'p','on':[{'TOKEN':'x'}]}");
    assert_int_equal(patch(path, "{'payload':{'a':[{'secret':'***'}]}}"), 400);
    assert_json("field", "'payload.a[0].secret'");
    assert_int_equal(create(",'payload':{'apiKey':'***'}"), 400);
    assert_json("field", "'payload.apiKey'");
    /* A path that is cut within a character would not be JSON. */
    assert_int_equal(create(",'payload':{'" BELLS "':{'token':'***'}}"), 400);
    assert_int_equal(create(",'payload':{'note':'***'}"), 201);
}

/* "enabled" is what a client wrote; a pause is something else, and a PATCH keeps both. */
static void a_paused_schedule_stays_enabled(void **state)
{
    const char *path = created("");
    char name[64];

    (void)state;
    snprintf(name, sizeof name, "%s", text_at("id").ptr);
    assert_json("paused", "false");
    assert_int_equal(
        post(js("/api/v1/schedules/%s/pause?namespace=acme", name), js("{'reason':'r'}")), 200);
    get(path);
    assert_json("enabled", "true");
    assert_json("paused", "true");
    assert_json("nextRunAt", "null");
    assert_int_equal(patch(path, "{'name':'n'}"), 200);
    assert_json("enabled", "true");
    post(js("/api/v1/schedules/%s/resume?namespace=acme", name), "");
    get(path);
    assert_json("paused", "false");
    assert_string_equal(json_at("nextRunAt"), "'2026-01-05T11:00:00.000Z'");
}

static void a_patch_changes_what_it_names(void **state)
{
    const char *path = created(",'payload':{'a':1,'b':2},'retryPolicy':{'maxRetries':1}");

    (void)state;
    world.now += SPAN_MIN;
    assert_int_equal(patch(path, "{'name':'New','cronExpression':'30 2 * * *',"
                                 "'jobType':'restart','payload':{'c':3}}"),
                     200);
    assert_json("name", "'New'");
    assert_json("cronExpression", "'30 2 * * *'");
    assert_json("jobType", "'restart'");
    assert_json("payload", "{'c':3}");
    assert_json("serverInstanceId", "'srv-1'");
    assert_json("retryPolicy", "{'maxRetries':1}");
    assert_json("nextRunAt", "'2026-01-06T02:30:00.000Z'");
    assert_json("createdAt", "'2026-01-05T10:00:00.000Z'");
    assert_json("updatedAt", "'2026-01-05T10:01:00.000Z'");
    assert_int_equal(patch(path, "{'retryPolicy':null}"), 200);
    assert_json("retryPolicy", "null");
    assert_int_equal(patch(path, "{'cronExpression':'61 * * * *'}"), 400);
    assert_json("field", "'cronExpression'");
    assert_int_equal(patch(path, "{'name':null}"), 400);
    assert_int_equal(patch(path, "[]"), 400);
    get(path);
    assert_json("cronExpression", "'30 2 * * *'");
}

static void a_put_replaces_all_of_it(void **state)
{
    const char *path = created(",'description':'d','payload':{'a':1}");
    const char *what = js("PUT %s", path);

    (void)state;
    assert_int_equal(ask(what, NULL,
                         js("{'name':'N','serverInstanceId':'srv-2',"
                            "'cronExpression':'5 * * * *','jobType':'j'}")),
                     200);
    assert_json("serverInstanceId", "'srv-2'");
    assert_json("description", "null");
    assert_json("payload", "{}");
    assert_int_equal(ask(js("PUT %s", path), NULL, js("{'name':'N'}")), 400);
    assert_int_equal(ask("PUT " ORG "/none", NULL,
                         js("{'name':'N','serverInstanceId':'s',"
                            "'cronExpression':'5 * * * *','jobType':'j'}")),
                     404);
}

/* After any edit with the native API the schedule can be shown and listed. */
static void an_overwritten_schedule_is_still_shown(void **state)
{
    static const char *const bodies[] = {
        "{'action':{'type':'http','url':'https://example.com/x'}}",
        "{'action':{'type':'exec','argv':['/bin/true']},'extra':{'name':5,'retryPolicy':7}}",
        "{'action':{'type':'queue','queue':'q'},'spec':{'timesOfDay':['09:00']}}",
        "{'action':{'type':'workflow','name':'w'},'spec':{'cron':['@daily']}}",
        "{'action':{'type':'queue','queue':'q','input':{'hostId':1,'payload':'x'}}}",
    };
    const char *path = created("");

    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        int put = ask(js("PUT /api/v1/schedules/%s?namespace=acme", path + sizeof ORG), NULL,
                      js("%s", bodies[i]));

        if (put != 200)
            fail_msg("%s", json_at(""));
        assert_int_equal(get(path), 200);
        assert_int_equal(get(ORG), 200);
        assert_int_equal(json_array_size(world.json), 1);
    }
    assert_int_equal(ask(js("PUT %s", path), NULL,
                         js("{'name':'n','serverInstanceId':'s','jobType':'j',"
                            "'cronExpression':'0 3 * * *'}")),
                     200); /* and repaired */
    assert_json("jobType", "'j'");
    assert_json("nextRunAt", "'2026-01-06T03:00:00.000Z'");
}

static void a_deleted_schedule_is_gone(void **state)
{
    const char *path = created("");

    (void)state;
    assert_int_equal(ask(js("DELETE %s", path), NULL, NULL), 204);
    assert_int_equal(get(path), 404);
    assert_json("message", "'Schedule not found'");
    assert_json("statusCode", "404");
    assert_json("error", "'Not Found'");
    assert_int_equal(ask(js("DELETE %s", path), NULL, NULL), 404);
    assert_int_equal(patch(path, "{'enabled':false}"), 404);
    pass_time(2 * SPAN_H);
    assert_int_equal(claim("acme"), 0);
}

static void a_request_with_the_same_key_makes_one_schedule(void **state)
{
    char first[64];
    const char *body = js("{'name':'n','serverInstanceId':'s','jobType':'j',"
                          "'cronExpression':'0 2 * * *'}");

    (void)state;
    assert_int_equal(ask("POST " ORG, "Idempotency-Key: k\r\n", body), 201);
    snprintf(first, sizeof first, "%s", json_at("id"));
    assert_int_equal(ask("POST " ORG, "Idempotency-Key: k\r\n", body), 201);
    assert_json("id", first);
    get(ORG);
    assert_int_equal(json_array_size(world.json), 1);
}

/* ---- organisations ---- */

static void an_organisation_is_made_with_its_first_schedule(void **state)
{
    (void)state;
    assert_int_equal(get(ORG), 200);
    assert_json("", "[]");
    assert_int_equal(get(ORG "/x"), 404);
    assert_int_equal(get("/api/v1/schedules?namespace=acme"), 404); /* a GET creates none */
    assert_int_equal(create(""), 201);
    assert_int_equal(get("/api/v1/schedules?namespace=acme"), 200);
    assert_json("schedules.0.state.dialect", "'jobs'");
}

static void an_organisation_is_not_made_by_a_refused_schedule(void **state)
{
    (void)state;
    assert_create_refused("{'name':'n'}", "serverInstanceId: is required");
    assert_int_equal(get("/api/v1/schedules?namespace=acme"), 404);
}

static void with_tokens_only_an_admin_creates_an_organisation(void **state)
{
    static char root[128];

    (void)state;
    world.checks_tokens = true;
    assert_int_equal(
        post("/api/v1/tokens", js("{'name':'root','role':'admin','namespace':'*'}")), 201);
    snprintf(root, sizeof root, "%s", text_at("token").ptr);
    world.token = root;
    assert_int_equal(create(""), 404);
    assert_json("message", "'namespace \\'acme\\' does not exist'");
    assert_int_equal(get(ORG), 404);
    assert_int_equal(ask("PUT /api/v1/namespaces/acme", NULL, ""), 201);
    assert_int_equal(create(""), 201);
    assert_json("createdById", "'root'");
}

static void an_organisation_does_not_see_the_schedules_of_another(void **state)
{
    char other[128];

    (void)state;
    snprintf(other, sizeof other, "/api/orgs/other/schedules/%s", created("") + sizeof ORG);
    assert_int_equal(get(other), 404);
    assert_int_equal(patch(other, "{'enabled':false}"), 404);
    assert_int_equal(ask(js("DELETE %s", other), NULL, NULL), 404);
    assert_int_equal(get("/api/orgs/other/schedules"), 200);
    assert_json("", "[]");
}

static void schedules_of_other_apis_are_not_seen(void **state)
{
    (void)state;
    created("");
    assert_int_equal(post("/api/v1/schedules?namespace=acme",
                          js("{'id':'native','spec':{'intervals':[{'every':'1h'}]},"
                             "'action':{'type':'queue','queue':'q'}}")),
                     201);
    assert_int_equal(get(ORG "/native"), 404);
    assert_int_equal(patch(ORG "/native", "{'enabled':false}"), 404);
    assert_int_equal(ask("DELETE " ORG "/native", NULL, NULL), 404);
    get(ORG);
    assert_int_equal(json_array_size(world.json), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(schema_a_schedule_has_every_field),
        API_TEST(schema_optional_fields_are_null_and_it_is_enabled),
        API_TEST(schema_ids_are_made_and_differ),
        API_TEST(schema_name_server_cron_and_type_are_required),
        API_TEST(schema_cron_has_five_fields),
        API_TEST(schema_a_schedule_that_is_not_enabled_is_not_enqueued),
        API_TEST(the_list_has_the_newest_first),
        API_TEST(the_list_hides_members_that_are_named_like_secrets),
        API_TEST(every_answer_hides_members_that_are_named_like_secrets),
        API_TEST(a_hidden_secret_that_is_sent_back_keeps_its_value),
        API_TEST(a_paused_schedule_stays_enabled),
        API_TEST(a_patch_changes_what_it_names),
        API_TEST(a_put_replaces_all_of_it),
        API_TEST(an_overwritten_schedule_is_still_shown),
        API_TEST(a_deleted_schedule_is_gone),
        API_TEST(a_request_with_the_same_key_makes_one_schedule),
        API_TEST(an_organisation_is_made_with_its_first_schedule),
        API_TEST(an_organisation_is_not_made_by_a_refused_schedule),
        API_TEST(with_tokens_only_an_admin_creates_an_organisation),
        API_TEST(an_organisation_does_not_see_the_schedules_of_another),
        API_TEST(schedules_of_other_apis_are_not_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
