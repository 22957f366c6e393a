/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers with only the requested members, compared with the answer that has all members.
 */
#include "world.h"

#include "model/payload.h"
#include "model/run_json.h"
#include "model/schedule_show.h"

static void make(const char *id)
{
    assert_int_equal(
        post("/api/v1/schedules",
             js("{'id':'%s','description':'d','labels':{'a':'b'},'spec':{'cron':['0 9 * * *']},"
                "'action':{'type':'queue','queue':'q','kind':'report','input':{'a':1}},"
                "'policies':{'overlap':'allowAll'}}",
                id)),
        201);
}

/* Like js(), but keeps each '; valid for the next three calls. */
static const char *line(const char *fmt, ...) PRINTF(1, 2);
static const char *line(const char *fmt, ...)
{
    static char texts[4][512];
    static int next;
    char *text = texts[next++ % 4];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof texts[0], fmt, args);
    va_end(args);
    return text;
}

/* Triggers a run of the schedule "s"; returns its id, valid until the next call. */
static const char *trigger(void)
{
    static char id[RUN_ID_TEXT_MAX];

    assert_int_equal(post("/api/v1/schedules/s/trigger", ""), 202);
    snprintf(id, sizeof id, "%s", text_at("id").ptr);
    return id;
}

static int claim(const char *more)
{
    return post("/api/v1/queues/claim", js("{'queues':['q'],'worker':'w','max':1000%s}", more));
}

/* "id fence slot": the members of an object of the answer, in order. */
static const char *members_at(json_t *object)
{
    static char text[1024];
    struct buf out = BUF(text);
    const char *key;
    json_t *value;

    assert_true(json_is_object(object));
    text[0] = '\0';
    json_object_foreach(object, key, value)
        buf_printf(&out, "%s%s", out.len > 0 ? " " : "", key);
    return text;
}

static json_t *first_of(const char *list)
{
    return json_array_get(json_object_get(world.json, list), 0);
}

static void a_claim_without_fields_tells_all_members(void **state)
{
    (void)state;
    make("s");
    trigger();
    assert_int_equal(claim(""), 200);
    assert_string_equal(
        members_at(first_of("runs")),
        "id schedule kind slot due state attempt fence queue worker leaseUntil "
        "input createdAt startedAt idempotencyKey traceparent namespace action");
    trigger();
    assert_int_equal(claim(",'fields':null"), 200);
    assert_true(strlen(members_at(first_of("runs"))) > 100);
}

static void a_claim_tells_the_members_that_it_asks_for(void **state)
{
    (void)state;
    make("s");
    for (int i = 0; i < 3; i++)
        trigger();
    assert_int_equal(claim(",'fields':['due','schedule','id']"), 200);
    for (int i = 0; i < 3; i++) {
        json_t *run = json_array_get(json_object_get(world.json, "runs"), (size_t)i);

        assert_string_equal(members_at(run), "id schedule due fence");
    }
    assert_told("runs.2.schedule", "'s'");
    assert_told("runs.2.fence", "1");
    assert_told("runs.2.due", "'2026-01-05T10:00:00.000Z'");
}

static void a_run_that_was_claimed_with_few_members_can_be_completed(void **state)
{
    const char *id;

    (void)state;
    make("s");
    id = trigger();
    assert_int_equal(claim(",'fields':['id']"), 200);
    assert_told("", line("{'runs':[{'id':'%s','fence':1}]}", id));
    assert_int_equal(post(line("/api/v1/runs/%s/complete", id), js("{'fence':1}")), 200);
}

static void each_member_of_a_claim_can_be_asked_for_alone(void **state)
{
    (void)state;
    make("s");
    for (int i = 0; i < GRANT_FIELDS; i++) {
        const char *name = grant_fields.names[i];

        trigger();
        assert_int_equal(claim(js(",'fields':['%s']", name)), 200);
        for (const char *key = members_at(first_of("runs")); *key; key += strcspn(key, " ")) {
            key += *key == ' ';
            if (strncmp(key, "id", 2) != 0 && strncmp(key, "fence", 5) != 0)
                assert_memory_equal(key, name, strlen(name));
        }
    }
}

static void an_input_of_a_run_that_is_not_asked_for_takes_no_room(void **state)
{
    static char input[260 * 1024];

    (void)state;
    memset(input, 'x', 255 * 1024);
    make("s");
    for (int i = 0; i < 50; i++)
        assert_int_equal(post("/api/v1/schedules/s/trigger", js("{'input':{'a':'%s'}}", input)),
                         202);
    assert_int_equal(claim(",'fields':['schedule']"), 200);
    assert_int_equal(json_array_size(json_object_get(world.json, "runs")), 50);
}

