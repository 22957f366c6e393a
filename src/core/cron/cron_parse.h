/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses cron text in any dialect into a struct cron.
 *
 * Pure.  One grammar with a table of dialects.  Text that the original parser of a dialect
 * rejects is an error; so is text that the original accepts but silently misreads.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/instant.h"
#include "base/str.h"
#include "core/cron/cron.h"
#include "core/cron/dialect.h"

struct cron_text {
    bool is_every;      /* @every D, rate(n unit): `every` counts, `cron` is not set    */
    struct cron cron;   /* sealed                                                       */
    span every;         /* whole seconds                                                */
    span phase;         /* temporal's @every D/P                                        */
    bool epoch;         /* the interval counts from 1970 (temporal), not from the start */
    struct str zone;    /* from CRON_TZ= / TZ=, points into the text; len 0: none       */
    struct str comment; /* temporal: the text after `#`, trimmed; len 0: none           */
};

/*
 * `seed` determines H (Jenkins' algorithm); with an empty seed every H is its lowest value.
 * `dialect` must be one of the cron dialects, not systemd or rrule.
 * On failure reterr has the column (0-based) in `at` and the name of the field in `field`
 * ("second" … "year", or "" if the text as a whole is wrong).
 */
MUST_USE enum rc cron_parse(struct str text, enum dialect dialect, struct str seed,
                            struct cron_text *ret, struct err *reterr);

/* The number of fields that blanks and tabs separate. */
int cron_count_fields(struct str text);

/*
 * Text with seconds first: "0 " before five fields, for dialects whose clients may leave out
 * the seconds.  The result is `text` itself, or in `out`.
 */
struct str cron_seconds_first(struct str text, struct buf *out);

/* The seven fields of a calendar entry in the native or temporal grammar. */
struct calendar_text {
    struct str second, minute, hour, day, month, year, weekday; /* len 0: the default */
};

/*
 * Empty fields are 0 for second, minute and hour, and `*` for the others.  All fields must
 * match.  Fields are ranges with steps and names; native (DIALECT_BELFRY) also allows ranges
 * that wrap, L, W and #.
 */
MUST_USE enum rc calendar_parse(const struct calendar_text *text, enum dialect dialect,
                                struct cron *ret, struct err *reterr);
