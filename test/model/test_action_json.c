/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The "action" object of the native JSON: fields, order and defaults of each type are those of
 * the specification.
 */
#include "model/action_json.h"

#include "codecs.h"

static char text_b[TEXT_MAX];

static const char http[] =
    "{\"type\":\"http\",\"method\":\"POST\",\"url\":\"https://example.com/\",\"headers\":{},"
    "\"body\":null,\"timeout\":\"30s\",\"connectTimeout\":\"10s\",\"success\":\"200-299\","
    "\"redirects\":0,\"sign\":null,\"keepBytes\":102400,\"keepHeaders\":[],\"input\":{}}";

static const char exec[] =
    "{\"type\":\"exec\",\"argv\":[\"/bin/x\"],\"cwd\":null,\"env\":{},\"user\":null,"
    "\"limits\":{},\"killAfter\":\"10s\",\"input\":{}}";

static const char queue[] =
    "{\"type\":\"queue\",\"queue\":\"reports\",\"kind\":null,\"input\":{}}";

static const char workflow[] =
    "{\"type\":\"workflow\",\"name\":\"wf\",\"version\":null,\"workflowId\":null,"
    "\"queue\":null,\"correlationId\":null,\"upstream\":null,\"input\":{}}";

/* No field has its default. */
static const char full_http[] =
    "{\"type\":\"http\",\"method\":\"PUT\",\"url\":\"http://[::1]:80/?a=b\","
    "\"headers\":{\"X-B\":\"2\",\"X-A\":\"caf\xc3\xa9\"},"
    "\"body\":{\"b\":[1.5,null],\"a\":\"x\"},"
    "\"timeout\":\"1s\",\"connectTimeout\":\"100ms\",\"success\":\"200-204,304,404-410\","
    "\"redirects\":3,\"sign\":\"main\",\"keepBytes\":1048576,\"keepHeaders\":[\"ETag\","
    "\"Trailer\"],\"input\":{\"z\":1,\"a\":{}}}";

static const char full_exec[] =
    "{\"type\":\"exec\",\"argv\":[\"/bin/x\",\"\",\"a\\nb\"],\"cwd\":\"/tmp\","
    "\"env\":{\"B\":\"\",\"A\":\"1\"},\"user\":\"nobody\","
    "\"limits\":{\"cpu\":\"1m\",\"memory\":1073741824,\"fileSize\":1,\"openFiles\":64,"
    "\"processes\":1},\"killAfter\":\"0s\",\"input\":{\"k\":[]}}";

static const char full_queue[] =
    "{\"type\":\"queue\",\"queue\":\"r\xc3\xa9ports\",\"kind\":\"daily\",\"input\":{\"k\":1}}";

static const char full_workflow[] =
    "{\"type\":\"workflow\",\"name\":\"wf\",\"version\":3,\"workflowId\":\"w-1\","
    "\"queue\":\"q\",\"correlationId\":\"c\",\"upstream\":\"main\","
    "\"header\":{\"h\":{}},\"memo\":{\"m\":{}},\"searchAttributes\":{\"s\":{}},"
    "\"temporal\":\"GgIQAQ==\",\"input\":{\"k\":1}}";

static enum rc read(const json_t *json, struct err *reterr)
{
    struct action action;

    return action_from_json(json, arena, false, &action, reterr);
}

static struct action action_of(const char *text)
{
    json_auto_t *json = json_of(text);
    struct action action;
    struct err err = {0};

    if (action_from_json(json, arena, false, &action, &err) != RC_OK)
        fail_msg("%s: %s: %s", text, err.field, err.text);
    return action;
}

static void check_forms(const char *given, const char *full, const char *brief)
{
    struct action action = action_of(given);

    assert_string_equal(line_of(action_to_json(&action, SPEC_FULL), text_b), full);
    assert_string_equal(line_of(action_to_json(&action, SPEC_BRIEF), text_b), brief);
    action = action_of(brief);
    assert_string_equal(line_of(action_to_json(&action, SPEC_FULL), text_b), full);
}

