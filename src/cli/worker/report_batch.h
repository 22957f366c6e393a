/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches of heartbeats and reports that a worker sends to its server.  For the worker's files.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "io/loop.h"

enum {
    WORKER_BATCH_BYTES = 900 << 10,   /* of a request; the server's limit is 1 MiB        */
    WORKER_BATCH_VALUES = 100 * 1000, /* JSON values in it; the server's limit is 131,072 */
};

struct worker;

/* There is one batch, and at most one request in progress, for each kind. */
enum report_kind { REPORT_BEAT, REPORT_COMPLETE, REPORT_FAIL, REPORT_RELEASE, REPORT_KINDS };

struct report_batch {
    struct worker *worker;
    enum report_kind kind;
    struct loop_timer *timer;
    bool in_progress;
    int tries;          /* consecutive failed requests                */
    int64_t not_before; /* clock_boot_us()                            */
    int32_t *sent;      /* indices of the runs in the current request */
    int sent_count;
};

/* Sets the timer for the next request if there is something to send. */
void report_batch_set_timer(struct report_batch *batch);

/* The batch's timer: sends the request. */
void report_batch_on_timer(void *batch);
