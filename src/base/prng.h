/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A seeded source of chance: one seed, one course of events, on every machine.
 *
 * xoshiro256** by Blackman and Vigna, its state filled by splitmix64, so that every seed is
 * good, 0 too.  Not for secrets: whoever sees a few outputs knows the rest.  Nothing here
 * takes entropy from the system; whoever wants an unforeseen seed brings it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* To be filled by prng_seed(); the state of all zeros is the one that generates nothing. */
struct prng {
    uint64_t s[4];
};

void prng_seed(struct prng *prng, uint64_t seed);

/* Any of the 2^64 values. */
uint64_t prng_next(struct prng *prng);

/* 0 to n - 1, each as likely as the others; n is at least 1. */
uint64_t prng_below(struct prng *prng, uint64_t n);

/*
 * True in `num` of `den` cases; 0 <= num <= den, and den is at least 1.  What it draws does
 * not depend on `num`, so a chance can be set to 0 without shifting what comes after it.
 */
bool prng_chance(struct prng *prng, uint64_t num, uint64_t den);

/* lo to hi, both included, each as likely as the others; lo <= hi, and any two will do. */
int64_t prng_between(struct prng *prng, int64_t lo, int64_t hi);
