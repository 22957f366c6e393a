/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The policies of a schedule: all settings except when and what it runs.  Plain data, with
 * the defaults.
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
    BUFFER_LIMIT_DEFAULT = 1000, /* waiting starts of one schedule                       */
    BUFFER_LIMIT_MAX = 10000,    /* the engine reads all of them when one may start      */
    BUFFER_RESERVE = 50,         /* places that backfills leave to automatic starts      */
    BUFFER_FREE = 10,            /* waiting starts that do not reduce a backfill's batch */
    GATE_LIMIT_MAX = 1000000,
    QUEUE_LIMIT_MAX = 1000000, /* claimed runs are counted; a higher limit has no use      */
    BLAMES_MAX = 3,            /* losses for which a run is to blame; then it ends         */
};

#define CATCHUP_WINDOW_NONE (-1)          /* no limit                                    */
#define CATCHUP_GRACE       (30 * SPAN_S) /* mode none: a slot later than this is missed */
#define EDIT_GRACE          SPAN_S        /* a slot this late is not overdue at an edit  */

enum catchup { CATCHUP_ALL, CATCHUP_LATEST, CATCHUP_OLDEST, CATCHUP_NONE, CATCHUP_COUNT };

struct policies {
    enum overlap overlap;
    enum catchup catchup;
    int32_t buffer_limit;   /* 0: no limit                                             */
    span catchup_window;    /* CATCHUP_WINDOW_NONE, or how late a slot may still start */
    bool catchup_paused;    /* slots of a pause are caught up, not missed              */
    bool drop_when_full;    /* otherwise slots wait until there is room                */
    bool expires_at_start;  /* the window counts when a waiting start's turn comes     */
    bool pause_on_failure;  /* a failed run pauses the schedule                        */
    bool approval;          /* a user must approve each run                            */
    bool at_most_once;      /* a run that may have been sent is never sent again       */
    bool wants_last;        /* each run gets the last result and failure               */
    int32_t priority;       /* PRIORITY_MIN .. PRIORITY_MAX, higher first              */
    int64_t remaining_runs; /* automatic starts; -1: no limit                          */
    span start_within;      /* after the due time; 0: no limit                         */
    struct retry_policy retry;
    span timeout;      /* of an attempt; 0: none                  */
    span max_run_time; /* from the first attempt's start; 0: none */
    span lease;        /* how long a claim lasts; each heartbeat extends it */
    span heartbeat;    /* how often a worker should send one */
    span grace;        /* after the lease, before the attempt counts as lost */
    struct str gate;   /* concurrency key; len 0: none */
    int32_t gate_limit;
    bool gate_until_started; /* a run leaves its gate when the upstream has its workflow     */
    span lateness_budget;    /* a run that begins later than this is an event; 0: none       */
    span retention_age;      /* 0: unlimited                                                 */
    int32_t retention_count; /* ended runs to keep; twice as many may remain; 0: no limit    */
    span idle_close;         /* a schedule with nothing left to do closes after it; 0: never */
};

/* The defaults of the native API. */
struct policies policies_default(void);

/* How many more slots may wait, at most `most`; that is the answer where slots never wait. */
int64_t policies_buffer_room(const struct policies *policies, int64_t waiting, int64_t most);

/* True if a start that was due then must not begin at `now`: the catch-up window is over. */
bool policies_is_too_late(const struct policies *policies, instant due, instant now);

const char *catchup_text(enum catchup mode);
MUST_USE enum rc catchup_parse(struct str text, enum catchup *ret, struct err *reterr);
