/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the requests to Conductor and the meaning of its answers, byte by byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "server/dispatch/conductor_wire.h"

static struct arena *arena;

static int setup(void **state)
{
    (void)state;
    arena = arena_new(64 << 20);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena = arena_free(arena);
    return 0;
}

static void assert_str(struct str s, const char *expected)
{
    assert_int_equal(s.len, strlen(expected));
    assert_memory_equal(s.ptr ? s.ptr : "", expected, s.len);
}

static json_t *list_of(const char *text)
{
    json_t *list = NULL;
    struct err err;

    assert_int_equal(json_read(str_of(text), &list, &err), RC_OK);
    return list;
}

static void a_start_has_all_members_that_conductor_requires(void **state)
{
    struct conductor_start start = {.name = STR("wf"),
                                    .version = 3,
                                    .input = STR("{\"a\":1}"),
                                    .correlation_id = STR("c 1"),
                                    .key = STR("r_1")};

    (void)state;
    assert_str(conductor_start_body(&start, arena),
               "{\"name\":\"wf\",\"version\":3,\"correlationId\":\"c 1\","
               "\"idempotencyKey\":\"r_1\",\"idempotencyStrategy\":\"RETURN_EXISTING\","
               "\"input\":{\"a\":1}}");
    start.version = 0;
    assert_str(conductor_start_body(&start, arena),
               "{\"name\":\"wf\",\"correlationId\":\"c 1\",\"idempotencyKey\":\"r_1\","
               "\"idempotencyStrategy\":\"RETURN_EXISTING\",\"input\":{\"a\":1}}");
}

static void members_of_the_action_are_added_but_do_not_replace_ours(void **state)
{
    struct conductor_start start = {
        .name = STR("wf"),
        .input = STR("{}"),
        .correlation_id = STR("c"),
        .key = STR("r_1"),
        .more = STR("{\"taskToDomain\":{\"*\":\"d\"},\"priority\":7,\"name\":\"other\","
                    "\"idempotencyStrategy\":\"FAIL\"}")};

    (void)state;
    assert_str(conductor_start_body(&start, arena),
               "{\"name\":\"wf\",\"correlationId\":\"c\",\"idempotencyKey\":\"r_1\","
               "\"idempotencyStrategy\":\"RETURN_EXISTING\",\"input\":{},"
               "\"taskToDomain\":{\"*\":\"d\"},\"priority\":7}");
}

static void the_event_of_a_start_names_the_schedule(void **state)
{
    struct conductor_start start = {.name = STR("wf"),
                                    .input = STR("{}"),
                                    .correlation_id = STR("c"),
                                    .key = STR("r_1"),
                                    .schedule = STR("nightly")};

    (void)state;
    assert_str(conductor_start_body(&start, arena),
               "{\"name\":\"wf\",\"correlationId\":\"c\",\"idempotencyKey\":\"r_1\","
               "\"idempotencyStrategy\":\"RETURN_EXISTING\",\"input\":{},"
               "\"event\":\"scheduler:nightly\"}");
}

static void a_key_of_the_action_is_sent_and_does_not_identify_the_run(void **state)
{
    struct conductor_start start = {
        .name = STR("wf"),
        .input = STR("{}"),
        .correlation_id = STR("c"),
        .key = STR("r_1"),
        .more = STR("{\"idempotencyKey\":\"mine\",\"idempotencyStrategy\":\"FAIL\"}")};
    json_auto_t *found = list_of(
        "[{\"workflowId\":\"a\",\"createTime\":2,\"idempotencyKey\":\"mine\","
        "\"input\":{\"_executionId\":\"r_0\"}},"
        "{\"workflowId\":\"b\",\"createTime\":1,\"idempotencyKey\":\"mine\","
        "\"input\":{\"_executionId\":\"r_1\"}}]");

    (void)state;
    assert_str(conductor_start_body(&start, arena),
               "{\"name\":\"wf\",\"correlationId\":\"c\",\"input\":{},"
               "\"idempotencyKey\":\"mine\",\"idempotencyStrategy\":\"FAIL\"}");
    assert_str(conductor_found(found, STR("r_1"), &start, arena).id, "b");
}

static void names_in_urls_are_escaped(void **state)
{
    struct str base = STR("http://c/api");
    struct conductor_start start = {.name = STR("a b/c"), .correlation_id = STR("\xc3\xa9?")};

    (void)state;
    assert_str(conductor_url_start(base, arena), "http://c/api/workflow");
    assert_str(conductor_url_get(base, STR("x/../y"), arena),
               "http://c/api/workflow/x%2F..%2Fy?includeTasks=false");
    assert_str(conductor_url_end(base, STR("x"), STR("a b"), arena),
               "http://c/api/workflow/x?reason=a%20b");
    assert_str(conductor_url_find(base, &start, arena),
               "http://c/api/workflow/a%20b%2Fc/correlated/%C3%A9%3F"
               "?includeClosed=true&includeTasks=false");
}

