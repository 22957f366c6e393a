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

struct dispatcher; /* opaque */

struct dispatcher_options {
    struct loop *loop;
    struct log *log;
    int http, http_per_host;      /* at a time                                         */
    int exec;                     /* at a time; 0: exec actions fail with a clear reason */
    bool allow_private;           /* the guard lets calls into private networks          */
    bool allow_loopback;          /* and to this machine                                 */
    const struct str *exec_allow; /* programs, or directories that end in /; none: any */
    int exec_allow_count;
    const struct address_net
        *self_nets; /* addresses that no call may reach: our own listeners */
    int self_net_count;
    const char *ca_file; /* whom TLS trusts; NULL: whom the system does */
    /* What a namespace has set, NULL: nothing.  Valid until the loop's next round. */
    const struct namespace_settings *(*settings)(void *arg, int64_t namespace);
    /*
     * Takes the report over.  Not called from inside dispatcher_start() or dispatcher_stop().
     */
    void (*on_told)(void *arg, struct dispatch_report *reported);
    void *arg;
};

MUST_USE enum rc dispatcher_open(const struct dispatcher_options *options,
                                 struct dispatcher **ret, struct err *reterr);

/* Takes the task over. */
void dispatcher_start(struct dispatcher *dispatcher, struct dispatch_order *order);

/* A call of this node that should end, see struct stop. */
void dispatcher_stop(struct dispatcher *dispatcher, const struct stop *stop);

/* All of them are somebody else's now: each ends at once, and nothing is told of it. */
void dispatcher_forget(struct dispatcher *dispatcher);

/* How many tasks of a lane are under way. */
int dispatcher_count(const struct dispatcher *dispatcher, enum lane lane);

/*
 * Ends everything: what was not begun is released, what was is stopped and told of as lost.
 * `on_closed` comes when all have been told and `calls` is gone.
 */
void dispatcher_close(struct dispatcher *dispatcher, void (*on_closed)(void *arg), void *arg);
