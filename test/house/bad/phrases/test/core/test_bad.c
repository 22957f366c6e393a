/* SPDX-License-Identifier: Apache-2.0 */
static void the_end_is_told_to_whoever_asks(void **state)
{
    (void)state; /* they were told */
}
