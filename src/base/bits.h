/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of small numbers as the bits of a word.
 */
#pragma once

#include <stdint.h>

/* The lowest and the highest bit; `bits` must not be 0. */
static inline int bits_lowest(uint64_t bits)
{
    return __builtin_ctzll(bits);
}

static inline int bits_highest(uint64_t bits)
{
    return 63 - __builtin_clzll(bits);
}

/* Bits 0..n, n below 64. */
static inline uint64_t bits_upto(int n)
{
    return ~UINT64_C(0) >> (63 - n);
}
