/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines that a worker sends with its reports, as the store packs them.
 */
#pragma once

#include "base/arena.h"
#include "base/instant.h"
#include "wire/json/json.h"

enum { LOG_LINES_MAX = 1000 }; /* of one report */

/*
 * A list of lines, or one text that is cut at its line ends.  All have the time `now`.
 * RC_LIMIT when they take more than LOG_PART_MAX.
 */
MUST_USE enum rc log_lines_read(const json_t *value, instant now, struct arena *arena,
                                struct str *ret, struct err *reterr);
