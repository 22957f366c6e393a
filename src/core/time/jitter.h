/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A delay by stable hash: the same schedule and slot always get the same.  Pure.
 */
#pragma once

#include "base/instant.h"
#include "base/str.h"

/* Less than `most`, whole milliseconds, from the seed and the slot's nominal time. */
span jitter_delay(struct str seed, instant nominal, span most);
