/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters and totals of a simulation.  Plain data. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/record.h"

/* Of all simulated worlds. */
struct tally {
    int64_t seeds, turns, fires;
    span lived; /* of all schedules together */
    int64_t faults[FAULT_COUNT];
    int64_t doctored; /* records from which the canary removed a row, or that were mutated */
    uint64_t digest;
};

struct world_options {
    bool is_verbose;
    /* removes a row from the record before it is judged: the judge must notice */
    bool is_canary;
    bool is_outage; /* no faults, but one outage, which is forecast: sim/outage.h */
    int mutations;  /* of each record, one at a time: the judge must notice each */
};
