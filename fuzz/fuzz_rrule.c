/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as DTSTART and RRULE lines.  Searching a valid rule forward and backward must give the
 * same instances, both near DTSTART and far from it.
 */
#include <stdint.h>

#include "base/must.h"
#include "check_cron.h"
#include "core/limits.h"
#include "core/rrule/rrule.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

enum { STEPS = 4 };

#define LOCAL_FIRST (DAY_MIN * DAY_SECONDS)
#define LOCAL_LAST  (DAY_MAX * DAY_SECONDS + DAY_SECONDS - 1)

/* Checks instances after `from`; false: the search found none. */
static bool check_search_of(const struct rrule *rule, int64_t from)
{
    for (int i = 0; i < STEPS; i++) {
        int64_t next = rrule_next_local(rule, from), before;

        if (next == LOCAL_NEVER)
            return i > 0;
        must(next >= from && next >= rule->start && next <= rule->until_local);
        must(next <= LOCAL_LAST);
        must(rrule_next_local(rule, next) == next);
        must(rrule_prev_local(rule, next) == next);
        before = rrule_prev_local(rule, next - 1);
        must(before < from || before < rule->start);
        must(before == LOCAL_NONE || before >= rule->start);
        from = next + 1;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct str text = {(const char *)bytes, len}, zone;
    struct rrule rule;
    struct err err;
    enum rc rc = rrule_parse(text, &rule, &zone, &err);

    if (rc != RC_OK) {
        check_error(rc, &err, len);
        return 0;
    }
    must(zone.len <= ZONE_NAME_MAX);
    must(rrule_is_valid(&rule));
    /* A rule that never matches takes the full search time: one search is enough. */
    if (!check_search_of(&rule, LOCAL_FIRST))
        return 0;
    check_search_of(&rule, rule.start + INT64_C(1000000007));
    check_search_of(&rule, INT64_C(100000000000));
    check_search_of(&rule, LOCAL_LAST - DAY_SECONDS);
    return 0;
}
