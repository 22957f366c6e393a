/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the parts of the judge in order.  See judge.h. */
#include "sim/judge.h"

#include "sim/judge_facts.h"

enum rc judge(const struct record *record, struct arena *arena, struct err *reterr)
{
    /* The store comes first: if it is wrong, failures of the later parts may follow from it. */
    enum rc (*const parts[])(struct facts *, struct err *) = {
        judge_runs,  judge_sent,     judge_account,   judge_opened, judge_ledger, judge_overlap,
        judge_gates, judge_commands, judge_backfills, judge_counts, judge_recent, judge_after,
    };
    struct facts facts = {.record = record, .arena = arena, .zones = judge_zones_new()};
    enum rc rc = facts_open(&facts, reterr);

    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && rc == RC_OK; i++)
        rc = parts[i](&facts, reterr);
    judge_zones_free(facts.zones);
    return rc;
}
