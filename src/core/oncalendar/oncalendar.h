/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses systemd OnCalendar text into a struct cron.  Pure.
 *
 * The grammar is that of systemd 252: [weekdays] [[year-]month-day] [hour:minute[:second]]
 * [zone], a shorthand such as `daily`, or @seconds since 1970.  Text that systemd-analyze
 * rejects is an error.  So are signs and blanks after `@`, and fractions finer than a
 * millisecond, because Belfry would have to read them as something else.
 *
 * Where systemd contradicts its manual, the manual applies: each item of a list after `~` may
 * be up to 28, and a step without end (`0/5:00`) starts again in the next day or month.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "core/cron/cron.h"

/*
 * `ret_zone` points to the zone suffix in the text (len 0: none), or is a constant "UTC" for
 * that zone in upper or lower case and for @seconds.  Only a last word that can be a zone name
 * is read as one; the caller checks whether the zone exists.
 */
MUST_USE enum rc oncalendar_parse(struct str text, struct cron *ret, struct str *ret_zone,
                                  struct err *reterr);
