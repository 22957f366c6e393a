/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes instants, durations, dates and times of day.
 *
 * Pure.  Instants are RFC 3339; durations are as in the native API: "250ms", "90s", "1h30m",
 * "7d"; a number without a unit is an error.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/instant.h"
#include "base/str.h"
#include "core/time/civil.h"

enum {
    INSTANT_TEXT_MAX = 40, /* "10000-01-01T01:59:59.999+25:59:59" and the zero */
    DURATION_TEXT_MAX = 48,
};

/* "2027-01-01T00:00:00.000Z" or with an offset; 1 to 9 fraction digits, truncated to µs. */
MUST_USE enum rc instant_parse(struct str text, instant *ret, struct err *reterr);

/*
 * The writers replace an instant outside the years of base/instant.h, such as the end of a
 * lease near the end of the last year, by the nearest instant inside.
 */

/* UTC; "…:00Z", or with milliseconds "…:00.25Z" if it is not a whole second. */
void instant_format(instant t, struct buf *out);

/* UTC, always with three fraction digits: the canonical form of the API. */
void instant_format_ms(instant t, struct buf *out);

/* Wall clock of a zone with its offset: "2026-03-08T03:00:00-04:00". */
void instant_format_local(instant t, int32_t offset, struct buf *out);

/*
 * (number unit)+ with the units d h m s ms us ns, each at most once, larger units first; a
 * fraction is allowed ("1.5h").  Not negative.  At most 1,000 years.  The sum must be whole
 * microseconds: "1ns" alone is an error.
 */
MUST_USE enum rc duration_parse(struct str text, span *ret, struct err *reterr);

/* Canonical: "0s", "1m30s" for 90 seconds, "7d"; duration_parse() gives the same span back. */
void duration_format(span d, struct buf *out);

/* "HH:MM" or "HH:MM:SS" → seconds of the day. */
MUST_USE enum rc time_of_day_parse(struct str text, int32_t *ret, struct err *reterr);
void time_of_day_format(int32_t tod, struct buf *out); /* seconds only when not 0 */

/* "2027-12-25" → day number. */
MUST_USE enum rc date_parse(struct str text, int64_t *ret_day, struct err *reterr);
void date_format(int64_t day, struct buf *out);
