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

/* Letters, five bits each. */
enum {
    MADE_ID_TIME = 9,    /* milliseconds since 1970, until the year 3084              */
    MADE_ID_CHANCE = 12, /* 60 random bits: 2^30 ids of one millisecond likely differ */
    MADE_ID = MADE_ID_TIME + MADE_ID_CHANCE,
};

/* Writes no terminating zero.  A time outside 1970 to 3084 counts as the nearest inside. */
void made_id(instant now, uint64_t chance, char text[static MADE_ID]);
