/* SPDX-License-Identifier: Apache-2.0 */
/*
 * belfry config, and the flags that every command with a configuration shares.
 */
#pragma once

#include "cli/frame/commands.h"
#include "server/config/config.h"

/*
 * Fills the first CONFIG_KEYS places of a table of options, one for each key, so that
 * args->value of these is config_sources.flag.
 */
void config_command_options(struct option options[CONFIG_KEYS]);

/*
 * Reads the configuration for a command: the file may be NULL, args are those of a table that
 * config_command_options() began.  Environment and user are the process's own.
 */
MUST_USE enum rc config_command_load(const char *file, const struct args *args,
                                     struct config **ret, struct err *reterr);

/* The command itself; its table of options is made at the first call. */
const struct command *config_command(void);
