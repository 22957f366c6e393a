/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Phrases that describe_*.c and explain_*.c put together; nobody else includes this.
 *
 * Pure.  Every phrase is in lower case; who begins a sentence raises its first letter.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "core/cron/cron.h"
#include "core/rrule/rrule.h"

/*
 * When in the day: "at 09:00 and 17:00", "every 15 minutes from 09:00 to 17:45".  A stretch of
 * hours over midnight is told as one only when `daily`, because else its two ends belong to
 * different days.  True when the phrase wants "every day" after it.
 */
bool describe_time(const struct cron *cron, bool daily, struct buf *out);

/*
 * On which days, with a leading blank: " on weekdays, in January".  Nothing for all days, or
 * " every day" when `say_daily`.
 */
void describe_days(const struct cron *cron, bool say_daily, struct buf *out);

/* ", from March to October"; nothing for every month. */
void describe_months(unsigned months, struct buf *out);

/* "every hour", "hours 9 to 12 and 15", "every 2nd hour from 0 to 22" of a field's bits. */
void describe_field(uint64_t bits, int size, const char *unit, struct buf *out);

/* The sentences of describe_cron() and describe_rrule() without their capital letter. */
void describe_pattern(const struct cron *cron, struct buf *out);
void describe_rule(const struct rrule *rule, struct buf *out);

/* Raises the letter at `at`, where a sentence begins. */
void describe_capital(struct buf *out, size_t at);
