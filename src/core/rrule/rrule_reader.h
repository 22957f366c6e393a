/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A place in an iCalendar line, and how words, numbers and dates are read from there.
 *
 * Pure.  For core/rrule/rrule_parse.c only.  Reads the text as it is and steps over the folds
 * of a long line, so that every error has its true offset.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

/* A line with its folds: [at, end) of the text. */
struct rrule_reader {
    struct str text;
    size_t at, end;
};

enum { RRULE_WORD_MAX = 12 }; /* letters of a word; the longest known one has 10 */

struct rrule_word {
    char text[RRULE_WORD_MAX + 1]; /* in capitals; "" when there is none or it is longer */
    int at, len;                   /* where it stands, folds included                    */
};

struct rrule_stamp {
    int64_t local;
    bool is_date, is_utc;
};

/* The line at *at without its break; *at moves behind it.  False at the end of the text. */
bool rrule_take_line(struct str text, size_t *at, struct rrule_reader *ret);

/* True when the line is used up. */
bool rrule_at_end(struct rrule_reader *r);

/* Offset of the next character in the text, folds passed. */
int rrule_offset(struct rrule_reader *r);

/* The next character, not used up; '\0' at the end. */
char rrule_peek(struct rrule_reader *r);

/* Uses up `c` when it comes next. */
bool rrule_take(struct rrule_reader *r, char c);

/* Letters, and hyphens after the first. */
struct rrule_word rrule_take_word(struct rrule_reader *r);

/* Index of the word among `names`; -1 when it is none of them. */
int rrule_word_index(const struct rrule_word *word, const char *const *names, int count);

/* A number of at least one digit, not above `max`, which reads as max + 1 then. */
bool rrule_take_number(struct rrule_reader *r, int64_t max, int64_t *ret);

/* YYYYMMDD, YYYYMMDDTHHMMSS or the latter with Z. */
MUST_USE enum rc rrule_take_stamp(struct rrule_reader *r, struct rrule_stamp *ret,
                                  struct err *reterr);

/* The error that what comes next cannot stand there; `wanted` says what may. */
enum rc rrule_unexpected(struct rrule_reader *r, const char *wanted, struct err *reterr);
