/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What compare.c asks of the implementation under test.
 *
 * One adapter is linked into each build of the driver.  It holds no opinion: it hands text to
 * the implementation and numbers back.  Instants are microseconds since the epoch, UTC.
 */
#pragma once

#include <stdint.h>

/* Whose slots: the text in its dialect, the zone by name, and the rule for clock changes. */
struct subject_query {
    const char *dialect;
    const char *expr;
    const char *zone; /* holds unless the text has a TZ= prefix */
    const char *dst;  /* NULL: the dialect's own; else vixie, literal, once, last, shift, or
                         "gap/fold" of skip|next|shift and first|last|both */
};

/* Before anything else, with the directory of TZif files.  0, or -1. */
int subject_open(const char *zoneinfo_dir);

/*
 * The first `n` slots strictly after `after_us`, ascending.  Returns how many there are (fewer
 * than n: nothing follows), or -1 when the query is rejected.
 */
int subject_next(const struct subject_query *query, int64_t after_us, int n, int64_t *ret_us);

/* The last `n` slots strictly before `before_us`, descending.  Returns as subject_next. */
int subject_prev(const struct subject_query *query, int64_t before_us, int n, int64_t *ret_us);

/* How many slots are after `from_us` and not after `to_us`; -1 when the query is rejected. */
int64_t subject_count(const struct subject_query *query, int64_t from_us, int64_t to_us);

/* Seconds east of UTC at a second since the epoch.  0, or -1 when there is no such zone. */
int subject_offset(const char *zone, int64_t utc_s, int32_t *ret);
