/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of tokens, the audit log, rate limits and quotas.
 */
#include <sys/socket.h>
#include <sys/stat.h>

#include "request.h"

enum { REQUEST_MAX = 2048, TOKEN_MAX = 128 };

#define QUEUED "{'id':'%s','action':{'type':'queue','queue':'q'}}"
#define ADMIN  "{'name':'root','role':'admin','namespace':'*'}"

/* Sends a token and header fields, each ending in \r\n; ' in the body is replaced by ". */
static struct answer request_as(struct server *d, const char *token, const char *fields,
                                const char *method, const char *path, const char *body)
{
    char text[REQUEST_MAX], json[REQUEST_MAX / 2];
    int fd = request_connect(d), len;

    snprintf(json, sizeof json, "%s", body ? body : "");
    for (char *c = json; *c; c++)
        if (*c == '\'')
            *c = '"';
    request_send_head(fd, method, path);
    len = snprintf(text, sizeof text, "%s%s%s%sContent-Length: %zu\r\n\r\n%s",
                   token ? "Authorization: Bearer " : "", token ? token : "",
                   token ? "\r\n" : "", fields, strlen(json), json);
    assert_in_range(len, 1, (int)sizeof text - 1);
    assert_int_equal(send(fd, text, (size_t)len, MSG_NOSIGNAL), len);
    return request_end(d, fd);
}

static void make_token(struct server *d, const char *by, const char *body, char ret[TOKEN_MAX],
                       char *ret_path)
{
    struct answer made = request_as(d, by, "", "POST", "/api/v1/tokens", body);

    assert_int_equal(made.status, 201);
    snprintf(ret, TOKEN_MAX, "%s", text_at(made.json, "token"));
    if (ret_path)
        snprintf(ret_path, TOKEN_MAX, "/api/v1/tokens/%s", text_at(made.json, "id"));
}

static int status_as(struct server *d, const char *token)
{
    return request_as(d, token, "", "GET", "/api/v1/schedules", NULL).status;
}

/* A token is valid after the answer that created it, and invalid after the answer to revoke. */
static void tokens_are_valid_from_create_to_revoke(void **state)
{
    struct server *d = server_start(*state, NULL);
    char root[TOKEN_MAX], token[TOKEN_MAX], path[TOKEN_MAX];

    assert_int_equal(status_as(d, NULL), 200);
    make_token(d, NULL, ADMIN, root, NULL);
    assert_int_equal(status_as(d, NULL), 401);
    for (int i = 0; i < 20; i++) {
        make_token(d, root, "{'name':'ci','role':'viewer'}", token, path);
        assert_int_equal(status_as(d, token), 200);
        assert_int_equal(request_as(d, token, "", "POST", "/api/v1/schedules", "{}").status,
                         403);
        assert_int_equal(request_as(d, root, "", "DELETE", path, NULL).status, 204);
        assert_int_equal(status_as(d, token), 401);
    }
    assert_int_equal(ask(d, "GET", "/readyz", NULL).status, 200);
    assert_int_equal(server_stop(d), 0);
    d = server_restart(d, NULL);
    assert_int_equal(status_as(d, root), 200);
    assert_int_equal(status_as(d, NULL), 401);
    assert_int_equal(server_stop(d), 0);
}

static int begin_claim(struct server *d, const char *token)
{
    static const char body[] =
        "{\"queues\":[\"q\"],\"max\":1,\"wait\":\"30s\",\"worker\":\"w\"}";
    char text[REQUEST_MAX];
    int fd = request_connect(d), len;

    request_send_head(fd, "POST", "/api/v1/queues/claim");
    len = snprintf(text, sizeof text, "%s%s%sContent-Length: %zu\r\n\r\n%s",
                   token ? "Authorization: Bearer " : "", token ? token : "",
                   token ? "\r\n" : "", strlen(body), body);
    assert_int_equal(send(fd, text, (size_t)len, MSG_NOSIGNAL), len);
    return fd;
}

