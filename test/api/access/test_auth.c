/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Authentication of clients.  Their rights are tested in test_rights.c.
 */
#include "world.h"

#define LIST   "GET /api/v1/schedules"
#define CREATE "POST /api/v1/schedules"
#define BODY   "{'action':{'type':'queue','queue':'q'}}"
#define UNKNOWN_TOKEN \
    "bf_admin_000000000000_0000000000000000000000000000000000000000000000000000"
#define FIRST "{'name':'root','role':'admin','namespace':'*'}"

static char root[128];

/* Creates the first token; from then on tokens are checked. */
static void make_first(void)
{
    world.checks_tokens = true;
    assert_int_equal(post("/api/v1/tokens", js(FIRST)), 201);
    snprintf(root, sizeof root, "%s", text_at("token").ptr);
}

static void without_tokens_local_clients_have_full_access(void **state)
{
    (void)state;
    world.checks_tokens = true;
    assert_int_equal(post("/api/v1/schedules", js(BODY)), 201);
    assert_json("state.createdBy", "'local'");
    assert_int_equal(get("/api/v1/namespaces"), 200);
}

static void remote_clients_always_need_a_token(void **state)
{
    (void)state;
    world.checks_tokens = world.is_remote = true;
    assert_refused(ask(LIST, NULL, NULL), 401, "unauthorized", "");
    assert_string_equal(field("WWW-Authenticate"), "Bearer realm=\"belfry\"");
    assert_int_equal(world.call.denied, AUDIT_UNAUTHORIZED);
    assert_int_equal(get("/healthz"), 200);
    assert_int_equal(get("/version"), 200);
}

static void after_the_first_token_every_client_needs_one(void **state)
{
    (void)state;
    make_first();
    assert_refused(ask(LIST, NULL, NULL), 401, "unauthorized", "");
    world.token = root;
    assert_int_equal(ask(LIST, NULL, NULL), 200);
    world.is_remote = true;
    assert_int_equal(ask(LIST, NULL, NULL), 200);
    world.token = NULL;
    assert_int_equal(ask(LIST, js("authorization: bearer %s\r\n", root), NULL), 200);
    assert_refused(ask(LIST, NULL, NULL), 401, "unauthorized", "");
    assert_int_equal(get("/readyz"), 200);
}

static void invalid_tokens_are_refused(void **state)
{
    static const char *const wrong[] = {
        "Authorization: Basic YTpi\r\n",
        "Authorization: Bearer\r\n",
        "Authorization: Bearer x\r\n",
        "Authorization: Bearer " UNKNOWN_TOKEN "\r\n",
        "Authorization:\r\n",
    };

    (void)state;
    world.checks_tokens = true;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_refused(ask(LIST, wrong[i], NULL), 401, "unauthorized", "");
    make_first();
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_refused(ask(LIST, wrong[i], NULL), 401, "unauthorized", "");
}

static void a_token_ends_when_it_expires(void **state)
{
    char token[128];

    (void)state;
    make_first();
    world.token = root;
    assert_int_equal(
        post("/api/v1/tokens", js("{'name':'x','role':'viewer','expiresIn':'1h'}")), 201);
    snprintf(token, sizeof token, "%s", text_at("token").ptr);
    world.token = token;
    world.now += SPAN_H - 1;
    assert_int_equal(ask(LIST, NULL, NULL), 200);
    world.now += 1;
    assert_refused(ask(LIST, NULL, NULL), 401, "unauthorized", "");
    assert_json("detail", "'the token has expired; an admin can create a new one'");
    world.token = root;
    assert_int_equal(ask(LIST, NULL, NULL), 200);
}

