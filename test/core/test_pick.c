/* SPDX-License-Identifier: Apache-2.0 */
/*
 * docs/semantics.md [P-30], [P-31], [P-33]: the pick of an hourly schedule under each bound of
 * a spec, with each clamp and each kind of hint.  Times are computed by hand.
 */
#include "core/pick.h"

#include "draft.h"
#include "from_text.h"

#define NEVER  NULL
#define LATER  "2024-03-09T00:00:00Z" /* a hint that is valid all the time */
#define NEXT_8 "2024-03-06T08:00:00Z"
#define NEXT_0 "2024-03-06T00:00:00Z"

enum bound { PLAIN, END, DATE, WINDOW };

/* A run from 12:10:00 to `ended` on 2024-03-05. */
struct row {
    const char *what;
    enum bound bound;
    int min, max, hint; /* minutes; 0: none */
    const char *shot, *expires, *ended, *expect;
    enum source source;
};

#define ENDED "2024-03-05T12:10:05Z"
#define DAY   "2024-03-05T"

static const struct row rows[] = {
    {"plain", PLAIN, 0, 0, 0, NULL, NULL, ENDED, DAY "13:00:00Z", SOURCE_BASELINE_CRON},
    {"min", PLAIN, 120, 0, 0, NULL, NULL, ENDED, DAY "14:10:00Z", SOURCE_CLAMPED_MIN},
    {"max", PLAIN, 0, 20, 0, NULL, NULL, ENDED, DAY "12:30:00Z", SOURCE_CLAMPED_MAX},
    {"interval", PLAIN, 0, 0, 30, NULL, LATER, ENDED, DAY "12:40:00Z", SOURCE_AI_INTERVAL},
    {"shot", PLAIN, 0, 0, 0, DAY "12:20:00Z", LATER, ENDED, DAY "12:20:00Z", SOURCE_AI_ONESHOT},
    {"overrun", PLAIN, 0, 0, 0, NULL, NULL, DAY "15:30:30Z", DAY "16:00:00Z",
     SOURCE_BASELINE_CRON},
    {"overrun, max", PLAIN, 0, 20, 0, NULL, NULL, DAY "15:30:30Z", DAY "15:50:30Z",
     SOURCE_CLAMPED_MAX},
    {"overrun, hint", PLAIN, 0, 0, 30, NULL, LATER, DAY "15:30:30Z", DAY "16:00:30Z",
     SOURCE_AI_INTERVAL},
    {"overrun, hint expires", PLAIN, 0, 0, 30, NULL, DAY "15:45:00Z", DAY "15:30:30Z",
     DAY "16:00:00Z", SOURCE_BASELINE_CRON},

    {"interval expires", PLAIN, 0, 0, 30, NULL, DAY "12:40:00Z", ENDED, DAY "13:00:00Z",
     SOURCE_BASELINE_CRON},
    {"interval just valid", PLAIN, 0, 0, 30, NULL, DAY "12:40:00.001Z", ENDED, DAY "12:40:00Z",
     SOURCE_AI_INTERVAL},
    {"shot expires", PLAIN, 0, 0, 0, DAY "12:20:00Z", DAY "12:15:00Z", ENDED, DAY "13:00:00Z",
     SOURCE_BASELINE_CRON},
    {"min delays it until it expires", PLAIN, 30, 0, 0, DAY "12:20:00Z", DAY "12:30:00Z", ENDED,
     DAY "13:00:00Z", SOURCE_BASELINE_CRON},

    {"end", END, 0, 0, 0, NULL, NULL, ENDED, NEVER, SOURCE_BASELINE_CRON},
    {"end, min", END, 15, 0, 0, NULL, NULL, ENDED, NEVER, SOURCE_BASELINE_CRON},
    {"end, max", END, 0, 25, 0, NULL, NULL, ENDED, NEVER, SOURCE_CLAMPED_MAX},
    {"at the end, max", END, 0, 20, 0, NULL, NULL, ENDED, DAY "12:30:00Z", SOURCE_CLAMPED_MAX},
    {"end, interval", END, 0, 0, 30, NULL, LATER, ENDED, NEVER, SOURCE_BASELINE_CRON},
    {"before the end, interval", END, 0, 0, 10, NULL, LATER, ENDED, DAY "12:20:00Z",
     SOURCE_AI_INTERVAL},
    {"end, shot", END, 0, 0, 0, DAY "12:31:00Z", LATER, ENDED, NEVER, SOURCE_BASELINE_CRON},
    {"before the end, shot", END, 0, 0, 0, DAY "12:29:00Z", LATER, ENDED, DAY "12:29:00Z",
     SOURCE_AI_ONESHOT},

    {"date", DATE, 0, 0, 0, NULL, NULL, ENDED, NEXT_0, SOURCE_BASELINE_CRON},
    {"date, min", DATE, 780, 0, 0, NULL, NULL, ENDED, "2024-03-06T01:10:00Z",
     SOURCE_CLAMPED_MIN},
    {"date, max", DATE, 0, 20, 0, NULL, NULL, ENDED, NEXT_0, SOURCE_CLAMPED_MAX},
    {"date, interval", DATE, 0, 0, 30, NULL, LATER, ENDED, NEXT_0, SOURCE_AI_INTERVAL},
    {"date, interval expires", DATE, 0, 0, 30, NULL, DAY "13:00:00Z", ENDED, NEXT_0,
     SOURCE_BASELINE_CRON},
    {"date, shot", DATE, 0, 0, 0, DAY "12:20:00Z", LATER, ENDED, NEXT_0, SOURCE_AI_ONESHOT},

    {"window", WINDOW, 0, 0, 0, NULL, NULL, ENDED, NEXT_8, SOURCE_BASELINE_CRON},
    {"window, min", WINDOW, 1200, 0, 0, NULL, NULL, ENDED, "2024-03-06T08:10:00Z",
     SOURCE_CLAMPED_MIN},
    {"window, max", WINDOW, 0, 20, 0, NULL, NULL, ENDED, NEXT_8, SOURCE_CLAMPED_MAX},
    {"window, interval", WINDOW, 0, 0, 30, NULL, LATER, ENDED, NEXT_8, SOURCE_AI_INTERVAL},
    {"window, shot", WINDOW, 0, 0, 0, DAY "12:20:00Z", LATER, ENDED, NEXT_8, SOURCE_AI_ONESHOT},
    {"window, shot expires", WINDOW, 0, 0, 0, DAY "12:20:00Z", DAY "13:00:00Z", ENDED, NEXT_8,
     SOURCE_BASELINE_CRON},
};

