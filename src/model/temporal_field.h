/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One field of a Temporal calendar as text, list of ranges and set of values.
 *
 * Fields are numbered as in model/spec_fields.h.  Ranges are stored as given, zeroes included,
 * because clients read them back; their meaning is a set of values.
 */
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum { TEMPORAL_RANGES_MAX = 128 }; /* per field, which can have 101 years or 60 seconds */

/* An end of 0 means start, a step of 0 means 1. */
struct temporal_range {
    int32_t start, end, step;
};

struct temporal_ranges {
    struct temporal_range *at;
    int count;
};

/*
 * Parses lists of values, a-b, a/step and names, as in a cron field.  Blank means the field's
 * default.  A year of `*` is the empty list.  Sunday may be written 7 but is stored as 0: 1-7
 * becomes 0-6, 5-7 becomes 0 and 5-6.
 */
MUST_USE enum rc temporal_field_parse(struct str text, int field, struct arena *arena,
                                      struct temporal_ranges *ret, struct err *reterr);

/* Every range must be within the field; an end below its start is invalid unless it is 0. */
MUST_USE enum rc temporal_field_check(struct temporal_ranges ranges, int field,
                                      struct err *reterr);

/*
 * The values as text that every cron dialect reads alike, such as `0-5,10`, or `*`.  Values
 * outside the field's range are ignored; len 0: no value is left.
 */
struct str temporal_field_text(struct temporal_ranges ranges, int field, struct arena *arena);
