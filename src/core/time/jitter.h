/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The delay that jitter adds to a slot: a stable hash, so the same schedule and slot always
 * get the same delay.  Pure.  docs/semantics.md [T-61].
 */
#pragma once

#include "base/instant.h"
#include "base/str.h"

/*
 * Whole milliseconds, less than `most` and less than 2^32 (49 days), from the seed and the
 * slot's nominal time.
 */
span jitter_delay(struct str seed, instant nominal, span most);
