/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands that read the database themselves, whether or not a server runs on it.
 *
 * Their tables of options begin with OFFLINE_OPTION_ROWS.  They find the database as the
 * daemon does, and only ever read it.
 */
#pragma once

#include "cli/frame/args.h"
#include "db/db.h"

enum offline_option {
    OFFLINE_DB,
    OFFLINE_STATE_DIR,
    OFFLINE_FILE,
    OFFLINE_HELP,
    OFFLINE_OPTIONS /* where a command's own begin: its .own_from */
};

#define OFFLINE_OPTION_ROWS                                                               \
    [OFFLINE_DB] = {"db", '\0', "URL",                                                    \
                    "sqlite:FILE or postgres://…; default as the daemon's"},              \
    [OFFLINE_STATE_DIR] = {"state-dir", '\0', "DIR", "where the daemon keeps belfry.db"}, \
    [OFFLINE_FILE] = {"file", 'f', "FILE", "the daemon's configuration; default none"},   \
    [OFFLINE_HELP] = {"help", 'h', NULL, "print this"}

/*
 * A connection that reads.  What is not STATUS_OK has been told, and is what the command ends
 * with.  `options->readonly` must be set.
 */
int offline_open(const struct args *args, const struct db_options *options, struct db **ret);
