/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal of a torture world: what its actors saw, one line each, in one file.
 *
 * Every line is one write to a file opened to append, so lines of several processes never mix,
 * and a written line is not lost when a process is killed.  Fields are separated by tabs:
 *
 *   sent    TIME RUN ATTEMPT FENCE KEY SLOT-MS HOW    a call that the receiver got; HOW is
 *                                                     "answer" or "cut"
 *   grant   TIME RUN ATTEMPT FENCE                    a run that a worker was given
 *   report  TIME RUN FENCE KIND OUTCOME ANSWER        a worker's report, and its answer
 *   ask     TIME NUMBER KIND SCHEDULE BODY            an operator begins a request
 *   reply   TIME NUMBER END VERSION RUN               and its result
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

/* The descriptor, shared by all processes that are forked later. */
int journal_open(const char *path);

/* Writes one line; ends the process if it cannot be written completely. */
void journal_write(int journal, const char *fmt, ...) PRINTF(2, 3);

/* The next line of a text, split into fields; false at the end.  Missing fields are empty. */
bool journal_next(struct str *text, struct str ret[static JOURNAL_FIELDS_MAX]);

/* A numeric field; anything else is 0. */
int64_t journal_number(struct str field);
