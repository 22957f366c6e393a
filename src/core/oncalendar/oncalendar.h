/* SPDX-License-Identifier: Apache-2.0 */
/*
 * systemd OnCalendar text → struct cron.  Pure.
 *
 * The grammar is that of systemd 252: [weekdays] [[year-]month-day] [hour:minute[:second]]
 * [zone], a shorthand such as `daily`, or @seconds since 1970.  What systemd-analyze refuses
 * is refused.  Also refused, for they would be read as something else than they say: signs
 * and blanks after `@`, and fractions finer than a millisecond.
 *
 * Where the program contradicts its manual, the manual holds: each item of a list after `~`
 * may be up to 28, and a step without end (`0/5:00`) begins anew in the next day or month.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "core/cron/cron.h"

/*
 * `ret_zone` points at the zone suffix in the text (len 0: none), or is a constant "UTC"
 * for that zone in any case and for @seconds.  Whether the zone exists is the caller's
 * question; only a last word that could be a zone name is taken as one.
 */
MUST_USE enum rc oncalendar_parse(struct str text, struct cron *ret, struct str *ret_zone,
                                  struct err *reterr);
