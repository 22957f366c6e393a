/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The database of the test server and the engine on it.
 */
#pragma once

#include "base/err.h"

/* Opens an empty database and registers an engine on it. */
void world_open(void);
int world_close(void);

/* Fails the test with the message unless `rc` is RC_OK. */
void world_must(enum rc rc, const struct err *err);
