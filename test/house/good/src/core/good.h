/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declarations that look like violations, but are not.
 */
#pragma once

#include "base/err.h"
#include "core/limits.h"

struct good {
    int (*time)(int a, int b, int c, int d, int e, int f, int g);
    int runtime;
};

/* Six parameters: the maximum. */
int good_set(int a, int b, int c, int d, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

_Static_assert(sizeof(int) == 4, "it, has, no, parameters, for, all, its, commas");
