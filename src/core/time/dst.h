/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens to a wall-clock time that a clock change skips or repeats.
 *
 * Pure.  docs/semantics.md [T-20] to [T-27].  A named rule may treat fixed and interval entries
 * differently.  A custom rule has one answer for gaps and one for folds.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

enum gap {
    GAP_SKIP,  /* a time in the gap is not a slot         */
    GAP_NEXT,  /* one slot, at the first instant after it */
    GAP_SHIFT, /* moved forward by the length of the gap  */
};

enum fold {
    FOLD_FIRST, /* the earlier instant is the slot */
    FOLD_LAST,  /* the later instant is the slot   */
    FOLD_BOTH,
};

enum dst_name {
    DST_DEFAULT, /* the rule of the dialect                               */
    DST_VIXIE,   /* fixed entries: next, first; interval ones: skip, both */
    DST_LITERAL, /* skip, both                                            */
    DST_ONCE,    /* skip, first                                           */
    DST_LAST,    /* skip, last                                            */
    DST_SHIFT,   /* shift, first                                          */
    DST_CUSTOM,  /* see dst_rule.custom                                   */
};

/* What to do with a time in a gap, and with one in a fold. */
struct dst_choice {
    unsigned char gap;  /* enum gap  */
    unsigned char fold; /* enum fold */
};

struct dst_rule {
    enum dst_name name;
    struct dst_choice custom; /* when name is DST_CUSTOM */
};

/* What applies to one entry.  The caller has replaced DST_DEFAULT by the dialect's rule. */
struct dst_choice dst_resolve(struct dst_rule rule, bool is_interval);

/* "vixie", "literal", "once", "last", "shift"; NULL for the other two. */
const char *dst_text(enum dst_name name);
MUST_USE enum rc dst_parse(struct str text, enum dst_name *ret, struct err *reterr);

const char *gap_text(enum gap gap);
const char *fold_text(enum fold fold);
MUST_USE enum rc gap_parse(struct str text, enum gap *ret, struct err *reterr);
MUST_USE enum rc fold_parse(struct str text, enum fold *ret, struct err *reterr);
