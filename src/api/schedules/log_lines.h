/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Log lines that a worker sends with its reports, packed for the store.
 */
#pragma once

#include "base/arena.h"
#include "base/instant.h"
#include "wire/json/json.h"

enum { LOG_LINES_MAX = 1000 }; /* lines of a list; a text is limited only by its bytes */

/*
 * `value` is a list of lines, or one text that is split at line ends.  All lines get the time
 * `now`.  RC_LIMIT if they need more than LOG_PART_MAX bytes.
 */
MUST_USE enum rc log_lines_read(const json_t *value, instant now, struct arena *arena,
                                struct str *ret, struct err *reterr);
