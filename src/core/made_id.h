/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The id of a schedule that was created without one: milliseconds, then random bits.  Pure.
 *
 * Byte order is order of creation, to the millisecond, so a new id goes next to the last one in
 * an index of names and not to another page.  Only the random bits make ids unique: nodes need
 * not coordinate, and a clock may be set back.
 */
#pragma once

#include <stdint.h>

#include "base/instant.h"

/* Numbers of letters, five bits each. */
enum {
    MADE_ID_TIME = 9,    /* milliseconds since 1970, until the year 3084              */
    MADE_ID_RANDOM = 12, /* 60 bits: 2^30 ids of one ms collide in 2 of 5 cases */
    MADE_ID_LEN = MADE_ID_TIME + MADE_ID_RANDOM,
};

/* Writes no terminating zero.  A time outside 1970 to 3084 is replaced by the nearest. */
void made_id(instant now, uint64_t random_bits, char text[static MADE_ID_LEN]);
