/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A place of a worker: one run, its program, and what is to be told of it.  For its own files.
 */
#pragma once

#include "cli/worker/report_batch.h"
#include "cli/worker/worker_lines.h"
#include "cli/worker/worker_wire.h"
#include "io/process/exec.h"

enum {
    WORKER_LOG_SOON = 64 << 10,   /* so many are sent at once                           */
    WORKER_OUTPUT_MAX = 16 << 20, /* bytes of output that are looked at                 */
    WORKER_MESSAGE_MAX = 1024,    /* bytes of an error's message                        */
};

#define WORKER_LOG_DELAY SPAN_S /* of a line, for others to go with it */
#define WORKER_BEAT_MIN  (100 * SPAN_MS)
#define WORKER_BEAT_MAX  (30 * SPAN_S)
#define WORKER_KEEP      SPAN_H /* a report waits for a server that is away, after its lease */

enum worker_run_state { WORKER_RUN_FREE, WORKER_RUN_RUNNING, WORKER_RUN_REPORTING };

enum worker_run_stop { STOP_NONE, STOP_CANCELLED, STOP_DRAINED, STOP_STALE };

struct worker_run {
    struct worker *worker;
    enum worker_run_state state;
    enum worker_run_stop stop; /* why the program was told to end            */
    bool in_request;           /* the lane that is under way has it          */
    bool is_alone;             /* to be sent alone: its batch was refused    */
    char id[WIRE_ID_MAX + 1];
    int64_t fence;
    struct exec_run *run;
    int exit_status; /* as a shell shows it                        */
    span beat_every;
    int64_t beat_at, log_at, keep_until; /* clock_boot_us()               */

    struct text out; /* the beginning of standard output           */
    bool is_out_cut;
    char last_line[256]; /* of standard error                          */
    struct lines log;

    enum report_kind batch; /* WORKER_RUN_REPORTING                            */
    struct text report;     /* members of the item, a comma before each   */
    int report_values;
};

/* Starts the program; `run` is its input, `lease` how long the run is ours. */
void worker_run_start(struct worker_run *job, const struct grant *grant, struct str run,
                      span lease);
void worker_run_stop(struct worker_run *job, enum worker_run_stop why);
void worker_run_kill(struct worker_run *job);

/* The server does not take what the place has to report. */
void worker_run_refused(struct worker_run *job, struct str why);

/* Nothing more is to be told of its run. */
void worker_run_free(struct worker_run *job);
