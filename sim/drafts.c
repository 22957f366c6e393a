/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws schedules at random.
 *
 * Durations are multiples of the world's unit, so that a schedule of any speed falls due some
 * dozens of times; wall-clock patterns depend on the speed.
 */
#include "sim/drafts.h"

#include <stdio.h>
#include <string.h>

#include "base/must.h"

enum {
    TRIES_MAX = 20, /* combinations that a spec rejects are drawn again */
    ATS_MAX = 4,
    TIMES_MAX = 3,
    DATES_MAX = 2,
};

static const char *const crons[SPEED_COUNT][6] = {
    [SPEED_SECONDS] = {"* * * * *", "*/7 * * * * *", "30 * * * * *", "*/2 * * * *",
                       "10-40/5 * * * * *", "*/5 * * * *"},
    [SPEED_HOURS] = {"*/15 * * * *", "0 * * * *", "5,35 * * * *", "30 1-3 * * *", "0 2 * * *",
                     "*/30 0-4 * * *"},
    [SPEED_DAYS] = {"0 * * * *", "0 */6 * * *", "30 2 * * *", "0 9 * * 1-5", "15 1 * * *",
                    "0 0 * * *"},
};

static const char *const zones[] = {
    "", "UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kolkata",
};

static const enum dst_name dst_names[] = {
    DST_DEFAULT, DST_DEFAULT, DST_DEFAULT, DST_LITERAL, DST_ONCE, DST_LAST, DST_SHIFT,
};

static bool chance(const struct draft_context *d, uint64_t of)
{
    return prng_chance(d->prng, 1, of);
}

static span units(const struct draft_context *d, int64_t low, int64_t high)
{
    return prng_between(d->prng, low, high) * d->profile->unit;
}

/* Some time of this world, in whole seconds. */
static instant some_time(const struct draft_context *d)
{
    span all = d->profile->trouble + d->profile->drain;

    return instant_of_seconds(instant_seconds(d->profile->begin) +
                              prng_between(d->prng, 0, all / SPAN_S));
}

/* The families of entries. */

static void draw_interval(const struct draft_context *d, struct interval_def *interval)
{
    uint64_t which = prng_below(d->prng, 6);

    interval->every = chance(d, 4) ? units(d, 1, 3) : units(d, 2, 60);
    interval->anchor = which == 0   ? ANCHOR_START
                       : which == 1 ? ANCHOR_COMPLETION
                       : which == 2 ? ANCHOR_MIDNIGHT
                                    : ANCHOR_EPOCH;
    if (interval->anchor == ANCHOR_EPOCH && chance(d, 2))
        interval->phase = interval->every / 4 / SPAN_S * SPAN_S;
}

/* The second one counts from starts, so that a start of a slot of the first one moves it. */
static void add_interval(const struct draft_context *d, struct spec_def *def)
{
    def->intervals = arena_array(d->arena, 2, sizeof *def->intervals);
    def->interval_count = chance(d, 3) ? 2 : 1;
    for (int i = 0; i < def->interval_count; i++)
        draw_interval(d, &def->intervals[i]);
    if (def->interval_count == 2)
        def->intervals[1].anchor = ANCHOR_START, def->intervals[1].phase = 0;
}

static void add_cron(const struct draft_context *d, struct spec_def *def)
{
    struct cron_def *cron = arena_take(d->arena, sizeof *cron);

    cron->expr = str_of(crons[d->profile->speed][prng_below(d->prng, 6)]);
    cron->dialect = DIALECT_BELFRY;
    def->cron = cron;
    def->cron_count = 1;
}

static void add_times(const struct draft_context *d, struct spec_def *def)
{
    int count = (int)prng_between(d->prng, 1, TIMES_MAX);

    def->times = arena_array(d->arena, (size_t)count, sizeof *def->times);
    for (int i = 0; i < count; i++)
        def->times[i] = (int32_t)(instant_seconds(some_time(d)) % DAY_SECONDS);
    def->time_count = count;
}

