/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for slots of a pattern.  It goes from segment to segment of the zone.  Inside a
 * segment, local time is UTC plus a constant; the rules for clock changes matter only at its
 * ends:
 *
 *      previous segment │ this segment                          │ next segment
 *                 gap:  │<- extras ->                           │
 *                 fold: │<- repeats ->              <- repeated ->│
 *
 * Extras are local times in the gap that the rule moves here.  Repeats are local times that
 * the previous segment already had; repeated ones occur again in the next segment.
 */
#include "core/spec/local.h"

#include "base/must.h"

/* A segment of a zone with its neighbours. */
struct segment {
    int64_t start, end; /* UTC seconds [start, end)      */
    int64_t prev_start; /* start of the previous segment */
    int64_t next_end;   /* end of the next segment       */
    int32_t offset;
    int32_t prev_offset, next_offset; /* equal to offset at the table's ends */
};

/* Offsets differ by at most 52 h, so a change 4 days away cannot affect a local time. */
#define FAR INT64_C(4 * 86400)

static struct segment segment_at(const struct tz *tz, int64_t s)
{
    int64_t wrap = tz_wrap(tz, s);
    int i = tz_find(tz, s - wrap);
    const struct tz_seg *seg = &tz->seg[i];
    bool has_prev = i > 0, has_next = i + 1 < tz->count;
    struct segment segment = {
        .start = has_prev ? seg->start + wrap : TZ_TIME_MIN,
        .end = has_next ? seg[1].start + wrap : TZ_TIME_MAX,
        .offset = seg->offset,
        .prev_offset = has_prev ? seg[-1].offset : seg->offset,
        .next_offset = has_next ? seg[1].offset : seg->offset,
    };

    segment.prev_start = i > 1 ? seg[-1].start + wrap : TZ_TIME_MIN;
    segment.next_end = i + 2 < tz->count ? seg[2].start + wrap : TZ_TIME_MAX;
    return segment;
}

static int64_t local_up(const struct pattern *p, int64_t local)
{
    return p->cron ? cron_next_local(p->cron, local) : rrule_next_local(p->rrule, local);
}

static int64_t local_down(const struct pattern *p, int64_t local)
{
    return p->cron ? cron_prev_local(p->cron, local) : rrule_prev_local(p->rrule, local);
}

/* Local seconds [from, to) of a segment that the rule assigns to the neighbouring segment. */
struct ignored {
    int64_t from, to;
};

static int64_t max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static struct ignored ignored_at_start(const struct segment *segment, enum fold fold)
{
    if (fold != FOLD_FIRST || segment->prev_offset <= segment->offset)
        return (struct ignored){0, 0};
    /* A previous segment that is shorter than the fold had only a part of it. */
    return (struct ignored){
        .from = segment->prev_start == TZ_TIME_MIN
                    ? segment->start + segment->offset
                    : max64(segment->start + segment->offset,
                            segment->prev_start + segment->prev_offset),
        .to = segment->start + segment->prev_offset,
    };
}

static struct ignored ignored_at_end(const struct segment *segment, enum fold fold)
{
    if (fold != FOLD_LAST || segment->next_offset >= segment->offset)
        return (struct ignored){0, 0};
    return (struct ignored){
        .from = segment->end + segment->next_offset,
        .to = segment->next_end == TZ_TIME_MAX
                  ? segment->end + segment->offset
                  : min64(segment->end + segment->offset,
                          segment->next_end + segment->next_offset),
    };
}

static bool gap_moves(const struct segment *segment, enum gap gap)
{
    int32_t length = segment->offset - segment->prev_offset;

    return gap != GAP_SKIP && length > 0 && length <= GAP_SHORT_MAX;
}

