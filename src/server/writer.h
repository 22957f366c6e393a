/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread of the engine, and the only one that writes to the database.
 *
 * The writer waits for messages in `to_writer` or for the time that the engine requested, runs
 * turns, and sends the results once they are durable.  It waits for a database that is
 * unavailable; a database that cannot be trusted ends the process.
 */
#pragma once

#include "base/log.h"
#include "io/mailbox.h"
#include "server/commit_signal.h"
#include "server/config/config.h"
#include "server/counters.h"
#include "server/serve.h"
#include "server/ticket.h"

#define WRITER_FULL_TEXT "the disk of the database is full"
#define WRITER_HELD_TEXT                                                                \
    "the clock stepped further than max_jump; nothing starts until it is back or POST " \
    "/api/v1/clock/accept confirms it"

enum writer_phase {
    WRITER_STARTING,
    WRITER_READY,
    WRITER_HELD,    /* the clock is not trusted     */
    WRITER_FULL,    /* the disk is full             */
    WRITER_DB_LOST, /* the database does not answer */
    WRITER_OVER,
};

struct writer_state {
    enum writer_phase phase;
    char text[ERR_TEXT_MAX]; /* why it is not ready                            */
    int status;              /* exit status, after WRITER_OVER                 */
    int64_t beat_us;         /* clock_boot_us() of the last sign of life       */
    bool is_full, is_held;   /* disk full, clock not trusted; may both be true */
};

struct writer_options {
    const struct config *config;
    struct log *log;
    struct mailbox *to_writer, *to_io;
    const struct serve_seam *seam;
    struct str node;               /* name in the cluster                                */
    _Atomic int64_t *finished;     /* [LANE_COUNT]: dispatches finished since the start  */
    const _Atomic bool *is_halted; /* an operator wants it to start nothing; may be NULL */
    struct str address;            /* URL of this node, for people                       */
    struct counters *counters;     /* written by the writer                              */
    struct commit_signal *signal;
    struct api_context context; /* for answers; the writer replaces part_cache and zones */
    struct db_hosts *hosts;
};

struct writer; /* opaque */

struct writer *writer_start(const struct writer_options *options);

/* Any thread may call it. */
struct writer_state writer_state(struct writer *writer);

/*
 * Call it after IO_MSG_OVER and after the readers have closed their connections.  Returns NULL.
 */
struct writer *writer_join(struct writer *writer);
