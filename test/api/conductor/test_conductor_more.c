/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rest of Conductor's API: bulk requests, tags, the server itself, tokens, and workflows
 * started without a schedule.
 */
#include "conductor.h"

#define BULK "/api/scheduler/bulk/"

static void flags(const char *name, const char *paused)
{
    assert_int_equal(get(js(S "/%s", name)), 200);
    assert_told("paused", paused);
}

/* ---- bulk requests ---- */

static void h_bulk_pauses_and_resumes_in_the_order_of_the_request(void **state)
{
    (void)state;
    save("a", "");
    save("b", "");
    save("c", "");
    assert_int_equal(ask("PUT " BULK "pause", NULL, js("['c','a']")), 200);
    assert_told("", "{'bulkErrorResults':{},'bulkSuccessfulResults':['c','a']}");
    flags("a", "true");
    flags("b", "false");
    assert_int_equal(ask("PUT " BULK "resume", NULL, js("['a','b']")), 200);
    assert_told("bulkSuccessfulResults", "['a','b']");
    flags("a", "false");
    flags("c", "true");
}

static void h_bulk_reports_what_is_missing_and_does_the_rest(void **state)
{
    (void)state;
    save("a", "");
    assert_int_equal(ask("PUT " BULK "pause", NULL, js("['ghost','a','']")), 200);
    assert_told("bulkErrorResults.ghost", "'Schedule 'ghost' not found'");
    assert_told("bulkSuccessfulResults", "['a']");
    assert_int_equal(ask("PUT " BULK "resume", NULL, js("['ghost']")), 200);
    assert_told("bulkSuccessfulResults", "[]");
}

static void h_bulk_takes_one_to_a_thousand(void **state)
{
    char *body = malloc(8 * 1024);
    struct buf out = {.ptr = body, .cap = 8 * 1024};

    (void)state;
    assert_non_null(body);
    assert_int_equal(ask("PUT " BULK "pause", NULL, "[]"), 400);
    assert_true(strstr(told("message"), "Validation failed") != NULL);
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

static void tags_are_added_shown_found_and_taken_away(void **state)
{
    (void)state;
    save("a", "");
    assert_int_equal(get(S "/a/tags"), 200);
    assert_told("", "[]");
    assert_int_equal(ask("PUT " S "/a/tags", NULL,
                         js("[{'key':'team','value':'x'},{'key':'tier','value':'1'}]")),
                     200);
    assert_int_equal(world.call.answer.len, 0);
    assert_int_equal(ask("PUT " S "/a/tags", NULL, js("[{'key':'team','value':'x'}]")), 200);
    assert_int_equal(get(S "/a/tags"), 200);
    assert_told("", "[{'key':'tier','value':'1'},{'key':'team','value':'x'}]");
    assert_int_equal(get(S "/tags?tag=team:x"), 200);
    assert_told("0.name", "'a'");
    assert_int_equal(get(S "/tags?tag=team:y"), 200);
    assert_told("", "[]");
    assert_int_equal(get(S "/tags?tag=tier"), 200);
    assert_told("0.name", "'a'");
    assert_int_equal(get(S "/tags"), 400);
    assert_int_equal(ask("DELETE " S "/a/tags", NULL, js("[{'key':'tier','value':'1'}]")), 200);
    assert_int_equal(get(S "/a/tags"), 200);
    assert_told("", "[{'key':'team','value':'x'}]");
    assert_int_equal(get(S "/a"), 200);
    assert_told("startWorkflowRequest.input", "{'k':1}");
    assert_told("nextRunTime", "1767607260000");
}

static void tags_that_are_none_are_refused(void **state)
{
    (void)state;
    save("a", "");
    assert_int_equal(ask("PUT " S "/a/tags", NULL, "{}"), 400);
    assert_int_equal(ask("PUT " S "/a/tags", NULL, js("[{'value':'x'}]")), 400);
    assert_int_equal(ask("PUT " S "/ghost/tags", NULL, js("[{'key':'x'}]")), 404);
    assert_int_equal(get(S "/ghost/tags"), 404);
}

/* ---- the server ---- */

static void h_the_node_is_halted_and_goes_on(void **state)
{
    (void)state;
    assert_int_equal(get("/api/scheduler/admin/pause"), 200);
    assert_told("", "{'status':'done'}");
    assert_true(world.is_halted);
    assert_int_equal(get("/api/scheduler/admin/resume"), 200);
    assert_told("", "{'status':'done'}");
    assert_false(world.is_halted);
    assert_int_equal(get("/api/scheduler/test/timeout"), 200);
}

static void h_requeue_counts_what_is_stuck(void **state)
{
    (void)state;
    assert_int_equal(get("/api/scheduler/admin/requeue"), 200);
    assert_told("", "{'recordIds.size':0,'sampleIds':[]}");
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
    static const char *const paths[] = {S "/a/pause", S "/a/resume",
                                        "/api/scheduler/admin/pause"};

    (void)state;
    save("a", "");
    world.is_guarded = true;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(ask(js("GET %s", paths[i]), "Sec-Fetch-Site: cross-site\r\n", NULL),
                         403);
        assert_int_equal(ask(js("GET %s", paths[i]), "Origin: http://evil.test\r\n", NULL),
                         403);
        assert_int_equal(ask(js("GET %s", paths[i]), NULL, NULL), 200);
    }
    assert_int_equal(ask("GET " S "/a", "Sec-Fetch-Site: cross-site\r\n", NULL), 200);
}

