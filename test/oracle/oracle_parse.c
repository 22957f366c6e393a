/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser of the oracle: text to items.  See oracle_cron.h.
 */
#include <string.h>

#include "oracle_civil.h"
#include "oracle_cron.h"
#include "oracle_dialect.h"

enum { NUMBER_MAX = 1000000 }; /* larger numbers read as this, so that none can overflow */

static const char *const month_names[] = {"january",   "february", "march",    "april",
                                          "may",       "june",     "july",     "august",
                                          "september", "october",  "november", "december"};
static const char *const weekday_names[] = {"sunday",   "monday", "tuesday", "wednesday",
                                            "thursday", "friday", "saturday"};

/* The read position in one item of one field. */
struct reader {
    const struct oracle_dialect *dialect;
    enum oracle_unit unit;
    const char *at;
    const char *end;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static bool is_letter(char c)
{
    return lower(c) >= 'a' && lower(c) <= 'z';
}

static bool accept(struct reader *in, char wanted)
{
    if (in->at == in->end || *in->at != wanted)
        return false;
    in->at++;
    return true;
}

static bool read_number(struct reader *in, int *ret)
{
    int value = 0;

    if (in->dialect->has_plus_sign)
        accept(in, '+');
    if (in->at == in->end || !is_digit(*in->at))
        return false;
    while (in->at < in->end && is_digit(*in->at)) {
        if (value < NUMBER_MAX)
            value = value * 10 + (*in->at - '0');
        in->at++;
    }
    *ret = value;
    return true;
}

static bool begins_with(const char *name, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (name[i] == '\0' || name[i] != lower(text[i]))
            return false;
    }
    return true;
}

/* The number of letters of the name at the reader; 0 if the dialect does not have it. */
static size_t name_length(const struct reader *in)
{
    size_t letters = 0;

    if (in->unit != ORACLE_MONTH && in->unit != ORACLE_WEEKDAY)
        return 0;
    while (in->at + letters < in->end && is_letter(in->at[letters]))
        letters++;
    if (in->dialect->has_prefixes)
        return letters >= (in->unit == ORACLE_MONTH ? 3 : 2) ? letters : 0;
    return in->dialect->has_names && letters >= 3 ? 3 : 0;
}

static bool read_name(struct reader *in, int *ret)
{
    bool is_month = in->unit == ORACLE_MONTH;
    const char *const *names = is_month ? month_names : weekday_names;
    size_t length = name_length(in);

    for (int i = 0; length > 0 && i < (is_month ? 12 : 7); i++) {
        if (!begins_with(names[i], in->at, length))
            continue;
        in->at += length;
        *ret = is_month || in->dialect->weekday_min == 1 ? i + 1 : i;
        if (!is_month && i == 0)
            *ret = in->dialect->sunday;
        return true;
    }
    return false;
}

static int unit_min(const struct reader *in)
{
    if (in->unit == ORACLE_WEEKDAY)
        return in->dialect->weekday_min;
    if (in->unit == ORACLE_YEAR)
        return in->dialect->year_min;
    return in->unit == ORACLE_DAY || in->unit == ORACLE_MONTH ? 1 : 0;
}

static int unit_max(const struct reader *in)
{
    switch (in->unit) {
    case ORACLE_HOUR:
        return 23;
    case ORACLE_DAY:
        return 31;
    case ORACLE_MONTH:
        return 12;
    case ORACLE_WEEKDAY:
        return in->dialect->weekday_max;
    case ORACLE_YEAR:
        return in->dialect->year_max;
    default:
        return 59;
    }
}

/* A value as written: in quartz Sunday is still 1. */
static bool read_value(struct reader *in, int *ret)
{
    return (read_name(in, ret) || read_number(in, ret)) && *ret >= unit_min(in) &&
           *ret <= unit_max(in);
}

static bool may_wrap(const struct reader *in)
{
    if (in->unit == ORACLE_YEAR)
        return false;
    return in->unit == ORACLE_DAY ? in->dialect->has_day_wrap : in->dialect->has_wrap;
}

static int value_count(const struct reader *in)
{
    return in->unit == ORACLE_WEEKDAY ? 7 : unit_max(in) - unit_min(in) + 1;
}

/* Moves the end of a range after its start: 22-4 becomes 22-28. */
static bool unroll(const struct reader *in, struct oracle_item *item)
{
    if (item->b >= item->a)
        return true;
    if (!may_wrap(in))
        return false;
    while (item->b < item->a)
        item->b += value_count(in);
    return true;
}

