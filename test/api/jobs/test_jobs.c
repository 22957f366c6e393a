/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The jobs API: its schema, its organisations, what it refuses.
 *
 * The expected values are those of the tables of its original description, or follow from the
 * clock, which starts on Monday, 2026-01-05T10:00:00Z.
 */
#include "jobs.h"

static void assert_wrong(const char *body, const char *message)
{
    assert_int_equal(post(ORG, js("%s", body)), 400);
    assert_told("statusCode", "400");
    assert_told("error", "'Bad Request'");
    if (strncmp(told("message") + 1, message, strlen(message)) != 0)
        fail_msg("%s, not %s", told("message"), message);
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
    assert_told("orgId", "'acme'");
    assert_told("serverInstanceId", "'srv-1'");
    assert_told("name", "'Backup'");
    assert_told("description", "'each hour'");
    assert_told("cronExpression", "'0 * * * *'");
    assert_told("jobType", "'backup'");
    assert_told("payload", "{'path':'/srv'}");
    assert_told("enabled", "true");
    assert_told("executionWindowStart", "'02:00'");
    assert_told("executionWindowEnd", "'06:00'");
    assert_told("retryPolicy", "{'maxRetries':4,'backoffMs':500,'backoffType':'exponential'}");
    assert_told("lastRunAt", "null");
    assert_told("nextRunAt", "'2026-01-06T02:00:00.000Z'");
    assert_told("lastRunStatus", "null");
    assert_told("lastRunJobId", "null");
    assert_told("runCount", "0");
    assert_told("failureCount", "0");
    assert_told("createdById", "'test'");
    assert_told("createdAt", "'2026-01-05T10:00:00.000Z'");
    assert_told("updatedAt", "'2026-01-05T10:00:00.000Z'");
    assert_string_equal(world.call.content_type, "application/json");
}

static void schema_what_is_not_said_is_null_and_it_is_enabled(void **state)
{
    (void)state;
    assert_int_equal(create(",'id':'mine','runCount':7,'unknown':[1]"), 201);
    assert_told("description", "null");
    assert_told("payload", "{}");
    assert_told("enabled", "true");
    assert_told("executionWindowStart", "null");
    assert_told("executionWindowEnd", "null");
    assert_told("retryPolicy", "null");
    assert_told("runCount", "0"); /* read-only and unknown members are ignored */
    assert_string_not_equal(told("id"), "'mine'");
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
    assert_wrong("{'serverInstanceId':'s','cronExpression':'0 2 * * *','jobType':'j'}",
                 "name: is required");
    assert_wrong("{'name':'n','cronExpression':'0 2 * * *','jobType':'j'}",
                 "serverInstanceId: is required");
    assert_wrong("{'name':'n','serverInstanceId':'s','jobType':'j'}",
                 "cronExpression: is required");
    assert_wrong("{'name':'n','serverInstanceId':'s','cronExpression':'0 2 * * *'}",
                 "jobType: is required");
    assert_wrong("{'name':' ','serverInstanceId':'s','cronExpression':'0 2 * * *',"
                 "'jobType':'j'}",
                 "name: is required");
    assert_wrong("{'name':5}", "name: must be ");
    assert_wrong("[]", "must be an object, a schedule");
    assert_int_equal(get(ORG), 200);
    assert_told("", "[]");
}

static void schema_cron_has_five_fields(void **state)
{
    (void)state;
    assert_int_equal(post(ORG, js("{'name':'n','serverInstanceId':'s','jobType':'j',"
                                  "'cronExpression':'0 2 * * *'}")),
                     201);
    assert_told("nextRunAt", "'2026-01-06T02:00:00.000Z'");
    assert_wrong("{'name':'n','serverInstanceId':'s','jobType':'j',"
                 "'cronExpression':'0 0 2 * * *'}",
                 "cronExpression: must have 5 fields");
    assert_wrong("{'name':'n','serverInstanceId':'s','jobType':'j','cronExpression':'@daily'}",
                 "cronExpression: must have 5 fields");
}

