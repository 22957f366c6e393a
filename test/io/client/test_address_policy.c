/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expected classes are from IANA's registries of special purpose addresses (RFC 6890 and its
 * updates) and from the documentation of clouds about their metadata services.
 */
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "io/client/address_policy.h"

static struct address addr(const char *text, uint16_t port)
{
    struct address ret;

    assert_true(address_read(text, port, &ret));
    return ret;
}

static struct address_net net(const char *text)
{
    struct address_net ret;
    struct err err;

    assert_int_equal(address_net_parse(str_of(text), &ret, &err), RC_OK);
    return ret;
}

static const struct {
    const char *text;
    enum address_class class;
} known[] = {
    {"0.0.0.0", ADDRESS_UNSPECIFIED},
    {"0.255.255.255", ADDRESS_UNSPECIFIED},
    {"1.0.0.0", ADDRESS_PUBLIC},
    {"8.8.8.8", ADDRESS_PUBLIC},
    {"9.255.255.255", ADDRESS_PUBLIC},
    {"10.0.0.0", ADDRESS_PRIVATE},
    {"10.255.255.255", ADDRESS_PRIVATE},
    {"11.0.0.0", ADDRESS_PUBLIC},
    {"100.63.255.255", ADDRESS_PUBLIC},
    {"100.64.0.0", ADDRESS_PRIVATE},
    {"100.127.255.255", ADDRESS_PRIVATE},
    {"100.128.0.0", ADDRESS_PUBLIC},
    {"100.100.100.200", ADDRESS_METADATA},
    {"126.255.255.255", ADDRESS_PUBLIC},
    {"127.0.0.1", ADDRESS_LOOPBACK},
    {"127.255.255.255", ADDRESS_LOOPBACK},
    {"128.0.0.0", ADDRESS_PUBLIC},
    {"168.63.129.16", ADDRESS_METADATA},
    {"168.63.129.17", ADDRESS_PUBLIC},
    {"169.253.255.255", ADDRESS_PUBLIC},
    {"169.254.0.0", ADDRESS_LINK_LOCAL},
    {"169.254.169.254", ADDRESS_LINK_LOCAL},
    {"169.255.0.0", ADDRESS_PUBLIC},
    {"172.15.255.255", ADDRESS_PUBLIC},
    {"172.16.0.0", ADDRESS_PRIVATE},
    {"172.31.255.255", ADDRESS_PRIVATE},
    {"172.32.0.0", ADDRESS_PUBLIC},
    {"192.0.0.192", ADDRESS_RESERVED},
    {"192.0.1.0", ADDRESS_PUBLIC},
    {"192.0.2.1", ADDRESS_RESERVED},
    {"192.88.99.1", ADDRESS_TUNNEL},
    {"192.168.0.1", ADDRESS_PRIVATE},
    {"192.169.0.0", ADDRESS_PUBLIC},
    {"198.17.255.255", ADDRESS_PUBLIC},
    {"198.18.0.0", ADDRESS_RESERVED},
    {"198.19.255.255", ADDRESS_RESERVED},
    {"198.20.0.0", ADDRESS_PUBLIC},
    {"198.51.100.1", ADDRESS_RESERVED},
    {"203.0.113.9", ADDRESS_RESERVED},
    {"223.255.255.255", ADDRESS_PUBLIC},
    {"224.0.0.1", ADDRESS_MULTICAST},
    {"239.255.255.255", ADDRESS_MULTICAST},
    {"240.0.0.0", ADDRESS_RESERVED},
    {"255.255.255.255", ADDRESS_RESERVED},
    {"::", ADDRESS_UNSPECIFIED},
    {"::1", ADDRESS_LOOPBACK},
    {"::2", ADDRESS_TUNNEL},
    {"::127.0.0.1", ADDRESS_TUNNEL},
    {"::ffff:127.0.0.1", ADDRESS_LOOPBACK},
    {"::ffff:a9fe:a9fe", ADDRESS_LINK_LOCAL},
    {"::ffff:10.1.2.3", ADDRESS_PRIVATE},
    {"::ffff:8.8.8.8", ADDRESS_PUBLIC},
    {"::ffff:0:127.0.0.1", ADDRESS_TUNNEL},
    {"64:ff9b::7f00:1", ADDRESS_TUNNEL},
    {"64:ff9b::8.8.8.8", ADDRESS_TUNNEL},
    {"64:ff9b:1::1", ADDRESS_TUNNEL},
    {"100::1", ADDRESS_RESERVED},
    {"2001::1", ADDRESS_TUNNEL},
    {"2001:0:4136:e378:8000:63bf:3fff:fdd2", ADDRESS_TUNNEL},
    {"2001:2::1", ADDRESS_RESERVED},
    {"2001:10::1", ADDRESS_RESERVED},
    {"2001:20::1", ADDRESS_RESERVED},
    {"2001:db8::1", ADDRESS_RESERVED},
    {"2001:4860:4860::8888", ADDRESS_PUBLIC},
    {"2002:7f00:1::1", ADDRESS_TUNNEL},
    {"2606:4700::1111", ADDRESS_PUBLIC},
    {"3fff::1", ADDRESS_RESERVED},
    {"3fff:1000::1", ADDRESS_PUBLIC},
    {"4000::1", ADDRESS_RESERVED},
    {"5f00::1", ADDRESS_RESERVED},
    {"fc00::1", ADDRESS_PRIVATE},
    {"fd12:3456::1", ADDRESS_PRIVATE},
    {"fd00:ec2::254", ADDRESS_METADATA},
    {"fe80::1", ADDRESS_LINK_LOCAL},
    {"febf::1", ADDRESS_LINK_LOCAL},
    {"fec0::1", ADDRESS_RESERVED},
    {"ff02::1", ADDRESS_MULTICAST},
};

