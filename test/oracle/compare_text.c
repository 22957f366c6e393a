/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random expressions.  See compare_text.h.
 */
#include "compare_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "oracle_civil.h"
#include "oracle_cron.h"

enum { TEXT_LENGTH = 256 };

/* The expression that is being written. */
struct writer {
    struct compare_prng *prng;
    const struct oracle_dialect *dialect;
    int target[ORACLE_UNIT_COUNT]; /* the local second to match; weekday with 0 = Sunday */
    int month_length;
    bool is_fixed; /* times are written without the characters of an interval */
    bool is_free;  /* values need not be near the target                      */
    char *text;
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void put(struct writer *out, const char *form, ...)
{
    va_list arguments;

    va_start(arguments, form);
    int added = vsnprintf(out->text + out->length, TEXT_LENGTH - out->length, form, arguments);
    va_end(arguments);
    oracle_need(added >= 0 && out->length + (size_t)added < TEXT_LENGTH);
    out->length += (size_t)added;
}

static int min_of(const struct writer *out, enum oracle_unit unit)
{
    if (unit == ORACLE_WEEKDAY)
        return out->dialect->weekday_min;
    if (unit == ORACLE_YEAR)
        return out->dialect->year_min;
    return unit == ORACLE_DAY || unit == ORACLE_MONTH ? 1 : 0;
}

static int max_of(const struct writer *out, enum oracle_unit unit)
{
    static const int max[] = {59, 59, 23, 31, 12, 0, 0};

    if (unit == ORACLE_WEEKDAY)
        return out->dialect->weekday_max;
    return unit == ORACLE_YEAR ? out->dialect->year_max : max[unit];
}

/* A value as the dialect writes it, often at or next to the target. */
static int any_value(struct writer *out, enum oracle_unit unit)
{
    static const int beside[] = {-1, 0, 0, 0, 0, 1, 1, 2};
    static const int nearness[] = {30, 60, 85, 80, 80, 70, 100}; /* percent */
    int low = min_of(out, unit);
    int high = max_of(out, unit);
    int value = out->target[unit] + (unit == ORACLE_WEEKDAY ? low : 0);

    if (out->is_free)
        return (int)prng_between(out->prng, low, high);
    if (unit == ORACLE_SECOND && prng_percent(out->prng, 60))
        return 0;
    if (unit == ORACLE_MINUTE && prng_percent(out->prng, 25))
        return 30 * prng_below(out->prng, 2);
    if (!prng_percent(out->prng, nearness[unit]))
        return (int)prng_between(out->prng, low, high);
    if (unit == ORACLE_HOUR || unit == ORACLE_DAY)
        value += beside[prng_below(out->prng, 8)];
    if (value < low)
        return high;
    return value > high ? low : value;
}

static const char *name_of(const struct writer *out, enum oracle_unit unit, int value)
{
    static const char *const names = "sunmontuewedthufrisat";
    static const char *const months = "janfebmaraprmayjunjulaugsepoctnovdec";

    if (!out->dialect->has_names && !out->dialect->has_prefixes)
        return NULL;
    if (unit == ORACLE_MONTH)
        return months + 3 * (value - 1);
    if (unit != ORACLE_WEEKDAY)
        return NULL;
    int weekday = (value - (out->dialect->weekday_min == 1)) % 7;
    /* Sunday has one name and sometimes two numbers. */
    if (weekday == 0 && value != out->dialect->sunday)
        return NULL;
    return names + 3 * weekday;
}

/* Whether a value that has a name is written as the name. */
enum naming { NEVER, SOMETIMES, ALWAYS };

static void put_value(struct writer *out, enum oracle_unit unit, int value, enum naming naming)
{
    const char *name = name_of(out, unit, value);

    if (name == NULL || naming == NEVER ||
        (naming == SOMETIMES && prng_percent(out->prng, 60))) {
        put(out, prng_percent(out->prng, 4) ? "%02d" : "%d", value);
        return;
    }
    bool is_upper = prng_percent(out->prng, 70);
    for (int i = 0; i < 3; i++)
        put(out, "%c", is_upper ? name[i] - 'a' + 'A' : name[i]);
}

/* Does not write ranges that wrap if the document leaves them open (aws). */
static bool may_wrap(const struct writer *out, enum oracle_unit unit)
{
    if (unit == ORACLE_YEAR || out->dialect->is_wrapped)
        return false;
    return unit == ORACLE_DAY ? out->dialect->has_day_wrap : out->dialect->has_wrap;
}

/* Quartz and similar: names and numbers do not mix, and names have no step. */
static bool is_strict(const struct writer *out)
{
    return out->dialect->weekday_min == 1;
}

/* a-b around a value, with a <= b unless ranges may wrap in the dialect */
static void put_range(struct writer *out, enum oracle_unit unit, enum naming naming)
{
    int low = min_of(out, unit);
    int high = max_of(out, unit);
    int middle = any_value(out, unit);
    int a = (int)prng_between(out->prng, low, middle);
    int b = (int)prng_between(out->prng, middle, high);

    /* Short ranges, so that not everything matches. */
    if (prng_percent(out->prng, 60)) {
        a = middle;
        b = middle + (int)prng_between(out->prng, 0, 3);
        b = b > high ? high : b;
    }
    if (may_wrap(out, unit) && prng_percent(out->prng, 25)) {
        int swapped = a;
        a = b;
        b = swapped;
    }
    /* Spring reads a Sunday that begins a range as 0. */
    if (unit == ORACLE_WEEKDAY && out->dialect->sunday == 7 && prng_percent(out->prng, 15))
        a = 7;
    if (is_strict(out) && naming == SOMETIMES)
        naming = prng_percent(out->prng, 40) ? ALWAYS : NEVER;
    put_value(out, unit, a, naming);
    put(out, "-");
    put_value(out, unit, b, naming);
}

static int any_step(struct writer *out, enum oracle_unit unit)
{
    int values = unit == ORACLE_WEEKDAY ? 7 : max_of(out, unit) - min_of(out, unit) + 1;

    if (values > 30 && prng_percent(out->prng, 70))
        values = 30;
    if (is_strict(out))
        values--; /* quartz rejects a step of all values, such as 60 minutes */
    return (int)prng_between(out->prng, 2, values);
}

/* One item that is not a plain star; may_star allows a star with a step. */
static void put_item(struct writer *out, enum oracle_unit unit, bool may_star)
{
    const struct oracle_dialect *dialect = out->dialect;
    enum naming stepped = is_strict(out) ? NEVER : SOMETIMES;
    bool is_value = out->is_fixed && unit <= ORACLE_HOUR;
    int choice = is_value ? 100 : prng_below(out->prng, 100);

    if (choice < 16 && dialect->has_steps && may_star) {
        put(out, "*/%d", any_step(out, unit));
    } else if (choice < 24 && dialect->has_steps) {
        put_range(out, unit, stepped);
        put(out, "/%d", any_step(out, unit));
    } else if (choice < 30 && dialect->has_steps && dialect->has_value_steps) {
        put_value(out, unit, any_value(out, unit), stepped);
        put(out, "/%d", any_step(out, unit));
    } else if (choice < 45) {
        put_range(out, unit, SOMETIMES);
    } else {
        put_value(out, unit, any_value(out, unit), SOMETIMES);
    }
}

static void put_list(struct writer *out, enum oracle_unit unit, bool may_star)
{
    int more = prng_percent(out->prng, 25) ? 1 + prng_below(out->prng, 2) : 0;

    put_item(out, unit, may_star);
    for (; more > 0; more--) {
        put(out, ",");
        /* Few years are left, so a list of years stays near. */
        out->is_free = unit != ORACLE_YEAR && prng_percent(out->prng, 60);
        put_item(out, unit, may_star);
    }
    out->is_free = false;
}

static void put_star(struct writer *out)
{
    put(out, out->dialect->has_question_star && prng_percent(out->prng, 10) ? "?" : "*");
}

static void put_time(struct writer *out, enum oracle_unit unit)
{
    static const int stars[] = {8, 15, 35}; /* percent, by unit */

    if (!out->is_fixed && prng_percent(out->prng, stars[unit]))
        put_star(out);
    else
        put_list(out, unit, true);
}

/* L, L-n, LW, L-nW or nW, mostly for the day of the target. */
static void put_day_special(struct writer *out)
{
    int to_last = out->month_length - out->target[ORACLE_DAY];
    int back = prng_percent(out->prng, 60) ? to_last : (int)prng_between(out->prng, 1, 30);
    /* aws documents L, W and LW only. */
    bool may_back = back > 0 && !out->dialect->is_wrapped;

    if (prng_percent(out->prng, 25)) {
        put(out, "%dW", any_value(out, ORACLE_DAY));
        return;
    }
    bool is_back = may_back && prng_percent(out->prng, 50);
    put(out, "L");
    if (is_back)
        put(out, "-%d", back);
    if ((!is_back || out->dialect->has_last_near) && prng_percent(out->prng, 50))
        put(out, "W");
}

/* dL, d#n or d#L, mostly for the day of the target. */
static void put_weekday_special(struct writer *out)
{
    int nth = (out->target[ORACLE_DAY] - 1) / 7 + 1;

    if (out->dialect->has_bare_last && !out->dialect->is_wrapped &&
        prng_percent(out->prng, 10)) {
        put(out, "L");
        return;
    }
    put_value(out, ORACLE_WEEKDAY, any_value(out, ORACLE_WEEKDAY), SOMETIMES);
    if (prng_percent(out->prng, 35))
        put(out, "L");
    else if (out->dialect->has_hash_last && prng_percent(out->prng, 15))
        put(out, "#L");
    else
        put(out, "#%d", prng_percent(out->prng, 70) ? nth : 1 + prng_below(out->prng, 5));
}

/* A restricted day field. */
static void put_days(struct writer *out, enum oracle_unit unit, bool may_star)
{
    bool may_list = out->dialect->days == ORACLE_DAYS_BELFRY ||
                    out->dialect->days == ORACLE_DAYS_AND;

    if (!out->dialect->has_special || prng_percent(out->prng, 55)) {
        put_list(out, unit, may_star);
        return;
    }
    for (bool more = true; more;) {
        if (unit == ORACLE_DAY)
            put_day_special(out);
        else
            put_weekday_special(out);
        more = may_list && prng_percent(out->prng, 20);
        if (more)
            put(out, ",");
    }
    if (may_list && prng_percent(out->prng, 15)) {
        put(out, ",");
        put_value(out, unit, any_value(out, unit), SOMETIMES);
    }
}

/* An unrestricted day field. */
static void put_any_day(struct writer *out, bool is_question)
{
    if (is_question || (out->dialect->has_question && prng_percent(out->prng, 15) &&
                        out->dialect->days != ORACLE_DAYS_ONE_QUESTION))
        put(out, "?");
    else
        put_star(out);
}

/* Which day fields are restricted. */
struct day_plan {
    bool day;
    bool weekday;
    bool may_star;             /* a star with a step next to the other field is unambiguous */
    bool is_and;               /* belfry's +                                                */
    enum oracle_unit question; /* the field that is ?, if exactly one must be               */
};

static struct day_plan plan_days(struct writer *out, bool is_common)
{
    enum oracle_day_rule days = out->dialect->days;
    int choice = prng_below(out->prng, 100);
    struct day_plan plan = {.may_star = true, .question = ORACLE_WEEKDAY};

