/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the OpenAPI document with the table of operations and with the operations: every
 * row is described, examples are accepted, parameters and their bounds are those of the code,
 * and defaults are those of a new schedule.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "world.h"

enum { TARGET_MAX = 1024 };

static json_t *document;

static int read_document(void **state)
{
    int rc = world_begin(state);

    if (get("/openapi.json") != 200)
        return -1;
    document = json_incref(world.json);
    return rc;
}

static int forget_document(void **state)
{
    json_decref(document);
    return world_end(state);
}

#define DESCRIBED(name) cmocka_unit_test_setup_teardown(name, read_document, forget_document)

/* Follows a reference such as "#/components/parameters/limit"; other values are unchanged. */
static const json_t *resolved(const json_t *value)
{
    const char *ref = json_string_value(json_object_get(value, "$ref"));
    const json_t *at = document;
    struct str rest, step;
    char key[128];

    if (!ref)
        return value;
    rest = str_of(ref + 2);
    for (bool is_more = true; is_more;) {
        is_more = str_cut(rest, '/', &step, &rest);
        step = is_more ? step : rest;
        snprintf(key, sizeof key, "%.*s", STR_ARG(step));
        at = json_object_get(at, key);
    }
    assert_non_null(at);
    return at;
}

static const char *text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));

    return value ? value : "";
}

static const json_t *described(const struct operation *op)
{
    char method[16];

    snprintf(method, sizeof method, "%s", op->method);
    for (char *c = method; *c != '\0'; c++)
        *c = (char)(*c | 0x20);
    return json_object_get(json_object_get(json_object_get(document, "paths"), op->path),
                           method);
}

/* ---- the table ---- */

/* The rows of the other dialects come after those of the native API and are not described. */
static int native_count(void)
{
    int count = 0;

    while (count < operation_count && operations[count].dialect == DIALECTS_NATIVE)
        count++;
    for (int i = count; i < operation_count; i++)
        assert_int_not_equal(operations[i].dialect, DIALECTS_NATIVE);
    return count;
}

static void every_operation_is_described(void **state)
{
    (void)state;
    for (int i = 0; i < native_count(); i++) {
        const struct operation *op = &operations[i];
        const json_t *description = described(op);

        if (json_array_size(json_object_get(description, "tags")) != 1)
            fail_msg("src/api/openapi/ has nothing of %s", op->id);
        assert_string_equal(text(description, "operationId"), op->id);
        assert_string_equal(text(description, "summary"), op->summary);
        if ((op->body_max > 0) != (json_object_get(description, "requestBody") != NULL))
            fail_msg("%s: whether it has a body is not what the table says", op->id);
    }
}

static void nothing_else_is_described(void **state)
{
    const char *path, *method;
    json_t *item, *description;
    int count = 0;

    (void)state;
    json_object_foreach(json_object_get(document, "paths"), path, item)
        json_object_foreach(item, method, description) count += json_is_object(description);
    assert_int_equal(count, native_count());
}

static void the_document_has_the_required_rights(void **state)
{
    (void)state;
    for (int i = 0; i < native_count(); i++) {
        const json_t *security = json_object_get(described(&operations[i]), "security");

        assert_int_equal(json_array_size(security), operations[i].right != RIGHT_NONE);
    }
    assert_string_equal(text(json_object_get(json_object_get(json_object_get(document, "paths"),
                                                             "/api/v1/schedules"),
                                             "post"),
                             "x-right"),
                        "edit");
}

/* ---- requests ---- */

static const json_t *example_body(const json_t *description)
{
    const json_t *content = json_object_get(json_object_get(description, "requestBody"),
                                            "content");

    return json_object_get(json_object_get(content, "application/json"), "example");
}

static void put_escaped(struct buf *out, const char *value)
{
    for (const char *c = value; *c != '\0'; c++)
        if (strchr("/?#%& ", *c))
            buf_printf(out, "%%%02X", (unsigned)*c);
        else
            buf_char(out, *c);
}

/* The path with the examples of its parameters, and the required query parameters. */
static void put_target(struct buf *out, const struct operation *op, const json_t *description)
{
    const json_t *parameters = json_object_get(description, "parameters");
    const char *path = op->path;
    size_t param = 0;

    buf_printf(out, "%s ", op->method);
    while (*path != '\0') {
        const json_t *parameter;

        if (*path != '{') {
            buf_char(out, *path++);
            continue;
        }
        parameter = resolved(json_array_get(parameters, param++));
        assert_string_equal(text(parameter, "in"), "path");
        put_escaped(out, text(parameter, "example"));
        path = strchr(path, '}') + 1;
    }
    buf_char(out, '?');
    for (size_t i = 0; i < json_array_size(parameters); i++) {
        const json_t *parameter = resolved(json_array_get(parameters, i));

        if (strcmp(text(parameter, "in"), "query") != 0 ||
            !json_is_true(json_object_get(parameter, "required")))
            continue;
        buf_printf(out, "%s=", text(parameter, "name"));
        put_escaped(out, text(parameter, "example"));
        buf_char(out, '&');
    }
}

