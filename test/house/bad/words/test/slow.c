/* SPDX-License-Identifier: Apache-2.0 */
/* FIXME */
void slow(void)
{
    usleep(1000);
    srand(7);
}
