/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two nodes that run at the same time, as two processes on one PostgreSQL.
 *
 * The processes stay in step: after every step of the clock each waits for the other; within a
 * step they run freely.  The parent collects and compares the calls of both.
 */
#pragma once

#include "harness.h"

#define STEP (250 * SPAN_MS)

/* A run that was handed to a process. */
struct handed {
    int64_t schedule, fence, attempt;
    instant slot, at, ended_at; /* INSTANT_NEVER: not ended */
};

struct gathered {
    struct handed list[CALLS_MAX];
    int count, per_process[2]; /* in total, and of each process */
};
extern struct gathered gathered;

/* What each process does. */
struct processes {
    int polls; /* runs that workers at each node poll for in every sixth step; 0: no polls */
    bool polls_wait; /* until they are answered; else for one step */
    int steps;
    void (*before)(void); /* called first in each process; may be NULL */
};

/* Runs the two processes; then the parent continues at the time at which they ended. */
void processes_run(const struct processes *processes);

/* The highest number of calls that were open at the end of a step, for the first steps. */
int most_open(int steps);
