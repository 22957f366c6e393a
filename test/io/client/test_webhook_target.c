/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host and port of URLs.  The addresses of numbers follow inet_aton(3), as in libcurl.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "io/client/webhook_target.h"

static void the_host_and_the_port_of_a_url(void **state)
{
    static const struct {
        const char *url, *host;
        uint16_t port;
    } cases[] = {
        {"http://example.com", "example.com", 80},
        {"https://example.com/a?b#c", "example.com", 443},
        {"http://example.com:8080/", "example.com", 8080},
        {"http://[2001:db8::1]:81/", "2001:db8::1", 81},
        {"http://127.0.0.1/", "127.0.0.1", 80},
        {"http://0x7f000001/", "127.0.0.1", 80},
        {"http://2130706433:9/", "127.0.0.1", 9},
        {"http://127.1/", "127.0.0.1", 80},
        {"http://017700000001/", "127.0.0.1", 80},
    };
    struct webhook_target target;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(webhook_target(str_of(cases[i].url), &target));
        assert_string_equal(target.host, cases[i].host);
        assert_int_equal(target.port, cases[i].port);
    }
}

static void other_texts_have_no_target(void **state)
{
    struct webhook_target target;
    char url[512] = "http://";

    (void)state;
    assert_false(webhook_target(STR(""), &target));
    assert_false(webhook_target(STR("example.com"), &target));
    assert_false(webhook_target(STR("http://user@example.com/"), &target));
    assert_false(webhook_target(STR("http://${input.host}/"), &target));
    memset(url + strlen(url), 'a', 300); /* longer than a name */
    assert_false(webhook_target(str_of(url), &target));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_host_and_the_port_of_a_url),
        cmocka_unit_test(other_texts_have_no_target),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
