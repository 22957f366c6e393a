/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can only be measured in a process of its own: this program, started again.
 */
#pragma once

#include "base/instant.h"

enum { CHILD_ARGUMENTS = 6 };

/* Kilobytes that stay in memory after a turn with nothing due. */
int64_t child_idle(const char *url, instant now);

/* Microseconds from the start of a process to the first call that it hands out. */
int64_t child_first(const char *url, instant now);

/* The child itself; the exit code. */
int child_main(char **arguments);