/* DNS rebinding: evil.test resolves to 127.0.0.1, so its page sends this name as Host. */
static void local_requests_with_a_foreign_host_are_refused(void **state)
{
    static const char *const ours[] = {"localhost", "LocalHost:7227", "127.0.0.1:7227",
                                       "[::1]:7227", "belfry.test"};
    static const char *const others[] = {"evil.test", "localhost.evil.test",
                                         "127.0.0.2", "belfry.test.evil",
                                         "[::2]",     "localhost."};

    (void)state;
    world.checks_tokens = true;
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        assert_int_equal(ask(LIST, js("Host: %s\r\n", ours[i]), NULL), 200);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_refused(ask(LIST, js("Host: %s\r\n", others[i]), NULL), 403, "forbidden", "");
        assert_refused(ask("GET /healthz", js("Host: %s\r\n", others[i]), NULL), 403,
                       "forbidden", "");
    }
    make_first();
    world.token = root;
    assert_refused(ask(LIST, "Host: evil.test\r\n", NULL), 403, "forbidden", "");
    world.is_remote = true; /* remote clients may use any DNS name of the server */
    assert_int_equal(ask(LIST, "Host: cron.example.com\r\n", NULL), 200);
}

static void pages_of_other_sites_change_nothing(void **state)
{
    static const char *const others[] = {
        "Sec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: same-site\r\n", /* another port of this machine */
        "Origin: http://evil.test\r\n",
        "Origin: http://localhost:3000\r\n",
        "Origin: null\r\n",
        "Origin: http://localhost.evil.test\r\n",
        "Origin: https://localhost\r\n",
        "Origin: ftp://localhost\r\n",
        "Host: localhost:7227\r\nOrigin: http://localhost7227\r\n",
        "Host: localhost:7227\r\nOrigin: http://localhost\r\n",
        "Host: localhost:7227\r\nOrigin: http://localhost:80\r\n",
        "Host: localhost:7227\r\nOrigin: http://localhost:72270\r\n",
        "Host: localhost:7227\r\nOrigin: http:/localhost:7227\r\n",
        "Host: [::1]:7227\r\nOrigin: https://[::1]:7227\r\n",
    };
    static const char *const ours[] = {
        "Sec-Fetch-Site: same-origin\r\n",
        "Sec-Fetch-Site: none\r\n",
        "Origin: http://localhost\r\n",
        "Host: localhost:7227\r\nOrigin: http://localhost:7227\r\n",
        "Host: localhost:80\r\nOrigin: http://localhost\r\n",
        "Origin: http://localhost:80\r\n",
        "Host: [::1]:7227\r\nOrigin: http://[::1]:7227\r\n",
    };

    (void)state;
    world.checks_tokens = true;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_refused(ask(CREATE, others[i], js(BODY)), 403, "forbidden", "");
        assert_int_equal(ask(LIST, others[i], NULL), 200); /* the page cannot see it */
        assert_string_equal(field("Access-Control-Allow-Origin"), "");
    }
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        assert_int_equal(ask(CREATE, ours[i], js(BODY)), 201);
}

static void forwarded_requests_are_not_local(void **state)
{
    static const char *const fields[] = {"X-Forwarded-For: 192.0.2.7\r\n",
                                         "Forwarded: for=192.0.2.7\r\n", "Via: 1.1 x\r\n",
                                         "X-Real-IP: 192.0.2.7\r\n"};

    (void)state;
    world.checks_tokens = true;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        assert_refused(ask(LIST, fields[i], NULL), 401, "unauthorized", "");
    make_first();
    world.token = root;
    assert_int_equal(ask(LIST, fields[0], NULL), 200);
}

static void a_request_has_an_id(void **state)
{
    (void)state;
    assert_int_equal(ask("GET /api/v1/schedules/x", "X-Request-Id: a-B.9_:/+=\r\n", NULL), 404);
    assert_json("requestId", "'a-B.9_:/+='");
    assert_int_equal(ask("GET /api/v1/schedules/x", "X-Request-Id: a b\r\n", NULL), 404);
    assert_json("requestId", "'00000000000000000000000000000001'");
    assert_int_equal(ask("GET /api/v1/schedules/x", "X-Request-Id:\r\n", NULL), 404);
    assert_int_equal(text_at("requestId").len, 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(without_tokens_local_clients_have_full_access),
        API_TEST(remote_clients_always_need_a_token),
        API_TEST(after_the_first_token_every_client_needs_one),
        API_TEST(invalid_tokens_are_refused),
        API_TEST(a_token_ends_when_it_expires),
        API_TEST(local_requests_with_a_foreign_host_are_refused),
        API_TEST(pages_of_other_sites_change_nothing),
        API_TEST(forwarded_requests_are_not_local),
        API_TEST(a_request_has_an_id),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
