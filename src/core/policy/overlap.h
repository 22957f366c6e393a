/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides what happens to starts while a run of the same schedule is open.
 *
 * Pure: one verdict for each waiting start.  docs/semantics.md [P-1], [P-2].
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
    OVERLAP_DEFAULT = OVERLAP_COUNT, /* a start without a policy: that of the schedule */
};

enum verdict {
    VERDICT_START,    /* now                                                                 */
    VERDICT_HOLD,     /* it waits for an open run to end                                     */
    VERDICT_SKIP,     /* outcome skipped(overlap), in effects.skipped                        */
    VERDICT_REPLACED, /* outcome skipped(overlap), not in effects.skipped: a later start won */
};

struct overlap_effects {
    bool cancel;    /* ask the open runs to stop      */
    bool terminate; /* end them; stronger than cancel */
    int skipped;    /* number of VERDICT_SKIP         */
};

/*
 * Decides `count` waiting starts in order of arrival.  `policy[i]` may be OVERLAP_DEFAULT.  At
 * most one start with a policy other than allowAll gets VERDICT_START.
 */
struct overlap_effects overlap_decide(const uint8_t *policy, int count,
                                      enum overlap schedule_policy, bool is_open,
                                      uint8_t *ret_verdict);

/* "skip", "bufferOne" … as in the native API. */
const char *overlap_text(enum overlap policy);
MUST_USE enum rc overlap_parse(struct str text, enum overlap *ret, struct err *reterr);
