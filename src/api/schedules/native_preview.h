/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often a spec runs, for everyone who warns of it.
 */
#pragma once

#include "api/call/call.h"

enum { PREVIEW_ROUNDS = 5 }; /* where a week is too much to count, so much of it tells enough */

/* Slots a day, in the week after `after`; `rounds` as of schedule_times_count(). */
int64_t preview_per_day(const struct plan *plan, const struct spec_ctx *ctx, instant after,
                        int rounds);

/* True and a phrase when that is more than the owner of the server finds usual. */
bool preview_is_often(const struct call *call, int64_t per_day, struct buf *out);
