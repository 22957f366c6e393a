/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that answers questions on a connection of its own, which cannot write.
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
    struct api_context context; /* its zones are the reader's own */
};

struct reader; /* opaque */

struct reader *reader_start(const struct reader_options *options);

/* The ticket comes back as a notice.  The database must be up to date. */
void reader_ask(struct reader *reader, struct ticket *ticket);

/* The files of zones have changed.  Any thread. */
void reader_zones(struct reader *reader);

/*
 * What is asked later is answered by this, see context_renew(); it must live as long as the
 * reader does.  Any thread.
 */
void reader_reload(struct reader *reader, const struct api_context *context);

/* Finishes what was asked; accepts NULL, returns NULL. */
struct reader *reader_stop(struct reader *reader);
