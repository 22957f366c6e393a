/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the owner of a schedule decides beside when and what.  Plain data with its defaults.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/instant.h"
#include "base/str.h"
#include "core/policy/overlap.h"
#include "core/policy/retry.h"

enum {
    PRIORITY_MIN = 1,
    PRIORITY_MAX = 10,
    PRIORITY_DEFAULT = 5,
    BUFFER_LIMIT_DEFAULT = 1000, /* waiting starts of one schedule                        */
    BUFFER_LIMIT_MAX = 10000,    /* all of them are read when one of them may start       */
    BUFFER_RESERVE = 50,         /* places that backfills leave to automatic starts       */
    BUFFER_FREE = 10,            /* so many that wait take nothing from a backfill       */
    GATE_LIMIT_MAX = 1000000,
    QUEUE_LIMIT_MAX = 1000000, /* what is out is counted: beyond it a limit helps nobody  */
    LOSSES_MAX = 3,            /* nodes that one run may outlive; then it is the run's doing */
};

#define CATCHUP_WINDOW_NONE (-1)          /* however late                                  */
#define CATCHUP_GRACE       (30 * SPAN_S) /* mode none: later than this is not on time      */
#define EDIT_GRACE          SPAN_S        /* a slot this young is not overdue when edited   */

enum catchup { CATCHUP_ALL, CATCHUP_LATEST, CATCHUP_OLDEST, CATCHUP_NONE, CATCHUP_COUNT };

struct policies {
    enum overlap overlap;
    enum catchup catchup;
    int32_t buffer_limit;   /* 0: no limit                                                  */
    span catchup_window;    /* CATCHUP_WINDOW_NONE, or how late a slot may still start      */
    bool catchup_paused;    /* slots of a pause count as late ones, not as missed           */
    bool drop_when_full;    /* else slots wait until there is room                          */
    bool pause_on_failure;  /*                                                              */
    bool approval;          /* someone must approve each run                                */
    bool at_most_once;      /* what may have been sent is never sent again                  */
    bool wants_last;        /* the next run is given the last result and failure            */
    int32_t priority;       /* PRIORITY_MIN .. PRIORITY_MAX, higher first                   */
    int64_t remaining_runs; /* automatic starts; -1: no limit                               */
    span start_within;      /* of due; 0: whenever                                          */
    struct retry_policy retry;
    span timeout;      /* of an attempt; 0: none                                       */
    span max_run_time; /* from the first attempt's start; 0: none                      */
    span lease, heartbeat, grace;
    struct str gate; /* concurrency key; len 0: none                                 */
    int32_t gate_limit;
    span lateness_budget;    /* 0: none; what has not begun by then is an event              */
    span retention_age;      /* 0: for ever                                                  */
    int32_t retention_count; /* 0: no limit; between this many and twice are kept           */
    span idle_close;         /* 0: never; with nothing left to do it closes after so long    */
};

/* The defaults of the native API. */
struct policies policies_default(void);

const char *catchup_text(enum catchup mode);
MUST_USE enum rc catchup_parse(struct str text, enum catchup *ret, struct err *reterr);
