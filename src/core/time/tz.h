/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time zones: which offset from UTC is in force at a given second.
 *
 * Pure.  A zone is a table of segments of constant offset, made from the bytes of a TZif file
 * (RFC 9636), which the caller reads, or from a fixed offset.  It is one block without
 * pointers: copy it with memcpy(), share it between threads, never change it.
 *
 * The table covers the changes in the file and, if the file has a footer rule, 400 years more;
 * later times are looked up modulo that cycle, so every year up to 9999 is covered.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "core/limits.h"

#define TZ_TIME_MIN INT64_MIN /* start of the first segment */
#define TZ_TIME_MAX INT64_MAX /* end of the last one        */

/* Buckets of 2^21 s (24 days) from 1900-01-01 on: 4096 of them reach the year 2172. */
enum { TZ_BUCKET_SHIFT = 21, TZ_BUCKETS = 4096 };
#define TZ_BUCKET_BASE INT64_C(-2208988800)

/* 400 years: whole weeks, after which the calendar and so every rule repeats. */
#define TZ_CYCLE_SECONDS INT64_C(12622780800)

/* Limit of "UTC+hh:mm", as in POSIX rules; no real clock is more than 15 hours off. */
enum { TZ_FIXED_MAX = 24 * 3600 };

/*
 * One span of constant offset: UTC seconds [start, next segment's start).  Between calm_from
 * and calm_until no local time is skipped or repeated: calm_from is the start plus the size of
 * the change there, calm_until is the end minus the size of the change there.
 */
struct tz_seg {
    int64_t start;
    int64_t calm_from;
    int64_t calm_until;
    int32_t offset; /* seconds to add to UTC */
    int32_t reserved;
};

struct tz {
    char name[ZONE_NAME_MAX + 1];
    int32_t count;               /* segments, without the closing one                      */
    int64_t cycle_from;          /* from here on the table is periodic; TZ_TIME_MAX: never */
    uint16_t bucket[TZ_BUCKETS]; /* segment in force at the start of each bucket           */
    struct tz_seg seg[];         /* count segments, then one with start TZ_TIME_MAX        */
};

/* Bytes that are enough for any zone, and for one of tz_fixed(). */
#define TZ_BYTES_MAX   (sizeof(struct tz) + (TZ_SEGMENTS_MAX + 1) * sizeof(struct tz_seg))
#define TZ_FIXED_BYTES (sizeof(struct tz) + 2 * sizeof(struct tz_seg))

/*
 * Reads the bytes of a TZif file, versions 1 to 4.  Adjacent segments with the same offset are
 * merged.  `room` is the size of *ret, at least TZ_BYTES_MAX.  Returns RC_CORRUPT if the bytes
 * are not a valid TZif file, RC_LIMIT if it lists more changes than fit, RC_INVALID if its
 * times count leap seconds and so are not UTC.
 */
MUST_USE enum rc tz_parse(struct str name, const uint8_t *bytes, size_t len, struct tz *ret,
                          size_t room, struct err *reterr);

/*
 * "UTC", "GMT", "Z", "UTC+05:30", "GMT-3", "+05:30", "-0330": a zone without changes, named
 * "UTC" or "UTC+hh:mm".  `room` is at least TZ_FIXED_BYTES.  Returns RC_NOT_FOUND if the text
 * does not have that form (it is then a name to look up), RC_INVALID if it is out of range.
 */
MUST_USE enum rc tz_fixed(struct str text, struct tz *ret, size_t room, struct err *reterr);

/* True for a name that is safe below a zoneinfo directory: no "..", no leading "/", ASCII. */
bool tz_name_is_safe(struct str name);

/* Bytes that this zone occupies: how many to copy. */
size_t tz_size(const struct tz *tz);

/* Index of the segment that contains UTC second `s`, for which tz_wrap() returns 0. */
int tz_find_slow(const struct tz *tz, int64_t s);

static inline int tz_find(const struct tz *tz, int64_t s)
{
    uint64_t b = (uint64_t)(s - TZ_BUCKET_BASE) >> TZ_BUCKET_SHIFT;
    int i;

    if (s < TZ_BUCKET_BASE || b >= TZ_BUCKETS)
        return tz_find_slow(tz, s);
    i = tz->bucket[b];
    while (s >= tz->seg[i + 1].start)
        i++;
    return i;
}

/*
 * In a periodic zone, times from cycle_from + 400 years on have the offset of the time a whole
 * number of cycles earlier.  Returns the seconds to subtract (0 for earlier times).
 */
static inline int64_t tz_wrap(const struct tz *tz, int64_t s)
{
    if (tz->cycle_from == TZ_TIME_MAX || s < tz->cycle_from + TZ_CYCLE_SECONDS)
        return 0;
    return (s - tz->cycle_from) / TZ_CYCLE_SECONDS * TZ_CYCLE_SECONDS;
}

/* Offset in force at UTC second `s`, any year. */
int32_t tz_offset(const struct tz *tz, int64_t s);

/* The first change of offset strictly after UTC second `s`; false if there is none. */
bool tz_next_change(const struct tz *tz, int64_t s, int64_t *ret_at, int32_t *ret_before,
                    int32_t *ret_after);

/*
 * The UTC second of a local second: in a fold the earlier one, in a gap the first second
 * after the gap.
 */
int64_t tz_utc_of_local(const struct tz *tz, int64_t local);
