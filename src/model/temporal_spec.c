/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes Temporal's specs canonical and converts them for the core.
 */
#include "model/temporal_spec.h"

#include "base/must.h"
#include "core/limits.h"
#include "core/time/civil.h"

/* cron strings */

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static struct str trim(struct str s)
{
    while (s.len > 0 && is_blank(s.ptr[0]))
        s = str_from(s, 1);
    while (s.len > 0 && is_blank(s.ptr[s.len - 1]))
        s.len--;
    return s;
}

/* Returns the next word and moves *s after it; len 0: no more words. */
static struct str take_word(struct str *s)
{
    struct str word;

    *s = trim(*s);
    word = (struct str){s->ptr, 0};
    while (word.len < s->len && !is_blank(word.ptr[word.len]))
        word.len++;
    *s = str_from(*s, word.len);
    return word;
}

static const struct {
    const char *name, *fields;
} shorthands[] = {
    {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"},
    {"@weekly", "0 0 * * 0"}, {"@daily", "0 0 * * *"},    {"@midnight", "0 0 * * *"},
    {"@hourly", "0 * * * *"},
};

/* A parsed cron string: a calendar or an interval. */
struct cron_line {
    bool is_interval;
    struct temporal_calendar calendar;
    struct temporal_interval interval;
    struct str zone;
};

/* Moves an error about `part` to columns of `text`. */
static enum rc fail_within(struct str text, struct str part, struct err *reterr)
{
    if (reterr->at >= 0)
        reterr->at += (int)(part.ptr - text.ptr);
    return reterr->rc;
}

/* Removes TZ= or CRON_TZ=; the zone ends at the first space. */
static enum rc take_zone(struct str *text, struct str *ret_zone, struct err *reterr)
{
    struct str rest;
    size_t prefix = 0;

    if (str_starts(*text, STR("TZ=")))
        prefix = strlen("TZ=");
    else if (str_starts(*text, STR("CRON_TZ=")))
        prefix = strlen("CRON_TZ=");
    if (prefix == 0)
        return RC_OK;
    if (!str_cut(str_from(*text, prefix), ' ', ret_zone, &rest) || ret_zone->len == 0)
        return err_set(reterr, RC_INVALID, 0, (int)prefix,
                       "a zone, a space and the fields must follow");
    *text = rest;
    return RC_OK;
}

static enum rc read_every(struct str body, struct temporal_interval *ret, struct err *reterr)
{
    struct cron_text parsed;

    if (cron_parse(body, DIALECT_TEMPORAL, (struct str){0}, &parsed, reterr) != RC_OK)
        return reterr->rc;
    must(parsed.is_every);
    *ret = (struct temporal_interval){
        .every = {.is_set = true, .seconds = parsed.every / SPAN_S},
        .phase = {.is_set = parsed.phase > 0, .seconds = parsed.phase / SPAN_S},
    };
    return RC_OK;
}

/* Five fields; six with the year last; seven with the second first as well. */
static enum rc read_fields(struct str body, struct arena *arena, struct temporal_calendar *ret,
                           struct err *reterr)
{
    static const int order[CALENDAR_FIELDS] = {0, 1, 2, 3, 4, 6, 5};
    struct str word[CALENDAR_FIELDS + 1], rest = body, blank = {0};
    int count = 0, skip;

    while (count <= CALENDAR_FIELDS && (word[count] = take_word(&rest)).len > 0)
        count++;
    if (count < 5 || count > CALENDAR_FIELDS)
        return err_set(reterr, RC_INVALID, 0, (int)body.len,
                       "5, 6 (with the year) or 7 (with second and year) fields are needed; "
                       "found %s%d",
                       count > CALENDAR_FIELDS ? "at least " : "", count);
    skip = count == CALENDAR_FIELDS ? 0 : 1;
    for (int i = 0; i < CALENDAR_FIELDS; i++) {
        bool is_given = i >= skip && i - skip < count;
        struct str text = is_given ? word[i - skip] : blank;
        enum rc rc = temporal_field_parse(text, order[i], arena, &ret->field[order[i]], reterr);

        if (rc != RC_OK)
            return fail_within(body, text, reterr);
    }
    return RC_OK;
}

static enum rc read_cron_string(struct str text, struct arena *arena, struct cron_line *ret,
                                struct err *reterr)
{
    struct str body = trim(text), comment = {0};
    enum rc rc = take_zone(&body, &ret->zone, reterr);

    if (rc != RC_OK)
        return fail_within(text, body, reterr);
    str_cut(body, '#', &body, &comment);
    body = trim(body);
    for (size_t i = 0; i < sizeof shorthands / sizeof shorthands[0]; i++)
        if (str_eq(body, str_of(shorthands[i].name)))
            body = str_of(shorthands[i].fields);
    ret->is_interval = str_starts(body, STR("@every"));
    if (ret->is_interval) {
        ret->zone = (struct str){0};
        rc = read_every(body, &ret->interval, reterr);
    } else {
        ret->calendar.comment = trim(comment);
        rc = read_fields(body, arena, &ret->calendar, reterr);
    }
    return rc == RC_OK ? rc : fail_within(text, body, reterr);
}

/* All cron strings must have the same zone, which is also the spec's. */
static enum rc agree_on_zone(struct str zone, int i, struct temporal_spec *to,
                             struct str *first, struct err *reterr)
{
    if (i == 0)
        *first = zone;
    if (!str_eq(zone, *first))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "all cron strings must have the same zone, or none");
    if (zone.len > 0 && to->zone.len > 0 && !str_eq(zone, to->zone))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "the zone of a cron string must be timezoneName");
    if (zone.len > 0)
        to->zone = zone;
    return RC_OK;
}

