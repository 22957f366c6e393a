/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line as a whole: which command, and its options.
 */
#pragma once

/* `argv[0]` is the program's name.  Returns the exit status. */
int cli_main(int argc, char **argv);
