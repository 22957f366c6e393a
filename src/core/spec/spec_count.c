/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts slots: with bits where no clock changes, one by one near clock changes.
 *
 * Divides time into chunks of at most one UTC day in which no zone of the spec has a clock
 * change.  A chunk has a word of sixty bits per minute; entries set ("paint") bits, the window
 * and the exclusions clear them.  Slots that are not on whole seconds are counted one by one.
 */
#include "base/must.h"
#include "core/spec/interval.h"
#include "core/spec/spec_search.h"
#include "core/spec/window.h"

enum {
    DAY_MINUTES = 1440,
    CHUNK_STEPS = 48, /* of struct budget, for each entry and exclusion */
};

#define ALL_SIXTY ((UINT64_C(1) << 60) - 1)

struct chunk {
    int64_t from, to; /* UTC seconds, within one UTC day [day, day + 86400) */
    int64_t day;
    uint64_t minute[DAY_MINUTES];
};

enum paint { PAINT_SET, PAINT_CLEAR };

static inline void paint(struct chunk *chunk, int64_t minute, uint64_t bits, enum paint how)
{
    if (minute < 0 || minute >= DAY_MINUTES)
        return;
    if (how == PAINT_SET)
        chunk->minute[minute] |= bits;
    else
        chunk->minute[minute] &= ~bits;
}

/* The seconds of a cron on local day `day`; `offset` is a whole number of minutes. */
static void paint_cron_day(struct chunk *chunk, const struct cron *cron, int64_t day,
                           int32_t offset, enum paint how)
{
    int64_t base = (day * DAY_SECONDS - offset - chunk->day) / 60;

    for (uint32_t hours = cron->hour; hours; hours &= hours - 1) {
        int64_t hour = base + __builtin_ctz(hours) * 60;

        if (hour + 60 <= 0 || hour >= DAY_MINUTES)
            continue;
        for (uint64_t minutes = cron->minute; minutes; minutes &= minutes - 1)
            paint(chunk, hour + __builtin_ctzll(minutes), cron->second, how);
    }
}

/* The first of the two local days that a UTC day may overlap. */
static int64_t first_local_day(const struct chunk *chunk, int32_t offset)
{
    return floor_div(chunk->day + offset, DAY_SECONDS);
}

static void paint_cron(struct chunk *chunk, const struct cron *cron, int32_t offset,
                       enum paint how)
{
    int64_t day = first_local_day(chunk, offset);

    for (int i = 0; i < 2; i++)
        if (cron_matches_day(cron, day + i))
            paint_cron_day(chunk, cron, day + i, offset, how);
}

/* The seconds origin + k × every in [from, to) and in the chunk. */
static void paint_grid(struct chunk *chunk, int64_t origin, int64_t every, int64_t from,
                       int64_t to)
{
    int64_t s, end = to < chunk->to ? to : chunk->to;

    if (from < chunk->from)
        from = chunk->from;
    s = origin + (floor_div(from - 1 - origin, every) + 1) * every;
    for (; s < end; s += every) {
        int64_t at = s - chunk->day;

        chunk->minute[at / 60] |= UINT64_C(1) << at % 60;
    }
}

static void paint_midnight(struct chunk *chunk, const struct interval_def *interval,
                           const struct tz *tz)
{
    int64_t day = local_day(tz, instant_of_seconds(chunk->from));

    for (int i = 0; i < 3; i++) {
        int64_t start = instant_seconds(local_day_start(tz, day + i));
        int64_t end = instant_seconds(local_day_start(tz, day + i + 1));

        paint_grid(chunk, start + interval->phase / SPAN_S, interval->every / SPAN_S,
                   start + interval->phase / SPAN_S, end);
    }
}

/* The grid of an interval that does not restart each day; false: it has no slots. */
static bool grid_origin(const struct search *search, const struct entry *entry,
                        instant *ret_origin, instant *ret_least)
{
    struct interval_origin origin = entry_origin(search, entry);

    return interval_grid(&entry->interval, &origin, ret_origin, ret_least);
}

static void paint_interval(const struct search *search, struct chunk *chunk,
                           const struct entry *entry)
{
    const struct interval_def *interval = &entry->interval;
    instant origin, least;

    if (interval->anchor == ANCHOR_MIDNIGHT)
        paint_midnight(chunk, interval, search->spec->zones[entry->zone].tz);
    else if (grid_origin(search, entry, &origin, &least))
        paint_grid(chunk, instant_seconds(origin), interval->every / SPAN_S,
                   instant_seconds(least - 1) + 1, chunk->to);
}

static void paint_at(const struct search *search, struct chunk *chunk)
{
    for (int i = 0; i < search->spec->at_count; i++) {
        int64_t s = instant_seconds(spec_at_time(search, i)) - chunk->day;

        if (s >= 0 && s < DAY_SECONDS)
            chunk->minute[s / 60] |= UINT64_C(1) << s % 60;
    }
}

