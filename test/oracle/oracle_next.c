/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the slots of a rule in a zone by walking.  See oracle_next.h.
 */
#include "oracle_next.h"

#include <stdlib.h>
#include <string.h>

#include "oracle_civil.h"

enum {
    GAP_MAX = 3 * 3600, /* longer gaps are skipped under every policy */

    /*
     * RFC 9636 keeps offsets between -25 h and +26 h, so that two instants with the same
     * local second are less than this apart.
     */
    REACH = 52 * 3600,
    SPANS_MAX = 4000,  /* a clock with more starts again: 2,000 years of summer times */
    SEARCH_YEARS = 800 /* twice the cycle of the calendar: zones repeat after decades */
};

void oracle_clock_free(struct oracle_clock *clock)
{
    free(clock->span);
    memset(clock, 0, sizeof *clock);
}

static void add_span(struct oracle_clock *clock, int64_t begin)
{
    if (clock->count == clock->capacity) {
        clock->capacity = clock->capacity * 2 + 16;
        clock->span = realloc(clock->span, clock->capacity * sizeof *clock->span);
        oracle_need(clock->span != NULL);
    }
    clock->span[clock->count++] = (struct oracle_span){
        begin, oracle_tz_change(clock->tz, begin), oracle_tz_offset(clock->tz, begin)};
}

/* Extends the clock to all instants within reach of `instant`; returns the span of it. */
static size_t span_of(struct oracle_clock *clock, int64_t instant, size_t hint)
{
    int64_t from = instant - REACH;
    bool is_held = clock->count > 0 && clock->span[0].begin <= from &&
                   instant < clock->span[clock->count - 1].end && clock->count < SPANS_MAX;

    if (!is_held && hint == 0) {
        clock->count = 0;
        add_span(clock, from);
    }
    while (clock->span[clock->count - 1].end <= instant + REACH)
        add_span(clock, clock->span[clock->count - 1].end);
    while (clock->span[hint].end <= instant)
        hint++;
    return hint;
}

/*
 * Seconds from a local second to the next that can match: 0 if it matches itself, otherwise to
 * the start of the next year, month, day, hour, minute or second, by the largest unit that does
 * not match.
 */
static int64_t wait_for(struct oracle_rule *rule, int64_t local)
{
    int64_t day = oracle_floor_div(local, ORACLE_DAY_SECONDS);
    int64_t midnight = day * ORACLE_DAY_SECONDS;
    int second = (int)(local - midnight);

    if (!oracle_day_matches(rule, day)) {
        struct oracle_date date = oracle_date_of(day);
        int64_t next = day + 1;
        if (!oracle_has(rule, ORACLE_YEAR, date.year))
            next = oracle_day_number(date.year + 1, 1, 1);
        else if (!oracle_has(rule, ORACLE_MONTH, date.month))
            next = day + oracle_month_length(date.year, date.month) - date.day + 1;
        return next * ORACLE_DAY_SECONDS - local;
    }
    if (!oracle_has(rule, ORACLE_HOUR, second / 3600))
        return 3600 - second % 3600;
    if (!oracle_has(rule, ORACLE_MINUTE, second / 60 % 60))
        return 60 - second % 60;
    return oracle_has(rule, ORACLE_SECOND, second % 60) ? 0 : 1;
}

/* True if any local second of [from, to) matches. */
static bool any_matches(struct oracle_rule *rule, int64_t from, int64_t to)
{
    while (from < to) {
        int64_t wait = wait_for(rule, from);
        if (wait == 0)
            return true;
        from += wait;
    }
    return false;
}

/* True if a span has an instant with this local second. */
static bool span_shows(const struct oracle_span *span, int64_t local)
{
    int64_t instant = local - span->offset;

    return instant >= span->begin && instant < span->end;
}

/* True if the fold policy selects this instant among those with the same local second. */
static bool fold_takes(const struct oracle_clock *clock, size_t index, int64_t instant,
                       enum oracle_fold fold)
{
    int64_t local = instant + clock->span[index].offset;

    if (fold == ORACLE_FOLD_FIRST) {
        for (size_t i = index; i > 0 && clock->span[i - 1].end > instant - REACH; i--) {
            if (span_shows(&clock->span[i - 1], local))
                return false;
        }
    }
    if (fold == ORACLE_FOLD_LAST) {
        for (size_t i = index + 1; i < clock->count; i++) {
            if (span_shows(&clock->span[i], local))
                return false;
        }
    }
    return true;
}

/* Seconds that the change at the start of a span skips; 0 if it is too long to matter. */
static int32_t gap_before(const struct oracle_clock *clock, size_t index)
{
    if (index == 0)
        return 0;
    int32_t gap = clock->span[index].offset - clock->span[index - 1].offset;
    return gap > 0 && gap <= GAP_MAX ? gap : 0;
}

/*
 * Seconds until an instant may be a slot by the policy of a gap that ended at most three hours
 * before: 0 if it is a slot, INT64_MAX if those gaps have no more slots.
 */
