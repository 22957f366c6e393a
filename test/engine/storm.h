/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two nodes at the same time, as two processes on one PostgreSQL.
 *
 * The processes keep in step: each waits for the other after every step of the clock, and
 * inside a step they do as they please.  What they were handed is gathered and compared.
 */
#pragma once

#include "harness.h"

#define STEP (250 * SPAN_MS)

/* A run that a process was handed. */
struct handed {
    int64_t schedule, fence, attempt;
    instant slot, at, ended_at; /* INSTANT_NEVER: not ended */
};

struct gathered {
    struct handed list[CALLS_MAX];
    int count, of[2]; /* of each process */
};
extern struct gathered gathered;

/* What a process does in the steps of a storm. */
struct storm {
    int polls;    /* runs that workers at each node ask for, now and then; 0: it calls itself */
    bool patient; /* polls wait until they are answered; else for one step */
    int steps;
    void (*before)(void); /* in each process, first; NULL */
};

/* Two processes at once; then the parent stands where they ended. */
void rage(const struct storm *storm);

/* The most that were open when one of so many steps was over. */
int most_open(int steps);
