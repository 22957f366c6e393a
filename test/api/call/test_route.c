/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Routing: paths, methods, path variables, and the API of unknown paths.
 */
#include "world.h"

/* Parses a request line and finds its operation. */
static const struct operation *find(const char *line, struct str params[CALL_PARAMS_MAX],
                                    int *ret_status, struct str *ret_allow)
{
    static char room[HTTP1_ROOM], text[512];
    static struct http1 parser;
    static struct arena *arena;
    enum http1_event event;
    struct str bytes;
    struct err err;

    arena = arena ? arena : arena_new(1 << 20);
    arena_reset(arena);
    snprintf(text, sizeof text, "%s HTTP/1.1\r\nHost: a\r\n\r\n", line);
    bytes = str_of(text);
    http1_begin(&parser, room, 0);
    assert_int_equal(http1_feed(&parser, &bytes, &event, &err), RC_OK);
    return operation_find(&parser.request, arena, params, ret_status, ret_allow);
}

static void assert_route(const char *line, const char *id, const char *param)
{
    struct str params[CALL_PARAMS_MAX] = {0}, allow;
    int status;
    const struct operation *operation = find(line, params, &status, &allow);

    if (!operation)
        fail_msg("%s: %d", line, status);
    assert_string_equal(operation->id, id);
    assert_true(str_eq(params[0], str_of(param)));
}

static void assert_none(const char *line, int expected, const char *expected_allow)
{
    struct str params[CALL_PARAMS_MAX] = {0}, allow = {0};
    int status = 0;

    assert_null(find(line, params, &status, &allow));
    assert_int_equal(status, expected);
    if (!str_eq(allow, str_of(expected_allow)))
        fail_msg("%s: Allow: %.*s", line, STR_ARG(allow));
}

static void a_path_and_a_method_find_their_operation(void **state)
{
    (void)state;
    assert_route("POST /api/v1/schedules", "schedule.create", "");
    assert_route("GET /api/v1/schedules/a", "schedule.get", "a");
    assert_route("HEAD /api/v1/schedules/a", "schedule.get", "a");
    assert_route("GET /api/v1/schedules/a%2Fb%20c?x=1", "schedule.get", "a/b c");
    assert_route("POST /api/v1/schedules/a/pause", "schedule.pause", "a");
    assert_route("GET /healthz", "health", "");
}

static void a_literal_segment_takes_precedence_over_a_variable(void **state)
{
    (void)state;
    assert_route("POST /api/v1/runs/complete", "runs.complete", "");
    assert_route("POST /api/v1/runs/complete/complete", "run.complete", "complete");
    assert_route("POST /api/v1/queues/claim", "queue.claim", "");
    assert_route("GET /api/v1/queues/claim", "queue.get", "claim");
}

static void a_path_with_other_methods_names_them(void **state)
{
    (void)state;
    assert_none("POST /api/v1/schedules/a", 405, "GET, HEAD, PUT, DELETE, PATCH");
    assert_none("POST /healthz", 405, "GET, HEAD");
    assert_none("get /healthz", 405, "GET, HEAD");
}

static void an_escaped_slash_does_not_split_a_path(void **state)
{
    (void)state;
    assert_none("GET /api%2Fv1/schedules", 404, "");
    assert_none("GET /api%2Fv1/v1/schedules", 404, "");
    assert_none("GET /api/v1%2Fschedules/schedules", 404, "");
}

static void other_paths_are_404(void **state)
{
    (void)state;
    assert_none("GET /", 404, "");
    assert_none("GET /api/v1", 404, "");
    assert_none("GET /api/v1/schedules/a/", 404, "");
    assert_none("GET /api/v1/schedules/a/b/c", 404, "");
    assert_none("GET /API/v1/schedules", 404, "");
    assert_none("OPTIONS *", 404, "");
}

static void the_table_is_valid_and_has_no_duplicates(void **state)
{
    (void)state;
    for (int i = 0; i < operation_count; i++) {
        const struct operation *a = &operations[i];

        assert_non_null(a->begin);
        assert_true(a->summary[0] != '\0' && a->path[0] == '/');
        assert_true(a->body_max >= 0 && a->body_max <= CALL_BODY_MAX);
        assert_true(a->body_max == 0 || strcmp(a->method, "GET") != 0);
        for (int j = 0; j < i; j++) {
            const struct operation *b = &operations[j];

            assert_string_not_equal(a->id, b->id);
            assert_false(strcmp(a->path, b->path) == 0 && strcmp(a->method, b->method) == 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_and_a_method_find_their_operation),
        cmocka_unit_test(a_literal_segment_takes_precedence_over_a_variable),
        cmocka_unit_test(a_path_with_other_methods_names_them),
        cmocka_unit_test(an_escaped_slash_does_not_split_a_path),
        cmocka_unit_test(other_paths_are_404),
        cmocka_unit_test(the_table_is_valid_and_has_no_duplicates),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
