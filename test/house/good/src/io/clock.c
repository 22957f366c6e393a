/* SPDX-License-Identifier: Apache-2.0 */
#include <time.h>

#include "base/err.h"

long clock_seconds(void)
{
    return (long)time(NULL);
}
