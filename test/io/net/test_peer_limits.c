/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses of peers, and the count of their connections.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <netinet/in.h>
#include <sys/un.h>

#include "base/aborts.h"
#include "io/net/peer_limits.h"

static struct peer peer(const char *text)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    struct peer ret;

    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1) {
        assert_true(peer_of((struct sockaddr *)&v4, &ret));
    } else {
        assert_int_equal(inet_pton(AF_INET6, text, &v6.sin6_addr), 1);
        assert_true(peer_of((struct sockaddr *)&v6, &ret));
    }
    return ret;
}

static void a_peer_is_printed_as_people_write_it(void **state)
{
    static const char *const texts[] = {"192.0.2.7", "127.0.0.1", "::1", "2001:db8::a:0:0:7"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct peer one = peer(texts[i]);
        char text[64];
        struct buf out = BUF(text);

        peer_print(&one, &out);
        assert_string_equal(text, texts[i]);
    }
}

static void loopback_addresses_are_recognized(void **state)
{
    static const struct {
        const char *text;
        bool is_own;
    } rows[] = {{"127.0.0.1", true}, {"127.9.9.9", true}, {"126.0.0.1", false},
                {"::1", true},       {"::2", false},      {"7f00::1", false}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct peer one = peer(rows[i].text);

        assert_int_equal(peer_is_loopback(&one), rows[i].is_own);
    }
}

static void a_unix_socket_has_no_peer_address(void **state)
{
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    struct peer one;

    (void)state;
    assert_false(peer_of((struct sockaddr *)&local, &one));
}

static void each_address_has_a_count_of_its_own(void **state)
{
    struct peer_limits *peers = peer_limits_new();
    struct peer one = peer("192.0.2.7"), other = peer("192.0.2.8"), six = peer("c000:207::");

    (void)state;
    assert_true(peer_limits_add(peers, &one, 2));
    assert_true(peer_limits_add(peers, &one, 2));
    assert_false(peer_limits_add(peers, &one, 2));
    assert_true(peer_limits_add(peers, &other, 1));
    assert_true(peer_limits_add(peers, &six, 1));
    peer_limits_remove(peers, &one);
    assert_true(peer_limits_add(peers, &one, 2));
    assert_false(peer_limits_add(peers, &one, 2));
    peer_limits_remove(peers, &other);
    assert_true(peer_limits_add(peers, &other, 1));
    peer_limits_free(peers);
}

/* Each is an IPv4 address and a network whose bytes include those of the address. */
static void an_ipv4_address_shares_no_count_with_a_network(void **state)
{
    struct peer_limits *peers = peer_limits_new();
    struct peer address = peer("32.1.13.184");
    struct peer networks[] = {peer("2001:db8:ffff::1"), peer("2001:db8::1"),
                              peer("::2001:db8:0:0:1"), peer("0:ffff:2001:db8::1"),
                              peer("::ffff:2001:db8")};

    (void)state;
    assert_true(peer_limits_add(peers, &address, 1));
    for (size_t i = 0; i < sizeof networks / sizeof networks[0]; i++)
        peer_limits_add(peers, &networks[i], 1);
    peer_limits_remove(peers, &address);
    for (size_t i = 0; i < sizeof networks / sizeof networks[0]; i++)
        assert_false(peer_limits_add(peers, &networks[i], 1));
    assert_true(peer_limits_add(peers, &address, 1));
    peer_limits_free(peers);
}

static void an_ipv6_64_prefix_is_one_peer(void **state)
{
    struct peer_limits *peers = peer_limits_new();
    struct peer one = peer("2001:db8:0:1::1"), same = peer("2001:db8:0:1:ffff::2");
    struct peer other = peer("2001:db8:0:2::1");

    (void)state;
    assert_true(peer_limits_add(peers, &one, 1));
    assert_false(peer_limits_add(peers, &same, 1));
    assert_true(peer_limits_add(peers, &other, 1));
    peer_limits_free(peers);
}

static void remove_unknown(void *peers)
{
    struct peer one = peer("192.0.2.7");

    peer_limits_remove(peers, &one);
}

static void removing_an_unknown_peer_aborts(void **state)
{
    struct peer_limits *peers = peer_limits_new();

    (void)state;
    assert_true(aborts(remove_unknown, peers));
    peer_limits_free(peers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_peer_is_printed_as_people_write_it),
        cmocka_unit_test(loopback_addresses_are_recognized),
        cmocka_unit_test(a_unix_socket_has_no_peer_address),
        cmocka_unit_test(each_address_has_a_count_of_its_own),
        cmocka_unit_test(an_ipv4_address_shares_no_count_with_a_network),
        cmocka_unit_test(an_ipv6_64_prefix_is_one_peer),
        cmocka_unit_test(removing_an_unknown_peer_aborts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