/* Sends the example of an operation with `more` in its query, and header fields or NULL. */
static int ask_with(const struct operation *op, const char *more, const char *fields)
{
    const json_t *description = described(op), *example = example_body(description);
    char *body = example ? json_dumps(example, JSON_COMPACT) : NULL;
    char target[TARGET_MAX];
    struct buf out = BUF(target);
    int status;

    put_target(&out, op, description);
    buf_text(&out, more);
    status = ask(target, fields, body);
    free(body);
    return status;
}

static int ask_example(const struct operation *op, const char *more)
{
    return ask_with(op, more, NULL);
}

static void make_nightly(void)
{
    const struct operation *op = operations;

    while (strcmp(op->id, "schedule.create") != 0)
        op++;
    assert_int_equal(ask_example(op, ""), 201);
}

/* The schedule exists, no token exists, and no worker holds the run. */
static bool may_conflict(const struct operation *op)
{
    static const char *const ids[] = {"schedule.create", "session.create", "run.complete",
                                      "run.heartbeat",   "run.fail",       "run.release"};

    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        if (strcmp(op->id, ids[i]) == 0)
            return true;
    return false;
}

/* The run or queue may be missing, but the request must be valid. */
static void examples_are_accepted(void **state)
{
    (void)state;
    make_nightly();
    for (int i = 0; i < native_count(); i++) {
        int status = ask_example(&operations[i], "");

        if (status == 400 || (status == 409 && !may_conflict(&operations[i])) ||
            status == 413 || status == 415 || status == 422 || status >= 500)
            fail_msg("%s: its example is refused with %d: %s", operations[i].id, status,
                     json_at("detail"));
    }
}

/* Whether the error lists the parameter: "…; valid: namespace, limit, cursor". */
static bool is_listed(const char *detail, const char *name)
{
    const char *at = strstr(detail, "valid: ");
    size_t len = strlen(name);

    for (at = at ? at + strlen("valid: ") : NULL; at && *at != '\0';) {
        size_t word = strcspn(at, ", '");

        if (word == len && strncmp(at, name, len) == 0)
            return true;
        at += word;
        at += strspn(at, ", ");
        if (*at == '\'')
            return false;
    }
    return false;
}

static int count_listed(const char *detail)
{
    const char *at = strstr(detail, "valid: ");
    int count = at != NULL;

    for (; at && *at != '\0'; at++)
        count += *at == ',';
    return count;
}

static void check_names(const struct operation *op, const char *detail)
{
    const json_t *parameters = json_object_get(described(op), "parameters");
    int known = 1; /* namespace, also where it has no effect */

    for (size_t i = 0; i < json_array_size(parameters); i++) {
        const json_t *parameter = resolved(json_array_get(parameters, i));
        const char *name = text(parameter, "name");

        if (strcmp(text(parameter, "in"), "query") != 0 || strcmp(name, "namespace") == 0)
            continue;
        if (!is_listed(detail, name))
            fail_msg("%s: the document has ?%s=, but: %s", op->id, name, detail);
        known++;
    }
    if (count_listed(detail) != known)
        fail_msg("%s: the document lacks a parameter: %s", op->id, detail);
}

static void the_document_lists_the_parameters_that_are_read(void **state)
{
    (void)state;
    make_nightly();
    for (int i = 0; i < native_count(); i++) {
        const struct operation *op = &operations[i];
        int status = ask_example(op, "zzzzzzzzzzzz=1");

        if (op->right == RIGHT_NONE && status != 400)
            continue; /* /healthz ignores its query */
        if (status != 400)
            fail_msg("%s: takes any parameter (%d)", op->id, status);
        check_names(op, json_at("detail"));
    }
}

/* The document says whether an empty value is accepted; it means the default. */
static void check_empty(const struct operation *op, const json_t *parameter)
{
    bool is_allowed = json_is_true(json_object_get(parameter, "allowEmptyValue"));
    const char *name = text(parameter, "name");

    if (strcmp(text(parameter, "in"), "query") != 0)
        return;
    if ((ask_example(op, js("%s=", name)) != 400) != is_allowed)
        fail_msg("%s: an empty %s is %s", op->id, name, is_allowed ? "refused" : "accepted");
}

