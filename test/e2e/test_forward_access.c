/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may send requests to an upstream, and which credentials it gets: the stand-in records
 * every byte.
 */
#include "forward_stage.h"

/* ---- credentials ---- */

static void the_credentials_of_the_client_pass_without_tokens(void **state)
{
    struct stage s = {0};
    struct h2c_answer *a;

    open_stage(&s, state);
    api(s.d, 200, "PUT", "/api/v1/namespaces/default", PLAIN_UPSTREAM, s.up.port);
    a = start_call(&s, SERVICE "StartWorkflowExecution", namespace_frame(&s, 1, "default"),
                   "x-authorization", "client-key");
    h2c_await(s.h, a);
    assert_status(a, 0);
    assert_true(upstream_has_seen(&s.up, "x-authorization: client-key\n"));
    close_stage(&s);
}

static void tokens_never_reach_the_upstream(void **state)
{
    struct stage s = {0};
    char token[TOKEN_MAX], cookie[TOKEN_MAX + 8];
    struct h2c_answer *a;

    open_stage(&s, state);
    api(s.d, 200, "PUT", "/api/v1/namespaces/default", PLAIN_UPSTREAM, s.up.port);
    make_token(&s, "admin", "*", s.token);
    make_token(&s, "admin", "default", token);
    snprintf(s.token, sizeof s.token, "%s", token);
    snprintf(cookie, sizeof cookie, "t=%s", token);
    assert_status(call(&s, SERVICE "StartWorkflowExecution", "default"), 0);
    a = start_call(&s, SERVICE "GetSystemInfo", (struct str){"\0\0\0\0", 5}, "x-authorization",
                   token);
    h2c_await(s.h, a);
    assert_status(a, 0);
    a = start_call(&s, SERVICE "QueryWorkflow", namespace_frame(&s, 1, "default"), "cookie",
                   cookie);
    h2c_await(s.h, a);
    assert_status(a, 0);
    assert_int_equal(upstream_requests(&s.up), 3);
    assert_false(upstream_has_seen(&s.up, "bf_"));
    assert_false(upstream_has_seen(&s.up, "authorization"));
    close_stage(&s);
}

static void a_revoked_token_ends_its_poll(void **state)
{
    struct stage s = {0};
    char root[TOKEN_MAX], worker[TOKEN_MAX], path[64], text[512];
    struct h2c_answer *a;
    int fd;

    open_stage(&s, state);
    api(s.d, 200, "PUT", "/api/v1/namespaces/default", PLAIN_UPSTREAM, s.up.port);
    make_token(&s, "admin", "*", root);
    snprintf(s.token, sizeof s.token, "%s", root);
    make_token(&s, "worker", "default", worker);
    snprintf(s.token, sizeof s.token, "%s", worker);
    a = start_call(&s, SERVICE "PollWorkflowTaskQueue", namespace_frame(&s, 1, "default"), NULL,
                   NULL);
    UNTIL(upstream_polls(&s.up) == 1);
    snprintf(path, sizeof path, "/api/v1/tokens/%.12s", worker + strlen("bf_worker_"));
    fd = request_connect(s.d);
    request_send_head(fd, "DELETE", path);
    snprintf(text, sizeof text, "Authorization: Bearer %s\r\n\r\n", root);
    assert_true(send(fd, text, strlen(text), MSG_NOSIGNAL) > 0);
    assert_int_equal(request_end(s.d, fd).status, 204);
    h2c_await(s.h, a);
    assert_status(a, 16);
    UNTIL(upstream_gone(&s.up) == 1);
    close_stage(&s);
}

/* ---- rights ---- */

/* RPC × role × namespace, one method of each right; the table has a test of its own. */
static void roles_and_namespaces_are_checked(void **state)
{
    static const char *const roles[] = {"viewer", "operator", "editor", "admin", "worker"};
    static const struct {
        const char *method, *who;
        int field;
    } methods[] = {
        {"DescribeWorkflowExecution", "voea", 1},    {"StartWorkflowExecution", "oea", 1},
        {"DeleteWorkflowExecution", "ea", 1},        {"RespondWorkflowTaskCompleted", "aw", 9},
        {"GetWorkflowExecutionHistory", "voeaw", 1}, {"GetSystemInfo", "voeaw", 1},
    };
    struct stage s = {0};
    char root[TOKEN_MAX];

    open_stage(&s, state);
    set_upstream(&s, "default", "default");
    set_upstream(&s, "other", "other");
    make_token(&s, "admin", "*", root);
    for (size_t r = 0; r < 5; r++) {
        snprintf(s.token, sizeof s.token, "%s", root);
        make_token(&s, roles[r], "default", s.token);
        h2c_close(s.h);
        connect_client(&s);
        for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
            char path[128];
            bool may = strchr(methods[m].who, roles[r][0]);
            bool is_global = strcmp(methods[m].method, "GetSystemInfo") == 0;
            int before = upstream_requests(&s.up);
            struct h2c_answer *a;

            snprintf(path, sizeof path, SERVICE "%s", methods[m].method);
            a = start_call(&s, path, namespace_frame(&s, methods[m].field, "default"), NULL,
                           NULL);
            h2c_await(s.h, a);
            assert_status(a, may ? 0 : 7);
            a = start_call(&s, path, namespace_frame(&s, methods[m].field, "other"), NULL,
                           NULL);
            h2c_await(s.h, a);
            assert_status(a, is_global ? 0 : 5);
            assert_int_equal(upstream_requests(&s.up) - before, is_global ? 2 : may);
        }
        assert_status(call(&s, SERVICE "ListNamespaces", "default"), 7);
    }
    close_stage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(the_credentials_of_the_client_pass_without_tokens),
        E2E_TEST(tokens_never_reach_the_upstream),
        E2E_TEST(a_revoked_token_ends_its_poll),
        E2E_TEST(roles_and_namespaces_are_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
