/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An execution that is to be, as the agents' API shows it: a planned slot or an open run.
 *
 * Pure.  Its id is that of the run, which a planned slot has before it exists.
 */
#pragma once

#include "api/agents/agents_doc.h"
#include "core/run_id.h"
#include "core/time/tz.h"
#include "store/views.h"

enum agents_status {
    AGENTS_READY,
    AGENTS_PENDING, /* claimed, no sign of life yet */
    AGENTS_RUNNING,
    AGENTS_SKIPPED,
    AGENTS_CANCELLED,
    AGENTS_RETRYABLE,
    AGENTS_STATUS_COUNT
};

struct agents_item {
    struct run_id run;
    const struct agents_schedule *schedule;
    struct str name;       /* of the schedule; empty: it has none                     */
    const struct tz *zone; /* whose days and hours count                              */
    bool is_immediate;
    instant at; /* when it is to begin; a retry is later than its slot       */
    enum agents_status status;
    int32_t attempt;  /* attempts that have failed                               */
    int32_t priority; /* 0: its schedule's                                        */
    struct str owner;
};

MUST_USE enum rc agents_status_parse(struct str word, enum agents_status *ret,
                                     struct err *reterr);

/* An open run; schedule, name and zone are the caller's to add. */
struct agents_item agents_item_of(const struct run *run);

/* The day of the zone, as a number. */
int64_t agents_day(const struct tz *zone, instant t);

/* The caller owns the result. */
json_t *agents_item_json(const struct agents_item *item);
