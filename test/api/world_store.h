/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The database of the test server and the engine on it.
 */
#pragma once

#include "api/call/operation.h"
#include "base/err.h"

/* Opens an empty database and registers an engine on it. */
void world_open(void);
int world_close(void);

/* Fails the test with the message unless `rc` is RC_OK. */
void world_must(enum rc rc, const struct err *err);

/* The read of a call, as a reader of the server performs it; the second has a budget. */
enum call_step world_read(struct call *call);
enum call_step world_read_within_budget(struct call *call);
