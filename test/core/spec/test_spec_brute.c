/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole specs compared with brute force: the written rules are applied to every second of some
 * days, and the result is compared with next, prev, walk, count, and with the same spec packed
 * and unpacked.
 *
 * test/oracle checks the rules for clock changes, so entries here use `literal`.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/spec/spec_pack.h"
#include "zones.h"

enum {
    CASES = 220,
    DAYS = 4,   /* days whose slots are compared              */
    MARGIN = 3, /* days before and after that may affect them */
    SECONDS = (DAYS + 2 * MARGIN) * DAY_SECONDS,
    LIST_MAX = 4,
};

static uint64_t random_state = 0x9e3779b97f4a7c15u;

static int below(int n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (int)(random_state % (uint64_t)n);
}

static bool one_in(int n)
{
    return below(n) == 0;
}

/* All data of one case; the def points into it. */
struct brute_case {
    struct spec_def def;
    struct cron_def cron[LIST_MAX];
    struct calendar_def calendars[LIST_MAX], not_calendars[LIST_MAX];
    struct interval_def intervals[LIST_MAX];
    int32_t times[LIST_MAX], not_dates[LIST_MAX];
    instant at[LIST_MAX];
    int64_t base;     /* the first UTC second that is tested          */
    int64_t midnight; /* first second of the local day that is tested */
    bool raw[SECONDS], slot[SECONDS];
    int opens[SECONDS]; /* the first second from here on that is inside the window */
    struct spec spec;
};

static const char *const crons[] = {
    "*/7 * * * *", "0 9-17 * * MON-FRI", "30 2 * * *",     "15 10,22 * * *", "*/20 5 */3 * * *",
    "0 0 1 * *",   "0 0 L * *",          "5 4 * * SUN",    "0 12 15W * *",   "59 23 * * *",
    "0 1 * * *",   "*/11 */13 * * * *",  "10 0 0 * * 2#2", "0 */6 * * *",
};

static const char *const zone_names[] = {
    "UTC", "America/New_York", "Europe/London", "Australia/Lord_Howe", "Asia/Kathmandu",
};

/* Days on which clocks change somewhere in the list, and quiet ones. */
static const int days_of_interest[] = {19792, 20029, 19813, 20022, 20002, 19820, 19700, 20500};

static const struct calendar_text exclusions[] = {
    {.second = {"*", 1}, .minute = {"*", 1}, .hour = {"*", 1}, .weekday = {"SAT,SUN", 7}},
    {.second = {"*", 1}, .minute = {"*", 1}, .hour = {"0-5", 3}},
    {.second = {"*", 1}, .minute = {"0-29", 4}, .hour = {"*", 1}},
    {.second = {"0-30", 4}, .minute = {"*", 1}, .hour = {"*", 1}, .weekday = {"MON", 3}},
    {.second = {"*/2", 3}, .minute = {"*", 1}, .hour = {"*", 1}},
    {.second = {"*", 1}, .minute = {"*", 1}, .hour = {"*", 1}, .day = {"10-14", 5}},
};

static struct str pick_zone(void)
{
    return str_of(zone_names[below((int)(sizeof zone_names / sizeof *zone_names))]);
}

static void make_lists(struct brute_case *c)
{
    static const int everies[] = {1,    7,    60,    90,    900,    3600,
                                  5400, 7000, 50000, 86400, 100000, 200000};
    struct spec_def *def = &c->def;

    def->cron_count = below(3);
    for (int i = 0; i < def->cron_count; i++) {
        c->cron[i].expr = str_of(crons[below((int)(sizeof crons / sizeof *crons))]);
        if (one_in(3))
            c->cron[i].zone = pick_zone();
    }
    def->interval_count = one_in(2);
    for (int i = 0; i < def->interval_count; i++) {
        struct interval_def *interval = &c->intervals[i];

        interval->anchor = (enum anchor)below(3);
        interval->every = everies[below(12)] * SPAN_S;
        interval->phase = interval->anchor == ANCHOR_START
                              ? 0
                              : below((int)(interval->every / SPAN_S)) * SPAN_S;
    }
    def->time_count = below(3);
    for (int i = 0; i < def->time_count; i++)
        c->times[i] = below(24) * 3600 + below(4) * 900;
    def->at_count = one_in(3) ? 1 + below(2) : 0;
    for (int i = 0; i < def->at_count; i++)
        c->at[i] = instant_of_seconds(c->base + below(SECONDS));
    def->calendar_count = one_in(4);
    c->calendars[0].text = (struct calendar_text){.hour = {"3,13", 4}, .minute = {"*/25", 4}};
}

