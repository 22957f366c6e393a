/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often a spec runs, for warnings about frequent schedules.
 */
#pragma once

#include "api/call/call.h"

enum { RUN_RATE_ROUNDS = 5 }; /* enough for an estimate if a week has too many slots to count */

/* Average slots per day in the week after `after`; `rounds` as for schedule_times_count(). */
int64_t run_rate_per_day(const struct plan *plan, const struct spec_ctx *ctx, instant after,
                         int rounds);

/* Returns true and prints a warning if that exceeds the server's plan_warn_per_day. */
bool run_rate_warn(const struct call *call, int64_t per_day, struct buf *out);
