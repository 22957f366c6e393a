/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server that is soaked: started on its own database, given its schedules, watched from
 * outside, stopped, and counted.
 */
#pragma once

#include "soak.h"

/* The kernel's view of it at one moment. */
struct subject_state {
    int64_t rss, anonymous; /* bytes of memory, and the part without file pages */
    int64_t file, wal;      /* bytes of the database and of its WAL */
    int descriptors, threads;
    int64_t cpu_us;
};

/* The counts of its database after its end. */
struct subject_count {
    int64_t started, skipped, missed, other; /* slots */
    int64_t succeeded, failed, open;         /* runs */
    int64_t history;                         /* rows of it */
};

/* The server is ready, and its port known, when this returns. */
void subject_start(struct soak *soak);

/* `rate` schedules, one slot a second each, spread evenly over the second. */
void subject_fill(struct soak *soak);

struct subject_state subject_state(const struct soak *soak);

/* Sends SIGTERM and returns its exit status; ends this process if it does not stop. */
int subject_stop(void);
void subject_kill(void); /* if it runs; may be called at any time */

struct subject_count subject_count(const struct soak *soak);
