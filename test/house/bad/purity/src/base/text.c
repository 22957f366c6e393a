/* SPDX-License-Identifier: Apache-2.0 */
/* Formats into fixed space, which the core may do. */
#include <stdio.h>

#include "base/base.h"

int text_write(char *text, unsigned long size, int n)
{
    return snprintf(text, size, "%d", n);
}
