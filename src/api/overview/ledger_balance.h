/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The balance of the ledger: whether every slot that was due has a recorded outcome.
 *
 * The server compares all schedules in the background; operations only show the result.
 */
#pragma once

#include "api/call/answer.h"

enum { BALANCE_LISTED_MAX = 100 }; /* differences of a namespace that are listed */

enum balance_result {
    BALANCE_UNKNOWN, /* this server does not compare them                   */
    BALANCE_RUNNING, /* the first pass over all schedules has not ended yet */
    BALANCE_BALANCED,
    BALANCE_UNBALANCED,
};

struct balance_difference {
    struct str schedule;
    instant since;         /* of the slots that were compared; those until its mark */
    int64_t due, recorded; /* slots                                                */
    struct str text;
};

/* Of a namespace, from the last complete pass. */
struct ledger_balance {
    enum balance_result result;
    instant started_at; /* of the pass; INSTANT_NONE: none has begun */
    instant as_of;      /* its end; INSTANT_NONE: not yet            */
    int64_t schedules, slots, outcomes;
    int64_t differences; /* schedules                                          */
    int listed;          /* of them, those in `list`; at most BALANCE_LISTED_MAX */
    const struct balance_difference *list;
};

struct call;

struct ledger_balance ledger_balance_of(const struct call *call);
const char *balance_text(enum balance_result result);