static void actions_have_a_full_and_a_brief_form(void **state)
{
    (void)state;
    check_forms(http, http, "{\"type\":\"http\",\"url\":\"https://example.com/\"}");
    check_forms(exec, exec, "{\"type\":\"exec\",\"argv\":[\"/bin/x\"]}");
    check_forms(queue, queue, "{\"type\":\"queue\",\"queue\":\"reports\"}");
    check_forms(workflow, workflow, "{\"type\":\"workflow\",\"name\":\"wf\"}");
}

static void values_other_than_the_defaults_are_kept(void **state)
{
    (void)state;
    check_forms(full_http, full_http, full_http);
    check_forms(full_exec, full_exec, full_exec);
    check_forms(full_queue, full_queue, full_queue);
    check_forms(full_workflow, full_workflow, full_workflow);
}

static void fields_of_http_are_read_into_their_members(void **state)
{
    struct action action = action_of(full_http);
    const struct http_action *h = &action.http;

    (void)state;
    assert_int_equal(action.type, ACTION_HTTP);
    assert_str(action.input, "{\"z\":1,\"a\":{}}");
    assert_str(h->method, "PUT");
    assert_str(h->url, "http://[::1]:80/?a=b");
    assert_int_equal(h->headers.count, 2);
    assert_str(h->headers.list[0].name, "X-B");
    assert_str(h->headers.list[1].value, "caf\xc3\xa9");
    assert_str(h->body, "{\"b\":[1.5,null],\"a\":\"x\"}");
    assert_int_equal(h->timeout, SPAN_S);
    assert_int_equal(h->connect_timeout, 100 * SPAN_MS);
    assert_int_equal(h->redirects, 3);
    assert_str(h->sign, "main");
    assert_int_equal(h->keep_bytes, 1 << 20);
    assert_int_equal(h->keep_headers.count, 2);
    assert_str(h->keep_headers.list[0], "ETag");
}

static void fields_of_other_actions_are_read_into_their_members(void **state)
{
    struct action x = action_of(full_exec), q = action_of(full_queue);
    struct action w = action_of(full_workflow);

    (void)state;
    assert_int_equal(x.type, ACTION_EXEC);
    assert_int_equal(x.exec.argv.count, 3);
    assert_str(x.exec.argv.list[2], "a\nb");
    assert_str(x.exec.cwd, "/tmp");
    assert_int_equal(x.exec.env.count, 2);
    assert_str(x.exec.env.list[1].name, "A");
    assert_str(x.exec.user, "nobody");
    assert_int_equal(x.exec.limits.cpu, SPAN_MIN);
    assert_int_equal(x.exec.limits.memory, 1 << 30);
    assert_int_equal(x.exec.limits.file_size, 1);
    assert_int_equal(x.exec.limits.open_files, 64);
    assert_int_equal(x.exec.limits.processes, 1);
    assert_int_equal(x.exec.kill_after, 0);
    assert_int_equal(q.type, ACTION_QUEUE);
    assert_str(q.queue.kind, "daily");
    assert_int_equal(w.type, ACTION_WORKFLOW);
    assert_str(w.workflow.name, "wf");
    assert_int_equal(w.workflow.version, 3);
    assert_str(w.workflow.workflow_id, "w-1");
    assert_str(w.workflow.queue, "q");
    assert_str(w.workflow.correlation_id, "c");
    assert_str(w.workflow.upstream, "main");
    assert_str(w.workflow.header, "{\"h\":{}}");
    assert_str(w.workflow.memo, "{\"m\":{}}");
    assert_str(w.workflow.search_attributes, "{\"s\":{}}");
    assert_str(w.workflow.temporal, "GgIQAQ==");
}

static void success_is_a_list_of_ranges(void **state)
{
    struct action usual = action_of(http);
    struct action action = action_of("{\"type\":\"http\",\"url\":\"http://h/\","
                                     "\"success\":\" 200-204 , 304\"}");

    (void)state;
    assert_true(http_action_succeeds(&usual.http, 200));
    assert_true(http_action_succeeds(&usual.http, 299));
    assert_false(http_action_succeeds(&usual.http, 199));
    assert_false(http_action_succeeds(&usual.http, 300));
    assert_true(http_action_succeeds(&action.http, 204));
    assert_false(http_action_succeeds(&action.http, 205));
    assert_true(http_action_succeeds(&action.http, 304));
    line_of(action_to_json(&action, SPEC_BRIEF), text_b);
    assert_string_equal(
        text_b, "{\"type\":\"http\",\"url\":\"http://h/\",\"success\":\"200-204,304\"}");
}

