/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser of whole OnCalendar texts: shorthands, weekdays, date, time and zone.
 */
#include "core/oncalendar/oncalendar.h"

#include "core/limits.h"
#include "core/oncalendar/oncalendar_field.h"
#include "core/time/civil.h"

#define ALL_SIXTY    ((UINT64_C(1) << 60) - 1)
#define ALL_HOURS    ((UINT32_C(1) << 24) - 1)
#define ALL_DAYS     UINT32_C(0xfffffffe)
#define ALL_MONTHS   0x1ffe
#define ALL_WEEKDAYS 0x7f

/* 2199-12-31T23:59:59Z, the end of the last year of OnCalendar. */
#define EPOCH_MAX INT64_C(7258118399)

enum { WEEKDAYS = 7, WEEKDAY_SHORT = 3 };

static const char *const weekday_names[WEEKDAYS] = {
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"};

/* The shorthands and their meaning; the spellings are those of systemd. */
enum { SHORTHANDS = 13 };

static const char *const shorthand_names[SHORTHANDS] = {
    "minutely",      "hourly",      "daily",    "weekly",       "monthly",
    "quarterly",     "yearly",      "annually", "semiannually", "biannually",
    "semi-annually", "bi-annually", "anually"};

static const char *const shorthand_texts[SHORTHANDS] = {
    "*-*-* *:*:00",     "*-*-* *:00:00", "*-*-*",   "Mon *-*-*",  "*-*-01",
    "*-01,04,07,10-01", "*-01-01",       "*-01-01", "*-01,07-01", "*-01,07-01",
    "*-01,07-01",       "*-01,07-01",    "*-01-01"};

/* Every day at midnight: the default of all fields. */
static const struct cron midnight = {.second = 1,
                                     .minute = 1,
                                     .hour = 1,
                                     .day = ALL_DAYS,
                                     .month = ALL_MONTHS,
                                     .weekday = ALL_WEEKDAYS,
                                     .flags = CRON_DAY_AND | CRON_ANY_YEAR};

struct scan {
    const char *origin; /* offsets count from here */
    struct str rest;    /* not yet read            */
    struct cron cron;
    struct err *reterr;
};

static char peek(const struct scan *s, size_t i)
{
    return oncalendar_peek(s->rest, i);
}

static void skip(struct scan *s, size_t n)
{
    s->rest = str_from(s->rest, n);
}

static void skip_blanks(struct scan *s)
{
    while (peek(s, 0) == ' ')
        skip(s, 1);
}

static enum rc fail(const struct scan *s, struct str where, const char *why)
{
    return err_set(s->reterr, RC_INVALID, (int)(where.ptr - s->origin), (int)where.len, "%s",
                   why);
}

/* Length of the weekday name, full or short, at the start of `s`; 0 if there is none. */
static size_t weekday_at(struct str s, int *ret)
{
    for (int i = 0; i < WEEKDAYS; i++) {
        struct str full = str_of(weekday_names[i]);
        struct str brief = {full.ptr, WEEKDAY_SHORT};

        *ret = i;
        if (s.len >= full.len && str_eq_nocase((struct str){s.ptr, full.len}, full))
            return full.len;
        if (s.len >= brief.len && str_eq_nocase((struct str){s.ptr, brief.len}, brief))
            return brief.len;
    }
    return 0;
}

/* Reads one weekday.  *ret_sep: '.' if a range continues, ',' if a list does, else '\0'. */
static enum rc take_weekday(struct scan *s, int *ret_day, char *ret_sep)
{
    struct str word = oncalendar_until(s->rest, " ,.-");
    size_t n = weekday_at(s->rest, ret_day);
    char c = peek(s, n);

    if (n == 0 || n != word.len)
        return fail(s, word,
                    "a weekday is Mon, Tue, Wed, Thu, Fri, Sat or Sun, or its full name");
    if (c == '.' && peek(s, n + 1) != '.')
        return fail(s, (struct str){s->rest.ptr + n, 1}, "a range has two dots: Mon..Fri");
    /* A hyphen is the old form of a range; systemd still accepts it. */
    if (c == '.' || c == '-') {
        skip(s, n + (c == '.' ? 2 : 1));
        *ret_sep = '.';
    } else {
        skip(s, n + (c == ',' ? 1 : 0));
        *ret_sep = c == ',' ? ',' : '\0';
    }
    return RC_OK;
}

/* 0 is Monday here, because ranges of weekdays begin on Monday. */
static enum rc add_weekdays(struct scan *s, int from, int to, struct str where)
{
    if (from > to)
        return fail(s, where,
                    "a week is from Monday to Sunday; for Fri to Mon write Fri..Sun,Mon");
    for (int day = from; day <= to; day++)
        s->cron.weekday |= (uint8_t)(1 << (day + 1) % WEEKDAYS);
    return RC_OK;
}

static enum rc parse_weekdays(struct scan *s)
{
    const char *item = s->rest.ptr;
    bool is_range = false;
    int from = 0, day;
    char sep = '\0';

    if (weekday_at(s->rest, &day) == 0)
        return RC_OK;
    s->cron.weekday = 0;
    do {
        enum rc rc = take_weekday(s, &day, &sep);
        struct str text = {item, (size_t)(s->rest.ptr - item)};

        if (rc == RC_OK && is_range && sep == '.')
            rc = fail(s, text, "a range of weekdays has two ends, as Mon..Fri");
        if (rc == RC_OK)
            rc = add_weekdays(s, is_range ? from : day, day, text);
        if (rc != RC_OK)
            return err_in(s->reterr, "day-of-week");
        is_range = sep == '.';
        from = day;
        if (!is_range)
            item = s->rest.ptr;
        /* A comma is allowed at the end. */
    } while (sep == '.' || (sep == ',' && s->rest.len > 0 && peek(s, 0) != ' '));
    skip_blanks(s);
    return RC_OK;
}

static enum rc parse_field(struct scan *s, enum oncalendar_field field, struct str text)
{
    struct oncalendar_values v;
    struct cron *cron = &s->cron;
    enum rc rc = oncalendar_field_parse(text, field, s->origin, &v, s->reterr);

    if (rc != RC_OK)
        return rc;
    if (field >= ONCALENDAR_HOUR && v.is_interval)
        cron->flags |= CRON_INTERVAL;
    /* The default of the date fields is already "any". */
    if (field < ONCALENDAR_HOUR && v.is_any)
        return RC_OK;
    switch (field) {
    case ONCALENDAR_YEAR:
        memcpy(cron->year, v.bits, sizeof cron->year);
        cron->flags &= (uint8_t)~CRON_ANY_YEAR;
        break;
    case ONCALENDAR_MONTH:
        cron->month = (uint16_t)v.bits[0];
        break;
    case ONCALENDAR_DAY:
        cron->day = (uint32_t)v.bits[0];
        break;
    case ONCALENDAR_LAST:
        cron->day = 0;
        cron->last = (uint32_t)(v.bits[0] >> 1);
        break;
    case ONCALENDAR_HOUR:
        cron->hour = v.is_any ? ALL_HOURS : (uint32_t)v.bits[0];
        break;
    case ONCALENDAR_MINUTE:
        cron->minute = v.is_any ? ALL_SIXTY : v.bits[0];
        break;
    case ONCALENDAR_SECOND:
        cron->second = v.is_any ? ALL_SIXTY : v.bits[0];
        break;
    }
    if (v.has_fraction) {
        cron->flags |= CRON_FRACTION;
        cron->parts = v.parts;
        memcpy(cron->part, v.part, sizeof cron->part);
    }
    return RC_OK;
}

/* [year-]month-day or [year-]month~day; a word without - and ~ is a time. */
static enum rc parse_date(struct scan *s)
{
    struct str word = oncalendar_until(s->rest, " "), part[3];
    char sep[3] = {'\0'};
    enum rc rc = RC_OK;
    int n = 0;

    part[0] = oncalendar_until(word, "-~:");
    if (part[0].len == word.len || word.ptr[part[0].len] == ':')
        return RC_OK;
    s->rest = str_from(s->rest, word.len);
    skip_blanks(s);
    for (; n < 2 && part[n].len < word.len; n++) {
        sep[n] = word.ptr[part[n].len];
        word = str_from(word, part[n].len + 1);
        part[n + 1] = n == 0 ? oncalendar_until(word, "-~") : word;
    }
    if (n == 2 && sep[0] == '~')
        return fail(s, (struct str){part[1].ptr - 1, 1},
                    "\"~\" is allowed before the day only: year-month~day");
    if (n == 2)
        rc = parse_field(s, ONCALENDAR_YEAR, part[0]);
    if (rc == RC_OK)
        rc = parse_field(s, ONCALENDAR_MONTH, part[n - 1]);
    if (rc == RC_OK)
        rc = parse_field(s, sep[n - 1] == '~' ? ONCALENDAR_LAST : ONCALENDAR_DAY, part[n]);
    return rc;
}

static enum rc not_a_time(struct scan *s, struct str word)
{
    int near = str_nearest(word, shorthand_names, SHORTHANDS);

    if (near >= 0)
        return err_set(s->reterr, RC_INVALID, (int)(word.ptr - s->origin), (int)word.len,
                       "not a time; did you mean \"%s\"?", shorthand_names[near]);
    return fail(
        s, word,
        "a time is hour:minute, a date is month-day or year-month-day, with weekdays before "
        "and a zone after: Mon..Fri *-*-* 05:40 UTC");
}

/* hour:minute[:second]; an empty text means midnight. */
static enum rc parse_time(struct scan *s)
{
    struct str hour = oncalendar_until(s->rest, ": "), minute, rest;
    enum rc rc;

    if (s->rest.len == 0)
        return RC_OK;
    if (peek(s, hour.len) != ':')
        return not_a_time(s, hour);
    rest = str_from(s->rest, hour.len + 1);
    minute = oncalendar_until(rest, ": ");
    rc = parse_field(s, ONCALENDAR_HOUR, hour);
    if (rc == RC_OK)
        rc = parse_field(s, ONCALENDAR_MINUTE, minute);
    rest = str_from(rest, minute.len);
    if (rc == RC_OK && oncalendar_peek(rest, 0) == ':') {
        struct str second = oncalendar_until(str_from(rest, 1), ": ");

        rc = parse_field(s, ONCALENDAR_SECOND, second);
        rest = str_from(rest, second.len + 1);
    }
    if (rc == RC_OK && rest.len > 0)
        return fail(s, rest,
                    "after the time only a zone may follow, such as UTC or Europe/Berlin");
    return rc;
}

/* @seconds since 1970 */
static enum rc parse_epoch(struct scan *s)
{
    struct str rest = str_from(s->rest, 1);
    struct cron *cron = &s->cron;
    struct civil c;
    int64_t at;
    int year;

    if (str_take_number(&rest, EPOCH_MAX, &at) == 0 || rest.len > 0)
        return fail(s, s->rest, "after \"@\" write only a number of whole seconds since 1970");
    if (at > EPOCH_MAX)
        return fail(s, s->rest, "this is after the year 2199; the last second is @7258118399");
    c = civil_of_local(at);
    year = c.date.year - CRON_YEAR_MIN;
    cron->flags &= (uint8_t)~CRON_ANY_YEAR;
    cron->year[year / 64] = UINT64_C(1) << year % 64;
    cron->month = (uint16_t)(1 << c.date.month);
    cron->day = UINT32_C(1) << c.date.day;
    cron->hour = UINT32_C(1) << c.hour;
    cron->minute = UINT64_C(1) << c.minute;
    cron->second = UINT64_C(1) << c.second;
    return RC_OK;
}

/* Removes the zone from the end of the rest. */
static struct str take_zone(struct scan *s)
{
    size_t at = s->rest.len;
    struct str zone;
    int day;

    while (at > 0 && s->rest.ptr[at - 1] != ' ')
        at--;
    zone = str_from(s->rest, at);
    /* No zone name begins with a weekday. */
    if (at == 0 || zone.len == 0 || zone.len > ZONE_NAME_MAX || !char_is_alpha(zone.ptr[0]) ||
        weekday_at(zone, &day) > 0)
        return (struct str){zone.ptr, 0};
    for (size_t i = 0; i < zone.len; i++)
        if (!char_is_alpha(zone.ptr[i]) && !char_is_digit(zone.ptr[i]) &&
            !memchr("/_+-", zone.ptr[i], 4))
            return (struct str){zone.ptr, 0};
    s->rest.len = at - 1;
    return str_eq_nocase(zone, STR("UTC")) ? STR("UTC") : zone;
}

static void expand_shorthand(struct scan *s)
{
    for (int i = 0; i < SHORTHANDS; i++)
        if (str_eq_nocase(s->rest, str_of(shorthand_names[i])))
            s->rest = str_of(shorthand_texts[i]);
}

enum rc oncalendar_parse(struct str text, struct cron *ret, struct str *ret_zone,
                         struct err *reterr)
{
    struct scan s = {.origin = text.ptr, .rest = text, .cron = midnight, .reterr = reterr};
    struct str zone = {text.ptr, 0};
    enum rc rc;

    if (text.len > CRON_TEXT_MAX)
        return err_set(reterr, RC_INVALID, CRON_TEXT_MAX, 0,
                       "the text has %zu bytes; the limit is %d", text.len, CRON_TEXT_MAX);
    if (text.len > 0)
        zone = take_zone(&s);
    if (s.rest.len == 0)
        return err_set(reterr, RC_INVALID, 0, 0,
                       "a time is missing, such as daily, 05:40 or Mon *-*-* 05:40");
    expand_shorthand(&s);
    rc = parse_weekdays(&s);
    if (rc == RC_OK && peek(&s, 0) == '@') {
        rc = parse_epoch(&s);
        zone = STR("UTC");
    } else if (rc == RC_OK) {
        rc = parse_date(&s);
        if (rc == RC_OK)
            rc = parse_time(&s);
    }
    if (rc != RC_OK)
        return rc;
    cron_seal(&s.cron);
    *ret = s.cron;
    *ret_zone = zone;
    return RC_OK;
}
