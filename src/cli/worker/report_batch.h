/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ways on which a worker tells its server of runs, in batches.  For its own files.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "io/loop.h"

enum {
    WORKER_BATCH_BYTES = 900 << 10,   /* of a request; a server takes 1 MiB                 */
    WORKER_BATCH_VALUES = 100 * 1000, /* of JSON in it; a server takes 131,072              */
};

struct worker;

/* The requests of a batch; each kind goes its own way. */
enum report_kind { REPORT_BEAT, REPORT_COMPLETE, REPORT_FAIL, REPORT_RELEASE, REPORT_KINDS };

struct report_batch {
    struct worker *worker;
    enum report_kind kind;
    struct loop_timer *timer;
    bool is_under_way;
    int tries;          /* that failed, one after the other          */
    int64_t not_before; /* clock_boot_us()                           */
    int32_t *sent;      /* places of the request that is under way   */
    int sent_count;
};

/* When there is something to send, it will be, as soon as may be. */
void report_batch_kick(struct report_batch *batch);

/* The lane's timer. */
void report_batch_on_time(void *batch);
