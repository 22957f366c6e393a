/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A test may call what the code of the program may not.
 */
#include <stdlib.h>

#include <cmocka.h>

#include "core/good.h"
#include "helper.h"

static void a_number_is_read(void **state)
{
    (void)state;
    assert_int_equal(strtol("7", NULL, 10), 7);
}