static void make_exclusions(struct brute_case *c)
{
    struct spec_def *def = &c->def;

    def->not_calendar_count = below(3);
    for (int i = 0; i < def->not_calendar_count; i++)
        c->not_calendars[i].text = exclusions[below(6)];
    def->not_date_count = below(3);
    for (int i = 0; i < def->not_date_count; i++)
        c->not_dates[i] = (int32_t)(c->base / DAY_SECONDS) + MARGIN - 1 + below(DAYS + 2);
    /* Shifting each second of a day is valid but slow. */
    if (one_in(2) && (def->interval_count == 0 || c->intervals[0].every >= SPAN_MIN))
        def->shift = one_in(2) ? SHIFT_NEXT : SHIFT_PREVIOUS;
}

static void make_case(struct brute_case *c)
{
    struct spec_def *def = &c->def;

    memset(c, 0, sizeof *c);
    *def = spec_def_empty();
    c->base = (int64_t)(days_of_interest[below(8)] - MARGIN - DAYS / 2) * DAY_SECONDS;
    def->cron = c->cron;
    def->calendars = c->calendars;
    def->not_calendars = c->not_calendars;
    def->intervals = c->intervals;
    def->times = c->times;
    def->not_dates = c->not_dates;
    def->at = c->at;
    def->zone = pick_zone();
    def->dst = (struct dst_rule){.name = DST_LITERAL};
    make_lists(c);
    if (one_in(2))
        make_exclusions(c);
    if (one_in(2)) {
        def->window.is_set = true;
        def->window.from = below(24) * 3600 + below(2) * 1800;
        def->window.to = below(24) * 3600 + below(2) * 1800 + below(60);
        def->window.rule = one_in(2) ? WINDOW_FILTER : WINDOW_CLAMP;
    }
    if (one_in(3))
        def->start = instant_of_seconds(c->base + (MARGIN + below(2)) * DAY_SECONDS) +
                     below(2) * SPAN_MS;
    if (one_in(3))
        def->end = instant_of_seconds(c->base + (MARGIN + 4) * DAY_SECONDS + below(90000));
}

static int64_t local_of(const struct tz *tz, int64_t s)
{
    return s + tz_offset(tz, s);
}

static const struct tz *own_zone(const struct brute_case *c)
{
    return c->spec.zones[0].tz;
}

static bool interval_hits(const struct brute_case *c, const struct interval_def *interval,
                          int64_t s, instant created)
{
    int64_t every = interval->every / SPAN_S, phase = interval->phase / SPAN_S;

    if (interval->anchor == ANCHOR_EPOCH)
        return (s - phase) % every == 0;
    if (interval->anchor == ANCHOR_START)
        return s > created / SPAN_S && (s - created / SPAN_S) % every == 0;
    return s >= c->midnight + phase && (s - c->midnight - phase) % every == 0;
}

/* `skips_start_intervals`: ignore the interval that counts from runs; there is at most one. */
static bool is_raw(const struct brute_case *c, int64_t s, instant created,
                   bool skips_start_intervals)
{
    for (int i = 0; i < c->spec.entry_count; i++) {
        const struct entry *entry = &c->spec.entries[i];

        if (skips_start_intervals && entry->kind == ENTRY_INTERVAL &&
            entry->interval.anchor == ANCHOR_START)
            continue;
        if (entry->kind == ENTRY_CRON
                ? cron_matches(&entry->cron, local_of(c->spec.zones[entry->zone].tz, s))
                : interval_hits(c, &entry->interval, s, created))
            return true;
    }
    for (int i = 0; i < c->def.at_count; i++)
        if (c->at[i] == instant_of_seconds(s))
            return true;
    return false;
}

static bool day_is_excluded(const struct brute_case *c, int64_t day)
{
    for (int i = 0; i < c->def.not_date_count; i++)
        if (c->not_dates[i] == day)
            return true;
    for (int i = 0; i < c->spec.not_cron_count; i++) {
        const struct cron *cron = &c->spec.not_crons[i];

        if (cron->second == (UINT64_C(1) << 60) - 1 &&
            cron->minute == (UINT64_C(1) << 60) - 1 && cron->hour == (1u << 24) - 1 &&
            cron_matches(cron, day * DAY_SECONDS))
            return true;
    }
    return false;
}

