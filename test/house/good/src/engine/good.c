/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of the engine with must().
 */
#include "base/must.h"

int good_step(int runs)
{
    must(runs >= 0);
    return runs + 1;
}