static bool read_base(struct reader *in, struct oracle_item *item, bool *ret_single)
{
    *ret_single = false;
    if (accept(in, '*') || (in->dialect->has_question_star && accept(in, '?'))) {
        item->a = in->unit == ORACLE_WEEKDAY ? in->dialect->first_weekday : unit_min(in);
        item->b = unit_max(in);
        return true;
    }
    if (!read_value(in, &item->a))
        return false;
    item->b = item->a;
    *ret_single = !accept(in, '-');
    if (*ret_single)
        return true;
    if (!read_value(in, &item->b))
        return false;
    /* Spring: Sunday at the beginning of a range is 0, so 7-7 is the whole week. */
    if (in->unit == ORACLE_WEEKDAY && in->dialect->sunday == 7 && item->a == 7)
        item->a = 0;
    return unroll(in, item);
}

static bool read_range(struct reader *in, struct oracle_item *item)
{
    bool single;

    item->kind = ORACLE_RANGE;
    item->step = 1;
    if (!read_base(in, item, &single))
        return false;
    if (accept(in, '/')) {
        if (!in->dialect->has_steps || (single && !in->dialect->has_value_steps))
            return false;
        if (!read_number(in, &item->step) || item->step < 1)
            return false;
        if (item->step > value_count(in) && !in->dialect->has_large_steps)
            return false;
        if (single)
            item->b = unit_max(in);
    }
    if (in->unit == ORACLE_WEEKDAY && in->dialect->weekday_min == 1) {
        item->a--;
        item->b--;
    }
    return in->at == in->end;
}

/* L, L-n, LW, L-nW, nW */
static bool read_day_special(struct reader *in, struct oracle_item *item)
{
    if (accept(in, 'L')) {
        item->kind = ORACLE_LAST;
        item->a = 0;
        if (accept(in, '-') && (!read_number(in, &item->a) || item->a < 1))
            return false;
        if (item->a > 30 && !in->dialect->has_any_nth)
            return false;
        item->b = accept(in, 'W');
        if (item->a > 0 && item->b && !in->dialect->has_last_near)
            return false;
    } else {
        item->kind = ORACLE_NEAREST;
        if (!read_value(in, &item->a) || !accept(in, 'W'))
            return false;
    }
    return in->at == in->end;
}

/* dL, d#n, d#L, and L alone */
static bool read_weekday_special(struct reader *in, struct oracle_item *item)
{
    if (in->dialect->has_bare_last && accept(in, 'L')) {
        *item = (struct oracle_item){ORACLE_RANGE, 6, 6, 1};
        return in->at == in->end;
    }
    if (!read_value(in, &item->a))
        return false;
    item->a = (item->a - in->dialect->weekday_min) % 7;
    item->kind = ORACLE_LAST_WEEKDAY;
    if (accept(in, 'L') || accept(in, 'l'))
        return in->at == in->end;
    if (!accept(in, '#'))
        return false;
    if (in->dialect->has_hash_last && accept(in, 'L'))
        return in->at == in->end;
    item->kind = ORACLE_NTH_WEEKDAY;
    if (!read_number(in, &item->b) || item->b < 1)
        return false;
    return in->at == in->end && (item->b <= 5 || in->dialect->has_any_nth);
}

static bool read_item(struct reader in, struct oracle_item *item)
{
    struct reader again = in;

    if (read_range(&again, item))
        return true;
    if (!in.dialect->has_special)
        return false;
    if (in.unit == ORACLE_DAY)
        return read_day_special(&in, item);
    return in.unit == ORACLE_WEEKDAY && read_weekday_special(&in, item);
}

static bool read_field(struct reader in, struct oracle_field *field)
{
    bool is_day = in.unit == ORACLE_DAY || in.unit == ORACLE_WEEKDAY;
    const char *end = in.end;

    field->written = true;
    if (in.dialect->days == ORACLE_DAYS_BELFRY && in.unit == ORACLE_WEEKDAY)
        field->is_and = accept(&in, '+');
    field->is_question = end - in.at == 1 && *in.at == '?';
    field->is_any = field->is_question || (end - in.at == 1 && *in.at == '*');
    field->starts_star = in.at < end && *in.at == '*';
    for (const char *c = in.at; c < end; c++)
        field->has_interval |= strchr("*?-/", *c) != NULL;
    if (field->is_question && is_day && in.dialect->has_question)
        return true;

    for (; in.at <= end; in.at = in.end + 1) {
        const char *comma = memchr(in.at, ',', (size_t)(end - in.at));
        in.end = comma == NULL ? end : comma;
        if (field->count == ORACLE_ITEM_MAX || !read_item(in, &field->item[field->count]))
            return false;
        field->has_star |= *in.at == '*';
        field->count++;
    }
    return true;
}

static bool is_blank(const struct oracle_dialect *dialect, char c)
{
    return c == ' ' || (c == '\t' && dialect->has_tab);
}

