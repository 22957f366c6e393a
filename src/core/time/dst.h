/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens to a wall-clock time that a clock change skips or repeats.
 *
 * Pure.  docs/semantics.md [T-20] to [T-29].  A rule is named (and then may treat fixed
 * times and wildcard times differently) or gives one answer for gaps and one for folds.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

enum gap {
    GAP_SKIP,  /* a time that does not exist does not run                          */
    GAP_NEXT,  /* once, at the first instant after the gap                         */
    GAP_SHIFT, /* moved by the length of the gap                                   */
};

enum fold {
    FOLD_FIRST, /* the earlier of two                                               */
    FOLD_LAST,  /* the later of two                                                 */
    FOLD_BOTH,
};

enum dst_name {
    DST_DEFAULT, /* the dialect's own rule                                          */
    DST_VIXIE,   /* fixed times: next, first; wildcard times: skip, both            */
    DST_LITERAL, /* skip, both                                                      */
    DST_ONCE,    /* skip, first                                                     */
    DST_LAST,    /* skip, last                                                      */
    DST_SHIFT,   /* shift, first                                                    */
    DST_CUSTOM,  /* `custom` below                                                  */
};

struct dst_cell {
    unsigned char gap;  /* enum gap  */
    unsigned char fold; /* enum fold */
};

struct dst_rule {
    enum dst_name name;
    struct dst_cell custom; /* when name is DST_CUSTOM */
};

/* The answer for one entry; DST_DEFAULT must have been replaced by the dialect's rule. */
struct dst_cell dst_resolve(struct dst_rule rule, bool is_interval);

/* "vixie", "literal", "once", "last", "shift"; NULL for the other two. */
const char *dst_text(enum dst_name name);
MUST_USE enum rc dst_parse(struct str text, enum dst_name *ret, struct err *reterr);

const char *gap_text(enum gap gap);
const char *fold_text(enum fold fold);
MUST_USE enum rc gap_parse(struct str text, enum gap *ret, struct err *reterr);
MUST_USE enum rc fold_parse(struct str text, enum fold *ret, struct err *reterr);
