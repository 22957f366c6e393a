/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of the implementation under test that compare.c calls.
 *
 * Each build of the driver links one adapter, which only passes text to the implementation and
 * returns numbers.  Instants are microseconds since the epoch, UTC.
 */
#pragma once

#include <stdint.h>

/* The text in its dialect, the name of the zone, and the rule for clock changes. */
struct subject_query {
    const char *dialect;
    const char *expr;
    const char *zone; /* used unless the text has a TZ= prefix */
    /* NULL: that of the dialect; otherwise vixie, literal, once, last, shift, or "gap/fold" of
       skip|next|shift and first|last|both. */
    const char *dst;
};

/* Call it first, with the directory of TZif files.  Returns 0, or -1. */
int subject_open(const char *zoneinfo_dir);

/*
 * The first `n` slots strictly after `after_us`, ascending.  Returns how many there are (if
 * fewer than n, there are no more), or -1 if the query is rejected.
 */
int subject_next(const struct subject_query *query, int64_t after_us, int n, int64_t *ret_us);

/* The last `n` slots strictly before `before_us`, descending.  Returns like subject_next(). */
int subject_prev(const struct subject_query *query, int64_t before_us, int n, int64_t *ret_us);

/* The number of slots after `from_us` and not after `to_us`; -1 if the query is rejected. */
int64_t subject_count(const struct subject_query *query, int64_t from_us, int64_t to_us);

/* Seconds east of UTC at a second since the epoch.  Returns 0, or -1 for an unknown zone. */
int subject_offset(const char *zone, int64_t utc_s, int32_t *ret);
