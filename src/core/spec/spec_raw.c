/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The union of the entries of a spec: the nearest candidate, with the first entry that has it.
 */
#include "base/must.h"
#include "core/spec/interval.h"
#include "core/spec/spec_search.h"

static void add_irregular(struct search *search, instant from, instant until)
{
    search->irregular_from = from < search->irregular_from ? from : search->irregular_from;
    search->irregular_until = until > search->irregular_until ? until : search->irregular_until;
}

bool spec_follows(const struct spec *spec)
{
    for (int i = 0; i < spec->entry_count; i++)
        if (spec->entries[i].kind == ENTRY_INTERVAL &&
            interval_follows(&spec->entries[i].interval))
            return true;
    return false;
}

struct search search_begin(const struct spec *spec, const struct spec_ctx *ctx)
{
    struct search search = {.spec = spec,
                            .ctx = ctx,
                            .steps = SPEC_STEPS_MAX,
                            .irregular_from = spec->irregular_from,
                            .irregular_until = spec->irregular_until,
                            .first = INSTANT_MIN,
                            .last = INSTANT_MAX,
                            .back_to = INSTANT_NEVER};

    must(ctx->created >= INSTANT_MIN && ctx->created <= INSTANT_MAX);
    if (spec->at_count > 0)
        add_irregular(&search, ctx->created, ctx->created);
    for (int i = 0; ctx->calendars && i < spec->not_named_count; i++) {
        const struct day_set *set = &ctx->calendars[i];

        if (set->count > 0)
            add_irregular(&search, (set->days[0] - 2) * SPAN_DAY,
                          (set->days[set->count - 1] + 2) * SPAN_DAY);
    }
    return search;
}

/*
 * Years of one kind are equal, so a search that has covered each kind proves that there is no
 * slot.  A shift may cross the end of a year; then only the whole 400 years are a proof.
 */
static span proof_span(const struct spec *spec)
{
    int years = spec->shift == SHIFT_NONE ? ALL_KINDS_YEARS : CYCLE_YEARS;

    return (years + 2) * 366 * SPAN_DAY;
}

instant search_proof_up(const struct search *search, instant t)
{
    span length = proof_span(search->spec);

    t = t < INSTANT_MIN ? INSTANT_MIN : t;
    return t > INSTANT_MAX - length ? INSTANT_MAX : t + length;
}

instant search_proof_down(const struct search *search, instant t)
{
    span length = proof_span(search->spec);

    t = t > INSTANT_MAX ? INSTANT_MAX : t;
    return t < INSTANT_MIN + length ? INSTANT_MIN : t - length;
}

instant search_reach_up(const struct search *search, instant t)
{
    return search_proof_up(search, t < search->irregular_until ? search->irregular_until : t);
}

instant search_reach_down(const struct search *search, instant t)
{
    return search_proof_down(search, t > search->irregular_from ? search->irregular_from : t);
}

void search_from(struct search *search, instant t)
{
    if (!search->spec->repeats)
        return;
    search->first = search_reach_down(search, t);
    search->last = search_reach_up(search, t);
}

bool search_continues(struct search *search)
{
    return --search->steps > 0;
}

static struct pattern entry_pattern(const struct spec *spec, const struct entry *entry)
{
    bool is_cron = entry->kind == ENTRY_CRON;

    return (struct pattern){.cron = is_cron ? &entry->cron : NULL,
                            .rrule = is_cron ? NULL : entry->rrule,
                            .tz = spec->zones[entry->zone].tz,
                            .dst = entry->dst};
}

/* `@every` of cron counts in whole seconds, an interval in milliseconds. */
static instant origin_time(const struct entry *entry, instant t)
{
    if (t == INSTANT_NONE || t == INSTANT_NEVER)
        return t;
    return entry->list == LIST_CRON ? instant_of_seconds(instant_seconds(t)) : t;
}

struct interval_origin entry_origin(const struct search *search, const struct entry *entry)
{
    const struct spec_ctx *ctx = search->ctx;

    return (struct interval_origin){.created = origin_time(entry, ctx->created),
                                    .last_start = origin_time(entry, ctx->last_start),
                                    .last_end = origin_time(entry, ctx->last_end),
                                    .tz = search->spec->zones[entry->zone].tz};
}

/* Milliseconds of a minute: the first member of any part at or after `ms`, or -1. */
static int32_t part_next(const struct cron *cron, int32_t ms)
{
    int32_t best = -1;

    for (int i = 0; i < cron->parts; i++) {
        const struct cron_part *part = &cron->part[i];
        int32_t at = part->from;

        if (at < ms && part->step > 0)
            at += (ms - at + part->step - 1) / part->step * part->step;
        if (at >= ms && at <= part->to && (best < 0 || at < best))
            best = at;
    }
    return best;
}

