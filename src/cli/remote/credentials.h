/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a command finds its server and its token.
 */
#pragma once

#include "base/err.h"

enum { TOKEN_MAX = 256 }; /* with its end; ours have less than 100 bytes */

#define SERVER_DEFAULT "http://127.0.0.1:7227"

/* `given`, else the variable, else `fallback`; empty ones count as absent. */
const char *setting_find(const char *given, const char *variable, const char *fallback);

/*
 * `given`, else BELFRY_TOKEN, else the first line of belfry/token below XDG_CONFIG_HOME or
 * ~/.config; "" when there is none.  A file that others may read is refused, and so is what
 * cannot be a token.
 */
MUST_USE enum rc token_find(const char *given, char ret[static TOKEN_MAX], struct err *reterr);
