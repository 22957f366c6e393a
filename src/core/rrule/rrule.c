/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for the next and previous instance of a recurrence rule.
 */
#include "core/rrule/rrule.h"

#include "base/must.h"
#include "core/cron/cron.h"
#include "core/rrule/rrule_days.h"
#include "core/rrule/rrule_times.h"
#include "core/time/civil.h"

#define ALL_SIXTY ((UINT64_C(1) << 60) - 1)
#define ALL_HOURS ((UINT32_C(1) << 24) - 1)

/* The first and last local second of the calendar. */
#define LOCAL_FIRST (DAY_MIN * DAY_SECONDS)
#define LOCAL_LAST  (DAY_MAX * DAY_SECONDS + DAY_SECONDS - 1)

#define CYCLE_SECONDS (CYCLE_DAYS * DAY_SECONDS)

/* 1970-01-01 was a Thursday: the Sunday of that week is day -4. */
#define WEEK_ZERO (-4)

/*
 * The data of one search.  YEARLY, MONTHLY and WEEKLY have periods of many days; an instance is
 * a matching day of a period at one of the times `expand`.  DAILY to SECONDLY have periods of
 * `unit` seconds; a period matches if its day matches and its start is in `filter`, and an
 * instance is its start plus one of `expand`.
 */
struct search {
    const struct rrule *rule;
    struct rrule_days days;
    struct rrule_times filter, expand;
    int64_t unit; /* 0: YEARLY, MONTHLY, WEEKLY                 */
    int64_t step; /* seconds from period to period, if unit > 0 */
    int64_t base; /* start of the period that contains DTSTART  */
};

/* The index of BYSETPOS item `position` in a set of `count`; -1: outside. */
static int position_index(int position, int count)
{
    int index = position > 0 ? position - 1 : count + position;

    return index >= 0 && index < count ? index : -1;
}

static int64_t period_unit(const struct rrule *rule)
{
    switch ((enum rrule_freq)rule->freq) {
    case RRULE_DAILY:
        return DAY_SECONDS;
    case RRULE_HOURLY:
        return HOUR_SECONDS;
    case RRULE_MINUTELY:
        return 60;
    case RRULE_SECONDLY:
        return 1;
    case RRULE_YEARLY:
    case RRULE_MONTHLY:
    case RRULE_WEEKLY:
        break;
    }
    return 0;
}

/* A part below FREQ expands, with DTSTART as default; a part at or above FREQ filters. */
static void set_times(struct search *p)
{
    const struct rrule *rule = p->rule;
    struct civil start = civil_of_local(rule->start);

    p->filter = p->expand = (struct rrule_times){.hour = 1, .minute = 1, .second = 1};
    if (rule->freq < RRULE_HOURLY)
        p->expand.hour = rule->by_hour ? rule->by_hour : UINT32_C(1) << start.hour;
    else
        p->filter.hour = rule->by_hour ? rule->by_hour : ALL_HOURS;
    if (rule->freq < RRULE_MINUTELY)
        p->expand.minute = rule->by_minute ? rule->by_minute : UINT64_C(1) << start.minute;
    else
        p->filter.minute = rule->by_minute ? rule->by_minute : ALL_SIXTY;
    /* Bit 60 is a leap second, which Belfry does not have. */
    if (rule->freq < RRULE_SECONDLY)
        p->expand.second = rule->by_second ? rule->by_second & ALL_SIXTY
                                           : UINT64_C(1) << start.second;
    else
        p->filter.second = rule->by_second ? rule->by_second & ALL_SIXTY : ALL_SIXTY;
}

static struct search new_search(const struct rrule *rule)
{
    struct search p = {.rule = rule, .days = rrule_days(rule), .unit = period_unit(rule)};

    must(rule->interval > 0 && rule->freq <= RRULE_SECONDLY);
    must(rule->start >= LOCAL_FIRST && rule->start <= LOCAL_LAST);
    set_times(&p);
    if (p.unit > 0) {
        p.step = p.unit * rule->interval;
        p.base = floor_div(rule->start, p.unit) * p.unit;
    }
    return p;
}