/* Another worker gets the run that the poll waited for. */
static void a_poll_does_not_outlive_its_token(void **state)
{
    struct server *d = server_start(*state, NULL);
    char root[TOKEN_MAX], worker[TOKEN_MAX], path[TOKEN_MAX];
    struct answer answer;
    int fd;

    make_token(d, NULL, ADMIN, root, NULL);
    make_token(d, root, "{'name':'w','role':'worker'}", worker, path);
    assert_int_equal(request_as(d, root, "", "POST", "/api/v1/schedules",
                                "{'id':'a','action':{'type':'queue','queue':'q'}}")
                         .status,
                     201);
    fd = begin_claim(d, worker);
    assert_int_equal(request_as(d, root, "", "DELETE", path, NULL).status, 204);
    answer = request_end(d, fd);
    assert_int_equal(answer.status, 401);
    assert_string_equal(text_at(answer.json, "code"), "unauthorized");
    assert_int_equal(
        request_as(d, root, "", "POST", "/api/v1/schedules/a/trigger", "{}").status, 202);
    answer = request_end(d, begin_claim(d, root));
    assert_int_equal(answer.status, 200);
    assert_int_equal(number_at(answer.json, "runs[0].fence"), 1);
    assert_int_equal(server_stop(d), 0);
}

/* The message must not speak of a token that the client never had. */
static void the_first_token_ends_polls_without_a_token(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(w, NULL);
    char root[TOKEN_MAX];
    struct answer answer;
    int fd = begin_claim(d, NULL);

    UNTIL(world_number(w, "SELECT count(*) FROM queues WHERE name = 'q'") == 1);
    make_token(d, NULL, ADMIN, root, NULL);
    answer = request_end(d, fd);
    assert_int_equal(answer.status, 401);
    assert_string_equal(text_at(answer.json, "detail"),
                        "a token is required now; send Authorization: Bearer bf_...");
    assert_int_equal(server_stop(d), 0);
}

static void a_public_server_logs_how_to_create_a_token(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(
        w, &(struct server_start){.args = WORDS("--listen", "0.0.0.0:0", "--insecure")});
    char root[TOKEN_MAX];

    assert_true(server_has_logged(d, "the first token on this machine: belfry token create"));
    make_token(d, NULL, ADMIN, root, NULL);
    assert_int_equal(server_stop(d), 0);
    d = server_restart(d, NULL);
    assert_int_equal(status_as(d, root), 200);
    assert_false(server_has_logged(d, "belfry token create"));
    assert_int_equal(server_stop(d), 0);
    d = server_start(w, NULL); /* no warning for a listener on loopback only */
    assert_false(server_has_logged(d, "belfry token create"));
    assert_int_equal(server_stop(d), 0);
}

/* A sample of what test/api/test_rights.c checks for every route, over sockets. */
static const struct {
    const char *method, *path, *body;
    int status[5]; /* viewer, operator, editor, admin, worker of `team` */
} routes[] = {
    {"GET", "/api/v1/schedules", NULL, {200, 200, 200, 200, 403}},
    {"GET", "/api/v1/schedules?namespace=team", NULL, {200, 200, 200, 200, 403}},
    {"GET", "/api/v1/schedules?namespace=other", NULL, {404, 404, 404, 404, 404}},
    {"GET", "/api/v1/schedules?namespace=ghost", NULL, {404, 404, 404, 404, 404}},
    {"GET", "/api/v1/schedules/secret", NULL, {404, 404, 404, 404, 403}},
    {"DELETE", "/api/v1/schedules/secret", NULL, {403, 403, 404, 404, 403}},
    {"POST", "/api/v1/schedules/secret/trigger", "{}", {403, 404, 404, 404, 403}},
    {"POST",
     "/api/v1/queues/claim",
     "{'queues':['q'],'max':1,'wait':'0s','worker':'w'}",
     {403, 403, 403, 200, 200}},
    {"POST",
     "/api/v1/queues/claim?namespace=other",
     "{'queues':['q'],'max':1,'wait':'0s','worker':'w'}",
     {404, 404, 404, 404, 404}},
    {"GET", "/api/v1/tokens", NULL, {403, 403, 403, 200, 403}},
    {"GET", "/api/v1/audit", NULL, {403, 403, 403, 200, 403}},
    {"GET", "/api/v1/audit?everything=true", NULL, {403, 403, 403, 403, 403}},
    {"GET", "/api/v1/namespaces", NULL, {403, 403, 403, 403, 403}},
    {"PUT", "/api/v1/namespaces/team", "{}", {403, 403, 403, 403, 403}},
    {"GET", "/readyz", NULL, {200, 200, 200, 200, 200}},
};

