/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Authentication of clients.  Their rights are tested in test_rights.c.
 */
#include "world.h"

#define ANY     "GET /api/v1/schedules"
#define MAKE    "POST /api/v1/schedules"
#define BODY    "{'action':{'type':'queue','queue':'q'}}"
#define NOBODYS "bf_admin_000000000000_0000000000000000000000000000000000000000000000000000"
#define FIRST   "{'name':'root','role':'admin','namespace':'*'}"

static char root[128];

/* Creates the first token; from then on tokens are checked. */
static void make_first(void)
{
    world.is_guarded = true;
    assert_int_equal(post("/api/v1/tokens", js(FIRST)), 201);
    snprintf(root, sizeof root, "%s", text_at("token").ptr);
}

static void without_tokens_this_machine_may_everything(void **state)
{
    (void)state;
    world.is_guarded = true;
    assert_int_equal(post("/api/v1/schedules", js(BODY)), 201);
    assert_told("state.createdBy", "'local'");
    assert_int_equal(get("/api/v1/namespaces"), 200);
}

static void other_machines_need_a_token_even_when_there_is_none(void **state)
{
    (void)state;
    world.is_guarded = world.is_remote = true;
    assert_refused(ask(ANY, NULL, NULL), 401, "unauthorized", "");
    assert_string_equal(field("WWW-Authenticate"), "Bearer realm=\"belfry\"");
    assert_int_equal(world.call.denied, AUDIT_UNAUTHORIZED);
    assert_int_equal(get("/healthz"), 200);
    assert_int_equal(get("/version"), 200);
}

static void from_the_first_token_on_everybody_shows_one(void **state)
{
    (void)state;
    make_first();
    assert_refused(ask(ANY, NULL, NULL), 401, "unauthorized", "");
    world.token = root;
    assert_int_equal(ask(ANY, NULL, NULL), 200);
    world.is_remote = true;
    assert_int_equal(ask(ANY, NULL, NULL), 200);
    world.token = NULL;
    assert_int_equal(ask(ANY, js("authorization: bearer %s\r\n", root), NULL), 200);
    assert_refused(ask(ANY, NULL, NULL), 401, "unauthorized", "");
    assert_int_equal(get("/readyz"), 200);
}

static void what_is_no_token_is_refused(void **state)
{
    static const char *const wrong[] = {
        "Authorization: Basic YTpi\r\n",
        "Authorization: Bearer\r\n",
        "Authorization: Bearer x\r\n",
        "Authorization: Bearer " NOBODYS "\r\n",
        "Authorization:\r\n",
    };

    (void)state;
    world.is_guarded = true;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_refused(ask(ANY, wrong[i], NULL), 401, "unauthorized", "");
    make_first();
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_refused(ask(ANY, wrong[i], NULL), 401, "unauthorized", "");
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
    assert_int_equal(ask(ANY, NULL, NULL), 200);
    world.now += 1;
    assert_refused(ask(ANY, NULL, NULL), 401, "unauthorized", "");
    assert_told("detail", "'the token has expired; an admin can create a new one'");
    world.token = root;
    assert_int_equal(ask(ANY, NULL, NULL), 200);
}

/* DNS rebinding: evil.test resolves to 127.0.0.1, so its page sends this name as Host. */
static void a_host_that_is_not_ours_is_refused_on_this_machine(void **state)
{
    static const char *const ours[] = {"localhost", "LocalHost:7227", "127.0.0.1:7227",
                                       "[::1]:7227", "belfry.test"};
    static const char *const others[] = {"evil.test", "localhost.evil.test",
                                         "127.0.0.2", "belfry.test.evil",
                                         "[::2]",     "localhost."};

    (void)state;
    world.is_guarded = true;
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        assert_int_equal(ask(ANY, js("Host: %s\r\n", ours[i]), NULL), 200);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_refused(ask(ANY, js("Host: %s\r\n", others[i]), NULL), 403, "forbidden", "");
        assert_refused(ask("GET /healthz", js("Host: %s\r\n", others[i]), NULL), 403,
                       "forbidden", "");
    }
    make_first();
    world.token = root;
    assert_refused(ask(ANY, "Host: evil.test\r\n", NULL), 403, "forbidden", "");
    world.is_remote = true; /* remote clients may use any DNS name of the server */
    assert_int_equal(ask(ANY, "Host: cron.example.com\r\n", NULL), 200);
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
    };
    static const char *const ours[] = {
        "Sec-Fetch-Site: same-origin\r\n",
        "Sec-Fetch-Site: none\r\n",
        "Origin: http://localhost\r\n",
        "Host: localhost:7227\r\nOrigin: http://localhost:7227\r\n",
        "Host: [::1]:7227\r\nOrigin: https://[::1]:7227\r\n",
    };

    (void)state;
    world.is_guarded = true;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_refused(ask(MAKE, others[i], js(BODY)), 403, "forbidden", "");
        assert_int_equal(ask(ANY, others[i], NULL), 200); /* the page cannot see it */
        assert_string_equal(field("Access-Control-Allow-Origin"), "");
    }
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        assert_int_equal(ask(MAKE, ours[i], js(BODY)), 201);
}

static void what_a_proxy_forwards_is_not_this_machine(void **state)
{
    static const char *const fields[] = {"X-Forwarded-For: 192.0.2.7\r\n",
                                         "Forwarded: for=192.0.2.7\r\n", "Via: 1.1 x\r\n",
                                         "X-Real-IP: 192.0.2.7\r\n"};

    (void)state;
    world.is_guarded = true;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        assert_refused(ask(ANY, fields[i], NULL), 401, "unauthorized", "");
    make_first();
    world.token = root;
    assert_int_equal(ask(ANY, fields[0], NULL), 200);
}

static void a_request_has_an_id(void **state)
{
    (void)state;
    assert_int_equal(ask("GET /api/v1/schedules/x", "X-Request-Id: a-B.9_:/+=\r\n", NULL), 404);
    assert_told("requestId", "'a-B.9_:/+='");
    assert_int_equal(ask("GET /api/v1/schedules/x", "X-Request-Id: a b\r\n", NULL), 404);
    assert_told("requestId", "'00000000000000000000000000000001'");
    assert_int_equal(ask("GET /api/v1/schedules/x", "X-Request-Id:\r\n", NULL), 404);
    assert_int_equal(text_at("requestId").len, 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(without_tokens_this_machine_may_everything),
        SERVED(other_machines_need_a_token_even_when_there_is_none),
        SERVED(from_the_first_token_on_everybody_shows_one),
        SERVED(what_is_no_token_is_refused),
        SERVED(a_token_ends_when_it_expires),
        SERVED(a_host_that_is_not_ours_is_refused_on_this_machine),
        SERVED(pages_of_other_sites_change_nothing),
        SERVED(what_a_proxy_forwards_is_not_this_machine),
        SERVED(a_request_has_an_id),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
