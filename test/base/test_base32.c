/* SPDX-License-Identifier: Apache-2.0 */
/* Expected values: the alphabet of Crockford's base 32 and the contract in base/base32.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "base/base32.h"

/* Crockford's alphabet in lower case: https://www.crockford.com/base32.html */
static const char crockford[] = "0123456789abcdefghjkmnpqrstvwxyz";

static void the_letters_are_those_of_crockford(void **state)
{
    (void)state;
    for (int c = -128; c < 128; c++) {
        const char *at = memchr(crockford, c, 32);

        assert_int_equal(base32_value((char)c), at ? at - crockford : -1);
    }
    for (uint64_t i = 0; i < 32; i++)
        assert_int_equal(base32_letter(i + 32 * 7), crockford[i]);
}

static void the_most_significant_letter_comes_first(void **state)
{
    char text[14] = "-------------";

    (void)state;
    base32_put(UINT64_C(1) << 60 | 31 << 5 | 10, 13, text);
    assert_string_equal(text, "10000000000za");
    base32_put(32 * 32 + 1, 2, text);
    assert_string_equal(text, "01000000000za");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_letters_are_those_of_crockford),
        cmocka_unit_test(the_most_significant_letter_comes_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