static int64_t gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/*
 * True if a period can start at a time of `filter` on some day.  Over all days, periods start
 * at the times of day that equal `base` modulo gcd(step, day).
 */
static bool steps_can_match(const struct search *p)
{
    int grid = (int)gcd(p->step, DAY_SECONDS);
    int tod = (int)(p->base - floor_div(p->base, grid) * grid);

    while (tod < DAY_SECONDS) {
        int next = rrule_times_next(&p->filter, tod);

        if (next < 0)
            return false;
        if (next == tod)
            return true;
        tod += (next - tod + grid - 1) / grid * grid;
    }
    return false;
}

/* After this many failed tries, the search computes how many tries it needs at most. */
enum { TRIES_CHECK = 32 };

/* More tries find nothing new: the starts and their dates repeat. */
static int64_t max_unit_tries(const struct search *p)
{
    int64_t distinct = CYCLE_SECONDS / gcd(p->step, CYCLE_SECONDS) + 1;

    if (!steps_can_match(p))
        return 0;
    return distinct < RRULE_TRIES_MAX ? distinct : RRULE_TRIES_MAX;
}

/* First start of a matching period at or after `at`; LOCAL_NEVER if there is none. */
static int64_t next_unit_start(const struct search *p, int64_t at)
{
    int64_t tries = RRULE_TRIES_MAX;

    for (int64_t i = 0; i < tries; i++) {
        int64_t day, match;
        int next;

        at = p->base + (at - p->base + p->step - 1) / p->step * p->step;
        if (at > LOCAL_LAST)
            break;
        day = floor_div(at, DAY_SECONDS);
        match = day + CYCLE_DAYS < DAY_MAX ? day + CYCLE_DAYS : DAY_MAX;
        if (!rrule_days_next(&p->days, day, match, &match))
            break;
        next = rrule_times_next(&p->filter, match == day ? (int)(at - day * DAY_SECONDS) : 0);
        if (match * DAY_SECONDS + next == at)
            return at;
        at = next < 0 ? (match + 1) * DAY_SECONDS : match * DAY_SECONDS + next;
        if (i == TRIES_CHECK)
            tries = max_unit_tries(p);
    }
    return LOCAL_NEVER;
}

/* Last start of a matching period at or before `at`; LOCAL_NONE if there is none. */
static int64_t prev_unit_start(const struct search *p, int64_t at)
{
    int64_t tries = RRULE_TRIES_MAX, first = floor_div(p->base, DAY_SECONDS);

    for (int64_t i = 0; i < tries; i++) {
        int64_t day, match;
        int prev;

        at = p->base + floor_div(at - p->base, p->step) * p->step;
        if (at < p->base)
            break;
        day = floor_div(at, DAY_SECONDS);
        match = day - CYCLE_DAYS > first ? day - CYCLE_DAYS : first;
        if (!rrule_days_prev(&p->days, match, day, &match))
            break;
        prev = rrule_times_prev(&p->filter,
                                match == day ? (int)(at - day * DAY_SECONDS) : DAY_SECONDS - 1);
        if (prev >= 0 && match * DAY_SECONDS + prev == at)
            return at;
        at = match * DAY_SECONDS + prev;
        if (i == TRIES_CHECK)
            tries = max_unit_tries(p);
    }
    return LOCAL_NONE;
}

/* First or last instance of a period with an offset in [from, to]; -1: none. */
static int pick_in_unit(const struct search *p, int from, int to, bool last)
{
    const struct rrule *rule = p->rule;
    int count = rrule_times_count(&p->expand), pick = -1;

    if (rule->positions == 0) {
        pick = last ? rrule_times_prev(&p->expand, to) : rrule_times_next(&p->expand, from);
        return pick >= from && pick <= to ? pick : -1;
    }
    for (int i = 0; i < rule->positions; i++) {
        int index = position_index(rule->position[i], count);
        int tod = index < 0 ? -1 : rrule_times_at(&p->expand, index);

        if (tod >= from && tod <= to && (pick < 0 || (last ? tod > pick : tod < pick)))
            pick = tod;
    }
    return pick;
}

