/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiles a definition: parses every text, finds every zone, checks every limit.
 */
#include "base/must.h"
#include "core/oncalendar/oncalendar.h"
#include "core/spec/spec_search.h"

struct compiler {
    const struct spec_def *def;
    struct str seed;
    const struct zone_source *zones;
    struct arena *arena;
    struct spec spec;
    struct entry *entries;
    uint32_t counted; /* sum of the COUNTs of rrules, each of which is walked here */
};

/* Index of a zone in spec.zones; adds the zone if it is new. */
static enum rc zone_index(struct compiler *c, struct str name, uint8_t *ret, struct err *reterr)
{
    const struct tz *tz;

    if (name.len == 0)
        name = STR("UTC");
    for (int i = 0; i < c->spec.zone_count; i++)
        if (str_eq(c->spec.zones[i].name, name)) {
            *ret = (uint8_t)i;
            return RC_OK;
        }
    if (c->spec.zone_count == SPEC_ZONES_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0,
                       "a spec may name at most %d different time zones", SPEC_ZONES_MAX);
    tz = c->zones->find(c->zones->user, name, reterr);
    if (!tz)
        return reterr->rc;
    c->spec.zones[c->spec.zone_count].name = arena_str(c->arena, name);
    c->spec.zones[c->spec.zone_count].tz = tz;
    *ret = (uint8_t)c->spec.zone_count++;
    return RC_OK;
}

static struct dst_choice dst_for(const struct compiler *c, enum dialect dialect,
                                 bool is_interval)
{
    struct dst_rule rule = c->def->dst;

    if (rule.name == DST_DEFAULT)
        rule.name = dialect_dst(dialect);
    return dst_resolve(rule, is_interval);
}

static struct entry *add_entry(struct compiler *c, enum entry_list list, int index)
{
    struct entry *entry = &c->entries[c->spec.entry_count++];

    entry->list = (uint8_t)list;
    entry->index = (uint16_t)index;
    return entry;
}

static void set_cron(struct compiler *c, struct entry *entry, const struct cron *cron,
                     enum dialect dialect)
{
    entry->kind = ENTRY_CRON;
    entry->cron = *cron;
    entry->dst = dst_for(c, dialect, cron->flags & CRON_INTERVAL);
}

/* The last slot by COUNT, found by a walk from DTSTART, or by UNTIL if that is earlier. */
static instant rrule_last(const struct rrule *rule, const struct tz *tz, struct dst_choice dst)
{
    struct pattern p = {.rrule = rule, .tz = tz, .dst = dst};
    int64_t s = tz_utc_of_local(tz, rule->start) - DAY_SECONDS;
    instant last = INSTANT_NEVER;

    for (uint32_t i = 0; i < rule->count; i++) {
        s = pattern_next(&p, s);
        if (s == LOCAL_NEVER)
            break;
        last = instant_of_seconds(s++);
    }
    return last < rule->until ? last : rule->until;
}

static enum rc set_rrule(struct compiler *c, struct entry *entry, struct str text,
                         struct str *ret_zone, struct err *reterr)
{
    struct rrule *rule = arena_take(c->arena, sizeof *rule);

    if (rrule_parse(text, rule, ret_zone, reterr) != RC_OK)
        return reterr->rc;
    c->counted += rule->count;
    if (c->counted > RRULE_COUNT_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0,
                       "the sum of COUNT over all rules of a spec is at most %d; use UNTIL",
                       RRULE_COUNT_MAX);
    entry->kind = ENTRY_RRULE;
    entry->rrule = rule;
    entry->dst = dst_for(c, DIALECT_RRULE, rule->freq >= RRULE_HOURLY);
    return RC_OK;
}

static enum rc set_cron_text(struct compiler *c, struct entry *entry,
                             const struct cron_def *def, struct str *ret_zone,
                             struct err *reterr)
{
    struct cron_text text;

    if (cron_parse(def->expr, def->dialect, c->seed, &text, reterr) != RC_OK)
        return reterr->rc;
    *ret_zone = text.zone;
    if (!text.is_every) {
        set_cron(c, entry, &text.cron, def->dialect);
        return RC_OK;
    }
    entry->kind = ENTRY_INTERVAL;
    entry->interval = (struct interval_def){.every = text.every,
                                            .phase = text.phase,
                                            .anchor = text.epoch ? ANCHOR_EPOCH : ANCHOR_START};
    return RC_OK;
}

static enum rc set_oncalendar(struct compiler *c, struct entry *entry, struct str text,
                              struct str *ret_zone, struct err *reterr)
{
    struct cron cron;
    enum rc rc = oncalendar_parse(text, &cron, ret_zone, reterr);

