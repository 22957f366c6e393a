/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Temporal's ScheduleSpec: the message, its canonical form, and its conversion for the core.
 *
 * The struct mirrors the message; model/temporal_codec.h converts between the two.  Clock
 * changes follow Temporal's documented rule (a wall-clock time that does not exist does not
 * run, one that occurs twice runs twice), even where Temporal's server deviates from it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "core/spec/spec_def.h"
#include "model/spec_fields.h"
#include "model/temporal_field.h"

/* No slot is later than this: 2100-12-31T23:59:59Z. */
#define TEMPORAL_HORIZON (INT64_C(4133980799) * SPAN_S)

/* The maximum of a protobuf duration: 10,000 years. */
#define TEMPORAL_SECONDS_MAX INT64_C(315576000000)

/* A protobuf Timestamp or Duration; nanos has the sign of seconds in a duration. */
struct temporal_time {
    bool is_set;
    int32_t nanos;
    int64_t seconds;
};

/*
 * Numbered as in model/spec_fields.h.  An empty list matches nothing, but an empty year matches
 * every year.
 */
struct temporal_calendar {
    struct temporal_ranges field[CALENDAR_FIELDS];
    struct str comment;
};

struct temporal_interval {
    struct temporal_time every, phase;
};

struct temporal_spec {
    /* Input only: empty in a canonical spec. */
    struct str *cron_strings;
    struct calendar_def *text_calendars, *not_text_calendars; /* calendar, excludeCalendar */
    int cron_count, text_count, not_text_count;

    struct temporal_calendar *calendars, *not_calendars;
    struct temporal_interval *intervals;
    int calendar_count, not_calendar_count, interval_count;

    struct temporal_time start, end, jitter;
    struct str zone;
};

/*
 * Checks *given and turns text into ranges: structured calendars first, then those of calendar
 * strings, then those of cron strings; @every becomes an interval; a zone of cron strings
 * becomes the spec's.  A canonical spec is returned unchanged.  Errors name the field as in
 * JSON: cronString[1].  spec_compile() checks whether the zone exists.
 */
MUST_USE enum rc temporal_canonical(const struct temporal_spec *given, struct arena *arena,
                                    struct temporal_spec *ret, struct err *reterr);

/* Converts a canonical spec for the core; calendars that can never match are omitted. */
struct spec_def temporal_spec_def(const struct temporal_spec *spec, struct arena *arena);