/* ---- tokens ---- */

static void without_tokens_there_is_none_to_ask_for(void **state)
{
    (void)state;
    world.is_guarded = true;
    assert_int_equal(post("/api/token", js("{'keyId':'a','keySecret':'b'}")), 404);
    assert_told("status", "404");
    assert_told("retryable", "false");
}

static void key_and_secret_are_exchanged_for_the_token(void **state)
{
    char id[32], token[128];
    const char *secret;

    (void)state;
    world.is_guarded = true;
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
    assert_told("error", "'INVALID_TOKEN'");
    assert_int_equal(post("/api/token", js("{'keyId':'other','keySecret':'%s'}", token)), 401);
    assert_int_equal(post("/api/token", js("{'keyId':'%s'}", id)), 400);
    assert_int_equal(ask("GET " S, js("X-Authorization: %s\r\n", token), NULL), 200);
    assert_int_equal(ask("GET " S, "X-Authorization: bf_admin_x_y\r\n", NULL), 401);
    assert_int_equal(ask("GET " S, NULL, NULL), 401);
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
    assert_told("runs.0.kind", "'direct'");
    assert_told("runs.0.input.a", "1");
    assert_told("runs.0.action.version", "2");
    assert_told("runs.0.action.correlationId", "'c-1'");
    assert_told("runs.0.action.conductor", "{'priority':3}");
    assert_int_equal(get(S), 200);
    assert_told("", "[]");
}

static void a_workflow_is_started_by_a_request_too(void **state)
{
    (void)state;
    assert_int_equal(post("/api/workflow", js("{'name':'wf','input':{'a':2}}")), 200);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['wf'],'worker':'w'}")), 200);
    assert_told("runs.0.input.a", "2");
    assert_int_equal(post("/api/workflow", "{}"), 400);
    assert_told("message", "'name: the name of a workflow is required'");
    assert_int_equal(post("/api/workflow/wf", "[]"), 400);
    assert_int_equal(post("/api/workflow/wf?version=x", "{}"), 400);
    assert_int_equal(post("/api/workflow/wf?priority=100", "{}"), 400);
    assert_told("message", "'priority: must be a whole number from 0 to 99'");
    assert_int_equal(post("/api/workflow/wf", ""), 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(h_bulk_pauses_and_resumes_in_the_order_of_the_request),
        SERVED(h_bulk_reports_what_is_missing_and_does_the_rest),
        SERVED(h_bulk_takes_one_to_a_thousand),
        SERVED(tags_are_added_shown_found_and_taken_away),
        SERVED(tags_that_are_none_are_refused),
        SERVED(h_the_node_is_halted_and_goes_on),
        SERVED(h_requeue_counts_what_is_stuck),
        SERVED(definitions_of_workflows_are_accepted),
        SERVED(pages_of_other_sites_change_nothing_by_get),
        SERVED(without_tokens_there_is_none_to_ask_for),
        SERVED(key_and_secret_are_exchanged_for_the_token),
        SERVED(a_workflow_is_started_and_its_id_is_plain_text),
        SERVED(a_workflow_is_started_by_a_request_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