static bool is_excluded(const struct brute_case *c, int64_t s)
{
    int64_t local = local_of(own_zone(c), s);

    for (int i = 0; i < c->def.not_date_count; i++)
        if (c->not_dates[i] == floor_div(local, DAY_SECONDS))
            return true;
    for (int i = 0; i < c->spec.not_cron_count; i++)
        if (cron_matches(&c->spec.not_crons[i], local))
            return true;
    return false;
}

static bool is_inside(const struct brute_case *c, int64_t s)
{
    const struct window_def *window = &c->def.window;
    int64_t local = local_of(own_zone(c), s);
    int64_t tod = local - floor_div(local, DAY_SECONDS) * DAY_SECONDS;

    if (!window->is_set)
        return true;
    return window->from <= window->to ? tod >= window->from && tod <= window->to
                                      : tod >= window->from || tod <= window->to;
}

static int64_t day_at(const struct brute_case *c, int64_t s)
{
    return floor_div(local_of(own_zone(c), s), DAY_SECONDS);
}

/* The second at which `day` first has the time of day `tod`, or the first one after it. */
static int64_t find_local(const struct tz *tz, int64_t day, int64_t tod)
{
    int64_t local = day * DAY_SECONDS + tod, s = local - 30 * 3600;
    int64_t early = local - tz_offset(tz, s);

    /* Without a clock change no search is needed. */
    if (local_of(tz, early) == local)
        return early;
    while (local_of(tz, s) < local)
        s++;
    return s;
}

/* True if the slot counts from a run on `day` or later. */
static bool counts_from_this_day(const struct brute_case *c, int64_t s, int64_t day,
                                 instant created)
{
    return c->def.shift == SHIFT_PREVIOUS && !is_raw(c, s, created, true) &&
           day_at(c, s - c->intervals[0].every / SPAN_S) >= day;
}

/* Where a raw slot is moved if its day is excluded; INT64_MIN: it is dropped. */
static int64_t shifted(const struct brute_case *c, int64_t s, instant created)
{
    int64_t local = local_of(own_zone(c), s), day = floor_div(local, DAY_SECONDS);
    int64_t target = day;

    if (c->def.shift == SHIFT_NONE || !day_is_excluded(c, day))
        return s;
    for (int i = 0; i < MARGIN && day_is_excluded(c, target); i++)
        target += c->def.shift == SHIFT_NEXT ? 1 : -1;
    if (day_is_excluded(c, target) || counts_from_this_day(c, s, target, created))
        return INT64_MIN;
    return find_local(own_zone(c), target, local - day * DAY_SECONDS);
}

static void brute_force(struct brute_case *c, instant created)
{
    c->midnight = find_local(own_zone(c), day_at(c, c->base), 0);
    for (int i = 0; i < SECONDS; i++) {
        if (day_at(c, c->base + i) != day_at(c, c->base + i - 1))
            c->midnight = c->base + i;
        c->raw[i] = is_raw(c, c->base + i, created, false);
    }
    for (int i = SECONDS - 1; i >= 0; i--)
        c->opens[i] = is_inside(c, c->base + i) ? i
                      : i + 1 < SECONDS         ? c->opens[i + 1]
                                                : SECONDS;
    for (int i = 0; i < SECONDS; i++) {
        int64_t s = c->base + i;

        if (!c->raw[i] || instant_of_seconds(s) < c->def.start)
            continue;
        s = shifted(c, s, created);
        if (s == INT64_MIN || instant_of_seconds(s) < c->def.start || is_excluded(c, s) ||
            instant_of_seconds(s) > c->def.end)
            continue;
        if (!is_inside(c, s) && c->def.window.rule == WINDOW_FILTER)
            continue;
        if (!is_inside(c, s)) {
            s = s < c->base ? s : c->base + c->opens[s - c->base];
            if (is_excluded(c, s))
                continue;
        }
        if (instant_of_seconds(s) <= c->def.end && s >= c->base && s < c->base + SECONDS)
            c->slot[s - c->base] = true;
    }
}

