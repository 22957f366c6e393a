/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this process takes from the kernel: memory, time, files.
 */
#pragma once

#include <stdint.h>

#include "base/instant.h"

struct process_usage {
    int64_t resident, virtual_bytes; /* bytes                     */
    span cpu;                        /* of all its threads        */
    int64_t files, files_max;        /* open, and that may be     */
    int64_t threads;
};

/* What cannot be learnt is 0. */
struct process_usage process_usage(void);
