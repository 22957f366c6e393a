/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks for confirmation before a change that cannot be undone.
 */
#pragma once

#include "base/err.h"

/*
 * Prints "QUERY [y/N]" on standard error and reads the reply from standard input: STATUS_OK for
 * yes, STATUS_FAILED for anything else.  If standard input is not a terminal, returns
 * STATUS_USAGE after a message that --yes is needed.
 */
int confirm(const char *query, ...) PRINTF(1, 2);