static void the_id_comes_as_text_or_json(void **state)
{
    static const struct {
        const char *body, *id;
    } cases[] = {
        {"0d2f-1", "0d2f-1"},
        {"  0d2f-1\r\n", "0d2f-1"},
        {"\"0d2f-1\"", "0d2f-1"},
        {"", ""},
        {"{\"workflowId\":\"a\"}", "a"},
        {"{\"id\":\"a\"}", ""},
        {"two words", ""},
        {"\"", ""},
        {"caf\xc3\xa9", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_str(conductor_id_of(str_of(cases[i].body), arena), cases[i].id);
}

static void every_status_is_known_or_open(void **state)
{
    static const struct {
        const char *body;
        enum flow_status status;
    } cases[] = {
        {"{\"status\":\"RUNNING\"}", FLOW_OPEN},
        {"{\"status\":\"PAUSED\"}", FLOW_OPEN},
        {"{\"status\":\"SOMETHING_NEW\"}", FLOW_OPEN},
        {"{\"status\":\"COMPLETED\"}", FLOW_COMPLETED},
        {"{\"status\":\"FAILED\"}", FLOW_FAILED},
        {"{\"status\":\"TIMED_OUT\"}", FLOW_TIMED_OUT},
        {"{\"status\":\"TERMINATED\"}", FLOW_TERMINATED},
        {"{\"status\":7}", FLOW_UNREAD},
        {"{}", FLOW_UNREAD},
        {"<html>", FLOW_UNREAD},
        {"", FLOW_UNREAD},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(conductor_seen_of(str_of(cases[i].body), false, arena).status,
                         cases[i].status);
}

static void an_answer_has_output_and_reason(void **state)
{
    struct flow_seen seen = conductor_seen_of(
        STR("{\"status\":\"FAILED\",\"output\":{\"a\": [1]},"
            "\"reasonForIncompletion\":\"no disk\"}"),
        false, arena);

    (void)state;
    assert_str(seen.word, "FAILED");
    assert_str(seen.reason, "no disk");
    assert_str(seen.output, "{\"a\":[1]}");
    assert_false(seen.is_cut);
    assert_str(flow_result(&(struct flow_progress){.id = STR("x")}, &seen, arena),
               "{\"workflowId\":\"x\",\"status\":\"FAILED\",\"output\":{\"a\":[1]},"
               "\"truncated\":false}");
    assert_str(
        flow_result(&(struct flow_progress){.id = STR("x"), .run_id = STR("y")}, &seen, arena),
        "{\"workflowId\":\"x\",\"runId\":\"y\",\"status\":\"FAILED\",\"output\":"
        "{\"a\":[1]},\"truncated\":false}");
}

static void an_answer_that_is_cut_off_or_too_deep_still_has_its_status(void **state)
{
    static const struct {
        const char *body;
        enum flow_status status;
    } cases[] = {
        {"{\"a\":{\"status\":\"FAILED\"},\"b\":\"status\",\"status\" : \"COMPLETED\",\"c\":\"",
         FLOW_COMPLETED},
        {"{\"a\\\"status\":1,\"x\":\"}\",\"status\":\"FAILED\",\"in", FLOW_FAILED},
        {"{\"status\":{\"x\":\"FAILED\"},\"y\":\"COMPLETED\"", FLOW_UNREAD},
        {"{\"a\":\"status\",\"FAILED\":\"x", FLOW_UNREAD},
        {"[\"status\",\"FAILED\"", FLOW_UNREAD},
        {"{\"status\":\"COMPL", FLOW_UNREAD},
        {"{\"status\":", FLOW_UNREAD},
    };
    char text[400];
    struct buf deep = BUF(text);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(conductor_seen_of(str_of(cases[i].body), true, arena).status,
                         cases[i].status);
    buf_text(&deep, "{\"status\":\"COMPLETED\",\"output\":");
    for (int i = 0; i < 120; i++)
        buf_char(&deep, i < 60 ? '[' : ']');
    buf_char(&deep, '}');
    assert_int_equal(conductor_seen_of(buf_as_str(&deep), false, arena).status, FLOW_COMPLETED);
    assert_true(conductor_seen_of(buf_as_str(&deep), false, arena).is_cut);
}

static void an_output_that_is_too_large_is_omitted_and_marked(void **state)
{
    size_t len = FLOW_OUTPUT_MAX;
    char *body = arena_take(arena, len + 100);
    struct buf buf = {.ptr = body, .cap = len + 100};
    struct flow_seen seen;

    (void)state;
    buf_text(&buf, "{\"status\":\"COMPLETED\",\"output\":\"");
    memset(body + buf.len, 'x', len - 1); /* plus two quotes */
    buf.len += len - 1;
    buf_text(&buf, "\"}");
    seen = conductor_seen_of(buf_as_str(&buf), false, arena);
    assert_int_equal(seen.status, FLOW_COMPLETED);
    assert_int_equal(seen.output.len, 0);
    assert_true(seen.is_cut);
}

static void printed_progress_reads_back_unchanged(void **state)
{
    struct flow_progress progress = {.id = STR("a\"b"), .count = 2, .has_ended = true}, again;

    (void)state;
    assert_str(flow_progress_print(&progress, arena),
               "{\"workflowId\":\"a\\\"b\",\"workflows\":2,\"ended\":true}");
    again = flow_progress_read(flow_progress_print(&progress, arena), arena);
    assert_str(again.id, "a\"b");
    assert_int_equal(again.count, 2);
    assert_true(again.has_ended);
    progress = (struct flow_progress){
        .id = STR("caf\xc3\xa9 -2026"), .run_id = STR("r"), .count = 1};
    again = flow_progress_read(flow_progress_print(&progress, arena), arena);
    assert_str(again.id, "caf\xc3\xa9 -2026");
    assert_str(again.run_id, "r");
    again = flow_progress_read(STR("{\"workflowId\":\"a\"}"), arena);
    assert_str(again.id, "a");
    assert_int_equal(again.count, 1);
    assert_false(again.has_ended);
    assert_int_equal(flow_progress_read(STR("half way"), arena).id.len, 0);
    assert_int_equal(flow_progress_read(STR(""), arena).id.len, 0);
    assert_int_equal(flow_progress_read(STR("{\"workflowId\":7}"), arena).count, 0);
}

static void a_new_workflow_of_a_run_has_a_new_key(void **state)
{
    struct flow_progress progress = {0};

    (void)state;
    assert_str(flow_key(STR("r_1"), &progress, arena), "r_1");
    progress.count = 1;
    assert_str(flow_key(STR("r_1"), &progress, arena), "r_1.2");
}

static void the_newest_workflow_of_the_run_is_found(void **state)
{
    static const char body[] =
        "[{\"workflowId\":\"a\",\"createTime\":5,\"input\":{\"_executionId\":\"r_1\"}},"
        "{\"workflowId\":\"b\",\"createTime\":9,\"input\":{\"_executionId\":\"r_1\"}},"
        "{\"workflowId\":\"c\",\"createTime\":7,\"input\":{\"_executionId\":\"r_1\"}},"
        "{\"workflowId\":\"d\",\"createTime\":99,\"input\":{\"_executionId\":\"r_2\"}},"
        "{\"workflowId\":\"e\",\"createTime\":98,\"input\":{\"_executionId\":\"r_1\"},"
        "\"idempotencyKey\":\"r_1.2\"}]";
    struct conductor_start start = {.key = STR("r_1")};
    json_auto_t *list = list_of(body);

    (void)state;
    assert_str(conductor_found(list, STR("r_1"), &start, arena).id, "b");
    assert_str(conductor_found(list, STR("r_3"), &start, arena).id, "");
    start.key = STR("r_1.2");
    assert_str(conductor_found(list, STR("r_1"), &start, arena).id, "e");
    assert_str(conductor_found(NULL, STR("r_1"), &start, arena).id, "");
}

static void summaries_show_their_input_as_text(void **state)
{
    static const struct {
        const char *list, *id;
    } cases[] = {
        {"[{\"workflowId\":\"a\",\"input\":\"{x=1, _executionId=r_1, y=2}\"}]", "a"},
        {"[{\"workflowId\":\"a\",\"input\":\"{_executionId=r_1}\"}]", "a"},
        {"[{\"workflowId\":\"a\",\"input\":\"{\\\"_executionId\\\":\\\"r_1\\\"}\"}]", "a"},
        {"[{\"workflowId\":\"a\",\"input\":\"{_executionId=r_12}\"}]", ""},
        {"[{\"workflowId\":\"a\",\"input\":\"{x=r_1, _executionId=r_2}\"}]", ""},
        {"[{\"workflowId\":\"a\",\"input\":\"_executionId\"}]", ""},
        {"[{\"workflowId\":\"a\",\"startTime\":\"2026-01-01T00:00:00.000Z\","
         "\"input\":\"{_executionId=r_1}\"},"
         "{\"workflowId\":\"b\",\"startTime\":\"2026-01-01T00:00:01.000Z\","
         "\"input\":\"{_executionId=r_1}\"}]",
         "b"},
    };
    struct conductor_start start = {.key = STR("r_1")};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_auto_t *list = list_of(cases[i].list);

        assert_str(conductor_found(list, STR("r_1"), &start, arena).id, cases[i].id);
        assert_false(conductor_found(list, STR("r_1"), &start, arena).has_gap);
    }
}

static void a_workflow_that_hides_its_input_is_a_gap(void **state)
{
    struct conductor_start start = {.key = STR("r_1")};
    json_auto_t *absent = list_of("[{\"workflowId\":\"a\"}]");
    json_auto_t *empty = list_of("[{\"workflowId\":\"a\",\"input\":\"\"}]");
    json_auto_t *external = list_of("[{\"workflowId\":\"a\",\"input\":{},"
                                    "\"externalInputPayloadStoragePath\":\"p\"}]");
    json_auto_t *other = list_of("[{\"workflowId\":\"a\",\"input\":{}}]");
    json_auto_t *keyed = list_of("[{\"workflowId\":\"a\",\"idempotencyKey\":\"r_2\"}]");

    (void)state;
    assert_true(conductor_found(absent, STR("r_1"), &start, arena).has_gap);
    assert_true(conductor_found(empty, STR("r_1"), &start, arena).has_gap);
    assert_true(conductor_found(external, STR("r_1"), &start, arena).has_gap);
    assert_false(conductor_found(other, STR("r_1"), &start, arena).has_gap);
    assert_false(conductor_found(keyed, STR("r_1"), &start, arena).has_gap);
}

static void an_error_is_described_by_its_message_or_its_first_bytes(void **state)
{
    static const struct {
        const char *body, *text;
    } cases[] = {
        {"{\"status\":404,\"message\":\"No such workflow\"}", "No such workflow"},
        {"<h1>Bad\nGateway</h1>", "<h1>Bad Gateway</h1>"},
        {"{\"error\":1}", "{\"error\":1}"},
        {"", ""},
        {"\xff", "?"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300];
        struct buf buf = BUF(text);

        text[0] = '\0';
        conductor_message(str_of(cases[i].body), &buf);
        assert_string_equal(text, cases[i].text);
    }
}

/* Returns the number of ids, or -1 if the list is not complete. */
static int count_running(const char *text)
{
    struct str rest = str_of(text), id;
    int count = 0;

    for (; conductor_next_running(&rest, &id); count++)
        assert_true(id.len == 4 && memcmp(id.ptr, "wf-", 3) == 0);
    return rest.len == 0 ? count : -1;
}

static void the_ids_of_running_workflows_are_read_one_by_one(void **state)
{
    (void)state;
    assert_int_equal(count_running("[]"), 0);
    assert_int_equal(count_running("[\"wf-1\"]"), 1);
    assert_int_equal(count_running(" [ \"wf-1\" , \"wf-2\",\"wf-3\"\n]\n"), 3);
}

static void an_incomplete_list_of_running_workflows_is_recognized(void **state)
{
    static const char *const texts[] = {"[",
                                        "[\"wf-1\"",
                                        "[\"wf-1\",",
                                        "[\"wf-1\",\"wf",
                                        "{\"status\":500}",
                                        "[{\"id\":1}]",
                                        "[\"a\\\"b\"]",
                                        "null",
                                        "wf-1"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_int_equal(count_running(texts[i]), -1);
}

static void the_url_of_running_workflows_escapes_the_name(void **state)
{
    (void)state;
    assert_true(str_eq(conductor_url_running(STR("http://c/api"), STR("a b/c"), arena),
                       STR("http://c/api/workflow/running/a%20b%2Fc")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_has_all_members_that_conductor_requires),
        cmocka_unit_test(members_of_the_action_are_added_but_do_not_replace_ours),
        cmocka_unit_test(the_event_of_a_start_names_the_schedule),
        cmocka_unit_test(a_key_of_the_action_is_sent_and_does_not_identify_the_run),
        cmocka_unit_test(names_in_urls_are_escaped),
        cmocka_unit_test(the_ids_of_running_workflows_are_read_one_by_one),
        cmocka_unit_test(an_incomplete_list_of_running_workflows_is_recognized),
        cmocka_unit_test(the_url_of_running_workflows_escapes_the_name),
        cmocka_unit_test(the_id_comes_as_text_or_json),
        cmocka_unit_test(every_status_is_known_or_open),
        cmocka_unit_test(an_answer_has_output_and_reason),
        cmocka_unit_test(an_answer_that_is_cut_off_or_too_deep_still_has_its_status),
        cmocka_unit_test(an_output_that_is_too_large_is_omitted_and_marked),
        cmocka_unit_test(printed_progress_reads_back_unchanged),
        cmocka_unit_test(a_new_workflow_of_a_run_has_a_new_key),
        cmocka_unit_test(the_newest_workflow_of_the_run_is_found),
        cmocka_unit_test(summaries_show_their_input_as_text),
        cmocka_unit_test(a_workflow_that_hides_its_input_is_a_gap),
        cmocka_unit_test(an_error_is_described_by_its_message_or_its_first_bytes),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
