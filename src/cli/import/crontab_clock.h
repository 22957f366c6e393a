/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When cron(8) would start a line: a second reading of crontab(5), which shares nothing with
 * src/core but the tables of time zones, so that one proves the other.
 *
 * It goes as the daemon does, minute by minute.  Where the clock was set forward by less than
 * three hours, lines without a star in minute or hour that fell into the gap are started right
 * after it; where it was set back, they are not started again.  Others follow the wall clock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "core/time/tz.h"

struct crontab_clock {
    uint64_t minute;
    uint32_t hour, day, month, weekday; /* bit n: n; weekday 0 is Sunday */
    bool is_wild;                       /* minute or hour begins with a star */
    bool day_starred, weekday_starred;
};

/* Five fields, or @daily and its like but for @reboot; false: it is none. */
bool crontab_clock_read(struct str when, struct crontab_clock *ret);

/*
 * Seconds since 1970 of the next starts after `after`, up to and with `until`; how many there
 * are, at most `max`.
 */
int crontab_clock_next(const struct crontab_clock *clock, const struct tz *tz, int64_t after,
                       int64_t until, int64_t *ret, int max);
