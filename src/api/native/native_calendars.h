/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints a named calendar, for its own operations and for exports.
 */
#pragma once

#include "api/call/answer.h"
#include "store/named_objects.h"

/* "dates":[…] */
void calendar_print_dates(struct str days, struct arena *scratch, struct answer *out);
