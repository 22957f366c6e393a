/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

struct wide;

__attribute__((warn_unused_result)) int seven(int a, int b, int (*c)(int, int), int d, int e,
                                              struct wide *f, int g);

static inline int seven_here(int a, int b, int c, int d, int e, int f, int g)
{
    return a + b + c + d + e + f + g;
}

/* äöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüa */
/* äöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöü */
