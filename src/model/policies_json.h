/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts between policies and the "policies" object of the native JSON.
 *
 * Checks single fields and rules between fields.  Two fields, which few schedules use, are
 * printed only if set: "lastResult" (the next run receives the last result and failure) and
 * "idleClose" (the schedule closes after this time with nothing left to do).
 */
#pragma once

#include "core/policy/policies.h"
#include "model/member.h"

enum {
    RETRY_ATTEMPTS_MAX = 1000,       /* more would hide a permanent failure */
    REMAINING_RUNS_MAX = 1000000000, /* a run per second for thirty years */
    RETENTION_COUNT_MAX = 1000000,   /* stored attempts of one schedule */
};

#define RETRY_WAIT_MAX   (366 * SPAN_DAY)   /* by then even a yearly schedule has a new slot */
#define ATTEMPT_TIME_MIN (100 * SPAN_MS)    /* a normal network delay can be as long */
#define RUN_TIME_MAX     (366 * SPAN_DAY)   /* of an attempt and of a run */
#define LEASE_MIN        SPAN_S             /* a shorter one expires during a network pause */
#define LEASE_MAX        SPAN_DAY           /* a dead worker is noticed within a day */
#define HEARTBEAT_MIN    (100 * SPAN_MS)    /* bounds the load of thousands of runs */
#define LATE_MAX         (36525 * SPAN_DAY) /* a hundred years: how late a start may be */
#define RETENTION_MAX    (36525 * SPAN_DAY) /* a hundred years */

/*
 * Starts from *initial, policies_default() for the native API; *ret may be the same object.
 * The gate's key is in `arena`.
 */
MUST_USE enum rc policies_from_json(const json_t *json, const struct policies *initial,
                                    struct arena *arena, bool is_lenient, struct policies *ret,
                                    struct err *reterr);

/* The caller owns the result.  Brief: only differences from policies_default(). */
json_t *policies_to_json(const struct policies *policies, enum spec_form form);

/* The brief form as text. */
struct str policies_keep(const struct policies *policies, struct arena *arena);
