/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking the person before something that cannot be undone.
 */
#pragma once

#include "base/err.h"

/*
 * "QUESTION [y/N]" on standard error, an answer from standard input: STATUS_OK for yes,
 * STATUS_FAILED for anything else.  Where standard input is no terminal there is nobody to
 * ask: STATUS_USAGE, and it says that --yes is needed.
 */
int confirm(const char *query, ...) PRINTF(1, 2);
