/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that is known of one run, from the table of open runs and from history.
 */
#pragma once

#include "api/schedules/view.h"

/* Open, or the attempts that are over, or both. */
struct run_lookup {
    bool is_open;
    struct run_view open;
    struct attempt_view *attempts; /* the last one has its result, the others have none */
    int attempt_count;
};

/* RC_NOT_FOUND also for a run of another namespace.  params[0] is the run, for the words. */
MUST_USE enum rc run_lookup_read(const struct call *call, struct db *db,
                                 const struct run_id *id, struct run_lookup *ret,
                                 struct err *reterr);

/* The same for who wants the run alone: of one that is open no attempts are read. */
MUST_USE enum rc run_lookup_last(const struct call *call, struct db *db,
                                 const struct run_id *id, struct run_lookup *ret,
                                 struct err *reterr);
