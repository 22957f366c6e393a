/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots by brute force.  See judge_slots.h.
 *
 * Candidates pass through the written rules one by one, in their order: start, exclusions,
 * window, end.  An entry caches its last answer, so that a walk computes each slot once.
 */
#include "sim/judge_slots.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/must.h"
#include "oracle/oracle_civil.h"
#include "oracle/oracle_next.h"
#include "oracle/oracle_tz.h"
#include "sim/judge.h"

enum {
    ZONES_MAX = 32,        /* different zones of one record */
    PATH_MAX_BYTES = 160,  /* the directory and a name of at most ORACLE_ZONE_MAX */
    LOOK_BACK_DAYS = 3,    /* a window opens at least this often, also around clock changes */
    DAY_REACH = 2 * 86400, /* seconds; more than a local day differs from the day in UTC */
    EMPTY_DAYS_MAX = 3000, /* consecutive days that an interval from midnight may miss */
};

struct zone {
    char name[ORACLE_ZONE_MAX];
    struct oracle_tz *tz;
    struct oracle_clock clock;
};

struct judge_zones {
    struct zone zone[ZONES_MAX];
    int count;
};

enum kind { KIND_RULE, KIND_INTERVAL, KIND_AT };

struct candidate {
    enum kind kind;
    struct zone *zone;
    struct oracle_rule *rule; /* KIND_RULE */
    struct oracle_policy policy;
    struct interval_def interval; /* KIND_INTERVAL */
    bool in_seconds;              /* @every: its origin is a whole second */
    instant at;                   /* KIND_AT; INSTANT_NONE: creation */
    instant asked, answer;        /* nothing lies in (asked, answer) */
};

struct judge_spec {
    const struct spec_def *def;
    struct zone *zone;
    struct candidate *candidates;
    int count;
    struct oracle_rule **not_rules;
};

struct judge_zones *judge_zones_new(void)
{
    struct judge_zones *zones = calloc(1, sizeof *zones);

    must(zones != NULL);
    return zones;
}

struct judge_zones *judge_zones_free(struct judge_zones *zones)
{
    for (int i = 0; zones && i < zones->count; i++) {
        oracle_clock_free(&zones->zone[i].clock);
        oracle_tz_free(zones->zone[i].tz);
    }
    free(zones);
    return NULL;
}

static enum rc find_zone(struct judge_zones *zones, struct str name, struct zone **ret,
                         struct err *reterr)
{
    char path[PATH_MAX_BYTES];
    struct zone *zone = &zones->zone[zones->count];

    if (name.len == 0)
        name = STR("UTC");
    for (int i = 0; i < zones->count; i++)
        if (str_eq(str_of(zones->zone[i].name), name)) {
            *ret = &zones->zone[i];
            return RC_OK;
        }
    if (zones->count == ZONES_MAX || name.len >= sizeof zone->name)
        return err_set(reterr, RC_LIMIT, -1, 0, "the judge knows at most %d zones", ZONES_MAX);
    memcpy(zone->name, name.ptr, name.len);
    zone->name[name.len] = '\0';
    snprintf(path, sizeof path, "%s/%s", JUDGE_ZONEINFO, zone->name);
    zone->tz = str_eq(name, STR("UTC")) ? oracle_tz_fixed(0) : oracle_tz_load(path);
    if (!zone->tz)
        return err_set(reterr, RC_INVALID, -1, 0, "the judge cannot read the zone %s",
                       zone->name);
    zone->clock = (struct oracle_clock){.tz = zone->tz};
    zones->count++;
    *ret = zone;
    return RC_OK;
}

/* ---- parsing a spec ---- */

static const char *dst_name_of(const struct dst_rule *rule, char *text, size_t size)
{
    static const char *const named[] = {NULL, "vixie", "literal", "once", "last", "shift"};
    static const char *const gaps[] = {"skip", "next", "shift"};
    static const char *const folds[] = {"first", "last", "both"};

    if (rule->name != DST_CUSTOM)
        return named[rule->name];
    snprintf(text, size, "%s/%s", gaps[rule->custom.gap], folds[rule->custom.fold]);
    return text;
}

static enum rc read_rule(const char *dialect, struct str expr, struct arena *arena,
                         struct oracle_rule **ret, struct err *reterr)
{
    struct oracle_rule *rule = arena_take(arena, sizeof *rule);
    struct str text = arena_str(arena, expr);

    if (oracle_parse(dialect, text.ptr, rule) != 0)
        return err_set(reterr, RC_INVALID, -1, 0, "the judge cannot read \"%s\" (%s)", text.ptr,
                       dialect);
    *ret = rule;
    return RC_OK;
}

