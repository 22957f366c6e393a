/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may send which request to an upstream Conductor, and which credentials it gets.
 */
#include "peers/conductor_stage.h"

/* From api/conductor/conductor.h, which has another struct answer than the harness. */
extern const int conductor_path_count;

/* ---- rights ---- */

/*
 * The request mappings of Conductor's REST controllers, and the roles that may use each: the
 * first letters of viewer, operator, editor, admin and worker.  An admin of all namespaces may
 * use all of them.
 */
static const struct {
    const char *method, *path, *who;
} mappings[] = {
    {"GET", "tasks/poll/x1", "aw"},
    {"GET", "tasks/poll/batch/x1", "aw"},
    {"POST", "tasks", "aw"},
    {"POST", "tasks/update-v2", "aw"},
    {"POST", "tasks/queue/requeue/x1", ""},
    {"POST", "tasks/x1/log", "aw"},
    {"POST", "tasks/x1/x1/signal", "oea"},
    {"POST", "tasks/x1/x1/signal/sync", "oea"},
    {"POST", "tasks/x1/x1/x1", "oeaw"},
    {"POST", "tasks/x1/x1/x1/sync", "oeaw"},
    {"GET", "tasks/x1/log", "voeaw"},
    {"GET", "tasks/queue/size", "voea"},
    {"GET", "tasks/queue/sizes", "voea"},
    {"GET", "tasks/queue/all", "voea"},
    {"GET", "tasks/queue/all/verbose", "voea"},
    {"GET", "tasks/queue/polldata", "voea"},
    {"GET", "tasks/queue/polldata/all", "voea"},
    {"GET", "tasks/search", "voea"},
    {"GET", "tasks/search-v2", "voea"},
    {"GET", "tasks/externalstoragelocation", "oeaw"},
    {"GET", "tasks/external-storage-location", "oeaw"},
    {"GET", "tasks/x1", "voeaw"},
    {"PUT", "workflow/bulk/pause", "oea"},
    {"PUT", "workflow/bulk/resume", "oea"},
    {"POST", "workflow/bulk/restart", "oea"},
    {"POST", "workflow/bulk/retry", "oea"},
    {"POST", "workflow/bulk/terminate", "oea"},
    {"DELETE", "workflow/bulk/remove", "ea"},
    {"DELETE", "workflow/bulk/terminate-remove", "ea"},
    {"POST", "workflow/bulk/search", "voea"},
    {"POST", "workflow", "oea"},
    {"POST", "workflow/x1", "oea"},
    {"POST", "workflow/execute/x1/x1", "oea"},
    {"POST", "workflow/x1/correlated", "voea"},
    {"GET", "workflow/x1/correlated/x1", "voea"},
    {"GET", "workflow/running/x1", "voea"},
    {"GET", "workflow/search", "voea"},
    {"GET", "workflow/search-v2", "voea"},
    {"GET", "workflow/search-by-tasks", "voea"},
    {"GET", "workflow/search-by-tasks-v2", "voea"},
    {"GET", "workflow/externalstoragelocation", "oeaw"},
    {"GET", "workflow/external-storage-location", "oeaw"},
    {"GET", "workflow/x1", "voeaw"},
    {"GET", "workflow/x1/tasks", "voea"},
    {"PUT", "workflow/decide/x1", "oea"},
    {"PUT", "workflow/x1/pause", "oea"},
    {"PUT", "workflow/x1/resume", "oea"},
    {"PUT", "workflow/x1/skiptask/x1", "oea"},
    {"POST", "workflow/x1/rerun", "oea"},
    {"POST", "workflow/x1/restart", "oea"},
    {"POST", "workflow/x1/retry", "oea"},
    {"POST", "workflow/x1/resetcallbacks", "oea"},
    {"POST", "workflow/x1/messages", "oea"},
    {"DELETE", "workflow/x1", "oea"},
    {"DELETE", "workflow/x1/remove", "ea"},
    {"DELETE", "workflow/x1/terminate-remove", "ea"},
    {"GET", "metadata/workflow", "voeaw"},
    {"GET", "metadata/workflow/x1", "voeaw"},
    {"POST", "metadata/workflow", "ea"},
    {"PUT", "metadata/workflow", "ea"},
    {"DELETE", "metadata/workflow/x1/x1", "ea"},
    {"GET", "metadata/taskdefs", "voeaw"},
    {"GET", "metadata/taskdefs/x1", "voeaw"},
    {"POST", "metadata/taskdefs", "ea"},
    {"PUT", "metadata/taskdefs", "ea"},
    {"DELETE", "metadata/taskdefs/x1", "ea"},
    {"GET", "event", "voea"},
    {"GET", "event/x1", "voea"},
    {"GET", "event/queues/providers", "voea"},
    {"POST", "event", ""},
    {"PUT", "event", ""},
    {"DELETE", "event/x1", ""},
    {"GET", "queue", "voea"},
    {"GET", "queue/size", "voea"},
    {"POST", "queue/update/x1/x1/x1", "oeaw"},
    {"POST", "queue/update/x1/task/x1/x1", "oeaw"},
    {"POST", "files", "oeaw"},
    {"GET", "files/x1/x1", "voeaw"},
    {"GET", "files/x1/x1/upload-url", "oeaw"},
    {"POST", "files/x1/x1/upload-complete", "oeaw"},
    {"GET", "files/x1/x1/download-url", "voeaw"},
    {"GET", "files/content/x1/x1", "voeaw"},
    {"PUT", "files/content/x1/x1", "oeaw"},
    {"POST", "files/x1/x1/multipart", "oeaw"},
    {"GET", "files/x1/x1/multipart/x1/part/x1", "oeaw"},
    {"POST", "files/x1/x1/multipart/x1/complete", "oeaw"},
    {"DELETE", "files/x1/x1/multipart/x1", "oeaw"},
    {"GET", "version", "voeaw"},
    {"GET", "admin/config", ""},
    {"GET", "admin/task/x1", ""},
    {"POST", "admin/sweep/requeue/x1", ""},
    {"POST", "admin/consistency/verifyAndRepair/x1", ""},
    {"GET", "secrets", ""},
    {"GET", "environment", ""},
    {"GET", "environment/x1", ""},
    /* Unknown paths and methods. */
    {"GET", "nope", ""},
    {"POST", "nope/x1", ""},
    {"DELETE", "tasks/x1", ""},
    {"PATCH", "workflow/x1", ""},
    {"OPTIONS", "workflow", ""},
    {"PUT", "workflow/bulk/terminate", ""},
    /* The same as GET, and the same as without the slash. */
    {"HEAD", "tasks/poll/x1", "aw"},
    {"GET", "tasks/poll/x1/", "aw"},
    {"GET", "admin/config/", ""},
    {"GET", "%61dmin/config", ""},
    {"GET", "workflow/x1/", "voeaw"},
};

