/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock of a database server as this machine's steady clock plus an offset that is never
 * ahead of it, so that no node starts anything before its time.  Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/instant.h"

struct db_clock {
    bool is_known;
    span offset;
};

/* The server said `server` at some moment between two readings of clock_boot_us(). */
void db_clock_sample(struct db_clock *db_clock, int64_t before_us, instant server,
                     int64_t after_us);
