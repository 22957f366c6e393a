/* SPDX-License-Identifier: Apache-2.0 */
#include "core/made_id.h"

enum { LETTER_BITS = 5 };

#define TIME_LAST ((INT64_C(1) << (LETTER_BITS * MADE_ID_TIME)) - 1)

/* The lowest bits of `n`, the highest of them first. */
static void put(char *text, int count, uint64_t n)
{
    static const char letters[] = "0123456789abcdefghjkmnpqrstvwxyz"; /* as bytes are sorted */

    while (count-- > 0) {
        text[count] = letters[n & 31];
        n >>= LETTER_BITS;
    }
}

void made_id(instant now, uint64_t chance, char text[static MADE_ID])
{
    int64_t ms = now / SPAN_MS;

    ms = ms < 0 ? 0 : ms > TIME_LAST ? TIME_LAST : ms;
    put(text, MADE_ID_TIME, (uint64_t)ms);
    put(text + MADE_ID_TIME, MADE_ID_CHANCE, chance);
}
