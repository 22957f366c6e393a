/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for the daemon and everyone around it, in one process and in time of its own:
 * the engine on a real file, operators, workers and a receiver that write the journal.
 *
 * For the tests of the verdict: what it leaves behind kept every promise, until a test
 * doctors it.
 */
#pragma once

#include "base/buf.h"
#include "db/db.h"

enum { STAND_JOURNAL_MAX = 8 << 20 };

struct stand {
    char dir[64], url[128];
    struct buf journal;
};

/* A world of so many seconds, in which the process dies now and then. */
void stand_make(struct stand *stand, uint64_t seed, int seconds);
/* One of its own with the same past. */
void stand_copy(const struct stand *stand, struct stand *ret);
void stand_free(struct stand *stand);

/* Changes the database behind everyone's back. */
void stand_spoil(struct stand *stand, const char *sql);
