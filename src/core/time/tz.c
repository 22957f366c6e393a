/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of a zone: building it, looking up offsets in it, and zones with a fixed offset.
 */
#include "core/time/tz.h"

#include "base/buf.h"
#include "base/must.h"
#include "core/time/civil.h"
#include "core/time/tz_build.h"

_Static_assert(TZ_SEGMENTS_MAX <= UINT16_MAX, "a bucket holds the index of any segment");
_Static_assert(TZ_CYCLE_SECONDS == CYCLE_DAYS * DAY_SECONDS, "the cycle is the calendar's");

void tz_begin(struct tz *tz, struct str name, int32_t offset)
{
    must(name.len <= ZONE_NAME_MAX);
    memset(tz, 0, sizeof *tz);
    memcpy(tz->name, name.ptr, name.len);
    tz->cycle_from = TZ_TIME_MAX;
    tz_add(tz, TZ_TIME_MIN, offset);
}

void tz_add(struct tz *tz, int64_t start, int32_t offset)
{
    int n = tz->count;

    must(n == 0 || start >= tz->seg[n - 1].start);
    if (n > 0 && start == tz->seg[n - 1].start)
        n--;
    if (n == 0 || tz->seg[n - 1].offset != offset) {
        must(n < TZ_SEGMENTS_MAX);
        tz->seg[n++] = (struct tz_seg){.start = start, .offset = offset};
    }
    tz->count = n;
}

static void fill_calm(struct tz *tz)
{
    struct tz_seg *seg = tz->seg;

    seg[0].calm_from = TZ_TIME_MIN;
    for (int i = 1; i < tz->count; i++) {
        int32_t change = seg[i].offset - seg[i - 1].offset;
        int32_t size = change < 0 ? -change : change;

        seg[i - 1].calm_until = seg[i].start - size;
        seg[i].calm_from = seg[i].start + size;
    }
    seg[tz->count - 1].calm_until = TZ_TIME_MAX;
}

static void fill_buckets(struct tz *tz)
{
    int i = 0;

    for (int b = 0; b < TZ_BUCKETS; b++) {
        int64_t s = TZ_BUCKET_BASE + ((int64_t)b << TZ_BUCKET_SHIFT);

        while (s >= tz->seg[i + 1].start)
            i++;
        tz->bucket[b] = (uint16_t)i;
    }
}

void tz_end(struct tz *tz)
{
    must(tz->count > 0);
    tz->seg[tz->count] = (struct tz_seg){
        .start = TZ_TIME_MAX,
        .calm_from = TZ_TIME_MAX,
        .calm_until = TZ_TIME_MAX,
        .offset = tz->seg[tz->count - 1].offset,
    };
    fill_calm(tz);
    fill_buckets(tz);
}

size_t tz_size(const struct tz *tz)
{
    return sizeof *tz + ((size_t)tz->count + 1) * sizeof tz->seg[0];
}

int tz_find_slow(const struct tz *tz, int64_t s)
{
    int low = 0, high = tz->count; /* seg[low].start <= s < seg[high].start */

    while (high - low > 1) {
        int middle = low + (high - low) / 2;

        if (tz->seg[middle].start <= s)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int32_t tz_offset(const struct tz *tz, int64_t s)
{
    return tz->seg[tz_find(tz, s - tz_wrap(tz, s))].offset;
}

bool tz_next_change(const struct tz *tz, int64_t s, int64_t *ret_at, int32_t *ret_before,
                    int32_t *ret_after)
{
    int64_t wrap = tz_wrap(tz, s);
    const struct tz_seg *seg = &tz->seg[tz_find(tz, s - wrap)];

    if (seg[1].start == TZ_TIME_MAX)
        return false;
    *ret_at = seg[1].start + wrap;
    *ret_before = seg[0].offset;
    *ret_after = seg[1].offset;
    return true;
}

int64_t tz_utc_of_local(const struct tz *tz, int64_t local)
{
    /* No offset is larger than TZ_OFFSET_MAX, so no instant of this local second is earlier. */
    int64_t wrap = tz_wrap(tz, local - TZ_OFFSET_MAX);
    int64_t wall = local - wrap, after_gap = TZ_TIME_MAX;
    const struct tz_seg *seg = &tz->seg[tz_find(tz, wall - TZ_OFFSET_MAX)];

    /* A local second in a gap may still exist later, if the clock soon goes back. */
    for (; seg->start <= wall + TZ_OFFSET_MAX; seg++) {
        int64_t s = wall - seg->offset;

        if (s >= seg[1].start)
            continue;
        if (s >= seg->start)
            return s + wrap;
        if (after_gap == TZ_TIME_MAX)
            after_gap = seg->start;
    }
    must(after_gap != TZ_TIME_MAX);
    return after_gap + wrap;
}

static bool name_char_is_safe(char c)
{
    return char_is_alpha(c) || char_is_digit(c) || c == '_' || c == '-' || c == '+' || c == '.';
}

bool tz_name_is_safe(struct str name)
{
    bool at_start = true; /* of a path component: a dot here would be ".." or a hidden file */

    if (name.len == 0 || name.len > ZONE_NAME_MAX)
        return false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];

        if (c == '/' ? at_start : !name_char_is_safe(c) || (at_start && c == '.'))
            return false;
        at_start = c == '/';
    }
    return !at_start;
}

/* h, hh, hhmm, h:mm or hh:mm in seconds. */
static bool read_hours(struct str text, int32_t *ret)
{
    int64_t hours, minutes = 0;
    size_t digits = str_take_number(&text, 9999, &hours);
    bool colon = text.len > 0 && text.ptr[0] == ':';

    if (digits == 4 && !colon) {
        minutes = hours % 100;
        hours /= 100;
    } else if (digits != 1 && digits != 2) {
        return false;
    } else if (colon) {
        text = str_from(text, 1);
        if (str_take_number(&text, 99, &minutes) != 2)
            return false;
    }
    if (text.len > 0 || minutes > 59)
        return false;
    *ret = (int32_t)(hours * HOUR_SECONDS + minutes * 60);
    return *ret <= TZ_FIXED_MAX;
}

static void make_fixed(struct tz *ret, int32_t offset)
{
    char name[ZONE_NAME_MAX + 1];
    struct buf buf = BUF(name);
    int minutes = (offset < 0 ? -offset : offset) / 60;

    buf_text(&buf, "UTC");
    if (offset != 0)
        buf_printf(&buf, "%c%02d:%02d", offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
    tz_begin(ret, buf_as_str(&buf), offset);
    tz_end(ret);
}

enum rc tz_fixed(struct str text, struct tz *ret, size_t room, struct err *reterr)
{
    bool named = str_starts(text, STR("UTC")) || str_starts(text, STR("GMT"));
    struct str rest = named ? str_from(text, 3) : text;
    bool has_sign = rest.len > 0 && (rest.ptr[0] == '+' || rest.ptr[0] == '-');
    int32_t offset = 0;

    must(room >= TZ_FIXED_BYTES);
    if (!has_sign && !(named && rest.len == 0) && !str_eq(text, STR("Z")))
        return err_set(reterr, RC_NOT_FOUND, 0, (int)text.len,
                       "not an offset from UTC such as UTC+05:30");
    if (has_sign && !read_hours(str_from(rest, 1), &offset))
        return err_set(reterr, RC_INVALID, 0, (int)text.len,
                       "an offset from UTC is written UTC+05:30 or UTC-3, and is at most "
                       "24 hours");
    make_fixed(ret, has_sign && rest.ptr[0] == '-' ? -offset : offset);
    return RC_OK;
}
