/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal of a tormented world: what its actors saw, a line each, in one file.
 *
 * Every line is one write to a file opened to append, so lines of several processes never
 * mix, and what was written stays written whoever dies next.  Fields stand between tabs:
 *
 *   sent    TIME RUN ATTEMPT FENCE KEY SLOT-MS HOW    a call that the receiver got, and will
 *                                                     answer, or cut off
 *   grant   TIME RUN ATTEMPT FENCE                    a run that a worker was given
 *   report  TIME RUN FENCE KIND OUTCOME ANSWER        what a worker said, what it was told
 *   ask     TIME NUMBER KIND SCHEDULE BODY            an operator begins to ask
 *   told    TIME NUMBER END VERSION RUN               and this is what came of it
 *   fault   TIME WHAT
 *
 * Times are microseconds of the wall clock.
 */
#pragma once

#include "base/err.h"
#include "base/instant.h"
#include "base/str.h"

enum {
    JOURNAL_LINE_MAX = 8192, /* a schedule's document takes a quarter of it */
    JOURNAL_FIELDS_MAX = 8,
};

/* The descriptor, shared by all processes that are forked from here on. */
int journal_open(const char *path);

/* One line; ends the process when it cannot be written whole. */
void journal_write(int journal, const char *fmt, ...) PRINTF(2, 3);

/* The next line of a text, cut into fields; false at the end.  Missing fields are empty. */
bool journal_next(struct str *text, struct str ret[static JOURNAL_FIELDS_MAX]);

/* A field that holds a number; anything else is 0. */
int64_t journal_number(struct str field);