static void schema_a_schedule_that_is_not_enabled_is_not_enqueued(void **state)
{
    const char *path = created(",'enabled':false");

    (void)state;
    assert_told("enabled", "false");
    assert_told("nextRunAt", "null");
    pass(3 * SPAN_H);
    assert_int_equal(claim("acme"), 0);
    get(path);
    assert_told("runCount", "0");
    assert_told("lastRunStatus", "null");
    assert_int_equal(patch(path, "{'enabled':true}"), 200);
    assert_told("enabled", "true");
    assert_told("nextRunAt", "'2026-01-05T14:00:00.000Z'");
    pass(SPAN_H);
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
    assert_told("0.description", "'third'");
    assert_told("1.description", "'second'");
    assert_told("2.description", "null");
}

static void the_list_hides_what_is_named_as_a_secret(void **state)
{
    const char *path = created(",'payload':{'user':'u','dbPassword':'p','on':[{'TOKEN':'t'}]}");

    (void)state;
    assert_int_equal(get(ORG), 200);
    assert_told("0.payload", "{'user':'u','dbPassword':'***','on':[{'TOKEN':'***'}]}");
    assert_int_equal(get(path), 200);
    assert_told("payload", "{'user':'u','dbPassword':'p','on':[{'TOKEN':'t'}]}");
}

static void a_patch_changes_what_it_names(void **state)
{
    const char *path = created(",'payload':{'a':1,'b':2},'retryPolicy':{'maxRetries':1}");

    (void)state;
    world.now += SPAN_MIN;
    assert_int_equal(patch(path, "{'name':'New','cronExpression':'30 2 * * *',"
                                 "'jobType':'restart','payload':{'c':3}}"),
                     200);
    assert_told("name", "'New'");
    assert_told("cronExpression", "'30 2 * * *'");
    assert_told("jobType", "'restart'");
    assert_told("payload", "{'c':3}");
    assert_told("serverInstanceId", "'srv-1'");
    assert_told("retryPolicy", "{'maxRetries':1}");
    assert_told("nextRunAt", "'2026-01-06T02:30:00.000Z'");
    assert_told("createdAt", "'2026-01-05T10:00:00.000Z'");
    assert_told("updatedAt", "'2026-01-05T10:01:00.000Z'");
    assert_int_equal(patch(path, "{'retryPolicy':null}"), 200);
    assert_told("retryPolicy", "null");
    assert_int_equal(patch(path, "{'cronExpression':'61 * * * *'}"), 400);
    assert_told("field", "'cronExpression'");
    assert_int_equal(patch(path, "{'name':null}"), 400);
    assert_int_equal(patch(path, "[]"), 400);
    get(path);
    assert_told("cronExpression", "'30 2 * * *'");
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
    assert_told("serverInstanceId", "'srv-2'");
    assert_told("description", "null");
    assert_told("payload", "{}");
    assert_int_equal(ask(js("PUT %s", path), NULL, js("{'name':'N'}")), 400);
    assert_int_equal(ask("PUT " ORG "/none", NULL,
                         js("{'name':'N','serverInstanceId':'s',"
                            "'cronExpression':'5 * * * *','jobType':'j'}")),
                     404);
}

/* After any edit with the native API the schedule is shown, and no list fails. */
static void one_that_was_written_over_is_shown_as_far_as_it_goes(void **state)
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
            fail_msg("%s", told(""));
        assert_int_equal(get(path), 200);
        assert_int_equal(get(ORG), 200);
        assert_int_equal(json_array_size(world.json), 1);
    }
    assert_int_equal(ask(js("PUT %s", path), NULL,
                         js("{'name':'n','serverInstanceId':'s','jobType':'j',"
                            "'cronExpression':'0 3 * * *'}")),
                     200); /* and repaired */
    assert_told("jobType", "'j'");
    assert_told("nextRunAt", "'2026-01-06T03:00:00.000Z'");
}

