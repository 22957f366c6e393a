/* SPDX-License-Identifier: Apache-2.0 */
#include "core/spec/local.h"

#include "base/must.h"

/*
 * A zone is walked segment by segment.  Inside one, local time is UTC plus a constant; only
 * at its ends is there something to decide:
 *
 *      previous segment │ this segment                          │ next segment
 *                 gap:  │<- extras ->                           │
 *                 fold: │<- repeats ->              <- repeated ->│
 *
 * Extras are local times that the gap swallowed and the rule moves here.  Repeats are local
 * times that the previous segment had already; repeated ones come again in the next.
 */
struct piece {
    int64_t start, end; /* UTC seconds [start, end)                    */
    int64_t prev_start; /* start of the previous segment               */
    int64_t next_end;   /* end of the next segment                     */
    int32_t offset;
    int32_t prev_offset, next_offset; /* equal to offset at the table's ends */
};

/* Offsets differ by at most 52 h, so what lies 4 days off cannot touch a local time. */
#define FAR INT64_C(4 * 86400)

static struct piece piece_at(const struct tz *tz, int64_t s)
{
    int64_t wrap = tz_wrap(tz, s);
    int i = tz_find(tz, s - wrap);
    const struct tz_seg *seg = &tz->seg[i];
    bool has_prev = i > 0, has_next = i + 1 < tz->count;
    struct piece piece = {
        .start = has_prev ? seg->start + wrap : TZ_TIME_MIN,
        .end = has_next ? seg[1].start + wrap : TZ_TIME_MAX,
        .offset = seg->offset,
        .prev_offset = has_prev ? seg[-1].offset : seg->offset,
        .next_offset = has_next ? seg[1].offset : seg->offset,
    };

    piece.prev_start = i > 1 ? seg[-1].start + wrap : TZ_TIME_MIN;
    piece.next_end = i + 2 < tz->count ? seg[2].start + wrap : TZ_TIME_MAX;
    return piece;
}

static int64_t local_up(const struct pattern *p, int64_t local)
{
    return p->cron ? cron_next_local(p->cron, local) : rrule_next_local(p->rrule, local);
}

static int64_t local_down(const struct pattern *p, int64_t local)
{
    return p->cron ? cron_prev_local(p->cron, local) : rrule_prev_local(p->rrule, local);
}

