/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measurements that need a process of their own: this program starts itself again.
 */
#pragma once

#include "base/instant.h"

enum { CHILD_ARGUMENTS = 6 };

/* Resident kilobytes after a turn without due schedules. */
int64_t child_idle(const char *url, instant now);

/* Microseconds from the start of a process to the first dispatch of its engine. */
int64_t child_first(const char *url, instant now);

/* The child itself; returns the exit code. */
int child_main(char **arguments);
