/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The random number generator of the comparison: the same seed gives the same cases.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct compare_prng {
    uint64_t state;
};

/* splitmix64: every seed is good, even 0. */
static inline uint64_t prng_next(struct compare_prng *prng)
{
    uint64_t z = prng->state += 0x9e3779b97f4a7c15;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/* 0 to limit - 1 */
static inline int prng_below(struct compare_prng *prng, int limit)
{
    return (int)(prng_next(prng) % (uint64_t)limit);
}

/* low to high, both included */
static inline int64_t prng_between(struct compare_prng *prng, int64_t low, int64_t high)
{
    return low + (int64_t)(prng_next(prng) % (uint64_t)(high - low + 1));
}

static inline bool prng_percent(struct compare_prng *prng, int percent)
{
    return prng_below(prng, 100) < percent;
}
