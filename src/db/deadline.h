/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A deadline kept by the kernel, so that this layer need not read a clock: a timer whose
 * descriptor becomes readable when the time is over.  It counts monotonic time.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

struct deadline {
    int fd; /* for poll(); -1 when closed */
    int ms;
    bool starts_at_check; /* not started yet: the first check does it */
};

/* RC_BUSY if the process has no descriptor left. */
enum rc deadline_open(int ms, struct deadline *ret, struct err *reterr);
void deadline_close(struct deadline *deadline);

/* Restarts the deadline now. */
void deadline_start(struct deadline *deadline);
/* Starts the deadline at the first check: for work that mostly ends before any check. */
void deadline_start_at_check(struct deadline *deadline);
bool deadline_is_over(struct deadline *deadline);