static void a_claim_with_wrong_fields_takes_no_run(void **state)
{
    static char lengthy[65 * sizeof "'id',"];
    struct buf out = BUF(lengthy);
    static const struct {
        const char *fields, *field;
        int status;
        const char *code;
    } wrong[] = {
        {"'slot'", "fields", 400, "invalid_field"},
        {"[]", "fields", 400, "invalid_field"},
        {"['slot',1]", "fields[1]", 400, "invalid_field"},
        {"['slot','slots']", "fields[1]", 400, "invalid_field"},
        {"['endedAt']", "fields[0]", 400, "invalid_field"},
        {lengthy, "fields", 422, "limit"},
    };

    (void)state;
    for (int i = 0; i < 65; i++)
        buf_printf(&out, "%s'id'%s", i == 0 ? "[" : ",", i == 64 ? "]" : "");
    make("s");
    trigger();
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_refused(claim(js(",'fields':%s", wrong[i].fields)), wrong[i].status,
                       wrong[i].code, wrong[i].field);
    assert_int_equal(claim(",'fields':['slots']"), 400);
    assert_true(strstr(told("detail"), "did you mean slot? valid fields: id, schedule, kind,"));
    assert_int_equal(claim(""), 200);
    assert_told("runs.0.fence", "1");
}

/* Checks the object with all members, then with each member alone. */
static void check_each(const char *target, const char *list, const struct field_names *names)
{
    char path[128];
    json_t *all;

    snprintf(path, sizeof path, "%s", target);
    assert_int_equal(get(path), 200);
    all = json_incref(list ? first_of(list) : world.json);
    assert_int_equal(json_object_size(all), names->count);
    for (int i = 0; i < names->count; i++) {
        const char *name = names->names[i];
        json_t *one;

        assert_int_equal(get(line("%s?fields=%s", path, name)), 200);
        one = list ? first_of(list) : world.json;
        assert_string_equal(members_at(one), i == 0 ? "id" : line("id %s", name));
        assert_true(json_equal(json_object_get(one, "id"), json_object_get(all, "id")));
        assert_true(json_equal(json_object_get(one, name), json_object_get(all, name)));
    }
    json_decref(all);
}

static void each_member_of_an_open_run_can_be_asked_for_alone(void **state)
{
    const char *id;

    (void)state;
    make("s");
    id = trigger();
    check_each(line("/api/v1/runs/%s", id), NULL, &run_fields);
    check_each("/api/v1/runs", "runs", &run_list_fields);
}

static void each_member_of_a_run_that_is_over_can_be_asked_for_alone(void **state)
{
    const char *id;

    (void)state;
    make("s");
    id = trigger();
    assert_int_equal(claim(""), 200);
    assert_int_equal(post(line("/api/v1/runs/%s/complete", id),
                          js("{'fence':1,'result':[1],'summary':'s','refs':{'a':1},'llm':{'b':"
                             "2},'tools':[3],'sessionId':'x','threadId':'y'}")),
                     200);
    check_each(line("/api/v1/runs/%s", id), NULL, &run_fields);
    check_each("/api/v1/runs", "runs", &run_list_fields);
    assert_int_equal(get(line("/api/v1/runs/%s?fields=result,attempts", id)), 200);
    assert_told("result", "[1]");
    assert_told("attempts.0.outcome", "'succeeded'");
}

/* Which attempt is shown depends on whether the run is open, not on the requested members. */
static void a_run_between_two_attempts_is_the_same_with_few_members(void **state)
{
    const char *id;

    (void)state;
    make("s");
    assert_int_equal(
        ask("PATCH /api/v1/schedules/s", NULL, js("{'policies':{'retry':{'attempts':2}}}")),
        200);
    id = trigger();
    assert_int_equal(claim(""), 200);
    assert_int_equal(
        post(line("/api/v1/runs/%s/fail", id), js("{'fence':1,'retryAfter':'1m'}")), 200);
    check_each(line("/api/v1/runs/%s", id), NULL, &run_fields);
    assert_int_equal(get(line("/api/v1/runs/%s?fields=state,outcome", id)), 200);
    assert_told("", line("{'id':'%s','state':'backoff','outcome':null}", id));
}

static void a_run_of_another_namespace_is_not_there_whatever_is_asked_for(void **state)
{
    const char *id;

    (void)state;
    make("s");
    id = trigger();
    assert_int_equal(ask("PUT /api/v1/namespaces/other", NULL, ""), 201);
    assert_refused(get(line("/api/v1/runs/%s?namespace=other&fields=state", id)), 404,
                   "not_found", "");
    assert_refused(get(line("/api/v1/runs/%s?namespace=other", id)), 404, "not_found", "");
}

