/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that writes the log of SQLite back while the writer goes on, on a connection of
 * its own.  All functions are for the writer, who lends it the log.
 */
#pragma once

#include "base/err.h"
#include "base/log.h"

struct checkpointer; /* opaque */

/* `url` must live as long as it does. */
struct checkpointer *checkpointer_start(const char *url, struct log *log);

/* What it was asked for last is finished first.  Accepts NULL, returns NULL. */
struct checkpointer *checkpointer_stop(struct checkpointer *checkpointer);

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
enum sweeping checkpointer_look(struct checkpointer *checkpointer, struct swept *ret);
/* The same when it is not SWEEPING_NOW any more. */
enum sweeping checkpointer_wait(struct checkpointer *checkpointer, struct swept *ret);

/* When it is SWEEPING_NOT, and the log is lent. */
void checkpointer_ask(struct checkpointer *checkpointer);
