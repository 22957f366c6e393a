/* SPDX-License-Identifier: Apache-2.0 */
char *twice(const char *text)
{
    return getenv("HOME") ? strdup(text) : 0;
}
