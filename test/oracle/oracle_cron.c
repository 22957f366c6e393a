/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests whether a civil second matches the items of a rule.  See oracle_cron.h.
 */
#include "oracle_cron.h"

#include "oracle_civil.h"
#include "oracle_dialect.h"

/* The number of values after which a range that passes the end starts again. */
static int cycle_of(enum oracle_unit unit)
{
    switch (unit) {
    case ORACLE_SECOND:
    case ORACLE_MINUTE:
        return 60;
    case ORACLE_HOUR:
        return 24;
    case ORACLE_DAY:
        return 31;
    case ORACLE_MONTH:
        return 12;
    case ORACLE_WEEKDAY:
        return 7; /* so that 7 is Sunday, like 0 */
    default:
        return ORACLE_YEAR_MAX + 1; /* years never wrap */
    }
}

static bool in_range(const struct oracle_item *item, enum oracle_unit unit, int value)
{
    for (int v = value; v <= item->b; v += cycle_of(unit)) {
        if (v >= item->a && (v - item->a) % item->step == 0)
            return true;
    }
    return false;
}

bool oracle_has(const struct oracle_rule *rule, enum oracle_unit unit, int value)
{
    const struct oracle_field *field = &rule->field[unit];

    if (!field->written)
        return unit != ORACLE_SECOND || value == 0;
    if (field->is_any)
        return true;
    for (int i = 0; i < field->count; i++) {
        if (field->item[i].kind == ORACLE_RANGE && in_range(&field->item[i], unit, value))
            return true;
    }
    return false;
}

/* The weekday (Monday to Friday) nearest to a day, in the same month. */
static int nearest_weekday(struct oracle_date date)
{
    int weekday = oracle_weekday(oracle_day_number(date.year, date.month, date.day));

    if (weekday == 6)
        return date.day > 1 ? date.day - 1 : date.day + 2;
    if (weekday == 0)
        return date.day < oracle_month_length(date.year, date.month) ? date.day + 1
                                                                     : date.day - 2;
    return date.day;
}

/* The day of the month of a special item of the day field; 0 if there is none. */
static int special_day(const struct oracle_item *item, struct oracle_date date)
{
    int length = oracle_month_length(date.year, date.month);
    struct oracle_date named = date;

    if (item->kind == ORACLE_LAST) {
        named.day = length - item->a;
        if (named.day < 1)
            return 0;
        return item->b ? nearest_weekday(named) : named.day;
    }
    if (item->kind == ORACLE_NEAREST && item->a <= length) {
        named.day = item->a;
        return nearest_weekday(named);
    }
    return 0;
}

static bool month_day_matches(const struct oracle_rule *rule, struct oracle_date date)
{
    const struct oracle_field *field = &rule->field[ORACLE_DAY];

    if (oracle_has(rule, ORACLE_DAY, date.day))
        return true;
    for (int i = 0; i < field->count; i++) {
        if (special_day(&field->item[i], date) == date.day)
            return true;
    }
    return false;
}

static bool weekday_matches(const struct oracle_rule *rule, struct oracle_date date,
                            int weekday)
{
    const struct oracle_field *field = &rule->field[ORACLE_WEEKDAY];
    int length = oracle_month_length(date.year, date.month);

    if (oracle_has(rule, ORACLE_WEEKDAY, weekday))
        return true;
    for (int i = 0; i < field->count; i++) {
        const struct oracle_item *item = &field->item[i];
        if (item->kind == ORACLE_LAST_WEEKDAY && item->a == weekday && date.day + 7 > length)
            return true;
        if (item->kind == ORACLE_NTH_WEEKDAY && item->a == weekday &&
            (date.day - 1) / 7 + 1 == item->b)
            return true;
    }
    return false;
}

static bool date_matches(const struct oracle_rule *rule, int64_t day)
{
    struct oracle_date date = oracle_date_of(day);

    if (!oracle_has(rule, ORACLE_YEAR, date.year) ||
        !oracle_has(rule, ORACLE_MONTH, date.month))
        return false;
    bool by_month_day = month_day_matches(rule, date);
    bool by_weekday = weekday_matches(rule, date, oracle_weekday(day));
    return rule->days_or ? by_month_day || by_weekday : by_month_day && by_weekday;
}

bool oracle_day_matches(struct oracle_rule *rule, int64_t day)
{
    uint64_t slot = (uint64_t)day % ORACLE_MEMO;

    if (rule->memo_day[slot] != day) {
        rule->memo_day[slot] = day;
        rule->memo_matches[slot] = date_matches(rule, day);
    }
    return rule->memo_matches[slot];
}

bool oracle_matches(struct oracle_rule *rule, int64_t local)
{
    int64_t day = oracle_floor_div(local, ORACLE_DAY_SECONDS);
    int second = (int)(local - day * ORACLE_DAY_SECONDS);

    return oracle_day_matches(rule, day) && oracle_has(rule, ORACLE_HOUR, second / 3600) &&
           oracle_has(rule, ORACLE_MINUTE, second / 60 % 60) &&
           oracle_has(rule, ORACLE_SECOND, second % 60);
}

const char *oracle_default_dst(const struct oracle_rule *rule)
{
    return rule->dialect->dst;
}

static int64_t midnight_of(int year, int month, int day)
{
    return oracle_day_number(year, month, day) * ORACLE_DAY_SECONDS;
}

void oracle_horizon(const struct oracle_rule *rule, int64_t *ret_from, int64_t *ret_to)
{
    bool is_narrow = rule->dialect->has_century_horizon;

    /* A week inside the calendar, so that all times around an instant have a date. */
    *ret_from = is_narrow ? 0 : midnight_of(ORACLE_YEAR_MIN, 1, 8);
    *ret_to = is_narrow ? midnight_of(2101, 1, 1) : midnight_of(ORACLE_YEAR_MAX, 12, 25);
}
