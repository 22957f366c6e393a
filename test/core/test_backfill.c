/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scenario 50 and every capacity vector of vectors/temporal-policy.json.
 */
#include "core/backfill.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <jansson.h>

static int number(const json_t *vector, const char *name)
{
    return (int)json_integer_value(json_object_get(vector, name));
}

static void scenario_50_every_capacity_vector(void **state)
{
    const char *dir = getenv("BELFRY_VECTORS");
    char path[400];
    json_t *root, *vector;
    size_t i;

    (void)state;
    snprintf(path, sizeof path, "%s/temporal-policy.json", dir ? dir : "test/data/vectors");
    root = json_load_file(path, 0, NULL);
    assert_non_null(root);
    assert_true(json_array_size(json_object_get(root, "backfillCapacityVectors")) > 0);
    json_array_foreach(json_object_get(root, "backfillCapacityVectors"), i, vector)
    {
        assert_int_equal(
            backfill_capacity(number(vector, "maxBuffer"), number(vector, "buffered"),
                              number(vector, "retained"), number(vector, "reserve"),
                              number(vector, "backfillers")),
            number(vector, "expect"));
    }
    json_decref(root);
}

static void a_full_buffer_has_no_room_for_any_reserve(void **state)
{
    (void)state;
    assert_int_equal(backfill_capacity(1000, 1000, 10, 0, 1), 0);
    assert_int_equal(backfill_capacity(0, 0, 10, 50, 1), 0);
    assert_int_equal(backfill_capacity(1000, 0, 10, 50, 0), 450); /* 0 counts as 1 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenario_50_every_capacity_vector),
        cmocka_unit_test(a_full_buffer_has_no_room_for_any_reserve),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