enum { MAPPINGS = sizeof mappings / sizeof mappings[0], UNKNOWN = 11 };

static const char *const roles[] = {"viewer", "operator", "editor", "admin", "worker"};

static int ask_mapping(struct stage *s, size_t i, const char *query)
{
    char path[256];

    snprintf(path, sizeof path, "/api/%s%s", mappings[i].path, query);
    return call(s, mappings[i].method, path,
                strcmp(mappings[i].method, "GET") == 0 ? NULL : "{}");
}

/* The status must be this one, and only 200 reaches the upstream. */
static void check_mapping(struct stage *s, size_t i, const char *query, int status)
{
    int before = conductor_requests(&s->up), got = ask_mapping(s, i, query);

    if (got != status)
        fail_msg("%s %s: %d, not %d", mappings[i].method, mappings[i].path, got, status);
    assert_int_equal(conductor_requests(&s->up) - before, status == 200);
}

static void every_row_has_a_mapping(void **state)
{
    (void)state;
    assert_int_equal(MAPPINGS - UNKNOWN, conductor_path_count);
}

static void each_role_has_its_paths(void **state)
{
    struct stage s = {0};
    char root[TOKEN_MAX];

    open_stage(&s, state);
    SET_UPSTREAM(&s, UPSTREAM);
    make_token(&s, "admin", "*", root);
    for (size_t r = 0; r < 5; r++) {
        snprintf(s.token, sizeof s.token, "%s", root);
        make_token(&s, roles[r], "default", s.token);
        for (size_t i = 0; i < MAPPINGS; i++)
            check_mapping(&s, i, "", strchr(mappings[i].who, roles[r][0]) ? 200 : 403);
    }
    snprintf(s.token, sizeof s.token, "%s", root);
    for (size_t i = 0; i < MAPPINGS; i++)
        check_mapping(&s, i, "", 200);
    s.token[0] = '\0';
    for (size_t i = 0; i < MAPPINGS; i++)
        check_mapping(&s, i, "", 401);
    close_stage(&s);
}

