/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One error in the format of each API.  Conductor's clients expect the format of its server:
 * {"status","message","instance","retryable","validationErrors":[{"path","message"}]}.
 */
#include "world.h"

#include "api/call/error_reply.h"

static char room[ERROR_REPLY_BYTES_MAX];

static const char *body_at(const struct error_reply *refusal, const char *path)
{
    struct err err;

    json_decref(world.json);
    world.json = NULL;
    assert_int_equal(json_read(refusal->body, &world.json, &err), RC_OK);
    return json_at(path);
}

static const struct problem wrong = {
    .status = 400,
    .code = "invalid_field",
    .detail = "must be a list",
    .field = "cronSchedules",
    .at = -1,
    .request_id = {"q1", 2},
    .node = "here",
};

static void errors_of_the_native_api_are_problem_documents(void **state)
{
    struct error_reply refusal = error_reply_of(DIALECTS_NATIVE, &wrong, room);

    (void)state;
    assert_int_equal(refusal.status, 400);
    assert_string_equal(refusal.content_type, "application/problem+json");
    assert_string_equal(body_at(&refusal, "detail"), "'must be a list'");
    assert_string_equal(body_at(&refusal, "field"), "'cronSchedules'");
}

static void errors_of_conductor_have_the_field_in_the_message(void **state)
{
    struct error_reply refusal = error_reply_of(DIALECTS_CONDUCTOR, &wrong, room);

    (void)state;
    assert_int_equal(refusal.status, 400);
    assert_string_equal(refusal.content_type, "application/json");
    assert_string_equal(body_at(&refusal, "message"), "'cronSchedules: must be a list'");
    assert_string_equal(body_at(&refusal, "status"), "400");
    assert_string_equal(body_at(&refusal, "retryable"), "false");
    assert_string_equal(body_at(&refusal, "instance"), "'here'");
    assert_string_equal(body_at(&refusal, "validationErrors"),
                        "[{'path':'cronSchedules','message':'must be a list'}]");
    assert_string_equal(body_at(&refusal, "metadata.requestId"), "'q1'");
}

static void conductor_has_400_and_409_instead_of_422_and_412(void **state)
{
    struct problem problem = {.status = 422, .code = "limit", .detail = "x", .at = -1};

    (void)state;
    assert_int_equal(error_reply_of(DIALECTS_CONDUCTOR, &problem, room).status, 400);
    problem.status = 412;
    assert_int_equal(error_reply_of(DIALECTS_CONDUCTOR, &problem, room).status, 409);
}

static void errors_of_jobs_have_status_code_message_and_reason(void **state)
{
    struct problem problem = {.status = 422, .code = "limit", .detail = "x", .at = -1};
    struct error_reply refusal = error_reply_of(DIALECTS_JOBS, &wrong, room);

    (void)state;
    assert_int_equal(refusal.status, 400);
    assert_string_equal(refusal.content_type, "application/json");
    assert_string_equal(body_at(&refusal, "statusCode"), "400");
    assert_string_equal(body_at(&refusal, "message"), "'cronSchedules: must be a list'");
    assert_string_equal(body_at(&refusal, "error"), "'Bad Request'");
    assert_string_equal(body_at(&refusal, "field"), "'cronSchedules'");
    assert_string_equal(body_at(&refusal, "requestId"), "'q1'");
    assert_int_equal(error_reply_of(DIALECTS_JOBS, &problem, room).status, 400);
    problem.status = 412;
    assert_int_equal(error_reply_of(DIALECTS_JOBS, &problem, room).status, 409);
}

static void errors_say_whether_a_retry_is_useful(void **state)
{
    struct problem problem = {.status = 503, .code = "unavailable", .detail = "x", .at = -1};
    struct error_reply refusal = error_reply_of(DIALECTS_CONDUCTOR, &problem, room);

    (void)state;
    assert_string_equal(body_at(&refusal, "retryable"), "true");
    assert_int_equal(refusal.field_count, 1);
    assert_true(str_eq(refusal.fields[0].name, STR("Retry-After")));
    problem.status = 401;
    refusal = error_reply_of(DIALECTS_CONDUCTOR, &problem, room);
    assert_string_equal(body_at(&refusal, "retryable"), "false");
    assert_string_equal(body_at(&refusal, "error"), "'INVALID_TOKEN'");
    assert_int_equal(refusal.field_count, 0);
}

