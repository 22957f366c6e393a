/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits for the end of a run, for the commands that have --wait.
 */
#pragma once

#include "cli/remote/remote.h"

enum { WAIT_POLL_MS = 250 }; /* between two looks at what a command waits for */

#define WAIT_HELP                                          \
    "wait for the end; the exit status is 0 if the run\n"  \
    "succeeded, 3 if it failed, 4 if it timed out, 5 if\n" \
    "it was cancelled, 6 if the result is unknown"

/*
 * Waits until the run has ended and prints how: the run with -o json, a line with -o table.  If
 * it did not succeed, prints the last lines of its log to standard error and returns the
 * status of its outcome.
 */
int run_wait(struct remote *remote, const char *run);
