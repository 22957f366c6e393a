/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread of the engine, the only one that writes.
 *
 * It waits for to_writer or for the time that the engine named, makes turns of them, and says
 * what came of it once it is durable.  A database that is away is waited for; one that
 * cannot be trusted ends the process.
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
#define WRITER_HOLDS_TEXT                                                              \
    "the clock has jumped further than max_jump; nothing is started until it is back," \
    " or POST /api/v1/clock/accept says that it is right"

enum writer_phase {
    WRITER_STARTING,
    WRITER_READY,
    WRITER_HOLDING, /* the clock has jumped           */
    WRITER_FULL,    /* the disk is full               */
    WRITER_AWAY,    /* the database does not answer   */
    WRITER_OVER,
};

struct writer_state {
    enum writer_phase phase;
    char text[ERR_TEXT_MAX]; /* why it is not ready */
    int status;              /* of the process, once it is over */
    int64_t beat_us;         /* clock_boot_us() when it last came by */
    bool is_full, holds;     /* both may be: the disk, the clock     */
};

struct writer_options {
    const struct config *config;
    struct log *log;
    struct mailbox *to_writer, *to_io;
    const struct serve_seam *seam;
    struct str node;               /* its name in the cluster                              */
    _Atomic int64_t *finished;     /* [LANE_COUNT]: tasks that io is done with, since start */
    const _Atomic bool *is_halted; /* somebody wants that it starts nothing; may be NULL */
    struct str address;            /* where it listens, for people                         */
    struct counters *counters;     /* what it counts                                       */
    struct commit_signal *signal;
    struct api_context context; /* of answers; its looks and zones are the writer's own */
};

struct writer; /* opaque */

struct writer *writer_start(const struct writer_options *options);

/* Any thread. */
struct writer_state writer_state(struct writer *writer);

/* After IO_MSG_OVER, and when the readers have closed theirs.  Returns NULL. */
struct writer *writer_join(struct writer *writer);
