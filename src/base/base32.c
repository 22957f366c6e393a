/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The alphabet of base 32, and letters to and from numbers.
 */
#include "base/base32.h"

#include <string.h>

static const char letters[] = "0123456789abcdefghjkmnpqrstvwxyz";

char base32_letter(uint64_t bits)
{
    return letters[bits & 31];
}

int base32_value(char letter)
{
    const char *at = memchr(letters, letter, sizeof letters - 1);

    return at ? (int)(at - letters) : -1;
}

void base32_put(uint64_t n, int count, char *text)
{
    while (count-- > 0) {
        text[count] = base32_letter(n);
        n >>= BASE32_BITS;
    }
}