static enum rc add_cron_strings(const struct temporal_spec *given, struct arena *arena,
                                struct temporal_spec *to, struct err *reterr)
{
    struct str zone = {0};

    for (int i = 0; i < given->cron_count; i++) {
        struct cron_line line = {0};
        enum rc rc = read_cron_string(given->cron_strings[i], arena, &line, reterr);

        if (rc == RC_OK)
            rc = agree_on_zone(line.zone, i, to, &zone, reterr);
        if (rc != RC_OK)
            return err_in(reterr, "cronString[%d]", i);
        if (line.is_interval)
            to->intervals[to->interval_count++] = line.interval;
        else
            to->calendars[to->calendar_count++] = line.calendar;
    }
    return RC_OK;
}

/* calendar strings */

static enum rc read_text_calendar(const struct calendar_def *def, struct arena *arena,
                                  struct temporal_calendar *ret, struct err *reterr)
{
    ret->comment = def->comment;
    for (int i = 0; i < CALENDAR_FIELDS; i++)
        if (temporal_field_parse(calendar_field_of(&def->text, i), i, arena, &ret->field[i],
                                 reterr) != RC_OK)
            return err_in(reterr, "%s", calendar_fields[i].name);
    return RC_OK;
}

static enum rc add_text_calendars(const struct temporal_spec *given, struct arena *arena,
                                  struct temporal_spec *to, struct err *reterr)
{
    for (int i = 0; i < given->text_count; i++)
        if (read_text_calendar(&given->text_calendars[i], arena,
                               &to->calendars[to->calendar_count++], reterr) != RC_OK)
            return err_in(reterr, "calendar[%d]", i);
    for (int i = 0; i < given->not_text_count; i++)
        if (read_text_calendar(&given->not_text_calendars[i], arena,
                               &to->not_calendars[to->not_calendar_count++], reterr) != RC_OK)
            return err_in(reterr, "excludeCalendar[%d]", i);
    return RC_OK;
}

/* Checks.  An exclusion may have values out of range: they match nothing. */

static enum rc check_comment(const struct temporal_calendar *calendar, struct err *reterr)
{
    if (calendar->comment.len <= SPEC_COMMENT_MAX)
        return RC_OK;
    err_set(reterr, RC_INVALID, -1, 0, "a comment has at most %d bytes", SPEC_COMMENT_MAX);
    return err_in(reterr, "comment");
}

static enum rc check_calendar(const struct temporal_calendar *calendar, struct err *reterr)
{
    if (check_comment(calendar, reterr) != RC_OK)
        return reterr->rc;
    for (int i = 0; i < CALENDAR_FIELDS; i++)
        if (temporal_field_check(calendar->field[i], i, reterr) != RC_OK)
            return err_in(reterr, "%s", calendar_fields[i].name);
    return RC_OK;
}

