/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One world: a database, one or two servers that are killed many times, and the actors that use
 * them.  At the end the servers run until all runs have ended, and the world is judged.
 */
#pragma once

#include "base/err.h"
#include "verdict.h"
#include "victim.h"

struct world_options {
    const char *program;      /* belfry-victim */
    const char *postgres_url; /* of an empty database; NULL: SQLite */
    uint64_t seed;
    int cycles;
    int nodes;
    bool keeps_dir;
    bool is_slow; /* calls take seconds, and kills are 0.2 s to 5 s apart */
};

/* Counts of one world or of many. */
struct world_counts {
    int cycles;
    int at_point[VICTIM_POINTS]; /* deaths at each point */
    int at_random, at_start;     /* at a random instant; before it was ready */
    int at_end;                  /* after SIGTERM, while it was ending */
    int workers;                 /* that were killed */
    struct verdict_counts judged;
};

/* Judges a kept SQLite world again.  Adds to *counts. */
MUST_USE enum rc world_judge(const char *dir, struct world_counts *counts, struct err *reterr);

/* Adds to *counts.  RC_OK if nothing was lost or doubled; otherwise the text says what was. */
MUST_USE enum rc world_run(const struct world_options *options, struct world_counts *counts,
                           struct err *reterr);
