/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host names, set in a namespace of their own; skipped if the kernel permits none.
 */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/host_name.h"

static void check(const char *name, const char *expected)
{
    char text[HOST_NAME_SIZE];

    assert_int_equal(sethostname(name, strlen(name)), 0);
    host_name_read(text);
    assert_string_equal(text, expected);
}

static void a_name_that_is_not_utf8_is_empty(void **state)
{
    (void)state;
    if (unshare(CLONE_NEWUTS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWUTS) != 0)
        skip();
    check("host", "host");
    check("h\xc3\xb6st", "h\xc3\xb6st");
    check("1234567890123456789012345678901234567890123456789012345678901234",
          "1234567890123456789012345678901234567890123456789012345678901234");
    check("h\xffst", "");
    check("h\xc3", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_name_that_is_not_utf8_is_empty)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
