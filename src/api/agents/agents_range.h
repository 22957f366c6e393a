/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time range of a request: the parameters `from` and `to` of the agents' API.
 */
#pragma once

#include "api/call/call.h"

struct agents_range {
    instant from, until; /* until is exclusive; INSTANT_NONE and _NEVER: not set */
};

/* UTC dates, `to` being the last day, or RFC 3339 times. */
MUST_USE enum rc agents_range_read(const struct call *call, struct agents_range *ret,
                                   struct err *reterr);
