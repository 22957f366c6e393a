/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rest of Conductor's API: bulk requests, tags, the server itself, tokens, and workflows
 * started without a schedule.
 */
#include "conductor.h"

#define BULK "/api/scheduler/bulk/"

static void assert_paused(const char *name, const char *paused)
{
    assert_int_equal(get(js(SCHEDULES "/%s", name)), 200);
    assert_json("paused", paused);
}

/* ---- bulk requests ---- */

static void h_bulk_pauses_and_resumes_in_the_order_of_the_request(void **state)
{
    (void)state;
    save("a", "");
    save("b", "");
    save("c", "");
    assert_int_equal(ask("PUT " BULK "pause", NULL, js("['c','a']")), 200);
    assert_json("", "{'bulkErrorResults':{},'bulkSuccessfulResults':['c','a']}");
    assert_paused("a", "true");
    assert_paused("b", "false");
    assert_int_equal(ask("PUT " BULK "resume", NULL, js("['a','b']")), 200);
    assert_json("bulkSuccessfulResults", "['a','b']");
    assert_paused("a", "false");
    assert_paused("c", "true");
}

static void h_bulk_reports_what_is_missing_and_does_the_rest(void **state)
{
    (void)state;
    save("a", "");
    assert_int_equal(ask("PUT " BULK "pause", NULL, js("['ghost','a','']")), 200);
    assert_json("bulkErrorResults.ghost", "'Schedule 'ghost' not found'");
    assert_json("bulkSuccessfulResults", "['a']");
    assert_int_equal(ask("PUT " BULK "resume", NULL, js("['ghost']")), 200);
    assert_json("bulkSuccessfulResults", "[]");
}

static void h_bulk_takes_one_to_a_thousand(void **state)
{
    char *body = malloc(8 * 1024);
    struct buf out = {.ptr = body, .cap = 8 * 1024};

    (void)state;
    assert_non_null(body);
    assert_int_equal(ask("PUT " BULK "pause", NULL, "[]"), 400);
    assert_true(strstr(json_at("message"), "Validation failed") != NULL);
    assert_int_equal(ask("PUT " BULK "pause", NULL, "{}"), 400);
    assert_int_equal(ask("PUT " BULK "pause", NULL, "[1]"), 400);
    buf_text(&out, "[");
    for (int i = 0; i < 1001; i++)
        buf_text(&out, i > 0 ? ",\"a\"" : "\"a\"");
    buf_text(&out, "]");
    assert_int_equal(ask("PUT " BULK "pause", NULL, body), 400);
    free(body);
}

/* ---- tags ---- */

static void tags_are_added_shown_found_and_deleted(void **state)
{
    (void)state;
    save("a", "");
    assert_int_equal(get(SCHEDULES "/a/tags"), 200);
    assert_json("", "[]");
    assert_int_equal(ask("PUT " SCHEDULES "/a/tags", NULL,
                         js("[{'key':'team','value':'x'},{'key':'tier','value':'1'}]")),
                     200);
    assert_int_equal(world.call.answer.len, 0);
    assert_int_equal(ask("PUT " SCHEDULES "/a/tags", NULL, js("[{'key':'team','value':'x'}]")),
                     200);
    assert_int_equal(get(SCHEDULES "/a/tags"), 200);
    assert_json("", "[{'key':'tier','value':'1'},{'key':'team','value':'x'}]");
    assert_int_equal(get(SCHEDULES "/tags?tag=team:x"), 200);
    assert_json("0.name", "'a'");
    assert_int_equal(get(SCHEDULES "/tags?tag=team:y"), 200);
    assert_json("", "[]");
    assert_int_equal(get(SCHEDULES "/tags?tag=tier"), 200);
    assert_json("0.name", "'a'");
    assert_int_equal(get(SCHEDULES "/tags"), 400);
    assert_int_equal(
        ask("DELETE " SCHEDULES "/a/tags", NULL, js("[{'key':'tier','value':'1'}]")), 200);
    assert_int_equal(get(SCHEDULES "/a/tags"), 200);
    assert_json("", "[{'key':'team','value':'x'}]");
    assert_int_equal(get(SCHEDULES "/a"), 200);
    assert_json("startWorkflowRequest.input", "{'k':1}");
    assert_json("nextRunTime", "1767607260000");
}

