/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fast hashes, the same on every machine and in every release, and a digest over a sequence.
 *
 * For tables, load spreading and comparisons.  Not cryptographic: anyone who chooses the
 * input can produce collisions.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The increment of splitmix64: 2^64 divided by the golden ratio, made odd. */
#define HASH_STEP UINT64_C(0x9e3779b97f4a7c15)

/*
 * The first output of splitmix64 seeded with `x`.  A permutation: different numbers have
 * different hashes, and each bit of the input moves about half of the bits.
 */
static inline uint64_t hash_u64(uint64_t x)
{
    x += HASH_STEP;
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/*
 * FNV-1a, 64 bits.  Seed 0 gives the published function; other seeds give other functions.
 * The hashes of short texts differ in few of the high bits: pass the hash to hash_u64() where
 * all bits matter.  `bytes` may be NULL when len is 0.
 */
uint64_t hash_bytes(const void *bytes, size_t len, uint64_t seed);

/*
 * A digest over a sequence of values and their order.  Start with {0} and read `sum`.  Two
 * sequences that differ in exactly one int always have different sums; any other two have
 * equal sums with a probability of 2^-64.
 */
struct digest {
    uint64_t sum;
};

void digest_int(struct digest *digest, int64_t value);

/* Includes the length, so "ab" and "c" differ from "a" and "bc". */
void digest_add(struct digest *digest, const void *bytes, size_t len);
