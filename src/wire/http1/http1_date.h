/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dates of HTTP (RFC 9110 section 5.6.7) and Retry-After (section 10.2.3).
 *
 * Whole seconds in GMT.  The caller passes `now`.  The calendar is computed here because wire
 * must not depend on core; the fuzz target compares the two.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/instant.h"
#include "base/str.h"

enum { HTTP1_DATE_LEN = 29 };

/* Appends "Sun, 06 Nov 1994 08:49:37 GMT", limited to years 1 to 9999; without fractions. */
void http1_date_format(instant t, struct buf *out);

/*
 * Parses that form and the two old ones that every reader must accept, "Sunday, 06-Nov-94
 * 08:49:37 GMT" (a year more than 50 ahead of `now` is in the past) and "Sun Nov  6 08:49:37
 * 1994".  The weekday must match the date.
 */
MUST_USE enum rc http1_date_parse(struct str text, instant now, instant *ret,
                                  struct err *reterr);

/*
 * A number of seconds from `now`, limited to INSTANT_MAX, or a date, which may be in the past.
 */
MUST_USE enum rc http1_date_retry_after(struct str text, instant now, instant *ret,
                                        struct err *reterr);
