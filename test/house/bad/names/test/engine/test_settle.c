/* SPDX-License-Identifier: Apache-2.0 */
static void desk_is_found(void **state)
{
    (void)state;
}
int main(void)
{
    desk_is_found(0);
}
