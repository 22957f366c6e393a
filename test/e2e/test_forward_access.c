/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may send requests to an upstream, and which credentials it gets: the stand-in records
 * every byte.
 */
#include "peers/forward_stage.h"

#include "tls_proxy.h"

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

/* ---- TLS to the upstream ---- */

static void set_tls(struct stage *s, int port, const char *tls)
{
    api(s->d, 200, "PUT", "/api/v1/namespaces/default",
        "{'settings':{'allowNetworks':['127.0.0.0/8'],'upstreams':{'main':{'type':'temporal',"
        "'url':'https://127.0.0.1:%d','namespace':'default','tls':{%s}}}}}",
        port, tls);
}

static void a_certificate_of_belfry_opens_the_upstream(void **state)
{
    static char ca[CERT_JSON_MAX], cert[CERT_JSON_MAX], key[CERT_JSON_MAX],
        tls[4 * CERT_JSON_MAX];
    struct stage s = {0};
    struct tls_proxy proxy;
    struct cert client;

    open_stage(&s, state);
    cert_make(CERT_EC, "belfry", &client);
    tls_proxy_open_mutual(&proxy, s.up.port, client.cert);
    snprintf(tls, sizeof tls, "'ca':%s,'cert':%s,'key':%s", cert_json(proxy.cert.cert, ca),
             cert_json(client.cert, cert), cert_json(client.key, key));
    set_tls(&s, proxy.port, tls);
    assert_status(call(&s, SERVICE "StartWorkflowExecution", "default"), 0);
    snprintf(tls, sizeof tls, "'ca':%s", ca); /* no certificate of its own */
    set_tls(&s, proxy.port, tls);
    assert_status(call(&s, SERVICE "StartWorkflowExecution", "default"), 14);
    set_tls(&s, proxy.port, ""); /* an unknown authority */
    assert_status(call(&s, SERVICE "StartWorkflowExecution", "default"), 14);
    assert_int_equal(upstream_requests(&s.up), 1);
    tls_proxy_close(&proxy);
    cert_remove(&client);
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
        {"DeleteWorkflowExecution", "ea", 1},        {"RespondActivityTaskFailedById", "aw", 1},
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

/* ---- task tokens ---- */

/* Appends a field of bytes, each shorter than 128. */
static void put_field(struct buf *out, int number, struct str value)
{
    buf_char(out, (char)(number << 3 | 2));
    buf_char(out, (char)value.len);
    buf_str(out, value);
}

/* temporal.server.api.token.v1.Task, which may have the reference of a standalone activity. */
static struct str make_task(struct buf *out, const char *id, const char *component_id)
{
    char room[64];
    struct buf component = BUF(room);

    put_field(out, 1, str_of(id));
    put_field(out, 2, STR("workflow"));
    if (component_id) {
        put_field(&component, 1, str_of(component_id));
        put_field(out, 14, buf_as_str(&component));
    }
    return buf_as_str(out);
}

/* Sends a response with a token; returns the number of requests that reached the upstream. */
static int respond(struct stage *s, const char *method, const char *namespace, struct str token,
                   int status)
{
    static const struct {
        const char *method;
        int token_field, namespace_field;
    } methods[] = {
        {"RecordActivityTaskHeartbeat", 1, 4},  {"RespondActivityTaskCanceled", 1, 4},
        {"RespondActivityTaskCompleted", 1, 4}, {"RespondActivityTaskFailed", 1, 4},
        {"RespondNexusTaskCompleted", 3, 1},    {"RespondNexusTaskFailed", 3, 1},
        {"RespondQueryTaskCompleted", 1, 6},    {"RespondWorkflowTaskCompleted", 1, 9},
        {"RespondWorkflowTaskFailed", 1, 6},
    };
    int before = upstream_requests(&s->up), count = 0;
    char path[128], text[256], message_text[240];

    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        struct buf frame = BUF(text), message = BUF(message_text);
        struct h2c_answer *a;

        if (method && strcmp(method, methods[i].method) != 0)
            continue;
        if (namespace)
            put_field(&message, methods[i].namespace_field, str_of(namespace));
        if (token.len > 0)
            put_field(&message, methods[i].token_field, token);
        buf_str(&frame, (struct str){"\0\0\0\0", 4});
        buf_char(&frame, (char)message.len);
        buf_str(&frame, buf_as_str(&message));
        snprintf(path, sizeof path, SERVICE "%s", methods[i].method);
        a = start_call(s, path, buf_as_str(&frame), NULL, NULL);
        h2c_await(s->h, a);
        assert_status(a, status);
        count++;
    }
    assert_true(count > 0);
    return upstream_requests(&s->up) - before;
}

#define ONE "RespondActivityTaskCompleted"

/*
 * Temporal decides by the namespace id in the token.  It compares it with the name beside it
 * only if that namespace exists there, and not at all the reference of a standalone activity.
 */
static void a_task_token_of_another_namespace_is_rejected(void **state)
{
    char mine_text[64], other_text[64], component_text[128], same_text[128];
    struct buf mine_buf = BUF(mine_text), other_buf = BUF(other_text);
    struct buf component_buf = BUF(component_text), same_buf = BUF(same_text);
    struct str mine = make_task(&mine_buf, "id-of-default", NULL);
    struct str other = make_task(&other_buf, "id-of-other", NULL);
    struct str component = make_task(&component_buf, "id-of-default", "id-of-other");
    struct str same = make_task(&same_buf, "id-of-default", "id-of-default");
    struct stage s = {0};
    char root[TOKEN_MAX];

    open_stage(&s, state);
    set_upstream(&s, "default", "default");
    set_upstream(&s, "absent", "absent");
    make_token(&s, "admin", "*", root);
    snprintf(s.token, sizeof s.token, "%s", root);
    make_token(&s, "worker", "default", s.token);
    /* The id is looked up once, and again for each token that differs. */
    assert_int_equal(respond(&s, NULL, "default", mine, 0), 10);
    assert_int_equal(respond(&s, NULL, "default", other, 7), 9);
    assert_int_equal(respond(&s, ONE, "default", component, 7), 1);
    assert_int_equal(respond(&s, ONE, "default", same, 0), 1);
    assert_false(upstream_has_seen(&s.up, "id-of-other"));
    /* Without a namespace, a token, or a namespace in the token. */
    assert_int_equal(respond(&s, NULL, NULL, mine, 3), 0);
    assert_int_equal(respond(&s, NULL, "default", STR(""), 3), 0);
    assert_int_equal(respond(&s, ONE, "default", STR("\x12\1w"), 3), 0);
    assert_int_equal(respond(&s, ONE, "default", STR("\xff"), 3), 0);
    /* A namespace that only Belfry has. */
    snprintf(s.token, sizeof s.token, "%s", root);
    make_token(&s, "worker", "absent", s.token);
    assert_int_equal(respond(&s, ONE, "absent", other, 5), 1);
    /* A token for all namespaces may use every task. */
    snprintf(s.token, sizeof s.token, "%s", root);
    assert_int_equal(respond(&s, ONE, "default", other, 0), 1);
    close_stage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(the_credentials_of_the_client_pass_without_tokens),
        E2E_TEST(tokens_never_reach_the_upstream),
        E2E_TEST(a_revoked_token_ends_its_poll),
        E2E_TEST(a_certificate_of_belfry_opens_the_upstream),
        E2E_TEST(roles_and_namespaces_are_checked),
        E2E_TEST(a_task_token_of_another_namespace_is_rejected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
