/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows that account for the slots of a schedule: runs, attempts and the ledger; and their
 * comparison with its spec.  For the files of check.
 */
#pragma once

#include "core/plan.h"
#include "server/check/check_parts.h"
#include "store/check/check_rows.h"
#include "store/check/check_slots.h"
#include "store/views.h"

/* A growing list in malloc() memory. */
struct check_list {
    void *at;
    int count, room;
};

struct check_accounts {
    const struct schedule_view *view;
    struct check_list attempts; /* struct check_attempt, newest first */
    struct check_list runs;     /* struct check_run                   */
    struct check_list accounts; /* struct check_account               */
    bool is_cut;                /* there are older attempts than those that were read */
    bool lacks_accounts;        /* there are more of the other rows                   */
    int64_t sums[OUTCOME_SLOT_CANCELLED + 1]; /* of the ledger, by outcome            */
};

/* Prepares for the rows of another schedule; keeps the memory of the lists. */
void check_accounts_begin(struct check_accounts *accounts, const struct schedule_view *view);
MUST_USE enum rc check_accounts_read(struct check *check, struct check_accounts *accounts,
                                     struct err *reterr);
void check_accounts_free(struct check_accounts *accounts);

struct check_comparison {
    struct check_case of; /* accounts are sorted; `from`: see there */
    struct spec_ctx ctx;
    instant calendars; /* last change of the calendars that the spec names; or NONE */
    bool is_right;
    struct check_fault fault; /* unless it is right */
};

/* `plan` is bound to its zones.  Texts are in check->page until the next read. */
MUST_USE enum rc check_accounts_compare(struct check *check, struct check_accounts *accounts,
                                        struct plan *plan, struct check_comparison *ret,
                                        struct err *reterr);
