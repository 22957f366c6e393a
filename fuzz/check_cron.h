/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must hold for every struct cron that a parser made, and for every error.
 */
#pragma once

#include <stddef.h>

#include "base/err.h"
#include "base/must.h"
#include "core/cron/cron.h"

static inline void check_error(enum rc rc, const struct err *err, size_t text_len)
{
    must(rc == RC_INVALID && err->rc == rc);
    must(err->at >= 0 && err->len >= 0);
    must((size_t)err->at + (size_t)err->len <= text_len);
    must(err->text[0] != '\0');
}

/* Search forward and backward agree: nothing matches between `from` and what was found. */
static inline void check_search(const struct cron *cron, int64_t from)
{
    for (int i = 0; i < 3; i++) {
        int64_t next = cron_next_local(cron, from), before;

        if (next == LOCAL_NEVER) {
            must(cron_prev_local(cron, DAY_MAX * DAY_SECONDS) < from);
            return;
        }
        must(next >= from);
        must(cron_matches(cron, next));
        must(cron_prev_local(cron, next) == next);
        before = cron_prev_local(cron, next - 1);
        must(before < from);
        must(before == LOCAL_NONE || cron_next_local(cron, before + 1) == next);
        from = next + 1;
    }
}

static inline void check_cron(const struct cron *cron)
{
    static const int64_t starts[] = {
        INT64_C(-62135596800), /* 0001-01-01              */
        0,
        INT64_C(1709164799), /* 2024-02-28, last second */
        INT64_C(3981398400), /* 2096-03-01              */
        INT64_C(7258118399), /* 2199-12-31, last second */
    };
    struct cron again = *cron;

    again.flags &= CRON_DAY_AND | CRON_INTERVAL | CRON_ANY_YEAR | CRON_FRACTION;
    must(cron_is_valid(&again));
    cron_seal(&again);
    must(again.flags == cron->flags && again.first_tod == cron->first_tod &&
         again.last_tod == cron->last_tod);
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        check_search(cron, starts[i]);
}
