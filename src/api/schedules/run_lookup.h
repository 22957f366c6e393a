/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run, read from the table of open runs and from history.
 */
#pragma once

#include "api/schedules/view.h"

/* The open run, or the ended attempts, or both. */
struct run_lookup {
    bool is_open;
    struct run_view open;
    struct attempt_view *attempts; /* only the last one has its result */
    int attempt_count;
};

/* RC_NOT_FOUND also for a run of another namespace; the message names params[0]. */
MUST_USE enum rc run_lookup_read(const struct call *call, struct db *db,
                                 const struct run_id *id, struct run_lookup *ret,
                                 struct err *reterr);

/* The same without the attempts of an open run. */
MUST_USE enum rc run_lookup_last(const struct call *call, struct db *db,
                                 const struct run_id *id, struct run_lookup *ret,
                                 struct err *reterr);

/* The input that a run was given, after it ended; empty: none. */
MUST_USE enum rc run_lookup_input(const struct call *call, struct db *db,
                                  const struct run_lookup *found, struct str *ret,
                                  struct err *reterr);
