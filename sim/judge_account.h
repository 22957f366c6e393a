/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slots that a schedule should have, and its accounts in the store, for the parts of the
 * judge that compare the two.
 */
#pragma once

#include "sim/judge_facts.h"

/* A slot as the judge computes it. */
struct expected_slot {
    instant at;
    bool is_required; /* it must have an account; otherwise it may have one */
    bool is_doubtful; /* it may not be a slot: a start may have moved it     */
    const struct version *version;
};

struct expected_slots {
    struct expected_slot *at;
    int count, room;
};

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

/* RC_LIMIT: there are more slots than the judge counts. */
MUST_USE enum rc judge_add_slot(struct expected_slots *slots, struct expected_slot slot,
                                struct err *reterr);

/*
 * Every slot that was due by then must have an account, as far as the inputs show; the mark
 * may be later.
 */
instant judge_until(const struct facts *facts, const struct schedule *s);

/* The required slots of a version: nominal times in (ret_after, ret_until]. */
void judge_bounds(const struct facts *facts, const struct schedule *s, const struct version *v,
                  instant *ret_after, instant *ret_until);

/* The starts of a version with a limit end here. */
struct judge_budget {
    bool is_spent, is_exact;
    instant last; /* the slot that made the last start                         */
    instant made; /* when: what was due then may have got an account with it   */
};
struct judge_budget judge_budget_of(const struct facts *facts, const struct schedule *s,
                                    const struct version *v);

/* No start of the schedule waits for an open run. */
bool judge_starts_at_once(const struct facts *facts, const struct schedule *s);

/* Whether the inputs determine the slots of a schedule that follows its runs. */
bool judge_follow_is_exact(const struct facts *facts, const struct schedule *s);
/* Lists its slots [P-16]; *ret_origin is what those after the end of the record count from. */
MUST_USE enum rc judge_follow(const struct facts *facts, const struct schedule *s,
                              struct expected_slots *slots, struct judge_origin *ret_origin,
                              struct err *reterr);
/* If it is not exact: each account can be a slot, and no slot is missing at the end. */
MUST_USE enum rc judge_follow_loosely(const struct facts *facts, const struct schedule *s,
                                      const struct account_entries *entries,
                                      struct err *reterr);

/* The picks of a governed schedule follow from its inputs, and each has an account [P-33]. */
MUST_USE enum rc judge_picks(const struct facts *facts, const struct schedule *s,
                             const struct account_entries *entries, struct err *reterr);
