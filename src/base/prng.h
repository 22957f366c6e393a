/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A seeded random number generator: the same seed gives the same sequence on every machine.
 *
 * xoshiro256** by Blackman and Vigna; splitmix64 fills its state, so every seed is good, even
 * 0.  Not for secrets: a few outputs reveal the rest.  It takes no entropy from the system; a
 * caller that wants an unpredictable seed must supply one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Call prng_seed() first: with the all-zero state, prng_next() ends the process. */
struct prng {
    uint64_t s[4];
};

void prng_seed(struct prng *prng, uint64_t seed);

/* Any of the 2^64 values. */
uint64_t prng_next(struct prng *prng);

/* 0 to n - 1, all equally likely; n is at least 1. */
uint64_t prng_below(struct prng *prng, uint64_t n);

/*
 * True in `num` of `den` cases; 0 <= num <= den, and den is at least 1.  The numbers that it
 * draws do not depend on `num`, so setting a probability to 0 does not shift later draws.
 */
bool prng_chance(struct prng *prng, uint64_t num, uint64_t den);

/* lo to hi, both included, all equally likely; any two numbers with lo <= hi. */
int64_t prng_between(struct prng *prng, int64_t lo, int64_t hi);
