/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that writes the log of SQLite back while the writer goes on, on a connection of
 * its own.  All functions are for the writer, who lends it the log.
 */
#pragma once

#include "base/err.h"
#include "base/log.h"

struct sweeper; /* opaque */

/* `url` must live as long as it does. */
struct sweeper *sweeper_start(const char *url, struct log *log);

/* What it was asked for last is finished first.  Accepts NULL, returns NULL. */
struct sweeper *sweeper_stop(struct sweeper *sweeper);

enum sweeping {
    SWEEPING_NOT,
    SWEEPING_NOW,
    SWEEPING_DONE,   /* said once                                */
    SWEEPING_FAILED, /* the file cannot be trusted any more: why */
};
struct swept {
    int pages; /* for db_take_log(), of SWEEPING_DONE */
    struct err why;
};
enum sweeping sweeper_look(struct sweeper *sweeper, struct swept *ret);
/* The same when it is not SWEEPING_NOW any more. */
enum sweeping sweeper_wait(struct sweeper *sweeper, struct swept *ret);

/* When it is SWEEPING_NOT, and the log is lent. */
void sweeper_ask(struct sweeper *sweeper);
