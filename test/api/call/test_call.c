/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What call_begin() rejects: bodies, content codings, namespaces, query parameters.
 */
#include "api/call/request.h"
#include "world.h"

static struct call new_call(struct arena *arena)
{
    static const struct api_context context = {.node = "a"};

    arena_reset(arena);
    return (struct call){.arena = arena, .context = &context};
}

static void errors_have_the_status_of_their_rc(void **state)
{
    static const struct {
        enum rc rc;
        int status;
        const char *code;
    } kinds[] = {
        {RC_INVALID, 400, "invalid_field"},  {RC_NOT_FOUND, 404, "not_found"},
        {RC_CONFLICT, 409, "bad_state"},     {RC_LIMIT, 422, "limit"},
        {RC_BUSY, 503, "unavailable"},       {RC_LOST, 503, "unknown_result"},
        {RC_UNKNOWN, 503, "unknown_result"}, {RC_CORRUPT, 500, "unavailable"},
    };
    struct arena *arena = arena_new(1 << 20);

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct call call = new_call(arena);
        json_t *json = NULL;
        struct err err;

        err_set(&err, kinds[i].rc, 7, 1, "why \"it\" is");
        err_in(&err, "a.b");
        assert_int_equal(call_refuse(&call, NULL, &err), CALL_ANSWER);
        assert_int_equal(call.status, kinds[i].status);
        assert_string_equal(call.content_type, "application/problem+json");
        assert_int_equal(json_read(call.answer, &json, &err), RC_OK);
        assert_string_equal(json_string_value(json_object_get(json, "code")), kinds[i].code);
        assert_string_equal(json_string_value(json_object_get(json, "field")), "a.b");
        assert_string_equal(json_string_value(json_object_get(json, "detail")),
                            "why \"it\" is");
        assert_int_equal(json_integer_value(json_object_get(json, "at")), 7);
        assert_int_equal(json_integer_value(json_object_get(json, "status")), kinds[i].status);
        json_decref(json);
    }
    arena_free(arena);
}

static void the_code_of_an_error_depends_on_its_field(void **state)
{
    static const struct {
        const char *field, *code;
    } fields[] = {
        {"spec", "invalid_spec"},
        {"spec.cron[0].expr", "invalid_spec"},
        {"special", "invalid_field"},
        {"action.url", "invalid_action"},
        {"policies.retry", "invalid_policy"},
        {"governor.hint.at", "invalid_policy"},
        {"", "invalid_field"},
        {"labels.a", "invalid_field"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        struct err err;

        err_set(&err, RC_INVALID, -1, 0, "x");
        err_in(&err, "%s", fields[i].field);
        assert_string_equal(call_code(&err), fields[i].code);
    }
}

static enum call_step answer_empty_object(struct call *call)
{
    assert_non_null(call->request);
    return call_answer(call, 200, STR("{}"));
}

static void a_body_is_checked_before_the_operation_begins(void **state)
{
    static const struct operation with_body = {.body_max = 4, .begin = answer_empty_object},
                                  without_body = {.begin = answer_empty_object};
    static const struct http1_request request;
    struct arena *arena = arena_new(1 << 20);
    struct call call = new_call(arena);

    (void)state;
    call.operation = &with_body;
    assert_int_equal(call_begin(&call, &request, STR("1234")), CALL_ANSWER);
    assert_int_equal(call.status, 200);
    assert_null(call.request);
    assert_true(str_eq(call.namespace_name, STR("default")));
    call = new_call(arena);
    call.operation = &with_body;
    call_begin(&call, &request, STR("12345"));
    assert_int_equal(call.status, 413);
    call = new_call(arena);
    call.operation = &without_body;
    call_begin(&call, &request, STR("1"));
    assert_int_equal(call.status, 400);
    arena_free(arena);
}

static enum call_step answer_body(struct call *call)
{
    struct str key;

    assert_true(http1_find(call->request, STR("Idempotency-Key"), &key));
    assert_true(str_eq(key, STR("k")));
    assert_true(str_eq(request_query(call, "q"), STR("v")));
    assert_null(call->keys);
    return call_answer(call, 200, arena_str(call->arena, call->body));
}

/* Another thread begins it after the request has been freed. */
static void a_kept_request_outlives_the_original(void **state)
{
    static const struct operation operation = {.body_max = 4, .begin = answer_body};
    char text[] = "Idempotency-Key k q v 1234";
    struct http1_request request = {.pair_count = 1,
                                    .field_count = 1,
                                    .fields = {{{text, 15}, {text + 16, 1}}},
                                    .pairs = {{{text + 18, 1}, {text + 20, 1}}}};
    struct arena *arena = arena_new(1 << 20);
    struct call call = new_call(arena);

    (void)state;
    call.operation = &operation;
    assert_true(call_open(&call, &request, (struct str){text + 22, 4}));
    call_keep_request(&call);
    memset(text, 'x', sizeof text);
    memset(&request, 0, sizeof request);
    assert_int_equal(call_start(&call), CALL_ANSWER);
    assert_true(str_eq(call.answer, STR("1234")));
    assert_null(call.request);
    arena_free(arena);
}

static void assert_encoding_is_refused(const char *what, const char *coding, const char *body)
{
    int status = ask(what, js("Content-Encoding: %s\r\n", coding), body);

    assert_int_equal(status, 415);
    assert_string_equal(field("Accept-Encoding"), "identity");
    assert_json("code", "'unsupported_encoding'");
    assert_non_null(strstr(json_at(""), "without a content coding"));
}

/* RFC 9110, 8.4 and 12.5.3: 415 for an unsupported coding; the answer lists supported ones. */
static void operations_refuse_an_encoded_body(void **state)
{
    static const char *const paths[] = {
        "POST /api/v1/schedules", "PUT /api/v1/schedules/a",
        "POST /api/v1/preview",   "POST /api/scheduler/schedules",
        "POST /api/schedules",    "POST /api/orgs/acme/schedules",
    };

    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        assert_encoding_is_refused(paths[i], "gzip", "\x1f\x8b\x08");
        assert_encoding_is_refused(paths[i], "identity, br", "{}");
    }
}

static void a_body_without_encoding_is_read(void **state)
{
    const char *body = js("{'spec':{'cron':['0 9 * * *']}}");

    (void)state;
    assert_int_equal(ask("POST /api/v1/preview", "Content-Encoding: identity\r\n", body), 200);
    assert_int_equal(ask("GET /api/v1/schedules", "Content-Encoding: gzip\r\n", NULL), 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_have_the_status_of_their_rc),
        cmocka_unit_test(the_code_of_an_error_depends_on_its_field),
        cmocka_unit_test(a_body_is_checked_before_the_operation_begins),
        cmocka_unit_test(a_kept_request_outlives_the_original),
        API_TEST(operations_refuse_an_encoded_body),
        API_TEST(a_body_without_encoding_is_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
