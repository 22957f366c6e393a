/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explains why a spec has no more slots.
 */
#include "core/describe/describe_words.h"
#include "core/explain/explain_parts.h"
#include "core/time/text.h"

enum { LEAP_YEAR = 2000 }; /* any leap year: February is longest */

/* The lowest day of the month in the expression; 0 if a match may be on another day. */
static int lowest_day(const struct cron *cron)
{
    bool plain = (cron->near | cron->last | cron->last_near) == 0 && cron->day != 0;

    if (!plain || !(cron->flags & CRON_DAY_AND))
        return 0;
    return __builtin_ctz(cron->day);
}

/* "February has no day 30" */
static bool write_short_months(const struct cron *cron, struct buf *out)
{
    int day = lowest_day(cron);

    for (int month = 1; month <= MONTHS; month++)
        if ((cron->month >> month & 1) && month_days(LEAP_YEAR, month) >= day)
            return false;
    words_ranges(out, cron->month, words_month);
    buf_printf(out, " %s no day %d", cron->month & (cron->month - 1) ? "have" : "has", day);
    return true;
}

static int last_year(const struct cron *cron)
{
    for (int i = 3; i >= 0; i--)
        if (cron->year[i])
            return CRON_YEAR_MIN + i * 64 + 63 - __builtin_clzll(cron->year[i]);
    return 0;
}

static bool write_cron_never(const struct cron *cron, instant after, struct buf *out)
{
    int64_t today = floor_div(instant_seconds(after), DAY_SECONDS);
    bool has_years = !(cron->flags & CRON_ANY_YEAR);

    if (write_short_months(cron, out))
        return true;
    if (has_years && last_year(cron) > 0 && last_year(cron) < date_of_day(today).year) {
        buf_printf(out, "its last year is %d", last_year(cron));
        return true;
    }
    if (cron_next_day(cron, 0) > DAY_MAX) {
        buf_text(out, "no day of any year matches");
        return true;
    }
    return false;
}

/* Entries have more slots, but exclusions, window or bounds remove them. */
static bool write_all_removed(const struct spec *spec, const struct spec_ctx *ctx,
                              instant after, struct buf *out)
{
    struct explain why;

    for (int i = 0; i < explain_count(spec); i++) {
        struct entry copy;
        struct spec alone = explain_alone(spec, i, &copy);
        struct slot slot;

        if (!spec_next(&alone, ctx, after, &slot))
            continue;
        if (explain_removal(spec, ctx, slot.at, &why)) {
            buf_text(out, "its next time would be ");
            instant_format(slot.at, out);
            buf_text(out, ", but ");
            buf_text(out, why.text);
        } else {
            buf_text(out, "exclusions and the window remove all its times");
        }
        return true;
    }
    return false;
}

void explain_never(const struct spec *spec, const struct spec_ctx *ctx, instant after,
                   struct buf *out)
{
    struct slot last;

    if (explain_count(spec) == 0) {
        buf_text(out, "the spec has no entries");
        return;
    }
    if (write_all_removed(spec, ctx, after, out))
        return;
    if (explain_count(spec) == 1 && spec->entry_count == 1 &&
        spec->entries[0].kind == ENTRY_CRON &&
        write_cron_never(&spec->entries[0].cron, after, out))
        return;
    if (after < INSTANT_MAX && spec_prev(spec, ctx, after + 1, &last)) {
        buf_text(out, "its last time was ");
        instant_format(last.at, out);
    } else {
        buf_text(out, "no time of any year matches");
    }
}
