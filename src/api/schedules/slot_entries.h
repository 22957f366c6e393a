/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slots of a schedule between two times, past and planned in one list, each with what
 * became of it: runs, history, the ledger's ranges slot by slot, and the plan.
 */
#pragma once

#include "api/schedules/schedule_times.h"
#include "store/slots.h"

struct slot_entry {
    instant slot;
    instant due;          /* INSTANT_NONE: not known any more */
    enum outcome outcome; /* of the slot; OUTCOME_NONE: it is planned */
    enum reason reason;   /* planned: why it would not start now      */
    bool has_run;
    struct slot_run run;
    /* A range that the spec of today does not tell slot by slot. */
    int64_t count; /* else 1 */
    instant first, last;
};

struct slot_entries {
    struct slot_entry *list; /* ascending */
    int count;
    bool has_more;
};

/* Those in (after, until], the `limit` earliest. */
MUST_USE enum rc slot_entries_read(const struct call *call, struct db *db,
                                   const struct schedule_times *p,
                                   const struct slot_stretch *stretch, struct slot_entries *ret,
                                   struct err *reterr);

void slot_entry_print(const struct schedule_times *p, const struct slot_entry *entry,
                      struct answer *out);
