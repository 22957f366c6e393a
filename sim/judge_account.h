/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The accounts of a schedule in the store, for the parts of the judge that compare them with
 * its slots.
 */
#pragma once

#include "sim/judge_facts.h"

/* A run, or slots that were not started. */
struct account_entry {
    instant first, last;
    int64_t count;
    const struct run_facts *rf; /* or */
    const struct ledger_entry *ledger;
    int64_t required, possible; /* numbers of expected slots in it; possible counts all */
    bool has_first, has_last;
};

struct account_entries {
    struct account_entry *at; /* ascending */
    int count;
};

/* The picks of a governed schedule follow from its inputs, and each has an account [P-33]. */
MUST_USE enum rc judge_picks(const struct facts *facts, const struct schedule *s,
                             const struct account_entries *entries, struct err *reterr);
