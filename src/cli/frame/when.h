/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times of the API as a person reads them: on the clock of the place, and how far away.
 */
#pragma once

#include "base/buf.h"
#include "base/instant.h"
#include "core/time/text.h"
#include "io/zoneinfo.h"

enum { WHEN_TEXT_MAX = 64 }; /* "2026-11-16 08:30:00.250 +01:00 (in 23h59m)" */

struct when {
    struct zoneinfo *zones;
    const struct tz *tz; /* NULL: UTC */
    bool is_known;       /* false: UTC for want of a name of the place's zone */
    instant now;
};

/*
 * The zone is that of TZ or /etc/localtime; where it cannot be found, or with `is_utc`, UTC.
 * Ends with when_close().
 */
void when_open(struct when *ret, bool is_utc, instant now);
void when_close(struct when *when);

/* "2026-11-16 08:30:00 +01:00", in UTC "2026-11-16 07:30:00Z". */
void when_time(const struct when *when, instant t, struct buf *out);

/* "in 5m", "2h10m ago", "now": the two largest units. */
void when_distance(instant t, instant now, struct buf *out);

/*
 * A time that a person typed: of RFC 3339, "now", or a span from now: "-2h", "+30m".  With a
 * place also a date or a time without an offset, on its clock, and times as when_time() writes
 * them.  Written in the API's form; RC_INVALID says what would be right.
 */
MUST_USE enum rc when_read(const char *text, const struct when *local, instant now,
                           char ret[static INSTANT_TEXT_MAX], struct err *reterr);

/* The same with the clock of this place, on which tables show times, or with `is_utc` UTC. */
MUST_USE enum rc when_read_here(const char *text, bool is_utc,
                                char ret[static INSTANT_TEXT_MAX], struct err *reterr);
