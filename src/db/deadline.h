/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A deadline that the kernel keeps, so that this layer need not read a clock: a timer whose
 * descriptor becomes readable when the time is over.  It counts monotonic time.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

struct deadline {
    int fd; /* for poll(); -1 when closed */
    int ms;
};

/* RC_BUSY when the process has no descriptor left. */
enum rc deadline_open(int ms, struct deadline *ret, struct err *reterr);
void deadline_close(struct deadline *deadline);

/* Counts from now, whatever it counted before. */
void deadline_start(const struct deadline *deadline);
bool deadline_is_over(const struct deadline *deadline);