/* First slot at or after `s` that the rule moves from the gap before this segment into it. */
static int64_t extra_up(const struct pattern *p, const struct segment *segment, int64_t s)
{
    int64_t skipped;

    if (!gap_moves(segment, (enum gap)p->dst.gap))
        return LOCAL_NEVER;
    if (p->dst.gap == GAP_NEXT && s > segment->start)
        return LOCAL_NEVER;
    skipped = local_up(p, s + segment->prev_offset);
    if (skipped >= segment->start + segment->offset)
        return LOCAL_NEVER;
    return p->dst.gap == GAP_NEXT ? segment->start : skipped - segment->prev_offset;
}

static int64_t extra_down(const struct pattern *p, const struct segment *segment, int64_t s)
{
    int64_t skipped, last;

    if (!gap_moves(segment, (enum gap)p->dst.gap))
        return LOCAL_NONE;
    last = segment->start + segment->offset - 1;
    if (p->dst.gap == GAP_SHIFT)
        last = min64(last, s + segment->prev_offset);
    skipped = local_down(p, last);
    if (skipped < segment->start + segment->prev_offset)
        return LOCAL_NONE;
    return p->dst.gap == GAP_NEXT ? segment->start : skipped - segment->prev_offset;
}

/*
 * First slot in [s, segment->end); LOCAL_NEVER if there is none.  *ret_local is the first
 * match at or after `s` by the offset of this segment, even beyond its end: the search may
 * jump there.
 */
static int64_t segment_up(const struct pattern *p, const struct segment *segment, int64_t s,
                          int64_t *ret_local)
{
    struct ignored head = ignored_at_start(segment, (enum fold)p->dst.fold);
    struct ignored tail = ignored_at_end(segment, (enum fold)p->dst.fold);
    int64_t local = local_up(p, s + segment->offset);
    int64_t extra = extra_up(p, segment, s);
    int64_t best;

    *ret_local = local;
    if (local >= head.from && local < head.to)
        local = local_up(p, head.to);
    if (local >= tail.from && local < tail.to)
        local = local_up(p, tail.to);
    best = local == LOCAL_NEVER ? LOCAL_NEVER : local - segment->offset;
    best = min64(best, extra);
    return best < segment->end ? best : LOCAL_NEVER;
}

static int64_t segment_down(const struct pattern *p, const struct segment *segment, int64_t s,
                            int64_t *ret_local)
{
    struct ignored head = ignored_at_start(segment, (enum fold)p->dst.fold);
    struct ignored tail = ignored_at_end(segment, (enum fold)p->dst.fold);
    int64_t local = local_down(p, s + segment->offset);
    int64_t extra = extra_down(p, segment, s);
    int64_t best;

    *ret_local = local;
    if (local >= tail.from && local < tail.to)
        local = local_down(p, tail.from - 1);
    if (local >= head.from && local < head.to)
        local = local_down(p, head.from - 1);
    best = local == LOCAL_NONE ? LOCAL_NONE : local - segment->offset;
    best = max64(best, extra);
    return best >= segment->start ? best : LOCAL_NONE;
}

/* The first and last second of a search; the calendar has no days beyond them. */
#define S_FIRST ((DAY_MIN - 2) * DAY_SECONDS)
#define S_LAST  ((DAY_MAX + 2) * DAY_SECONDS)

static int64_t walk_up(const struct pattern *p, int64_t s)
{
    s = max64(s, S_FIRST);
    while (s <= S_LAST) {
        struct segment segment = segment_at(p->tz, s);
        int64_t local, slot = segment_up(p, &segment, s, &local);
        bool is_long;

        if (slot != LOCAL_NEVER)
            return slot;
        if (segment.end == TZ_TIME_MAX)
            return LOCAL_NEVER;
        /* With any offset, no time matches from here until FAR before `local`. */
        is_long = segment.end - s >= FAR;
        if (is_long && local == LOCAL_NEVER)
            return LOCAL_NEVER;
        s = is_long ? max64(segment.end, local - segment.offset - FAR) : segment.end;
    }
    return LOCAL_NEVER;
}

