/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dates of HTTP (RFC 9110 section 5.6.7) and Retry-After (section 10.2.3).
 *
 * Whole seconds in GMT.  `now` is handed in.  The calendar is reckoned here because wire
 * stands beside the core, not on it; the fuzz target holds the two against each other.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/instant.h"
#include "base/str.h"

enum { HTTP1_DATE_LEN = 29 };

/* Appends "Sun, 06 Nov 1994 08:49:37 GMT": the nearest in years 1 to 9999; no fractions. */
void http1_date_format(instant t, struct buf *out);

/*
 * Reads that form and the two old ones that every reader must take, "Sunday, 06-Nov-94
 * 08:49:37 GMT" (a year more than 50 ahead of `now` is of the past) and "Sun Nov  6
 * 08:49:37 1994".  The weekday must be the date's.
 */
MUST_USE enum rc http1_date_parse(struct str text, instant now, instant *ret,
                                  struct err *reterr);

/* A number of seconds from `now`, INSTANT_MAX at the most, or a date, which may be past. */
MUST_USE enum rc http1_date_retry_after(struct str text, instant now, instant *ret,
                                        struct err *reterr);
