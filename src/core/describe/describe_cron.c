/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describes one cron: times of day, then days.
 */
#include "core/describe/describe.h"
#include "core/describe/describe_parts.h"

void describe_capitalise(struct buf *out, size_t at)
{
    char *c = out->ptr + at;

    if (at < out->len && *c >= 'a' && *c <= 'z')
        *c = (char)(*c - ('a' - 'A'));
}

void describe_cron_phrase(const struct cron *cron, struct buf *out)
{
    bool needs_daily = describe_time(cron, cron->flags & CRON_EVERY_DAY, out);

    describe_days(cron, needs_daily, out);
    /* A search from 1970 covers all years of a list, and otherwise all kinds of year. */
    if (cron_next_day(cron, 0) > DAY_MAX)
        buf_text(out, " (no such day exists)");
}

void describe_cron(const struct cron *cron, struct buf *out)
{
    size_t at = out->len;

    describe_cron_phrase(cron, out);
    describe_capitalise(out, at);
}