static int64_t walk_down(const struct pattern *p, int64_t s)
{
    s = min64(s, S_LAST);
    while (s >= S_FIRST) {
        struct segment segment = segment_at(p->tz, s);
        int64_t local, slot = segment_down(p, &segment, s, &local);
        bool is_long;

        if (slot != LOCAL_NONE)
            return slot;
        if (segment.start == TZ_TIME_MIN)
            return LOCAL_NONE;
        is_long = s - segment.start >= FAR;
        if (is_long && local == LOCAL_NONE)
            return LOCAL_NONE;
        s = is_long ? min64(segment.start - 1, local - segment.offset + FAR)
                    : segment.start - 1;
    }
    return LOCAL_NONE;
}

/*
 * The UTC second of `local`, the next match by the offset of `seg`, but after its calm part.
 * LOCAL_NEVER if a clock change is near the match: the search must walk there.
 */
static int64_t jump_to_match(const struct tz *tz, const struct tz_seg *seg, int64_t local)
{
    const struct tz_seg *to;
    int64_t slot;

    if (local > S_LAST || tz_wrap(tz, local + FAR) != 0)
        return LOCAL_NEVER;
    to = &tz->seg[tz_find(tz, local - seg->offset)];
    slot = local - to->offset;
    return slot >= to->calm_from && slot < to->calm_until ? slot : LOCAL_NEVER;
}

int64_t cron_next(const struct cron *cron, const struct tz *tz, struct dst_choice dst,
                  int64_t s)
{
    struct pattern p = {.cron = cron, .tz = tz, .dst = dst};
    const struct tz_seg *seg;
    int64_t local;

    if (s < S_FIRST || s > S_LAST || tz_wrap(tz, s) != 0)
        return walk_up(&p, s);
    seg = &tz->seg[tz_find(tz, s)];
    local = cron_next_local(cron, s + seg->offset);
    if (s >= seg->calm_from && local != LOCAL_NEVER && local - seg->offset < seg->calm_until)
        return local - seg->offset;
    if (s >= seg->calm_from && s + FAR < seg->calm_until) {
        int64_t slot = jump_to_match(tz, seg, local);

        if (slot != LOCAL_NEVER)
            return slot;
    }
    return walk_up(&p, s);
}

int64_t pattern_next(const struct pattern *p, int64_t s)
{
    must((p->cron != NULL) != (p->rrule != NULL));
    return p->cron ? cron_next(p->cron, p->tz, p->dst, s) : walk_up(p, s);
}

int64_t pattern_prev(const struct pattern *p, int64_t s)
{
    must((p->cron != NULL) != (p->rrule != NULL));
    return walk_down(p, s);
}

enum clock_effect local_clock_effect(const struct tz *tz, int64_t s)
{
    struct segment segment = segment_at(tz, s);
    int64_t since, left;

    if (segment.start != TZ_TIME_MIN) {
        since = s - segment.start;
        if (since < segment.offset - segment.prev_offset)
            return EFFECT_AFTER_GAP;
        if (since < segment.prev_offset - segment.offset)
            return EFFECT_FOLD_SECOND;
    }
    if (segment.end != TZ_TIME_MAX) {
        left = segment.end - s;
        if (left <= segment.offset - segment.next_offset)
            return EFFECT_FOLD_FIRST;
    }
    return EFFECT_NONE;
}

instant local_day_start(const struct tz *tz, int64_t day)
{
    return instant_of_seconds(tz_utc_of_local(tz, day * DAY_SECONDS));
}

int64_t local_day(const struct tz *tz, instant t)
{
    int64_t s = instant_seconds(t);
    int64_t day = floor_div(s + tz_offset(tz, s), DAY_SECONDS);

    /* After a fold over midnight the clock shows a date whose day has already ended. */
    while (t >= local_day_start(tz, day + 1))
        day++;
    return day;
}