static struct candidate *add(struct judge_spec *spec, enum kind kind, struct zone *zone)
{
    struct candidate *c = &spec->candidates[spec->count++];

    *c = (struct candidate){.kind = kind, .zone = zone, .asked = INSTANT_NEVER};
    return c;
}

/* A parsed rule becomes an entry; @every is really an interval. */
static enum rc add_rule(struct judge_spec *spec, struct zone *zone, struct oracle_rule *rule,
                        struct err *reterr)
{
    char text[16];
    struct candidate *c = add(spec, rule->every > 0 ? KIND_INTERVAL : KIND_RULE, zone);

    c->rule = rule;
    if (rule->every > 0) {
        c->in_seconds = true;
        c->interval = (struct interval_def){.every = instant_of_seconds(rule->every),
                                            .phase = instant_of_seconds(rule->phase),
                                            .anchor = rule->from_after ? ANCHOR_START
                                                                       : ANCHOR_EPOCH};
        return RC_OK;
    }
    if (oracle_policy_of(rule, dst_name_of(&spec->def->dst, text, sizeof text), &c->policy))
        return err_set(reterr, RC_INVALID, -1, 0, "the judge does not know this clock rule");
    return RC_OK;
}

static const char *const dialects[DIALECT_COUNT] = {
    [DIALECT_BELFRY] = "belfry",
    [DIALECT_POSIX] = "posix",
    [DIALECT_VIXIE] = "vixie",
    [DIALECT_CRONIE] = "cronie",
    [DIALECT_ROBFIG] = "robfig",
    [DIALECT_ROBFIG_SECONDS] = "robfig-seconds",
    [DIALECT_K8S] = "k8s",
    [DIALECT_GITHUB] = "github",
    [DIALECT_CLOUDSCHEDULER] = "cloudscheduler",
    [DIALECT_SPRING] = "spring",
    [DIALECT_QUARTZ] = "quartz",
    [DIALECT_AWS] = "aws",
    [DIALECT_JENKINS] = "jenkins",
    [DIALECT_TEMPORAL] = "temporal",
    [DIALECT_SYSTEMD] = "systemd",
    [DIALECT_RRULE] = "rrule",
};

static enum rc add_cron(struct judge_spec *spec, const struct cron_def *cron,
                        struct judge_zones *zones, struct arena *arena, struct err *reterr)
{
    struct oracle_rule *rule = NULL;
    struct zone *zone = NULL;
    struct str name = cron->zone.len > 0 ? cron->zone : spec->def->zone;
    enum rc rc = read_rule(dialects[cron->dialect], cron->expr, arena, &rule, reterr);

    if (rc == RC_OK)
        rc = find_zone(zones, rule->zone[0] ? str_of(rule->zone) : name, &zone, reterr);
    return rc == RC_OK ? add_rule(spec, zone, rule, reterr) : rc;
}

static struct str or_default(struct str text, struct str otherwise)
{
    return text.len > 0 ? text : otherwise;
}

/* A calendar as cron with seven fields, all of which must match. */
static enum rc calendar_rule(const struct calendar_def *calendar, struct arena *arena,
                             struct oracle_rule **ret, struct err *reterr)
{
    const struct calendar_text *t = &calendar->text;
    struct str star = STR("*"), zero = STR("0");
    struct str day = or_default(t->day, star), weekday = or_default(t->weekday, star);
    bool both = !str_eq(day, star) && !str_eq(weekday, star);
    char text[ORACLE_TEXT_MAX];
    struct buf buf = BUF(text);
    struct str fields[] = {or_default(t->second, zero), or_default(t->minute, zero),
                           or_default(t->hour, zero),   day,
                           or_default(t->month, star),  weekday,
                           or_default(t->year, star)};

    for (int i = 0; i < 7; i++) {
        buf_text(&buf, i == 0 ? "" : i == 5 && both ? " +" : " ");
        buf_str(&buf, fields[i]);
    }
    return read_rule("belfry", buf_as_str(&buf), arena, ret, reterr);
}

static enum rc add_time(struct judge_spec *spec, int32_t time, struct arena *arena,
                        struct err *reterr)
{
    char text[32];
    struct oracle_rule *rule = NULL;
    enum rc rc;

    snprintf(text, sizeof text, "%d %d %d * * *", time % 60, time / 60 % 60, time / 3600);
    rc = read_rule("belfry", str_of(text), arena, &rule, reterr);
    return rc == RC_OK ? add_rule(spec, spec->zone, rule, reterr) : rc;
}

