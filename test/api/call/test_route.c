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
    assert_route("GET /", "ui.index", "");
    assert_route("GET /?x=1", "ui.index", "");
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

static void each_method_is_named_once(void **state)
{
    (void)state;
    /* also the path of a schedule with this name, which can be shown and deleted */
    assert_none("POST /api/scheduler/schedules/search", 405, "GET, HEAD, DELETE");
    assert_none("PATCH /api/v1/queues/claim", 405, "POST, GET, HEAD, PUT");
}

/* Writes the path of an operation, with `value` for its variables. */
static void put_path(struct buf *out, const char *path, const char *value)
{
    for (; *path != '\0'; path++) {
        buf_char(out, *path);
        if (*path != '{')
            continue;
        out->len--;
        buf_text(out, value);
        path += strcspn(path, "}");
    }
}

static bool is_found(const char *method, struct str path)
{
    struct str params[CALL_PARAMS_MAX] = {0}, allow;
    char line[256];
    int status;

    snprintf(line, sizeof line, "%s %.*s", method, STR_ARG(path));
    return find(line, params, &status, &allow) != NULL;
}

/* Allow has exactly the methods that find an operation, each once. */
static void check_allow(struct str path)
{
    static const char *const methods[] = {"GET",   "HEAD",   "POST",    "PUT",
                                          "PATCH", "DELETE", "OPTIONS", "TRACE"};
    struct str params[CALL_PARAMS_MAX] = {0}, allow = {0}, one, rest;
    int status = 0, found = 0, named = 1;
    char line[256];

    snprintf(line, sizeof line, "OPTIONS %.*s", STR_ARG(path));
    assert_null(find(line, params, &status, &allow));
    assert_int_equal(status, 405);
    snprintf(line, sizeof line, "%.*s", STR_ARG(allow));
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        found += is_found(methods[i], path);
    for (rest = str_of(line); str_cut(rest, ',', &one, &rest); named++)
        assert_true(is_found(js("%.*s", STR_ARG(str_trim(one))), path));
    assert_true(is_found(js("%.*s", STR_ARG(str_trim(rest))), path));
    if (named != found)
        fail_msg("%.*s: Allow: %s, but %d methods exist", STR_ARG(path), line, found);
}

static void every_path_names_exactly_its_methods(void **state)
{
    char text[256];

    (void)state;
    for (int i = 0; i < operation_count; i++) {
        struct buf out = BUF(text);

        put_path(&out, operations[i].path, "a");
        check_allow(buf_as_str(&out));
    }
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
    assert_none("GET //", 404, "");
    assert_none("GET /ui", 404, "");
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
        assert_true(a->body_max >= 0 && a->body_max <= CALL_DOCUMENT_MAX);
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
        cmocka_unit_test(each_method_is_named_once),
        cmocka_unit_test(every_path_names_exactly_its_methods),
        cmocka_unit_test(an_escaped_slash_does_not_split_a_path),
        cmocka_unit_test(other_paths_are_404),
        cmocka_unit_test(the_table_is_valid_and_has_no_duplicates),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
