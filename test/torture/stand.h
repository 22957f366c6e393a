/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for the server and the actors around it, in one process with simulated time: the
 * engine on a real file, operators, workers and a receiver that write the journal.
 *
 * For the tests of the verdict: its world kept every promise, until a test damages it.
 */
#pragma once

#include "base/buf.h"
#include "db/db.h"

enum { STAND_JOURNAL_MAX = 8 << 20 };

struct stand {
    char dir[64], url[128];
    struct buf journal;
};

/* A world of this many seconds, in which the process dies now and then. */
void stand_make(struct stand *stand, uint64_t seed, int seconds);
/* A separate copy with the same past. */
void stand_copy(const struct stand *stand, struct stand *ret);
void stand_free(struct stand *stand);

/* Changes the database without the knowledge of the actors. */
void stand_spoil(struct stand *stand, const char *sql);
