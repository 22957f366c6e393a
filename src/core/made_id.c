/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the generated id of a schedule.
 */
#include "core/made_id.h"

#include "base/base32.h"

#define TIME_LAST ((INT64_C(1) << (BASE32_BITS * MADE_ID_TIME)) - 1)

void made_id(instant now, uint64_t random_bits, char text[static MADE_ID_LEN])
{
    int64_t ms = now / SPAN_MS;

    ms = ms < 0 ? 0 : ms > TIME_LAST ? TIME_LAST : ms;
    base32_put((uint64_t)ms, MADE_ID_TIME, text);
    base32_put(random_bits, MADE_ID_RANDOM, text + MADE_ID_TIME);
}