/* Local seconds [from, to) of a piece that do not count. */
struct muted {
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

static struct muted muted_at_start(const struct piece *piece, enum fold fold)
{
    if (fold != FOLD_FIRST || piece->prev_offset <= piece->offset)
        return (struct muted){0, 0};
    /* A previous segment shorter than the fold showed only its own part before. */
    return (struct muted){
        .from = piece->prev_start == TZ_TIME_MIN
                    ? piece->start + piece->offset
                    : max64(piece->start + piece->offset,
                            piece->prev_start + piece->prev_offset),
        .to = piece->start + piece->prev_offset,
    };
}

static struct muted muted_at_end(const struct piece *piece, enum fold fold)
{
    if (fold != FOLD_LAST || piece->next_offset >= piece->offset)
        return (struct muted){0, 0};
    return (struct muted){
        .from = piece->end + piece->next_offset,
        .to = piece->next_end == TZ_TIME_MAX
                  ? piece->end + piece->offset
                  : min64(piece->end + piece->offset, piece->next_end + piece->next_offset),
    };
}

static bool gap_moves(const struct piece *piece, enum gap gap)
{
    int32_t length = piece->offset - piece->prev_offset;

    return gap != GAP_SKIP && length > 0 && length <= GAP_SHORT_MAX;
}

/* First slot at or after `s` that the gap before this piece moved into it. */
static int64_t extra_up(const struct pattern *p, const struct piece *piece, int64_t s)
{
    int64_t swallowed;

    if (!gap_moves(piece, (enum gap)p->dst.gap))
        return LOCAL_NEVER;
    if (p->dst.gap == GAP_NEXT && s > piece->start)
        return LOCAL_NEVER;
    swallowed = local_up(p, s + piece->prev_offset);
    if (swallowed >= piece->start + piece->offset)
        return LOCAL_NEVER;
    return p->dst.gap == GAP_NEXT ? piece->start : swallowed - piece->prev_offset;
}

static int64_t extra_down(const struct pattern *p, const struct piece *piece, int64_t s)
{
    int64_t swallowed, last;

    if (!gap_moves(piece, (enum gap)p->dst.gap))
        return LOCAL_NONE;
    last = piece->start + piece->offset - 1;
    if (p->dst.gap == GAP_SHIFT)
        last = min64(last, s + piece->prev_offset);
    swallowed = local_down(p, last);
    if (swallowed < piece->start + piece->prev_offset)
        return LOCAL_NONE;
    return p->dst.gap == GAP_NEXT ? piece->start : swallowed - piece->prev_offset;
}

/*
 * First slot in [s, piece->end); LOCAL_NEVER when there is none.  *ret_local is the first
 * match at or after `s` on this piece's clock, wherever that is: how far one may jump.
 */
static int64_t piece_up(const struct pattern *p, const struct piece *piece, int64_t s,
                        int64_t *ret_local)
{
    struct muted head = muted_at_start(piece, (enum fold)p->dst.fold);
    struct muted tail = muted_at_end(piece, (enum fold)p->dst.fold);
    int64_t local = local_up(p, s + piece->offset);
    int64_t extra = extra_up(p, piece, s);
    int64_t best;

    *ret_local = local;
    if (local >= head.from && local < head.to)
        local = local_up(p, head.to);
    if (local >= tail.from && local < tail.to)
        local = local_up(p, tail.to);
    best = local == LOCAL_NEVER ? LOCAL_NEVER : local - piece->offset;
    best = min64(best, extra);
    return best < piece->end ? best : LOCAL_NEVER;
}

static int64_t piece_down(const struct pattern *p, const struct piece *piece, int64_t s,
                          int64_t *ret_local)
{
    struct muted head = muted_at_start(piece, (enum fold)p->dst.fold);
    struct muted tail = muted_at_end(piece, (enum fold)p->dst.fold);
    int64_t local = local_down(p, s + piece->offset);
    int64_t extra = extra_down(p, piece, s);
    int64_t best;

    *ret_local = local;
    if (local >= tail.from && local < tail.to)
        local = local_down(p, tail.from - 1);
    if (local >= head.from && local < head.to)
        local = local_down(p, head.from - 1);
    best = local == LOCAL_NONE ? LOCAL_NONE : local - piece->offset;
    best = max64(best, extra);
    return best >= piece->start ? best : LOCAL_NONE;
}

/* Every second that can be asked about; beyond, the calendar has no days. */
#define S_FIRST ((DAY_MIN - 2) * DAY_SECONDS)
#define S_LAST  ((DAY_MAX + 2) * DAY_SECONDS)

static int64_t walk_up(const struct pattern *p, int64_t s)
{
    s = max64(s, S_FIRST);
    while (s <= S_LAST) {
        struct piece piece = piece_at(p->tz, s);
        int64_t local, slot = piece_up(p, &piece, s, &local);
        bool is_long;

        if (slot != LOCAL_NEVER)
            return slot;
        if (piece.end == TZ_TIME_MAX)
            return LOCAL_NEVER;
        /* Nothing before `local` matches on any clock, once the start is FAR behind. */
        is_long = piece.end - s >= FAR;
        if (is_long && local == LOCAL_NEVER)
            return LOCAL_NEVER;
        s = is_long ? max64(piece.end, local - piece.offset - FAR) : piece.end;
    }
    return LOCAL_NEVER;
}

static int64_t walk_down(const struct pattern *p, int64_t s)
{
    s = min64(s, S_LAST);
    while (s >= S_FIRST) {
        struct piece piece = piece_at(p->tz, s);
        int64_t local, slot = piece_down(p, &piece, s, &local);
        bool is_long;

        if (slot != LOCAL_NONE)
            return slot;
        if (piece.start == TZ_TIME_MIN)
            return LOCAL_NONE;
        is_long = s - piece.start >= FAR;
        if (is_long && local == LOCAL_NONE)
            return LOCAL_NONE;
        s = is_long ? min64(piece.start - 1, local - piece.offset + FAR) : piece.start - 1;
    }
    return LOCAL_NONE;
}

/*
 * The instant of a match that lies beyond the segment one stands in, when no clock change is
 * near it either: nothing in between matches on any clock.  LOCAL_NEVER: walk there.
 */
static int64_t leap(const struct tz *tz, const struct tz_seg *seg, int64_t local)
{
    const struct tz_seg *to;
    int64_t slot;

    if (local > S_LAST || tz_wrap(tz, local + FAR) != 0)
        return LOCAL_NEVER;
    to = &tz->seg[tz_find(tz, local - seg->offset)];
    slot = local - to->offset;
    return slot >= to->calm_from && slot < to->calm_until ? slot : LOCAL_NEVER;
}

int64_t cron_next(const struct cron *cron, const struct tz *tz, struct dst_cell dst, int64_t s)
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
        int64_t slot = leap(tz, seg, local);

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

enum local_touch local_touch(const struct tz *tz, int64_t s)
{
    struct piece piece = piece_at(tz, s);
    int64_t since, left;

    if (piece.start != TZ_TIME_MIN) {
        since = s - piece.start;
        if (since < piece.offset - piece.prev_offset)
            return TOUCH_AFTER_GAP;
        if (since < piece.prev_offset - piece.offset)
            return TOUCH_FOLD_SECOND;
    }
    if (piece.end != TZ_TIME_MAX) {
        left = piece.end - s;
        if (left <= piece.offset - piece.next_offset)
            return TOUCH_FOLD_FIRST;
    }
    return TOUCH_NONE;
}
