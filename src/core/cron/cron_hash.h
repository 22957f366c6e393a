/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numbers behind `H`: the same as Jenkins draws for the same seed, so that a schedule
 * that moves here keeps its minute.
 *
 * Pure.  MD5 of the seed folded to 64 bits starts a java.util.Random; one draw for each H in
 * the order in which they are written.  MD5 spreads names here and protects nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct cron_hash {
    struct str seed;
    bool started;   /* the digest is made at the first draw: most expressions have no H */
    uint64_t state; /* of the 48-bit generator */
};

static inline struct cron_hash cron_hash(struct str seed)
{
    return (struct cron_hash){.seed = seed};
}

/* A number in 0 .. bound - 1, bound at least 1.  With an empty seed it is always 0. */
int cron_hash_draw(struct cron_hash *hash, int bound);