static void a_body_is_any_json_and_an_empty_text_is_one(void **state)
{
    static const char *const bodies[] = {"\"\"", "\"plain\"", "0", "false", "[]", "{}"};

    (void)state;
    for (size_t i = 0; i < COUNT(bodies); i++) {
        struct buf out = BUF(text_a);
        struct action action;

        buf_printf(&out, "{\"type\":\"http\",\"url\":\"http://h/\",\"body\":%s}", bodies[i]);
        action = action_of(text_a);
        assert_str(action.http.body, bodies[i]);
        assert_string_equal(line_of(action_to_json(&action, SPEC_BRIEF), text_b), text_a);
    }
}

#define HTTP(fields)  "{\"type\":\"http\",\"url\":\"http://h/\"," fields "}"
#define EXEC(fields)  "{\"type\":\"exec\",\"argv\":[\"/x\"]," fields "}"
#define QUEUE(fields) "{\"type\":\"queue\",\"queue\":\"q\"," fields "}"

static void errors_in_http_actions_name_the_field(void **state)
{
    static const struct wrong cases[] = {
        {"\"http\"", "", "must be an object, not a string", 0},
        {"{}", "type", "type is missing", 0},
        {"{\"type\":null}", "type", "type is missing", 0},
        {"{\"type\":1}", "type", "must be a string, not a number", 0},
        {"{\"type\":\"webhook\"}", "type", "use `http`, `exec`, `queue` or `workflow`", 0},
        {"{\"type\":\"http\"}", "url", "url is missing", 0},
        {"{\"type\":\"http\",\"url\":\"h\"}", "url", "must begin with http://", 0},
        {HTTP("\"argv\":[]"), "argv", "unknown field", 0},
        {HTTP("\"timeuot\":\"1s\""), "timeuot", "did you mean timeout?", 0},
        {HTTP("\"method\":\"get\""), "method", "not in upper case", 0},
        {HTTP("\"timeout\":\"999ms\""), "timeout", "must be between 1s and 1d, not 999ms", 0},
        {HTTP("\"timeout\":30"), "timeout", "a bare number has no unit", 0},
        {HTTP("\"connectTimeout\":\"6m\""), "connectTimeout", "between 100ms and 5m", 0},
        {HTTP("\"redirects\":4"), "redirects", "must be between 0 and 3, not 4", 0},
        {HTTP("\"keepBytes\":1048577"), "keepBytes", "must be between 0 and 1048576", 0},
        {HTTP("\"headers\":[]"), "headers", "must be an object of strings, not a list", 0},
        {HTTP("\"headers\":{\"A\":1}"), "headers.A", "must be a string, not a number", 0},
        {HTTP("\"headers\":{\"A\":\"x\\r\\nB: y\"}"), "headers.A", "one line", 0},
        {HTTP("\"headers\":{\"A B\":\"x\"}"), "headers", "not the name of a header", 0},
        {HTTP("\"headers\":{\"Accept\":\"x\",\"accept\":\"y\"}"), "headers", "occurs twice", 0},
        {HTTP("\"headers\":{\"Content-Length\":\"1\"}"), "headers.Content-Length",
         "leave it out", 0},
        {HTTP("\"keepHeaders\":[\"A\",\"\"]"), "keepHeaders[1]", "not the name of a header", 0},
        {HTTP("\"success\":\"\""), "success", "is not a range", 0},
        {HTTP("\"success\":\"2xx\""), "success", "`2xx` is not a range", 0},
        {HTTP("\"success\":\"200-\""), "success", "is not a range", 0},
        {HTTP("\"success\":\"299-200\""), "success", "is not a range", 0},
        {HTTP("\"success\":\"99\""), "success", "is not a range", 0},
        {HTTP("\"success\":\"200-600\""), "success", "is not a range", 0},
        {HTTP("\"success\":\"200,\""), "success", "is not a range", 0},
        {HTTP("\"success\":200"), "success", "must be a string", 0},
        {HTTP("\"success\":\"200,200,200,200,200,200,200,200,200,200,200,200,200,200,200,200,"
              "200\""),
         "success", "more than 16 ranges", RC_LIMIT},
        {HTTP("\"input\":[]"), "input", "must be an object, not a list", 0},
        {HTTP("\"sign\":\"\""), "sign", "is empty", 0},
    };

    (void)state;
    check_wrong(read, cases, COUNT(cases));
}

