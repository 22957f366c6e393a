/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line as a whole: which command, and its options.
 */
#pragma once

struct command;

/*
 * `argv[0]` is the program's name; `extra` are commands that live above this layer.
 * Returns the exit status.
 */
int cli_main(int argc, char **argv, const struct command *const *extra, int count);