static enum oracle_unit unit_of(char letter)
{
    return (enum oracle_unit)(strchr("smhdMwy", letter) - "smhdMwy");
}

/* Checks whether the day fields are allowed together, and decides how they combine. */
static bool finish_days(struct oracle_rule *rule)
{
    const struct oracle_field *day = &rule->field[ORACLE_DAY];
    const struct oracle_field *weekday = &rule->field[ORACLE_WEEKDAY];
    bool both = !day->is_any && !weekday->is_any;

    switch (rule->dialect->days) {
    case ORACLE_DAYS_AND:
        return true;
    case ORACLE_DAYS_OR:
        rule->days_or = both;
        return true;
    case ORACLE_DAYS_STAR:
        rule->days_or = !day->starts_star && !weekday->starts_star;
        return true;
    case ORACLE_DAYS_ONE_QUESTION:
        return day->is_question != weekday->is_question;
    case ORACLE_DAYS_BELFRY:
        rule->days_or = both && !weekday->is_and;
        return !rule->days_or || (!day->has_star && !weekday->has_star);
    }
    return false;
}

static void finish_class(struct oracle_rule *rule)
{
    const struct oracle_field *field = rule->field;

    if (rule->dialect->is_star_class)
        rule->interval = field[ORACLE_MINUTE].starts_star || field[ORACLE_HOUR].starts_star;
    else
        rule->interval = field[ORACLE_SECOND].has_interval ||
                         field[ORACLE_MINUTE].has_interval || field[ORACLE_HOUR].has_interval;
}

static bool read_layout(struct oracle_rule *rule, const char *layout, const char *text)
{
    const struct oracle_dialect *dialect = rule->dialect;

    for (; *layout != '\0'; layout++) {
        while (is_blank(dialect, *text))
            text++;
        const char *end = text;
        while (*end != '\0' && !is_blank(dialect, *end))
            end++;
        enum oracle_unit unit = unit_of(*layout);
        if (!read_field((struct reader){dialect, unit, text, end}, &rule->field[unit]))
            return false;
        text = end;
    }
    if (!finish_days(rule))
        return false;
    finish_class(rule);
    return true;
}

static bool read_fields(struct oracle_rule *rule, const char *text)
{
    size_t count = 0;

    for (const char *c = text; *c != '\0'; c++)
        count += !is_blank(rule->dialect, *c) && (c == text || is_blank(rule->dialect, c[-1]));
    for (int i = 0; i < 3 && rule->dialect->layout[i] != NULL; i++) {
        if (strlen(rule->dialect->layout[i]) == count)
            return read_layout(rule, rule->dialect->layout[i], text);
    }
    return false;
}

static bool same(const char *a, const char *b, bool any_case)
{
    for (; *a != '\0' && *b != '\0'; a++, b++) {
        if (*a != *b && !(any_case && lower(*a) == *b))
            return false;
    }
    return *a == *b;
}

/* Nanoseconds of a unit of Go's durations, and how many letters it has. */
static int64_t duration_unit(const char *text, bool has_days, size_t *ret_length)
{
    static const struct {
        const char *name;
        int64_t nanoseconds;
    } units[] = {
        {"ns", 1},          {"us", 1000},         {"ms", 1000000},      {"s", 1000000000},
        {"m", 60000000000}, {"h", 3600000000000}, {"d", 86400000000000}};

    for (size_t i = 0; i < sizeof units / sizeof units[0] - !has_days; i++) {
        *ret_length = strlen(units[i].name);
        if (strncmp(text, units[i].name, *ret_length) == 0)
            return units[i].nanoseconds;
    }
    return 0;
}

/* (number unit)+ in whole seconds; a fraction of a second is dropped. */
static bool read_duration(const char **text, bool has_days, int64_t *ret)
{
    int64_t total = 0;

    do {
        double value = 0;
        double weight = 1;
        size_t length;
        if (!is_digit(**text))
            return false;
        while (is_digit(**text))
            value = value * 10 + (*(*text)++ - '0');
        if (**text == '.') {
            while (is_digit(*++*text))
                value += (weight /= 10) * (**text - '0');
        }
        int64_t unit = duration_unit(*text, has_days, &length);
        /* A century is longer than in any test, and a double is still exact enough. */
        if (unit == 0 || value * (double)unit > 3e18)
            return false;
        total += (int64_t)(value * (double)unit + 0.5);
        *text += length;
    } while (is_digit(**text) && total < INT64_C(3000000000000000000));
    *ret = total / 1000000000;
    return true;
}

