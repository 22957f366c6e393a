/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes around the server: a receiver of calls, and workers.
 *
 * They do as little as possible, since they share the machine with the measured server, and end
 * with their parent.
 */
#pragma once

#include "soak.h"

/* The receiver's port is known when this returns. */
void crowd_start_receiver(struct soak *soak);
void crowd_start_workers(struct soak *soak);

/* False, with a message on standard error, if one of them has ended. */
bool crowd_is_well(void);

/* Ends all started processes; may be called at any time. */
void crowd_end(void);
