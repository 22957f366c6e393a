/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a schedule starts no run by itself, in words for its owner.
 */
#pragma once

#include "api/schedules/schedule_times.h"

enum { NO_NEXT_TEXT_MAX = 2048 }; /* bytes; more than a pause's reason or an explanation has */

/* Why it is stopped, one sentence each. */
enum no_next_stop {
    NO_NEXT_CLOSED,
    NO_NEXT_QUARANTINED,
    NO_NEXT_DISABLED,
    NO_NEXT_PAUSED, /* until a time or without an end */
    NO_NEXT_STOPS
};

/* Appends "it is paused until …: reason" and so on; false: it is not stopped in this way. */
bool no_next_stopped(const struct schedule_view *view, enum no_next_stop stop, struct buf *out);

/*
 * Appends why no run is planned at `from` or later: it is stopped, its runs are used up, or
 * its spec has no more times.  The caller has found that there is none.
 */
void no_next_explain(const struct schedule_times *p, instant from, struct buf *out);

/*
 * The same for a schedule without a plan in memory, in `call->arena`; empty if a run is
 * planned.  `view` must be as schedule_times_next() leaves it.
 */
MUST_USE enum rc no_next_read(const struct call *call, struct db *db,
                              const struct schedule_view *view, struct str *ret,
                              struct err *reterr);
