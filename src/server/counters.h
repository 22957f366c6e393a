/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The metrics that the server counts since its start.
 *
 * Each number has one writing thread, the writer or io; the io thread reads all of them.
 * Except in struct counter_late, the memory order is relaxed: a reader may see one number of a
 * turn before another.  Nothing of a turn is counted before the turn is committed.
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
    COUNTER_OPERATIONS_MAX = 256, /* operations, unknown and forwarded requests */
    COUNTER_TEMPORAL = 1,         /* after the unknown ones: forwarded to Temporal */
    COUNTER_CONDUCTOR = 2,        /* and to Conductor */
    COUNTER_CLASSES = 6,          /* status classes, by first digit           */
    COUNTER_OUTCOMES = OUTCOME_UNKNOWN + 1,
    COUNTER_REASONS = REASON_LAST + 1,
    COUNTER_DENIALS = 8, /* results of the audit log */
};
#define COUNTER_LATE_FROM SPAN_S          /* minimum lateness to name a schedule */
#define COUNTER_LATE_AGE  (10 * SPAN_MIN) /* for how long it is named            */

typedef _Atomic int64_t counter;

struct counter_histogram {
    counter counts[PROMETHEUS_BOUNDS + 1];
    counter sum;
};

/* A late schedule.  Readers compare `schedule` before and after reading the rest. */
struct counter_late {
    counter schedule, late, noted_at;
};

struct counters {
    /* Written by the writer. */
    struct counter_histogram lateness, wait, turn, commit, duration[LANE_COUNT];
    counter started[RUN_KINDS];
    counter slots[COUNTER_OUTCOMES][COUNTER_REASONS];
    counter runs[LANE_COUNT][COUNTER_OUTCOMES], attempts[LANE_COUNT][COUNTER_OUTCOMES];
    counter retries, late, quarantines, expiries, stale_reports, reconnects, polls;
    counter taken_back; /* runs of dead nodes */
    struct counter_late latest[CONTEXT_LATEST_MAX];
    /* Written by the io thread. */
    counter requests[COUNTER_OPERATIONS_MAX][COUNTER_CLASSES];
    counter denied[COUNTER_DENIALS];
    counter limited;
};

static inline int64_t counter_read(const counter *m)
{
    return atomic_load_explicit(m, memory_order_relaxed);
}

static inline void counter_set(counter *m, int64_t n)
{
    atomic_store_explicit(m, n, memory_order_relaxed);
}

static inline void counter_add(counter *m, int64_t n)
{
    counter_set(m, counter_read(m) + n);
}

/* The result of a turn and its duration. */
struct counter_turn {
    const struct turn_out *out;
    instant now;
    span took, commit;
    int64_t polls; /* workers that wait for runs */
};
void counters_turn(struct counters *counters, const struct counter_turn *turn);

struct call;
struct operation;
/* Counts a call that was answered with this status. */
void counters_request(struct counters *counters, const struct call *call, int status);

/* Counts a request that an upstream answered. */
void counters_forwarded(struct counters *counters, const struct operation *operation,
                        int status);

/* counters_print.c */
void counters_print(const struct counters *counters, struct answer *out);
void counters_latest(const struct counters *counters, instant now,
                     struct context_latest ret[static CONTEXT_LATEST_MAX]);
