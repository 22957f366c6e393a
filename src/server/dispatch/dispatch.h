/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runs that this node carries out itself: calls of URLs, programs, workflows of an
 * upstream engine.  For the io thread.
 *
 * Every task that is taken is told of with exactly one report of REPORT_DONE or
 * REPORT_RELEASE, at the end of the daemon also REPORT_LOST, any number of REPORT_ALIVE
 * before it, unless it was terminated.  Nothing is retried here but the way to an upstream:
 * attempts are the engine's.
 */
#pragma once

#include "base/log.h"
#include "io/client/webhook.h"
#include "io/loop.h"
#include "io/process/exec.h"
#include "server/config/namespace_settings.h"
#include "server/dispatch/dispatch_order.h"

struct calls; /* opaque */

struct calls_options {
    struct loop *loop;
    struct log *log;
    int http, http_per_host;      /* at a time                                         */
    int exec;                     /* at a time; 0: exec actions fail with a clear reason */
    bool allow_private;           /* the guard lets calls into private networks          */
    bool allow_loopback;          /* and to this machine                                 */
    const struct str *exec_allow; /* programs, or directories that end in /; none: any */
    int exec_allow_count;
    const struct guard_net *own; /* addresses that no call may reach: our own listeners */
    int own_count;
    const char *ca_file; /* whom TLS trusts; NULL: whom the system does */
    /* What a namespace has set, NULL: nothing.  Valid until the loop's next round. */
    const struct settings *(*settings)(void *with, int64_t namespace);
    /* Takes the report over.  Not called from inside calls_start() or calls_stop(). */
    void (*on_told)(void *with, struct told *told);
    void *with;
};

MUST_USE enum rc calls_open(const struct calls_options *options, struct calls **ret,
                            struct err *reterr);

/* Takes the task over. */
void calls_start(struct calls *calls, struct task *task);

/* A call of this node that should end, see struct stop. */
void calls_stop(struct calls *calls, const struct stop *stop);

/* All of them are somebody else's now: each ends at once, and nothing is told of it. */
void calls_forget(struct calls *calls);

/* How many tasks of a lane are under way. */
int calls_count(const struct calls *calls, enum lane lane);

/*
 * Ends everything: what was not begun is released, what was is stopped and told of as lost.
 * `on_closed` comes when all have been told and `calls` is gone.
 */
void calls_close(struct calls *calls, void (*on_closed)(void *with), void *with);
