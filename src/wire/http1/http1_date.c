/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats and parses the dates of HTTP.
 */
#include "wire/http1/http1_date.h"

#include "base/must.h"

enum {
    DAY_S = 86400,
    EPOCH_DAY = 719468,   /* days from 0000-03-01 to 1970-01-01 */
    CYCLE_DAYS = 146097,  /* the calendar repeats after 400 years */
    YEARS_AHEAD_MAX = 50, /* years: RFC 9110 on years of two digits */
    YEAR_MAX = 9999,      /* the last with four digits */
    LEAP_SECOND = 60,     /* may be written; it is the second after 59 */
    MONTHS_TO_MARCH = 2,  /* years are counted from March, so that leap days come last */
};

static const struct str weekdays[7] = {
    {"Sunday", 6},   {"Monday", 6}, {"Tuesday", 7},  {"Wednesday", 9},
    {"Thursday", 8}, {"Friday", 6}, {"Saturday", 8},
};

static const char months[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

struct fields {
    int year, month, day, hour, minute, second; /* month 1 to 12 */
    int weekday;                                /* 0 is Sunday */
};

static int month_days(int year, int month)
{
    static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return days[month - 1] + (month == 2 && is_leap);
}

static int64_t day_of(int year, int month, int day)
{
    int y = month > MONTHS_TO_MARCH ? year : year - 1;
    int m = month > MONTHS_TO_MARCH ? month - 3 : month + 9;

    return (int64_t)365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 -
           EPOCH_DAY;
}

static struct fields fields_of(int64_t seconds)
{
    int64_t day = seconds / DAY_S - (seconds % DAY_S < 0);
    int tod = (int)(seconds - day * DAY_S);
    struct fields f = {.hour = tod / 3600, .minute = tod / 60 % 60, .second = tod % 60};
    int of_cycle = (int)((day + EPOCH_DAY) % CYCLE_DAYS), year, of_year, month;

    /* The day of the cycle minus its leap days is 365 times the year; both begin in March. */
    year = (of_cycle - of_cycle / 1460 + of_cycle / 36524 - of_cycle / (CYCLE_DAYS - 1)) / 365;
    of_year = of_cycle - (365 * year + year / 4 - year / 100);
    month = (5 * of_year + 2) / 153;
    f.day = of_year - (153 * month + 2) / 5 + 1;
    f.month = month < 10 ? month + 3 : month - 9;
    f.year = (int)((day + EPOCH_DAY) / CYCLE_DAYS) * 400 + year + (f.month <= MONTHS_TO_MARCH);
    f.weekday = (int)((day + EPOCH_DAY + 3) % 7);
    return f;
}

static void put_two(char *at, int n)
{
    at[0] = (char)('0' + n / 10);
    at[1] = (char)('0' + n % 10);
}

void http1_date_format(instant t, struct buf *out)
{
    char text[] = "Www, dd Mmm yyyy hh:mm:ss GMT";
    struct fields f;

    f = fields_of(instant_seconds(instant_clamp(t)));
    memcpy(text, weekdays[f.weekday].ptr, 3);
    put_two(text + 5, f.day);
    memcpy(text + 8, months[f.month - 1], 3);
    put_two(text + 12, f.year / 100);
    put_two(text + 14, f.year % 100);
    put_two(text + 17, f.hour);
    put_two(text + 20, f.minute);
    put_two(text + 23, f.second);
    buf_add(out, text, sizeof text - 1);
}

static bool read_digits(struct str *text, size_t digits, int *ret)
{
    struct str part = {text->ptr, digits};
    int64_t number = 0;

    if (text->len < digits || str_take_number(&part, YEAR_MAX, &number) != digits)
        return false;
    *text = str_from(*text, digits);
    *ret = (int)number;
    return true;
}

/* A day below ten may have a blank before it, in the form without zeros. */
static bool read_padded(struct str *text, int *ret)
{
    if (!str_starts(*text, STR(" ")))
        return read_digits(text, 2, ret);
    *text = str_from(*text, 1);
    return read_digits(text, 1, ret);
}

static bool read_weekday(struct str *text, bool is_short, int *ret)
{
    for (int i = 0; i < 7; i++) {
        struct str name = {weekdays[i].ptr, is_short ? 3 : weekdays[i].len};

        if (str_starts(*text, name)) {
            *text = str_from(*text, name.len);
            *ret = i;
            return true;
        }
    }
    return false;
}

static bool read_month(struct str *text, int *ret)
{
    for (int i = 0; i < 12; i++) {
        if (str_starts(*text, (struct str){months[i], 3})) {
            *text = str_from(*text, 3);
            *ret = i + 1;
            return true;
        }
    }
    return false;
}

/* The conversions of a form, named as in strftime(3). */
static bool read_part(struct str *text, char conversion, struct fields *f)
{
    switch (conversion) {
    case 'a':
        return read_weekday(text, true, &f->weekday);
    case 'A':
        return read_weekday(text, false, &f->weekday);
    case 'b':
        return read_month(text, &f->month);
    case 'd':
        return read_digits(text, 2, &f->day);
    case 'e':
        return read_padded(text, &f->day);
    case 'Y':
        return read_digits(text, 4, &f->year);
    case 'y':
        return read_digits(text, 2, &f->year);
    case 'H':
        return read_digits(text, 2, &f->hour);
    case 'M':
        return read_digits(text, 2, &f->minute);
    default:
        must(conversion == 'S');
        return read_digits(text, 2, &f->second);
    }
}

static bool read_form(struct str text, const char *form, struct fields *ret)
{
    for (; *form != '\0'; form++) {
        if (*form == '%') {
            if (!read_part(&text, *++form, ret))
                return false;
        } else {
            if (text.len == 0 || text.ptr[0] != *form)
                return false;
            text = str_from(text, 1);
        }
    }
    return text.len == 0;
}

static bool instant_of(const struct fields *f, instant *ret)
{
    int64_t day;

    if (f->year < 1 || f->day < 1 || f->day > month_days(f->year, f->month) || f->hour > 23 ||
        f->minute > 59 || f->second > LEAP_SECOND)
        return false;
    day = day_of(f->year, f->month, f->day);
    if ((day + EPOCH_DAY + 3) % 7 != f->weekday)
        return false;
    *ret = instant_of_seconds(day * DAY_S + f->hour * 3600 + f->minute * 60 + f->second);
    return *ret <= INSTANT_MAX;
}

/* The year with those two digits that is at most 50 ahead of `now`. */
static int full_year(int digits, instant now)
{
    int year = fields_of(instant_seconds(now)).year;
    int found = year - year % 100 + digits;

    if (found <= year + YEARS_AHEAD_MAX - 100)
        found += 100;
    return found > year + YEARS_AHEAD_MAX ? found - 100 : found;
}

enum rc http1_date_parse(struct str text, instant now, instant *ret, struct err *reterr)
{
    struct fields f = {0};
    bool is_read;
    instant t;

    must(now >= INSTANT_MIN && now <= INSTANT_MAX);
    is_read = read_form(text, "%a, %d %b %Y %H:%M:%S GMT", &f) ||
              read_form(text, "%a %b %e %H:%M:%S %Y", &f);
    if (!is_read && read_form(text, "%A, %d-%b-%y %H:%M:%S GMT", &f)) {
        f.year = full_year(f.year, now);
        is_read = true;
    }
    if (!is_read || !instant_of(&f, &t))
        return err_set(reterr, RC_INVALID, 0, (int)(text.len > 200 ? 200 : text.len),
                       "\"%.*s\" is not an HTTP date; write it as "
                       "Sun, 06 Nov 1994 08:49:37 GMT",
                       STR_ARG(text));
    *ret = t;
    return RC_OK;
}

enum rc http1_date_retry_after(struct str text, instant now, instant *ret, struct err *reterr)
{
    const int64_t most = INSTANT_MAX / SPAN_S;
    struct str rest = text;
    int64_t seconds;

    must(now >= INSTANT_MIN && now <= INSTANT_MAX);
    if (str_take_number(&rest, most, &seconds) == 0 || rest.len > 0)
        return http1_date_parse(text, now, ret, reterr);
    *ret = seconds > (INSTANT_MAX - now) / SPAN_S ? INSTANT_MAX : now + seconds * SPAN_S;
    return RC_OK;
}
