/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job of a worker: one run, its program, and its report.  For the worker's files.
 */
#pragma once

#include "cli/worker/report_batch.h"
#include "cli/worker/worker_lines.h"
#include "cli/worker/worker_wire.h"
#include "io/process/exec.h"

enum {
    WORKER_LOG_SOON = 64 << 10,   /* log lines of this cost are sent without delay */
    WORKER_OUTPUT_MAX = 16 << 20, /* bytes of output that are read                 */
    WORKER_MESSAGE_MAX = 1024,    /* bytes of an error message                     */
};

#define WORKER_LOG_DELAY SPAN_S /* log lines wait this long for more lines */
#define WORKER_BEAT_MIN  (100 * SPAN_MS)
#define WORKER_BEAT_MAX  (30 * SPAN_S)
#define WORKER_KEEP      SPAN_H /* how long after its lease a report waits for the server */

enum worker_run_state { WORKER_RUN_FREE, WORKER_RUN_RUNNING, WORKER_RUN_REPORTING };

enum stop_reason { STOP_NONE, STOP_CANCELLED, STOP_DRAINED, STOP_STALE };

struct worker_run {
    struct worker *worker;
    enum worker_run_state state;
    enum stop_reason stop; /* why the program was stopped                   */
    bool in_request;       /* it is in a request in progress                */
    bool is_alone;         /* send it alone, since its batch was refused    */
    char id[WIRE_ID_MAX + 1];
    int64_t fence;
    struct exec_run *run;
    int exit_status; /* as a shell reports it */
    span beat_every;
    int64_t beat_at, log_at, keep_until; /* clock_boot_us()               */

    struct text out; /* the beginning of standard output */
    bool is_out_cut;
    char last_line[256]; /* of standard error */
    struct lines log;

    enum report_kind batch; /* in WORKER_RUN_REPORTING: the batch that sends it */
    struct text report;     /* members of the item, each with a comma before it */
    int report_values;
};

/* Starts the program; `run` is its input, `lease` the time until the lease expires. */
void worker_run_start(struct worker_run *job, const struct grant *grant, struct str run,
                      span lease);
void worker_run_stop(struct worker_run *job, enum stop_reason why);
void worker_run_kill(struct worker_run *job);

/* The server refused the report. */
void worker_run_refused(struct worker_run *job, struct str why);

/* Frees the job: nothing more will be reported. */
void worker_run_free(struct worker_run *job);
