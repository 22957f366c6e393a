/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the server's address and the access token of a command.
 */
#pragma once

#include "base/err.h"

enum { TOKEN_MAX = 256 }; /* with the final zero; Belfry's tokens have fewer than 100 bytes */

#define SERVER_DEFAULT "http://127.0.0.1:7227"

/* Help of the options that all commands with a server have. */
#define SERVER_HELP "server URL (default BELFRY_SERVER, else\n" SERVER_DEFAULT ")"
#define TOKEN_HELP  "access token (default BELFRY_TOKEN, else the file\n~/.config/belfry/token)"
#define CACERT_HELP \
    "trusted certificates, PEM (default BELFRY_CACERT,\nelse those of the system)"
#define NAMESPACE_HELP "namespace (default BELFRY_NAMESPACE, else the\nserver's default)"

/* `given`, else the environment variable if it is set and not empty, else `fallback`. */
const char *setting_find(const char *given, const char *variable, const char *fallback);

/*
 * `given`, else BELFRY_TOKEN, else the first line of belfry/token in XDG_CONFIG_HOME or
 * ~/.config; "" when none is set.  RC_INVALID for a file that other users can read and for a
 * malformed token.
 */
MUST_USE enum rc token_find(const char *given, char ret[static TOKEN_MAX], struct err *reterr);