static void add_ats(const struct draft_context *d, struct spec_def *def)
{
    int count = (int)prng_between(d->prng, 1, ATS_MAX);

    def->at = arena_array(d->arena, (size_t)count, sizeof *def->at);
    for (int i = 0; i < count; i++)
        def->at[i] = some_time(d);
    if (chance(d, 4))
        def->at[0] = INSTANT_NONE;
    def->at_count = count;
}

static void add_family(const struct draft_context *d, struct spec_def *def)
{
    switch (prng_below(d->prng, 8)) {
    case 0:
        add_times(d, def);
        break;
    case 1:
        add_ats(d, def);
        break;
    case 2:
    case 3:
    case 4:
        add_cron(d, def);
        break;
    default:
        add_interval(d, def);
        break;
    }
}

/* Parts that shape a spec. */

static void add_exclusions(const struct draft_context *d, struct spec_def *def)
{
    int32_t day = (int32_t)(instant_seconds(d->profile->begin) / DAY_SECONDS);
    int count = (int)prng_between(d->prng, 1, DATES_MAX);

    def->not_dates = arena_array(d->arena, (size_t)count, sizeof *def->not_dates);
    for (int i = 0; i < count; i++)
        def->not_dates[i] = day + i;
    def->not_date_count = count;
}

/*
 * Over a day in the middle of the world; the days before and after may have slots of their own.
 */
static void add_shift(const struct draft_context *d, struct spec_def *def)
{
    int32_t day = (int32_t)(instant_seconds(d->profile->begin) / DAY_SECONDS);

    def->not_dates = arena_array(d->arena, 1, sizeof *def->not_dates);
    def->not_dates[0] = day + (int32_t)prng_between(d->prng, 1, 2);
    def->not_date_count = 1;
    def->shift = chance(d, 3) ? SHIFT_NEXT : SHIFT_PREVIOUS;
}

static void add_window(const struct draft_context *d, struct spec_def *def)
{
    int32_t from = (int32_t)(instant_seconds(some_time(d)) % DAY_SECONDS);
    int32_t length = (int32_t)(units(d, 30, 200) / SPAN_S % (DAY_SECONDS / 2));

    def->window = (struct window_def){
        .is_set = true,
        .from = from,
        .to = (from + length) % DAY_SECONDS,
        .rule = chance(d, 2) ? WINDOW_CLAMP : WINDOW_FILTER,
    };
}

static void shape(const struct draft_context *d, struct spec_def *def)
{
    def->zone = str_of(zones[prng_below(d->prng, sizeof zones / sizeof *zones)]);
    def->dst.name = dst_names[prng_below(d->prng, sizeof dst_names / sizeof *dst_names)];
    if (chance(d, 4))
        def->jitter = units(d, 1, 10);
    if (chance(d, 6))
        def->start = some_time(d);
    if (chance(d, 6))
        def->end = some_time(d);
    if (chance(d, 8))
        add_exclusions(d, def);
    if (d->profile->speed == SPEED_DAYS && chance(d, 3))
        add_shift(d, def);
    if (chance(d, 8))
        add_window(d, def);
}

/* Counts from starts or ends. */
static void add_follower(const struct draft_context *d, struct spec_def *def)
{
    add_interval(d, def);
    def->intervals[0].anchor = chance(d, 3) ? ANCHOR_START : ANCHOR_COMPLETION;
    def->intervals[0].phase = 0;
}

static struct spec_def draw_def(const struct draft_context *d)
{
    struct spec_def def = spec_def_empty();

    if (d->profile->theme == THEME_FOLLOW && !chance(d, 3))
        add_follower(d, &def);
    else
        add_family(d, &def);
    if (chance(d, 4))
        add_family(d, &def);
    shape(d, &def);
    return def;
}

/* Policies. */