static int64_t next_by_unit(const struct search *p, int64_t local)
{
    int64_t period = floor_div(local, p->unit) * p->unit;
    int64_t at;
    int whole = (int)p->unit - 1;
    int first = pick_in_unit(p, 0, whole, false);
    int rest = pick_in_unit(p, (int)(local - period), whole, false);

    if (first < 0)
        return LOCAL_NEVER;
    at = next_unit_start(p, rest < 0 ? period + p->unit : period);
    if (at == LOCAL_NEVER)
        return LOCAL_NEVER;
    return at + (at == period ? rest : first);
}

static int64_t prev_by_unit(const struct search *p, int64_t local)
{
    int64_t period = floor_div(local, p->unit) * p->unit;
    int64_t at;
    int last = pick_in_unit(p, 0, (int)p->unit - 1, true);
    int rest = pick_in_unit(p, 0, (int)(local - period), true);

    if (last < 0)
        return LOCAL_NONE;
    at = prev_unit_start(p, rest < 0 ? period - 1 : period);
    if (at == LOCAL_NONE)
        return LOCAL_NONE;
    return at + (at == period ? rest : last);
}

/* From first to last, both included: day numbers of a period, or local seconds. */
struct range {
    int64_t first, last;
};

/* The number of the period that contains `day`: the year, the month since year 0, the week. */
static int64_t period_of(const struct search *p, int64_t day)
{
    int64_t week = rrule_week_of(p->rule, day);
    struct date date;

    if (p->rule->freq == RRULE_WEEKLY)
        return (week - p->rule->week_start - WEEK_ZERO) / 7;
    /* A week belongs to the year that contains four of its days. */
    if (p->rule->freq == RRULE_YEARLY)
        return date_of_day(p->days.has_week ? week + 3 : day).year;
    date = date_of_day(day);
    return (int64_t)date.year * MONTHS + date.month - 1;
}

static int64_t period_first(const struct search *p, int64_t period)
{
    if (p->rule->freq == RRULE_WEEKLY)
        return period * 7 + p->rule->week_start + WEEK_ZERO;
    if (p->rule->freq == RRULE_MONTHLY)
        return day_of_date((int)(period / MONTHS), (int)(period % MONTHS) + 1, 1);
    if (period < YEAR_MIN)
        return DAY_MIN;
    if (p->days.has_week)
        return rrule_first_week(p->rule, (int)period);
    return day_of_date((int)period, 1, 1);
}

/* Limited to the calendar, because the first and last week may extend beyond it. */
static struct range period_range(const struct search *p, int64_t period)
{
    int64_t first = period_first(p, period), last = period_first(p, period + 1) - 1;

    return (struct range){first > DAY_MIN ? first : DAY_MIN, last < DAY_MAX ? last : DAY_MAX};
}

/* Periods and their dates repeat after this many, plus one: the first may be partial. */
static int period_tries(const struct rrule *rule)
{
    if (rule->freq == RRULE_WEEKLY)
        return (int)(CYCLE_DAYS / 7) + 1;
    return rule->freq == RRULE_MONTHLY ? CYCLE_YEARS * MONTHS + 1 : CYCLE_YEARS + 1;
}

/* First or last instance of BYSETPOS in period `r` and in `limits`; LOCAL_NEVER: none. */
static int64_t pick_in_range(const struct search *p, struct range r, struct range limits,
                             bool last)
{
    const struct rrule *rule = p->rule;
    int times = rrule_times_count(&p->expand);
    int count = rrule_days_count(&p->days, r.first, r.last) * times;
    int64_t pick = LOCAL_NEVER;

    for (int i = 0; i < rule->positions; i++) {
        int index = position_index(rule->position[i], count);
        int64_t at;

        if (index < 0)
            continue;
        at = rrule_days_at(&p->days, r.first, r.last, index / times) * DAY_SECONDS +
             rrule_times_at(&p->expand, index % times);
        if (at >= limits.first && at <= limits.last &&
            (pick == LOCAL_NEVER || (last ? at > pick : at < pick)))
            pick = at;
    }
    return pick;
}

