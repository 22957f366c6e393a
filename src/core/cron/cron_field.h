/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses one field of a cron expression or calendar entry into masks.
 *
 * Pure.  Reads the text once, without copying it.  The caller decides from the marks what the
 * fields mean together: which days match, and whether the entry is an interval entry.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "core/cron/cron.h"
#include "core/cron/cron_grammar.h"
#include "core/cron/cron_hash.h"

/* How a field was written. */
enum {
    FIELD_STAR = 1 << 0,       /* an item has every value: `*`, `?`, or these with step 1 */
    FIELD_STAR_FIRST = 1 << 1, /* the text starts with `*`                                */
    FIELD_STAR_STEPS = 1 << 2, /* the first item is `*` with a step above 1               */
    FIELD_LIST = 1 << 3,       /* more than one item                                      */
    FIELD_QUERY = 1 << 4,      /* `?`                                                     */
    FIELD_INTERVAL = 1 << 5,   /* has `*`, `?`, a range or a step                         */
    FIELD_AND = 1 << 6,        /* starts with `+`                                         */
};

struct cron_context {
    const struct cron_grammar *grammar;
    enum dialect dialect;
    const char *origin;     /* columns are counted from here                  */
    struct cron_hash *hash; /* may be NULL if the grammar has neither H nor ~ */
};

/* "second", "minute", "hour", "day-of-month", "month", "day-of-week", "year". */
const char *cron_unit_text(enum cron_unit unit);

/*
 * `text` has no blanks and only printable ASCII, and is not empty.  Sets the parts of *out
 * that belong to the unit; on failure they are undefined.
 */
MUST_USE enum rc cron_field_parse(const struct cron_context *ctx, enum cron_unit unit,
                                  struct str text, struct cron *out, unsigned *ret_marks,
                                  struct err *reterr);