static void invalid_tags_are_refused(void **state)
{
    (void)state;
    save("a", "");
    assert_int_equal(ask("PUT " SCHEDULES "/a/tags", NULL, "{}"), 400);
    assert_int_equal(ask("PUT " SCHEDULES "/a/tags", NULL, js("[{'value':'x'}]")), 400);
    assert_int_equal(ask("PUT " SCHEDULES "/ghost/tags", NULL, js("[{'key':'x'}]")), 404);
    assert_int_equal(get(SCHEDULES "/ghost/tags"), 404);
}

/* ---- the server ---- */

static void h_the_node_is_halted_and_resumed(void **state)
{
    (void)state;
    assert_int_equal(get("/api/scheduler/admin/pause"), 200);
    assert_json("", "{'status':'done'}");
    assert_true(world.is_halted);
    assert_int_equal(get("/api/scheduler/admin/resume"), 200);
    assert_json("", "{'status':'done'}");
    assert_false(world.is_halted);
    assert_int_equal(get("/api/scheduler/test/timeout"), 200);
}

static void h_requeue_is_empty_without_pending_records(void **state)
{
    (void)state;
    assert_int_equal(get("/api/scheduler/admin/requeue"), 200);
    assert_json("", "{'recordIds.size':0,'sampleIds':[]}");
}

static void definitions_of_workflows_are_accepted(void **state)
{
    (void)state;
    assert_int_equal(post("/api/metadata/workflow", js("{'name':'wf','tasks':[]}")), 200);
    assert_int_equal(ask("PUT /api/metadata/workflow", NULL, js("[{'name':'wf'}]")), 200);
    assert_int_equal(post("/api/metadata/workflow", "nonsense"), 400);
}

/* A page of another site can make a browser send a GET, which must not change anything. */
static void pages_of_other_sites_change_nothing_by_get(void **state)
{
    static const char *const paths[] = {SCHEDULES "/a/pause", SCHEDULES "/a/resume",
                                        "/api/scheduler/admin/pause"};

    (void)state;
    save("a", "");
    world.checks_tokens = true;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(ask(js("GET %s", paths[i]), "Sec-Fetch-Site: cross-site\r\n", NULL),
                         403);
        assert_int_equal(ask(js("GET %s", paths[i]), "Origin: http://evil.test\r\n", NULL),
                         403);
        assert_int_equal(ask(js("GET %s", paths[i]), NULL, NULL), 200);
    }
    assert_int_equal(ask("GET " SCHEDULES "/a", "Sec-Fetch-Site: cross-site\r\n", NULL), 200);
}

/* ---- tokens ---- */

static void without_tokens_a_token_request_is_404(void **state)
{
    (void)state;
    world.checks_tokens = true;
    assert_int_equal(post("/api/token", js("{'keyId':'a','keySecret':'b'}")), 404);
    assert_json("status", "404");
    assert_json("retryable", "false");
}

static void key_and_secret_are_exchanged_for_the_token(void **state)
{
    char id[32], token[128];
    const char *secret;

    (void)state;
    world.checks_tokens = true;
    assert_int_equal(post("/api/v1/tokens", js("{'name':'c','role':'admin','namespace':'*'}")),
                     201);
    snprintf(id, sizeof id, "%s", text_at("id").ptr);
    snprintf(token, sizeof token, "%s", text_at("token").ptr);
    secret = strrchr(token, '_') + 1;
    assert_int_equal(post("/api/token", js("{'keyId':'%s','keySecret':'%s'}", id, secret)),
                     200);
    assert_string_equal(text_at("token").ptr, token);
    assert_int_equal(post("/api/token", js("{'keyId':'%s','keySecret':'%s'}", id, token)), 200);
    assert_string_equal(text_at("token").ptr, token);
    assert_int_equal(post("/api/token", js("{'keyId':'%s','keySecret':'wrong'}", id)), 401);
    assert_json("error", "'INVALID_TOKEN'");
    assert_int_equal(post("/api/token", js("{'keyId':'other','keySecret':'%s'}", token)), 401);
    assert_int_equal(post("/api/token", js("{'keyId':'%s'}", id)), 400);
    assert_int_equal(ask("GET " SCHEDULES, js("X-Authorization: %s\r\n", token), NULL), 200);
    assert_int_equal(ask("GET " SCHEDULES, "X-Authorization: bf_admin_x_y\r\n", NULL), 401);
    assert_int_equal(ask("GET " SCHEDULES, NULL, NULL), 401);
    assert_int_equal(ask("GET /api/v1/schedules", js("X-Authorization: %s\r\n", token), NULL),
                     401);
}

