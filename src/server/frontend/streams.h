/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers without an end: streams of events and of logs.
 *
 * Nothing is handed out but what was read from the database, so nothing is told that is not
 * durable, nothing is lost and nothing told twice.  One reading serves all who are up to date;
 * whoever is behind reads for itself.  For the io thread.
 */
#pragma once

#include "io/loop.h"
#include "server/commit_signal.h"
#include "server/frontend/admission.h"
#include "server/ticket.h"

enum { STREAMS_MAX = 1000 }; /* each may hold EXCHANGE_BACKLOG_MAX of unsent bytes */

struct frontend;
struct streams; /* opaque */

/* `has_others`: other nodes write to the same database, of which no word may come. */
struct streams *streams_new(struct frontend *frontend, struct commit_signal *signal,
                            struct loop *loop, bool has_others);
/* After streams_abandon().  Accepts NULL, returns NULL. */
struct streams *streams_free(struct streams *streams);

bool streams_is_full(const struct streams *streams);

/* The ticket has been read and goes on as a stream; there is room for it. */
void streams_adopt(struct streams *streams, struct ticket *ticket);

/* A ticket with `stream` set is back from a reader. */
void streams_back(struct streams *streams, struct ticket *ticket);

/* The writer says that there is something to read. */
void streams_news(struct streams *streams);

/* Tokens have changed: who may not listen any more, does not. */
void streams_check(struct streams *streams, const struct admission *admission);

/* All streams end, as they should: their clients ask again, elsewhere or later. */
void streams_close(struct streams *streams);

/* The readers have ended. */
void streams_abandon(struct streams *streams);
