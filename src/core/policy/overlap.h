/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens to starts that fall due while a run of the same schedule is open.
 *
 * Pure: waiting starts in, one verdict each out.  docs/semantics.md [P-1], [P-2].
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum overlap {
    OVERLAP_SKIP,
    OVERLAP_BUFFER_ONE,
    OVERLAP_BUFFER_ALL,
    OVERLAP_CANCEL_OTHER,
    OVERLAP_TERMINATE_OTHER,
    OVERLAP_ALLOW_ALL,
    OVERLAP_COUNT,
    OVERLAP_DEFAULT = OVERLAP_COUNT, /* a start that says nothing: the schedule's policy */
};

enum verdict {
    VERDICT_START,    /* now                                                              */
    VERDICT_HOLD,     /* keep it waiting for an open run to end                           */
    VERDICT_SKIP,     /* outcome skipped(overlap), counted                                */
    VERDICT_REPLACED, /* outcome skipped(overlap), not in effects.skipped: a later start ends
                         all before */
};

struct overlap_effects {
    bool cancel;    /* ask the open runs to end          */
    bool terminate; /* end them; stronger than cancel    */
    int skipped;    /* how many verdicts are VERDICT_SKIP */
};

/*
 * One pass over `count` waiting starts in order of arrival.  `policy[i]` may be
 * OVERLAP_DEFAULT.  At most one start that does not allow others is started in a pass.
 */
struct overlap_effects overlap_decide(const uint8_t *policy, int count,
                                      enum overlap schedule_policy, bool is_open,
                                      uint8_t *ret_verdict);

/* "skip", "bufferOne" … as in the native API. */
const char *overlap_text(enum overlap policy);
MUST_USE enum rc overlap_parse(struct str text, enum overlap *ret, struct err *reterr);