    plan.day = choice >= 60 && choice < 80;
    plan.weekday = choice >= 80;
    /* If both must match, both restricted gives rare days. */
    if (choice >= 92 && days != ORACLE_DAYS_ONE_QUESTION && !is_common)
        plan.day = true;
    if (choice >= 94 && (days == ORACLE_DAYS_OR || days == ORACLE_DAYS_BELFRY))
        plan.day = true;
    if (plan.weekday || (!plan.day && prng_percent(out->prng, 30)))
        plan.question = ORACLE_DAY;
    if (plan.day && plan.weekday) {
        plan.is_and = days == ORACLE_DAYS_BELFRY && !is_common && prng_percent(out->prng, 50);
        plan.may_star = days == ORACLE_DAYS_AND || days == ORACLE_DAYS_STAR || plan.is_and ||
                        out->dialect->has_question_star;
    }
    return plan;
}

static void put_day_field(struct writer *out, enum oracle_unit unit,
                          const struct day_plan *plan)
{
    bool is_restricted = unit == ORACLE_DAY ? plan->day : plan->weekday;
    bool is_question = out->dialect->days == ORACLE_DAYS_ONE_QUESTION && plan->question == unit;

    if (unit == ORACLE_WEEKDAY && plan->is_and)
        put(out, "+");
    if (is_restricted)
        put_days(out, unit, plan->may_star);
    else
        put_any_day(out, is_question);
}

static void put_fields(struct writer *out, bool is_common)
{
    struct day_plan plan = plan_days(out, is_common);
    int layouts = 0;

    while (layouts < 3 && out->dialect->layout[layouts] != NULL)
        layouts++;
    const char *layout = out->dialect->layout[prng_below(out->prng, layouts)];
    /* Near years that cannot be written, only expressions without years are unambiguous. */
    if (out->target[ORACLE_YEAR] <= out->dialect->year_min ||
        out->target[ORACLE_YEAR] > out->dialect->year_max)
        layout = out->dialect->layout[0];

    for (; *layout != '\0'; layout++) {
        enum oracle_unit unit = (enum oracle_unit)(strchr("smhdMwy", *layout) - "smhdMwy");
        if (unit <= ORACLE_HOUR)
            put_time(out, unit);
        else if (unit == ORACLE_DAY || unit == ORACLE_WEEKDAY)
            put_day_field(out, unit, &plan);
        else if (prng_percent(out->prng, is_common ? 90 : 65))
            put_star(out);
        else
            put_list(out, unit, true);
        if (layout[1] != '\0')
            put(out, prng_percent(out->prng, 2) ? "  " : " ");
    }
}

static void put_macro(struct writer *out, bool is_common)
{
    static const char *const macros[] = {"@hourly",  "@daily",  "@midnight", "@weekly",
                                         "@monthly", "@yearly", "@annually"};

    put(out, "%s", macros[prng_below(out->prng, is_common ? 4 : 7)]);
}

void compare_text(struct compare_prng *prng, const struct oracle_dialect *dialect,
                  int64_t local, bool is_common, char ret[static 256])
{
    int64_t day = oracle_floor_div(local, ORACLE_DAY_SECONDS);
    int second = (int)(local - day * ORACLE_DAY_SECONDS);
    struct oracle_date date = oracle_date_of(day);
    struct writer out = {
        .prng = prng,
        .dialect = dialect,
        .target = {second % 60, second / 60 % 60, second / 3600, date.day, date.month,
                   oracle_weekday(day), date.year},
        .month_length = oracle_month_length(date.year, date.month),
        .text = ret,
    };

    if (dialect->has_macros && prng_percent(prng, 4)) {
        put_macro(&out, is_common);
        return;
    }
    if (dialect->is_wrapped)
        put(&out, "cron(");
    out.is_fixed = prng_percent(prng, 35);
    put_fields(&out, is_common);
    if (dialect->is_wrapped)
        put(&out, ")");
}
