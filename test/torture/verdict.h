/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a tormented world kept the promise: its database and its journal are judged by the
 * judge of the simulator, and by what the journal alone can tell.
 *
 * docs/invariants.md has the numbers.  The engine is not asked: slots are the oracle's, times
 * of the store's turns are held against the clocks of those who asked and received.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

/* What was judged. */
struct verdict_counts {
    int schedules, wishes, infos, runs, attempts, deliveries, reports, skipped;
};

/*
 * RC_OK when everything holds.  RC_CORRUPT when something does not: the text begins with the
 * number of the invariant.  `url` is opened to be read.
 */
MUST_USE enum rc verdict(const char *url, struct str journal, struct verdict_counts *ret,
                         struct err *reterr);
