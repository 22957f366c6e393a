/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The past and planned slots of a schedule between two times, each with its outcome.  The
 * sources are open runs, history, the ledger's ranges (expanded to slots) and the plan.
 */
#pragma once

#include "api/schedules/slot_plan.h"
#include "store/slots.h"

struct slot_entry {
    instant slot;
    instant due;          /* INSTANT_NONE: no longer stored            */
    enum outcome outcome; /* of the slot; OUTCOME_NONE: it is planned  */
    enum reason reason;   /* of a planned slot: why it would not start */
    uint32_t pass;        /* of the run; 0: it is the slot's own       */
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

/* What is known about the slots, for callers that read the rows themselves. */
struct slot_sources {
    const struct slot_run *open, *ended; /* of pass 0; in any order */
    int open_count, ended_count;
    const struct account *ranges; /* ascending; some may end before the period */
    int range_count;
    bool is_cut; /* history was not read to its end: a slot without an account was started */
};

/* Merges them with the plan; memory is in call->arena. */
void slot_entries_merge(const struct call *call, const struct schedule_times *p,
                        const struct slot_range *period, const struct slot_sources *sources,
                        struct slot_entries *ret);

/*
 * The current spec has exactly the slots of the range, or the range has at most two slots.
 * *uncounted, at first 0, bounds the work for all ranges of a schedule.
 */
bool slot_entries_can_expand(const struct schedule_times *p, const struct account *range,
                             int *uncounted);

void slot_entry_print(const struct schedule_times *p, const struct slot_entry *entry,
                      struct answer *out);
/* The same without the braces, for callers with more members. */
void slot_entry_members(const struct schedule_times *p, const struct slot_entry *entry,
                        struct answer *out);