static int64_t range_next(const struct search *p, struct range r, int64_t local)
{
    int64_t today = floor_div(local, DAY_SECONDS), day;
    int tod = 0;

    if (p->rule->positions > 0)
        return pick_in_range(p, r, (struct range){local, LOCAL_LAST}, false);
    if (today >= r.first) {
        tod = rrule_times_next(&p->expand, (int)(local - today * DAY_SECONDS));
        r.first = tod < 0 ? today + 1 : today;
    }
    if (r.first > r.last || !rrule_days_next(&p->days, r.first, r.last, &day))
        return LOCAL_NEVER;
    if (day != today)
        tod = rrule_times_next(&p->expand, 0);
    return day * DAY_SECONDS + tod;
}

static int64_t range_prev(const struct search *p, struct range r, int64_t local)
{
    int64_t today = floor_div(local, DAY_SECONDS), day;
    int tod = 0;

    if (p->rule->positions > 0)
        return pick_in_range(p, r, (struct range){LOCAL_FIRST, local}, true);
    if (today <= r.last) {
        tod = rrule_times_prev(&p->expand, (int)(local - today * DAY_SECONDS));
        r.last = tod < 0 ? today - 1 : today;
    }
    if (r.first > r.last || !rrule_days_prev(&p->days, r.first, r.last, &day))
        return LOCAL_NEVER;
    if (day != today)
        tod = rrule_times_prev(&p->expand, DAY_SECONDS - 1);
    return day * DAY_SECONDS + tod;
}

/*
 * The period from which INTERVAL counts.  With BYWEEKNO this is still the calendar year of
 * DTSTART, although DTSTART may be in a week of the year before or after.
 */
static int64_t period_base(const struct search *p)
{
    int64_t start = floor_div(p->rule->start, DAY_SECONDS);

    return p->rule->freq == RRULE_YEARLY ? date_of_day(start).year : period_of(p, start);
}

static int64_t next_by_days(const struct search *p, int64_t local)
{
    int64_t interval = p->rule->interval, base = period_base(p);
    int64_t here = period_of(p, floor_div(local, DAY_SECONDS));
    int64_t period = base - floor_div(base - here, interval) * interval;
    int64_t end = period_of(p, DAY_MAX);
    int tries = period_tries(p->rule);

    if (rrule_times_are_none(&p->expand))
        return LOCAL_NEVER;
    for (; period <= end && tries > 0; period += interval, tries--) {
        int64_t at = range_next(p, period_range(p, period), local);

        if (at != LOCAL_NEVER)
            return at;
    }
    return LOCAL_NEVER;
}

static int64_t prev_by_days(const struct search *p, int64_t local)
{
    int64_t interval = p->rule->interval, base = period_base(p);
    int64_t here = period_of(p, floor_div(local, DAY_SECONDS));
    int64_t period = base + floor_div(here - base, interval) * interval;
    int64_t first = period_of(p, floor_div(p->rule->start, DAY_SECONDS));
    int tries = period_tries(p->rule);

    if (rrule_times_are_none(&p->expand))
        return LOCAL_NONE;
    for (; period >= first && tries > 0; period -= interval, tries--) {
        int64_t at = range_prev(p, period_range(p, period), local);

        if (at != LOCAL_NEVER)
            return at;
    }
    return LOCAL_NONE;
}

int64_t rrule_next_local(const struct rrule *rule, int64_t local)
{
    struct search search = new_search(rule);
    int64_t at;

    if (local < rule->start)
        local = rule->start;
    if (local > LOCAL_LAST || local > rule->until_local)
        return LOCAL_NEVER;
    at = search.unit > 0 ? next_by_unit(&search, local) : next_by_days(&search, local);
    return at <= rule->until_local ? at : LOCAL_NEVER;
}

int64_t rrule_prev_local(const struct rrule *rule, int64_t local)
{
    struct search search = new_search(rule);
    int64_t at;

    if (local > LOCAL_LAST)
        local = LOCAL_LAST;
    if (local > rule->until_local)
        local = rule->until_local;
    if (local < rule->start)
        return LOCAL_NONE;
    at = search.unit > 0 ? prev_by_unit(&search, local) : prev_by_days(&search, local);
    return at >= rule->start ? at : LOCAL_NONE;
}
