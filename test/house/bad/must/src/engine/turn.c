/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One call in 53 lines of code is not enough; must() in a comment does not count.
 */
#include "base/must.h"

#define STEP(x) x++

_Static_assert(sizeof(int) == 4, "must(0) in a literal does not count either");

int turn(int x)
{
    must(x > 0); /* must(x) */
    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);

    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);

    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);

    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);

    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);
    STEP(x);

    return x;
}
