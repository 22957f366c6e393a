/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of outcomes and reasons in the API, and which of them belong together.
 */
#include "core/outcome.h"

#include <stddef.h>

#include "base/must.h"

const char *outcome_text(enum outcome outcome)
{
    static const char *const names[] = {
        [OUTCOME_NONE] = "none",
        [OUTCOME_STARTED] = "started",
        [OUTCOME_SKIPPED] = "skipped",
        [OUTCOME_MISSED] = "missed",
        [OUTCOME_DROPPED] = "dropped",
        [OUTCOME_SLOT_CANCELLED] = "cancelled",
        [OUTCOME_SUCCEEDED] = "succeeded",
        [OUTCOME_FAILED] = "failed",
        [OUTCOME_TIMED_OUT] = "timedOut",
        [OUTCOME_CANCELLED] = "cancelled",
        [OUTCOME_TERMINATED] = "terminated",
        [OUTCOME_UNKNOWN] = "unknown",
    };

    must(outcome >= 0 && (size_t)outcome < sizeof names / sizeof *names && names[outcome]);
    return names[outcome];
}

const char *reason_text(enum reason reason)
{
    static const char *const names[] = {
        [REASON_NONE] = "none",
        [REASON_OVERLAP] = "overlap",
        [REASON_WINDOW] = "window",
        [REASON_COALESCED] = "coalesced",
        [REASON_PAUSED] = "paused",
        [REASON_EDITED] = "edited",
        [REASON_CLOCK] = "clock",
        [REASON_BUFFER] = "buffer",
        [REASON_DELETED] = "deleted",
        [REASON_QUARANTINED] = "quarantined",
        [REASON_USER] = "user",
        [REASON_GOVERNOR] = "governor",
        [REASON_TARGET] = "target",
        [REASON_TIMEOUT] = "timeout",
        [REASON_MAX_RUN_TIME] = "maxRunTime",
        [REASON_LEASE] = "lease",
        [REASON_NODE] = "node",
        [REASON_START_WITHIN] = "startWithin",
        [REASON_REJECTED] = "rejected",
        [REASON_OTHER] = "other",
        [REASON_NOT_STARTED] = "notStarted",
    };

    must(reason >= 0 && (size_t)reason < sizeof names / sizeof *names && names[reason]);
    return names[reason];
}

/* One bit per reason. */
#define BECAUSE(reason) (1u << (reason))

bool outcome_is_of_slot(enum outcome outcome, enum reason reason)
{
    static const unsigned reasons[] = {
        [OUTCOME_SKIPPED] = BECAUSE(REASON_OVERLAP) | BECAUSE(REASON_GOVERNOR),
        [OUTCOME_MISSED] = BECAUSE(REASON_WINDOW) | BECAUSE(REASON_COALESCED) |
                           BECAUSE(REASON_PAUSED) | BECAUSE(REASON_EDITED) |
                           BECAUSE(REASON_CLOCK),
        [OUTCOME_DROPPED] = BECAUSE(REASON_BUFFER) | BECAUSE(REASON_DELETED) |
                            BECAUSE(REASON_QUARANTINED),
        [OUTCOME_SLOT_CANCELLED] = BECAUSE(REASON_USER),
    };

    must(reason >= 0 && reason <= REASON_LAST);
    return outcome >= OUTCOME_SKIPPED && outcome <= OUTCOME_SLOT_CANCELLED &&
           (reasons[outcome] & BECAUSE(reason)) != 0;
}

const char *reason_sentence(enum reason reason)
{
    static const char *const sentences[REASON_LAST + 1] = {
        [REASON_TIMEOUT] = "the attempt took longer than its timeout",
        [REASON_MAX_RUN_TIME] = "the run took longer than its maxRunTime",
        [REASON_LEASE] = "the worker sent no heartbeat: it crashed or is unreachable",
        [REASON_NODE] = "the node that executed the run went down",
        [REASON_START_WITHIN] = "the run did not begin within its startWithin",
    };

    return reason >= 0 && reason <= REASON_LAST ? sentences[reason] : NULL;
}

bool outcome_is_failure(enum outcome outcome)
{
    return outcome == OUTCOME_FAILED || outcome == OUTCOME_TIMED_OUT ||
           outcome == OUTCOME_UNKNOWN;
}
