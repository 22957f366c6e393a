/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far long work has come: one line on standard error, drawn again and again, when that is
 * a terminal, and nothing when it is not.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/instant.h"

struct progress {
    const char *what; /* "Copying", before the bar */
    bool is_terminal, is_drawn;
    instant next; /* of the steady clock: not drawn before */
};

void progress_open(struct progress *progress, const char *what);

/* `all` 0: nobody knows how much there is. */
void progress_show(struct progress *progress, int64_t done, int64_t all);

/* Takes the line away. */
void progress_close(struct progress *progress);
