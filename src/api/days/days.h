/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handlers of the operations on days of schedules, for the table of operations.
 */
#pragma once

#include "api/call/operation.h"

/* day_list.c */
call_fn day_list_begin;
call_read_fn day_list_read;

/* day_quantiles.c */
call_fn lateness_begin, durations_begin;
call_read_fn day_quantiles_read;