static void errors_in_other_actions_name_the_field(void **state)
{
    static const struct wrong cases[] = {
        {"{\"type\":\"exec\"}", "argv", "argv is missing", 0},
        {"{\"type\":\"exec\",\"argv\":\"/bin/x\"}", "argv", "must be a list, not a string", 0},
        {"{\"type\":\"exec\",\"argv\":[]}", "argv", "is empty; begin with the program", 0},
        {"{\"type\":\"exec\",\"argv\":[\"x\"]}", "argv[0]", "not an absolute path", 0},
        {"{\"type\":\"exec\",\"argv\":[\"/x\",1]}", "argv[1]", "must be a string", 0},
        {EXEC("\"cwd\":\"tmp\""), "cwd", "not an absolute path", 0},
        {EXEC("\"env\":{\"1\":\"\"}"), "env.1", "not a variable's name", 0},
        {EXEC("\"env\":{\"BELFRY_RUN\":\"\"}"), "env.BELFRY_RUN", "are set by Belfry", 0},
        {EXEC("\"user\":\"0\""), "user", "not a user name", 0},
        {EXEC("\"limits\":{\"cpu\":\"10ms\"}"), "limits.cpu", "0s or between 1s and", 0},
        {EXEC("\"limits\":{\"memory\":0}"), "limits.memory", "must be between 1 and", 0},
        {EXEC("\"limits\":{\"files\":1}"), "limits.files", "unknown field", 0},
        {EXEC("\"killAfter\":\"2h\""), "killAfter", "must be between 0s and 1h, not 2h", 0},
        {"{\"type\":\"queue\"}", "queue", "queue is missing", 0},
        {"{\"type\":\"queue\",\"queue\":\"\"}", "queue", "is empty", 0},
        {"{\"type\":\"queue\",\"queue\":\"a\\u0001\"}", "queue", "control character", 0},
        {"{\"type\":\"queue\",\"queue\":\"a\\u0085\"}", "queue", "control character", 0},
        {QUEUE("\"kind\":7"), "kind", "must be a string", 0},
        {"{\"type\":\"workflow\"}", "name", "name is missing", 0},
        {"{\"type\":\"workflow\",\"name\":\"w\",\"version\":0}", "version",
         "must be between 1 and 2147483647, not 0", 0},
        {"{\"type\":\"workflow\",\"name\":\"w\",\"temporal\":\"a b\"}", "temporal",
         "is not valid base64", 0},
        {"{\"type\":\"workflow\",\"name\":\"w\",\"taskQueue\":\"q\"}", "taskQueue",
         "unknown field", 0},
    };

    (void)state;
    check_wrong(read, cases, COUNT(cases));
}

static void check_limit(const char *text, const char *field, const char *says)
{
    const struct wrong wrong = {text, field, says, RC_LIMIT};

    check_wrong(read, &wrong, 1);
}

