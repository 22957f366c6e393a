/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exclusions: what they take away, and where the next free instant is.
 *
 * They are wall-clock patterns and dates in the spec's own zone, matched literally: both
 * passes of a repeated hour are excluded, and what a gap swallows excludes nothing.
 */
#include "base/must.h"
#include "core/interval.h"
#include "core/spec_search.h"

static bool set_has(const int32_t *days, int count, int64_t day)
{
    int low = 0, high = count;

    while (low < high) {
        int mid = low + (high - low) / 2;

        if (days[mid] == day)
            return true;
        if (days[mid] < day)
            low = mid + 1;
        else
            high = mid;
    }
    return false;
}

static bool date_is_excluded(const struct search *search, int64_t day)
{
    const struct spec *spec = search->spec;

    if (set_has(spec->not_dates, spec->not_date_count, day))
        return true;
    for (int i = 0; search->ctx->calendars && i < spec->not_named_count; i++)
        if (set_has(search->ctx->calendars[i].days, search->ctx->calendars[i].count, day))
            return true;
    return false;
}

bool day_is_free(const struct search *search, int64_t day)
{
    const struct spec *spec = search->spec;

    if (date_is_excluded(search, day))
        return false;
    for (int i = 0; i < spec->not_cron_count; i++)
        if (cron_is_whole_day(&spec->not_crons[i]) &&
            cron_matches_day(&spec->not_crons[i], day))
            return false;
    return true;
}

/* First local second at or after `local` that nothing takes; equal when it is free. */
static int64_t local_free_up(const struct search *search, int64_t local)
{
    const struct spec *spec = search->spec;
    int64_t free = local, day = floor_div(local, DAY_SECONDS);

    if (date_is_excluded(search, day))
        return (day + 1) * DAY_SECONDS;
    for (int i = 0; i < spec->not_cron_count && free == local; i++)
        free = cron_next_gap(&spec->not_crons[i], local);
    return free;
}

static int64_t local_free_down(const struct search *search, int64_t local)
{
    const struct spec *spec = search->spec;
    int64_t free = local, day = floor_div(local, DAY_SECONDS);

    if (date_is_excluded(search, day))
        return day * DAY_SECONDS - 1;
    for (int i = 0; i < spec->not_cron_count && free == local; i++)
        free = cron_prev_gap(&spec->not_crons[i], local);
    return free;
}

static bool has_exclusions(const struct spec *spec)
{
    return spec->not_cron_count > 0 || spec->not_date_count > 0 || spec->not_named_count > 0;
}

/* One leap on an even clock; past the end of the offset the next leap reads it anew. */
instant free_next(const struct search *search, instant t)
{
    const struct tz *tz = search->spec->zones[0].tz;

    if (!has_exclusions(search->spec))
        return t;
    while (t <= INSTANT_MAX) {
        int64_t s = instant_seconds(t), wrap = tz_wrap(tz, s);
        const struct tz_seg *seg = &tz->seg[tz_find(tz, s - wrap)];
        int64_t local = s + seg->offset, free = local_free_up(search, local);
        int64_t end = seg[1].start == TZ_TIME_MAX ? TZ_TIME_MAX : seg[1].start + wrap;

        if (free == local)
            return t;
        if (free == LOCAL_NEVER)
            return INSTANT_NEVER;
        s = free - seg->offset;
        t = instant_of_seconds(s < end ? s : end);
    }
    return INSTANT_NEVER;
}

instant free_prev(const struct search *search, instant t)
{
    const struct tz *tz = search->spec->zones[0].tz;

    if (!has_exclusions(search->spec))
        return t;
    while (t >= INSTANT_MIN) {
        int64_t s = instant_seconds(t), wrap = tz_wrap(tz, s);
        const struct tz_seg *seg = &tz->seg[tz_find(tz, s - wrap)];
        int64_t local = s + seg->offset, free = local_free_down(search, local);
        int64_t start = seg->start == TZ_TIME_MIN ? TZ_TIME_MIN : seg->start + wrap;

        if (free == local)
            return t;
        if (free == LOCAL_NONE)
            return INSTANT_NONE;
        s = free - seg->offset;
        /* The whole second is free, so its last instant is. */
        t = instant_of_seconds((s >= start ? s : start - 1) + 1) - 1;
    }
    return INSTANT_NONE;
}

/* Every wall-clock time of `a` is one of `b`, as far as masks tell. */
static bool is_within(const struct cron *a, const struct cron *b)
{
    return (a->second & ~b->second) == 0 && (a->minute & ~b->minute) == 0 &&
           (a->hour & ~b->hour) == 0;
}

static bool has_same_days(const struct cron *a, const struct cron *b)
{
    const uint8_t plain = CRON_DAY_AND | CRON_ANY_YEAR | CRON_DAY_SPECIAL;

    return a->day == b->day && a->weekday == b->weekday && a->month == b->month &&
           (a->flags & plain) == (b->flags & plain) && (a->flags & CRON_ANY_YEAR) &&
           !(a->flags & CRON_DAY_SPECIAL);
}

/* Some gap of the zone swallows a time of the entry, and the rule moves it elsewhere. */
static bool may_be_moved(const struct entry *entry, const struct tz *tz)
{
    if (entry->dst.gap == GAP_SKIP)
        return false;
    for (int i = 1; i < tz->count; i++) {
        int64_t from = tz->seg[i].start + tz->seg[i - 1].offset;
        int64_t to = tz->seg[i].start + tz->seg[i].offset;

        if (to > from && cron_next_local(&entry->cron, from) < to)
            return true;
    }
    return false;
}

static bool is_simple(const struct spec *spec)
{
    return spec->entry_count == 1 && spec->at_count == 0 && spec->not_cron_count == 0 &&
           spec->not_date_count == 0 && spec->not_named_count == 0 && spec->jitter == 0 &&
           spec->shift == SHIFT_NONE && !spec->window.is_set &&
           spec->entries[0].kind == ENTRY_CRON &&
           !(spec->entries[0].cron.flags & CRON_FRACTION);
}

void spec_seal(struct spec *spec)
{
    spec->simple = is_simple(spec);
    for (int i = 0; i < spec->entry_count; i++) {
        struct entry *entry = &spec->entries[i];
        bool covered = false;

        if (entry->kind != ENTRY_CRON || entry->zone != 0)
            continue;
        for (int j = 0; j < spec->not_cron_count && !covered; j++) {
            const struct cron *not = &spec->not_crons[j];

            covered = is_within(&entry->cron, not) &&
                      ((not->flags & CRON_EVERY_DAY) ||
                       (has_same_days(&entry->cron, not) && spec->shift == SHIFT_NONE));
        }
        entry->covered = covered && !may_be_moved(entry, spec->zones[0].tz);
    }
}
