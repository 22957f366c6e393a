/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that every slot of a schedule has exactly one account and that no other time has one.
 *
 * Single slots are computed from the spec; the slots of a range are only counted.  The cost
 * therefore depends on the number of accounts, not on the number of slots.
 */
#pragma once

#include "core/cursor.h"
#include "core/plan.h"

/* A run, or a range of slots that were not started. */
struct check_account {
    instant first, last;
    int64_t count;
    bool is_run;
};

struct check_case {
    const struct plan *plan; /* bound to its zones */
    const struct spec_ctx *ctx;
    const struct cursor *cursor;
    struct check_account *accounts; /* of pass 0; check_slots() sorts them */
    int count;
    /*
     * Slots after this time belong to the current spec, and none of their accounts was pruned.
     * Earlier accounts may belong to another version or be pruned.  INSTANT_NEVER: only check
     * that no slot has two accounts.
     */
    instant from;
    bool allows_gaps; /* slots may have no account: the limit on starts was reached */
};

struct check_fault {
    instant slot;
    const char *text; /* "has two accounts" */
};

/* False if a slot breaks the rule; *ret is then the earliest such slot. */
bool check_slots(const struct check_case *c, struct check_fault *ret);
