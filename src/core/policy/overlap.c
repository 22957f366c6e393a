/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides the waiting starts of a schedule in order: rules [P-1] and [P-2].
 */
#include "core/policy/overlap.h"

#include "base/must.h"

static const char *const names[OVERLAP_COUNT] = {
    [OVERLAP_SKIP] = "skip",
    [OVERLAP_BUFFER_ONE] = "bufferOne",
    [OVERLAP_BUFFER_ALL] = "bufferAll",
    [OVERLAP_CANCEL_OTHER] = "cancelOther",
    [OVERLAP_TERMINATE_OTHER] = "terminateOther",
    [OVERLAP_ALLOW_ALL] = "allowAll",
};

const char *overlap_text(enum overlap policy)
{
    must(policy >= 0 && policy < OVERLAP_COUNT);
    return names[policy];
}

enum rc overlap_parse(struct str text, enum overlap *ret, struct err *reterr)
{
    int near;

    for (int i = 0; i < OVERLAP_COUNT; i++)
        if (str_eq(text, str_of(names[i]))) {
            *ret = (enum overlap)i;
            return RC_OK;
        }
    near = str_nearest(text, names, OVERLAP_COUNT);
    return err_set(reterr, RC_INVALID, 0, (int)text.len,
                   near >= 0 ? "\"%.*s\" is not an overlap policy; did you mean \"%s\"?"
                             : "\"%.*s\" is not an overlap policy; use one such as \"%s\"",
                   STR_ARG(text), names[near >= 0 ? near : OVERLAP_SKIP]);
}

/* The state after some of the waiting starts have been decided. */
struct decision {
    bool is_open;
    int chosen; /* the one start that may run now, -1: none yet */
    int held;
    struct overlap_effects effects;
};

/* A start with a policy other than allowAll, while a run is open or another start is chosen. */
static enum verdict decide_while_busy(struct decision *decision, enum overlap policy, int i,
                                      uint8_t *ret_verdict)
{
    must(decision->is_open || (decision->chosen >= 0 && decision->chosen < i));
    switch (policy) {
    case OVERLAP_BUFFER_ONE:
        if (decision->held == 0)
            return VERDICT_HOLD;
        return VERDICT_SKIP;
    case OVERLAP_BUFFER_ALL:
        return VERDICT_HOLD;
    case OVERLAP_CANCEL_OTHER:
    case OVERLAP_TERMINATE_OTHER:
        if (!decision->is_open) {
            ret_verdict[decision->chosen] = VERDICT_REPLACED;
            decision->chosen = i;
            return VERDICT_START;
        }
        decision->effects.cancel |= policy == OVERLAP_CANCEL_OTHER;
        decision->effects.terminate |= policy == OVERLAP_TERMINATE_OTHER;
        return VERDICT_HOLD;
    case OVERLAP_SKIP:
    case OVERLAP_ALLOW_ALL:
    case OVERLAP_COUNT:
        break;
    }
    return VERDICT_SKIP;
}

static enum verdict decide_one(struct decision *decision, enum overlap policy, int i,
                               uint8_t *ret_verdict)
{
    if (policy == OVERLAP_ALLOW_ALL)
        return VERDICT_START;
    if (!decision->is_open && decision->chosen < 0) {
        decision->chosen = i;
        return VERDICT_START;
    }
    return decide_while_busy(decision, policy, i, ret_verdict);
}

/* If open runs are cancelled or terminated, nothing starts at the same time. */
static void withdraw_starts(uint8_t *verdict, int count)
{
    for (int i = 0; i < count; i++)
        if (verdict[i] == VERDICT_START)
            verdict[i] = VERDICT_REPLACED;
}

static enum overlap effective_policy(uint8_t policy, enum overlap schedule_policy)
{
    return policy == OVERLAP_DEFAULT ? schedule_policy : (enum overlap)policy;
}

/*
 * Every start has exactly one verdict.  Of the starts that exclude others at most one runs, the
 * chosen one; none while a run is open.
 */
static void check_verdicts(const struct decision *decision, const uint8_t *policy,
                           enum overlap schedule_policy, const uint8_t *verdict, int count)
{
    int counts[VERDICT_REPLACED + 1] = {0}, exclusive = 0;

    for (int i = 0; i < count; i++) {
        must(verdict[i] <= VERDICT_REPLACED);
        counts[verdict[i]]++;
        exclusive += verdict[i] == VERDICT_START &&
                     effective_policy(policy[i], schedule_policy) != OVERLAP_ALLOW_ALL;
    }
    must(counts[VERDICT_SKIP] == decision->effects.skipped);
    must(counts[VERDICT_HOLD] == decision->held);
    must(exclusive == (decision->chosen >= 0));
    must(!decision->is_open || exclusive == 0);
    if (decision->effects.cancel || decision->effects.terminate)
        must(counts[VERDICT_START] == 0 && decision->held > 0);
}

struct overlap_effects overlap_decide(const uint8_t *policy, int count,
                                      enum overlap schedule_policy, bool is_open,
                                      uint8_t *ret_verdict)
{
    struct decision decision = {.is_open = is_open, .chosen = -1};

    must(count >= 0 && schedule_policy < OVERLAP_COUNT);
    for (int i = 0; i < count; i++) {
        enum overlap effective = effective_policy(policy[i], schedule_policy);
        enum verdict verdict = decide_one(&decision, effective, i, ret_verdict);

        ret_verdict[i] = (uint8_t)verdict;
        decision.held += verdict == VERDICT_HOLD;
        decision.effects.skipped += verdict == VERDICT_SKIP;
    }
    if (decision.effects.cancel || decision.effects.terminate)
        withdraw_starts(ret_verdict, count);
    check_verdicts(&decision, policy, schedule_policy, ret_verdict, count);
    return decision.effects;
}
