/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The daemon: io, writer and readers around the engine, from start to drain.
 */
#pragma once

#include "db/db.h"
#include "server/config/config.h"

/* Where the torture tests kill it. */
enum serve_point {
    SERVE_BEFORE_TURN,
    SERVE_AFTER_TURN,    /* committed, nothing said yet                */
    SERVE_BEFORE_ANSWER, /* io knows the answer, nothing is written    */
    SERVE_AFTER_ANSWER,
    SERVE_BEFORE_CALL, /* io has a run to carry out, nothing is begun */
    SERVE_AFTER_CALL,
    SERVE_BEFORE_TOLD, /* how it ended is known, the engine not told  */
    SERVE_POINTS
};

struct serve_seam {
    void (*at)(void *arg, enum serve_point point); /* any thread; may be NULL */
    void *arg;
    const struct db_fault *fault; /* of the writer's connection; may be NULL */
    int log_pages;                /* the same, see db/db.h; 0: as always     */
};

struct serve_options {
    const struct config *config;
    /* Reads the configuration anew, as it was read before. */
    enum rc (*reload)(void *arg, struct config **ret, struct err *reterr);
    void *arg;
    const struct serve_seam *seam; /* NULL: none */
};

/* Returns the exit status, after SIGTERM or SIGINT and the drain. */
int serve_run(const struct serve_options *options);
