/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses, checks and prints one field of a Temporal calendar.
 */
#include "model/temporal_field.h"

#include <stdbool.h>

#include "base/buf.h"
#include "base/must.h"
#include "core/limits.h"
#include "model/spec_fields.h"

enum { YEAR_FIELD = 5, WEEKDAY_FIELD = 6 };

static const char *const months[] = {
    "january", "february", "march",     "april",   "may",      "june",
    "july",    "august",   "september", "october", "november", "december",
};

static const char *const weekdays[] = {
    "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
};

static const struct rule {
    int min, max;
    const char *const *names; /* of the values from min on */
    int name_count;
    size_t letters; /* minimum letters of an abbreviated name */
} rules[CALENDAR_FIELDS] = {
    {.min = 0, .max = 59},
    {.min = 0, .max = 59},
    {.min = 0, .max = 23},
    {.min = 1, .max = 31},
    {.min = 1, .max = 12, .names = months, .name_count = 12, .letters = 3},
    {.min = 2000, .max = 2100},
    {.min = 0, .max = 6, .names = weekdays, .name_count = 7, .letters = 2},
};

enum { FIELD_VALUES_MAX = 101 }; /* the years */

/* A field's text while it is parsed; columns count from `text`. */
struct scan {
    struct str text;
    int field;
    int max; /* 7 for weekdays: a second number for Sunday */
};

static int column(const struct scan *scan, struct str part)
{
    return (int)(part.ptr - scan->text.ptr);
}

static enum rc set_invalid(const struct scan *scan, struct str part, const char *what,
                           struct err *reterr)
{
    return err_set(reterr, RC_INVALID, column(scan, part), (int)part.len, "%s", what);
}

static bool find_name(struct str text, const struct rule *rule, int *ret)
{
    for (int i = 0; i < rule->name_count && text.len >= rule->letters; i++) {
        struct str name = str_of(rule->names[i]);

        if (text.len > name.len)
            continue;
        name.len = text.len;
        if (str_eq_nocase(text, name)) {
            *ret = rule->min + i;
            return true;
        }
    }
    return false;
}

static enum rc take_value(const struct scan *scan, struct str part, int *ret,
                          struct err *reterr)
{
    const struct rule *rule = &rules[scan->field];
    struct str digits = part;
    int64_t value = -1;

    if (find_name(part, rule, ret))
        return RC_OK;
    if (digits.len > 0 && digits.ptr[0] == '+')
        digits = str_from(digits, 1);
    if (str_take_number(&digits, INT32_MAX, &value) == 0 || digits.len > 0)
        return set_invalid(
            scan, part, rule->names ? "neither a number nor a name" : "not a number", reterr);
    if (value < rule->min || value > scan->max)
        return err_set(reterr, RC_INVALID, column(scan, part), (int)part.len,
                       "%s %lld is out of range %d-%d", calendar_fields[scan->field].name,
                       (long long)value, rule->min, scan->max);
    *ret = (int)value;
    return RC_OK;
}

static enum rc take_step(const struct scan *scan, struct str part, int *ret, struct err *reterr)
{
    struct str digits = part;
    int64_t value = 0;

    if (digits.len > 0 && digits.ptr[0] == '+')
        digits = str_from(digits, 1);
    if (str_take_number(&digits, INT32_MAX, &value) == 0 || digits.len > 0 || value < 1 ||
        value > INT32_MAX)
        return set_invalid(scan, part, "a step is one whole number, at least 1", reterr);
    *ret = (int)value;
    return RC_OK;
}

static enum rc take_bounds(const struct scan *scan, struct str first, struct str last,
                           int *ret_start, int *ret_end, struct err *reterr)
{
    enum rc rc = take_value(scan, first, ret_start, reterr);

    if (rc == RC_OK)
        rc = take_value(scan, last, ret_end, reterr);
    if (rc == RC_OK && *ret_end < *ret_start)
        return set_invalid(scan, last, "a range may not end before it starts; write two",
                           reterr);
    return rc;
}

static void append_range(struct temporal_ranges *to, int start, int end, int step)
{
    to->at[to->count++] = (struct temporal_range){
        .start = start, .end = end == start ? 0 : end, .step = step == 1 ? 0 : step};
}

/* The input may use 7 for Sunday: it becomes 0, and a range of all seven days becomes 0-6. */
static void append_weekdays(struct temporal_ranges *to, int start, int end, int step)
{
    bool hits_sunday = (7 - start) % step == 0;

    if (end < 7) {
        append_range(to, start, end, step);
    } else if (start == 7) {
        append_range(to, 0, 0, 1);
    } else if (start <= 1 && step == 1) {
        append_range(to, 0, 6, 1);
    } else {
        if (hits_sunday && start > 0)
            append_range(to, 0, 0, 1);
        append_range(to, start, 6, step);
    }
}

