/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random expressions for the comparison, valid in their dialect by construction.
 *
 * It does not write what the documents leave open: steps above the number of values; in quartz
 * and aws names with steps, names mixed with numbers, and steps of all values; ranges that wrap
 * in aws; a star with a step next to the other day field in github and cloudscheduler; and
 * lists that contain a plain star.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "compare_prng.h"
#include "oracle_dialect.h"

/*
 * Writes an expression that is likely to match near a local second (seconds since 1970-01-01
 * 00:00 local).  With is_common it avoids rare days, so that ten slots are within weeks.
 */
void compare_text(struct compare_prng *prng, const struct oracle_dialect *dialect,
                  int64_t local, bool is_common, char ret[static 256]);
