/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server, from its start to the end of its drain.  The calling thread becomes the io
 * thread; ARCHITECTURE.md lists the others.
 */
#pragma once

#include "db/db.h"
#include "server/config/config.h"

/* Where the torture tests kill the server. */
enum serve_point {
    SERVE_BEFORE_TURN,
    SERVE_AFTER_TURN,    /* committed, nothing sent yet                   */
    SERVE_BEFORE_ANSWER, /* the io thread has the answer, nothing is sent */
    SERVE_AFTER_ANSWER,
    SERVE_BEFORE_DISPATCH, /* the io thread has a run, nothing has started */
    SERVE_AFTER_DISPATCH,
    SERVE_BEFORE_REPORT, /* the run has ended, the engine does not know yet */
    SERVE_POINTS
};

struct serve_seam {
    void (*at)(void *arg, enum serve_point point); /* called by any thread; may be NULL */
    void *arg;
    const struct db_fault *fault; /* faults of the writer's connection; may be NULL */
    int wal_pages;                /* of that connection, see db/db.h; 0: default    */
};

struct serve_options {
    const struct config *config;
    /* Reads the configuration again from the same sources. */
    enum rc (*reload)(void *arg, struct config **ret, struct err *reterr);
    void *arg;
    const struct serve_seam *seam; /* NULL: none */
};

/* Returns the exit status after SIGTERM or SIGINT and the drain. */
int serve_run(const struct serve_options *options);
