/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions of browsers.  The cookie itself is tested in test_session_cookie.c.
 */
#include "world.h"

#include "api/access/audit_note.h"

#define LIST   "GET /api/v1/schedules"
#define CREATE "POST /api/v1/schedules"
#define BODY   "{'action':{'type':'queue','queue':'q'}}"
#define ORIGIN "Origin: http://localhost\r\n"

static char root[128], cookie[256];

/* Creates the first token, and another one with this role. */
static const char *make_token(const char *role)
{
    static char token[128];

    world.checks_tokens = true;
    assert_int_equal(
        post("/api/v1/tokens", js("{'name':'root','role':'admin','namespace':'*'}")), 201);
    snprintf(root, sizeof root, "%s", text_at("token").ptr);
    world.token = root;
    assert_int_equal(post("/api/v1/tokens", js("{'name':'ann','role':'%s'}", role)), 201);
    snprintf(token, sizeof token, "%s", text_at("token").ptr);
    world.token = NULL;
    return token;
}

/* Begins a session, and keeps its cookie as a field of later requests. */
static void log_in(const char *token)
{
    const char *end;

    world.token = token;
    assert_int_equal(ask("POST /api/v1/session", NULL, NULL), 201);
    world.token = NULL;
    end = strchr(field("Set-Cookie"), ';');
    assert_non_null(end);
    snprintf(cookie, sizeof cookie, "Cookie: %.*s\r\n", (int)(end - field("Set-Cookie")),
             field("Set-Cookie"));
}

static void a_session_has_the_rights_of_its_token(void **state)
{
    (void)state;
    log_in(make_token("viewer"));
    assert_json("name", "'ann'");
    assert_json("role", "'viewer'");
    assert_json("namespace", "'default'");
    assert_json("expiresAt", "'2026-01-05T22:00:00.000Z'");
    assert_int_equal(ask(LIST, cookie, NULL), 200);
    assert_refused(ask(CREATE, js("%s" ORIGIN, cookie), js(BODY)), 403, "forbidden", "");
    assert_int_equal(ask("GET /api/v1/session", cookie, NULL), 200);
    assert_json("expiresAt", "'2026-01-05T22:00:00.000Z'");
    assert_refused(ask("GET /api/v1/tokens", cookie, NULL), 403, "forbidden", "");
}

static void the_answer_shows_the_secret_only_in_the_cookie(void **state)
{
    (void)state;
    log_in(make_token("viewer"));
    assert_json("", "{'name':'ann','role':'viewer','namespace':'default',"
                    "'expiresAt':'2026-01-05T22:00:00.000Z'}");
    assert_non_null(strstr(field("Set-Cookie"), "; HttpOnly; SameSite=Strict"));
    assert_null(strstr(field("Set-Cookie"), "Secure"));
}

static void behind_a_proxy_with_tls_the_cookie_is_secure(void **state)
{
    (void)state;
    world.token = make_token("viewer");
    assert_int_equal(ask("POST /api/v1/session",
                         "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: https\r\n", NULL),
                     201);
    assert_non_null(strstr(field("Set-Cookie"), "; Secure"));
}

/* Browsers send cookies with any request, so the page that makes it must be the server's. */
static void changes_need_the_origin_of_the_server(void **state)
{
    static const char *const wrong[] = {
        "",
        "Sec-Fetch-Site: none\r\n",
        "Origin: null\r\n",
        "Origin: http://evil.test\r\n",
        "Origin: http://localhost:81\r\n",
        "Origin: https://localhost\r\n",
        "Sec-Fetch-Site: cross-site\r\n" ORIGIN,
    };

    (void)state;
    log_in(make_token("editor"));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_refused(ask(CREATE, js("%s%s", cookie, wrong[i]), js(BODY)), 403, "forbidden",
                       "");
        assert_int_equal(world.call.denied, AUDIT_FORBIDDEN);
    }
    assert_int_equal(ask(CREATE, js("%s" ORIGIN, cookie), js(BODY)), 201);
    assert_json("state.createdBy", "'ann'");
}

static void a_session_ends_after_twelve_hours(void **state)
{
    (void)state;
    log_in(make_token("viewer"));
    world.now += 12 * SPAN_H - 1;
    assert_int_equal(ask(LIST, cookie, NULL), 200);
    world.now += 1;
    assert_refused(ask(LIST, cookie, NULL), 401, "unauthorized", "");
    assert_json("detail", "'the session has ended; log in again'");
}

static void a_session_ends_with_its_token(void **state)
{
    char id[32];

    (void)state;
    log_in(make_token("viewer"));
    world.token = root;
    assert_int_equal(get("/api/v1/tokens"), 200);
    for (int i = 0; i < 2; i++)
        if (strcmp(json_at(i == 0 ? "tokens.0.name" : "tokens.1.name"), "'ann'") == 0)
            snprintf(id, sizeof id, "%s", text_at(i == 0 ? "tokens.0.id" : "tokens.1.id").ptr);
    assert_int_equal(ask(js("DELETE /api/v1/tokens/%s", id), NULL, NULL), 204);
    world.token = NULL;
    assert_refused(ask(LIST, cookie, NULL), 401, "unauthorized", "");
}