/* It names the other namespace, and gets the answer for one that does not exist. */
static void a_token_of_another_namespace_has_no_paths(void **state)
{
    struct stage s = {0};
    char root[TOKEN_MAX];

    open_stage(&s, state);
    SET_UPSTREAM(&s, UPSTREAM);
    api(s.d, 201, "PUT", "/api/v1/namespaces/other", "{}");
    make_token(&s, "admin", "*", root);
    for (size_t r = 0; r < 5; r++) {
        snprintf(s.token, sizeof s.token, "%s", root);
        make_token(&s, roles[r], "other", s.token);
        for (size_t i = 0; i < MAPPINGS; i++)
            check_mapping(&s, i, "?namespace=default", 404);
    }
    assert_int_equal(conductor_requests(&s.up), 0);
    close_stage(&s);
}

/* ---- credentials ---- */

static void tokens_never_reach_the_upstream(void **state)
{
    struct stage s = {0};
    char fields[1024];
    int fd;

    open_stage(&s, state);
    SET_UPSTREAM(&s, UPSTREAM);
    make_token(&s, "admin", "*", s.token);
    assert_int_equal(call(&s, "GET", "/api/workflow/w", NULL), 200);
    snprintf(fields, sizeof fields,
             "Authorization: Bearer %s\r\nCookie: t=%s\r\nProxy-Authorization: Bearer %s\r\n",
             s.token, s.token, s.token);
    fd = begin(&s, "GET", "/api/workflow/w", fields);
    assert_int_equal(hear(&s, fd), 200);
    assert_int_equal(conductor_requests(&s.up), 2);
    assert_false(conductor_has_seen(&s.up, "bf_"));
    assert_false(conductor_has_seen(&s.up, "earer"));
    assert_true(conductor_has_seen(&s.up, "x-authorization: upstream-key\r\n"));
    close_stage(&s);
}

static void the_credentials_of_the_client_pass_without_tokens(void **state)
{
    struct stage s = {0};
    int fd;

    open_stage(&s, state);
    SET_UPSTREAM(&s, PLAIN_UPSTREAM);
    fd = begin(&s, "GET", "/api/workflow/w", "X-Authorization: client-key\r\n");
    assert_int_equal(hear(&s, fd), 200);
    assert_true(conductor_has_seen(&s.up, "x-authorization: client-key\r\n"));
    SET_UPSTREAM(&s, UPSTREAM);
    fd = begin(&s, "GET", "/api/workflow/w", "X-Authorization: other-key\r\n");
    assert_int_equal(hear(&s, fd), 200);
    assert_false(conductor_has_seen(&s.up, "other-key"));
    assert_true(conductor_has_seen(&s.up, "x-authorization: upstream-key\r\n"));
    close_stage(&s);
}