static void the_document_says_which_parameters_may_be_empty(void **state)
{
    (void)state;
    make_nightly();
    for (int i = 0; i < native_count(); i++) {
        const json_t *parameters = json_object_get(described(&operations[i]), "parameters");

        for (size_t p = 0; p < json_array_size(parameters); p++)
            check_empty(&operations[i], resolved(json_array_get(parameters, p)));
    }
}

/* Whether the schema of a member of a request allows null. */
static bool allows_null(const json_t *schema)
{
    static const char *const lists[] = {"type", "anyOf", "oneOf"};

    for (size_t l = 0; l < sizeof lists / sizeof lists[0]; l++) {
        const json_t *list = json_object_get(schema, lists[l]);

        for (size_t i = 0; i < json_array_size(list); i++) {
            const json_t *one = json_array_get(list, i);
            const char *type = json_string_value(
                json_is_string(one) ? one : json_object_get(one, "type"));

            if (type && strcmp(type, "null") == 0)
                return true;
        }
    }
    return false;
}

/* Sends the example with null for a member, which means its default. */
static void check_null(const struct operation *op, const char *key)
{
    json_auto_t *body = json_deep_copy(example_body(described(op)));
    char target[TARGET_MAX];
    struct buf out = BUF(target);
    char *sent;
    int status;

    json_put(body, key, json_null());
    put_target(&out, op, described(op));
    sent = json_dumps(body, JSON_COMPACT);
    status = ask(target, NULL, sent);
    free(sent);
    if (status == 400 && strcmp(json_at("field"), js("'%s'", key)) == 0)
        fail_msg("%s: refuses null as %s: %s", op->id, key, json_at("detail"));
}

static void null_means_the_default_of_a_member(void **state)
{
    int count = 0;

    (void)state;
    make_nightly();
    for (int i = 0; i < native_count(); i++) {
        const json_t *body = json_object_get(described(&operations[i]), "requestBody");
        const json_t *content = json_object_get(json_object_get(body, "content"),
                                                "application/json");
        const json_t *schema = resolved(json_object_get(content, "schema"));
        const char *key;
        json_t *member;

        if (!json_object_get(content, "example"))
            continue;
        json_object_foreach(json_object_get(schema, "properties"), key, member)
        {
            if (!allows_null(member))
                continue;
            check_null(&operations[i], key);
            count++;
        }
    }
    assert_true(count > 50);
}

static bool lists_key(const struct operation *op)
{
    const json_t *parameters = json_object_get(described(op), "parameters");

    for (size_t i = 0; i < json_array_size(parameters); i++)
        if (strcmp(text(resolved(json_array_get(parameters, i)), "name"), "Idempotency-Key") ==
            0)
            return true;
    return false;
}

/* Operations that read the key reject one that is too long; the others ignore it. */
static void the_document_lists_the_idempotency_keys_that_are_read(void **state)
{
    char fields[1200];
    struct buf out = BUF(fields);

    (void)state;
    buf_text(&out, "Idempotency-Key: ");
    for (int i = 0; i <= CALL_NAME_MAX; i++)
        buf_char(&out, 'k');
    buf_text(&out, "\r\n");
    assert_int_equal(
        post("/api/v1/tokens", js("{'name':'root','role':'admin','namespace':'*'}")), 201);
    make_nightly();
    for (int i = 0; i < native_count(); i++) {
        const struct operation *op = &operations[i];
        bool is_read = ask_with(op, "", fields) >= 400 && world.json &&
                       strcmp(json_at("field"), "'Idempotency-Key'") == 0;

        if (is_read != lists_key(op))
            fail_msg("%s: Idempotency-Key is %s", op->id,
                     is_read ? "read, but not listed" : "listed, but not read");
    }
}

static void check_bound(const struct operation *op, const json_t *parameter, const char *bound,
                        int beyond)
{
    const json_t *value = json_object_get(json_object_get(parameter, "schema"), bound);
    char more[128];

    if (!value)
        return;
    for (int step = 0; step < 2; step++) {
        int64_t n = json_integer_value(value) + (step == 0 ? 0 : beyond);
        int status;

        snprintf(more, sizeof more, "%s=%" PRId64, text(parameter, "name"), n);
        status = ask_example(op, more);
        if ((status == 400) != (step == 1))
            fail_msg("%s: %d for %s", op->id, status, more);
    }
}

