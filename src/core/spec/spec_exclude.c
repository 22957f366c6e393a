/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exclusions: which times they remove, and the next free instant.
 *
 * They are wall-clock patterns and dates in the zone of the spec, matched literally: both
 * passes of a repeated hour are excluded, and times in a gap exclude nothing.
 */
#include "base/must.h"
#include "core/spec/spec_search.h"

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

/* The steps of struct budget that it takes to check one time. */
static int64_t check_steps(const struct spec *spec)
{
    return 1 + spec->not_cron_count + spec->not_named_count;
}

bool day_is_free(const struct search *search, int64_t day)
{
    const struct spec *spec = search->spec;

    if (!budget_spend(search->ctx->budget, check_steps(spec)))
        return true; /* ends loops over days */
    if (date_is_excluded(search, day))
        return false;
    for (int i = 0; i < spec->not_cron_count; i++)
        if (cron_is_whole_day(&spec->not_crons[i]) &&
            cron_matches_day(&spec->not_crons[i], day))
            return false;
    return true;
}

/* `local` if it is free; otherwise a later second, before which no second is free. */
static int64_t local_free_up(const struct search *search, int64_t local)
{
    const struct spec *spec = search->spec;
    int64_t free = local, day = floor_div(local, DAY_SECONDS);

    if (date_is_excluded(search, day))
        return (day + 1) * DAY_SECONDS;
    for (int i = 0; i < spec->not_cron_count && free == local; i++)
        free = cron_next_unmatched(&spec->not_crons[i], local);
    return free;
}

static int64_t local_free_down(const struct search *search, int64_t local)
{
    const struct spec *spec = search->spec;
    int64_t free = local, day = floor_div(local, DAY_SECONDS);

    if (date_is_excluded(search, day))
        return day * DAY_SECONDS - 1;
    for (int i = 0; i < spec->not_cron_count && free == local; i++)
        free = cron_prev_unmatched(&spec->not_crons[i], local);
    return free;
}

static bool has_exclusions(const struct spec *spec)
{
    return spec->not_cron_count > 0 || spec->not_date_count > 0 || spec->not_named_count > 0;
}

/* Each step jumps by the current offset, at most to the end of the segment. */
instant free_next(struct search *search, instant t)
{
    const struct tz *tz = search->spec->zones[0].tz;
    int64_t steps = check_steps(search->spec);
    instant last = search_reach_up(search, t);

    if (!has_exclusions(search->spec))
        return t;
    while (t <= last && budget_spend(search->ctx->budget, steps)) {
        int64_t s = instant_seconds(t), wrap = tz_wrap(tz, s);
        const struct tz_seg *seg = &tz->seg[tz_find(tz, s - wrap)];
        int64_t local = s + seg->offset, free = local_free_up(search, local);
        int64_t end = seg[1].start == TZ_TIME_MAX ? TZ_TIME_MAX : seg[1].start + wrap;

        if (free == local)
            return t;
        if (free == LOCAL_NEVER || !search_continues(search))
            return INSTANT_NEVER;
        s = free - seg->offset;
        t = instant_of_seconds(s < end ? s : end);
    }
    return INSTANT_NEVER;
}

instant free_prev(struct search *search, instant t)
{
    const struct tz *tz = search->spec->zones[0].tz;
    int64_t steps = check_steps(search->spec);
    instant first = search_reach_down(search, t);

    if (!has_exclusions(search->spec))
        return t;
    while (t >= first && budget_spend(search->ctx->budget, steps)) {
        int64_t s = instant_seconds(t), wrap = tz_wrap(tz, s);
        const struct tz_seg *seg = &tz->seg[tz_find(tz, s - wrap)];
        int64_t local = s + seg->offset, free = local_free_down(search, local);
        int64_t start = seg->start == TZ_TIME_MIN ? TZ_TIME_MIN : seg->start + wrap;

        if (free == local)
            return t;
        if (free == LOCAL_NONE || !search_continues(search))
            return INSTANT_NONE;
        s = free - seg->offset;
        /* The whole second is free, so its last instant is free too. */
        t = instant_of_seconds((s >= start ? s : start - 1) + 1) - 1;
    }
    return INSTANT_NONE;
}
