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
    bool waits; /* for the first look */
};

/* RC_BUSY when the process has no descriptor left. */
enum rc deadline_open(int ms, struct deadline *ret, struct err *reterr);
void deadline_close(struct deadline *deadline);

/* Counts from now, whatever it counted before. */
void deadline_start(struct deadline *deadline);
/* Counts from the first look at it: for what is mostly done before anybody looks. */
void deadline_start_late(struct deadline *deadline);
bool deadline_is_over(struct deadline *deadline);
