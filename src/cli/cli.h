/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entry point of the command line: finds the command and runs it with its options.
 */
#pragma once

struct command;

/*
 * `argv[0]` is the program's name; `extra` are `count` commands of higher layers.
 * Returns the exit status.
 */
int cli_main(int argc, char **argv, const struct command *const *extra, int count);