static void numbers_of_the_query_have_their_bounds(void **state)
{
    (void)state;
    make_nightly();
    for (int i = 0; i < native_count(); i++) {
        const json_t *parameters = json_object_get(described(&operations[i]), "parameters");

        for (size_t p = 0; p < json_array_size(parameters); p++) {
            const json_t *parameter = resolved(json_array_get(parameters, p));

            if (strcmp(text(parameter, "in"), "query") != 0)
                continue;
            check_bound(&operations[i], parameter, "minimum", -1);
            check_bound(&operations[i], parameter, "maximum", +1);
        }
    }
}

static void check_words(const struct operation *op, const json_t *parameter)
{
    const json_t *schema = json_object_get(parameter, "schema");
    const json_t *items = json_object_get(schema, "items"); /* for a list, each word alone */
    const json_t *words = json_object_get(items ? items : schema, "enum");

    for (size_t w = 0; w < json_array_size(words); w++) {
        const char *word = json_string_value(json_array_get(words, w));

        if (ask_example(op, js("%s=%s", text(parameter, "name"), word)) == 400)
            fail_msg("%s: refuses %s", op->id, word);
    }
}

static void listed_values_of_parameters_are_accepted(void **state)
{
    (void)state;
    make_nightly();
    world.may_be_text = true;
    for (int i = 0; i < native_count(); i++) {
        const json_t *parameters = json_object_get(described(&operations[i]), "parameters");

        for (size_t p = 0; p < json_array_size(parameters); p++)
            check_words(&operations[i], resolved(json_array_get(parameters, p)));
    }
}

/* ---- defaults ---- */

static void check_defaults(const char *schema, const char *at)
{
    const json_t *properties = json_object_get(
        json_object_get(json_object_get(json_object_get(document, "components"), "schemas"),
                        schema),
        "properties");
    const char *key;
    json_t *property;
    int count = 0;

    json_object_foreach((json_t *)properties, key, property)
    {
        const json_t *value = json_object_get(property, "default");
        char *expected = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
        const char *shown = json_at(js("%s%s", at, key));

        if (expected && strcmp(shown, "absent") != 0) {
            assert_string_equal(js("%s", shown), js("%s", expected));
            count++;
        }
        free(expected);
    }
    assert_true(count > 0);
}

static void a_minimal_schedule_has_the_defaults(void **state)
{
    (void)state;
    assert_int_equal(post("/api/v1/schedules", js("{'action':{'type':'http','url':"
                                                  "'http://example.org/'},'spec':{"
                                                  "'cron':['0 0 * * *'],'calendars':[{}],"
                                                  "'intervals':[{'every':'1h'}],"
                                                  "'window':{'from':'09:00','to':'10:00'}},"
                                                  "'governor':{}}")),
                     201);
    check_defaults("ScheduleInput", "");
    check_defaults("HttpActionInput", "action.");
    check_defaults("PoliciesInput", "policies.");
    check_defaults("CatchupInput", "policies.catchup.");
    check_defaults("RetryInput", "policies.retry.");
    check_defaults("GovernorInput", "governor.");
    check_defaults("CalendarEntryInput", "spec.calendars.0.");
    check_defaults("IntervalEntryInput", "spec.intervals.0.");
    check_defaults("ExcludeInput", "spec.exclude.");
    check_defaults("WindowInput", "spec.window.");
}

/* ---- the answer ---- */

static void an_unchanged_document_is_304(void **state)
{
    char etag[64];

    (void)state;
    assert_int_equal(get("/openapi.json"), 200);
    assert_json("openapi", "'3.1.0'");
    assert_json("info.version", "'1.2.3'");
    snprintf(etag, sizeof etag, "%s", field("ETag"));
    assert_int_equal(ask("GET /openapi.json", js("If-None-Match: \"a\", %s\r\n", etag), NULL),
                     304);
    assert_int_equal(world.call.answer.len, 0);
    assert_string_equal(field("ETag"), etag);
    assert_int_equal(ask("GET /openapi.json", "If-None-Match: *\r\n", NULL), 304);
    assert_int_equal(ask("GET /openapi.json", "If-None-Match: W/\"0\"\r\n", NULL), 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESCRIBED(every_operation_is_described),
        DESCRIBED(nothing_else_is_described),
        DESCRIBED(the_document_has_the_required_rights),
        DESCRIBED(examples_are_accepted),
        DESCRIBED(the_document_lists_the_parameters_that_are_read),
        DESCRIBED(the_document_says_which_parameters_may_be_empty),
        DESCRIBED(null_means_the_default_of_a_member),
        DESCRIBED(the_document_lists_the_idempotency_keys_that_are_read),
        DESCRIBED(numbers_of_the_query_have_their_bounds),
        DESCRIBED(listed_values_of_parameters_are_accepted),
        DESCRIBED(a_minimal_schedule_has_the_defaults),
        DESCRIBED(an_unchanged_document_is_304),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