static int64_t gap_wait(const struct oracle_clock *clock, size_t index,
                        struct oracle_rule *rule, enum oracle_gap policy, int64_t instant)
{
    int64_t least = INT64_MAX;

    for (size_t i = index; i > 0 && clock->span[i].begin > instant - GAP_MAX; i--) {
        int64_t change = clock->span[i].begin;
        int32_t old = clock->span[i - 1].offset;
        int32_t gap = gap_before(clock, i);
        if (policy == ORACLE_GAP_NEXT && instant == change &&
            any_matches(rule, change + old, change + old + gap))
            return 0;
        if (policy == ORACLE_GAP_SHIFT && instant < change + gap) {
            int64_t wait = wait_for(rule, instant + old);
            if (instant + wait < change + gap && wait < least)
                least = wait;
        }
    }
    return least;
}

/* Seconds to the next instant that may be a slot; 0 if this one is. */
static int64_t slot_wait(const struct oracle_clock *clock, size_t index,
                         struct oracle_rule *rule, struct oracle_policy policy, int64_t instant)
{
    const struct oracle_span *span = &clock->span[index];
    int64_t wait = wait_for(rule, instant + span->offset);
    int64_t by_gap = gap_wait(clock, index, rule, policy.gap, instant);

    if (wait == 0 && !fold_takes(clock, index, instant, policy.fold))
        wait = 1;
    if (by_gap < wait)
        wait = by_gap;
    /* The clock changes at the end of the span: that instant is tested separately. */
    return instant + wait > span->end ? span->end - instant : wait;
}

static int64_t every_next(const struct oracle_rule *rule, int64_t after)
{
    if (rule->from_after)
        return after + rule->every;
    return (oracle_floor_div(after - rule->phase, rule->every) + 1) * rule->every + rule->phase;
}

/* The first instant from `instant` up to `last` that is a slot by the fields. */
static bool walk_to_slot(struct oracle_clock *clock, struct oracle_rule *rule,
                         struct oracle_policy policy, int64_t instant, int64_t last,
                         int64_t *ret)
{
    size_t index = 0;

    while (instant <= last) {
        index = span_of(clock, instant, index);
        int64_t wait = slot_wait(clock, index, rule, policy, instant);
        if (wait == 0) {
            *ret = instant;
            return true;
        }
        instant += wait;
    }
    return false;
}

bool oracle_next(struct oracle_clock *clock, struct oracle_rule *rule,
                 struct oracle_policy policy, int64_t after, int64_t *ret)
{
    int64_t from, to;
    int64_t last = after + (int64_t)SEARCH_YEARS * 366 * ORACLE_DAY_SECONDS;

    oracle_horizon(rule, &from, &to);
    if (after < from)
        after = from - 1;
    if (last >= to)
        last = to - 1;
    if (rule->every == 0)
        return walk_to_slot(clock, rule, policy, after + 1, last, ret);
    *ret = every_next(rule, after);
    return *ret < to;
}

int oracle_list(struct oracle_clock *clock, struct oracle_rule *rule,
                struct oracle_policy policy, int64_t after, int count, int64_t *ret)
{
    int found = 0;

    while (found < count && oracle_next(clock, rule, policy, after, &ret[found]))
        after = ret[found++];
    return found;
}

int oracle_policy_of(const struct oracle_rule *rule, const char *dst, struct oracle_policy *ret)
{
    static const char *const gaps[] = {"skip", "next", "shift"};
    static const char *const folds[] = {"first", "last", "both"};
    static const struct {
        const char *name;
        struct oracle_policy policy;
    } named[] = {{"literal", {ORACLE_GAP_SKIP, ORACLE_FOLD_BOTH}},
                 {"once", {ORACLE_GAP_SKIP, ORACLE_FOLD_FIRST}},
                 {"last", {ORACLE_GAP_SKIP, ORACLE_FOLD_LAST}},
                 {"shift", {ORACLE_GAP_SHIFT, ORACLE_FOLD_FIRST}}};

    if (dst == NULL)
        dst = oracle_default_dst(rule);
    if (strcmp(dst, "vixie") == 0) {
        *ret = rule->interval ? (struct oracle_policy){ORACLE_GAP_SKIP, ORACLE_FOLD_BOTH}
                              : (struct oracle_policy){ORACLE_GAP_NEXT, ORACLE_FOLD_FIRST};
        return 0;
    }
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        if (strcmp(dst, named[i].name) == 0) {
            *ret = named[i].policy;
            return 0;
        }
    }
    for (int i = 0; i < 9; i++) {
        size_t length = strlen(gaps[i / 3]);
        if (strncmp(dst, gaps[i / 3], length) == 0 && dst[length] == '/' &&
            strcmp(dst + length + 1, folds[i % 3]) == 0) {
            *ret = (struct oracle_policy){(enum oracle_gap)(i / 3), (enum oracle_fold)(i % 3)};
            return 0;
        }
    }
    return -1;
}
