/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bare bit-mask loop: masks, ctz, constants, a bucket index over the segments of
 * the zone.  See bare_loop.h for what it leaves out.
 */
#include "bare_loop.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum {
    DAY_MINUTES = 1440,
    CYCLE_YEARS = 400,        /* after which the calendar repeats */
    EPOCH_TO_MARCH0 = 719468, /* 0000-03-01 to 1970-01-01 in days */
    FILE_MAX = 65536,
    HEADER_SIZE = 44,
};

static const int64_t ZONE_BASE = -2208988800; /* 1900: where the buckets begin */

struct month {
    uint32_t year;
    uint32_t month; /* 1..12                                     */
    int64_t first;  /* day number of the 1st, 1970-01-01 being 0 */
};

static uint32_t month_days(const struct month *m)
{
    static const uint8_t days[13] = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    uint32_t year = m->year;
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[m->month] + (m->month == 2 && leap ? 1U : 0U);
}

/* The month that contains a day, by the multiplications of Neri and Schneider. */
static struct month month_of(int64_t day, uint32_t *ret_dom)
{
    uint32_t n = 4 * (uint32_t)(day + EPOCH_TO_MARCH0) + 3;
    uint32_t century = n / 146097;
    uint32_t rest = n % 146097 | 3;
    uint64_t product = 2939745ULL * rest;
    uint32_t year = 100 * century + (uint32_t)(product >> 32);
    uint32_t yday = (uint32_t)product / 2939745 / 4;
    uint32_t split = 2141 * yday + 197913;
    uint32_t dom = (split & 0xffff) / 2141 + 1;
    uint32_t late = yday >= 306 ? 1 : 0;
    *ret_dom = dom;
    return (struct month){
        .year = year + late,
        .month = (split >> 16) - 12 * late,
        .first = day - dom + 1,
    };
}

static int64_t first_day(uint32_t year, uint32_t month)
{
    uint32_t early = month <= 2 ? 1 : 0;
    uint32_t y = year - early;
    uint32_t m = month + 12 * early;
    uint32_t leaps = y / 4 - y / 100 + y / 400;
    return (int64_t)(365 * y + leaps + (979 * m - 2919) / 32) - EPOCH_TO_MARCH0;
}

static uint32_t days_of(const struct bare *bare, const struct month *m)
{
    uint32_t weekday = (uint32_t)(m->first + 4) % 7;
    uint32_t valid = (2U << month_days(m)) - 1;
    return bare->day & bare->dow31[weekday] & valid;
}

/* The first day of a later month that matches, as a day number. */
static int64_t next_month(const struct bare *bare, struct month m)
{
    for (uint32_t last = m.year + CYCLE_YEARS; m.year <= last;) {
        uint32_t rest = bare->month & (0U - (2U << m.month));
        if (rest == 0) {
            rest = bare->month;
            m.year++;
        }
        uint32_t month = (uint32_t)__builtin_ctz(rest);
        m = (struct month){.year = m.year, .month = month, .first = first_day(m.year, month)};
        uint32_t days = days_of(bare, &m);
        if (days != 0)
            return m.first + __builtin_ctz(days) - 1;
    }
    return BARE_NEVER;
}

/* The first matching local minute at or after `minute`. */
static int64_t next_local(const struct bare *bare, int64_t minute)
{
    uint64_t day = (uint64_t)minute / DAY_MINUTES;
    uint32_t of_day = (uint32_t)((uint64_t)minute % DAY_MINUTES);
    uint32_t dom;
    struct month m = month_of((int64_t)day, &dom);
    uint32_t days = bare->month >> m.month & 1 ? days_of(bare, &m) : 0;
    if (days >> dom & 1) {
        uint32_t hour = of_day / 60;
        uint64_t minutes = bare->minute >> of_day % 60;
        if ((bare->hour >> hour & 1) && minutes != 0)
            return minute + __builtin_ctzll(minutes);
        uint32_t hours = bare->hour & (0U - (2U << hour));
        if (hours != 0) {
            return (int64_t)day * DAY_MINUTES + __builtin_ctz(hours) * 60 +
                   __builtin_ctzll(bare->minute);
        }
    }
    days &= 0U - (2U << dom);
    int64_t found = days != 0 ? m.first + __builtin_ctz(days) - 1 : next_month(bare, m);
    return found == BARE_NEVER ? BARE_NEVER : found * DAY_MINUTES + bare->first;
}

