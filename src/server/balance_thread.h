/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that compares the slots of all schedules with their accounts (server/check), again
 * and again, on its own read-only connection, with a low priority and at most a twentieth of a
 * processor.  A difference counts only if a second look, in a later snapshot, finds it too.
 */
#pragma once

#include "api/overview/ledger_balance.h"
#include "base/log.h"
#include "server/config/config.h"

struct balance_thread; /* opaque */
struct db_hosts;

/* It reads nothing until it is started. */
struct balance_thread *balance_thread_new(const struct config *config, struct log *log,
                                          struct db_hosts *hosts);

/* Starts it; the schema must be up to date. */
void balance_thread_start(struct balance_thread *thread);

/* For readers: the last result of a namespace; texts are in the arena. */
void balance_thread_get(struct balance_thread *thread, int64_t namespace, struct arena *arena,
                        struct ledger_balance *ret);

/* For metrics: of all namespaces. */
struct ledger_balance balance_thread_total(struct balance_thread *thread);

/* Stops it, if it was started, and closes its connection.  Accepts NULL. */
void balance_thread_stop(struct balance_thread *thread);
/* No other thread may use it any more.  Accepts NULL, returns NULL. */
struct balance_thread *balance_thread_free(struct balance_thread *thread);