static void roles_hold_over_sockets(void **state)
{
    static const char *const roles[] = {"viewer", "operator", "editor", "admin", "worker"};
    struct server *d = server_start(*state, NULL);
    char root[TOKEN_MAX], token[TOKEN_MAX], body[REQUEST_MAX / 4];

    make_token(d, NULL, ADMIN, root, NULL);
    assert_int_equal(request_as(d, root, "", "PUT", "/api/v1/namespaces/team", "{}").status,
                     201);
    assert_int_equal(request_as(d, root, "", "PUT", "/api/v1/namespaces/other", "{}").status,
                     201);
    assert_int_equal(request_as(d, root, "", "POST", "/api/v1/schedules?namespace=other",
                                "{'id':'secret','action':{'type':'queue','queue':'q'}}")
                         .status,
                     201);
    for (int r = 0; r < 5; r++) {
        snprintf(body, sizeof body, "{'name':'x','role':'%s','namespace':'team'}", roles[r]);
        make_token(d, root, body, token, NULL);
        for (size_t i = 0; i < sizeof routes / sizeof routes[0]; i++) {
            int status = request_as(d, token, "", routes[i].method, routes[i].path,
                                    routes[i].body)
                             .status;

            if (status != routes[i].status[r])
                fail_msg("%s %s as %s: %d", routes[i].method, routes[i].path, roles[r], status);
        }
    }
    assert_int_equal(server_stop(d), 0);
}

/* The other node learns of both changes a little later. */
static void a_token_that_one_node_revokes_is_refused_by_the_other(void **state)
{
    struct world *w = *state;
    char root[TOKEN_MAX], token[TOKEN_MAX], path[TOKEN_MAX];
    struct server *a, *b;

    if (!w->is_postgres)
        skip();
    a = server_start(w, NULL);
    b = server_start(w, NULL);
    make_token(a, NULL, ADMIN, root, NULL);
    make_token(a, root, "{'name':'ci','role':'viewer'}", token, path);
    UNTIL(status_as(b, token) == 200);
    assert_int_equal(status_as(b, NULL), 401);
    assert_int_equal(request_as(a, root, "", "DELETE", path, NULL).status, 204);
    UNTIL(status_as(b, token) == 401);
    assert_int_equal(status_as(b, root), 200);
    assert_int_equal(server_stop(a), 0);
    assert_int_equal(server_stop(b), 0);
}

static const json_t *audit(struct server *d, const char *token, const char *path)
{
    struct answer answer = request_as(d, token, "", "GET", path, NULL);

    assert_int_equal(answer.status, 200);
    return answer.json;
}

static void changes_and_refusals_are_in_the_audit(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *entries;
    char root[TOKEN_MAX];

    make_schedule(d, "a", "'action':{'type':'queue','queue':'q'}");
    make_token(d, NULL, ADMIN, root, NULL);
    assert_int_equal(
        request_as(d, "bf_x", "X-Request-Id: knock\r\n", "DELETE", "/api/v1/schedules/a", NULL)
            .status,
        401);
    UNTIL(json_array_size(at(audit(d, root, "/api/v1/audit?everything=true"), "entries")) == 3);
    entries = at(audit(d, root, "/api/v1/audit?everything=true"), "entries");
    assert_string_equal(text_at(entries, "[0].result"), "unauthorized");
    assert_string_equal(text_at(entries, "[0].requestId"), "knock");
    assert_string_equal(text_at(entries, "[0].from"), "127.0.0.1");
    assert_string_equal(text_at(entries, "[0].object"), "a");
    assert_string_equal(text_at(entries, "[1].operation"), "token.create");
    assert_string_equal(text_at(entries, "[2].operation"), "schedule.create");
    assert_string_equal(text_at(entries, "[2].by"), "local");
    server_await(d, "msg=\"access denied\"");
    server_kill(d);
    d = server_restart(d, NULL);
    assert_int_equal(request_as(d, root, "", "DELETE", "/api/v1/schedules/a", NULL).status,
                     204);
    entries = audit(d, root, "/api/v1/audit/verify");
    assert_true(json_is_true(at(entries, "intact")));
    assert_int_equal(number_at(entries, "nodes[0].entries"), 4);
    assert_int_equal(server_stop(d), 0);
}