/* Clears UTC seconds [from, to) of the day. */
static void clear_range(struct chunk *chunk, int64_t from, int64_t to)
{
    from = from < 0 ? 0 : from;
    to = to > DAY_SECONDS ? DAY_SECONDS : to;
    while (from < to) {
        int64_t end = (from / 60 + 1) * 60 < to ? (from / 60 + 1) * 60 : to;
        uint64_t bits = (ALL_SIXTY >> (60 - (end - from))) << from % 60;

        chunk->minute[from / 60] &= ~bits;
        from = end;
    }
}

static void clear_excluded(const struct search *search, struct chunk *chunk, int32_t offset)
{
    const struct spec *spec = search->spec;
    int64_t day = first_local_day(chunk, offset);

    for (int i = 0; i < spec->not_cron_count; i++)
        paint_cron(chunk, &spec->not_crons[i], offset, PAINT_CLEAR);
    for (int i = 0; i < 2; i++)
        if (!day_is_free(search, day + i))
            clear_range(chunk, (day + i) * DAY_SECONDS - offset - chunk->day,
                        (day + i + 1) * DAY_SECONDS - offset - chunk->day);
}

static void clear_outside(const struct window_def *window, struct chunk *chunk, int32_t offset)
{
    int64_t day = first_local_day(chunk, offset);

    for (int i = 0; i < 2; i++) {
        int64_t base = (day + i) * DAY_SECONDS - offset - chunk->day;

        if (window->from <= window->to) {
            clear_range(chunk, base, base + window->from);
            clear_range(chunk, base + window->to + 1, base + DAY_SECONDS);
        } else {
            clear_range(chunk, base + window->to + 1, base + window->from);
        }
    }
}

static int32_t zone_offset(const struct spec *spec, int zone, int64_t s)
{
    return tz_offset(spec->zones[zone].tz, s);
}

static int64_t count_chunk(const struct search *search, struct chunk *chunk)
{
    const struct spec *spec = search->spec;
    int32_t offset = zone_offset(spec, 0, chunk->from);
    int64_t count = 0;

    memset(chunk->minute, 0, sizeof chunk->minute);
    for (int i = 0; i < spec->entry_count; i++) {
        const struct entry *entry = &spec->entries[i];

        if (entry->kind == ENTRY_CRON)
            paint_cron(chunk, &entry->cron, zone_offset(spec, entry->zone, chunk->from),
                       PAINT_SET);
        else
            paint_interval(search, chunk, entry);
    }
    paint_at(search, chunk);
    if (spec->window.is_set)
        clear_outside(&spec->window, chunk, offset);
    clear_excluded(search, chunk, offset);
    clear_range(chunk, 0, chunk->from - chunk->day);
    clear_range(chunk, chunk->to - chunk->day, DAY_SECONDS);
    for (int i = 0; i < DAY_MINUTES; i++)
        count += __builtin_popcountll(chunk->minute[i]);
    return count;
}

/*
 * A time is calm if no zone is near a clock change and all offsets are whole minutes.  If `s`
 * is calm, returns when that ends, at most `end`.  Otherwise *ret_calm is false, and the result
 * is a time at which it may be calm again.
 */
static int64_t calm_part_end(const struct spec *spec, int64_t s, int64_t end, bool *ret_calm)
{
    int64_t not_calm_until = INT64_MIN;

    *ret_calm = true;
    for (int i = 0; i < spec->zone_count; i++) {
        const struct tz *tz = spec->zones[i].tz;
        int64_t wrap = tz_wrap(tz, s);
        const struct tz_seg *seg = &tz->seg[tz_find(tz, s - wrap)];
        int64_t stop = INT64_MIN;

        if (seg->offset % 60 != 0)
            stop = seg[1].start == TZ_TIME_MAX ? end : seg[1].start + wrap;
        else if (s - wrap < seg->calm_from)
            stop = seg->calm_from + wrap;
        else if (s - wrap >= seg->calm_until)
            stop = seg[1].start + wrap;
        else if (seg->calm_until != TZ_TIME_MAX && seg->calm_until + wrap < end)
            end = seg->calm_until + wrap;
        if (stop > not_calm_until)
            not_calm_until = stop;
        *ret_calm = *ret_calm && stop == INT64_MIN;
    }
    if (*ret_calm)
        return end;
    return not_calm_until < end ? not_calm_until : end;
}

/* Counts the slots in (after, until] one by one. */
static int64_t count_walking(struct search *search, instant after, instant until)
{
    int64_t count = 0;
    int entry;

    for (;;) {
        after = shaped_next(search, after, &entry);
        if (after > until)
            return count;
        search->steps = SPEC_STEPS_MAX;
        count++;
    }
}

static bool is_whole_second(span d)
{
    return d % SPAN_S == 0;
}

static bool entry_has_whole_seconds(const struct search *search, const struct entry *entry)
{
    instant origin, least;

    if (entry->kind == ENTRY_CRON)
        return !(entry->cron.flags & CRON_FRACTION);
    if (entry->kind != ENTRY_INTERVAL)
        return false;
    if (!is_whole_second(entry->interval.every) || !is_whole_second(entry->interval.phase))
        return false;
    if (entry->interval.anchor == ANCHOR_MIDNIGHT)
        return true;
    return !grid_origin(search, entry, &origin, &least) || is_whole_second(origin);
}

