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

#define EAR_CHANNEL "belfry_ready"

struct ear; /* opaque */

/* A database without a server has nothing to hear: then NULL.  `node` is this node's name. */
struct ear *ear_start(const struct config *config, struct log *log, struct mailbox *memos,
                      struct str node);

/* Accepts NULL, returns NULL. */
struct ear *ear_stop(struct ear *ear);
