/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as a TZif file, as a POSIX rule and as an offset from UTC.
 *
 * Every zone that is accepted keeps the contracts of core/time/tz.h at each of its changes, and
 * core/time/tz_type.h gives the same offsets.
 */
#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "core/time/civil.h"
#include "core/time/tz.h"
#include "core/time/tz_posix.h"
#include "core/time/tz_type.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static union {
    alignas(max_align_t) unsigned char room[TZ_BYTES_MAX];
    struct tz tz;
} zone;

/* Converting to local time and back gives the same second, or an earlier one of a fold. */
static void check_round_trip(const struct tz *tz, int64_t s)
{
    int64_t local = s + tz_offset(tz, s), back = tz_utc_of_local(tz, local);

    must(back <= s);
    must(back + tz_offset(tz, back) == local);
}

static void check_segment(const struct tz *tz, int i)
{
    const struct tz_seg *seg = &tz->seg[i];
    int64_t at;
    int32_t before, after;

    must(seg[0].start > seg[-1].start);
    must(seg[0].offset != seg[-1].offset);
    must(seg[0].offset >= -TZ_OFFSET_MAX && seg[0].offset <= TZ_OFFSET_MAX);
    must(tz_find(tz, seg[0].start - 1) == i - 1);
    must(tz_find(tz, seg[0].start) == i);
    must(tz_find_slow(tz, seg[0].start - 1) == i - 1);
    must(tz_find_slow(tz, seg[0].start) == i);
    for (int d = -1; d <= 1; d++)
        check_round_trip(tz, seg[0].start + d);
    if (tz_wrap(tz, seg[0].start - 1) == 0) {
        must(tz_next_change(tz, seg[0].start - 1, &at, &before, &after));
        must(at == seg[0].start && before == seg[-1].offset && after == seg[0].offset);
    }
}

/* The changes of the cycle repeat in the next cycle and in the tenth. */
static void check_cycle(const struct tz *tz, int i)
{
    int64_t s = tz->seg[i].start, later = s + TZ_CYCLE_SECONDS, at;
    int32_t before, after;

    if (tz->cycle_from == TZ_TIME_MAX || s <= tz->cycle_from)
        return;
    for (int k = 0; k < 10; k += 9) {
        must(tz_offset(tz, later + k * TZ_CYCLE_SECONDS) == tz->seg[i].offset);
        must(tz_offset(tz, later + k * TZ_CYCLE_SECONDS - 1) == tz->seg[i - 1].offset);
    }
    must(tz_next_change(tz, later - 1, &at, &before, &after) && at == later);
    check_round_trip(tz, later);
}

/* The offset of one second is that of the table, in the supported years. */
static void check_type(const struct tz *tz, const uint8_t *bytes, size_t len, int64_t s)
{
    struct tz_type type;
    struct err err;

    if (s < DAY_MIN * DAY_SECONDS || s > DAY_MAX * DAY_SECONDS)
        return;
    must(tz_type_at(STR("Fuzz/Zone"), bytes, len, s, &type, &err) == RC_OK);
    must(type.offset == tz_offset(tz, s));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct str text = {(const char *)bytes, len};
    struct tz *tz = &zone.tz;
    struct tz_posix rule;
    struct err err;

    if (tz_posix_parse(text, &rule, &err) == RC_OK)
        must(rule.std_offset >= -TZ_OFFSET_MAX && rule.std_offset <= TZ_OFFSET_MAX);
    if (tz_fixed(text, tz, sizeof zone, &err) == RC_OK)
        must(tz->count == 1 && tz_offset(tz, 0) == tz->seg[0].offset);
    if (tz_parse(STR("Fuzz/Zone"), bytes, len, tz, sizeof zone, &err) != RC_OK)
        return 0;
    must(tz->count >= 1 && tz->count <= TZ_SEGMENTS_MAX);
    must(tz->seg[0].start == TZ_TIME_MIN && tz->seg[tz->count].start == TZ_TIME_MAX);
    must(tz_size(tz) <= sizeof zone);
    for (int i = 1; i < tz->count; i++) {
        check_segment(tz, i);
        check_cycle(tz, i);
        check_type(tz, bytes, len, tz->seg[i].start);
        check_type(tz, bytes, len, tz->seg[i].start - 1);
    }
    return 0;
}
