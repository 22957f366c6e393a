/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States what would be a lost run.
 */
#include "base/must.h"

int good_step(int runs)
{
    must(runs >= 0);
    return runs + 1;
}