static bool is_before(struct temporal_time a, struct temporal_time b)
{
    return a.seconds < b.seconds || (a.seconds == b.seconds && a.nanos < b.nanos);
}

static enum rc check_interval(const struct temporal_interval *interval, struct err *reterr)
{
    const struct temporal_time zero = {0};
    const char *wrong = NULL;

    if (interval->every.seconds < 1)
        wrong = "interval is too small; it is at least 1s";
    else if (interval->every.seconds > TEMPORAL_SECONDS_MAX)
        wrong = "interval is too large; it is at most 10000 years";
    else if (is_before(interval->phase, zero))
        wrong = "phase is negative";
    else if (!is_before(interval->phase, interval->every))
        wrong = "phase cannot be greater than interval, nor equal";
    return wrong ? err_set(reterr, RC_INVALID, -1, 0, "%s", wrong) : RC_OK;
}

static enum rc check_moment(struct temporal_time t, const char *name, struct err *reterr)
{
    if (t.seconds >= INSTANT_MIN / SPAN_S && t.seconds <= INSTANT_MAX / SPAN_S)
        return RC_OK;
    err_set(reterr, RC_INVALID, -1, 0, "must be in the years %d-%d", YEAR_MIN, YEAR_MAX);
    return err_in(reterr, "%s", name);
}

static enum rc check_spec(const struct temporal_spec *spec, struct err *reterr)
{
    enum rc rc = check_moment(spec->start, "startTime", reterr);

    if (rc == RC_OK)
        rc = check_moment(spec->end, "endTime", reterr);
    for (int i = 0; i < spec->calendar_count && rc == RC_OK; i++) {
        rc = check_calendar(&spec->calendars[i], reterr);
        if (rc != RC_OK)
            err_in(reterr, "structuredCalendar[%d]", i);
    }
    for (int i = 0; i < spec->not_calendar_count && rc == RC_OK; i++) {
        rc = check_comment(&spec->not_calendars[i], reterr);
        if (rc != RC_OK)
            err_in(reterr, "excludeStructuredCalendar[%d]", i);
    }
    for (int i = 0; i < spec->interval_count && rc == RC_OK; i++) {
        rc = check_interval(&spec->intervals[i], reterr);
        if (rc != RC_OK)
            err_in(reterr, "interval[%d]", i);
    }
    if (rc == RC_OK && spec->zone.len > ZONE_NAME_MAX) {
        rc = err_set(reterr, RC_INVALID, -1, 0, "a zone name has at most %d bytes",
                     ZONE_NAME_MAX);
        err_in(reterr, "timezoneName");
    }
    return rc;
}

static enum rc check_counts(const struct temporal_spec *given, struct err *reterr)
{
    int64_t entries = (int64_t)given->calendar_count + given->text_count + given->cron_count +
                      given->interval_count;
    int64_t excludes = (int64_t)given->not_calendar_count + given->not_text_count;

    if (entries > SPEC_ENTRIES_MAX || excludes > SPEC_ENTRIES_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0,
                       "too many entries; the limit is %d calendars and intervals, and %d "
                       "exclusions",
                       SPEC_ENTRIES_MAX, SPEC_ENTRIES_MAX);
    return RC_OK;
}

/* A copy of a list with room for `more` items. */
static void *copy_list(struct arena *arena, const void *from, int count, int more, size_t size)
{
    void *to = arena_array(arena, (size_t)count + (size_t)more, size);

    if (count > 0)
        memcpy(to, from, (size_t)count * size);
    return to;
}

enum rc temporal_canonical(const struct temporal_spec *given, struct arena *arena,
                           struct temporal_spec *ret, struct err *reterr)
{
    struct temporal_spec spec = *given;
    enum rc rc = check_counts(given, reterr);

    if (rc != RC_OK)
        return rc;
    spec.cron_count = spec.text_count = spec.not_text_count = 0;
    spec.calendars = copy_list(arena, given->calendars, given->calendar_count,
                               given->text_count + given->cron_count, sizeof *spec.calendars);
    spec.not_calendars = copy_list(arena, given->not_calendars, given->not_calendar_count,
                                   given->not_text_count, sizeof *spec.not_calendars);
    spec.intervals = copy_list(arena, given->intervals, given->interval_count,
                               given->cron_count, sizeof *spec.intervals);
    rc = add_text_calendars(given, arena, &spec, reterr);
    if (rc == RC_OK)
        rc = add_cron_strings(given, arena, &spec, reterr);
    if (rc == RC_OK)
        rc = check_spec(&spec, reterr);
    if (rc == RC_OK)
        *ret = spec;
    return rc;
}

