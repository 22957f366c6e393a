/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numbers that replace `H`: the same as in Jenkins for the same seed, so that a schedule
 * imported from Jenkins keeps its minute.
 *
 * Pure.  The MD5 of the seed, folded to 64 bits, seeds a java.util.Random; each H draws one
 * number, in the order of the text.  MD5 only spreads the values; it protects nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct cron_hash {
    struct str seed;
    bool started;   /* the first draw computes the MD5: most expressions have no H */
    uint64_t state; /* of the 48-bit generator                                     */
};

static inline struct cron_hash cron_hash(struct str seed)
{
    return (struct cron_hash){.seed = seed};
}

/* A number in 0 .. bound - 1, bound at least 1.  With an empty seed it is always 0. */
int cron_hash_draw(struct cron_hash *hash, int bound);
