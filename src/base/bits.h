/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of small numbers as the bits of a word.  The set must not be empty.
 */
#pragma once

#include <stdint.h>

static inline int bits_lowest(uint64_t bits)
{
    return __builtin_ctzll(bits);
}

static inline int bits_highest(uint64_t bits)
{
    return 63 - __builtin_clzll(bits);
}
