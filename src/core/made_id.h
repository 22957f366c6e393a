/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The id of a schedule whose maker gave it none: milliseconds, then chance.  Pure.
 *
 * In the order of bytes ids are in the order in which they were made, to the millisecond, so
 * that in an index of names a new one goes beside the last one and not to a page of its own.
 * Only chance keeps two apart: nodes need not agree, and a clock may be set back.
 */
#pragma once

#include <stdint.h>

#include "base/instant.h"

/* Letters, five bits each. */
enum {
    MADE_ID_TIME = 9,    /* milliseconds since 1970, until the year 3084       */
    MADE_ID_CHANCE = 12, /* 2^30 ids of the same millisecond are likely apart  */
    MADE_ID = MADE_ID_TIME + MADE_ID_CHANCE,
};

/* Without a closing zero.  A time before 1970, or after 3084, is the first, or the last. */
void made_id(instant now, uint64_t chance, char text[static MADE_ID]);