/* True if all candidates are on whole seconds and no slot is shifted. */
static bool can_count_bits(const struct search *search)
{
    const struct spec *spec = search->spec;

    if (spec->shift != SHIFT_NONE)
        return false;
    for (int i = 0; i < spec->entry_count; i++)
        if (!entry_has_whole_seconds(search, &spec->entries[i]))
            return false;
    for (int i = 0; i < spec->at_count; i++)
        if (!is_whole_second(spec_at_time(search, i)))
            return false;
    return true;
}

/* Slots of UTC seconds [from, to), without those that a clamping window moves. */
static int64_t count_bits(struct search *search, int64_t from, int64_t to)
{
    const struct spec *spec = search->spec;
    int64_t steps = (1 + spec->entry_count + spec->not_cron_count) * CHUNK_STEPS;
    struct chunk chunk;
    int64_t count = 0;

    while (from < to && budget_spend(search->ctx->budget, steps)) {
        int64_t end;
        bool is_calm;

        chunk.day = floor_div(from, DAY_SECONDS) * DAY_SECONDS;
        end = chunk.day + DAY_SECONDS < to ? chunk.day + DAY_SECONDS : to;
        end = calm_part_end(spec, from, end, &is_calm);
        must(end > from);
        chunk.from = from;
        chunk.to = end;
        count += is_calm ? count_chunk(search, &chunk)
                         : count_walking(search, instant_of_seconds(from) - 1,
                                         instant_of_seconds(end) - 1);
        from = end;
    }
    return count;
}

/* Counts the openings of a clamping window in (after, until] to which it moves slots. */
static int64_t count_openings(struct search *search, instant after, instant until)
{
    const struct window_def *window = &search->spec->window;
    const struct tz *tz = search->spec->zones[0].tz;
    int64_t count = 0;

    for (;;) {
        instant close = window_prev(window, tz, after), open, t;
        int entry;

        if (close == after)
            close = window_end(window, tz, after);
        open = window_next(window, tz, close < INSTANT_MIN ? INSTANT_MIN : close + 1);
        if (open > until || open > search->spec->end)
            return count;
        search_from(search, close);
        t = survivor_next(search, close, &entry);
        if (t == INSTANT_NEVER)
            return count;
        search->steps = SPEC_STEPS_MAX;
        if (t < open && free_next(search, open) == open &&
            survivor_next(search, open - 1, &entry) != open)
            count++;
        after = open;
    }
}

/* For a spec that consists of a single interval, a division is enough. */
static bool count_by_division(const struct search *search, instant after, instant until,
                              int64_t *ret)
{
    const struct spec *spec = search->spec;
    const struct interval_def *interval;
    const struct entry *entry = spec->entries;
    instant origin, least;

    if (spec->entry_count != 1 || spec->at_count > 0 || spec->window.is_set ||
        spec->not_cron_count + spec->not_date_count + spec->not_named_count > 0)
        return false;
    interval = &entry->interval;
    if (entry->kind != ENTRY_INTERVAL || interval->anchor == ANCHOR_MIDNIGHT)
        return false;
    *ret = 0;
    if (!grid_origin(search, entry, &origin, &least))
        return true;
    if (after < least - 1)
        after = least - 1;
    if (until > after)
        *ret = floor_div(until - origin, interval->every) -
               floor_div(after - origin, interval->every);
    return true;
}

/* Counts before, at and after ctx->kept, a slot that is not on the grid. */
static int64_t count_with_kept(const struct spec *spec, const struct spec_ctx *ctx,
                               instant after, instant until)
{
    struct spec_ctx bare = *ctx;
    struct slot slot;
    bool is_slot = spec_next(spec, ctx, ctx->kept - 1, &slot) && slot.at == ctx->kept;

    bare.kept = INSTANT_NONE;
    return spec_count(spec, &bare, after, ctx->kept - 1) + is_slot +
           spec_count(spec, &bare, ctx->kept, until);
}

int64_t spec_count(const struct spec *spec, const struct spec_ctx *ctx, instant after,
                   instant until)
{
    struct search search = search_begin(spec, ctx);
    bool is_clamped = spec->window.is_set && spec->window.rule == WINDOW_CLAMP;
    struct spec filtered = *spec;
    instant low = spec->start > after ? spec->start - 1 : after;
    instant high = spec->end < until ? spec->end : until;
    int64_t count;

    low = low < INSTANT_MIN - 1 ? INSTANT_MIN - 1 : low;
    high = high > INSTANT_MAX ? INSTANT_MAX : high;
    if (high <= low)
        return 0;
    if (ctx->kept > low && ctx->kept <= high)
        return count_with_kept(spec, ctx, after, until);
    if (count_by_division(&search, low, high, &count))
        return count;
    if (!can_count_bits(&search))
        return count_walking(&search, after, high);
    filtered.window.rule = WINDOW_FILTER;
    search.spec = &filtered;
    count = count_bits(&search, instant_seconds(low) + 1, instant_seconds(high) + 1);
    search.spec = spec;
    if (is_clamped)
        count += count_openings(&search, after < INSTANT_MIN ? INSTANT_MIN : after, high);
    return count;
}
