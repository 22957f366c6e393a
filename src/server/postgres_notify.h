/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that listens to what other nodes on the same server have made ready, so that a
 * worker who waits here gets it at once and not with the next look.  A hint only: whoever
 * does not hear it loses a second at most.
 */
#pragma once

#include "base/log.h"
#include "io/mailbox.h"
#include "server/config/config.h"

#define NOTIFY_CHANNEL "belfry_ready"

struct postgres_notify; /* opaque */

/* A database without a server has nothing to hear: then NULL.  `node` is this node's name. */
struct postgres_notify *postgres_notify_start(const struct config *config, struct log *log,
                                              struct mailbox *to_writer, struct str node);

/* Accepts NULL, returns NULL. */
struct postgres_notify *postgres_notify_stop(struct postgres_notify *notify);