/* Without a token: the last character begins at the last of the 1,000 bytes that are stored. */
static void a_long_name_leaves_the_audit_readable(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *entries;
    char root[TOKEN_MAX], path[1100], name[1000] = "";

    make_token(d, NULL, ADMIN, root, NULL);
    memset(name, 'x', sizeof name - 1);
    snprintf(path, sizeof path, "/api/v1/schedules/%s%%C3%%A9", name);
    assert_int_equal(request_as(d, NULL, "", "DELETE", path, NULL).status, 401);
    UNTIL(json_array_size(at(audit(d, root, "/api/v1/audit?everything=true"), "entries")) == 2);
    entries = at(audit(d, root, "/api/v1/audit?everything=true"), "entries");
    assert_string_equal(text_at(entries, "[0].result"), "unauthorized");
    assert_string_equal(text_at(entries, "[0].object"), name);
    entries = audit(d, root, "/api/v1/audit/verify");
    assert_true(json_is_true(at(entries, "intact")));
    assert_int_equal(server_stop(d), 0);
}

static void unknown_hosts_and_cross_site_requests_are_refused(void **state)
{
    struct server *d = server_start(
        *state, &(struct server_start){.args = WORDS("--hosts", "cron.example.com")});
    static const char evil[] = "POST /api/v1/schedules HTTP/1.1\r\nHost: %s\r\n"
                               "Connection: close\r\nContent-Length: 0\r\n\r\n";
    static const struct {
        const char *host;
        int status;
    } hosts[] = {{"evil.example.com", 403},
                 {"cron.example.com", 400},
                 {"127.0.0.1:1", 400},
                 {"localhost.evil.example.com", 403},
                 {"127.0.0.1.nip.io", 403},
                 {"LOCALHOST", 400},
                 {"[::1]", 400},
                 {"0.0.0.0", 403},
                 {"127.0.0.2", 403},
                 {"cron.example.com.evil.org", 403}};
    static const struct {
        const char *method, *fields, *body;
        int status;
    } pages[] = {
        {"POST", "Sec-Fetch-Site: cross-site\r\n", "{}", 403},
        {"POST", "Sec-Fetch-Site: same-site\r\n", "{}", 403},
        {"POST", "Sec-Fetch-Site: x\r\n", "{}", 403},
        {"POST", "Origin: https://evil.example.com\r\n", "{}", 403},
        {"POST", "Origin: null\r\n", "{}", 403},
        {"POST", "Origin: http://localhost:1\r\n", "{}", 403},
        {"POST", "Origin: http://localhost.evil.example.com\r\n", "{}", 403},
        {"POST", "Origin: https://evil.example.com\r\nContent-Type: text/plain\r\n", "{}", 403},
        {"POST", "Sec-Fetch-Site: same-origin\r\n", "{", 400},
        {"POST", "Sec-Fetch-Site: none\r\n", "{", 400},
        {"GET", "Sec-Fetch-Site: cross-site\r\n", NULL, 200},
    };

    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        char text[REQUEST_MAX];
        int fd = request_connect(d), len = snprintf(text, sizeof text, evil, hosts[i].host);

        assert_int_equal(send(fd, text, (size_t)len, MSG_NOSIGNAL), len);
        assert_int_equal(request_end(d, fd).status, hosts[i].status);
    }
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++)
        if (request_as(d, NULL, pages[i].fields, pages[i].method, "/api/v1/schedules",
                       pages[i].body)
                .status != pages[i].status)
            fail_msg("%s %s", pages[i].method, pages[i].fields);
    assert_int_equal(server_stop(d), 0);
}

/* The database holds keys, so its mode must not depend on the umask. */
static void only_the_server_can_read_the_database(void **state)
{
    static const char *const names[] = {"belfry.db", "belfry.db-wal"};
    struct world *w = *state;
    struct server *d;
    struct stat st;
    mode_t before;

    if (w->is_postgres)
        skip();
    before = umask(0);
    d = server_start(w, NULL);
    umask(before);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(stat(world_path(w, names[i]), &st), 0);
        assert_int_equal(st.st_mode & 0777, 0600);
    }
    assert_int_equal(server_stop(d), 0);
}

