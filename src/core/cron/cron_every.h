/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intervals in cron texts: the durations of `@every` and the words of `rate(...)`.
 *
 * Pure.
 */
#pragma once

#include "base/err.h"
#include "base/instant.h"
#include "base/str.h"
#include "core/cron/cron_grammar.h"

/*
 * `text` is what follows `@every`; columns count from `origin`.  *ret_phase is 0 but where the
 * dialect has D/P.  Both are whole seconds.
 */
MUST_USE enum rc cron_every_parse(struct str text, const char *origin, enum cron_every rule,
                                  span *ret_every, span *ret_phase, struct err *reterr);

/* "5 minutes": what stands between the parentheses of rate(). */
MUST_USE enum rc cron_rate_parse(struct str text, const char *origin, span *ret,
                                 struct err *reterr);
