/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Progress of long work: one line on standard error that is redrawn.  Prints nothing when
 * standard error is not a terminal.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/instant.h"

struct progress {
    const char *what; /* shown before the bar, such as "Copying" */
    bool is_terminal, is_drawn;
    instant next; /* clock_boot_us(); not redrawn earlier */
};

void progress_open(struct progress *progress, const char *what);

/* `all` 0: the total is unknown. */
void progress_show(struct progress *progress, int64_t done, int64_t all);

/* Erases the line. */
void progress_close(struct progress *progress);
