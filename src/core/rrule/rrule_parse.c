/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the DTSTART and RRULE lines of RFC 5545 into a struct rrule.  Pure.
 *
 * Rejects everything that section 3.3.10 forbids, even if common libraries accept it, with one
 * exception: UNTIL may be a date or a local time, no matter what DTSTART is.
 */
#include "core/rrule/rrule.h"

#include "core/cron/cron.h"
#include "core/limits.h"
#include "core/rrule/rrule_reader.h"
#include "core/time/civil.h"

enum part {
    PART_FREQ,
    PART_UNTIL,
    PART_COUNT,
    PART_INTERVAL,
    PART_BYSECOND,
    PART_BYMINUTE,
    PART_BYHOUR,
    PART_BYDAY,
    PART_BYMONTHDAY,
    PART_BYYEARDAY,
    PART_BYWEEKNO,
    PART_BYMONTH,
    PART_BYSETPOS,
    PART_WKST,
    PARTS
};

static const char *const part_names[PARTS] = {
    "FREQ",  "UNTIL",      "COUNT",     "INTERVAL", "BYSECOND", "BYMINUTE", "BYHOUR",
    "BYDAY", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYMONTH",  "BYSETPOS", "WKST"};

/* The parts that are lists of numbers; signed ones also count from the end. */
struct numbers {
    int16_t min, max;
    bool is_signed;
};

static const struct numbers numbers[PARTS] = {
    [PART_BYSECOND] = {0, 60, false},  [PART_BYMINUTE] = {0, 59, false},
    [PART_BYHOUR] = {0, 23, false},    [PART_BYMONTHDAY] = {1, 31, true},
    [PART_BYYEARDAY] = {1, 366, true}, [PART_BYWEEKNO] = {1, 53, true},
    [PART_BYMONTH] = {1, 12, false},   [PART_BYSETPOS] = {1, 366, true},
};

enum { FREQS = RRULE_SECONDLY + 1, WEEKDAYS = 7, NTH_MAX = 53 };

static const char *const freq_names[FREQS] = {"YEARLY", "MONTHLY",  "WEEKLY",  "DAILY",
                                              "HOURLY", "MINUTELY", "SECONDLY"};
static const char *const weekday_names[WEEKDAYS] = {"SU", "MO", "TU", "WE", "TH", "FR", "SA"};

struct parse {
    struct rrule rule;
    struct str zone;
    bool has_start, has_rule, is_date;
    struct {
        int at, len; /* len 0: not given */
    } seen[PARTS];
};

static enum rc parse_freq(struct parse *p, struct rrule_reader *r, struct err *reterr)
{
    struct rrule_word word = rrule_take_word(r);
    int freq = rrule_word_index(&word, freq_names, FREQS);

    if (freq < 0)
        return err_set(reterr, RC_INVALID, word.at, word.len,
                       "FREQ is one of SECONDLY, MINUTELY, HOURLY, DAILY, WEEKLY, MONTHLY and "
                       "YEARLY");
    p->rule.freq = (uint8_t)freq;
    return RC_OK;
}

static enum rc parse_until(struct parse *p, struct rrule_reader *r, struct err *reterr)
{
    struct rrule_stamp stamp;

    if (rrule_take_stamp(r, &stamp, reterr) != RC_OK)
        return reterr->rc;
    if (stamp.is_utc)
        p->rule.until = instant_of_seconds(stamp.local);
    else
        p->rule.until_local = stamp.local + (stamp.is_date ? DAY_SECONDS - 1 : 0);
    return RC_OK;
}

/* COUNT and INTERVAL. */
static enum rc parse_amount(struct rrule_reader *r, enum part part, uint32_t max, uint32_t *ret,
                            struct err *reterr)
{
    int at = rrule_offset(r);
    int64_t value;

    if (!rrule_take_number(r, max, &value))
        return rrule_unexpected(r, "expected a whole number, at least 1", reterr);
    if (value < 1 || value > max)
        return err_set(reterr, RC_INVALID, at, (int)r->at - at, "%s must be from 1 to %u",
                       part_names[part], (unsigned)max);
    *ret = (uint32_t)value;
    return RC_OK;
}

static enum rc parse_weekday(struct rrule_reader *r, uint8_t *ret, struct err *reterr)
{
    struct rrule_word word = rrule_take_word(r);
    int day = rrule_word_index(&word, weekday_names, WEEKDAYS);

    if (word.len == 0)
        return rrule_unexpected(r, "expected a weekday: MO, TU, WE, TH, FR, SA or SU", reterr);
    if (day < 0)
        return err_set(reterr, RC_INVALID, word.at, word.len,
                       "a weekday is MO, TU, WE, TH, FR, SA or SU");
    *ret = (uint8_t)day;
    return RC_OK;
}

/* Reads an optional sign; true if it is a minus. */
static bool take_sign(struct rrule_reader *r)
{
    return !rrule_take(r, '+') && rrule_take(r, '-');
}

static enum rc add_day(struct rrule *rule, struct rrule_day day, int at, struct err *reterr)
{
    for (int i = 0; i < rule->days; i++)
        if (rule->day[i].nth == day.nth && rule->day[i].weekday == day.weekday)
            return RC_OK;
    if (rule->days == RRULE_DAYS_MAX)
        return err_set(reterr, RC_INVALID, at, 0,
                       "BYDAY may have at most %d items; split the rule", RRULE_DAYS_MAX);
    rule->day[rule->days++] = day;
    return RC_OK;
}

static enum rc parse_day(struct parse *p, struct rrule_reader *r, struct err *reterr)
{
    struct rrule_day day = {.nth = 0};
    int at = rrule_offset(r);
    char c = rrule_peek(r);
    enum rc rc;

    if (c == '+' || c == '-' || char_is_digit(c)) {
        bool is_minus = take_sign(r);
        int64_t nth;

        if (!rrule_take_number(r, NTH_MAX, &nth))
            return rrule_unexpected(r, "expected a number, as in -1FR", reterr);
        if (nth < 1 || nth > NTH_MAX)
            return err_set(reterr, RC_INVALID, at, (int)r->at - at,
                           "the number before a weekday is 1 to 53 or -53 to -1");
        day.nth = (int8_t)(is_minus ? -nth : nth);
    }
    rc = parse_weekday(r, &day.weekday, reterr);
    return rc != RC_OK ? rc : add_day(&p->rule, day, at, reterr);
}

static enum rc add_position(struct rrule *rule, int position, int at, struct err *reterr)
{
    for (int i = 0; i < rule->positions; i++)
        if (rule->position[i] == position)
            return RC_OK;
    if (rule->positions == RRULE_SETPOS_MAX)
        return err_set(reterr, RC_INVALID, at, 0,
                       "BYSETPOS may have at most %d items; split the rule", RRULE_SETPOS_MAX);
    rule->position[rule->positions++] = (int16_t)position;
    return RC_OK;
}

static void add_number(struct rrule *rule, enum part part, int value, bool is_minus)
{
    uint64_t bit = UINT64_C(1) << value % 64;

    switch (part) {
    case PART_BYSECOND:
        rule->by_second |= bit;
        break;
    case PART_BYMINUTE:
        rule->by_minute |= bit;
        break;
    case PART_BYHOUR:
        rule->by_hour |= (uint32_t)bit;
        break;
    case PART_BYMONTHDAY:
        *(is_minus ? &rule->by_month_day_end : &rule->by_month_day) |= (uint32_t)bit;
        break;
    case PART_BYYEARDAY:
        (is_minus ? rule->by_year_day_end : rule->by_year_day)[value / 64] |= bit;
        break;
    case PART_BYWEEKNO:
        *(is_minus ? &rule->by_week_end : &rule->by_week) |= bit;
        break;
    default:
        rule->by_month |= (uint16_t)bit;
        break;
    }
}

static enum rc out_of_range(enum part part, int at, int len, struct err *reterr)
{
    const struct numbers *n = &numbers[part];

    if (!n->is_signed)
        return err_set(reterr, RC_INVALID, at, len, "%s must be %d to %d", part_names[part],
                       n->min, n->max);
    return err_set(reterr, RC_INVALID, at, len,
                   "%s must be %d to %d, or -%d to -%d from the end", part_names[part], n->min,
                   n->max, n->max, n->min);
}

static enum rc parse_number(struct parse *p, enum part part, struct rrule_reader *r,
                            struct err *reterr)
{
    const struct numbers *n = &numbers[part];
    int at = rrule_offset(r);
    bool is_minus = n->is_signed && take_sign(r);
    int64_t value;

    if (!rrule_take_number(r, n->max, &value))
        return rrule_unexpected(r, "expected a number", reterr);
    if (value < n->min || value > n->max)
        return out_of_range(part, at, (int)r->at - at, reterr);
    if (part == PART_BYSETPOS)
        return add_position(&p->rule, (int)(is_minus ? -value : value), at, reterr);
    add_number(&p->rule, part, (int)value, is_minus);
    return RC_OK;
}

static enum rc parse_list(struct parse *p, enum part part, struct rrule_reader *r,
                          struct err *reterr)
{
    enum rc rc;

    do
        rc = part == PART_BYDAY ? parse_day(p, r, reterr) : parse_number(p, part, r, reterr);
    while (rc == RC_OK && rrule_take(r, ','));
    return rc;
}

static enum rc parse_value(struct parse *p, enum part part, struct rrule_reader *r,
                           struct err *reterr)
{
    switch (part) {
    case PART_FREQ:
        return parse_freq(p, r, reterr);
    case PART_UNTIL:
        return parse_until(p, r, reterr);
    case PART_COUNT:
        return parse_amount(r, part, RRULE_COUNT_MAX, &p->rule.count, reterr);
    case PART_INTERVAL:
        return parse_amount(r, part, RRULE_INTERVAL_MAX, &p->rule.interval, reterr);
    case PART_WKST:
        return parse_weekday(r, &p->rule.week_start, reterr);
    default:
        return parse_list(p, part, r, reterr);
    }
}

static enum rc unknown_part(const struct rrule_word *word, struct rrule_reader *r,
                            struct err *reterr)
{
    int near = str_nearest(str_of(word->text), part_names, PARTS);

    if (word->len == 0)
        return rrule_unexpected(r, "expected a part such as FREQ=DAILY", reterr);
    if (near >= 0)
        return err_set(reterr, RC_INVALID, word->at, word->len,
                       "not a part of a rule; did you mean %s?", part_names[near]);
    return err_set(reterr, RC_INVALID, word->at, word->len,
                   "not a part of a rule; parts are FREQ, INTERVAL, COUNT, UNTIL, WKST, "
                   "BYMONTH, BYWEEKNO, BYYEARDAY, BYMONTHDAY, BYDAY, BYHOUR, BYMINUTE, "
                   "BYSECOND and BYSETPOS");
}

/* NAME=value */
static enum rc parse_part(struct parse *p, struct rrule_reader *r, struct err *reterr)
{
    struct rrule_word word = rrule_take_word(r);
    int part = rrule_word_index(&word, part_names, PARTS);
    enum rc rc;

    if (part < 0)
        return unknown_part(&word, r, reterr);
    if (p->seen[part].len > 0)
        rc = err_set(reterr, RC_INVALID, word.at, word.len,
                     "%s is given twice; join the two or remove one", part_names[part]);
    else if (!rrule_take(r, '='))
        rc = rrule_unexpected(r, "expected \"=\" after the name of a part", reterr);
    else
        rc = parse_value(p, (enum part)part, r, reterr);
    if (rc == RC_OK && !rrule_at_end(r) && rrule_peek(r) != ';')
        rc = rrule_unexpected(r, "expected \";\" between parts", reterr);
    if (rc != RC_OK)
        return err_in(reterr, "%s", part_names[part]);
    p->seen[part].at = word.at;
    p->seen[part].len = (int)r->at - word.at;
    return RC_OK;
}

static enum rc parse_rule(struct parse *p, struct rrule_reader *r, struct err *reterr)
{
    int at = rrule_offset(r);
    enum rc rc;

    if (p->has_rule)
        return err_set(reterr, RC_INVALID, at, (int)r->end - at,
                       "only one rule is allowed; add another entry for another rule");
    p->has_rule = true;
    do
        rc = parse_part(p, r, reterr);
    while (rc == RC_OK && rrule_take(r, ';'));
    if (rc == RC_OK && p->seen[PART_FREQ].len == 0) {
        rc = err_set(reterr, RC_INVALID, at, (int)r->end - at,
                     "a rule needs FREQ, such as FREQ=DAILY");
        err_in(reterr, "FREQ");
    }
    return rc;
}

/* Reads the value of a parameter, quoted or not; no folds, because the result is not a copy. */
static enum rc take_parameter(struct rrule_reader *r, struct str *ret, struct err *reterr)
{
    bool is_quoted = rrule_take(r, '"');
    size_t from, to;

    from = to = (size_t)rrule_offset(r);
    while (to < r->end && r->text.ptr[to] != '"' &&
           (is_quoted || (r->text.ptr[to] != ';' && r->text.ptr[to] != ':')))
        to++;
    for (size_t i = from; i < to; i++)
        if ((unsigned char)r->text.ptr[i] <= ' ' || r->text.ptr[i] == '\\')
            return err_set(reterr, RC_INVALID, (int)i, 1,
                           "a parameter may not contain blanks, line breaks or \"\\\"");
    r->at = to;
    *ret = (struct str){r->text.ptr + from, to - from};
    if (is_quoted && !rrule_take(r, '"'))
        return rrule_unexpected(r, "the closing double quote is missing", reterr);
    if (ret->len == 0)
        return rrule_unexpected(r, "a value is missing after \"=\"", reterr);
    return RC_OK;
}

enum value_type { VALUE_ANY, VALUE_DATE, VALUE_DATE_TIME };

/* ;TZID=… and ;VALUE=… of DTSTART */
static enum rc parse_parameter(struct parse *p, struct rrule_reader *r, enum value_type *type,
                               struct err *reterr)
{
    struct rrule_word word = rrule_take_word(r);
    struct str value;
    enum rc rc;

    if (!rrule_take(r, '='))
        return rrule_unexpected(r, "expected TZID=… or VALUE=…", reterr);
    rc = take_parameter(r, &value, reterr);
    if (rc != RC_OK)
        return rc;
    if (str_eq(str_of(word.text), STR("TZID")) && value.len <= ZONE_NAME_MAX)
        p->zone = value;
    else if (str_eq(str_of(word.text), STR("VALUE")) && str_eq_nocase(value, STR("DATE")))
        *type = VALUE_DATE;
    else if (str_eq(str_of(word.text), STR("VALUE")) && str_eq_nocase(value, STR("DATE-TIME")))
        *type = VALUE_DATE_TIME;
    else
        return err_set(reterr, RC_INVALID, word.at, (int)r->at - word.at,
                       "DTSTART may have TZID=<zone, at most %d bytes>, VALUE=DATE and "
                       "VALUE=DATE-TIME",
                       ZONE_NAME_MAX);
    return RC_OK;
}

static enum rc parse_start(struct parse *p, struct rrule_reader *r, struct err *reterr)
{
    enum value_type type = VALUE_ANY;
    struct rrule_stamp stamp;
    enum rc rc = RC_OK;
    int at;

    if (p->has_start)
        return err_set(reterr, RC_INVALID, (int)r->at, (int)(r->end - r->at),
                       "only one DTSTART is allowed; remove the others");
    p->has_start = true;
    while (rc == RC_OK && rrule_take(r, ';'))
        rc = parse_parameter(p, r, &type, reterr);
    if (rc != RC_OK)
        return rc;
    if (!rrule_take(r, ':'))
        return rrule_unexpected(r, "expected \":\" before the date", reterr);
    at = rrule_offset(r);
    rc = rrule_take_stamp(r, &stamp, reterr);
    if (rc != RC_OK)
        return rc;
    if (!rrule_at_end(r))
        return rrule_unexpected(
            r, "DTSTART ends here; write RRULE on a line of its own, not indented", reterr);
    if (type != VALUE_ANY && stamp.is_date != (type == VALUE_DATE))
        return err_set(reterr, RC_INVALID, at, (int)r->at - at,
                       "VALUE=DATE goes with 20270131, VALUE=DATE-TIME with 20270131T090000");
    if (stamp.is_utc && p->zone.len > 0)
        return err_set(reterr, RC_INVALID, (int)r->at - 1, 1,
                       "Z means UTC, but TZID names a zone; leave one out");
    if (stamp.is_utc)
        p->zone = STR("UTC");
    p->rule.start = stamp.local;
    p->is_date = stamp.is_date;
    return RC_OK;
}

/* The error for a property that is not supported here. */
static enum rc other_property(const struct rrule_word *name, struct err *reterr)
{
    struct str text = str_of(name->text);

    if (str_eq(text, STR("RDATE")))
        return err_set(reterr, RC_INVALID, name->at, name->len,
                       "RDATE is not supported; put its times into \"at\" of the spec");
    if (str_eq(text, STR("EXDATE")) || str_eq(text, STR("EXRULE")))
        return err_set(reterr, RC_INVALID, name->at, name->len,
                       "%s is not supported; put its dates into \"exclude.dates\" of the spec",
                       name->text);
    return err_set(reterr, RC_INVALID, name->at, name->len,
                   "a line must begin with DTSTART or RRULE; others are not supported");
}

static enum rc parse_line(struct parse *p, struct rrule_reader *r, struct err *reterr)
{
    struct rrule_reader begin = *r;
    struct rrule_word name = rrule_take_word(r);
    char c = rrule_peek(r);
    enum rc rc;

    if (c == '=')
        return parse_rule(p, &begin, reterr);
    if (str_eq(str_of(name.text), STR("DTSTART"))) {
        rc = parse_start(p, r, reterr);
        return rc == RC_OK ? RC_OK : err_in(reterr, "DTSTART");
    }
    if (name.len > 0 && !str_eq(str_of(name.text), STR("RRULE")))
        return other_property(&name, reterr);
    if (name.len == 0 || !rrule_take(r, ':'))
        return rrule_unexpected(r, "a line must begin with DTSTART: or RRULE:", reterr);
    return parse_rule(p, r, reterr);
}

/* The error for a part that is not allowed in this rule. */
static enum rc forbid(const struct parse *p, enum part part, const char *why,
                      struct err *reterr)
{
    err_set(reterr, RC_INVALID, p->seen[part].at, p->seen[part].len, "%s", why);
    return err_in(reterr, "%s", part_names[part]);
}

static bool has_ordinal(const struct rrule *rule)
{
    for (int i = 0; i < rule->days; i++)
        if (rule->day[i].nth != 0)
            return true;
    return false;
}

/* The combinations that RFC 5545, 3.3.10 forbids. */
static enum rc check_parts(const struct parse *p, struct err *reterr)
{
    int freq = p->rule.freq;
    bool has_other = false;

    for (int i = PART_BYSECOND; i < PART_BYSETPOS; i++)
        has_other = has_other || p->seen[i].len > 0;
    if (p->seen[PART_COUNT].len > 0 && p->seen[PART_UNTIL].len > 0)
        return forbid(p, PART_COUNT, "COUNT and UNTIL exclude each other; leave one out",
                      reterr);
    if (p->seen[PART_BYWEEKNO].len > 0 && freq != RRULE_YEARLY)
        return forbid(p, PART_BYWEEKNO, "BYWEEKNO goes with FREQ=YEARLY only", reterr);
    if (p->seen[PART_BYYEARDAY].len > 0 && freq >= RRULE_MONTHLY && freq <= RRULE_DAILY)
        return forbid(p, PART_BYYEARDAY,
                      "BYYEARDAY does not go with DAILY, WEEKLY or MONTHLY; use FREQ=YEARLY",
                      reterr);
    if (p->seen[PART_BYMONTHDAY].len > 0 && freq == RRULE_WEEKLY)
        return forbid(p, PART_BYMONTHDAY,
                      "BYMONTHDAY does not go with WEEKLY; use FREQ=MONTHLY or FREQ=DAILY",
                      reterr);
    if (has_ordinal(&p->rule) && freq > RRULE_MONTHLY)
        return forbid(p, PART_BYDAY,
                      "numbers before weekdays go with FREQ=MONTHLY and FREQ=YEARLY only",
                      reterr);
    if (has_ordinal(&p->rule) && p->seen[PART_BYWEEKNO].len > 0)
        return forbid(p, PART_BYDAY, "with BYWEEKNO, weekdays have no numbers", reterr);
    if (p->seen[PART_BYSETPOS].len > 0 && !has_other)
        return forbid(p, PART_BYSETPOS,
                      "BYSETPOS selects from the results of another BY part; add one", reterr);
    return RC_OK;
}

static enum rc check_whole(const struct parse *p, struct str text, struct err *reterr)
{
    if (!p->has_rule)
        return err_set(reterr, RC_INVALID, (int)text.len, 0,
                       "a rule is missing; add a line such as RRULE:FREQ=DAILY");
    if (!p->has_start)
        return err_set(reterr, RC_INVALID, 0, 0,
                       "DTSTART is missing; put a line such as DTSTART:20270131T090000Z or "
                       "DTSTART;TZID=Europe/Berlin:20270131T090000 before the rule");
    return check_parts(p, reterr);
}

enum rc rrule_parse(struct str text, struct rrule *ret, struct str *ret_zone,
                    struct err *reterr)
{
    struct parse p = {.rule = {.until_local = LOCAL_NEVER,
                               .until = INSTANT_NEVER,
                               .interval = 1,
                               .week_start = 1}};
    struct rrule_reader line;
    size_t at = 0;
    enum rc rc = RC_OK;

    if (text.len > RRULE_TEXT_MAX)
        return err_set(reterr, RC_INVALID, RRULE_TEXT_MAX, 0,
                       "the text has %zu bytes; the limit is %d", text.len, RRULE_TEXT_MAX);
    while (rc == RC_OK && rrule_take_line(text, &at, &line))
        if (!rrule_at_end(&line))
            rc = parse_line(&p, &line, reterr);
    if (rc == RC_OK)
        rc = check_whole(&p, text, reterr);
    if (rc != RC_OK)
        return rc;
    /* 3.3.10: if DTSTART is a date, these must be ignored. */
    if (p.is_date) {
        p.rule.by_minute = p.rule.by_second = 0;
        p.rule.by_hour = 0;
    }
    *ret = p.rule;
    *ret_zone = p.zone;
    return RC_OK;
}
