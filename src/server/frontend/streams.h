/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Endless answers: streams of events and of logs.
 *
 * Streams send only data that was read from the database: it is durable, complete and in order.
 * One read serves all streams that are up to date; a stream that is late reads for itself.  For
 * the io thread.
 */
#pragma once

#include "io/loop.h"
#include "server/commit_signal.h"
#include "server/frontend/admission.h"
#include "server/ticket.h"

enum { STREAMS_MAX = 1000 }; /* each may hold EXCHANGE_BACKLOG_MAX of unsent bytes */

struct frontend;
struct streams; /* opaque */

/* `has_others`: other nodes may write to the database without a signal. */
struct streams *streams_new(struct frontend *frontend, struct commit_signal *signal,
                            struct loop *loop, bool has_others);
/* Call it after streams_abandon().  Accepts NULL, returns NULL. */
struct streams *streams_free(struct streams *streams);

bool streams_is_full(const struct streams *streams);

/* Continues a ticket that was read as a stream; requires !streams_is_full(). */
void streams_adopt(struct streams *streams, struct ticket *ticket);

/* A reader has returned a ticket with `stream` set. */
void streams_ticket_returned(struct streams *streams, struct ticket *ticket);

/* The writer has committed new events or log lines. */
void streams_on_commit(struct streams *streams);

/* Ends streams whose token was revoked or has expired. */
void streams_close_denied(struct streams *streams, const struct admission *admission);

/* Ends all streams in an orderly way; their clients reconnect elsewhere or later. */
void streams_close(struct streams *streams);

/* The readers have ended. */
void streams_abandon(struct streams *streams);
