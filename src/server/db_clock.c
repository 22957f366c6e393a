/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Narrows the offset to the clock of the database server with each sample.
 */
#include "server/db_clock.h"

void db_clock_sample(struct db_clock *db_clock, int64_t before_us, instant server,
                     int64_t after_us)
{
    span earliest = server - after_us, latest = server - before_us;

    /*
     * A larger lower bound is closer to the truth.  An offset above the upper bound means that
     * one of the clocks was stepped or drifts.
     */
    if (!db_clock->is_known || earliest > db_clock->offset || latest < db_clock->offset)
        db_clock->offset = earliest;
    db_clock->is_known = true;
}