/* Every byte of a text may need six bytes in JSON. */
static void the_longest_texts_fit(void **state)
{
    char text[ERR_TEXT_MAX], field[ERR_FIELD_MAX], id[CALL_REQUEST_MAX + 1];
    struct problem problem = {.status = 400, .code = "invalid_field", .at = -1};

    (void)state;
    memset(text, 1, sizeof text - 1);
    memset(field, 1, sizeof field - 1);
    memset(id, 1, sizeof id - 1);
    text[sizeof text - 1] = field[sizeof field - 1] = id[sizeof id - 1] = '\0';
    problem.detail = text;
    problem.field = field;
    problem.request_id = str_of(id);
    for (int dialect = DIALECTS_NATIVE; dialect < DIALECTS_TEMPORAL; dialect++)
        assert_true(error_reply_of((enum dialects)dialect, &problem, room).body.len > 0);
    assert_int_equal(error_reply_of(DIALECTS_TEMPORAL, &problem, room).field_count, 2);
}

/* Clients retry 8 and 14 by themselves, so permanent errors must not have these statuses. */
static void grpc_has_statuses_of_its_own(void **state)
{
    static const struct {
        int status;
        const char *code, *grpc;
    } list[] = {
        {400, "invalid_field", "3"}, {401, "unauthorized", "16"},
        {403, "forbidden", "7"},     {404, "not_found", "5"},
        {409, "exists", "6"},        {409, "bad_state", "9"},
        {413, "limit", "3"},         {412, "version_conflict", "9"},
        {422, "quota", "9"},         {429, "rate_limited", "8"},
        {501, "not_found", "12"},    {500, "unavailable", "13"},
        {503, "unavailable", "14"},  {503, "unknown_result", "14"},
        {504, "unavailable", "4"},   {504, "unknown_result", "4"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct problem problem = {
            .status = list[i].status, .code = list[i].code, .detail = "100 % \xc3\xbc"};
        struct error_reply refusal = error_reply_of(DIALECTS_TEMPORAL, &problem, room);

        assert_string_equal(refusal.content_type, "application/grpc");
        assert_int_equal(refusal.body.len, 0);
        assert_true(str_eq(refusal.fields[0].name, STR("grpc-status")));
        assert_true(str_eq(refusal.fields[0].value, str_of(list[i].grpc)));
        assert_true(str_eq(refusal.fields[1].name, STR("grpc-message")));
        assert_true(str_eq(refusal.fields[1].value, STR("100 %25 %C3%BC")));
    }
}

/* Temporal's clients recognize the error by this exact message. */
static void an_invalid_spec_has_the_message_of_temporal(void **state)
{
    struct problem problem = {.status = 400,
                              .code = "invalid_spec",
                              .field = "cronString[0]",
                              .detail = "minute 61 is out of range 0-59"};
    struct error_reply refusal = error_reply_of(DIALECTS_TEMPORAL, &problem, room);

    (void)state;
    assert_true(str_eq(refusal.fields[1].value,
                       STR("Invalid schedule spec: cronString[0]: minute 61 is out of range "
                           "0-59")));
}

static void an_unknown_path_gives_an_error_in_the_format_of_its_api(void **state)
{
    (void)state;
    assert_int_equal(get("/api/scheduler/nothing"), 404);
    assert_json("status", "404");
    assert_json("message", "'not found'");
    assert_int_equal(get("/api/workflow/a/b"), 404);
    assert_json("message", "'not found'");
    assert_int_equal(get("/api/orgs/acme"), 404);
    assert_json("statusCode", "404");
    assert_int_equal(get("/api/v1/nothing"), 404);
    assert_json("detail", "'not found'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(errors_of_the_native_api_are_problem_documents),
        API_TEST(errors_of_conductor_have_the_field_in_the_message),
        API_TEST(conductor_has_400_and_409_instead_of_422_and_412),
        API_TEST(errors_of_jobs_have_status_code_message_and_reason),
        API_TEST(errors_say_whether_a_retry_is_useful),
        API_TEST(the_longest_texts_fit),
        API_TEST(grpc_has_statuses_of_its_own),
        API_TEST(an_invalid_spec_has_the_message_of_temporal),
        API_TEST(an_unknown_path_gives_an_error_in_the_format_of_its_api),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
