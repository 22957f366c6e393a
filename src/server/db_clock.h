/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock of the database server: the monotonic clock of this machine plus an offset that
 * never lets it run ahead of the server, so that no node starts a run before its time.  Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/instant.h"

struct db_clock {
    bool is_known;
    span offset;
};

/* The clock of the server showed `server` between two readings of clock_boot_us(). */
void db_clock_sample(struct db_clock *db_clock, int64_t before_us, instant server,
                     int64_t after_us);
