/* SPDX-License-Identifier: Apache-2.0 */
static void it_runs(void **state)
{
}

static void it_is_not_listed(void **state)
{
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_runs),
        /* cmocka_unit_test(it_is_not_listed), */
    };
}
