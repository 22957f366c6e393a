/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the daemon counts since its start.
 *
 * Each number is written by one thread, the writer or io, and read by io: no lock, and no
 * order between them but that each grows.  Nothing is counted before it is committed.
 */
#pragma once

#include <stdatomic.h>

#include "api/call/answer.h"
#include "api/call/context.h"
#include "api/call/prometheus.h"
#include "core/outcome.h"
#include "core/plan.h"
#include "engine/turn.h"
#include "store/audit.h"

enum {
    METER_OPERATIONS_MAX = 256, /* rows of the table of operations, and one for none of them */
    METER_CLASSES = 6,          /* of statuses, by their first digit                         */
    METER_OUTCOMES = OUTCOME_UNKNOWN + 1,
    METER_REASONS = REASON_OTHER + 1,
    METER_DENIALS = 8, /* results of the audit */
};
#define METER_LATE_FROM SPAN_S          /* a run that begins later is late enough to be named */
#define METER_LATE_AGE  (10 * SPAN_MIN) /* for so long                                        */

typedef _Atomic int64_t meter;

struct meter_histogram {
    meter counts[PROMETHEUS_BOUNDS + 1];
    meter sum;
};

/* A schedule that was late; whoever reads it looks twice at its key. */
struct meter_late {
    meter schedule, late, at;
};

struct counters {
    /* The writer's. */
    struct meter_histogram lateness, wait, turn, commit, duration[LANE_COUNT];
    meter started[RUN_KINDS];
    meter slots[METER_OUTCOMES][METER_REASONS];
    meter runs[LANE_COUNT][METER_OUTCOMES], attempts[LANE_COUNT][METER_OUTCOMES];
    meter retries, late, leases, zombies, stale, reconnects;
    meter polls;
    struct meter_late latest[CONTEXT_LATEST_MAX];
    /* io's. */
    meter requests[METER_OPERATIONS_MAX][METER_CLASSES];
    meter denied[METER_DENIALS];
    meter limited;
};

static inline int64_t meter_read(const meter *m)
{
    return atomic_load_explicit(m, memory_order_relaxed);
}

static inline void meter_set(meter *m, int64_t n)
{
    atomic_store_explicit(m, n, memory_order_relaxed);
}

static inline void meter_add(meter *m, int64_t n)
{
    meter_set(m, meter_read(m) + n);
}

/* What a turn has done, which took so long. */
struct meter_turn {
    const struct turn_out *out;
    instant now;
    span took, commit;
    int64_t polls; /* that wait */
};
void counters_turn(struct counters *counters, const struct meter_turn *turn);

struct call;
/* A call that was answered with this status. */
void counters_request(struct counters *counters, const struct call *call, int status);

/* counters_print.c */
void counters_print(const struct counters *counters, struct answer *out);
void counters_latest(const struct counters *counters, instant now,
                     struct context_latest ret[static CONTEXT_LATEST_MAX]);
