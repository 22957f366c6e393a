/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that answers read requests on its own read-only connection.  It also begins and
 * settles large requests, so that the io thread does not have to.
 */
#pragma once

#include "base/log.h"
#include "io/mailbox.h"
#include "server/config/config.h"
#include "server/ticket.h"

struct reader_options {
    const struct config *config;
    struct log *log;
    struct mailbox *to_io;
    bool is_slow; /* has the full limits; a quick reader returns long reads unfinished */
    struct api_context context; /* the reader replaces part_cache and zones */
    struct db_hosts *hosts;
};

struct reader; /* opaque */

struct reader *reader_start(const struct reader_options *options);

/*
 * Performs the step ticket.sent_for: CALL_READ, CALL_BEGIN or CALL_SETTLE.  The ticket comes
 * back as IO_MSG_TICKET, with read_result and the next step.  The schema must be up to date.
 */
void reader_send(struct reader *reader, struct ticket *ticket);

/* The time zone files have changed.  Any thread may call it. */
void reader_reload_zones(struct reader *reader);

/*
 * Uses `context` for later requests, see context_renew().  It must outlive the reader.  Any
 * thread may call it.
 */
void reader_reload_context(struct reader *reader, const struct api_context *context);

/* Finishes pending requests first.  Accepts NULL, returns NULL. */
struct reader *reader_stop(struct reader *reader);
