/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A read position in an iCalendar line, and the functions that read words, numbers and dates.
 *
 * Pure.  For core/rrule/rrule_parse.c only.  Reads the original text and skips the folds of a
 * long line, so that errors have correct offsets.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

/* A line including its folds: [at, end) of the text. */
struct rrule_reader {
    struct str text;
    size_t at, end;
};

enum { RRULE_WORD_MAX = 12 }; /* letters of a word; the longest valid one has 10 */

struct rrule_word {
    char text[RRULE_WORD_MAX + 1]; /* in upper case; "" if there is none or it is longer */
    int at, len;                   /* position in the text, folds included               */
};

struct rrule_stamp {
    int64_t local;
    bool is_date, is_utc;
};

/* Reads the line at *at and moves *at after its line break.  False at the end of the text. */
bool rrule_take_line(struct str text, size_t *at, struct rrule_reader *ret);

/* True at the end of the line. */
bool rrule_at_end(struct rrule_reader *r);

/* Offset of the next character in the text, after any fold. */
int rrule_offset(struct rrule_reader *r);

/* The next character, which stays unread; '\0' at the end. */
char rrule_peek(struct rrule_reader *r);

/* Reads `c` if it comes next. */
bool rrule_take(struct rrule_reader *r, char c);

/* Reads letters, and hyphens after the first. */
struct rrule_word rrule_take_word(struct rrule_reader *r);

/* Index of the word in `names`; -1 if it is not among them. */
int rrule_word_index(const struct rrule_word *word, const char *const *names, int count);

/* Reads a number of at least one digit; one above `max` reads as max + 1. */
bool rrule_take_number(struct rrule_reader *r, int64_t max, int64_t *ret);

/* Reads YYYYMMDD, YYYYMMDDTHHMMSS or the latter with Z. */
MUST_USE enum rc rrule_take_stamp(struct rrule_reader *r, struct rrule_stamp *ret,
                                  struct err *reterr);

/* The error for an unexpected next character; `hint` says what is expected. */
enum rc rrule_unexpected(struct rrule_reader *r, const char *hint, struct err *reterr);