/* ---- workflows without a schedule ---- */

static void a_workflow_is_started_and_its_id_is_plain_text(void **state)
{
    char id[64];

    (void)state;
    assert_int_equal(
        post("/api/workflow/wf?version=2&correlationId=c-1&priority=3", js("{'a':1}")), 200);
    assert_string_equal(world.call.content_type, "text/plain");
    snprintf(id, sizeof id, "%.*s", STR_ARG(world.call.answer));
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['wf'],'worker':'w'}")), 200);
    assert_string_equal(text_at("runs.0.id").ptr, id);
    assert_json("runs.0.kind", "'direct'");
    assert_json("runs.0.input.a", "1");
    assert_json("runs.0.action.version", "2");
    assert_json("runs.0.action.correlationId", "'c-1'");
    assert_json("runs.0.action.conductor", "{'priority':3}");
    assert_int_equal(get(SCHEDULES), 200);
    assert_json("", "[]");
}

static void a_workflow_is_started_by_a_request_too(void **state)
{
    (void)state;
    assert_int_equal(post("/api/workflow", js("{'name':'wf','input':{'a':2}}")), 200);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['wf'],'worker':'w'}")), 200);
    assert_json("runs.0.input.a", "2");
    assert_int_equal(post("/api/workflow", "{}"), 400);
    assert_json("message", "'name: the name of a workflow is required'");
    assert_int_equal(post("/api/workflow/wf", "[]"), 400);
    assert_int_equal(post("/api/workflow/wf?version=x", "{}"), 400);
    assert_int_equal(post("/api/workflow/wf?priority=100", "{}"), 400);
    assert_json("message", "'priority: must be a whole number from 0 to 99'");
    assert_int_equal(post("/api/workflow/wf", ""), 200);
}

static void texts_that_are_only_stored_are_limited(void **state)
{
    char text[70 * 1000], body[80 * 1000];

    (void)state;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    snprintf(body, sizeof body,
             "{'name':'a','cronSchedules':[{'cronExpression':'0 * * * * ?'}],"
             "'zoneId':'%s','startWorkflowRequest':{'name':'wf'}}",
             text);
    assert_save_refused(body, "zoneId");
    snprintf(body, sizeof body,
             "{'name':'a','cronSchedules':[{'cronExpression':'0 * * * * ?'}],"
             "'cronExpression':'%s','startWorkflowRequest':{'name':'wf'}}",
             text);
    assert_save_refused(body, "cronExpression");
    text[1001] = '\0'; /* as for PUT …/pause?reason= */
    snprintf(body, sizeof body,
             "{'name':'a','cronExpression':'0 * * * * ?','paused':true,"
             "'pausedReason':'%s','startWorkflowRequest':{'name':'wf'}}",
             text);
    assert_save_refused(body, "pausedReason");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(h_bulk_pauses_and_resumes_in_the_order_of_the_request),
        API_TEST(h_bulk_reports_what_is_missing_and_does_the_rest),
        API_TEST(h_bulk_takes_one_to_a_thousand),
        API_TEST(tags_are_added_shown_found_and_deleted),
        API_TEST(invalid_tags_are_refused),
        API_TEST(h_the_node_is_halted_and_resumed),
        API_TEST(h_requeue_is_empty_without_pending_records),
        API_TEST(definitions_of_workflows_are_accepted),
        API_TEST(pages_of_other_sites_change_nothing_by_get),
        API_TEST(without_tokens_a_token_request_is_404),
        API_TEST(key_and_secret_are_exchanged_for_the_token),
        API_TEST(a_workflow_is_started_and_its_id_is_plain_text),
        API_TEST(a_workflow_is_started_by_a_request_too),
        API_TEST(texts_that_are_only_stored_are_limited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
