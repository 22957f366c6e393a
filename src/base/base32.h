/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Five bits as one letter: what ids and tokens are written in.
 *
 * Digits and small letters without i, l, o and u, which people take for others; in the order
 * of bytes, so that texts sort as their numbers do.
 */
#pragma once

#include <stdint.h>

enum { BASE32_BITS = 5 };

/* The letter of the lowest five bits. */
char base32_letter(uint64_t bits);

/* Back; -1: it is none. */
int base32_value(char letter);

/* The lowest bits of `n` as `count` letters, the highest of them first; no zero behind them. */
void base32_put(uint64_t n, int count, char *text);
