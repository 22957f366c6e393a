/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides whether a world lost or doubled anything: the judge of the simulator checks its
 * database and its journal, and further checks use the journal alone.  docs/invariants.md has
 * the numbers of the invariants.  The engine is not consulted: slots come from the oracle, and
 * the times of the store's turns are compared with the clocks of clients and receivers.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

/* What was judged. */
struct verdict_counts {
    int schedules, ops, infos, runs, attempts, deliveries, reports, skipped;
};

/*
 * RC_OK if everything holds.  RC_CORRUPT if something does not: the text begins with the number
 * of the invariant.  `url` is opened for reading.
 */
MUST_USE enum rc verdict(const char *url, struct str journal, struct verdict_counts *ret,
                         struct err *reterr);
