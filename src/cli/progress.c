/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/instant.h"
#include "io/clock.h"

enum { BAR = 30 };

#define BETWEEN (100 * SPAN_MS)

void progress_begin(struct progress *progress, const char *what, int64_t all)
{
    *progress = (struct progress){.what = what, .all = all};
    progress->is_terminal = isatty(STDERR_FILENO);
}

void progress_set(struct progress *progress, int64_t done)
{
    int64_t now = clock_boot_us();
    char bar[BAR + 1];
    int full, n;

    if (!progress->is_terminal ||
        (progress->shown_at > 0 && now - progress->shown_at < BETWEEN))
        return;
    progress->shown_at = now;
    full = progress->all > 0 && done < progress->all ? (int)(done * BAR / progress->all) : BAR;
    for (int i = 0; i < BAR; i++)
        bar[i] = i < full ? '#' : '.';
    bar[BAR] = '\0';
    if (progress->all > 0)
        n = fprintf(stderr, "\r%s [%s] %lld of %lld", progress->what, bar, (long long)done,
                    (long long)progress->all);
    else
        n = fprintf(stderr, "\r%s %lld", progress->what, (long long)done);
    fflush(stderr);
    if (n > progress->shown)
        progress->shown = n;
}

void progress_end(struct progress *progress)
{
    if (progress->shown > 0)
        fprintf(stderr, "\r%*s\r", (int)progress->shown, "");
    fflush(stderr);
    progress->shown = 0;
}
