/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words of descriptions: lists, ordinals, names, dates, zones.
 *
 * Pure.  For describe_*.c and explain_*.c only.  English only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/instant.h"
#include "base/str.h"

enum {
    WORDS_LIST_MAX = 12, /* items of one list; a longer one ends in "and N more" */
    WORDS_STEP_MIN = 5,  /* values of an even step; fewer are written as a list  */
};

/* The state of writing a list: "a", "a and b", "a, b and c". */
struct words_list {
    struct buf *out;
    const char *last; /* the word before the last item: "and", "or" */
    int total, given;
};

/* Writes the separator before the next item; false if the list is already long enough. */
bool words_next(struct words_list *list);

/* The values of a bit set, in the order of bits. */
struct words_set {
    int count, first, last;
    int step; /* distance between neighbours if it is constant, otherwise or for one value 0 */
};
struct words_set words_set(uint64_t bits);

/* Writes one value of a set. */
typedef void words_value(struct buf *out, int value);

/* Writes values and ranges of three or more: "1, 2 and 5 to 9". */
void words_ranges(struct buf *out, uint64_t bits, words_value *value);

/* The same as items of a longer list, whose total includes words_range_count(). */
void words_add_ranges(struct words_list *list, uint64_t bits, words_value *value);
int words_range_count(uint64_t bits);

void words_number(struct buf *out, int value);  /* "7"                 */
void words_ordinal(struct buf *out, int value); /* "7th"               */
void words_month(struct buf *out, int month);   /* "January"           */
const char *words_weekday(int weekday);         /* "Monday"            */
const char *words_nth(int nth);                 /* "second"; 0: "last" */

/* "every minute" for 1 and "every 15 minutes" for 15 of `unit`. */
void words_every(struct buf *out, int64_t n, const char *unit);

/* "15 minutes", "1 day"; "1h30m" if a single unit is not enough. */
void words_duration(struct buf *out, span d);
void words_every_span(struct buf *out, span d); /* "every day", "every 1h30m" */

/* "09:00", and "09:00:30" if `seconds`. */
void words_clock(struct buf *out, int32_t tod, bool seconds);

/* A day number as "25 December 2027". */
void words_date(struct buf *out, int64_t day);

/* A local second as "09:00 on 25 December 2027". */
void words_moment(struct buf *out, int64_t local);

/* "New York time" for America/New_York, "UTC", "UTC+05:30"; other names unchanged. */
void words_zone(struct buf *out, struct str zone);
