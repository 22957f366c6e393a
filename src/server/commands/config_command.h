/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command `belfry config`, and the flags of every command that has a configuration.
 */
#pragma once

#include "cli/frame/commands.h"
#include "server/config/config.h"

/*
 * Fills the first CONFIG_KEYS elements of an option table, one per key, so that args->value can
 * serve as config_sources.flag.
 */
void config_command_options(struct option options[CONFIG_KEYS]);

/*
 * Reads the configuration for a command.  `file` may be NULL; `args` must belong to a table
 * from config_command_options().  Uses the environment and the user of the process.
 */
MUST_USE enum rc config_command_load(const char *file, const struct args *args,
                                     struct config **ret, struct err *reterr);

/* The same, but prints errors and unknown variables, and returns an exit status. */
int config_command_require(const char *file, const struct args *args, struct config **ret);

/* The first call fills its option table. */
const struct command *config_command(void);