static struct draft d;
static struct plan plan;

static struct pick pick_of(const struct row *row)
{
    begin_draft(&d, "UTC");
    add_cron(&d, "0 * * * *", DIALECT_BELFRY);
    if (row->bound == END)
        d.def.end = at(DAY "12:30:00Z");
    if (row->bound == DATE)
        d.not_dates[d.def.not_date_count++] = date(2024, 3, 5);
    if (row->bound == WINDOW)
        d.def.window = (struct window_def){true, 8 * 3600, 12 * 3600, WINDOW_FILTER};
    compile(&d);
    plan = (struct plan){.spec = d.spec, .is_governed = true, .created = d.ctx.created};
    return (struct pick){
        .plan = &plan,
        .ctx = &d.ctx,
        .mark = at(DAY "12:10:00Z"),
        .governor = {.baseline = INSTANT_NEVER,
                     .min = row->min * SPAN_MIN,
                     .max = row->max * SPAN_MIN,
                     .hint_interval = row->hint * SPAN_MIN,
                     .hint_at = row->shot ? at(row->shot) : INSTANT_NEVER,
                     .hint_expires = row->expires ? at(row->expires) : INSTANT_NONE,
                     .paused_until = INSTANT_NONE}};
}

static void a_pick_obeys_the_bounds_of_its_spec(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        struct pick pick = pick_of(row);
        struct governed got = pick_next(&pick, at(DAY "12:10:00Z"), at(row->ended));
        instant expect = row->expect ? at(row->expect) : INSTANT_NEVER;

        if (got.at != expect || (row->expect && got.source != row->source))
            fail_msg("%s: %lld s from what is expected, %s", row->what,
                     (long long)((got.at - expect) / SPAN_S), source_text(got.source));
    }
}

static const struct row plain = {"", PLAIN, 0, 0, 0, NULL, LATER, ENDED, NULL, 0};

