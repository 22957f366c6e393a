/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes lists, numbers, names, durations, dates and zones in English.
 */
#include "core/describe/describe_words.h"

#include "base/bits.h"
#include "base/must.h"
#include "core/time/civil.h"
#include "core/time/text.h"

bool words_next(struct words_list *list)
{
    int left = list->total - list->given;
    bool cuts = list->given == WORDS_LIST_MAX - 1 && left > 1;

    must(left > 0);
    if (list->given >= WORDS_LIST_MAX)
        return false;
    if (list->given > 0 && (left == 1 || cuts))
        buf_printf(list->out, " %s ", list->last);
    else if (list->given > 0)
        buf_text(list->out, ", ");
    list->given = cuts ? WORDS_LIST_MAX : list->given + 1;
    if (cuts)
        buf_printf(list->out, "%d more", left);
    return !cuts;
}

struct words_set words_set(uint64_t bits)
{
    struct words_set set = {.count = __builtin_popcountll(bits)};
    bool even = set.count > 1;

    if (bits == 0)
        return set;
    set.first = bits_lowest(bits);
    set.last = 63 - __builtin_clzll(bits);
    set.step = set.count > 1 ? bits_lowest(bits & (bits - 1)) - set.first : 0;
    for (uint64_t b = bits; b & (b - 1); b &= b - 1)
        even = even && bits_lowest(b & (b - 1)) - bits_lowest(b) == set.step;
    if (!even)
        set.step = 0;
    return set;
}

/* Removes the lowest run from *bits; a run of two counts as two single values. */
static int take_range(uint64_t *bits, int *ret_first)
{
    int first = bits_lowest(*bits), n = 1;

    while (first + n < 64 && (*bits >> (first + n) & 1))
        n++;
    if (n < 3)
        n = 1;
    *bits &= ~((n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1) << first);
    *ret_first = first;
    return n;
}

int words_range_count(uint64_t bits)
{
    int first, runs = 0;

    for (; bits; runs++)
        take_range(&bits, &first);
    return runs;
}

void words_add_ranges(struct words_list *list, uint64_t bits, words_value *value)
{
    int first;

    while (bits) {
        int n = take_range(&bits, &first);

        if (!words_next(list))
            break;
        value(list->out, first);
        if (n > 1) {
            buf_text(list->out, " to ");
            value(list->out, first + n - 1);
        }
    }
}

void words_ranges(struct buf *out, uint64_t bits, words_value *value)
{
    struct words_list list = {.out = out, .last = "and", .total = words_range_count(bits)};

    words_add_ranges(&list, bits, value);
}

void words_number(struct buf *out, int value)
{
    buf_printf(out, "%d", value);
}

void words_ordinal(struct buf *out, int value)
{
    static const char *const ends[] = {"th", "st", "nd", "rd"};
    int unit = value % 10;
    bool teen = value / 10 % 10 == 1;

    buf_printf(out, "%d%s", value, teen || unit > 3 ? "th" : ends[unit]);
}

void words_month(struct buf *out, int month)
{
    static const char *const names[] = {"January",   "February", "March",    "April",
                                        "May",       "June",     "July",     "August",
                                        "September", "October",  "November", "December"};

    must(month >= 1 && month <= MONTHS);
    buf_text(out, names[month - 1]);
}

const char *words_weekday(int weekday)
{
    static const char *const names[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                        "Thursday", "Friday", "Saturday"};

    must(weekday >= 0 && weekday < 7);
    return names[weekday];
}

const char *words_nth(int nth)
{
    static const char *const names[] = {"last", "first", "second", "third", "fourth", "fifth"};

    must(nth >= 0 && nth <= 5);
    return names[nth];
}

void words_every(struct buf *out, int64_t n, const char *unit)
{
    if (n == 1)
        buf_printf(out, "every %s", unit);
    else
        buf_printf(out, "every %lld %ss", (long long)n, unit);
}

/* The largest unit of which `d` is a whole and readable number; NULL if there is none. */
static const char *single_unit(span d, int64_t *ret_n)
{
    static const struct {
        span length;
        const char *name;
    } units[] = {{SPAN_DAY, "day"}, {SPAN_H, "hour"}, {SPAN_MIN, "minute"}, {SPAN_S, "second"}};
    enum { READABLE = 60 }; /* "60 seconds" is clear, "5400 seconds" is not */

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (d == 0 || d % units[i].length != 0 || d / units[i].length > READABLE)
            continue;
        *ret_n = d / units[i].length;
        return units[i].name;
    }
    return NULL;
}

void words_duration(struct buf *out, span d)
{
    int64_t n;
    const char *unit = single_unit(d, &n);

    if (unit)
        buf_printf(out, "%lld %s%s", (long long)n, unit, n == 1 ? "" : "s");
    else
        duration_format(d, out);
}

void words_every_span(struct buf *out, span d)
{
    int64_t n;
    const char *unit = single_unit(d, &n);

    if (unit) {
        words_every(out, n, unit);
    } else {
        buf_text(out, "every ");
        duration_format(d, out);
    }
}

void words_clock(struct buf *out, int32_t tod, bool seconds)
{
    buf_printf(out, "%02d:%02d", tod / HOUR_SECONDS, tod / 60 % 60);
    if (seconds)
        buf_printf(out, ":%02d", tod % 60);
}

void words_date(struct buf *out, int64_t day)
{
    struct date date = date_of_day(day);

    buf_printf(out, "%d ", date.day);
    words_month(out, date.month);
    buf_printf(out, " %d", date.year);
}

void words_moment(struct buf *out, int64_t local)
{
    int64_t day = floor_div(local, DAY_SECONDS);
    int32_t tod = (int32_t)(local - day * DAY_SECONDS);

    words_clock(out, tod, tod % 60 != 0);
    buf_text(out, " on ");
    words_date(out, day);
}

/* Writes New_York as New York. */
static void write_place(struct buf *out, struct str name)
{
    for (size_t i = 0; i < name.len; i++)
        buf_char(out, name.ptr[i] == '_' ? ' ' : name.ptr[i]);
}

static bool is_region(struct str name)
{
    static const char *const regions[] = {"Africa", "America",  "Antarctica", "Arctic",
                                          "Asia",   "Atlantic", "Australia",  "Europe",
                                          "Indian", "Pacific"};

    for (size_t i = 0; i < sizeof regions / sizeof regions[0]; i++)
        if (str_eq(name, str_of(regions[i])))
            return true;
    return false;
}

void words_zone(struct buf *out, struct str zone)
{
    struct str region, rest, state;

    if (zone.len == 0 || str_eq(zone, STR("Etc/UTC")) || str_eq(zone, STR("Z"))) {
        buf_text(out, "UTC");
    } else if (str_starts(zone, STR("UTC")) || str_starts(zone, STR("GMT")) ||
               str_starts(zone, STR("Etc/")) || !char_is_alpha(zone.ptr[0])) {
        buf_str(out, zone);
    } else if (!str_cut(zone, '/', &region, &rest) || !is_region(region)) {
        buf_str(out, zone);
        buf_text(out, " time");
    } else if (str_cut(rest, '/', &state, &rest)) {
        write_place(out, rest);
        buf_text(out, " time (");
        write_place(out, state);
        buf_char(out, ')');
    } else {
        write_place(out, rest);
        buf_text(out, " time");
    }
}
