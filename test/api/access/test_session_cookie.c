/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding and printing the cookie of a session.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/access/session_cookie.h"

/* Finds the cookie in these fields; "none" if there is none. */
static const char *found_in(const char *port, const char *const *cookies, int count)
{
    static char text[256];
    struct http1_request request = {.port = str_of(port)};
    struct str found;

    request.fields[request.field_count++] = (struct http1_field){STR("Accept"), STR("a=b")};
    for (int i = 0; i < count; i++)
        request.fields[request.field_count++] = (struct http1_field){
            i % 2 == 0 ? STR("Cookie") : STR("cookie"), str_of(cookies[i])};
    if (!session_cookie_find(&request, &found))
        return "none";
    snprintf(text, sizeof text, "%.*s", STR_ARG(found));
    return text;
}

#define FOUND(port, ...)                               \
    found_in(port, (const char *const[]){__VA_ARGS__}, \
             sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* RFC 6265, section 5.4: pairs are separated by "; ". */
static void the_cookie_is_found_among_others(void **state)
{
    (void)state;
    assert_string_equal(FOUND("", "belfry_session=x"), "x");
    assert_string_equal(FOUND("", "a=b; belfry_session=x_y; c=d"), "x_y");
    assert_string_equal(FOUND("", "a=b;belfry_session=x"), "x");
    assert_string_equal(FOUND("", "belfry_session="), "");
    assert_string_equal(FOUND("", "belfry_session=a; belfry_session=b"), "a");
}

/* RFC 9113, section 8.2.3. */
static void http2_may_split_the_field(void **state)
{
    (void)state;
    assert_string_equal(FOUND("", "a=b", "belfry_session=x"), "x");
    assert_string_equal(FOUND("7", "a=b", "c=d", "e; belfry_session_7=x"), "x");
}

static void another_name_or_port_is_another_cookie(void **state)
{
    (void)state;
    assert_string_equal(FOUND("", "belfry_session_7227=x"), "none");
    assert_string_equal(FOUND("7227", "belfry_session=x"), "none");
    assert_string_equal(FOUND("7227", "belfry_session_72270=x"), "none");
    assert_string_equal(FOUND("7227", "belfry_session_722=x"), "none");
    assert_string_equal(FOUND("7227", "belfry_session_722=x; belfry_session_7227=y"), "y");
    assert_string_equal(FOUND("", "xbelfry_session=x"), "none");
    assert_string_equal(FOUND("", "Belfry_session=x"), "none");
    assert_string_equal(FOUND("", "belfry_session"), "none");
    assert_string_equal(FOUND("", ""), "none");
    assert_string_equal(FOUND("", ";;; ;"), "none");
}

static const char *printed(const char *port, const struct session_cookie *cookie)
{
    static char text[SESSION_COOKIE_MAX];
    struct http1_request request = {.port = str_of(port)};
    struct buf out = BUF(text);

    session_cookie_print(&request, cookie, &out);
    assert_false(out.cut);
    return text;
}

static void scripts_and_other_sites_cannot_use_the_cookie(void **state)
{
    (void)state;
    assert_string_equal(printed("", &(struct session_cookie){.text = STR("x_y"), .age_s = 60}),
                        "belfry_session=x_y; Path=/; Max-Age=60; HttpOnly; SameSite=Strict");
    assert_string_equal(
        printed("8443",
                &(struct session_cookie){.text = STR("x"), .age_s = 43200, .is_secure = true}),
        "belfry_session_8443=x; Path=/; Max-Age=43200; HttpOnly; "
        "SameSite=Strict; Secure");
}

static void an_empty_cookie_ends_at_once(void **state)
{
    (void)state;
    assert_string_equal(printed("", &(struct session_cookie){.age_s = 60}),
                        "belfry_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cookie_is_found_among_others),
        cmocka_unit_test(http2_may_split_the_field),
        cmocka_unit_test(another_name_or_port_is_another_cookie),
        cmocka_unit_test(scripts_and_other_sites_cannot_use_the_cookie),
        cmocka_unit_test(an_empty_cookie_ends_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