static void draw_retry(const struct draft_context *d, struct policies *p)
{
    p->retry = (struct retry_policy){
        .attempts = (int32_t)prng_between(d->prng, 1, 4),
        .backoff = chance(d, 2) ? BACKOFF_FIXED : BACKOFF_EXPONENTIAL,
        .delay = units(d, 0, 4),
        .max = units(d, 4, 16),
        .jitter = chance(d, 3) ? units(d, 1, 2) : 0,
    };
}

static void draw_lease(const struct draft_context *d, struct policies *p)
{
    p->timeout = chance(d, 2) ? units(d, 2, 10) : 0;
    p->max_run_time = units(d, 10, 40);
    p->lease = units(d, 3, 15);
    p->heartbeat = p->lease / 3;
    p->grace = units(d, 1, 4);
}

struct str drafts_gate(int which)
{
    static const struct str names[SIM_GATES] = {
        {"gate-a", sizeof "gate-a" - 1},
        {"gate-b", sizeof "gate-b" - 1},
    };

    return names[which];
}

static void draw_gate(const struct draft_context *d, struct policies *p)
{
    int which = (int)prng_below(d->prng, SIM_GATES);

    p->gate = drafts_gate(which);
    p->gate_limit = d->profile->gate_limit[which];
}

static struct policies draw_policies(const struct draft_context *d)
{
    struct policies p = policies_default();

    p.overlap = (enum overlap)prng_below(d->prng, OVERLAP_COUNT);
    p.catchup = (enum catchup)prng_below(d->prng, CATCHUP_COUNT);
    if (chance(d, 2))
        p.buffer_limit = (int32_t)prng_between(d->prng, 1, 5);
    if (chance(d, 3))
        p.catchup_window = units(d, 0, 40);
    /* Derived, not drawn: the other choices of a world stay the same. */
    p.expires_at_start = p.catchup_window != CATCHUP_WINDOW_NONE &&
                         p.catchup_window / SPAN_MS % 3 != 0;
    p.catchup_paused = chance(d, 4);
    p.drop_when_full = chance(d, 2);
    /* A buffer for one slot soon has no room for the next: make slots wait for it. */
    if (p.buffer_limit == 1) {
        p.overlap = OVERLAP_BUFFER_ALL;
        p.catchup = CATCHUP_ALL;
    }
    p.pause_on_failure = chance(d, 8);
    p.approval = chance(d, 10);
    p.at_most_once = chance(d, 6);
    p.wants_last = chance(d, 6);
    if (chance(d, 3))
        p.priority = (int32_t)prng_between(d->prng, PRIORITY_MIN, PRIORITY_MAX);
    if (chance(d, 5))
        p.remaining_runs = prng_between(d->prng, 1, 20);
    if (chance(d, 6))
        p.start_within = units(d, 2, 20);
    draw_retry(d, &p);
    draw_lease(d, &p);
    if (chance(d, 4))
        draw_gate(d, &p);
    if (chance(d, 4))
        p.lateness_budget = units(d, 1, 5);
    if (chance(d, 8))
        p.retention_count = (int32_t)prng_between(d->prng, 1, 10);
    if (chance(d, 8))
        p.idle_close = units(d, 5, 40);
    if (d->profile->theme != THEME_NONE) {
        p.retention_count = 0;
        if (chance(d, 2))
            p.overlap = chance(d, 2) ? OVERLAP_SKIP : OVERLAP_ALLOW_ALL;
    }
    return p;
}

static void draw_governor(const struct draft_context *d, struct rec_draft *r)
{
    r->is_governed = true;
    r->governor_backoff = chance(d, 2);
    r->governor_min = r->governor_max = 0;
    if (chance(d, 3))
        r->governor_min = units(d, 1, 5);
    if (chance(d, 3))
        r->governor_max = units(d, 20, 60);
    r->governor_interval = 0;
    r->def = spec_def_empty();
    if (chance(d, 3)) {
        r->governor_interval = units(d, 2, 30); /* the only baseline without a grid */
        return;
    }
    add_cron(d, &r->def);
    if (chance(d, d->profile->theme == THEME_GOVERNED ? 1 : 3))
        shape(d, &r->def);
    if (d->profile->theme == THEME_GOVERNED && chance(d, 3))
        add_window(d, &r->def);
    r->def.jitter = 0;
}

