/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds the table of a zone, segment by segment.  For tz.c and tz_parse.c only.
 *
 * Pure.  Call tz_begin() once, tz_add() in ascending order of time, tz_end() once.  The caller
 * must make sure that TZ_SEGMENTS_MAX is enough.
 */
#pragma once

#include <stdint.h>

#include "base/str.h"
#include "core/time/tz.h"

/* Starts a table without a cycle, with `offset` in force from the beginning of time. */
void tz_begin(struct tz *tz, struct str name, int32_t offset);

/*
 * Puts `offset` in force from `start` on.  A second call for the same start replaces the
 * first; an offset that is already in force adds nothing.
 */
void tz_add(struct tz *tz, int64_t start, int32_t offset);

/* Completes the table: the closing segment, the calm parts and the buckets. */
void tz_end(struct tz *tz);
