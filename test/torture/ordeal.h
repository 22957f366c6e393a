/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One world: a database, one daemon or two on it, those around them, and so many deaths; then
 * healing, rest, and the verdict.
 */
#pragma once

#include "base/err.h"
#include "verdict.h"
#include "victim.h"

struct ordeal {
    const char *program; /* belfry-victim                                  */
    const char *server;  /* URL of an empty PostgreSQL; NULL: SQLite       */
    uint64_t seed;
    int cycles;
    int nodes;
    bool keeps; /* leaves the directory there                              */
};

/* What happened, of one world or of many. */
struct ordeal_counts {
    int cycles;
    int at_point[VICTIM_POINTS]; /* deaths at each point                    */
    int at_random, at_start;     /* at a random instant; before it was ready */
    int at_end;                  /* after SIGTERM, while it came to an end   */
    int workers;                 /* that were killed                         */
    struct verdict_counts judged;
};

/* A world of SQLite that was left there is judged once more.  Adds to *counts. */
MUST_USE enum rc ordeal_judge(const char *dir, struct ordeal_counts *counts,
                              struct err *reterr);

/* Adds to *counts.  RC_OK when the promise was kept; else the text says what was not. */
MUST_USE enum rc ordeal_run(const struct ordeal *ordeal, struct ordeal_counts *counts,
                            struct err *reterr);