static int32_t part_prev(const struct cron *cron, int32_t ms)
{
    int32_t best = -1;

    for (int i = 0; i < cron->parts; i++) {
        const struct cron_part *part = &cron->part[i];
        int32_t top = ms < part->to ? ms : part->to;

        if (top < part->from)
            continue;
        if (part->step > 0)
            top = part->from + (top - part->from) / part->step * part->step;
        else
            top = part->from;
        if (top > best)
            best = top;
    }
    return best;
}

/*
 * The milliseconds of the first slot in second `s` from `from` on, or of the last up to it; -1
 * if there is none.  A slot that a gap rule moved here (the clock does not match) keeps its
 * fraction under GAP_SHIFT; under GAP_NEXT it is a whole second.
 */
static int32_t fraction_in(const struct pattern *p, int64_t s, int32_t from, bool is_up)
{
    int64_t local = s + tz_offset(p->tz, s);
    int32_t second = (int32_t)(local - floor_div(local, 60) * 60);
    int32_t ms;

    if (!cron_matches(p->cron, local) &&
        (p->dst.gap != GAP_SHIFT || !(p->cron->second >> second & 1)))
        return (is_up ? from <= 0 : from >= 0) ? 0 : -1;
    ms = is_up ? part_next(p->cron, second * 1000 + from)
               : part_prev(p->cron, second * 1000 + from);
    return ms >= second * 1000 && ms < (second + 1) * 1000 ? ms - second * 1000 : -1;
}

static instant fraction_next(const struct pattern *p, instant after)
{
    int64_t s = instant_seconds(after);
    int32_t from = (int32_t)((after - instant_of_seconds(s)) / SPAN_MS) + 1;

    for (;;) {
        int64_t found = pattern_next(p, s);
        int32_t ms;

        if (found > INSTANT_MAX / SPAN_S)
            return INSTANT_NEVER;
        ms = fraction_in(p, found, found == s ? from : 0, true);
        if (ms >= 0)
            return instant_of_seconds(found) + ms * SPAN_MS;
        s = found + 1;
        from = 0;
    }
}

static instant fraction_prev(const struct pattern *p, instant before)
{
    instant last = before - 1;
    int64_t s = instant_seconds(last);
    int32_t from = (int32_t)((last - instant_of_seconds(s)) / SPAN_MS);

    for (;;) {
        int64_t found = pattern_prev(p, s);
        int32_t ms;

        if (found < INSTANT_MIN / SPAN_S)
            return INSTANT_NONE;
        ms = fraction_in(p, found, found == s ? from : 999, false);
        if (ms >= 0)
            return instant_of_seconds(found) + ms * SPAN_MS;
        s = found - 1;
        from = 999;
    }
}

/*
 * A slot that counts from a run is moved back only to a day after the day of that run [T-52]:
 * only slots before the result are moved.
 */
static instant moved_until(const struct search *search, const struct entry *entry)
{
    if (search->back_to == INSTANT_NEVER || !interval_follows(&entry->interval))
        return INSTANT_NEVER;
    return search->back_to + entry->interval.every;
}

/* A slot whose time came before a run started counts from the end of an earlier run. */
static instant kept_slot(const struct search *search, const struct entry *entry)
{
    return entry->interval.anchor == ANCHOR_COMPLETION ? search->ctx->kept : INSTANT_NONE;
}

static instant interval_entry_next(const struct search *search, const struct entry *entry,
                                   instant after)
{
    struct interval_origin origin = entry_origin(search, entry);
    instant t = interval_next(&entry->interval, &origin, after);
    instant kept = kept_slot(search, entry);

    t = kept > after && kept < t ? kept : t;
    return t < moved_until(search, entry) ? t : INSTANT_NEVER;
}

static instant interval_entry_prev(const struct search *search, const struct entry *entry,
                                   instant before)
{
    struct interval_origin origin = entry_origin(search, entry);
    instant end = moved_until(search, entry), kept = kept_slot(search, entry), t;

    before = before < end ? before : end;
    if (before <= INSTANT_MIN)
        return INSTANT_NONE;
    t = interval_prev(&entry->interval, &origin, before);
    return kept < before && kept > t ? kept : t;
}

static instant entry_next(const struct search *search, const struct entry *entry, instant after)
{
    struct pattern p;
    int64_t s;

    if (entry->kind == ENTRY_INTERVAL)
        return interval_entry_next(search, entry, after);
    p = entry_pattern(search->spec, entry);
    if (entry->kind == ENTRY_CRON && (entry->cron.flags & CRON_FRACTION))
        return fraction_next(&p, after);
    s = pattern_next(&p, instant_seconds(after) + 1);
    if (s == LOCAL_NEVER || s > INSTANT_MAX / SPAN_S)
        return INSTANT_NEVER;
    if (entry->kind == ENTRY_RRULE && instant_of_seconds(s) > entry->rrule_end)
        return INSTANT_NEVER;
    return instant_of_seconds(s);
}

