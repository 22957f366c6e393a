/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that listens for runs that other nodes made ready on the same PostgreSQL server, so
 * that a waiting worker gets them at once instead of at the next turn.  Notifications are only
 * hints: a lost one delays a run by at most a second.
 */
#pragma once

#include "base/log.h"
#include "io/mailbox.h"
#include "server/config/config.h"

#define NOTIFY_CHANNEL "belfry_ready"

struct postgres_notify; /* opaque */
struct db_hosts;

/* Returns NULL for SQLite, which has no notifications.  `node` is the name of this node. */
struct postgres_notify *postgres_notify_start(const struct config *config, struct log *log,
                                              struct mailbox *to_writer, struct str node,
                                              struct db_hosts *hosts);

/*
 * Whether notifications arrive.  Without them, waiting workers get runs of other nodes up to a
 * second late.  For any thread.
 */
bool postgres_notify_is_connected(const struct postgres_notify *notify);

/* Accepts NULL, returns NULL. */
struct postgres_notify *postgres_notify_stop(struct postgres_notify *notify);
