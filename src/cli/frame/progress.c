/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws the progress line.
 */
#include "cli/frame/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "io/clock.h"

enum { BAR = 30 }; /* columns */

#define REDRAW_EVERY (100 * SPAN_MS)

void progress_open(struct progress *progress, const char *what)
{
    *progress = (struct progress){.what = what, .is_terminal = isatty(STDERR_FILENO) == 1};
}

void progress_show(struct progress *progress, int64_t done, int64_t all)
{
    static const char full[BAR + 1] = "##############################";
    int columns = all > 0 && done < all ? (int)((double)done / (double)all * BAR) : BAR;

    if (!progress->is_terminal || clock_boot_us() < progress->next)
        return;
    progress->next = clock_boot_us() + REDRAW_EVERY;
    progress->is_drawn = true;
    if (all > 0)
        fprintf(stderr, "\r%s [%-*.*s] %" PRId64 " of %" PRId64 "\x1b[K", progress->what, BAR,
                columns, full, done, all);
    else
        fprintf(stderr, "\r%s %" PRId64 "\x1b[K", progress->what, done);
}

void progress_close(struct progress *progress)
{
    if (progress->is_drawn)
        fputs("\r\x1b[K", stderr);
    progress->is_drawn = false;
}
