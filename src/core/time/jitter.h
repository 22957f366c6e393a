/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The delay that jitter adds to a slot: a stable hash, so the same schedule and slot always
 * get the same delay.  Pure.  docs/semantics.md [T-61].
 */
#pragma once

#include "base/instant.h"
#include "base/str.h"

/* The part of a jitter that has an effect: at most 2^32 - 1 ms, 49.7 days, as in Temporal. */
span jitter_effective(span most);

/*
 * Whole milliseconds, less than jitter_effective(most) unless that is 0, from the seed and the
 * slot's nominal time.
 */
span jitter_delay(struct str seed, instant nominal, span most);