/* Conversion for the core. */

/* False if a field matches nothing. */
static bool calendar_def_of(const struct temporal_calendar *calendar, struct arena *arena,
                            struct calendar_def *ret)
{
    ret->comment = calendar->comment;
    for (int i = 0; i < CALENDAR_FIELDS; i++) {
        struct str text = temporal_field_text(calendar->field[i], i, arena);

        if (text.len == 0)
            return false;
        *calendar_field_at(&ret->text, i) = text;
    }
    return true;
}

static struct calendar_def *calendar_defs(const struct temporal_calendar *calendars, int count,
                                          struct arena *arena, int *ret_count)
{
    struct calendar_def *defs = arena_array(arena, (size_t)count, sizeof *defs);
    int made = 0;

    for (int i = 0; i < count; i++)
        made += calendar_def_of(&calendars[i], arena, &defs[made]);
    *ret_count = made;
    return defs;
}

/*
 * Truncates fractions, and limits intervals to 1,000 years: between 1970 and the horizon, such
 * an interval has at most one slot, at its phase, like any longer interval.
 */
static bool interval_def_of(const struct temporal_interval *interval, struct interval_def *ret)
{
    const int64_t most = (int64_t)DURATION_DAYS_MAX * DAY_SECONDS;
    int64_t every = interval->every.seconds < most ? interval->every.seconds : most;

    if (interval->phase.seconds >= most)
        return false;
    *ret = (struct interval_def){.every = every * SPAN_S,
                                 .phase = interval->phase.seconds % every * SPAN_S,
                                 .anchor = ANCHOR_EPOCH};
    return true;
}

/* Whole milliseconds, 0 if negative, at most what 32 bits hold. */
static span jitter_of(struct temporal_time jitter)
{
    int64_t seconds = jitter.seconds < UINT32_MAX / 1000 ? jitter.seconds : UINT32_MAX / 1000;
    int64_t ms = seconds * 1000 + jitter.nanos / 1000000;

    if (jitter.seconds > UINT32_MAX / 1000 || ms > UINT32_MAX)
        ms = UINT32_MAX;
    return ms < 0 ? 0 : ms * SPAN_MS;
}

struct spec_def temporal_spec_def(const struct temporal_spec *spec, struct arena *arena)
{
    struct spec_def def = spec_def_empty();

    must(spec->cron_count == 0 && spec->text_count == 0 && spec->not_text_count == 0);
    def.calendar_dialect = DIALECT_TEMPORAL;
    def.calendars = calendar_defs(spec->calendars, spec->calendar_count, arena,
                                  &def.calendar_count);
    def.not_calendars = calendar_defs(spec->not_calendars, spec->not_calendar_count, arena,
                                      &def.not_calendar_count);
    def.intervals = arena_array(arena, (size_t)spec->interval_count, sizeof *def.intervals);
    for (int i = 0; i < spec->interval_count; i++)
        def.interval_count += interval_def_of(&spec->intervals[i],
                                              &def.intervals[def.interval_count]);
    /* Not set means 1970; a fraction is truncated, so that its own second is still included. */
    def.start = spec->start.seconds * SPAN_S;
    def.end = TEMPORAL_HORIZON;
    if (spec->end.is_set && spec->end.seconds * SPAN_S < def.end)
        def.end = spec->end.seconds * SPAN_S;
    if (def.end < def.start) {
        /* Allowed; the schedule then never runs. */
        def.calendar_count = def.interval_count = 0;
        def.start = def.end;
    }
    /* `Local` is the zone of Temporal's server, which is UTC in its images. */
    def.zone = str_eq(spec->zone, STR("UTC")) || str_eq(spec->zone, STR("Local"))
                   ? (struct str){0}
                   : spec->zone;
    def.dst.name = DST_LITERAL;
    def.jitter = jitter_of(spec->jitter);
    return def;
}
