/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses intervals in cron texts: the durations of `@every` and the words of `rate(...)`.
 * Pure.
 */
#pragma once

#include "base/err.h"
#include "base/instant.h"
#include "base/str.h"
#include "core/cron/cron_grammar.h"

/*
 * `text` follows `@every`; columns count from `origin`.  Both results are whole seconds;
 * *ret_phase is 0 unless the dialect has D/P.
 */
MUST_USE enum rc cron_every_parse(struct str text, const char *origin, enum cron_every rule,
                                  span *ret_every, span *ret_phase, struct err *reterr);

/* `text` is the argument of rate(), such as "5 minutes". */
MUST_USE enum rc cron_rate_parse(struct str text, const char *origin, span *ret,
                                 struct err *reterr);
