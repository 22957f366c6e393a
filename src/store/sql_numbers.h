/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Enumerators and constants as SQL literals.
 *
 * Statements contain them as literals, not as parameters: only then can the databases use
 * partial indexes.
 */
#pragma once

#include <assert.h>

#include "base/instant.h"
#include "core/outcome.h"
#include "core/plan.h"
#include "core/run.h"
#include "store/exceptions_backfills.h"
#include "store/key.h"
#include "store/logs.h"
#include "store/nodes.h"

#define SQL_RUN_HELD     "1"
#define SQL_RUN_APPROVAL "2"
#define SQL_RUN_READY    "3"
#define SQL_RUN_GATED    "4"
#define SQL_RUN_LEASED   "5"
#define SQL_RUN_RUNNING  "6"
#define SQL_RUN_CLAIMED  SQL_RUN_LEASED ", " SQL_RUN_RUNNING
static_assert(RUN_HELD == 1 && RUN_APPROVAL == 2 && RUN_READY == 3 && RUN_GATED == 4,
              "SQL_RUN_*");
static_assert(RUN_LEASED == 5 && RUN_RUNNING == 6, "SQL_RUN_*");

#define SQL_RUN_DIRECT "3"
#define SQL_RUN_TEST   "4"
static_assert(RUN_DIRECT == 3 && RUN_TEST == 4, "SQL_RUN_*");

#define SQL_BACKFILL_ENDED "2"
static_assert(BACKFILL_ENDED == 2, "SQL_BACKFILL_ENDED");

#define SQL_LANE_PULL "0"
static_assert(LANE_PULL == 0, "SQL_LANE_PULL");

#define SQL_NODE_UP   "1"
#define SQL_NODE_DOWN "2"
#define SQL_NODE_LOST "3"
static_assert(NODE_UP == 1 && NODE_DOWN == 2 && NODE_LOST == 3, "SQL_NODE_*");

#define SQL_OUTCOME_MISSED    "3"
#define SQL_OUTCOME_SUCCEEDED "10"
#define SQL_OUTCOME_FAILED    "11"
#define SQL_OUTCOME_TIMED_OUT "12"
#define SQL_OUTCOME_UNKNOWN   "15"
static_assert(OUTCOME_SUCCEEDED == 10 && OUTCOME_FAILED == 11, "SQL_OUTCOME_*");
static_assert(OUTCOME_MISSED == 3, "SQL_OUTCOME_MISSED");
#define SQL_REASON_NOT_STARTED "28"
/* Missed, but not because a user paused or edited the schedule. */
#define SQL_REASONS_MISSED "2, 3, 6"
static_assert(REASON_WINDOW == 2 && REASON_COALESCED == 3 && REASON_CLOCK == 6,
              "SQL_REASONS_MISSED");
static_assert(REASON_NOT_STARTED == 28, "SQL_REASON_NOT_STARTED");
static_assert(OUTCOME_TIMED_OUT == 12 && OUTCOME_UNKNOWN == 15, "SQL_OUTCOME_*");

/* The assertion is next to enum dialects, which the store does not include. */
#define SQL_DIALECTS_AGENTS "1"

#define SQL_INSTANT_NEVER "9223372036854775807"
#define SQL_SPAN_DAY      "86400000000"
#define SQL_LOG_RUN_MAX   "1048576"
static_assert(INSTANT_NEVER == 9223372036854775807, "SQL_INSTANT_NEVER");
static_assert(SPAN_DAY == 86400000000, "SQL_SPAN_DAY");
static_assert(LOG_RUN_MAX == 1048576, "SQL_LOG_RUN_MAX");

/* key_node(), and the kind of a run in column `bits` of runs and history. */
#define SQL_KEY_NODE(key)  "((" key " >> 12) & 1023)"
#define SQL_RUN_KIND(bits) "(" bits " & 255)"
static_assert(KEY_COUNT_BITS == 12 && KEY_NODE_BITS == 10, "SQL_KEY_NODE");
