/* SPDX-License-Identifier: Apache-2.0 */
#include "server/db_clock.h"

void db_clock_sample(struct db_clock *db_clock, int64_t before_us, instant server,
                     int64_t after_us)
{
    span least = server - after_us, most = server - before_us;

    /* Beyond what the sample allows, the server's clock was stepped or runs otherwise. */
    if (!db_clock->is_known || least > db_clock->offset || most < db_clock->offset)
        db_clock->offset = least;
    db_clock->is_known = true;
}