static enum rc add_patterns(struct judge_spec *spec, struct judge_zones *zones,
                            struct arena *arena, struct err *reterr)
{
    const struct spec_def *def = spec->def;
    struct oracle_rule *rule = NULL;
    enum rc rc = RC_OK;

    for (int i = 0; i < def->cron_count && rc == RC_OK; i++)
        rc = add_cron(spec, &def->cron[i], zones, arena, reterr);
    for (int i = 0; i < def->calendar_count && rc == RC_OK; i++) {
        rc = calendar_rule(&def->calendars[i], arena, &rule, reterr);
        if (rc == RC_OK)
            rc = add_rule(spec, spec->zone, rule, reterr);
    }
    for (int i = 0; i < def->time_count && rc == RC_OK; i++)
        rc = add_time(spec, def->times[i], arena, reterr);
    for (int i = 0; i < def->not_calendar_count && rc == RC_OK; i++)
        rc = calendar_rule(&def->not_calendars[i], arena, &spec->not_rules[i], reterr);
    return rc;
}

enum rc judge_spec_make(const struct spec_def *def, struct judge_zones *zones,
                        struct arena *arena, struct judge_spec **ret, struct err *reterr)
{
    struct judge_spec *spec = arena_take(arena, sizeof *spec);
    int count = def->cron_count + def->calendar_count + def->interval_count + def->time_count +
                def->at_count;
    enum rc rc;

    if (def->not_named_count > 0 || (def->shift != SHIFT_NONE && def->not_calendar_count > 0) ||
        (def->calendar_count + def->not_calendar_count > 0 &&
         def->calendar_dialect != DIALECT_BELFRY))
        return err_set(
            reterr, RC_INVALID, -1, 0,
            "the judge does not support named calendars, calendars of other dialects, "
            "or shift with excluded calendars");
    spec->def = def;
    spec->candidates = arena_array(arena, (size_t)count, sizeof *spec->candidates);
    spec->not_rules = arena_array(arena, (size_t)def->not_calendar_count,
                                  sizeof(struct oracle_rule *));
    rc = find_zone(zones, def->zone, &spec->zone, reterr);
    if (rc == RC_OK)
        rc = add_patterns(spec, zones, arena, reterr);
    if (rc != RC_OK)
        return rc;
    for (int i = 0; i < def->interval_count; i++)
        add(spec, KIND_INTERVAL, spec->zone)->interval = def->intervals[i];
    for (int i = 0; i < def->at_count; i++)
        add(spec, KIND_AT, spec->zone)->at = def->at[i];
    *ret = spec;
    return RC_OK;
}

static bool follows(const struct candidate *c)
{
    return c->kind == KIND_INTERVAL &&
           (c->interval.anchor == ANCHOR_START || c->interval.anchor == ANCHOR_COMPLETION);
}

bool judge_spec_counts_from(const struct judge_spec *spec, enum anchor anchor)
{
    for (int i = 0; i < spec->count; i++)
        if (follows(&spec->candidates[i]) && spec->candidates[i].interval.anchor == anchor)
            return true;
    return false;
}

bool judge_spec_is_grid(const struct judge_spec *spec)
{
    return spec->count == 1 && spec->candidates[0].interval.anchor == ANCHOR_START &&
           !(spec->def->window.is_set && spec->def->window.rule == WINDOW_CLAMP) &&
           spec->def->shift == SHIFT_NONE;
}

/* ---- entries ---- */

static instant whole_ms(instant t)
{
    return oracle_floor_div(t, SPAN_MS) * SPAN_MS;
}

/* The first of origin, origin + every, … after `after`. */
static instant grid_next(instant origin, span every, instant after)
{
    if (after < origin)
        return origin;
    return origin + ((after - origin) / every + 1) * every;
}

/* The first instant, in seconds, that shows a local date; false if the date was skipped. */
static bool day_begin(const struct oracle_tz *tz, int64_t day, int64_t *ret)
{
    int64_t midnight = day * ORACLE_DAY_SECONDS, at = midnight - DAY_REACH;

    while (at < midnight + DAY_REACH) {
        int64_t end = oracle_tz_change(tz, at), offset = oracle_tz_offset(tz, at);
        int64_t first = midnight - offset > at ? midnight - offset : at;

        if (first < end && first < midnight + ORACLE_DAY_SECONDS - offset) {
            *ret = first;
            return true;
        }
        at = end;
    }
    return false;
}