static enum rc take_part(const struct scan *scan, struct str part, struct temporal_ranges *to,
                         struct err *reterr)
{
    int start = rules[scan->field].min, end = scan->max, step = 1;
    struct str base = part, steps, first, last;
    bool has_step = str_cut(part, '/', &base, &steps);
    bool is_range = str_cut(base, '-', &first, &last);
    enum rc rc = has_step ? take_step(scan, steps, &step, reterr) : RC_OK;

    if (rc == RC_OK && is_range) {
        rc = take_bounds(scan, first, last, &start, &end, reterr);
    } else if (rc == RC_OK && !str_eq(base, STR("*"))) {
        rc = take_value(scan, base, &start, reterr);
        end = has_step ? end : start;
    }
    if (rc != RC_OK)
        return rc;
    if (scan->field == WEEKDAY_FIELD)
        append_weekdays(to, start, end, step);
    else
        append_range(to, start, end, step);
    return RC_OK;
}

static int count_parts(struct str text)
{
    int parts = 1;

    for (size_t i = 0; i < text.len; i++)
        parts += text.ptr[i] == ',';
    return parts;
}

static enum rc take_parts(const struct scan *scan, struct str rest, struct arena *arena,
                          struct temporal_ranges *ret, struct err *reterr)
{
    /* One part of a weekday field may become two ranges. */
    int parts = count_parts(rest), room = scan->field == WEEKDAY_FIELD ? 2 * parts : parts;
    struct temporal_ranges ranges = {0};
    struct str part;

    if (room > TEMPORAL_RANGES_MAX)
        return err_set(reterr, RC_LIMIT, 0, 0, "too many values; the limit for a list is %d",
                       TEMPORAL_RANGES_MAX * parts / room);
    ranges.at = arena_array(arena, (size_t)room, sizeof *ranges.at);
    for (bool more = true; more;) {
        enum rc rc;

        more = str_cut(rest, ',', &part, &rest);
        rc = take_part(scan, more ? part : rest, &ranges, reterr);
        if (rc != RC_OK)
            return rc;
    }
    *ret = ranges;
    return RC_OK;
}

enum rc temporal_field_parse(struct str text, int field, struct arena *arena,
                             struct temporal_ranges *ret, struct err *reterr)
{
    struct scan scan = {
        .text = text, .field = field, .max = field == WEEKDAY_FIELD ? 7 : rules[field].max};
    struct str trimmed = str_trim(text);

    if (trimmed.len == 0)
        trimmed = scan.text = str_of(calendar_fields[field].initial);
    if (field == YEAR_FIELD && str_eq(trimmed, STR("*"))) {
        *ret = (struct temporal_ranges){0};
        return RC_OK;
    }
    return take_parts(&scan, trimmed, arena, ret, reterr);
}

enum rc temporal_field_check(struct temporal_ranges ranges, int field, struct err *reterr)
{
    const struct rule *rule = &rules[field];

    for (int i = 0; i < ranges.count; i++) {
        struct temporal_range r = ranges.at[i];
        const char *wrong = NULL;
        int value = r.start;

        if (r.start < rule->min || r.start > rule->max) {
            wrong = "start";
        } else if (r.end != 0 && (r.end < r.start || r.end > rule->max)) {
            wrong = "end";
            value = r.end;
        } else if (r.step < 0) {
            wrong = "step";
            value = r.step;
        }
        if (wrong) {
            err_set(reterr, RC_INVALID, -1, 0,
                    "%s %d is invalid: start must be %d-%d, end 0 or from start to %d, step "
                    "not negative",
                    wrong, value, rule->min, rule->max, rule->max);
            return err_in(reterr, "[%d]", i);
        }
    }
    return RC_OK;
}

/* Sets has[v - min] for the values v of the range that are valid in the field. */
static void mark_values(struct temporal_range r, const struct rule *rule, bool *has)
{
    int64_t step = r.step > 0 ? r.step : 1;
    int64_t end = r.end > r.start ? r.end : r.start;
    int64_t value = r.start;

    if (value < rule->min)
        value += (rule->min - value + step - 1) / step * step;
    for (; value <= end && value <= rule->max; value += step)
        has[value - rule->min] = true;
}

struct str temporal_field_text(struct temporal_ranges ranges, int field, struct arena *arena)
{
    const struct rule *rule = &rules[field];
    bool has[FIELD_VALUES_MAX] = {false};
    int values = rule->max - rule->min + 1, run = 0;
    char text[CRON_TEXT_MAX];
    struct buf out = BUF(text);

    if (field == YEAR_FIELD && ranges.count == 0)
        return STR("*");
    for (int i = 0; i < ranges.count; i++)
        mark_values(ranges.at[i], rule, has);
    for (int v = 0; v < values; v += run + 1) {
        for (run = 0; v + run < values && has[v + run]; run++)
            ;
        if (run == values)
            return field == YEAR_FIELD ? STR("2000-2100") : STR("*");
        if (run > 0)
            buf_printf(&out, "%s%d", out.len > 0 ? "," : "", rule->min + v);
        if (run > 1)
            buf_printf(&out, "-%d", rule->min + v + run - 1);
    }
    must(!out.cut);
    return arena_str(arena, buf_as_str(&out));
}