int64_t bare_next_utc(const void *schedule, int64_t after)
{
    int64_t minute = next_local(schedule, (int64_t)((uint64_t)after / 60) + 1);
    return minute == BARE_NEVER ? BARE_NEVER : minute * 60;
}

static const struct bare_segment *segment_at(const struct bare_zone *zone, int64_t at)
{
    uint64_t bucket = (uint64_t)(at - ZONE_BASE) >> BARE_BUCKET_BITS;
    const struct bare_segment *segment =
        &zone->segment[zone->bucket[bucket < BARE_BUCKETS ? bucket : BARE_BUCKETS - 1]];
    while (at >= segment->end)
        segment++;
    return segment;
}

int64_t bare_next_zone(const void *schedule, int64_t after)
{
    const struct bare *bare = schedule;
    const struct bare_segment *segment = segment_at(bare->zone, after);
    int64_t local = (int64_t)((uint64_t)(after + segment->offset) / 60) + 1;
    for (;;) {
        int64_t minute = next_local(bare, local);
        if (minute == BARE_NEVER)
            return BARE_NEVER;
        int64_t found = minute * 60 - segment->offset;
        if (found < segment->end)
            return found;
        segment = segment_at(bare->zone, found);
        found = minute * 60 - segment->offset;
        if (found >= segment->end) {
            segment++;
            found = minute * 60 - segment->offset;
        }
        if (found >= segment->start)
            return found;
        if (bare->fixed)
            return segment->start;
        local = (segment->start + segment->offset) / 60;
    }
}

void bare_compile(struct bare *bare, uint32_t weekday)
{
    for (uint32_t first = 0; first < 7; first++) {
        bare->dow31[first] = 0;
        for (uint32_t dom = 1; dom <= 31; dom++)
            bare->dow31[first] |= (weekday >> (first + dom - 1) % 7 & 1) << dom;
    }
    bare->first = __builtin_ctz(bare->hour) * 60 + __builtin_ctzll(bare->minute);
}

static uint64_t big_endian(const uint8_t *bytes, int count)
{
    uint64_t value = 0;
    for (int i = 0; i < count; i++)
        value = value << 8 | bytes[i];
    return value;
}

/* The size in bytes of the block after a header; `width` is that of its times. */
static size_t block_size(const uint8_t *header, size_t width)
{
    size_t count[6];
    for (size_t i = 0; i < 6; i++)
        count[i] = (size_t)big_endian(header + 20 + 4 * i, 4);
    return count[0] + count[1] + count[2] * (width + 4) + count[3] * (width + 1) +
           count[4] * 6 + count[5];
}

static void zone_add(struct bare_zone *zone, int64_t start, int64_t offset)
{
    if (zone->count > 0) {
        struct bare_segment *last = &zone->segment[zone->count - 1];
        if (last->offset == offset)
            return;
        last->end = start;
    }
    zone->segment[zone->count++] = (struct bare_segment){start, INT64_MAX, offset};
}

static void zone_index(struct bare_zone *zone)
{
    uint16_t segment = 0;
    for (int64_t i = 0; i < BARE_BUCKETS; i++) {
        while (ZONE_BASE + (i << BARE_BUCKET_BITS) >= zone->segment[segment].end)
            segment++;
        zone->bucket[i] = segment;
    }
}

bool bare_zone_read(const char *path, struct bare_zone *zone)
{
    static uint8_t bytes[FILE_MAX];
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    if (size < HEADER_SIZE || memcmp(bytes, "TZif", 4) != 0 || bytes[4] < '2')
        return false;
    size_t header = HEADER_SIZE + block_size(bytes, 4);
    if (header + HEADER_SIZE > size ||
        header + HEADER_SIZE + block_size(bytes + header, 8) > size) {
        return false;
    }
    size_t count = (size_t)big_endian(bytes + header + 32, 4);
    const uint8_t *times = bytes + header + HEADER_SIZE;
    const uint8_t *index = times + 8 * count;
    const uint8_t *types = index + count;
    if (count >= BARE_SEGMENTS_MAX)
        return false;
    zone->count = 0;
    zone_add(zone, INT64_MIN, (int32_t)big_endian(types, 4));
    for (size_t i = 0; i < count; i++) {
        int64_t start = (int64_t)big_endian(times + 8 * i, 8);
        zone_add(zone, start, (int32_t)big_endian(types + 6 * (size_t)index[i], 4));
    }
    zone_index(zone);
    return true;
}