static instant midnight_next(const struct candidate *c, instant after)
{
    const struct oracle_tz *tz = c->zone->tz;
    int64_t day = oracle_floor_div(instant_seconds(after), ORACLE_DAY_SECONDS) - 2;
    int64_t begin = 0, end = 0;

    while (!day_begin(tz, day, &begin))
        day++;
    for (int i = 0; i < EMPTY_DAYS_MAX; i++) {
        instant slot = grid_next(instant_of_seconds(begin) + c->interval.phase,
                                 c->interval.every, after);

        do
            day++;
        while (!day_begin(tz, day, &end));
        if (slot < instant_of_seconds(end))
            return slot;
        begin = end;
    }
    return INSTANT_NEVER;
}

static instant follow_next(const struct candidate *c, const struct judge_origin *o,
                           instant after)
{
    instant from = c->interval.anchor == ANCHOR_START ? o->last_start : o->last_end;

    if (from == INSTANT_NEVER)
        return INSTANT_NEVER;
    if (from == INSTANT_NONE)
        from = o->created;
    from = c->in_seconds ? instant_of_seconds(instant_seconds(from)) : whole_ms(from);
    return grid_next(from + c->interval.every, c->interval.every, after);
}

static instant epoch_next(const struct interval_def *interval, instant after)
{
    int64_t k = oracle_floor_div(after - interval->phase, interval->every) + 1;

    return interval->phase + k * interval->every;
}

static instant interval_next_of(const struct candidate *c, const struct judge_origin *origin,
                                instant after)
{
    if (follows(c))
        return follow_next(c, origin, after);
    if (c->interval.anchor == ANCHOR_MIDNIGHT)
        return midnight_next(c, after);
    return epoch_next(&c->interval, after);
}

static instant ask(struct candidate *c, const struct judge_origin *origin, instant after)
{
    int64_t second;

    if (c->kind == KIND_INTERVAL)
        return interval_next_of(c, origin, after);
    if (c->kind == KIND_AT) {
        instant at = c->at == INSTANT_NONE ? whole_ms(origin->created) : c->at;

        return at > after ? at : INSTANT_NEVER;
    }
    if (!oracle_next(&c->zone->clock, c->rule, c->policy, instant_seconds(after), &second))
        return INSTANT_NEVER;
    return instant_of_seconds(second);
}

static instant candidate_next(struct candidate *c, const struct judge_origin *origin,
                              instant after)
{
    bool is_fixed = c->kind == KIND_RULE || (c->kind == KIND_INTERVAL && !follows(c));

    if (is_fixed && after >= c->asked && after < c->answer)
        return c->answer;
    c->answer = ask(c, origin, after);
    c->asked = after;
    return c->answer;
}

/* ---- the rules ---- */

static instant union_next(struct judge_spec *spec, const struct judge_origin *origin,
                          instant after)
{
    instant best = INSTANT_NEVER;

    for (int i = 0; i < spec->count; i++) {
        instant t = candidate_next(&spec->candidates[i], origin, after);

        best = t < best ? t : best;
    }
    return best;
}

static int64_t local_second(const struct judge_spec *spec, instant t)
{
    int64_t s = instant_seconds(t);

    return s + oracle_tz_offset(spec->zone->tz, s);
}

static bool is_excluded(const struct judge_spec *spec, instant t)
{
    int64_t local, day;

    if (spec->def->not_date_count + spec->def->not_calendar_count == 0)
        return false;
    local = local_second(spec, t);
    day = oracle_floor_div(local, ORACLE_DAY_SECONDS);
    for (int i = 0; i < spec->def->not_date_count; i++)
        if (spec->def->not_dates[i] == day)
            return true;
    for (int i = 0; i < spec->def->not_calendar_count; i++)
        if (oracle_matches(spec->not_rules[i], local))
            return true;
    return false;
}

static bool is_free(const struct judge_spec *spec, int64_t day)
{
    for (int i = 0; i < spec->def->not_date_count; i++)
        if (spec->def->not_dates[i] == day)
            return false;
    return true;
}

/* When a local day first shows the wall-clock time of `t`, or the first instant after it. */
static instant shown_on(const struct judge_spec *spec, int64_t day, instant t)
{
    const struct oracle_tz *tz = spec->zone->tz;
    int64_t local = local_second(spec, t), s = 0, at = 0;

    local += (day - oracle_floor_div(local, ORACLE_DAY_SECONDS)) * ORACLE_DAY_SECONDS;
    must(day_begin(tz, day, &at));
    while ((s = local - oracle_tz_offset(tz, at)) >= oracle_tz_change(tz, at))
        at = oracle_tz_change(tz, at);
    return s < at ? instant_of_seconds(at)
                  : instant_of_seconds(s) + t - instant_of_seconds(instant_seconds(t));
}

