/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a zone's table is made, segment by segment; for tz.c and tz_parse.c alone.
 *
 * Pure.  tz_begin() once, tz_add() in order of time, tz_end() once; the caller has made
 * sure that TZ_SEGMENTS_MAX is enough.
 */
#pragma once

#include <stdint.h>

#include "base/str.h"
#include "core/time/tz.h"

/* An empty table without a cycle, with `offset` in force from the beginning of time. */
void tz_begin(struct tz *tz, struct str name, int32_t offset);

/*
 * From `start` on `offset` is in force.  A second call for the same start replaces the
 * first; an offset that is in force already adds nothing.
 */
void tz_add(struct tz *tz, int64_t start, int32_t offset);

/* Closes the table: the last segment, the calm parts and the buckets. */
void tz_end(struct tz *tz);
