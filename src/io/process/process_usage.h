/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel resources of this process: memory, time, files. */
#pragma once

#include <stdint.h>

#include "base/instant.h"

struct process_usage {
    int64_t resident, virtual_bytes; /* bytes */
    span cpu;                        /* of all its threads */
    int64_t files, files_max;        /* open, and the limit */
    int64_t threads;
};

/* Values that cannot be read are 0. */
struct process_usage process_usage(void);
