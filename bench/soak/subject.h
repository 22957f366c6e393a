/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The daemon that is soaked: started on a database of its own, given its schedules, watched
 * from outside, stopped, and counted.
 */
#pragma once

#include "soak.h"

/* What the kernel says of it at one moment. */
struct subject_state {
    int64_t rss, anonymous; /* bytes of memory, and what of it is no file     */
    int64_t file, log;      /* bytes of the database and of SQLite's log      */
    int descriptors, threads;
    int64_t cpu_us;
};

/* What its database says when it has ended. */
struct subject_count {
    int64_t started, skipped, missed, other; /* slots       */
    int64_t succeeded, failed, open;         /* runs        */
    int64_t history;                         /* rows of it  */
};

/* Ready, and its port known, when it returns. */
void subject_start(struct soak *soak);

/* `rate` schedules, one slot a second each, spread evenly over the second. */
void subject_fill(struct soak *soak);

struct subject_state subject_state(const struct soak *soak);

/* SIGTERM and its exit status; dies when it does not end. */
int subject_stop(void);
void subject_kill(void); /* if it runs; may be called at any time */

struct subject_count subject_count(const struct soak *soak);