static void each_member_of_a_schedule_can_be_asked_for_alone(void **state)
{
    (void)state;
    make("s");
    check_each("/api/v1/schedules/s", NULL, &schedule_fields);
    check_each("/api/v1/schedules", "schedules", &schedule_fields);
}

static void a_schedule_has_its_etag_whatever_is_asked_for(void **state)
{
    (void)state;
    make("s");
    assert_int_equal(get("/api/v1/schedules/s?fields=enabled"), 200);
    assert_told("", "{'id':'s','enabled':true}");
    assert_string_equal(field("ETag"), "\"1\"");
}

static void the_next_run_of_a_schedule_is_told_with_its_state_alone(void **state)
{
    (void)state;
    make("s");
    assert_int_equal(post("/api/v1/schedules/s/skip-next", js("{'count':1}")), 200);
    assert_int_equal(get("/api/v1/schedules/s?fields=state"), 200);
    assert_told("state.nextAt", "'2026-01-07T09:00:00.000Z'");
    assert_int_equal(get("/api/v1/schedules?fields=state&limit=1"), 200);
    assert_told("schedules.0.state.nextAt", "'2026-01-07T09:00:00.000Z'");
}

static void a_page_goes_on_with_few_members(void **state)
{
    (void)state;
    make("a");
    make("b");
    assert_int_equal(get("/api/v1/schedules?limit=1&fields=enabled,description"), 200);
    assert_told("schedules", "[{'id':'a','description':'d','enabled':true}]");
    assert_int_equal(
        get(js("/api/v1/schedules?limit=1&cursor=%s&fields=enabled", text_at("cursor").ptr)),
        200);
    assert_told("", "{'schedules':[{'id':'b','enabled':true}],'cursor':null}");
}

static void wrong_fields_of_a_query_are_named_with_what_there_is(void **state)
{
    static const char *const targets[] = {"/api/v1/schedules", "/api/v1/schedules/s",
                                          "/api/v1/runs", "/api/v1/runs/"};
    const char *id;

    (void)state;
    make("s");
    id = trigger();
    for (int i = 0; i < 4; i++) {
        char target[128];

        snprintf(target, sizeof target, "%s%s", targets[i], i == 3 ? id : "");
        assert_refused(get(line("%s?fields=", target)), 400, "invalid_field", "fields");
        assert_refused(get(line("%s?fields=id,", target)), 400, "invalid_field", "fields");
        assert_refused(get(line("%s?fields=id,stat", target)), 400, "invalid_field", "fields");
        assert_told("at", "3");
        assert_true(strstr(told("detail"), "did you mean state? valid fields: id, "));
    }
    assert_refused(get("/api/v1/runs?fields=attempts"), 400, "invalid_field", "fields");
    assert_refused(get("/api/v1/schedules/s?fields=state.nextAt"), 400, "invalid_field",
                   "fields");
}

/* These operations have no `fields` parameter. */
static void other_operations_take_no_fields(void **state)
{
    const char *id;

    (void)state;
    make("s");
    id = trigger();
    assert_int_equal(get(line("/api/v1/runs/%s/attempts?fields=fence", id)), 400);
    assert_int_equal(get("/api/v1/schedules/s/exceptions?fields=id"), 400);
    assert_int_equal(get("/api/v1/export?fields=id"), 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(a_claim_without_fields_tells_all_members),
        SERVED(a_claim_tells_the_members_that_it_asks_for),
        SERVED(a_run_that_was_claimed_with_few_members_can_be_completed),
        SERVED(each_member_of_a_claim_can_be_asked_for_alone),
        SERVED(an_input_of_a_run_that_is_not_asked_for_takes_no_room),
        SERVED(a_claim_with_wrong_fields_takes_no_run),
        SERVED(each_member_of_an_open_run_can_be_asked_for_alone),
        SERVED(each_member_of_a_run_that_is_over_can_be_asked_for_alone),
        SERVED(a_run_between_two_attempts_is_the_same_with_few_members),
        SERVED(a_run_of_another_namespace_is_not_there_whatever_is_asked_for),
        SERVED(each_member_of_a_schedule_can_be_asked_for_alone),
        SERVED(a_schedule_has_its_etag_whatever_is_asked_for),
        SERVED(the_next_run_of_a_schedule_is_told_with_its_state_alone),
        SERVED(a_page_goes_on_with_few_members),
        SERVED(wrong_fields_of_a_query_are_named_with_what_there_is),
        SERVED(other_operations_take_no_fields),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
