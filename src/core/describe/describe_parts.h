/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Phrases from which describe_*.c and explain_*.c compose sentences.  For these files only.
 *
 * Pure.  Every phrase is in lower case; the caller capitalises the first letter of a sentence.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "core/cron/cron.h"
#include "core/rrule/rrule.h"

/*
 * The times of day: "at 09:00 and 17:00", "every 15 minutes from 09:00 to 17:45".  A range of
 * hours across midnight is written as one range only if `daily`: on single days, its two ends
 * belong to different days.  Returns true if the phrase needs "every day" after it.
 */
bool describe_time(const struct cron *cron, bool daily, struct buf *out);

/*
 * The days, with a leading blank: " on weekdays, in January".  For all days it writes nothing,
 * or " every day" if `needs_daily`.
 */
void describe_days(const struct cron *cron, bool needs_daily, struct buf *out);

/* ", from March to October"; writes nothing for all months. */
void describe_months(unsigned months, struct buf *out);

/* The bits of a field: "every hour", "hours 9 to 12 and 15", "every 2nd hour from 0 to 22". */
void describe_field(uint64_t bits, int size, const char *unit, struct buf *out);

/* As describe_cron() and describe_rrule(), but without the capital letter. */
void describe_cron_phrase(const struct cron *cron, struct buf *out);
void describe_rrule_phrase(const struct rrule *rule, struct buf *out);

/* Capitalises the letter at `at`, where a sentence begins. */
void describe_capitalise(struct buf *out, size_t at);
