/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds and counts times of day in the bits of their hours, minutes and seconds.
 */
#include "core/rrule/rrule_times.h"

#include "base/bits.h"
#include "core/time/civil.h"

bool rrule_times_are_none(const struct rrule_times *t)
{
    return t->hour == 0 || t->minute == 0 || t->second == 0;
}

int rrule_times_next(const struct rrule_times *t, int tod)
{
    int hour = tod / HOUR_SECONDS, minute = tod / 60 % 60, second = tod % 60;
    uint64_t seconds = t->second & ~UINT64_C(0) << second;
    uint64_t minutes = t->minute & ~UINT64_C(0) << minute;
    uint64_t hours = t->hour & ~UINT64_C(0) << hour;

    if (rrule_times_are_none(t))
        return -1;
    if (!(hours >> hour & 1)) {
        minutes = t->minute;
        seconds = t->second;
    } else if (!(minutes >> minute & 1)) {
        seconds = t->second;
    } else if (!seconds) {
        minutes &= ~bits_upto(minute);
        seconds = t->second;
    }
    if (!minutes) {
        hours &= ~bits_upto(hour);
        minutes = t->minute;
    }
    if (!hours)
        return -1;
    return bits_lowest(hours) * HOUR_SECONDS + bits_lowest(minutes) * 60 + bits_lowest(seconds);
}

int rrule_times_prev(const struct rrule_times *t, int tod)
{
    int hour = tod / HOUR_SECONDS, minute = tod / 60 % 60, second = tod % 60;
    uint64_t seconds = t->second & bits_upto(second);
    uint64_t minutes = t->minute & bits_upto(minute);
    uint64_t hours = t->hour & bits_upto(hour);

    if (rrule_times_are_none(t))
        return -1;
    if (!(hours >> hour & 1)) {
        minutes = t->minute;
        seconds = t->second;
    } else if (!(minutes >> minute & 1)) {
        seconds = t->second;
    } else if (!seconds) {
        minutes &= bits_upto(minute) >> 1;
        seconds = t->second;
    }
    if (!minutes) {
        hours &= bits_upto(hour) >> 1;
        minutes = t->minute;
    }
    if (!hours)
        return -1;
    return bits_highest(hours) * HOUR_SECONDS + bits_highest(minutes) * 60 +
           bits_highest(seconds);
}

int rrule_times_count(const struct rrule_times *t)
{
    return __builtin_popcount(t->hour) * __builtin_popcountll(t->minute) *
           __builtin_popcountll(t->second);
}

static int bit_at(uint64_t bits, int n)
{
    for (; n > 0; n--)
        bits &= bits - 1;
    return bits_lowest(bits);
}

int rrule_times_at(const struct rrule_times *t, int n)
{
    int seconds = __builtin_popcountll(t->second);
    int minutes = __builtin_popcountll(t->minute);

    return bit_at(t->hour, n / seconds / minutes) * HOUR_SECONDS +
           bit_at(t->minute, n / seconds % minutes) * 60 + bit_at(t->second, n % seconds);
}