struct str drafts_queue(int which)
{
    static const struct str names[SIM_QUEUES] = {
        {"queue-a", sizeof "queue-a" - 1},
        {"queue-b", sizeof "queue-b" - 1},
    };

    return names[which];
}

static void draw_lane(const struct draft_context *d, struct rec_draft *r)
{
    uint64_t which = prng_below(d->prng, 5);

    r->lane = which < 2 ? LANE_PULL : which < 4 ? LANE_HTTP : LANE_EXEC;
    if (r->lane == LANE_PULL)
        r->queue = drafts_queue((int)prng_below(d->prng, SIM_QUEUES));
}

/* The engine gets the calendar by name; the judge reads its days as dates. */
static void name_calendar(const struct draft_context *d, struct spec_def *def,
                          struct spec_def *written)
{
    static struct str name[] = {{SIM_CALENDAR, sizeof SIM_CALENDAR - 1}};
    int count = def->not_date_count, more = d->profile->holiday_count;
    int32_t *dates = arena_array(d->arena, (size_t)(count + more), sizeof *dates);

    def->not_named = name;
    def->not_named_count = 1;
    for (int i = 0; i < count; i++)
        dates[i] = def->not_dates[i];
    for (int i = 0; i < more; i++)
        dates[count + i] = d->profile->holidays[i];
    written->not_dates = dates;
    written->not_date_count = count + more;
}

/* RC_OK if the spec accepts the combination. */
static enum rc compile(const struct draft_context *d, struct rec_draft *r, struct plan *ret)
{
    struct spec_def def = r->def;
    struct err err;
    enum rc rc;

    if (!r->is_governed && chance(d, 8))
        name_calendar(d, &def, &r->def);
    *ret = (struct plan){
        .policies = r->policies,
        .is_governed = r->is_governed,
        .governor_backoff = r->governor_backoff,
        .governor_interval = r->governor_interval,
        .governor_min = r->governor_min,
        .governor_max = r->governor_max,
        .lane = r->lane,
        .seed = r->seed,
    };
    rc = spec_compile(&def, r->seed, d->zones, d->arena, &ret->spec, &err);
    if (rc == RC_OK)
        ret->follows = plan_follows(ret);
    return rc;
}

struct checked_draft *drafts_make(const struct draft_context *d)
{
    struct checked_draft *checked = arena_take(d->arena, sizeof *checked);
    struct rec_draft *r = &checked->record;

    r->seed = d->name;
    r->is_disabled = chance(d, 16);
    r->sets_pause = chance(d, 4);
    r->is_paused = chance(d, r->sets_pause ? 2 : 16);
    r->trigger = chance(d, 8);
    for (int i = 0; i < TRIES_MAX; i++) {
        r->policies = draw_policies(d);
        draw_lane(d, r);
        r->is_governed = false;
        if (chance(d, d->profile->theme == THEME_GOVERNED ? 2 : 8))
            draw_governor(d, r);
        else
            r->def = draw_def(d);
        if (compile(d, r, &checked->draft.plan) == RC_OK)
            break;
        must(i + 1 < TRIES_MAX);
    }
    if (!r->is_governed && r->def.jitter == 0)
        r->def.jitter = d->profile->jitter; /* the engine adds it to plans without jitter */
    checked->draft.queue = r->queue;
    checked->draft.spec = STR("{}");
    checked->draft.action = STR("{\"kind\":\"sim\"}");
    checked->draft.policies = STR("{}");
    checked->draft.description = STR("");
    checked->draft.is_disabled = r->is_disabled;
    checked->draft.is_paused = r->is_paused;
    checked->draft.sets_pause = r->sets_pause;
    checked->draft.trigger = r->trigger;
    return checked;
}
