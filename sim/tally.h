/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is asked of a simulation and what it adds up to.  Plain data.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/record.h"

/* Of all worlds that were simulated. */
struct tally {
    int64_t seeds, turns, fires;
    span lived; /* of all schedules together */
    int64_t faults[FAULT_COUNT];
    int64_t doctored; /* records from which a row was taken */
    uint64_t digest;
};

struct world_options {
    bool is_verbose;
    bool is_canary; /* takes a row from the record before it is judged: the judge must see it */
};