    if (rc == RC_OK)
        set_cron(c, entry, &cron, DIALECT_SYSTEMD);
    return rc;
}

static enum rc compile_cron(struct compiler *c, int i, struct err *reterr)
{
    const struct cron_def *def = &c->def->cron[i];
    struct entry *entry = add_entry(c, LIST_CRON, i);
    struct str zone = {NULL, 0};
    enum rc rc;

    if (def->dialect == DIALECT_RRULE)
        rc = set_rrule(c, entry, def->expr, &zone, reterr);
    else if (def->dialect == DIALECT_SYSTEMD)
        rc = set_oncalendar(c, entry, def->expr, &zone, reterr);
    else
        rc = set_cron_text(c, entry, def, &zone, reterr);
    if (rc != RC_OK)
        return err_in(reterr, "cron[%d].expr", i);
    if (zone.len > 0) {
        rc = zone_index(c, zone, &entry->zone, reterr);
        /* The "UTC" of a DTSTART with Z is a constant and has no position in the text. */
        if (rc != RC_OK && !str_eq(zone, STR("UTC"))) {
            reterr->at = (int)(zone.ptr - def->expr.ptr);
            reterr->len = (int)zone.len;
        }
    } else {
        rc = zone_index(c, def->zone.len > 0 ? def->zone : c->spec.zones[0].name, &entry->zone,
                        reterr);
    }
    if (rc != RC_OK)
        return err_in(reterr, zone.len > 0 ? "cron[%d].expr" : "cron[%d].timezone", i);
    if (entry->kind == ENTRY_RRULE)
        entry->rrule_end = rrule_last(entry->rrule, c->spec.zones[entry->zone].tz, entry->dst);
    return RC_OK;
}

static enum rc compile_calendar(struct compiler *c, int i, struct err *reterr)
{
    const struct calendar_def *def = &c->def->calendars[i];
    struct entry *entry = add_entry(c, LIST_CALENDARS, i);
    struct cron cron;
    enum rc rc = calendar_parse(&def->text, c->def->calendar_dialect, &cron, reterr);

    if (rc != RC_OK)
        return err_in(reterr, "calendars[%d]", i);
    set_cron(c, entry, &cron, c->def->calendar_dialect);
    return RC_OK;
}

static enum rc compile_interval(struct compiler *c, int i, struct err *reterr)
{
    const struct interval_def *def = &c->def->intervals[i];
    struct entry *entry = add_entry(c, LIST_INTERVALS, i);
    bool follows = interval_follows(def);
    enum rc rc = RC_OK;

    if (def->every < SPEC_EVERY_MIN_MS * SPAN_MS || def->every % SPAN_MS != 0)
        rc = err_set(reterr, RC_INVALID, -1, 0,
                     "an interval is at least %ds, in whole milliseconds",
                     SPEC_EVERY_MIN_MS / 1000);
    else if (def->every > DURATION_DAYS_MAX * SPAN_DAY)
        rc = err_set(reterr, RC_LIMIT, -1, 0, "an interval is at most 1000 years (%dd)",
                     DURATION_DAYS_MAX);
    else if (def->phase < 0 || def->phase >= def->every || def->phase % SPAN_MS != 0)
        rc = err_set(reterr, RC_INVALID, -1, 0,
                     "phase is at least 0s and less than the interval, in whole milliseconds");
    else if (follows && def->phase != 0)
        rc = err_set(reterr, RC_INVALID, -1, 0,
                     "phase is allowed only with the anchors epoch and midnight");
    if (rc != RC_OK)
        return err_in(reterr, "intervals[%d]", i);
    entry->kind = ENTRY_INTERVAL;
    entry->interval = *def;
    return RC_OK;
}

static enum rc compile_time(struct compiler *c, int i, struct err *reterr)
{
    int32_t tod = c->def->times[i];
    struct entry *entry = add_entry(c, LIST_TIMES, i);
    struct cron cron = cron_every_second();

    if (tod < 0 || tod >= DAY_SECONDS) {
        err_set(reterr, RC_INVALID, -1, 0, "a time of day is from 00:00 to 23:59:59");
        return err_in(reterr, "timesOfDay[%d]", i);
    }
    cron.hour = UINT32_C(1) << tod / HOUR_SECONDS;
    cron.minute = UINT64_C(1) << tod / 60 % 60;
    cron.second = UINT64_C(1) << tod % 60;
    cron.flags &= (uint8_t)~CRON_INTERVAL;
    cron_seal(&cron);
    set_cron(c, entry, &cron, DIALECT_BELFRY);
    return RC_OK;
}

