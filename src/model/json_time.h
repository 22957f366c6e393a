/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts instants, durations, dates and times of day to JSON strings and back.
 *
 * Used by every codec of this folder: core/time/text.h defines the grammar, this adds the rules
 * of the native JSON.
 */
#pragma once

#include "base/err.h"
#include "base/instant.h"
#include "wire/json/json.h"

/* Truncated to the millisecond, the resolution of slots. */
MUST_USE enum rc json_take_instant(const json_t *value, instant *ret, struct err *reterr);

/* Whole milliseconds.  A number is rejected with a hint, because it has no unit. */
MUST_USE enum rc json_take_duration(const json_t *value, span *ret, struct err *reterr);

MUST_USE enum rc json_take_time_of_day(const json_t *value, int32_t *ret, struct err *reterr);
MUST_USE enum rc json_take_date(const json_t *value, int32_t *ret_day, struct err *reterr);

json_t *json_of_instant(instant t);
json_t *json_of_duration(span d);
json_t *json_of_time_of_day(int32_t tod);
json_t *json_of_date(int32_t day);
