/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of `belfry worker`; not for others.
 *
 * A worker has a fixed array of struct worker_run, `jobs`, one for each run that it can hold.
 * worker_claim.c claims runs, worker_run.c starts and watches their programs, and
 * report_batch.c sends heartbeats and reports in batches.  A job is free again when the server
 * has accepted the report of its run, or when the run has another owner.  So the number of jobs
 * limits the data that waits for the server.
 */
#pragma once

#include "base/log.h"
#include "base/prng.h"
#include "cli/frame/args.h"
#include "cli/remote/client.h"
#include "cli/remote/credentials.h"
#include "cli/worker/report_batch.h"
#include "cli/worker/worker_run.h"
#include "io/log_out.h"
#include "io/loop.h"
#include "io/process/exec.h"
#include "model/fields.h"

enum {
    WORKER_JOBS_MAX = 1000, /* the server's limit for one claim              */
    WORKER_QUEUES_MAX = 16, /* likewise                                      */
    WORKER_NAME_MAX = 1000, /* bytes of the worker's name, and of a queue's  */
    WORKER_VARS = 8,        /* variables that describe the run to a program  */
    WORKER_FILES_EACH = 5,  /* descriptors of a program                      */
    WORKER_FILES_OWN = 48,  /* descriptors of the worker                     */
    WORKER_CALLS = 8,       /* one claim, one for each batch, and a reserve  */
};

#define WORKER_WAIT        (30 * SPAN_S) /* long poll of a claim */
#define WORKER_RETRY_MIN   (200 * SPAN_MS)
#define WORKER_RETRY_MAX   (5 * SPAN_S)
#define WORKER_REPORT_TIME (10 * SPAN_S) /* for the last reports, before the worker exits */
#define WORKER_SKEW        (2 * SPAN_S)  /* a Date header may be wrong by this much       */

struct worker_options {
    const char *queues[WORKER_QUEUES_MAX];
    int queue_count;
    int jobs;
    const char *server, *namespace, *ca_file;
    char token[TOKEN_MAX];
    char name[WORKER_NAME_MAX + 1];
    span drain, kill_after;
    field_set fields; /* requested fields of a run */
    bool is_once, is_quiet;
    char **program;
};

enum phase {
    PHASE_WORKING,
    PHASE_DRAINING, /* claims no runs, waits for the programs        */
    PHASE_STOPPING, /* the programs got SIGTERM                      */
    PHASE_KILLING,  /* the programs got SIGKILL                      */
    PHASE_LEAVING,  /* closing; answers and reports are ignored      */
};

struct worker {
    struct worker_options options;
    struct loop *loop;
    struct client *client;
    struct exec_pool *programs;
    struct log log;
    struct log_out *log_out;
    struct prng prng;
    struct worker_run *jobs;
    int busy; /* jobs that are not free */
    struct report_batch batches[REPORT_KINDS];
    enum phase phase;
    struct loop_timer *phase_timer;
    int parts_open; /* how many of client and programs are not closed */
    int status;
    bool is_server_lost; /* the server is unavailable, and this was logged */

    struct loop_timer *claim_timer;
    int64_t claim; /* number of the call; 0: none */
    int64_t claimed_at, claim_not_before;
    int claim_tries;

    struct str *argv;
    int argc;
    struct exec_var *env; /* the worker's, with room for those of the run after them */
    int env_count;
    char program[4096], cwd[4096];
};

/* worker_options.c */
MUST_USE enum rc worker_options_read(const struct args *args, struct worker_options *ret,
                                     struct err *reterr);

/* Finds the program, and reads the directory and the environment. */
MUST_USE enum rc worker_context_read(struct worker *worker, struct err *reterr);

/* worker_claim.c: for the next claim, if a job is free and the worker is not draining. */
void claim_set_timer(struct worker *worker);
void claim_on_timer(void *worker);
void claim_stop(struct worker *worker);

/* Delays the next claim, after this machine could not start a program. */
void claim_pause(struct worker *worker);

/* worker.c: the delay after `tries` failures, at least 1. */
span worker_backoff(struct worker *worker, int tries);

/* Logs once that the server is unavailable, and once that it is available again. */
void worker_server_lost(struct worker *worker, const struct client_answer *answer);
void worker_server_back(struct worker *worker);

/* Ends the worker, since the server denies access and waiting does not help. */
void worker_access_denied(struct worker *worker, const struct client_answer *answer);

/* Called when a job becomes free. */
void worker_on_free(struct worker *worker, const struct worker_run *job);

/* Closes the worker if it is draining and nothing is in progress. */
void worker_leave_if_idle(struct worker *worker);
