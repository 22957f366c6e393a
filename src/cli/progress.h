/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bar on standard error while something takes long; nothing where that is no terminal.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct progress {
    const char *what;
    int64_t all;      /* 0: nobody knows; then only the count is shown */
    int64_t shown_at; /* clock_boot_us() of the last time              */
    int64_t shown;    /* columns that the last line took               */
    bool is_terminal;
};

/* `what` is kept: a few words, such as "backfill". */
void progress_begin(struct progress *progress, const char *what, int64_t all);
/* As often as one likes: the line is written ten times a second at the most. */
void progress_set(struct progress *progress, int64_t done);
/* The line goes. */
void progress_end(struct progress *progress);
