/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of `belfry worker` share; nobody else includes it.
 *
 * A worker has places, one for each run that it can hold.  Runs come in by a claim
 * (worker_claim.c), are programs while they run (worker_place.c), and what is to be told of
 * them goes out in batches (worker_lane.c).  A place is free again when the server has
 * answered for its run, or the run is somebody else's: so all that waits has a bound.
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
    WORKER_JOBS_MAX = 1000, /* what one claim may ask for                         */
    WORKER_QUEUES_MAX = 16, /* likewise                                           */
    WORKER_NAME_MAX = 255,  /* bytes of its own name, and of a queue's            */
    WORKER_VARS = 8,        /* variables that a program gets of its run           */
    WORKER_FILES_EACH = 5,  /* descriptors of a program                           */
    WORKER_FILES_OWN = 48,  /* of the worker                                      */
    WORKER_CALLS = 8,       /* one claim, one for each lane, and some to spare    */
};

#define WORKER_WAIT       (30 * SPAN_S) /* of a claim, for a run to come */
#define WORKER_RETRY_MIN  (200 * SPAN_MS)
#define WORKER_RETRY_MAX  (5 * SPAN_S)
#define WORKER_LAST_WORDS (10 * SPAN_S) /* for reports, when the worker is to end */
#define WORKER_SKEW       (2 * SPAN_S)  /* of clocks, that a Date of whole seconds can show */

struct worker_options {
    const char *queues[WORKER_QUEUES_MAX];
    int queue_count;
    int jobs;
    const char *server, *namespace, *ca_file;
    char token[TOKEN_MAX];
    char name[WORKER_NAME_MAX + 1];
    span drain, kill_after;
    field_set fields; /* of a run, that are asked for */
    bool is_once, is_quiet;
    char **program;
};

enum phase {
    PHASE_WORKING,
    PHASE_DRAINING, /* claims nothing, waits for the programs    */
    PHASE_STOPPING, /* the programs were told to end             */
    PHASE_KILLING,
    PHASE_LEAVING, /* nothing matters any more                  */
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
    int busy; /* places that are not free */
    struct report_batch batches[REPORT_KINDS];
    enum phase phase;
    struct loop_timer *phase_timer;
    int parts_open; /* of client and programs */
    int status;
    bool is_away; /* it was told that the server is */

    struct loop_timer *claim_timer;
    int64_t claim; /* number of the call; 0: none */
    int64_t claimed_at, claim_not_before;
    int claim_tries;

    struct str *argv;
    int argc;
    struct exec_var *env; /* the worker's own; the run's come behind */
    int env_count;
    char program[4096], cwd[4096];
};

/* worker_options.c */
MUST_USE enum rc worker_options_read(const struct args *args, struct worker_options *ret,
                                     struct err *reterr);

/* Program, directory and environment, as they are when the worker starts. */
MUST_USE enum rc worker_context_read(struct worker *worker, struct err *reterr);

/* worker_claim.c: asks for runs when there are places, and nobody says not to. */
void claim_kick(struct worker *worker);
void claim_on_time(void *worker);
void claim_stop(struct worker *worker);

/* No claim for a while: this machine has no room. */
void claim_pause(struct worker *worker);

/* How long to wait after so many failures, at least one. */
span worker_backoff(struct worker *worker, int tries);

/* The server is away, or there again: told once. */
void worker_server_lost(struct worker *worker, const struct client_answer *answer);
void worker_server_back(struct worker *worker);

/* The server lets it in no more, which waiting does not change: it ends. */
void worker_refused(struct worker *worker, const struct client_answer *answer);

/* worker.c: a place is free. */
void worker_on_free(struct worker *worker, const struct worker_run *job);

/* Leaves when it is time to, and nothing is under way. */
void worker_leave_if_idle(struct worker *worker);
