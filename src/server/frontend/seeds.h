/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules that are to be there from the first start on: the documents of seed_dir.
 *
 * They are asked for one after the other as requests of nobody outside: is it there, and if
 * not, create it.  What is there is never changed.  One that is refused is told of in the
 * log, and keeps nobody else from being made.
 */
#pragma once

#include "api/call/call.h"
#include "base/log.h"

struct seeds; /* opaque */

/* All files of the folder; NULL: what is wrong with them has been told. */
struct seeds *seeds_read(const char *dir);
struct seeds *seeds_free(struct seeds *seeds); /* accepts NULL, returns NULL */

/* False: nothing is left to ask for. */
bool seeds_are_left(const struct seeds *seeds);

/* Begins the next request; the call has its arena, context and now. */
enum call_step seeds_begin(struct seeds *seeds, struct call *call);

/* What came of it.  False: the server cannot do it now, the same is asked for again. */
bool seeds_told(struct seeds *seeds, const struct call *call, struct log *log);
