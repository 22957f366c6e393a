/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses that need no name server: RFC 6761 reserves "localhost" for this machine.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "io/client/address_lookup.h"
#include "io/client/address_policy.h"

static void localhost_has_loopback_addresses(void **state)
{
    struct lookup_answer answer = {0};
    struct address addr = {0};

    (void)state;
    assert_true(address_lookup(NULL, "localhost", &answer));
    assert_string_equal(answer.text, "");
    assert_true(answer.address_count > 0);
    for (int i = 0; i < answer.address_count; i++) {
        memcpy(addr.bytes, answer.addresses[i], sizeof addr.bytes);
        assert_int_equal(address_class_of(&addr), ADDRESS_LOOPBACK);
    }
}

/* A label has at most 63 bytes (RFC 1035): no name server is needed to reject it. */
static void a_name_that_cannot_exist_is_an_answer(void **state)
{
    struct lookup_answer answer = {0};
    char name[80];

    (void)state;
    memset(name, 'a', sizeof name);
    name[sizeof name - 1] = '\0';
    assert_true(address_lookup(NULL, name, &answer));
    assert_int_equal(answer.address_count, 0);
    assert_non_null(strstr(answer.text, "does not exist"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(localhost_has_loopback_addresses),
        cmocka_unit_test(a_name_that_cannot_exist_is_an_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