/*
 * Where shift moves a time of an entry; INSTANT_NEVER: nowhere.  What counts from a run is
 * moved back only to a day after the one that it counts from.
 */
static instant shifted(const struct judge_spec *spec, const struct candidate *c, instant t)
{
    bool is_back = spec->def->shift == SHIFT_PREVIOUS;
    int64_t day = oracle_floor_div(local_second(spec, t), ORACLE_DAY_SECONDS), target = day;

    while (!is_free(spec, target))
        target += is_back ? -1 : 1;
    if (target == day)
        return t;
    if (is_back && follows(c) &&
        oracle_floor_div(local_second(spec, t - c->interval.every), ORACLE_DAY_SECONDS) >=
            target)
        return INSTANT_NEVER;
    return shown_on(spec, target, t);
}

/* The first of all shifted times after `after`, up to `until`. */
static instant shifted_next(struct judge_spec *spec, const struct judge_origin *origin,
                            instant after, instant until)
{
    span reach = (spec->def->not_date_count + 2) * SPAN_DAY;
    instant best = INSTANT_NEVER;

    for (int i = 0; i < spec->count; i++) {
        struct candidate *c = &spec->candidates[i];
        instant t = after - reach;

        while ((t = candidate_next(c, origin, t)) != INSTANT_NEVER &&
               t - reach <= (best < until ? best : until)) {
            instant moved = t < spec->def->start ? INSTANT_NEVER : shifted(spec, c, t);

            if (moved > after && moved < best && moved >= spec->def->start)
                best = moved;
        }
    }
    return best <= until ? best : INSTANT_NEVER;
}

/* Candidates that are neither before the start nor excluded, up to `until`. */
static instant survivor_next(struct judge_spec *spec, const struct judge_origin *origin,
                             instant after, instant until)
{
    instant t = after;

    if (spec->def->shift != SHIFT_NONE)
        return shifted_next(spec, origin, after, until);
    if (spec->def->start != INSTANT_NONE && t < spec->def->start)
        t = spec->def->start - 1;
    do
        t = union_next(spec, origin, t);
    while (t <= until && t != INSTANT_NEVER && is_excluded(spec, t));
    return t <= until ? t : INSTANT_NEVER;
}

/* The first instant at or after `t` whose local time is inside the window. */
static instant window_open(const struct judge_spec *spec, instant t)
{
    const struct window_def *w = &spec->def->window;
    const struct oracle_tz *tz = spec->zone->tz;

    for (;;) {
        int64_t s = instant_seconds(t), offset = oracle_tz_offset(tz, s);
        int64_t day = oracle_floor_div(s + offset, ORACLE_DAY_SECONDS) * ORACLE_DAY_SECONDS;
        span tod = t + instant_of_seconds(offset - day);
        span from = instant_of_seconds(w->from), to = instant_of_seconds(w->to);
        int64_t change = oracle_tz_change(tz, s);
        instant open = instant_of_seconds(day - offset) + from + (tod > from ? SPAN_DAY : 0);

        if (from <= to ? tod >= from && tod <= to : tod >= from || tod <= to)
            return t;
        if (change == ORACLE_NO_CHANGE || open < instant_of_seconds(change))
            return open;
        t = instant_of_seconds(change);
    }
}

static instant shaped_next(struct judge_spec *spec, const struct judge_origin *origin,
                           instant after, instant until)
{
    const struct window_def *w = &spec->def->window;
    bool is_clamped = w->is_set && w->rule == WINDOW_CLAMP;
    /* An earlier time in the same gap outside the window may be moved to after it. */
    instant t = is_clamped && window_open(spec, after) != after
                    ? after - LOOK_BACK_DAYS * SPAN_DAY
                    : after;

    for (;;) {
        instant moved;

        t = survivor_next(spec, origin, t, until);
        if (t == INSTANT_NEVER || !w->is_set)
            return t;
        moved = window_open(spec, t);
        if (moved > after && (moved == t || (is_clamped && !is_excluded(spec, moved))))
            return moved;
    }
}

bool judge_spec_next(struct judge_spec *spec, const struct judge_origin *origin, instant after,
                     instant until, instant *ret)
{
    instant t;

    if (until > spec->def->end)
        until = spec->def->end;
    if (until <= after)
        return false;
    t = shaped_next(spec, origin, after, until);
    if (t == INSTANT_NEVER || t > until)
        return false;
    *ret = t;
    return true;
}
