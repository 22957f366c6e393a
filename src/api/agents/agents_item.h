/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A future execution as the agents' API shows it: a planned slot or an open run.
 *
 * Pure.  Its id is that of the run; a planned slot has it before the run exists.
 */
#pragma once

#include "api/agents/agents_doc.h"
#include "core/run_id.h"
#include "core/time/tz.h"
#include "store/views.h"

enum agents_status {
    AGENTS_READY,
    AGENTS_PENDING, /* claimed, no heartbeat yet */
    AGENTS_RUNNING,
    AGENTS_SKIPPED,
    AGENTS_CANCELLED,
    AGENTS_RETRYABLE,
    AGENTS_STATUS_COUNT
};

struct agents_item {
    struct run_id run;
    const struct agents_schedule *schedule;
    struct str name;       /* of the schedule; empty: none                */
    const struct tz *zone; /* for the day, the hour and the minute        */
    bool is_immediate;
    instant at; /* planned start; a retry is later than its slot */
    enum agents_status status;
    int32_t attempt;  /* failed attempts       */
    int32_t priority; /* 0: that of the schedule */
    struct str owner;
    const char *waiting_for; /* what a user must do before it can be claimed; NULL: nothing */
};

MUST_USE enum rc agents_status_parse(struct str word, enum agents_status *ret,
                                     struct err *reterr);

/* From an open run, or the last attempt of one that failed; the caller adds schedule, name and
   zone. */
struct agents_item agents_item_of(const struct run *run);
struct agents_item agents_item_failed(const struct history_row *row);

/* The number of the day in the zone. */
int64_t agents_day(const struct tz *zone, instant t);

/* The caller owns the result. */
json_t *agents_item_json(const struct agents_item *item);
