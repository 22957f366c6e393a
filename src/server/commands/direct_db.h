/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For commands that read the database directly.  A server may use it at the same time.
 *
 * Their option tables begin with DIRECT_DB_OPTION_ROWS.  They find the database as the server
 * does, and never write to it.
 */
#pragma once

#include "cli/frame/args.h"
#include "db/db.h"

enum direct_db_option {
    DIRECT_DB_URL,
    DIRECT_DB_STATE_DIR,
    DIRECT_DB_FILE,
    DIRECT_DB_HELP,
    DIRECT_DB_OPTIONS /* the first option of the command itself: its .own_from */
};

#define DIRECT_DB_OPTION_ROWS                                                            \
    [DIRECT_DB_URL] = {"db", '\0', "URL", NULL,                                          \
                       "sqlite:FILE or postgres://… (default: the server's)"},           \
    [DIRECT_DB_STATE_DIR] = {"state-dir", '\0', "DIR", NULL,                             \
                             "state directory (default: the server's)"},                 \
    [DIRECT_DB_FILE] = {"file", 'f', "FILE", NULL, "configuration file (default none)"}, \
    [DIRECT_DB_HELP] = {"help", 'h', NULL, NULL, "print this help"}

/*
 * Opens a connection for reading.  `options->readonly` must be set.  On failure it prints the
 * error and returns the exit status for the command.
 */
int direct_db_open(const struct args *args, const struct db_options *options, struct db **ret);