static void rate_limits_and_quotas_are_enforced(void **state)
{
    struct server *d = server_start(
        *state,
        &(struct server_start){.args = WORDS("--rate-read", "2", "--quota-schedules", "1")});
    struct answer answer;

    assert_int_equal(status_as(d, NULL), 200);
    assert_int_equal(status_as(d, NULL), 200);
    answer = request_as(d, NULL, "", "GET", "/api/v1/schedules", NULL);
    assert_int_equal(answer.status, 429);
    assert_string_equal(text_at(answer.json, "code"), "rate_limited");
    assert_int_equal(ask(d, "GET", "/healthz", NULL).status, 200);
    api(d, 201, "POST", "/api/v1/schedules", QUEUED, "a");
    assert_string_equal(text_at(api(d, 422, "POST", "/api/v1/schedules", QUEUED, "b"), "code"),
                        "quota");
    assert_int_equal(server_stop(d), 0);
}

/* A namespace's own limits apply after the answer that sets them; others use the config. */
static void a_namespace_can_have_its_own_limits(void **state)
{
    static const char list[] = "/api/v1/schedules?namespace=team";
    struct server *d = server_start(
        *state, &(struct server_start){.args = WORDS("--quota-schedules", "1")});
    struct answer answer;

    api(d, 201, "PUT", "/api/v1/namespaces/team",
        "{'settings':{'rateRead':2,'quotaSchedules':2}}");
    for (int i = 0; i < 2; i++)
        assert_int_equal(ask(d, "GET", list, NULL).status, 200);
    answer = ask(d, "GET", list, NULL);
    assert_int_equal(answer.status, 429);
    assert_string_equal(text_at(answer.json, "code"), "rate_limited");
    assert_int_equal(ask(d, "GET", "/api/v1/schedules", NULL).status, 200);
    api(d, 201, "POST", list, QUEUED, "a");
    api(d, 201, "POST", list, QUEUED, "b");
    assert_string_equal(text_at(api(d, 422, "POST", list, QUEUED, "c"), "code"), "quota");
    api(d, 201, "POST", "/api/v1/schedules", QUEUED, "a");
    api(d, 422, "POST", "/api/v1/schedules", QUEUED, "b");
    api(d, 200, "PUT", "/api/v1/namespaces/team", "{'settings':{'quotaSchedules':0}}");
    api(d, 201, "POST", list, QUEUED, "c");
    assert_int_equal(ask(d, "GET", list, NULL).status, 200);
    assert_int_equal(server_stop(d), 0);
}

/* The answer needs no database. */
static void a_preview_counts_against_the_limit_of_its_namespace(void **state)
{
    static const char preview[] = "/api/scheduler/nextFewSchedules?cronExpression=0+0+*+*+*+*";
    struct server *d = server_start(*state, NULL);

    api(d, 200, "PUT", "/api/v1/namespaces/default", "{'settings':{'rateRead':2}}");
    assert_int_equal(ask(d, "GET", preview, NULL).status, 200);
    UNTIL(ask(d, "GET", preview, NULL).status == 429);
    assert_int_equal(server_stop(d), 0);
}

/* ---- sessions ---- */

#define SAME_ORIGIN "Origin: http://localhost\r\n"

/* Begins a session; *ret is a header field with its cookie. */
static void log_in(struct server *d, const char *token, char ret[TOKEN_MAX * 2])
{
    static const char name[] = "\r\nSet-Cookie: ";
    char text[REQUEST_MAX];
    const char *cookie;
    int fd = request_connect(d);
    size_t len;
    ssize_t n;

    request_send_head(fd, "POST", "/api/v1/session");
    len = (size_t)snprintf(text, sizeof text, "Authorization: Bearer %s\r\n\r\n", token);
    assert_int_equal(send(fd, text, len, MSG_NOSIGNAL), len);
    for (len = 0; (n = recv(fd, text + len, sizeof text - 1 - len, 0)) > 0; len += (size_t)n) {
    }
    text[len] = '\0';
    close(fd);
    assert_non_null(strstr(text, "HTTP/1.1 201 "));
    cookie = strstr(text, name);
    assert_non_null(cookie);
    cookie += strlen(name);
    snprintf(ret, TOKEN_MAX * 2, "Cookie: %.*s\r\n", (int)strcspn(cookie, ";"), cookie);
}

static int status_with(struct server *d, const char *cookie)
{
    return request_as(d, NULL, cookie, "GET", "/api/v1/schedules", NULL).status;
}

