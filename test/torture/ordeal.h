/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One world: a database, one or two servers on it, the actors around them, and many deaths;
 * then healing, rest, and the verdict.
 */
#pragma once

#include "base/err.h"
#include "verdict.h"
#include "victim.h"

struct ordeal {
    const char *program; /* belfry-victim */
    const char *server;  /* URL of an empty PostgreSQL; NULL: SQLite */
    uint64_t seed;
    int cycles;
    int nodes;
    bool keeps; /* keeps the directory */
};

/* Counts of one world or of many. */
struct ordeal_counts {
    int cycles;
    int at_point[VICTIM_POINTS]; /* deaths at each point */
    int at_random, at_start;     /* at a random instant; before it was ready */
    int at_end;                  /* after SIGTERM, while it was ending */
    int workers;                 /* that were killed */
    struct verdict_counts judged;
};

/* Judges a kept SQLite world again.  Adds to *counts. */
MUST_USE enum rc ordeal_judge(const char *dir, struct ordeal_counts *counts,
                              struct err *reterr);

/* Adds to *counts.  RC_OK if the promise was kept; otherwise the text says what was not. */
MUST_USE enum rc ordeal_run(const struct ordeal *ordeal, struct ordeal_counts *counts,
                            struct err *reterr);
