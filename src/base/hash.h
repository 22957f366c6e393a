/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fast hashes, the same on every machine and in every release, and a digest over a sequence.
 *
 * For tables, spreads and comparisons.  Not for secrets and not against malice: whoever
 * chooses the input can make two that collide.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* 2^64 divided by the golden ratio, made odd: what splitmix64 adds at each step. */
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
 * FNV-1a of 64 bits; with seed 0 as published, other seeds are functions of their own.
 * Short texts differ in few of the high bits: give it to hash_u64() where all bits count.
 * `bytes` may be NULL when len is 0.
 */
uint64_t hash_bytes(const void *bytes, size_t len, uint64_t seed);

/*
 * What was added, in its order, as one number; begin with {0} and read `sum`.  Two sequences
 * that differ in a single int have different sums; any two others, but for 1 case in 2^64.
 */
struct digest {
    uint64_t sum;
};

void digest_int(struct digest *digest, int64_t value);

/* Counts the length too, so "ab" and "c" are not "a" and "bc". */
void digest_add(struct digest *digest, const void *bytes, size_t len);
