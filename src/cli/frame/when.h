/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times for people: local time instead of UTC, and the distance from now.
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
    bool is_known;       /* false: the local zone has no known name, so UTC is used */
    instant now;
};

/*
 * Uses the zone of TZ or /etc/localtime; UTC when that is unknown or with `is_utc`.  The caller
 * must call when_close().
 */
void when_open(struct when *ret, bool is_utc, instant now);
void when_close(struct when *when);

/* Writes "2026-11-16 08:30:00 +01:00", in UTC "2026-11-16 07:30:00Z". */
void when_time(const struct when *when, instant t, struct buf *out);

/* Writes "in 5m", "2h10m ago" or "now": the two largest units. */
void when_distance(instant t, instant now, struct buf *out);

/*
 * Reads a time that a user typed: RFC 3339, "now", or a span from now: "-2h", "+30m".  With
 * `local`, also a date or a time without an offset in that zone, and times as when_time()
 * writes them.  Writes it in the API's format; RC_INVALID names the valid formats.
 */
MUST_USE enum rc when_read(const char *text, const struct when *local, instant now,
                           char ret[static INSTANT_TEXT_MAX], struct err *reterr);

/* The same with the local zone, in which tables show times, or UTC with `is_utc`. */
MUST_USE enum rc when_read_here(const char *text, bool is_utc,
                                char ret[static INSTANT_TEXT_MAX], struct err *reterr);

/* An instant, or a local time in a zone that is given later. */
struct moment {
    bool is_local;
    instant at;
    int64_t local; /* local time in seconds, when is_local */
};

/* Reads RFC 3339, "now", or without an offset "2026-03-08T02:30[:00]" and "2026-03-08". */
MUST_USE enum rc moment_parse(struct str text, struct moment *ret, struct err *reterr);

/*
 * The instant.  A local time that a clock change skips gives the end of the gap; a time that
 * occurs twice gives the first.
 */
instant moment_instant(const struct moment *moment, const struct tz *tz);
