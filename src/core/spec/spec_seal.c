/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes the members of a spec that follow from the others: which entries have no slots, and
 * between which times the years of one kind may differ.
 */
#include "base/must.h"
#include "core/spec/spec_search.h"

/* True if every time of day of `a` is also one of `b`. */
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

/* True if a time of the entry is in some gap of the zone and a rule moves it. */
static bool may_be_moved(const struct spec *spec, const struct entry *entry)
{
    const struct tz *tz = spec->zones[0].tz;

    if (entry->dst.gap == GAP_SKIP && spec->shift == SHIFT_NONE)
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

/* Extends the times at which years of the same kind may differ. */
static void add_irregular(struct spec *spec, instant from, instant until)
{
    /* The local times of a date are within two days of it. */
    from = from < INSTANT_MIN + 2 * SPAN_DAY ? INSTANT_MIN : from - 2 * SPAN_DAY;
    until = until > INSTANT_MAX - 2 * SPAN_DAY ? INSTANT_MAX : until + 2 * SPAN_DAY;
    spec->irregular_from = from < spec->irregular_from ? from : spec->irregular_from;
    spec->irregular_until = until > spec->irregular_until ? until : spec->irregular_until;
}

static void add_irregular_years(struct spec *spec, const struct cron *cron)
{
    if (!(cron->flags & CRON_ANY_YEAR))
        add_irregular(spec, day_of_date(CRON_YEAR_MIN, 1, 1) * SPAN_DAY,
                      day_of_date(CRON_YEAR_MAX + 1, 1, 1) * SPAN_DAY);
}

static void add_irregular_zone(struct spec *spec, const struct tz *tz)
{
    int64_t until = tz->cycle_from;

    if (tz->count == 1)
        return;
    if (until == TZ_TIME_MAX)
        until = tz->seg[tz->count - 1].start;
    add_irregular(spec, instant_of_seconds(tz->seg[1].start), instant_of_seconds(until));
}

/* Finds the period outside of which only the kind of the year matters. */
static void find_irregular(struct spec *spec)
{
    spec->irregular_from = INSTANT_MAX;
    spec->irregular_until = INSTANT_MIN;
    for (int i = 0; i < spec->zone_count; i++)
        add_irregular_zone(spec, spec->zones[i].tz);
    for (int i = 0; i < spec->entry_count; i++)
        if (spec->entries[i].kind == ENTRY_CRON)
            add_irregular_years(spec, &spec->entries[i].cron);
    for (int i = 0; i < spec->not_cron_count; i++)
        add_irregular_years(spec, &spec->not_crons[i]);
    if (spec->not_date_count > 0)
        add_irregular(spec, spec->not_dates[0] * SPAN_DAY,
                      spec->not_dates[spec->not_date_count - 1] * SPAN_DAY);
    for (int i = 0; i < spec->at_count; i++)
        if (spec->at[i].at != INSTANT_NONE)
            add_irregular(spec, spec->at[i].at, spec->at[i].at);
    if (spec->start != INSTANT_NONE)
        add_irregular(spec, spec->start, spec->start);
    if (spec->end != INSTANT_NEVER)
        add_irregular(spec, spec->end, spec->end);
}

/* True if an entry has the same times in all years of one kind. */
static bool entry_repeats(const struct entry *entry)
{
    if (entry->kind == ENTRY_INTERVAL)
        return entry->interval.anchor == ANCHOR_MIDNIGHT ||
               (entry->interval.anchor == ANCHOR_EPOCH &&
                SPAN_DAY % entry->interval.every == 0);
    return entry->kind == ENTRY_CRON;
}

/* True if the entry never matches. */
static bool never_matches(const struct entry *entry)
{
    if (entry->kind == ENTRY_CRON)
        return cron_next_local(&entry->cron, LOCAL_NONE) == LOCAL_NEVER;
    return entry->kind == ENTRY_RRULE &&
           rrule_next_local(entry->rrule, entry->rrule->start) == LOCAL_NEVER;
}

/* The seconds of each minute that the exclusions together remove on every day. */
struct removed {
    uint64_t minute[DAY_SECONDS / 60];
    bool is_all;
};

static void find_removed(const struct spec *spec, struct removed *ret)
{
    memset(ret->minute, 0, sizeof ret->minute);
    for (int i = 0; i < spec->not_cron_count; i++) {
        const struct cron *excluded = &spec->not_crons[i];

        for (int m = 0; (excluded->flags & CRON_EVERY_DAY) && m < DAY_SECONDS / 60; m++)
            if ((excluded->hour >> m / 60 & 1) && (excluded->minute >> m % 60 & 1))
                ret->minute[m] |= excluded->second;
    }
    ret->is_all = true;
    for (int m = 0; m < DAY_SECONDS / 60 && ret->is_all; m++)
        ret->is_all = ret->minute[m] == (UINT64_C(1) << 60) - 1;
}

static bool is_removed(const struct cron *cron, const struct removed *removed)
{
    for (int m = 0; m < DAY_SECONDS / 60; m++)
        if ((cron->hour >> m / 60 & 1) && (cron->minute >> m % 60 & 1) &&
            (cron->second & ~removed->minute[m]))
            return false;
    return true;
}

/* `removed` is NULL if no cron is excluded. */
static bool is_covered(const struct spec *spec, const struct entry *entry,
                       const struct removed *removed)
{
    bool covered;

    if ((removed && removed->is_all) || never_matches(entry))
        return true;
    if (entry->kind != ENTRY_CRON || entry->zone != 0)
        return false;
    covered = removed && is_removed(&entry->cron, removed);
    for (int j = 0; j < spec->not_cron_count && !covered && spec->shift == SHIFT_NONE; j++)
        covered = is_within(&entry->cron, &spec->not_crons[j]) &&
                  has_same_days(&entry->cron, &spec->not_crons[j]);
    return covered && !may_be_moved(spec, entry);
}

static void mark_covered(struct spec *spec, const struct removed *removed)
{
    spec->repeats = true;
    for (int i = 0; i < spec->entry_count; i++) {
        struct entry *entry = &spec->entries[i];

        entry->covered = is_covered(spec, entry, removed);
        spec->repeats = spec->repeats && (entry->covered || entry_repeats(entry));
    }
}

/* Not inlined, so that only specs with excluded crons pay for the stack space of `removed`. */
static __attribute__((noinline)) void mark_covered_by_crons(struct spec *spec)
{
    struct removed removed;

    find_removed(spec, &removed);
    mark_covered(spec, &removed);
}

static void seal_shaped(struct spec *spec)
{
    find_irregular(spec);
    if (spec->not_cron_count > 0)
        mark_covered_by_crons(spec);
    else
        mark_covered(spec, NULL);
}

void spec_seal(struct spec *spec)
{
    spec->simple = is_simple(spec);
    if (!spec->simple) {
        seal_shaped(spec);
        return;
    }
    /* The search of a single cron proves by itself that there is no slot. */
    spec->irregular_from = INSTANT_MIN;
    spec->irregular_until = INSTANT_MAX;
}
