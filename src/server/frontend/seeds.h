/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates the schedules of seed_dir at each start if they are missing.
 *
 * The frontend runs them one after the other as calls without a client: read the schedule, and
 * create it if it does not exist.  An existing schedule never changes.  A rejected document is
 * logged and does not stop the others.
 */
#pragma once

#include "api/call/call.h"
#include "base/log.h"

struct seeds; /* opaque */

/* Reads all files of the directory.  On failure it prints the errors and returns NULL. */
struct seeds *seeds_read(const char *dir);
struct seeds *seeds_free(struct seeds *seeds); /* accepts NULL, returns NULL */

/* False: all are done. */
bool seeds_has_next(const struct seeds *seeds);

/* Begins the next call.  The caller has set its arena, context and time. */
enum call_step seeds_begin(struct seeds *seeds, struct call *call);

/* Handles the result.  False: a temporary error; the same call must be repeated. */
bool seeds_finish(struct seeds *seeds, const struct call *call, struct log *log);
