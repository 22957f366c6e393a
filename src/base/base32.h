/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Base 32: five bits per letter.  Ids and tokens are written in it.
 *
 * The alphabet has the digits and the lower-case letters without i, l, o and u, which people
 * misread.  It is in byte order, so texts sort like their numbers.
 */
#pragma once

#include <stdint.h>

enum { BASE32_BITS = 5 };

/* The letter for the lowest five bits. */
char base32_letter(uint64_t bits);

/* The five bits of a letter; -1 if it is not in the alphabet. */
int base32_value(char letter);

/* Writes the lowest bits of `n` as `count` letters, highest first; no terminating zero. */
void base32_put(uint64_t n, int count, char *text);