/* By these a server could serve another method or path than the one that was checked. */
static void fields_that_change_the_request_stay(void **state)
{
    struct stage s = {0};
    int fd;

    open_stage(&s, state);
    SET_UPSTREAM(&s, UPSTREAM);
    fd = begin(&s, "GET", "/api/workflow/w",
               "X-HTTP-Method-Override: DELETE\r\nX-Original-URL: /api/admin\r\n"
               "Connection: X-Secret\r\nX-Secret: 1\r\nX-Kept: 2\r\n");
    assert_int_equal(hear(&s, fd), 200);
    assert_false(conductor_has_seen(&s.up, "DELETE"));
    assert_false(conductor_has_seen(&s.up, "x-original-url"));
    assert_false(conductor_has_seen(&s.up, "x-secret"));
    assert_true(conductor_has_seen(&s.up, "x-kept: 2\r\n"));
    close_stage(&s);
}

static void a_revoked_token_ends_its_poll(void **state)
{
    struct stage s = {0};
    char root[TOKEN_MAX], path[64], field[TOKEN_MAX + 32];
    int fd, other;

    open_stage(&s, state);
    SET_UPSTREAM(&s, UPSTREAM);
    make_token(&s, "admin", "*", root);
    snprintf(s.token, sizeof s.token, "%s", root);
    make_token(&s, "worker", "default", s.token);
    fd = begin(&s, "GET", "/api/tasks/poll/poll", "");
    UNTIL(conductor_polls(&s.up) == 1);
    snprintf(path, sizeof path, "/api/v1/tokens/%.12s", s.token + strlen("bf_worker_"));
    snprintf(field, sizeof field, "Authorization: Bearer %s\r\n", root);
    s.token[0] = '\0';
    other = begin(&s, "DELETE", path, field);
    assert_int_equal(hear(&s, other), 204);
    assert_int_equal(hear(&s, fd), 401);
    assert_error(&s, 401, "INVALID_TOKEN");
    UNTIL(conductor_gone(&s.up) == 1);
    close_stage(&s);
}

static void the_first_token_ends_polls_without_one(void **state)
{
    struct stage s = {0};
    char root[TOKEN_MAX];
    int fd;

    open_stage(&s, state);
    SET_UPSTREAM(&s, UPSTREAM);
    fd = begin(&s, "GET", "/api/tasks/poll/poll", "");
    UNTIL(conductor_polls(&s.up) == 1);
    make_token(&s, "admin", "*", root);
    assert_int_equal(hear(&s, fd), 401);
    assert_non_null(strstr(s.text, "a token is required now"));
    UNTIL(conductor_gone(&s.up) == 1);
    close_stage(&s);
}

/* A denied request is in the audit log, a forwarded one is not. */
static void denied_requests_are_in_the_audit_log(void **state)
{
    struct stage s = {0};
    char root[TOKEN_MAX];

    open_stage(&s, state);
    SET_UPSTREAM(&s, UPSTREAM);
    make_token(&s, "admin", "*", root);
    snprintf(s.token, sizeof s.token, "%s", root);
    make_token(&s, "viewer", "default", s.token);
    assert_int_equal(call(&s, "GET", "/api/workflow/w", NULL), 200);
    assert_int_equal(call(&s, "DELETE", "/api/workflow/w", NULL), 403);
    snprintf(s.token, sizeof s.token, "%s", root);
    UNTIL(call(&s, "GET", "/api/v1/audit", NULL) == 200 && strstr(s.text, "conductor.forward"));
    assert_null(strstr(strstr(s.text, "conductor.forward") + 1, "conductor.forward"));
    close_stage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_a_mapping),
        E2E_TEST(each_role_has_its_paths),
        E2E_TEST(a_token_of_another_namespace_has_no_paths),
        E2E_TEST(tokens_never_reach_the_upstream),
        E2E_TEST(the_credentials_of_the_client_pass_without_tokens),
        E2E_TEST(fields_that_change_the_request_stay),
        E2E_TEST(a_revoked_token_ends_its_poll),
        E2E_TEST(the_first_token_ends_polls_without_one),
        E2E_TEST(denied_requests_are_in_the_audit_log),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
