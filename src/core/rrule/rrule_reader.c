/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads characters, words, numbers and dates of a folded iCalendar line.
 */
#include "core/rrule/rrule_reader.h"

#include "core/limits.h"
#include "core/time/civil.h"

/* Length of the line break at `at`; 0 if there is none. */
static size_t break_at(struct str text, size_t at)
{
    const char *p = text.ptr + at;
    size_t left = text.len - at;

    if (left >= 1 && p[0] == '\n')
        return 1;
    /* A user who writes \n in a quoted shell argument gets these two characters. */
    if (left >= 2 && ((p[0] == '\r' && p[1] == '\n') || (p[0] == '\\' && p[1] == 'n')))
        return 2;
    return 0;
}

/* Length of the fold at `at`: a line break followed by a blank; 0 if there is none. */
static size_t fold_at(struct str text, size_t at)
{
    size_t n = break_at(text, at);

    if (n == 0 || at + n >= text.len)
        return 0;
    return text.ptr[at + n] == ' ' || text.ptr[at + n] == '\t' ? n + 1 : 0;
}

bool rrule_take_line(struct str text, size_t *at, struct rrule_reader *ret)
{
    size_t end = *at;

    if (*at >= text.len)
        return false;
    while (end < text.len && (break_at(text, end) == 0 || fold_at(text, end) > 0))
        end++;
    *ret = (struct rrule_reader){.text = text, .at = *at, .end = end};
    *at = end < text.len ? end + break_at(text, end) : end;
    return true;
}

bool rrule_at_end(struct rrule_reader *r)
{
    size_t n;

    while (r->at < r->end && (n = fold_at(r->text, r->at)) > 0)
        r->at += n;
    return r->at >= r->end;
}

int rrule_offset(struct rrule_reader *r)
{
    (void)rrule_at_end(r);
    return (int)r->at;
}

char rrule_peek(struct rrule_reader *r)
{
    return rrule_at_end(r) ? '\0' : r->text.ptr[r->at];
}

bool rrule_take(struct rrule_reader *r, char c)
{
    if (rrule_at_end(r) || r->text.ptr[r->at] != c)
        return false;
    r->at++;
    return true;
}

struct rrule_word rrule_take_word(struct rrule_reader *r)
{
    struct rrule_word word = {.text = ""};
    char c = rrule_peek(r);
    int n = 0;

    word.at = (int)r->at;
    for (; char_is_alpha(c) || (c == '-' && n > 0); c = rrule_peek(r)) {
        if (n < RRULE_WORD_MAX)
            word.text[n] = c >= 'a' ? (char)(c - ('a' - 'A')) : c;
        n++;
        r->at++;
        word.len = (int)r->at - word.at;
    }
    if (n > RRULE_WORD_MAX)
        word.text[0] = '\0';
    return word;
}

int rrule_word_index(const struct rrule_word *word, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (str_eq(str_of(word->text), str_of(names[i])))
            return i;
    return -1;
}

bool rrule_take_number(struct rrule_reader *r, int64_t max, int64_t *ret)
{
    int64_t value = 0;

    if (!char_is_digit(rrule_peek(r)))
        return false;
    for (; char_is_digit(rrule_peek(r)); r->at++)
        if (value <= max)
            value = value * 10 + (r->text.ptr[r->at] - '0');
    *ret = value > max ? max + 1 : value;
    return true;
}

/* Exactly `count` digits. */
static bool take_digits(struct rrule_reader *r, int count, int *ret)
{
    int value = 0;

    for (int i = 0; i < count; i++, r->at++) {
        if (!char_is_digit(rrule_peek(r)))
            return false;
        value = value * 10 + (r->text.ptr[r->at] - '0');
    }
    *ret = value;
    return true;
}

#define STAMP_FORM \
    "write a date and time as 20270131T090000, with Z at the end for UTC, or a date as 20270131"

enum rc rrule_take_stamp(struct rrule_reader *r, struct rrule_stamp *ret, struct err *reterr)
{
    struct civil c = {.hour = 0};
    struct rrule_stamp stamp = {.is_date = true};
    int start = rrule_offset(r);

    if (!take_digits(r, 4, &c.date.year) || !take_digits(r, 2, &c.date.month) ||
        !take_digits(r, 2, &c.date.day))
        return rrule_unexpected(r, STAMP_FORM, reterr);
    if (!date_is_valid(c.date.year, c.date.month, c.date.day))
        return err_set(reterr, RC_INVALID, start, (int)r->at - start,
                       "%04d-%02d-%02d is not a date of the calendar; " STAMP_FORM, c.date.year,
                       c.date.month, c.date.day);
    if (rrule_take(r, 'T') || rrule_take(r, 't')) {
        int at = rrule_offset(r);

        if (!take_digits(r, 2, &c.hour) || !take_digits(r, 2, &c.minute) ||
            !take_digits(r, 2, &c.second))
            return rrule_unexpected(r, STAMP_FORM, reterr);
        if (c.hour > 23 || c.minute > 59 || c.second > 60)
            return err_set(reterr, RC_INVALID, at, (int)r->at - at,
                           "%02d:%02d:%02d is not a time of day; the last one is 235959",
                           c.hour, c.minute, c.second);
        stamp.is_date = false;
        stamp.is_utc = rrule_take(r, 'Z') || rrule_take(r, 'z');
    }
    /* RFC 5545, 3.3.12: software without leap seconds reads second 60 as 59. */
    c.second -= c.second == 60;
    stamp.local = local_of_civil(&c);
    *ret = stamp;
    return RC_OK;
}

enum rc rrule_unexpected(struct rrule_reader *r, const char *hint, struct err *reterr)
{
    char c = rrule_peek(r);

    if (rrule_at_end(r))
        return err_set(reterr, RC_INVALID, (int)r->at, 0, "the line ends too early; %s", hint);
    if (c > ' ' && c <= '~')
        return err_set(reterr, RC_INVALID, (int)r->at, 1, "unexpected \"%c\"; %s", c, hint);
    if (c == ' ')
        return err_set(reterr, RC_INVALID, (int)r->at, 1, "unexpected blank; %s", hint);
    return err_set(reterr, RC_INVALID, (int)r->at, 1, "unexpected byte 0x%02X; %s",
                   (unsigned)(unsigned char)c, hint);
}
