/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Those around the daemon, each a process of its own: a receiver of calls, and workers.
 *
 * They do as little as they can, since they share the machine with what is measured, and end
 * with whoever started them.
 */
#pragma once

#include "soak.h"

/* The receiver's port is known when it returns. */
void crowd_start_receiver(struct soak *soak);
void crowd_start_workers(struct soak *soak);

/* False, with a word on standard error, when one of them has ended. */
bool crowd_is_well(void);

/* Ends those that were started; may be called at any time. */
void crowd_end(void);