static void a_hint_only_moves_a_pick_earlier(void **state)
{
    struct pick pick = pick_of(&plain);
    struct governed current = {at(DAY "13:00:00Z"), SOURCE_BASELINE_CRON};
    instant now = at(DAY "12:15:00Z");

    (void)state;
    pick.governor.hint_at = at(DAY "12:20:00Z");
    assert_true(pick_earlier(&pick, now, current, pick.governor.hint_at).at ==
                at(DAY "12:20:00Z"));
    assert_true(pick_earlier(&pick, now, current, at(DAY "13:30:00Z")).at == current.at);
    /* A time in the past is now. */
    assert_true(pick_earlier(&pick, now, current, at(DAY "12:12:00Z")).at == now);
    pick.governor.min = 10 * SPAN_MIN;
    assert_true(pick_earlier(&pick, now, current, at(DAY "12:20:00Z")).at ==
                at(DAY "12:25:00Z"));
    assert_int_equal(pick_earlier(&pick, now, current, at(DAY "12:20:00Z")).source,
                     SOURCE_CLAMPED_MIN);
    pick.governor.hint_expires = at(DAY "12:25:00Z");
    assert_true(pick_earlier(&pick, now, current, at(DAY "12:20:00Z")).at == current.at);
}

static void a_hint_does_not_move_a_pick_to_an_excluded_time(void **state)
{
    struct row row = plain;
    struct governed current = {at("2024-03-06T09:00:00Z"), SOURCE_BASELINE_CRON};
    struct pick pick;

    (void)state;
    row.bound = WINDOW;
    pick = pick_of(&row);
    pick.governor.hint_at = at(DAY "12:20:00Z");
    assert_true(pick_earlier(&pick, at(DAY "12:15:00Z"), current, pick.governor.hint_at).at ==
                at(NEXT_8));
    pick.governor.hint_expires = at(NEXT_8);
    assert_true(pick_earlier(&pick, at(DAY "12:15:00Z"), current, pick.governor.hint_at).at ==
                current.at);
}

static void a_pick_is_a_whole_millisecond_after_the_mark(void **state)
{
    struct pick pick = pick_of(&plain);

    (void)state;
    assert_true(pick_allowed(&pick, pick.mark + 1) == pick.mark + SPAN_MS);
    assert_true(pick_allowed(&pick, pick.mark) == pick.mark + SPAN_MS);
    assert_true(pick_allowed(&pick, pick.mark - SPAN_DAY) == pick.mark + SPAN_MS);
    assert_true(pick_allowed(&pick, INSTANT_NEVER) == INSTANT_NEVER);
    assert_true(pick_allowed(&pick, INSTANT_MAX) == INSTANT_NEVER);
}

/* Exclusions of every second of the year leave nothing. */
static void a_spec_that_excludes_everything_has_no_pick(void **state)
{
    struct pick pick;

    (void)state;
    begin_draft(&d, "Europe/Berlin");
    add_cron(&d, "0 * * * *", DIALECT_BELFRY);
    exclude(&d, whole_days());
    compile(&d);
    plan = (struct plan){.spec = d.spec, .is_governed = true, .created = d.ctx.created};
    pick = (struct pick){.plan = &plan, .ctx = &d.ctx, .mark = at(DAY "12:10:00Z")};
    assert_true(pick_allowed(&pick, at(DAY "12:11:00Z")) == INSTANT_NEVER);
}

static void the_one_off_now_is_the_first_pick(void **state)
{
    struct pick pick;
    instant created = at(DAY "12:10:00.000Z") + 400; /* microseconds */
    struct governed got;

    (void)state;
    begin_draft(&d, "UTC");
    d.at[d.def.at_count++] = INSTANT_NONE;
    compile(&d);
    d.ctx.created = created;
    plan = (struct plan){.spec = d.spec, .is_governed = true, .created = created};
    pick = (struct pick){.plan = &plan,
                         .ctx = &d.ctx,
                         .mark = created - SPAN_MS,
                         .governor = {.baseline = INSTANT_NEVER,
                                      .hint_at = INSTANT_NEVER,
                                      .hint_expires = INSTANT_NONE,
                                      .paused_until = INSTANT_NONE}};
    got = pick_next(&pick, created, created);
    assert_true(got.at == at(DAY "12:10:00Z"));
    pick.mark = got.at;
    assert_true(pick_next(&pick, created + 1, created + SPAN_S).at == INSTANT_NEVER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pick_obeys_the_bounds_of_its_spec),
        cmocka_unit_test(a_hint_only_moves_a_pick_earlier),
        cmocka_unit_test(a_hint_does_not_move_a_pick_to_an_excluded_time),
        cmocka_unit_test(a_pick_is_a_whole_millisecond_after_the_mark),
        cmocka_unit_test(a_spec_that_excludes_everything_has_no_pick),
        cmocka_unit_test(the_one_off_now_is_the_first_pick),
    };

    return cmocka_run_group_tests(tests, start_arena, end_arena);
}
