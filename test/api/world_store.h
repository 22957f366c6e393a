/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The database of the world and the engine on it.  For test/api/world.c alone.
 */
#pragma once

#include "base/err.h"

/* An empty database and an engine that has said hello to it. */
void world_open(void);
int world_close(void);

/* Fails the test with the message. */
void world_must(enum rc rc, const struct err *err);