static void sort_at(struct spec_at *at, int count)
{
    /* Insertion sort keeps equal times in the order written; lists are nearly sorted. */
    for (int i = 1; i < count; i++) {
        struct spec_at moving = at[i];
        int j = i;

        for (; j > 0 && at[j - 1].at > moving.at; j--)
            at[j] = at[j - 1];
        at[j] = moving;
    }
}

static enum rc compile_at(struct compiler *c, struct err *reterr)
{
    struct spec_at *at = arena_array(c->arena, (size_t)c->def->at_count,
                                     sizeof(struct spec_at));

    for (int i = 0; i < c->def->at_count; i++) {
        instant t = c->def->at[i];

        if (t != INSTANT_NONE && (t < INSTANT_MIN || t > INSTANT_MAX || t % SPAN_MS != 0)) {
            err_set(reterr, RC_INVALID, -1, 0,
                    "a one-off is an instant of the years 1 to 9999 in whole milliseconds");
            return err_in(reterr, "at[%d]", i);
        }
        at[i] = (struct spec_at){.at = t, .index = (uint16_t)i};
    }
    sort_at(at, c->def->at_count);
    c->spec.at = at;
    c->spec.at_count = c->def->at_count;
    return RC_OK;
}

static enum rc compile_not_crons(struct compiler *c, struct err *reterr)
{
    int count = c->def->not_calendar_count;
    struct cron *crons = arena_array(c->arena, (size_t)count, sizeof(struct cron));

    for (int i = 0; i < count; i++)
        if (calendar_parse(&c->def->not_calendars[i].text, c->def->calendar_dialect, &crons[i],
                           reterr) != RC_OK)
            return err_in(reterr, "exclude.calendars[%d]", i);
    c->spec.not_crons = crons;
    c->spec.not_cron_count = count;
    return RC_OK;
}

static enum rc compile_not_dates(struct compiler *c, struct err *reterr)
{
    int32_t *days = arena_array(c->arena, (size_t)c->def->not_date_count, sizeof(int32_t));
    int count = 0;

    for (int i = 0; i < c->def->not_date_count; i++) {
        int32_t day = c->def->not_dates[i];
        int at = count;

        if (day < DAY_MIN || day > DAY_MAX) {
            err_set(reterr, RC_INVALID, -1, 0, "a date is from 0001-01-01 to 9999-12-31");
            return err_in(reterr, "exclude.dates[%d]", i);
        }
        while (at > 0 && days[at - 1] >= day)
            at--;
        if (at < count && days[at] == day)
            continue;
        memmove(&days[at + 1], &days[at], (size_t)(count - at) * sizeof(int32_t));
        days[at] = day;
        count++;
    }
    c->spec.not_dates = days;
    c->spec.not_date_count = count;
    return RC_OK;
}

static enum rc compile_not_named(struct compiler *c, struct err *reterr)
{
    int count = c->def->not_named_count;
    struct str *names = arena_array(c->arena, (size_t)count, sizeof(struct str));

    for (int i = 0; i < count; i++) {
        struct str name = c->def->not_named[i];

        if (name.len == 0 || name.len > SPEC_NAME_MAX) {
            err_set(reterr, RC_LIMIT, -1, 0, "the name of a calendar has 1 to %d bytes",
                    SPEC_NAME_MAX);
            return err_in(reterr, "exclude.named[%d]", i);
        }
        names[i] = arena_str(c->arena, name);
    }
    c->spec.not_named = names;
    c->spec.not_named_count = count;
    return RC_OK;
}

static enum rc check_limits(const struct spec_def *def, struct err *reterr)
{
    int entries = def->cron_count + def->calendar_count + def->interval_count + def->time_count;

    if (entries > SPEC_ENTRIES_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0,
                       "a spec has at most %d cron, calendar, interval and time entries; "
                       "this one has %d",
                       SPEC_ENTRIES_MAX, entries);
    if (def->at_count > SPEC_AT_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0, "a spec has at most %d one-offs", SPEC_AT_MAX);
    if (def->not_calendar_count > SPEC_ENTRIES_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0, "a spec excludes at most %d calendars",
                       SPEC_ENTRIES_MAX);
    if (def->not_date_count > SPEC_DATES_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0, "a spec excludes at most %d dates",
                       SPEC_DATES_MAX);
    if (def->not_named_count > SPEC_NAMED_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0, "a spec excludes at most %d named calendars",
                       SPEC_NAMED_MAX);
    return RC_OK;
}

