/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The past and planned slots of a schedule between two times, each with its outcome.  The
 * sources are open runs, history, the ledger's ranges (expanded to slots) and the plan.
 */
#pragma once

#include "api/schedules/schedule_times.h"
#include "store/slots.h"

struct slot_entry {
    instant slot;
    instant due;          /* INSTANT_NONE: no longer stored            */
    enum outcome outcome; /* of the slot; OUTCOME_NONE: it is planned  */
    enum reason reason;   /* of a planned slot: why it would not start */
    bool has_run;
    struct slot_run run;
    /* More than 1: a range of the ledger that could not be expanded by the current spec. */
    int64_t count;
    instant first, last;
};

struct slot_entries {
    struct slot_entry *list; /* ascending */
    int count;
    bool has_more;
};

/* Reads the `limit` earliest slots in (after, until]. */
MUST_USE enum rc slot_entries_read(const struct call *call, struct db *db,
                                   const struct schedule_times *p,
                                   const struct slot_range *period, struct slot_entries *ret,
                                   struct err *reterr);

void slot_entry_print(const struct schedule_times *p, const struct slot_entry *entry,
                      struct answer *out);
