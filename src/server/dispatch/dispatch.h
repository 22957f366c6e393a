/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runs that this node carries out itself: HTTP requests, programs, and workflows of an
 * upstream.  For the io thread.
 *
 * Each order ends with exactly one report, REPORT_DONE or REPORT_RELEASE, or REPORT_LOST when
 * the server stops; any number of REPORT_ALIVE may come before it, and a REPORT_NOTE after it.
 * A terminated order sends no more reports, and neither does a followed workflow when the
 * server stops: the next node takes it over.  Only requests to an upstream are retried here:
 * attempts belong to the engine.
 */
#pragma once

#include "base/log.h"
#include "io/client/webhook.h"
#include "io/loop.h"
#include "io/process/exec.h"
#include "server/dispatch/dispatch_order.h"
#include "server/dispatch/dispatch_settings.h"

struct dispatcher; /* opaque */

struct dispatcher_options {
    struct loop *loop;
    struct log *log;
    int http, http_per_host;      /* maximum at a time                       */
    int exec;                     /* maximum at a time; 0: exec actions fail */
    bool allow_private;           /* allow requests to private networks      */
    bool allow_loopback;          /* allow requests to this machine          */
    const struct str *exec_allow; /* programs, or directories that end in /; none: any */
    int exec_allow_count;
    const struct address_net *self_nets; /* forbidden addresses: the listeners of this server */
    int self_net_count;
    const char *ca_file; /* CA certificates; NULL: those of the system */
    /* The settings of a namespace; NULL: none.  Valid until the next round of the loop. */
    const struct dispatch_settings *(*settings)(void *arg, int64_t namespace);
    /*
     * Takes ownership of the report.  Not called from inside dispatcher_start() or
     * dispatcher_stop().
     */
    void (*on_report)(void *arg, struct dispatch_report *reported);
    void *arg;
};

MUST_USE enum rc dispatcher_open(const struct dispatcher_options *options,
                                 struct dispatcher **ret, struct err *reterr);

/* Takes ownership of the order. */
void dispatcher_start(struct dispatcher *dispatcher, struct dispatch_order *order);

/* Ends a dispatch of this node, see struct stop. */
void dispatcher_stop(struct dispatcher *dispatcher, const struct stop *stop);

/* Ends all dispatches at once and sends no reports: other nodes own the runs now. */
void dispatcher_abort_all(struct dispatcher *dispatcher);

/*
 * The server stops: releases everything that another node can continue, such as workflows that
 * are only followed.  Calls in progress go on until dispatcher_close().
 */
void dispatcher_drain(struct dispatcher *dispatcher);

/* The number of dispatches of a lane in progress. */
int dispatcher_count(const struct dispatcher *dispatcher, enum lane lane);

/* The workflows that are followed; most of them have no place in a lane. */
int dispatcher_followed(const struct dispatcher *dispatcher);

/*
 * Ends everything: releases dispatches that have not begun, stops the others and reports them
 * as lost.  Calls `on_closed` when all reports are delivered and the dispatcher is freed.
 */
void dispatcher_close(struct dispatcher *dispatcher, void (*on_closed)(void *arg), void *arg);
