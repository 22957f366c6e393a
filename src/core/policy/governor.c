/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of [P-30], one function per step.
 */
#include "core/policy/governor.h"

#include "base/must.h"
#include "core/limits.h"

static bool hints_are_valid(const struct governor *g, instant now)
{
    return g->hint_expires > now;
}

static span backed_off(const struct governor *g)
{
    int32_t failures = g->has_backoff ? g->failures : 0;

    must(g->interval >= 0 && g->interval <= DURATION_DAYS_MAX * SPAN_DAY);
    if (failures > GOVERNOR_BACKOFF_MAX)
        failures = GOVERNOR_BACKOFF_MAX;
    return g->interval << (failures < 0 ? 0 : failures);
}

static struct governed baseline(const struct governor *g, instant now)
{
    if (g->interval > 0)
        return (struct governed){instant_after(now, backed_off(g)), SOURCE_BASELINE_INTERVAL};
    return (struct governed){g->baseline, SOURCE_BASELINE_CRON};
}

/*
 * With both hints the earlier one applies, on a tie the interval, and the baseline is ignored.
 * An interval hint alone replaces the baseline even if it is later; a one-shot alone applies
 * only if it is earlier than the baseline.
 */
static struct governed choose(const struct governor *g, instant now)
{
    struct governed base = baseline(g, now);
    bool has_interval = hints_are_valid(g, now) && g->hint_interval > 0;
    bool has_shot = hints_are_valid(g, now) && g->hint_at != INSTANT_NEVER;
    struct governed interval = {INSTANT_NEVER, SOURCE_AI_INTERVAL};
    struct governed shot = {g->hint_at, SOURCE_AI_ONESHOT};

    if (has_interval)
        interval.at = instant_after(now, g->hint_interval);
    if (has_interval && has_shot)
        return shot.at < interval.at ? shot : interval;
    if (has_interval)
        return interval;
    return has_shot && shot.at < base.at ? shot : base;
}

static struct governed clamped(const struct governor *g, instant now, struct governed chosen)
{
    instant low = instant_after(now, g->min), high = instant_after(now, g->max);

    must(g->min >= 0 && g->max >= 0);
    if (g->min > 0 && chosen.at < low)
        chosen = (struct governed){low, SOURCE_CLAMPED_MIN};
    if (g->max > 0 && chosen.at > high)
        chosen = (struct governed){high, SOURCE_CLAMPED_MAX};
    must(g->max == 0 || chosen.at <= high);
    must(g->min == 0 || chosen.at >= low || (g->max > 0 && g->max < g->min));
    return chosen;
}

struct governed governor_next(const struct governor *g, instant now)
{
    struct governed chosen;

    /* `now` and the hints may come from a damaged row. */
    now = instant_clamp(now);
    chosen = choose(g, now);
    /* Only a wall-clock slot or a one-shot can be in the past: it runs at once. */
    if (chosen.at < now)
        chosen.at = now;
    chosen = clamped(g, now, chosen);
    if (g->paused_until > now)
        chosen = (struct governed){g->paused_until, SOURCE_PAUSED};
    must(chosen.at >= now); /* or it would run again at once, without end */
    return chosen;
}

instant governor_nudge(const struct governor *g, instant now, instant current, instant wanted)
{
    struct governed asked = {wanted, SOURCE_AI_INTERVAL};

    if (g->paused_until > now)
        return current;
    asked = clamped(g, now, asked);
    return asked.at < current ? asked.at : current;
}

void governor_tidy(struct governor *g, instant started, instant ended)
{
    if (!hints_are_valid(g, ended)) {
        g->hint_interval = 0;
        g->hint_at = INSTANT_NEVER;
        g->hint_expires = INSTANT_NONE;
    } else if (g->hint_at <= started) {
        g->hint_at = INSTANT_NEVER;
    }
}

const char *source_text(enum source source)
{
    static const char *const names[SOURCE_COUNT] = {
        [SOURCE_BASELINE_CRON] = "baseline-cron",
        [SOURCE_BASELINE_INTERVAL] = "baseline-interval",
        [SOURCE_AI_INTERVAL] = "ai-interval",
        [SOURCE_AI_ONESHOT] = "ai-oneshot",
        [SOURCE_CLAMPED_MIN] = "clamped-min",
        [SOURCE_CLAMPED_MAX] = "clamped-max",
        [SOURCE_PAUSED] = "paused",
    };

    must(source >= 0 && source < SOURCE_COUNT);
    return names[source];
}
