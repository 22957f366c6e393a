/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs of this machine, run for the loop: started, watched, stopped, cleaned up after.
 *
 * Each program has a supervisor (io/process/supervisor.h), a small process between it and us:
 * whatever the program starts, in whatever session, ends before the run does, and ends too when
 * this process is killed.  docs/decisions/0015 says why.
 *
 * A process has at most one pool, used by its loop's thread alone, and all children of the
 * process must be the pool's: others are taken for something that a program left behind.
 * Nothing here decides whether a program may be run, or keeps what it wrote.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/err.h"
#include "base/instant.h"
#include "base/str.h"

enum {
    EXEC_INPUT_MAX = 1 << 20,   /* bytes for standard input; larger things go by reference */
    EXEC_WORDS_MAX = 4 << 20,   /* bytes of arguments and environment; Linux takes 2 MiB   */
    EXEC_WORD_COUNT_MAX = 1024, /* arguments, and variables; far above any action's        */
    EXEC_LINE_MAX = 8 * 1024,   /* bytes of a line; a longer one comes in pieces           */
    EXEC_RUNS_MAX = 4096,       /* programs at a time: five descriptors each               */
    EXEC_CPU_GRACE_S = 5,       /* from SIGXCPU to SIGKILL, to write down what was done    */
    EXEC_DRAIN_MAX = 1 << 20,   /* bytes read after the end: what a pipe can hold          */
    EXEC_KILL_AGAIN_MS = 1000, /* a supervisor that its program stopped is woken, and again   */
    EXEC_READS_PER_EVENT = 8,  /* a flood may not keep the loop from its other work       */
    EXEC_SKIP_PER_EVENT = 1 << 20, /* bytes that are dropped unread at a time                 */
};

struct exec_pool; /* opaque */
struct exec_run;  /* opaque: from exec_start() until on_end has returned */

struct exec_var {
    struct str name, value;
};

/* What a program may use; each 0: as this process.  Core files are never written. */
struct exec_caps {
    span cpu; /* whole seconds, rounded up */
    int64_t memory, file_size, open_files, processes;
};

struct exec_request {
    const struct str *argv; /* the first is the program's absolute path */
    int argc;
    struct str file; /* what is executed by the name of argv[0]; empty: that itself */
    const struct exec_var *env; /* all that the program gets, but for the HOME of `user` */
    int env_count;
    struct str cwd;         /* absolute; empty: /                                            */
    struct str user, group; /* names; empty: this process's, and the user's own groups       */
    struct str input;       /* standard input, as a file that is read from its start         */
    struct exec_caps caps;
    span timeout;       /* from the start to SIGTERM; 0: none */
    span kill_after;    /* from SIGTERM to SIGKILL            */
    int64_t output_max; /* bytes handed on, of both streams; the rest is counted */
};

enum exec_stream { EXEC_STDOUT, EXEC_STDERR, EXEC_STREAMS };

enum exec_how {
    EXEC_EXITED,      /* code is the exit code                                     */
    EXEC_SIGNALLED,   /* code is the signal                                        */
    EXEC_NOT_STARTED, /* err says why: no such program, not permitted              */
    EXEC_LOST,        /* its supervisor was killed, and so was it; err says that       */
};

enum exec_cause { EXEC_BY_ITSELF, EXEC_STOPPED, EXEC_TIMED_OUT };

struct exec_end {
    enum exec_how how;
    enum exec_cause cause; /* who began it; a program may end well all the same    */
    int code;
    bool killed;       /* it did not end by SIGTERM in time                        */
    int strays;        /* further processes that had to be killed; if lost, all    */
    span user, system; /* processor time of the program and all that it left       */
    int64_t max_rss;   /* bytes of the largest process; a few MB of ours at least  */
    int64_t output_bytes, dropped_bytes; /* written in all; not handed on          */
    struct err err;
};

/* Neither is called by exec_start(), exec_stop(), exec_kill() or exec_pool_close() itself. */
struct exec_calls {
    /*
     * A line without its end, or a piece of one that has not ended yet: too long, the last
     * thing that was written, or cut by output_max.  Any bytes may be in it.
     */
    void (*on_output)(void *arg, enum exec_stream stream, struct str text, bool ends_line);

    /* The last call: nothing of the program is left, no process, no descriptor. */
    void (*on_end)(void *arg, const struct exec_end *end);
};

/*
 * `runs` programs at a time.  The process becomes the one to which orphans below it return.
 * The program that calls this must hand over to supervisor_main() (io/process/supervisor.h).
 */
MUST_USE enum rc exec_pool_open(uv_loop_t *loop, int runs, struct exec_pool **ret,
                                struct err *reterr);

/* Kills what still runs; on_closed when all have ended and the pool is gone. */
void exec_pool_close(struct exec_pool *pool, void (*on_closed)(void *arg), void *arg);

/* How many programs could be started now. */
int exec_pool_room(const struct exec_pool *pool);

/*
 * Starts a program; the request is copied.  RC_INVALID or RC_LIMIT for a request that can
 * never work, RC_BUSY when the pool is full or the machine has nothing left.  Whatever the
 * kernel refuses later is an end of EXEC_NOT_STARTED.
 */
MUST_USE enum rc exec_start(struct exec_pool *pool, const struct exec_request *request,
                            const struct exec_calls *calls, void *arg, struct exec_run **ret,
                            struct err *reterr);

/* SIGTERM to the program and its process group, SIGKILL to all after kill_after. */
void exec_stop(struct exec_run *run);

/* SIGKILL to all, now. */
void exec_kill(struct exec_run *run);