static void every_special_range_has_its_class(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct address a = addr(known[i].text, 80);

        if (address_class_of(&a) != known[i].class)
            fail_msg("%s is classified as %s", known[i].text,
                     address_class_text(address_class_of(&a)));
    }
}

static void only_what_is_public_is_permitted_by_default(void **state)
{
    static const char *const refused[] = {
        "127.0.0.1", "10.0.0.1", "169.254.169.254", "0.0.0.0", "224.0.0.1", "192.0.2.1",
        "::1",       "fd00::1",  "fe80::1",         "::",      "ff02::1",   "2002:7f00:1::",
    };
    struct address_policy policy = {0};
    struct address a;

    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        a = addr(refused[i], 80);
        assert_false(address_policy_permits(&policy, &a));
    }
    a = addr("8.8.8.8", 80);
    assert_true(address_policy_permits(&policy, &a));
    a = addr("2606:4700::1111", 80);
    assert_true(address_policy_permits(&policy, &a));
}

static void loopback_and_private_networks_are_permitted_separately(void **state)
{
    struct address_policy loopback = {.allows_loopback = true};
    struct address_policy private = {.allows_private = true};
    struct address here = addr("::ffff:127.0.0.1", 80), near = addr("10.0.0.1", 80);
    struct address metadata = addr("169.254.169.254", 80), amazon = addr("fd00:ec2::254", 80);

    (void)state;
    assert_true(address_policy_permits(&loopback, &here));
    assert_false(address_policy_permits(&loopback, &near));
    assert_false(address_policy_permits(&private, &here));
    assert_true(address_policy_permits(&private, &near));
    assert_false(address_policy_permits(&private, &metadata));
    assert_false(address_policy_permits(&private, &amazon));
}

static void a_listed_network_is_permitted_unless_it_is_denied(void **state)
{
    struct address_net allow[] = {net("127.0.0.0/8"), net("[fd00::/9]:443")};
    struct address_net deny[] = {net("127.0.0.1:7227"), net("8.8.8.0/24")};
    struct address_policy policy = {
        .allow = allow, .allow_count = 2, .deny = deny, .deny_count = 2};
    static const struct {
        const char *text;
        uint16_t port;
        bool is_open;
    } cases[] = {
        {"127.0.0.1", 80, true},      {"127.255.255.255", 1, true}, {"127.0.0.1", 7227, false},
        {"127.0.0.2", 7227, true},    {"fd7f::1", 443, true},       {"fd80::1", 443, false},
        {"fd00::1", 80, false},       {"8.8.8.8", 443, false},      {"8.8.9.8", 443, true},
        {"::ffff:8.8.8.8", 1, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct address a = addr(cases[i].text, cases[i].port);

        if (address_policy_permits(&policy, &a) != cases[i].is_open)
            fail_msg("%s port %d", cases[i].text, cases[i].port);
    }
}

static void the_address_of_a_socket_is_read_in_both_families(void **state)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET,
                             .sin_port = htons(81),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 v6 = {
        .sin6_family = AF_INET6, .sin6_port = htons(82), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr other = {.sa_family = AF_UNIX};
    struct address a;
    char text[64];
    struct buf out = BUF(text);

    (void)state;
    assert_true(address_of((struct sockaddr *)&v4, &a));
    assert_int_equal(a.port, 81);
    address_print(&a, &out);
    assert_string_equal(text, "127.0.0.1");
    assert_true(address_of((struct sockaddr *)&v6, &a));
    assert_int_equal(a.port, 82);
    out = BUF(text);
    address_print(&a, &out);
    assert_string_equal(text, "::1");
    assert_false(address_of(&other, &a));
}

static void invalid_networks_are_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "/8",
        "10.0.0.0/33",
        "10.0.0.0/",
        "10.0.0.0/x",
        "10.0.0.0/8 ",
        "10.0.0.1/8",
        "10.0.0/8",
        "0x7f.1",
        "127.1",
        "fd00::/129",
        "fd00::1/8",
        "[fd00::",
        "[fd00::]443",
        "[fd00::]:",
        "[fd00::]:0",
        "[::1]:65536",
        "10.0.0.0/8:",
        "10.0.0.0/8:-1",
        "localhost",
        "::1%lo",
        "10.0.0.0/-1",
        "10.0.0.0/8/8",
        "[10.0.0.1",
        "example.org:80",
    };
    struct address_net untouched, before;
    struct err err;

    (void)state;
    memset(&untouched, 7, sizeof untouched);
    before = untouched;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (address_net_parse(str_of(bad[i]), &untouched, &err) != RC_INVALID)
            fail_msg("`%s` was accepted", bad[i]);
    assert_memory_equal(&untouched, &before, sizeof before);
    assert_int_equal(net("[10.0.0.1]:80").bits, 128);
    assert_int_equal(net("0.0.0.0/0").bits, 96);
    assert_int_equal(net("::/0").bits, 0);
    assert_int_equal(net("10.0.0.0/8:443").port, 443);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_special_range_has_its_class),
        cmocka_unit_test(only_what_is_public_is_permitted_by_default),
        cmocka_unit_test(loopback_and_private_networks_are_permitted_separately),
        cmocka_unit_test(a_listed_network_is_permitted_unless_it_is_denied),
        cmocka_unit_test(the_address_of_a_socket_is_read_in_both_families),
        cmocka_unit_test(invalid_networks_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