static void a_session_ends_when_its_token_expires(void **state)
{
    (void)state;
    make_token("viewer");
    world.token = root;
    assert_int_equal(
        post("/api/v1/tokens", js("{'name':'x','role':'viewer','expiresIn':'1h'}")), 201);
    log_in(text_at("token").ptr);
    assert_json("expiresAt", "'2026-01-05T11:00:00.000Z'");
    world.now += SPAN_H;
    assert_refused(ask(LIST, cookie, NULL), 401, "unauthorized", "");
}

static void a_logout_ends_the_session(void **state)
{
    char other[sizeof cookie];
    const char *token;

    (void)state;
    token = make_token("viewer");
    log_in(token);
    snprintf(other, sizeof other, "%s", cookie);
    log_in(token);
    assert_refused(ask("DELETE /api/v1/session", cookie, NULL), 403, "forbidden", "");
    assert_int_equal(ask("DELETE /api/v1/session", js("%s" ORIGIN, cookie), NULL), 204);
    assert_non_null(strstr(field("Set-Cookie"), "belfry_session=; Path=/; Max-Age=0"));
    assert_refused(ask(LIST, cookie, NULL), 401, "unauthorized", "");
    assert_int_equal(ask(LIST, other, NULL), 200);
    world.token = token;
    assert_refused(ask("DELETE /api/v1/session", NULL, NULL), 404, "not_found", "");
}

static void a_session_cannot_begin_another(void **state)
{
    (void)state;
    log_in(make_token("viewer"));
    assert_refused(ask("POST /api/v1/session", js("%s" ORIGIN, cookie), NULL), 409, "bad_state",
                   "");
}

static void without_tokens_there_are_no_sessions(void **state)
{
    (void)state;
    world.checks_tokens = true;
    assert_refused(ask("POST /api/v1/session", NULL, NULL), 409, "bad_state", "");
    assert_int_equal(ask("GET /api/v1/session", "Cookie: belfry_session=x\r\n", NULL), 200);
    assert_json("", "{'name':'local','role':'admin','namespace':'*','expiresAt':null}");
    assert_refused(ask("DELETE /api/v1/session", NULL, NULL), 404, "not_found", "");
}

static void wrong_cookies_give_no_access(void **state)
{
    (void)state;
    log_in(make_token("viewer"));
    for (size_t i = strlen("Cookie: belfry_session="); cookie[i] != '\r'; i++) {
        char was = cookie[i];

        cookie[i] = was == '0' ? '1' : '0';
        assert_refused(ask(LIST, cookie, NULL), 401, "unauthorized", "");
        cookie[i] = was;
    }
    assert_refused(ask(LIST, "Cookie: belfry_session=\r\n", NULL), 401, "unauthorized", "");
    assert_int_equal(ask(LIST, cookie, NULL), 200);
}

/* A request with both has sent the token on purpose. */
static void a_token_counts_before_the_cookie(void **state)
{
    (void)state;
    log_in(make_token("viewer"));
    world.token = root;
    assert_int_equal(ask(CREATE, cookie, js(BODY)), 201);
    assert_json("state.createdBy", "'root'");
    world.token = "bf_viewer_000000000000_0000000000000000000000000000000000000000000000000000";
    assert_refused(ask(LIST, cookie, NULL), 401, "unauthorized", "");
}

/* Only the page of the server uses cookies. */
static void other_apis_ignore_the_cookie(void **state)
{
    (void)state;
    log_in(make_token("admin"));
    assert_int_equal(ask("GET /api/scheduler/schedules", cookie, NULL), 401);
    assert_int_equal(ask("GET /api/schedules", cookie, NULL), 401);
    assert_int_equal(ask("GET /api/orgs/default/schedules", cookie, NULL), 401);
}

static void sessions_are_in_the_audit_log(void **state)
{
    (void)state;
    log_in(make_token("viewer"));
    assert_int_equal(ask("DELETE /api/v1/session", js("%s" ORIGIN, cookie), NULL), 204);
    world.token = root;
    assert_int_equal(get("/api/v1/audit?limit=2"), 200);
    assert_json("entries.0.operation", "'session.delete'");
    assert_json("entries.1.operation", "'session.create'");
    assert_json("entries.1.by", "'ann'");
    assert_json("entries.1.result", "'done'");
    assert_true(str_eq(text_at("entries.0.object"), text_at("entries.1.object")));
    assert_non_null(strstr(cookie, text_at("entries.0.object").ptr)); /* its id */
    assert_null(strstr(json_at(""), strchr(strchr(cookie, '=') + 1, '_') + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_session_has_the_rights_of_its_token),
        API_TEST(the_answer_shows_the_secret_only_in_the_cookie),
        API_TEST(behind_a_proxy_with_tls_the_cookie_is_secure),
        API_TEST(changes_need_the_origin_of_the_server),
        API_TEST(a_session_ends_after_twelve_hours),
        API_TEST(a_session_ends_with_its_token),
        API_TEST(a_session_ends_when_its_token_expires),
        API_TEST(a_logout_ends_the_session),
        API_TEST(a_session_cannot_begin_another),
        API_TEST(without_tokens_there_are_no_sessions),
        API_TEST(wrong_cookies_give_no_access),
        API_TEST(a_token_counts_before_the_cookie),
        API_TEST(other_apis_ignore_the_cookie),
        API_TEST(sessions_are_in_the_audit_log),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