/* Checks the members that are not lists: start, end, window and jitter. */
static enum rc check_scalars(const struct spec_def *def, struct err *reterr)
{
    const struct window_def *window = &def->window;

    if ((def->start != INSTANT_NONE &&
         (def->start < INSTANT_MIN || def->start > INSTANT_MAX)) ||
        (def->end != INSTANT_NEVER && (def->end < INSTANT_MIN || def->end > INSTANT_MAX)))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "start and end are instants of the years %d to %d", YEAR_MIN, YEAR_MAX);
    if (def->start != INSTANT_NONE && def->end != INSTANT_NEVER && def->end < def->start)
        return err_set(reterr, RC_INVALID, -1, 0, "end is before start; no slot is possible");
    if (window->is_set && (window->from < 0 || window->from >= DAY_SECONDS || window->to < 0 ||
                           window->to >= DAY_SECONDS))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "a window has times of day from 00:00 to 23:59:59");
    if (def->jitter < 0)
        return err_set(reterr, RC_INVALID, -1, 0, "jitter is at least 0s");
    if (def->jitter > SPEC_JITTER_DAYS_MAX * SPAN_DAY)
        return err_set(reterr, RC_LIMIT, -1, 0, "jitter is at most %dd", SPEC_JITTER_DAYS_MAX);
    return RC_OK;
}

static enum rc compile_entries(struct compiler *c, struct err *reterr)
{
    const struct spec_def *def = c->def;
    enum rc rc = RC_OK;

    for (int i = 0; i < def->cron_count && rc == RC_OK; i++)
        rc = compile_cron(c, i, reterr);
    for (int i = 0; i < def->calendar_count && rc == RC_OK; i++)
        rc = compile_calendar(c, i, reterr);
    for (int i = 0; i < def->interval_count && rc == RC_OK; i++)
        rc = compile_interval(c, i, reterr);
    for (int i = 0; i < def->time_count && rc == RC_OK; i++)
        rc = compile_time(c, i, reterr);
    return rc;
}

/*
 * Temporal searches until the year 2100.  A spec with only that dialect ends then too [T-35].
 */
#define TEMPORAL_END INT64_C(4133980799000000) /* 2100-12-31T23:59:59Z */

static bool is_all_temporal(const struct spec_def *def)
{
    for (int i = 0; i < def->cron_count; i++)
        if (def->cron[i].dialect != DIALECT_TEMPORAL)
            return false;
    return def->cron_count > 0 &&
           (def->calendar_count == 0 || def->calendar_dialect == DIALECT_TEMPORAL) &&
           def->interval_count + def->time_count + def->at_count == 0;
}

enum rc spec_compile(const struct spec_def *def, struct str seed,
                     const struct zone_source *zones, struct arena *arena, struct spec *ret,
                     struct err *reterr)
{
    struct compiler c = {.def = def, .seed = seed, .zones = zones, .arena = arena};
    enum rc rc = check_limits(def, reterr);
    uint8_t zone;

    if (rc == RC_OK)
        rc = check_scalars(def, reterr);
    if (rc != RC_OK)
        return rc;
    if (seed.len > SEED_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0, "a seed has at most %d bytes", SEED_MAX);
    c.entries = arena_array(
        arena,
        (size_t)(def->cron_count + def->calendar_count + def->interval_count + def->time_count),
        sizeof(struct entry));
    /* Each cron entry may name one zone, and the spec itself another. */
    c.spec.zones = arena_array(arena, (size_t)def->cron_count + 1, sizeof(struct spec_zone));
    rc = zone_index(&c, def->zone, &zone, reterr);
    if (rc != RC_OK)
        return err_in(reterr, "timezone");
    rc = compile_entries(&c, reterr);
    if (rc == RC_OK && def->at_count > 0)
        rc = compile_at(&c, reterr);
    if (rc == RC_OK && def->not_calendar_count > 0)
        rc = compile_not_crons(&c, reterr);
    if (rc == RC_OK && def->not_date_count > 0)
        rc = compile_not_dates(&c, reterr);
    if (rc == RC_OK && def->not_named_count > 0)
        rc = compile_not_named(&c, reterr);
    if (rc != RC_OK)
        return rc;
    c.spec.entries = c.entries;
    c.spec.shift = def->shift;
    c.spec.window = def->window;
    c.spec.start = def->start;
    c.spec.end = is_all_temporal(def) && def->end > TEMPORAL_END ? TEMPORAL_END : def->end;
    c.spec.jitter = def->jitter;
    spec_seal(&c.spec);
    *ret = c.spec;
    return RC_OK;
}
