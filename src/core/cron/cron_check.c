/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks whether a stored struct cron is one that a parser could have made.  Pure.
 */
#include "core/cron/cron.h"

#define BITS(n) ((UINT64_C(1) << (n)) - 1)

enum { MINUTE_MS = 60000 };

static bool has_only(uint64_t bits, uint64_t allowed)
{
    return (bits & ~allowed) == 0;
}

static bool years_are_valid(const struct cron *cron)
{
    const int last = CRON_YEAR_MAX - CRON_YEAR_MIN;

    if (cron->flags & CRON_ANY_YEAR)
        return true;
    return has_only(cron->year[3], BITS(last % 64 + 1));
}

/* The seconds that contain at least one member of a part. */
static uint64_t seconds_of(const struct cron_part *part)
{
    uint64_t seconds = 0;

    for (int32_t ms = part->from; ms <= part->to; ms += part->step > 0 ? part->step : MINUTE_MS)
        seconds |= UINT64_C(1) << ms / 1000;
    return seconds;
}

static bool parts_are_valid(const struct cron *cron)
{
    uint64_t seconds = 0;

    if (!(cron->flags & CRON_FRACTION))
        return cron->parts == 0;
    if (cron->parts < 1 || cron->parts > CRON_PARTS_MAX)
        return false;
    for (int i = 0; i < cron->parts; i++) {
        const struct cron_part *part = &cron->part[i];

        if (part->from < 0 || part->to < part->from || part->to >= MINUTE_MS ||
            part->step < 0 || part->step > MINUTE_MS)
            return false;
        seconds |= seconds_of(part);
    }
    return seconds == cron->second;
}

bool cron_is_valid(const struct cron *cron)
{
    uint8_t flags = CRON_DAY_AND | CRON_INTERVAL | CRON_ANY_YEAR | CRON_FRACTION;
    bool ok = has_only(cron->flags, flags) && cron->second != 0 && cron->minute != 0 &&
              cron->hour != 0 && cron->month != 0;

    ok = ok && has_only(cron->second, BITS(60)) && has_only(cron->minute, BITS(60)) &&
         has_only(cron->hour, BITS(24)) && has_only(cron->day, BITS(32) - 1) &&
         has_only(cron->last, BITS(31)) && has_only(cron->last_near, BITS(31)) &&
         has_only(cron->near, BITS(32) - 1) && has_only(cron->month, BITS(13) - 1) &&
         has_only(cron->weekday, BITS(7));
    for (int i = 0; i < 6; i++)
        ok = ok && has_only(cron->nth[i], BITS(7));
    return ok && years_are_valid(cron) && parts_are_valid(cron);
}
