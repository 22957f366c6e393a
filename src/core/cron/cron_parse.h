/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cron text in any dialect → struct cron.
 *
 * Pure.  One grammar, switched by a table of dialects.  What a real parser of a dialect
 * refuses is refused; where a real one silently does nonsense, Belfry refuses too.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/instant.h"
#include "base/str.h"
#include "core/cron/cron.h"
#include "core/cron/dialect.h"

struct cron_text {
    bool is_every;      /* @every D, rate(n unit): `every` counts, `cron` is not set     */
    struct cron cron;   /* sealed                                                        */
    span every;         /* whole seconds                                                 */
    span phase;         /* temporal's @every D/P                                         */
    bool epoch;         /* the interval counts from 1970 (temporal), not from the start  */
    struct str zone;    /* from CRON_TZ= / TZ=, points into the text; len 0: none        */
    struct str comment; /* temporal: what follows `#`, trimmed; len 0: none             */
};

/*
 * `seed` feeds H (Jenkins' algorithm); with an empty one every H is its lowest value.
 * `dialect` must be one of the cron dialects, not systemd or rrule.
 * On failure reterr has the column (0-based) in `at` and the field's name in `field`
 * ("second" … "year", or "" when the text as a whole is wrong).
 */
MUST_USE enum rc cron_parse(struct str text, enum dialect dialect, struct str seed,
                            struct cron_text *ret, struct err *reterr);

/* The seven fields of a calendar entry in the native or temporal grammar. */
struct calendar_text {
    struct str second, minute, hour, day, month, year, weekday; /* len 0: the default */
};

/*
 * Blank fields: second, minute, hour 0; the others `*`.  All fields must match.  Fields are
 * ranges with steps and names; native (DIALECT_BELFRY) also takes wrap, L, W and #.
 */
MUST_USE enum rc calendar_parse(const struct calendar_text *text, enum dialect dialect,
                                struct cron *ret, struct err *reterr);
