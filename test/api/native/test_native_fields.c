/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers with only the requested members, compared with the answer that has all members.
 */
#include "world.h"

#include "model/payload.h"
#include "model/run_json.h"
#include "model/schedule_show.h"

/* The members of claimed runs of the schedule that make() creates. */
#define TO_STARTED                                                           \
    "id schedule kind slot due state attempt fence queue worker leaseUntil " \
    "input createdAt startedAt "
#define FROM_KEY  "idempotencyKey traceparent namespace action"
#define FIRST_RUN TO_STARTED FROM_KEY
#define LATER_RUN TO_STARTED "lastRunAt " FROM_KEY

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

/* Formats a text, valid for the next three calls.  Unlike js(), it keeps each '. */
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

static void a_claim_without_fields_returns_all_members(void **state)
{
    (void)state;
    make("s");
    trigger();
    assert_int_equal(claim(""), 200);
    assert_string_equal(members_at(first_of("runs")), FIRST_RUN);
    trigger();
    assert_int_equal(claim(",'fields':null"), 200);
    assert_string_equal(members_at(first_of("runs")), LATER_RUN);
}

static void a_claim_returns_the_requested_members(void **state)
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
    assert_json("runs.2.schedule", "'s'");
    assert_json("runs.2.fence", "1");
    assert_json("runs.2.due", "'2026-01-05T10:00:00.000Z'");
}

static void a_run_that_was_claimed_with_few_members_can_be_completed(void **state)
{
    const char *id;

    (void)state;
    make("s");
    id = trigger();
    assert_int_equal(claim(",'fields':['id']"), 200);
    assert_json("", line("{'runs':[{'id':'%s','fence':1}]}", id));
    assert_int_equal(post(line("/api/v1/runs/%s/complete", id), js("{'fence':1}")), 200);
}

/* The members of a claim that selects one field: those of LATER_RUN in their order. */
static const char *claimed_with(const char *name)
{
    static char text[sizeof LATER_RUN];
    struct str rest = STR(LATER_RUN), word;
    struct buf out = BUF(text);

    text[0] = '\0';
    for (bool is_more = true; is_more;) {
        is_more = str_cut(rest, ' ', &word, &rest);
        word = is_more ? word : rest;
        if (str_eq(word, STR("id")) || str_eq(word, STR("fence")) || str_eq(word, str_of(name)))
            buf_printf(&out, "%s%.*s", out.len > 0 ? " " : "", STR_ARG(word));
    }
    return text;
}

static void each_member_of_a_claim_can_be_selected_alone(void **state)
{
    (void)state;
    make("s");
    trigger();
    assert_int_equal(claim(""), 200);
    for (int i = 0; i < GRANT_FIELDS; i++) {
        trigger();
        assert_int_equal(claim(js(",'fields':['%s']", grant_fields.names[i])), 200);
        assert_string_equal(members_at(first_of("runs")), claimed_with(grant_fields.names[i]));
    }
}

static void an_input_that_is_not_requested_takes_no_space(void **state)
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
    assert_true(
        strstr(json_at("detail"), "did you mean slot? valid fields: id, schedule, kind,"));
    assert_int_equal(claim(""), 200);
    assert_json("runs.0.fence", "1");
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

static void each_member_of_an_open_run_can_be_selected_alone(void **state)
{
    const char *id;

    (void)state;
    make("s");
    id = trigger();
    check_each(line("/api/v1/runs/%s", id), NULL, &run_fields);
    check_each("/api/v1/runs", "runs", &run_list_fields);
}

static void each_member_of_an_ended_run_can_be_selected_alone(void **state)
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
    assert_json("result", "[1]");
    assert_json("attempts.0.outcome", "'succeeded'");
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
    assert_json("", line("{'id':'%s','state':'backoff','outcome':null}", id));
}

static void a_run_of_another_namespace_is_not_found_with_fields(void **state)
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

static void each_member_of_a_schedule_can_be_selected_alone(void **state)
{
    (void)state;
    make("s");
    check_each("/api/v1/schedules/s", NULL, &schedule_fields);
    check_each("/api/v1/schedules", "schedules", &schedule_fields);
}

static void a_schedule_has_its_etag_with_few_members(void **state)
{
    (void)state;
    make("s");
    assert_int_equal(get("/api/v1/schedules/s?fields=enabled"), 200);
    assert_json("", "{'id':'s','enabled':true}");
    assert_string_equal(field("ETag"), "\"1\"");
}

static void selecting_state_includes_the_next_run(void **state)
{
    (void)state;
    make("s");
    assert_int_equal(post("/api/v1/schedules/s/skip-next", js("{'count':1}")), 200);
    assert_int_equal(get("/api/v1/schedules/s?fields=state"), 200);
    assert_json("state.nextAt", "'2026-01-07T09:00:00.000Z'");
    assert_int_equal(get("/api/v1/schedules?fields=state&limit=1"), 200);
    assert_json("schedules.0.state.nextAt", "'2026-01-07T09:00:00.000Z'");
}

static void a_page_with_few_members_continues(void **state)
{
    (void)state;
    make("a");
    make("b");
    assert_int_equal(get("/api/v1/schedules?limit=1&fields=enabled,description"), 200);
    assert_json("schedules", "[{'id':'a','description':'d','enabled':true}]");
    assert_int_equal(
        get(js("/api/v1/schedules?limit=1&cursor=%s&fields=enabled", text_at("cursor").ptr)),
        200);
    assert_json("", "{'schedules':[{'id':'b','enabled':true}],'cursor':null}");
}

static void errors_list_the_valid_fields(void **state)
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
        assert_json("at", "3");
        assert_true(strstr(json_at("detail"), "did you mean state? valid fields: id, "));
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
        API_TEST(a_claim_without_fields_returns_all_members),
        API_TEST(a_claim_returns_the_requested_members),
        API_TEST(a_run_that_was_claimed_with_few_members_can_be_completed),
        API_TEST(each_member_of_a_claim_can_be_selected_alone),
        API_TEST(an_input_that_is_not_requested_takes_no_space),
        API_TEST(a_claim_with_wrong_fields_takes_no_run),
        API_TEST(each_member_of_an_open_run_can_be_selected_alone),
        API_TEST(each_member_of_an_ended_run_can_be_selected_alone),
        API_TEST(a_run_between_two_attempts_is_the_same_with_few_members),
        API_TEST(a_run_of_another_namespace_is_not_found_with_fields),
        API_TEST(each_member_of_a_schedule_can_be_selected_alone),
        API_TEST(a_schedule_has_its_etag_with_few_members),
        API_TEST(selecting_state_includes_the_next_run),
        API_TEST(a_page_with_few_members_continues),
        API_TEST(errors_list_the_valid_fields),
        API_TEST(other_operations_take_no_fields),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