/* Sessions are rows: the node that began one may die. */
static void a_session_is_valid_from_login_to_logout(void **state)
{
    struct server *d = server_start(*state, NULL);
    char root[TOKEN_MAX], cookie[TOKEN_MAX * 2], fields[TOKEN_MAX * 3];

    make_token(d, NULL, ADMIN, root, NULL);
    for (int i = 0; i < 20; i++) {
        log_in(d, root, cookie);
        assert_int_equal(status_with(d, cookie), 200);
    }
    server_kill(d);
    d = server_restart(d, NULL);
    assert_int_equal(status_with(d, cookie), 200);
    snprintf(fields, sizeof fields, "%s" SAME_ORIGIN, cookie);
    assert_int_equal(request_as(d, NULL, cookie, "DELETE", "/api/v1/session", NULL).status,
                     403);
    assert_int_equal(request_as(d, NULL, fields, "DELETE", "/api/v1/session", NULL).status,
                     204);
    assert_int_equal(status_with(d, cookie), 401);
    assert_int_equal(status_as(d, root), 200);
    assert_int_equal(server_stop(d), 0);
}

/* A request that waits for runs has begun with the session. */
static void a_poll_does_not_outlive_its_session(void **state)
{
    static const char body[] = "{\"queues\":[\"q\"],\"wait\":\"30s\",\"worker\":\"w\"}";
    struct world *w = *state;
    struct server *d = server_start(w, NULL);
    char root[TOKEN_MAX], cookie[TOKEN_MAX * 2], fields[TOKEN_MAX * 3], text[REQUEST_MAX];
    struct answer answer;
    int fd, len;

    make_token(d, NULL, ADMIN, root, NULL);
    log_in(d, root, cookie);
    snprintf(fields, sizeof fields, "%s" SAME_ORIGIN, cookie);
    fd = request_connect(d);
    request_send_head(fd, "POST", "/api/v1/queues/claim");
    len = snprintf(text, sizeof text, "%sContent-Length: %zu\r\n\r\n%s", fields, strlen(body),
                   body);
    assert_int_equal(send(fd, text, (size_t)len, MSG_NOSIGNAL), len);
    UNTIL(world_number(w, "SELECT count(*) FROM queues WHERE name = 'q'") == 1);
    assert_int_equal(request_as(d, NULL, fields, "DELETE", "/api/v1/session", NULL).status,
                     204);
    answer = request_end(d, fd);
    assert_int_equal(answer.status, 401);
    assert_string_equal(text_at(answer.json, "detail"), "the session has ended; log in again");
    assert_int_equal(server_stop(d), 0);
}

/* The first secret to be hidden ended the server: its freed value was read again. */
static void lists_of_namespaces_hide_the_secrets_of_upstreams(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *settings;

    api(d, 201, "PUT", "/api/v1/namespaces/x",
        "{'settings':{'upstreams':{'t':{'url':'https://t.example:7233','type':'temporal',"
        "'apiKey':'k'}}}}");
    settings = at(api(d, 200, "GET", "/api/v1/namespaces", NULL), "namespaces[1].settings");
    assert_string_equal(text_at(settings, "upstreams.t.apiKey"), "set");
    assert_int_equal(server_stop(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(tokens_are_valid_from_create_to_revoke),
        E2E_TEST(roles_hold_over_sockets),
        E2E_TEST(a_poll_does_not_outlive_its_token),
        E2E_TEST(the_first_token_ends_polls_without_a_token),
        E2E_TEST(a_public_server_logs_how_to_create_a_token),
        E2E_TEST(a_token_that_one_node_revokes_is_refused_by_the_other),
        E2E_TEST(changes_and_refusals_are_in_the_audit),
        E2E_TEST(a_long_name_leaves_the_audit_readable),
        E2E_TEST(unknown_hosts_and_cross_site_requests_are_refused),
        E2E_TEST(only_the_server_can_read_the_database),
        E2E_TEST(rate_limits_and_quotas_are_enforced),
        E2E_TEST(a_namespace_can_have_its_own_limits),
        E2E_TEST(a_preview_counts_against_the_limit_of_its_namespace),
        E2E_TEST(a_session_is_valid_from_login_to_logout),
        E2E_TEST(a_poll_does_not_outlive_its_session),
        E2E_TEST(lists_of_namespaces_hide_the_secrets_of_upstreams),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
