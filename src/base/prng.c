/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xoshiro256**, and unbiased draws from a range by rejection.
 */
#include "base/prng.h"

#include "base/hash.h"
#include "base/must.h"

/* Each draw is rejected with a probability below 1/2, so all of these are below 2^-128. */
enum { PRNG_DRAWS_MAX = 128 };

void prng_seed(struct prng *prng, uint64_t seed)
{
    /* splitmix64 is a counter in steps of HASH_STEP, each value of it hashed. */
    for (int i = 0; i < 4; i++)
        prng->s[i] = hash_u64(seed + (uint64_t)i * HASH_STEP);
}

static uint64_t rotate_left(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

uint64_t prng_next(struct prng *prng)
{
    uint64_t *s = prng->s;
    uint64_t ret = rotate_left(s[1] * 5, 7) * 9, t = s[1] << 17;

    must((s[0] | s[1] | s[2] | s[3]) != 0); /* never seeded */
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return ret;
}

uint64_t prng_below(struct prng *prng, uint64_t n)
{
    uint64_t reject_below, x;

    must(n > 0);
    /* 2^64 mod n: without rejecting that many values, small results would be more likely. */
    reject_below = (0 - n) % n;
    x = prng_next(prng);
    for (int draws = 1; x < reject_below && draws < PRNG_DRAWS_MAX; draws++)
        x = prng_next(prng);
    must(x >= reject_below);
    return x % n;
}

bool prng_chance(struct prng *prng, uint64_t num, uint64_t den)
{
    must(num <= den);
    return prng_below(prng, den) < num;
}

int64_t prng_between(struct prng *prng, int64_t lo, int64_t hi)
{
    uint64_t width = (uint64_t)hi - (uint64_t)lo; /* one less than there are values */

    must(lo <= hi);
    if (width == UINT64_MAX)
        return (int64_t)prng_next(prng);
    return (int64_t)((uint64_t)lo + prng_below(prng, width + 1));
}
