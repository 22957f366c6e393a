/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests addresses of listeners.  Expected values: the contract in
 * server/config/config_address.h, and RFC 5952 for IPv6 text.
 */
#include "server/config/config_address.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void check_good(const char *text, const char *expected, bool is_loopback)
{
    struct config_addresses list = {.count = 0};
    char shown[200];
    struct buf out = BUF(shown);
    struct err err;

    if (config_address_add(str_of(text), &list, &err) != RC_OK)
        fail_msg("%s: %s", text, err.text);
    for (int i = 0; i < list.count; i++) {
        buf_text(&out, i > 0 ? " " : "");
        config_address_format(&list.list[i], &out);
        assert_int_equal(list.list[i].is_loopback, is_loopback);
        assert_int_equal(list.list[i].is_v6, strchr(list.list[i].host, ':') != NULL);
    }
    assert_string_equal(shown, expected);
    assert_int_equal(config_address_exposed(&list) == NULL, is_loopback);
}

static void addresses_are_read_and_written(void **state)
{
    (void)state;
    check_good("127.0.0.1:7227", "127.0.0.1:7227", true);
    check_good("127.1.2.3:1", "127.1.2.3:1", true);
    check_good("0.0.0.0:65535", "0.0.0.0:65535", false);
    check_good("192.0.2.7:0", "192.0.2.7:0", false);
    check_good("[::1]:7227", "[::1]:7227", true);
    check_good("[0:0:0:0:0:0:0:1]:80", "[::1]:80", true);
    check_good("[::]:80", "[::]:80", false);
    check_good("[2001:DB8::A]:80", "[2001:db8::a]:80", false);
    check_good("[::ffff:127.0.0.1]:80", "[::ffff:127.0.0.1]:80", true);
    check_good("[::ffff:10.0.0.1]:80", "[::ffff:10.0.0.1]:80", false);
    check_good("7227", "127.0.0.1:7227 [::1]:7227", true);
    check_good("0", "127.0.0.1:0 [::1]:0", true);
    check_good("LocalHost:7227", "127.0.0.1:7227 [::1]:7227", true);
}

static void check_bad(const char *text, int at, const char *part)
{
    struct config_addresses list = {.count = 3};
    struct err err;

    assert_int_equal(config_address_add(str_of(text), &list, &err), RC_INVALID);
    if (!strstr(err.text, part))
        fail_msg("%s: %s", text, err.text);
    assert_int_equal(err.at, at);
    assert_int_equal(list.count, 3);
}

static void invalid_addresses_are_rejected_with_a_hint(void **state)
{
    (void)state;
    check_bad("", 0, "127.0.0.1:7227");
    check_bad("127.0.0.1", 9, "missing port");
    check_bad("127.0.0.1:", 10, "invalid port \"\"; use a number");
    check_bad("127.0.0.1:http", 10, "invalid port \"http\"");
    check_bad("127.0.0.1:65536", 10, "port 65536 is out of range 0-65535");
    check_bad("99999999999999999999", 0, "out of range");
    check_bad("127.0.0.1:+80", 10, "invalid port \"+80\"");
    check_bad(":7227", 0, "0.0.0.0:PORT");
    check_bad("::1:7227", 0, "brackets");
    check_bad("[::1]", 0, "[::1]:7227");
    check_bad("[", 0, "[::1]:7227");
    check_bad("[]:80", 1, "is not an IPv6 address");
    check_bad("[:80", 0, "[::1]:7227");
    check_bad("[::1%lo]:80", 1, "is not an IPv6 address");
    check_bad("[127.0.0.1]:80", 1, "is not an IPv6 address");
    check_bad("127.1:80", 0, "is not an IPv4 address");
    check_bad("127.0.0.01:80", 0, "is not an IPv4 address");
    check_bad("0x7f.0.0.1:80", 0, "is not an IPv4 address");
    check_bad("example.com:80", 0, "is not an IPv4 address");
    check_bad("*:80", 0, "is not an IPv4 address");
}

static void duplicate_and_excess_addresses_are_rejected(void **state)
{
    struct config_addresses list = {.count = 0};
    struct err err;

    (void)state;
    assert_int_equal(config_address_add(STR("[::1]:7227"), &list, &err), RC_OK);
    assert_int_equal(config_address_add(STR("7227"), &list, &err), RC_INVALID);
    assert_string_equal(err.text, "::1 port 7227 appears twice");
    assert_int_equal(list.count, 1);
    assert_int_equal(config_address_add(STR("[::1]:0"), &list, &err), RC_OK);
    assert_int_equal(config_address_add(STR("[::1]:0"), &list, &err), RC_OK);
    while (list.count < CONFIG_ADDRESSES_MAX)
        assert_int_equal(config_address_add(STR("[::1]:0"), &list, &err), RC_OK);
    assert_int_equal(config_address_add(STR("[::1]:0"), &list, &err), RC_LIMIT);
    assert_null(config_address_exposed(&list));
    assert_string_equal(err.text, "too many addresses; the limit is 16");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_read_and_written),
        cmocka_unit_test(invalid_addresses_are_rejected_with_a_hint),
        cmocka_unit_test(duplicate_and_excess_addresses_are_rejected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
