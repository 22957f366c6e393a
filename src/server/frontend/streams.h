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

struct door;
struct feed; /* opaque */

/* `has_others`: other nodes write to the same database, of which no word may come. */
struct feed *feed_new(struct door *door, struct news *news, struct loop *loop, bool has_others);
/* After feed_abandon().  Accepts NULL, returns NULL. */
struct feed *feed_free(struct feed *feed);

bool feed_is_full(const struct feed *feed);

/* The ticket has been read and goes on as a stream; there is room for it. */
void feed_adopt(struct feed *feed, struct ticket *ticket);

/* A ticket with `stream` set is back from a reader. */
void feed_back(struct feed *feed, struct ticket *ticket);

/* The writer says that there is something to read. */
void feed_news(struct feed *feed);

/* Tokens have changed: who may not listen any more, does not. */
void feed_check(struct feed *feed, const struct porter *porter);

/* All streams end, as they should: their clients ask again, elsewhere or later. */
void feed_close(struct feed *feed);

/* The readers have ended. */
void feed_abandon(struct feed *feed);
