/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports a broken invariant on standard error and ends the process.
 */
#include "base/must.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void must_fail(const char *what, const char *file, int line)
{
    fprintf(stderr, "belfry: broken invariant: %s (%s:%d)\n", what, file, line);
    abort();
}