static void a_deleted_schedule_is_gone(void **state)
{
    const char *path = created("");

    (void)state;
    assert_int_equal(ask(js("DELETE %s", path), NULL, NULL), 204);
    assert_int_equal(get(path), 404);
    assert_told("message", "'Schedule not found'");
    assert_told("statusCode", "404");
    assert_told("error", "'Not Found'");
    assert_int_equal(ask(js("DELETE %s", path), NULL, NULL), 404);
    assert_int_equal(patch(path, "{'enabled':false}"), 404);
    pass(2 * SPAN_H);
    assert_int_equal(claim("acme"), 0);
}

static void a_request_with_the_same_key_makes_one_schedule(void **state)
{
    char first[64];
    const char *body = js("{'name':'n','serverInstanceId':'s','jobType':'j',"
                          "'cronExpression':'0 2 * * *'}");

    (void)state;
    assert_int_equal(ask("POST " ORG, "Idempotency-Key: k\r\n", body), 201);
    snprintf(first, sizeof first, "%s", told("id"));
    assert_int_equal(ask("POST " ORG, "Idempotency-Key: k\r\n", body), 201);
    assert_told("id", first);
    get(ORG);
    assert_int_equal(json_array_size(world.json), 1);
}

/* ---- organisations ---- */

static void an_organisation_is_made_with_its_first_schedule(void **state)
{
    (void)state;
    assert_int_equal(get(ORG), 200);
    assert_told("", "[]");
    assert_int_equal(get(ORG "/x"), 404);
    assert_int_equal(get("/api/v1/schedules?namespace=acme"), 404); /* a GET creates none */
    assert_int_equal(create(""), 201);
    assert_int_equal(get("/api/v1/schedules?namespace=acme"), 200);
    assert_told("schedules.0.state.dialect", "'jobs'");
}

static void an_organisation_is_not_made_by_a_refused_schedule(void **state)
{
    (void)state;
    assert_wrong("{'name':'n'}", "serverInstanceId: is required");
    assert_int_equal(get("/api/v1/schedules?namespace=acme"), 404);
}

static void with_tokens_an_organisation_is_made_by_an_admin_only(void **state)
{
    static char root[128];

    (void)state;
    world.is_guarded = true;
    assert_int_equal(
        post("/api/v1/tokens", js("{'name':'root','role':'admin','namespace':'*'}")), 201);
    snprintf(root, sizeof root, "%s", text_at("token").ptr);
    world.token = root;
    assert_int_equal(create(""), 404);
    assert_told("message", "'namespace \\'acme\\' does not exist'");
    assert_int_equal(get(ORG), 404);
    assert_int_equal(ask("PUT /api/v1/namespaces/acme", NULL, ""), 201);
    assert_int_equal(create(""), 201);
    assert_told("createdById", "'root'");
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
    assert_told("", "[]");
}

static void what_another_api_made_is_not_seen(void **state)
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
        SERVED(schema_a_schedule_has_every_field),
        SERVED(schema_what_is_not_said_is_null_and_it_is_enabled),
        SERVED(schema_ids_are_made_and_differ),
        SERVED(schema_name_server_cron_and_type_are_required),
        SERVED(schema_cron_has_five_fields),
        SERVED(schema_a_schedule_that_is_not_enabled_is_not_enqueued),
        SERVED(the_list_has_the_newest_first),
        SERVED(the_list_hides_what_is_named_as_a_secret),
        SERVED(a_patch_changes_what_it_names),
        SERVED(a_put_replaces_all_of_it),
        SERVED(one_that_was_written_over_is_shown_as_far_as_it_goes),
        SERVED(a_deleted_schedule_is_gone),
        SERVED(a_request_with_the_same_key_makes_one_schedule),
        SERVED(an_organisation_is_made_with_its_first_schedule),
        SERVED(an_organisation_is_not_made_by_a_refused_schedule),
        SERVED(with_tokens_an_organisation_is_made_by_an_admin_only),
        SERVED(an_organisation_does_not_see_the_schedules_of_another),
        SERVED(what_another_api_made_is_not_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
