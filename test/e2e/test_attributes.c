/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Search attributes that an upstream or the namespace defines, with the program as a whole.
 * The upstream defines Team, a keyword.
 */
#include "peers/forward_stage.h"

enum { MANY = 20 };

/* Sends ListSchedules of "default" with this query. */
static struct h2c_answer *start_list(struct stage *s, const char *query)
{
    static char frames[MANY][256]; /* read until the call has ended */
    static int next;
    char *frame = frames[next++ % MANY];
    size_t len = strlen(query);

    assert_true(len < 128);
    memcpy(frame, "\0\0\0\0", 4);
    frame[4] = (char)(len + 11);
    memcpy(frame + 5,
           "\x0a\x07"
           "default\x22",
           10);
    frame[15] = (char)len;
    memcpy(frame + 16, query, len);
    return start_call(s, SERVICE "ListSchedules", (struct str){frame, len + 16}, NULL, NULL);
}

static struct h2c_answer *list(struct stage *s, const char *query)
{
    struct h2c_answer *a = start_list(s, query);

    h2c_await(s->h, a);
    return a;
}

static void an_upstream_defines_the_attributes(void **state)
{
    struct stage s = {0};
    struct h2c_answer *a;

    open_stage(&s, state);
    set_upstream(&s, "default", "default");
    assert_status(list(&s, "Team = 'x'"), 0);
    assert_true(upstream_has_seen(&s.up, "/ListSearchAttributes"));
    assert_true(upstream_has_seen(&s.up, "x-own: upstream-header"));
    assert_true(upstream_has_seen(&s.up, "upstream-key"));
    a = list(&s, "Nope = 'x'");
    assert_status(a, 3);
    assert_line(a->head, "invalid query: invalid search attribute: Nope");
    a = list(&s, "Team = 5");
    assert_status(a, 3);
    assert_line(a->head, "of type Keyword: 5 (type: int64)");
    assert_true(upstream_requests(&s.up) <= 2); /* the list is cached for a second at least */
    close_stage(&s);
}

static void requests_wait_for_the_same_answer(void **state)
{
    struct stage s = {0};
    struct h2c_answer *a[MANY];

    open_stage(&s, state);
    set_upstream(&s, "default", "default");
    for (int i = 0; i < MANY; i++)
        a[i] = start_list(&s, "Team = 'x'");
    for (int i = 0; i < MANY; i++) {
        h2c_await(s.h, a[i]);
        assert_status(a[i], 0);
    }
    assert_int_equal(upstream_requests(&s.up), 1);
    close_stage(&s);
}

static void without_an_answer_everything_is_valid(void **state)
{
    struct stage s = {0};

    open_stage(&s, state);
    upstream_hold_lists(&s.up);
    set_upstream(&s, "default", "default");
    assert_status(list(&s, "Nope = 'x'"), 0);
    assert_int_equal(upstream_requests(&s.up), 1);
    api(s.d, 200, "PUT", "/api/v1/namespaces/default", UPSTREAM, 1, "default"); /* no server */
    assert_status(list(&s, "Nope = 'x'"), 0);
    close_stage(&s);
}

static void the_server_ends_while_requests_wait(void **state)
{
    struct stage s = {0};

    open_stage(&s, state);
    upstream_hold_lists(&s.up);
    set_upstream(&s, "default", "default");
    start_list(&s, "Nope = 'x'");
    UNTIL(upstream_polls(&s.up) == 1);
    close_stage(&s);
}

static void a_namespace_can_define_attributes_itself(void **state)
{
    struct stage s = {0};
    struct h2c_answer *a;

    open_stage(&s, state);
    assert_status(list(&s, "Nope = 'x'"), 0); /* without a list everything is valid */
    api(s.d, 200, "PUT", "/api/v1/namespaces/default",
        "{'settings':{'searchAttributes':{'Level':'Int','Team':'Keyword'}}}");
    a = list(&s, "Nope = 'x'");
    assert_status(a, 3);
    assert_line(a->head, "invalid search attribute: Nope");
    assert_status(list(&s, "Team = 'x' AND Level > 3"), 0);
    assert_status(list(&s, "Level = 'x'"), 3);
    a = call(&s, "/temporal.api.operatorservice.v1.OperatorService/ListSearchAttributes",
             "default");
    assert_status(a, 0);
    assert_non_null(memmem(a->body, a->body_len, "\x0a\x09\x0a\x05Level\x10\x03", 11));
    api(s.d, 400, "PUT", "/api/v1/namespaces/default",
        "{'settings':{'searchAttributes':{'Team':'keyword'}}}");
    close_stage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(an_upstream_defines_the_attributes),
        E2E_TEST(requests_wait_for_the_same_answer),
        E2E_TEST(without_an_answer_everything_is_valid),
        E2E_TEST(the_server_ends_while_requests_wait),
        E2E_TEST(a_namespace_can_define_attributes_itself),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
