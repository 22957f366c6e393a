/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one file that reads the clock.
 */
#include <time.h>

#include "base/err.h"

long clock_seconds(void)
{
    return (long)time(NULL);
}
