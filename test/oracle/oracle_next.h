/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the slots of a rule in a zone by walking.
 *
 * One function decides by the definition whether an instant is a slot; the walk calls it for
 * one instant after the other and skips only periods in which no second can match (a year,
 * month, day, hour or minute that is not in the rule).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "oracle_cron.h"
#include "oracle_tz.h"

enum oracle_gap { ORACLE_GAP_SKIP, ORACLE_GAP_NEXT, ORACLE_GAP_SHIFT };
enum oracle_fold { ORACLE_FOLD_FIRST, ORACLE_FOLD_LAST, ORACLE_FOLD_BOTH };

/* What happens to local seconds that a clock change skips or repeats. */
struct oracle_policy {
    enum oracle_gap gap;
    enum oracle_fold fold;
};

/* A period in which the clock keeps its offset. */
struct oracle_span {
    int64_t begin;
    int64_t end; /* exclusive */
    int32_t offset;
};

/*
 * The clock of a zone: the spans that were needed so far, in order and without holes.  It
 * grows forward; for an instant before its first span or far after its last it starts again.
 * A clock with only `tz` set, and otherwise zero, is valid.
 */
struct oracle_clock {
    const struct oracle_tz *tz;
    struct oracle_span *span;
    size_t count;
    size_t capacity;
};

void oracle_clock_free(struct oracle_clock *clock);

/*
 * The policy that a name means for the rule: vixie, literal, once, last, shift, or "gap/fold"
 * such as "next/both".  NULL is the default of the dialect.  Returns 0, or -1 for other names.
 */
int oracle_policy_of(const struct oracle_rule *rule, const char *dst,
                     struct oracle_policy *ret);

/*
 * The first slot after the instant (both in seconds since the epoch).  False if there is none
 * within 800 years: the calendar repeats after 400.
 */
bool oracle_next(struct oracle_clock *clock, struct oracle_rule *rule,
                 struct oracle_policy policy, int64_t after, int64_t *ret);

/* Up to `count` consecutive slots after the instant; returns how many there are. */
int oracle_list(struct oracle_clock *clock, struct oracle_rule *rule,
                struct oracle_policy policy, int64_t after, int count, int64_t *ret);
