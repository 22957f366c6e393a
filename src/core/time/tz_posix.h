/* SPDX-License-Identifier: Apache-2.0 */
/*
 * POSIX TZ rules, as in the footer of a TZif file: `EST5EDT,M3.2.0,M11.1.0`.
 *
 * Pure.  Supports <quoted> names, the days Mm.w.d, Jn and n, and hours from -167 to 167.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct tz_posix_day {
    enum { TZ_DAY_JULIAN, TZ_DAY_FROM_ZERO, TZ_DAY_MONTH } kind; /* Jn | n | Mm.w.d */
    int month, week, day;
    int32_t seconds; /* local wall seconds from that day's 00:00, may be negative */
};

struct tz_posix {
    struct str std_name, dst_name;  /* parts of the rule's text */
    int32_t std_offset, dst_offset; /* seconds to add to UTC    */
    bool has_dst;
    struct tz_posix_day start, end; /* when DST begins and ends */
};

MUST_USE enum rc tz_posix_parse(struct str text, struct tz_posix *ret, struct err *reterr);

/* UTC seconds at which DST begins and ends in `year`, when has_dst. */
void tz_posix_year(const struct tz_posix *rule, int year, int64_t *ret_start, int64_t *ret_end);

/* UTC second at which `year` begins; any year, also outside YEAR_MIN to YEAR_MAX. */
int64_t tz_year_start(int year);