static instant entry_prev(const struct search *search, const struct entry *entry,
                          instant before)
{
    struct pattern p;
    int64_t s;

    if (entry->kind == ENTRY_INTERVAL)
        return interval_entry_prev(search, entry, before);
    p = entry_pattern(search->spec, entry);
    if (entry->kind == ENTRY_CRON && (entry->cron.flags & CRON_FRACTION))
        return fraction_prev(&p, before);
    if (entry->kind == ENTRY_RRULE && before > entry->rrule_end)
        before = entry->rrule_end + 1;
    s = pattern_prev(&p, instant_seconds(before - 1));
    return s == LOCAL_NONE || s < INSTANT_MIN / SPAN_S ? INSTANT_NONE : instant_of_seconds(s);
}

instant spec_at_time(const struct search *search, int i)
{
    instant at = search->spec->at[i].at;

    return at == INSTANT_NONE ? floor_div(search->ctx->created, SPAN_MS) * SPAN_MS : at;
}

/* "Now" is stored as INSTANT_NONE: it sorts first, but may have any time. */
static int at_sorted_from(const struct spec *spec)
{
    int i = 0;

    while (i < spec->at_count && spec->at[i].at == INSTANT_NONE)
        i++;
    return i;
}

/* Index of the first one-off strictly after `after`, among the sorted ones. */
static int at_search(const struct spec *spec, int from, instant after)
{
    int low = from, high = spec->at_count;

    while (low < high) {
        int mid = low + (high - low) / 2;

        if (spec->at[mid].at > after)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

static instant at_next(const struct search *search, instant after, int *ret_index)
{
    int from = at_sorted_from(search->spec);
    int i = at_search(search->spec, from, after);
    instant best = i < search->spec->at_count ? search->spec->at[i].at : INSTANT_NEVER;

    *ret_index = i;
    if (from > 0 && spec_at_time(search, 0) > after && spec_at_time(search, 0) <= best) {
        best = spec_at_time(search, 0);
        *ret_index = 0;
    }
    return best;
}

static instant at_prev(const struct search *search, instant before, int *ret_index)
{
    int from = at_sorted_from(search->spec);
    int i = at_search(search->spec, from, before - 1) - 1;
    instant best = i >= from ? search->spec->at[i].at : INSTANT_NONE;

    /* Of equal times, report the one written first. */
    while (i > from && search->spec->at[i - 1].at == best)
        i--;
    *ret_index = i;
    if (from > 0 && spec_at_time(search, 0) < before && spec_at_time(search, 0) >= best) {
        best = spec_at_time(search, 0);
        *ret_index = 0;
    }
    return best;
}

instant raw_next(const struct search *search, instant after, int *ret_entry)
{
    const struct spec *spec = search->spec;
    instant best = INSTANT_NEVER, t;
    int index;

    if (after < INSTANT_MIN)
        after = INSTANT_MIN - 1;
    if (after >= INSTANT_MAX || !budget_spend(search->ctx->budget, spec->entry_count + 1))
        return INSTANT_NEVER;
    for (int i = 0; i < spec->entry_count; i++) {
        if (spec->entries[i].covered)
            continue;
        t = entry_next(search, &spec->entries[i], after);
        if (t < best) {
            best = t;
            *ret_entry = i;
        }
    }
    if (spec->at_count > 0) {
        t = at_next(search, after, &index);
        if (t < best) {
            best = t;
            *ret_entry = spec->entry_count + index;
        }
    }
    return best;
}

instant raw_prev(const struct search *search, instant before, int *ret_entry)
{
    const struct spec *spec = search->spec;
    instant best = INSTANT_NONE, t;
    int index;

    if (before > INSTANT_MAX)
        before = INSTANT_MAX;
    if (before <= INSTANT_MIN || !budget_spend(search->ctx->budget, spec->entry_count + 1))
        return INSTANT_NONE;
    for (int i = 0; i < spec->entry_count; i++) {
        if (spec->entries[i].covered)
            continue;
        t = entry_prev(search, &spec->entries[i], before);
        if (t > best) {
            best = t;
            *ret_entry = i;
        }
    }
    if (spec->at_count > 0) {
        t = at_prev(search, before, &index);
        if (t > best) {
            best = t;
            *ret_entry = spec->entry_count + index;
        }
    }
    return best;
}