static bool read_every(struct oracle_rule *rule, const char *text)
{
    const struct oracle_dialect *dialect = rule->dialect;

    if (!is_blank(dialect, *text))
        return false;
    while (is_blank(dialect, *text))
        text++;
    rule->from_after = !dialect->is_epoch_based;
    if (!read_duration(&text, dialect->is_epoch_based, &rule->every) || rule->every < 1)
        return false;
    if (dialect->is_epoch_based && *text == '/') {
        text++;
        if (!read_duration(&text, true, &rule->phase) || rule->phase >= rule->every)
            return false;
    }
    return *text == '\0';
}

static bool read_macro(struct oracle_rule *rule, const char *text)
{
    static const struct {
        const char *name;
        const char *fields;
    } macros[] = {{"@yearly", "0 0 1 1 *"},  {"@annually", "0 0 1 1 *"},
                  {"@monthly", "0 0 1 * *"}, {"@weekly", "0 0 * * 0"},
                  {"@daily", "0 0 * * *"},   {"@midnight", "0 0 * * *"},
                  {"@hourly", "0 * * * *"}};

    if (rule->dialect->has_every && strncmp(text, "@every", 6) == 0)
        return read_every(rule, text + 6);
    if (!rule->dialect->has_macros)
        return false;
    for (size_t i = 0; i < sizeof macros / sizeof macros[0]; i++) {
        if (same(text, macros[i].name, rule->dialect->has_macros_any_case))
            return read_layout(rule, "mhdMw", macros[i].fields);
    }
    return false;
}

/* Removes the blanks at both ends, in place. */
static char *trim(const struct oracle_dialect *dialect, char *text)
{
    while (is_blank(dialect, *text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && is_blank(dialect, text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

/* Moves "TZ=name " or "CRON_TZ=name " from the start of *text to rule->zone. */
static bool read_zone(struct oracle_rule *rule, char **text)
{
    size_t skip = strncmp(*text, "TZ=", 3) == 0        ? 3
                  : strncmp(*text, "CRON_TZ=", 8) == 0 ? 8
                                                       : 0;
    size_t length = 0;

    if (skip == 0)
        return true;
    char *name = *text + skip;
    while (name[length] != '\0' && !is_blank(rule->dialect, name[length]))
        length++;
    if (!rule->dialect->has_zone || length == 0 || length >= ORACLE_ZONE_MAX)
        return false;
    memcpy(rule->zone, name, length);
    rule->zone[length] = '\0';
    *text = trim(rule->dialect, name + length);
    return true;
}

/* rate(5 minutes): elapsed time like @every. */
static bool read_rate(struct oracle_rule *rule, const char *text)
{
    static const char *const units[] = {"minute", "hour", "day"};
    static const int seconds[] = {60, 3600, 86400};
    struct reader in = {rule->dialect, ORACLE_MINUTE, text, text + strlen(text)};
    int value;

    if (!read_number(&in, &value) || value < 1 || !accept(&in, ' '))
        return false;
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(units[i]);
        if (strncmp(in.at, units[i], length) != 0)
            continue;
        rule->every = (int64_t)value * seconds[i];
        rule->from_after = true;
        return strcmp(in.at + length, value == 1 ? "" : "s") == 0;
    }
    return false;
}

/* cron(...) or rate(...) of aws */
static bool read_wrapped(struct oracle_rule *rule, char *text)
{
    size_t length = strlen(text);

    if (length < 6 || text[length - 1] != ')')
        return false;
    text[length - 1] = '\0';
    if (strncmp(text, "rate(", 5) == 0)
        return read_rate(rule, text + 5);
    return strncmp(text, "cron(", 5) == 0 && read_fields(rule, trim(rule->dialect, text + 5));
}

static bool read_schedule(struct oracle_rule *rule, char *text)
{
    text = trim(rule->dialect, text);
    if (rule->dialect->is_wrapped)
        return read_wrapped(rule, text);
    if (!read_zone(rule, &text))
        return false;
    char *comment = strchr(text, '#');
    if (rule->dialect->has_comment && comment != NULL) {
        *comment = '\0';
        text = trim(rule->dialect, text);
    }
    return *text == '@' ? read_macro(rule, text) : read_fields(rule, text);
}

int oracle_parse(const char *dialect, const char *text, struct oracle_rule *ret)
{
    char copy[ORACLE_TEXT_MAX + 1];
    size_t length = strlen(text);

    memset(ret, 0, sizeof *ret);
    for (int i = 0; i < ORACLE_MEMO; i++)
        ret->memo_day[i] = INT64_MIN;
    ret->dialect = oracle_dialect_find(dialect);
    if (ret->dialect == NULL || length > ORACLE_TEXT_MAX)
        return -1;
    for (size_t i = 0; i < length; i++) {
        if (text[i] != '\t' && (text[i] < ' ' || text[i] > '~'))
            return -1;
    }
    memcpy(copy, text, length + 1);
    return read_schedule(ret, copy) ? 0 : -1;
}
