/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From when to when: the parameters `from` and `to` of the agents' API.
 */
#pragma once

#include "api/call/call.h"

struct agents_range {
    instant from, until; /* until is not of it; INSTANT_NONE and _NEVER: not said */
};

/* Dates of UTC, of which `to` is the last day, or moments of RFC 3339. */
MUST_USE enum rc agents_range_read(const struct call *call, struct agents_range *ret,
                                   struct err *reterr);
