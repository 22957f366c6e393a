/* SPDX-License-Identifier: Apache-2.0 */
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_idles),
    };
}
