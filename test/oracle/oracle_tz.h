/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The zone reader of the oracle: TZif (RFC 9636, versions 1 to 4) in the simplest way.
 *
 * It scans explicit transitions from the last to the first.  After the last one it computes the
 * rule of the footer for the years around the instant, on each call.  No table, no index, no
 * shared code with src/.
 */
#pragma once

#include <stdint.h>

#define ORACLE_NO_CHANGE INT64_MAX

struct oracle_tz;

/* NULL if the file cannot be read, is not a TZif file, or counts leap seconds. */
struct oracle_tz *oracle_tz_load(const char *path);

/* A zone that is always `offset` seconds east of UTC. */
struct oracle_tz *oracle_tz_fixed(int32_t offset);

void oracle_tz_free(struct oracle_tz *tz);

/* Seconds east of UTC at an instant in the years 1-9999. */
int32_t oracle_tz_offset(const struct oracle_tz *tz, int64_t instant);

/*
 * The first instant after the given one at which the offset changes, or ORACLE_NO_CHANGE.
 * Transitions that keep the offset are skipped.
 */
int64_t oracle_tz_change(const struct oracle_tz *tz, int64_t instant);