static void compare(const struct brute_case *c, const struct spec *spec,
                    const struct spec_ctx *ctx, int number)
{
    int64_t from = c->base + MARGIN * DAY_SECONDS, to = from + DAYS * DAY_SECONDS;
    instant expected_prev = INSTANT_NONE;
    struct spec_walk walk;
    struct slot slot, walked;
    int64_t count = 0;
    bool more = spec_next(spec, ctx, instant_of_seconds(from) - 1, &slot);

    spec_walk_begin(&walk, spec, ctx, instant_of_seconds(from) - 1);
    for (int64_t s = from; s < to; s++) {
        instant t = instant_of_seconds(s);
        bool expected = c->slot[s - c->base];

        if (expected != (more && slot.at == t))
            fail_msg("case %d at second %lld: %s by brute force, next is %lld", number,
                     (long long)s, expected ? "a slot" : "no slot",
                     more ? (long long)(slot.at / SPAN_S) : -1);
        if (!expected)
            continue;
        count++;
        assert_true(spec_walk_next(&walk, &walked));
        assert_true(walked.at == t);
        if (expected_prev != INSTANT_NONE) {
            assert_true(spec_prev(spec, ctx, t, &walked));
            if (walked.at != expected_prev)
                fail_msg("case %d: before %lld comes %lld, got %lld", number, (long long)s,
                         (long long)(expected_prev / SPAN_S), (long long)(walked.at / SPAN_S));
        }
        expected_prev = t;
        more = spec_next(spec, ctx, t, &slot);
    }
    assert_int_equal(
        spec_count(spec, ctx, instant_of_seconds(from) - 1, instant_of_seconds(to) - 1), count);
}

static void random_specs_agree_with_brute_force(void **state)
{
    static struct brute_case c;
    static char packed[SPEC_PACKED_MAX + 1];
    struct zone_source zones = {.find = zone_find};
    struct arena *arena = arena_new(16 << 20);
    struct err err;

    (void)state;
    for (int number = 0; number < CASES; number++) {
        struct buf out = BUF(packed);
        struct spec_ctx ctx;
        struct spec again;

        make_case(&c);
        arena_reset(arena);
        if (spec_compile(&c.def, STR(""), &zones, arena, &c.spec, &err) != RC_OK)
            fail_msg("case %d: %s: %s", number, err.field, err.text);
        ctx = spec_ctx(instant_of_seconds(c.base + 77));
        brute_force(&c, ctx.created);
        compare(&c, &c.spec, &ctx, number);
        spec_pack(&c.spec, &out);
        assert_false(out.cut);
        assert_int_equal(spec_unpack(out.ptr, out.len, arena, &again, &err), RC_OK);
        assert_int_equal(spec_bind(&again, &zones, &err), RC_OK);
        compare(&c, &again, &ctx, number);
    }
    arena_free(arena);
}

/*
 * While a run is open, an interval that counts from the ends of runs has only the slot that was
 * due before.  The spec has this slot and those of its other entries.
 */
static void the_kept_slot_of_an_open_run_is_in_every_spec(void **state)
{
    static struct brute_case c;
    struct zone_source zones = {.find = zone_find};
    struct arena *arena = arena_new(16 << 20);
    struct err err;
    int kept = 0;

    (void)state;
    for (int number = 0; number < CASES; number++) {
        instant created, from;
        struct spec_ctx ctx;
        struct spec more;
        struct slot slot;

        make_case(&c);
        arena_reset(arena);
        assert_int_equal(spec_compile(&c.def, STR(""), &zones, arena, &c.spec, &err), RC_OK);
        created = instant_of_seconds(c.base + 77);
        brute_force(&c, created);
        c.intervals[c.def.interval_count++] = (struct interval_def){
            .every = (1 + below(30)) * SPAN_H + below(3600) * SPAN_S,
            .anchor = ANCHOR_COMPLETION};
        assert_int_equal(spec_compile(&c.def, STR(""), &zones, arena, &more, &err), RC_OK);
        from = instant_of_seconds(c.base + MARGIN * DAY_SECONDS + below(DAYS * DAY_SECONDS));
        ctx = spec_ctx(created);
        if (!spec_next(&more, &ctx, from, &slot) ||
            slot.at >= instant_of_seconds(c.base + SECONDS))
            continue;
        kept += !c.slot[slot.at / SPAN_S - c.base];
        c.slot[slot.at / SPAN_S - c.base] = true;
        ctx.last_start = created;
        ctx.kept = slot.at;
        compare(&c, &more, &ctx, number);
    }
    assert_true(kept > CASES / 20); /* some of them belong to that interval only */
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_specs_agree_with_brute_force),
        cmocka_unit_test(the_kept_slot_of_an_open_run_is_in_every_spec),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
