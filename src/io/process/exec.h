/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs local programs for the loop: starts, watches, stops them and cleans up.
 *
 * Each program has a supervisor (io/process/supervisor.h), a small process between it and the
 * server: every process that the program starts, in any session, ends before the run does, and
 * also ends when the server is killed.  See docs/decisions/0015.
 *
 * A process has at most one pool, used only by its loop's thread, and all children of the
 * process must belong to the pool: others are treated as left over from a program.  Nothing
 * here decides whether a program may run, or stores its output.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/err.h"
#include "base/instant.h"
#include "base/str.h"

enum {
    EXEC_INPUT_MAX = 1 << 20,   /* bytes for standard input; pass larger data by reference */
    EXEC_WORDS_MAX = 4 << 20,   /* bytes of arguments and environment; Linux accepts 2 MiB */
    EXEC_WORD_COUNT_MAX = 1024, /* arguments, and variables; far above any action's */
    EXEC_LINE_MAX = 8 * 1024,   /* bytes of a line; a longer one is passed on in pieces */
    EXEC_RUNS_MAX = 4096,       /* simultaneous programs: five descriptors each */
    EXEC_CPU_GRACE_S = 5,       /* from SIGXCPU to SIGKILL, to save results */
    EXEC_DRAIN_MAX = 1 << 20,   /* bytes read after the end: what a pipe can hold */
    EXEC_KILL_AGAIN_MS = 1000,  /* a supervisor that its program stopped is woken repeatedly */
    EXEC_READS_PER_EVENT = 8,   /* a flood of output must not block the loop */
    EXEC_SKIP_PER_EVENT = 1 << 20, /* bytes that are dropped unread at a time */
};

struct exec_pool; /* opaque */
struct exec_run;  /* opaque: from exec_start() until on_end has returned */

struct exec_var {
    struct str name, value;
};

/* Resource limits of a program; each 0: as this process.  Core files are never written. */
struct exec_caps {
    span cpu; /* whole seconds, rounded up */
    int64_t memory, file_size, open_files, processes;
};

struct exec_request {
    const struct str *argv; /* the first is the program's absolute path */
    int argc;
    struct str file; /* the file that is executed with the name argv[0]; empty: argv[0] */
    const struct exec_var *env; /* the whole environment, except the HOME of `user` */
    int env_count;
    struct str cwd;         /* absolute; empty: / */
    struct str user, group; /* names; empty: the user of this process, the user's own groups */
    struct str input;       /* standard input, as a file that is read from its start */
    struct exec_caps caps;
    span timeout;       /* from the start to SIGTERM; 0: none */
    span kill_after;    /* from SIGTERM to SIGKILL */
    int64_t output_max; /* bytes passed on, of both streams; the rest is counted */
};

enum exec_stream { EXEC_STDOUT, EXEC_STDERR, EXEC_STREAMS };

enum exec_how {
    EXEC_EXITED,      /* code is the exit code */
    EXEC_SIGNALLED,   /* code is the signal */
    EXEC_NOT_STARTED, /* err says why: not found, not permitted */
    EXEC_LOST,        /* its supervisor was killed, and so was it; err says that */
};

enum exec_cause { EXEC_BY_ITSELF, EXEC_STOPPED, EXEC_TIMED_OUT };

struct exec_end {
    enum exec_how how;
    enum exec_cause cause; /* what ended it; a program may still end successfully */
    int code;
    bool killed;       /* it did not end after SIGTERM in time */
    int strays;        /* further processes that had to be killed; if lost, all */
    span user, system; /* processor time of the program and all that it left */
    int64_t
        max_rss; /* bytes of the largest process; at least the few MB of the fork before exec */
    int64_t output_bytes, dropped_bytes; /* written in all; not passed on */
    struct err err;
};

/* exec_start(), exec_stop(), exec_kill() and exec_pool_close() never call these themselves. */
struct exec_calls {
    /*
     * A line without its end, or a piece of an unfinished line: one that is too long, the last
     * output, or cut by output_max.  It may contain any bytes.
     */
    void (*on_output)(void *arg, enum exec_stream stream, struct str text, bool ends_line);

    /* The last call: nothing of the program is left, no process, no descriptor. */
    void (*on_end)(void *arg, const struct exec_end *end);
};

/*
 * At most `runs` simultaneous programs.  The process becomes the parent of orphans below it.
 * The calling program must pass control to supervisor_main() (io/process/supervisor.h).
 */
MUST_USE enum rc exec_pool_open(uv_loop_t *loop, int runs, struct exec_pool **ret,
                                struct err *reterr);

/* Kills running programs; calls on_closed when all have ended and the pool is freed. */
void exec_pool_close(struct exec_pool *pool, void (*on_closed)(void *arg), void *arg);

/* How many programs could be started now. */
int exec_pool_room(const struct exec_pool *pool);

/*
 * Starts a program; the request is copied.  RC_INVALID or RC_LIMIT for a request that can never
 * work, RC_BUSY if the pool is full or the machine lacks resources.  What the kernel rejects
 * later is an end of EXEC_NOT_STARTED.
 */
MUST_USE enum rc exec_start(struct exec_pool *pool, const struct exec_request *request,
                            const struct exec_calls *calls, void *arg, struct exec_run **ret,
                            struct err *reterr);

/* SIGTERM to the program and its process group, SIGKILL to all after kill_after. */
void exec_stop(struct exec_run *run);

/* SIGKILL to all, now. */
void exec_kill(struct exec_run *run);
