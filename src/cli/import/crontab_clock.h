/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes when cron(8) would start a line: a second implementation of crontab(5) that shares
 * only the time zone tables with src/core, so that each can verify the other.
 *
 * Around a clock change it steps minute by minute, as cron does.  When the clock moves forward
 * by less than three hours, lines without a star in minute or hour that fall into the gap are
 * started right after it; when it moves back, they are not started again.  Other lines follow
 * the wall clock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "core/time/tz.h"

struct crontab_clock {
    uint64_t minute;
    uint32_t hour, day, month, weekday; /* bit n is value n; weekday 0 is Sunday */
    bool has_star;                      /* minute or hour begins with a star */
    bool day_starred, weekday_starred;
};

/* Reads five fields, or a nickname such as @daily except @reboot; false if invalid. */
bool crontab_clock_read(struct str when, struct crontab_clock *ret);

/*
 * Stores the next starts after `after` up to and including `until`, in seconds since 1970;
 * returns how many, at most `max`.
 */
int crontab_clock_next(const struct crontab_clock *clock, const struct tz *tz, int64_t after,
                       int64_t until, int64_t *ret, int max);