static void every_list_and_text_is_bounded(void **state)
{
    (void)state;
    action_of(lengthy("{\"type\":\"http\",\"url\":\"http://h/", HTTP_URL_MAX - 9, "\"}"));
    check_limit(lengthy("{\"type\":\"http\",\"url\":\"http://h/", HTTP_URL_MAX - 8, "\"}"),
                "url", "the limit is 8192");
    check_limit(many("{\"type\":\"http\",\"url\":\"http://h/\",\"headers\":{", "\"A#\":\"\"",
                     HTTP_HEADERS_MAX + 1, "}}"),
                "headers", "the limit is 64");
    check_limit(lengthy("{\"type\":\"http\",\"url\":\"http://h/\",\"headers\":{\"A\":\"",
                        HTTP_HEADER_VALUE_MAX + 1, "\"}}"),
                "headers.A", "the limit is 8192");
    check_limit(lengthy("{\"type\":\"http\",\"url\":\"http://h/\",\"headers\":{\"",
                        HTTP_HEADER_NAME_MAX + 1, "\":\"\"}}"),
                "headers", "the limit is 128");
    check_limit(many("{\"type\":\"http\",\"url\":\"http://h/\",\"keepHeaders\":[", "\"A#\"",
                     HTTP_KEEP_HEADERS_MAX + 1, "]}"),
                "keepHeaders", "the limit is 32");
    check_limit(lengthy("{\"type\":\"http\",\"url\":\"http://h/\",\"body\":\"",
                        ACTION_INPUT_MAX - 1, "\"}"),
                "body", "has 262145 bytes as JSON; the limit is 262144");
    check_limit(lengthy("{\"type\":\"queue\",\"queue\":\"q\",\"input\":{\"a\":\"",
                        ACTION_INPUT_MAX, "\"}}"),
                "input", "the limit is 262144");
    check_limit(many("{\"type\":\"exec\",\"argv\":[", "\"/#\"", EXEC_ARGS_MAX + 1, "]}"),
                "argv", "the limit is 256");
    check_limit(
        lengthy("{\"type\":\"exec\",\"argv\":[\"/x\",\"", EXEC_ARG_BYTES_MAX + 1, "\"]}"),
        "argv[1]", "the limit is 32768");
    check_limit(many("{\"type\":\"exec\",\"argv\":[\"/x\"],\"env\":{", "\"A#\":\"\"",
                     EXEC_ENV_MAX + 1, "}}"),
                "env", "the limit is 128");
    check_limit(lengthy("{\"type\":\"queue\",\"queue\":\"", ACTION_NAME_MAX + 1, "\"}"),
                "queue", "the limit is 1000");
    check_limit(lengthy("{\"type\":\"workflow\",\"name\":\"", ACTION_NAME_MAX + 1, "\"}"),
                "name", "the limit is 1000");
    check_limit(lengthy("{\"type\":\"workflow\",\"name\":\"w\",\"input\":{\"a\":\"",
                        WORKFLOW_INPUT_MAX, "\"}}"),
                "input", "the limit is 3145728");
}

static void lenient_reading_ignores_unknown_fields(void **state)
{
    json_auto_t *json = json_of(EXEC("\"shell\":true,\"limits\":{\"stack\":1}"));
    struct action action;
    struct err err = {0};

    (void)state;
    assert_int_equal(action_from_json(json, arena, true, &action, &err), RC_OK);
    assert_int_equal(read(json, &err), RC_INVALID);
    assert_string_equal(err.field, "shell");
}

static void failure_leaves_the_result_alone(void **state)
{
    json_auto_t *json = json_of(HTTP("\"redirects\":9"));
    struct action action, before;
    struct err err = {0};

    (void)state;
    memset(&action, 0x5a, sizeof action);
    memcpy(&before, &action, sizeof action);
    assert_int_equal(action_from_json(json, arena, false, &action, &err), RC_INVALID);
    assert_memory_equal(&action, &before, sizeof action);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(actions_have_a_full_and_a_brief_form),
        cmocka_unit_test(values_other_than_the_defaults_are_kept),
        cmocka_unit_test(fields_of_http_are_read_into_their_members),
        cmocka_unit_test(fields_of_other_actions_are_read_into_their_members),
        cmocka_unit_test(success_is_a_list_of_ranges),
        cmocka_unit_test(a_body_is_any_json_and_an_empty_text_is_one),
        cmocka_unit_test(errors_in_http_actions_name_the_field),
        cmocka_unit_test(errors_in_other_actions_name_the_field),
        cmocka_unit_test(every_list_and_text_is_bounded),
        cmocka_unit_test(lenient_reading_ignores_unknown_fields),
        cmocka_unit_test(failure_leaves_the_result_alone),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
