/* SPDX-License-Identifier: Apache-2.0 */
#include "server/db_clock.h"

void lag_sample(struct lag *lag, int64_t before_us, instant server, int64_t after_us)
{
    span least = server - after_us, most = server - before_us;

    /* Beyond what the sample allows, the server's clock was stepped or runs otherwise. */
    if (!lag->is_known || least > lag->offset || most < lag->offset)
        lag->offset = least;
    lag->is_known = true;
}
