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
#include "cli/args.h"
#include "cli/client.h"
#include "cli/worker_wire.h"
#include "io/exec.h"
#include "io/log_out.h"
#include "io/loop.h"

enum {
    WORKER_PLACES_MAX = 1000,         /* what one claim may ask for                         */
    WORKER_QUEUES_MAX = 16,           /* likewise                                           */
    WORKER_NAME_MAX = 255,            /* bytes of its own name, and of a queue's            */
    WORKER_VARS = 8,                  /* variables that a program gets of its run           */
    WORKER_LOG_MAX = 256 << 10,       /* bytes of log, as JSON, that wait for the server    */
    WORKER_LOG_SOON = 64 << 10,       /* so many are sent at once                           */
    WORKER_LOG_LINES = 8192,          /* lines of it                                        */
    WORKER_LOG_TOTAL = 1 << 20,       /* what a server keeps of a run                       */
    WORKER_OUTPUT_MAX = 16 << 20,     /* bytes of output that are looked at                 */
    WORKER_BATCH_BYTES = 900 << 10,   /* of a request; a server takes 1 MiB                 */
    WORKER_BATCH_VALUES = 100 * 1000, /* of JSON in it; a server takes 131,072              */
    WORKER_MESSAGE_MAX = 1024,        /* bytes of an error's message                        */
    WORKER_FILES_EACH = 5,            /* descriptors of a program                           */
    WORKER_FILES_OWN = 48,            /* of the worker                                      */
    WORKER_CALLS = 8,                 /* one claim, one for each lane, and some to spare    */
};

#define WORKER_WAIT       (30 * SPAN_S) /* of a claim, for a run to come */
#define WORKER_LOG_DELAY  SPAN_S        /* of a line, for others to go with it */
#define WORKER_BEAT_MIN   (100 * SPAN_MS)
#define WORKER_BEAT_MAX   (30 * SPAN_S)
#define WORKER_RETRY_MIN  (200 * SPAN_MS)
#define WORKER_RETRY_MAX  (5 * SPAN_S)
#define WORKER_KEEP       SPAN_H /* a report waits for a server that is away, after its lease */
#define WORKER_LAST_WORDS (10 * SPAN_S) /* for reports, when the worker is to end */
#define WORKER_SKEW       (2 * SPAN_S)  /* of clocks, that a Date of whole seconds can show */

struct worker_options {
    const char *queues[WORKER_QUEUES_MAX];
    int queue_count;
    int places;
    const char *server, *namespace;
    char name[WORKER_NAME_MAX + 1];
    span drain, kill_after;
    bool is_once, is_quiet;
    char **program;
};

/* The requests of a batch; each kind goes its own way. */
enum lane_kind { LANE_BEAT, LANE_COMPLETE, LANE_FAIL, LANE_RELEASE, WORKER_LANES };

struct lane {
    struct worker *worker;
    enum lane_kind kind;
    struct loop_timer *timer;
    bool is_under_way;
    int tries;          /* that failed, one after the other          */
    int64_t not_before; /* clock_boot_us()                           */
    int32_t *sent;      /* places of the request that is under way   */
    int sent_count;
};

enum place_state { PLACE_FREE, PLACE_RUNNING, PLACE_REPORTING };

enum place_stop { STOP_NOT, STOP_CANCELLED, STOP_DRAINED, STOP_STALE };

struct place {
    struct worker *worker;
    enum place_state state;
    enum place_stop stop; /* why the program was told to end            */
    bool in_request;      /* the lane that is under way has it          */
    bool is_alone;        /* to be sent alone: its batch was refused    */
    char id[WIRE_ID_MAX + 1];
    int64_t fence;
    struct exec_run *run;
    int exit_status; /* as a shell shows it                        */
    span beat_every;
    int64_t beat_at, log_at, keep_until; /* clock_boot_us()               */

    struct text out; /* the beginning of standard output           */
    bool is_out_cut;
    char last_line[256]; /* of standard error                          */
    struct text log;     /* strings of JSON, a comma behind each       */
    int log_lines;
    size_t log_sent; /* of these, under way                        */
    int log_lines_sent;
    int64_t log_total, log_left_out; /* bytes taken; lines not taken      */

    enum lane_kind lane; /* PLACE_REPORTING                            */
    struct text report;  /* members of the item, a comma before each   */
    int report_values;
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
    struct place *places;
    int busy; /* places that are not free */
    struct lane lanes[WORKER_LANES];
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
MUST_USE enum rc worker_surroundings(struct worker *worker, struct err *reterr);

/* worker_claim.c: asks for runs when there are places, and nobody says not to. */
void claim_kick(struct worker *worker);
void claim_on_time(void *worker);
void claim_stop(struct worker *worker);

/* No claim for a while: this machine has no room. */
void claim_pause(struct worker *worker);

/* worker_place.c */
void place_start(struct place *place, const struct grant *grant, struct str run, span lease);
void place_stop(struct place *place, enum place_stop why);
void place_kill(struct place *place);

/* The server does not take what the place has to report. */
void place_refused(struct place *place, struct str why);

/* Nothing more is to be told of its run. */
void place_free(struct place *place);

/* worker_lane.c: sends what there is to send. */
void lane_on_time(void *lane);
void lane_kick(struct lane *lane);

/* How long to wait after so many failures, at least one. */
span worker_backoff(struct worker *worker, int tries);

/* The server is away, or there again: told once. */
void worker_away(struct worker *worker, const struct client_answer *answer);
void worker_back(struct worker *worker);

/* worker.c: a place is free. */
void worker_on_free(struct worker *worker, const struct place *place);
