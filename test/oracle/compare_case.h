/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends one query to the oracle and to the subject, and compares the answers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "oracle_next.h"

enum {
    COMPARE_SLOTS_MAX = 16, /* slots requested in one case */
    COMPARE_FAILURES_MAX = 10,
    COMPARE_SPOIL_TURN = 1000, /* the answer that a control run makes wrong */

    /* Counting covers years, not hours, so only one of this many cases is counted.  It has no
       common divisor with the number of policies (15), so that all policies are counted. */
    COMPARE_COUNT_EACH = 16,
};

/* Which answer of the subject is made wrong, to test that the comparison detects it. */
enum compare_spoil {
    COMPARE_SPOIL_NOTHING,
    COMPARE_SPOIL_NEXT,
    COMPARE_SPOIL_PREV,
    COMPARE_SPOIL_COUNT,
    COMPARE_SPOIL_OFFSET,
};

/* The counts so far. */
struct compare_tally {
    uint64_t offsets; /* offsets compared                           */
    uint64_t cases;   /* queries, each with next and prev           */
    uint64_t answers; /* next lists, prev lists and counts compared */
    uint64_t slots;   /* instants compared in them                  */
    int failures;
    enum compare_spoil spoil;
    int spoil_turn;             /* answers of that kind so far                    */
    enum compare_spoil noticed; /* the wrong kind, if its difference was detected */
};

/* The next `count` slots of an expression after an instant. */
struct compare_case {
    const char *dialect;
    const char *expr;
    const char *zone;
    const char *dst; /* NULL: that of the dialect */
    int64_t after_us;
    int count;
};

/*
 * Compares next, prev and, for the first and every sixteenth case, count.  The rule is that of
 * the expression and the clock that of the zone in force.  A difference is counted and printed
 * in one line with the option that repeats it.
 */
void compare_case(struct compare_tally *tally, const struct compare_case *query,
                  struct oracle_rule *rule, struct oracle_clock *clock);

/* Compares the offset of a zone at one second. */
void compare_offset(struct compare_tally *tally, const char *zone, const struct oracle_tz *tz,
                    int64_t instant);

/* Counts and prints an expression that the subject or the oracle wrongly rejects. */
void compare_rejected(struct compare_tally *tally, const struct compare_case *query,
                      const char *by_whom);
