/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that copies the WAL of SQLite back into the database file while the writer
 * continues.  It uses its own connection.  Only the writer calls these functions, and it lends
 * the WAL before each request.
 */
#pragma once

#include "base/err.h"
#include "base/log.h"

struct checkpointer; /* opaque */

/* `url` must outlive the checkpointer. */
struct checkpointer *checkpointer_start(const char *url, struct log *log);

/* Finishes the pending request first.  Accepts NULL, returns NULL. */
struct checkpointer *checkpointer_stop(struct checkpointer *checkpointer);

enum checkpoint_state {
    CHECKPOINT_IDLE,
    CHECKPOINT_RUNNING,
    CHECKPOINT_DONE,   /* reported once                                  */
    CHECKPOINT_FAILED, /* the file cannot be trusted any more; see `why` */
};
struct checkpoint_result {
    int pages; /* for db_take_wal(), after CHECKPOINT_DONE */
    struct err why;
};
enum checkpoint_state checkpointer_poll(struct checkpointer *checkpointer,
                                        struct checkpoint_result *ret);
/* Waits while the state is CHECKPOINT_RUNNING, then returns the same as checkpointer_poll(). */
enum checkpoint_state checkpointer_wait(struct checkpointer *checkpointer,
                                        struct checkpoint_result *ret);

/* Requires CHECKPOINT_IDLE and a WAL that the writer has lent. */
void checkpointer_request(struct checkpointer *checkpointer);
