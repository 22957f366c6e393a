/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether every slot of a schedule has exactly one account, and nothing else has any.
 *
 * Slots are asked of the spec one by one, or counted where a range stands for many; so it
 * costs as much as there are accounts, not as there are slots.
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
    struct check_account *accounts; /* of pass 0; they are put in order */
    int count;
    /*
     * Slots after this were this spec's and their accounts are kept; those of before may have
     * been another version's, or be gone.  INSTANT_NEVER: only that nothing stands twice.
     */
    instant from;
    bool may_lack; /* not every slot has to have an account: its starts were used up */
};

struct check_fault {
    instant slot;
    const char *text; /* "has two accounts" */
};

/* False when a slot breaks the rule: the earliest of them. */
bool check_slots(const struct check_case *c, struct check_fault *ret);
