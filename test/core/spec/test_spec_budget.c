/* SPDX-License-Identifier: Apache-2.0 */
/* The budget of steps, and searches in specs that use it up. */
#include "base/budget.h"

#include "core/spec/spec.h"
#include "from_text.h"

static int asked;
static bool must_stop;

static bool is_stopped(void *arg)
{
    assert_ptr_equal(arg, &asked);
    asked++;
    return must_stop;
}

static void the_limit_is_exact(void **state)
{
    struct budget budget = {.left = 10};

    (void)state;
    assert_true(budget_spend(&budget, 4));
    assert_true(budget_spend(&budget, 6));
    assert_false(budget.is_over);
    assert_false(budget_spend(&budget, 1));
    assert_true(budget.is_over);
    assert_false(budget_spend(&budget, 0));
    assert_true(budget_spend(NULL, 1000));
}

static void a_stop_uses_it_up(void **state)
{
    struct budget budget = {.left = INT64_MAX, .is_stopped = is_stopped, .arg = &asked};
    int steps = 0;

    (void)state;
    asked = 0;
    must_stop = false;
    for (int i = 0; i < 10 * BUDGET_ASK_EVERY; i++)
        assert_true(budget_spend(&budget, 1));
    assert_int_equal(asked, 10);
    must_stop = true;
    while (budget_spend(&budget, 1))
        assert_true(++steps <= BUDGET_ASK_EVERY);
    assert_true(budget.is_over);
}

static void items_cannot_use_up_the_whole(void **state)
{
    struct budget whole = {.left = 1000};

    (void)state;
    for (int i = 0; i < 100; i++) {
        struct budget part = budget_part(&whole, 400);
        int64_t given = part.left;

        assert_true(given <= 400 && given <= whole.left / 2);
        while (budget_spend(&part, 1))
            continue;
        budget_join(&whole, given, &part);
    }
    assert_false(whole.is_over);
    assert_true(budget_spend(&whole, 0));
}

/* The exclusions remove every second; only the end of a search shows that no slot is left. */
static struct spec compile_without_slots(struct arena *arena)
{
    static struct cron_def cron = {.expr = {"* * * * * *", 11}};
    static struct calendar_def exclude[] = {
        {.text = {{"*/2", 3}, {"*", 1}, {"*", 1}, .month = {"1-6", 3}}},
        {.text = {{"1-59/2", 6}, {"*", 1}, {"*", 1}, .month = {"1-6", 3}}},
        {.text = {{"*/2", 3}, {"*", 1}, {"*", 1}, .month = {"7-12", 4}}},
        {.text = {{"1-59/2", 6}, {"*", 1}, {"*", 1}, .month = {"7-12", 4}}},
    };
    struct zone_source zones = {.find = zone_find};
    struct spec_def def = spec_def_empty();
    struct spec spec;
    struct err err = {.text = ""};

    def.cron = &cron;
    def.cron_count = 1;
    def.not_calendars = exclude;
    def.not_calendar_count = 4;
    if (spec_compile(&def, STR(""), &zones, arena, &spec, &err) != RC_OK)
        fail_msg("%s", err.text);
    return spec;
}

static void assert_is_over(const struct budget *budget, int64_t most)
{
    assert_true(budget->is_over);
    assert_true(budget->left >= -most); /* it ended at once */
}

static void a_search_ends_with_its_budget(void **state)
{
    struct arena *arena = arena_new(1 << 20);
    struct spec spec = compile_without_slots(arena);
    struct budget budget = {.left = 1000};
    struct spec_ctx ctx = spec_ctx(at("2026-01-01T00:00:00Z"));
    struct slot slot;

    (void)state;
    ctx.budget = &budget;
    assert_false(spec_next(&spec, &ctx, at("2026-01-01T00:00:00Z"), &slot));
    assert_is_over(&budget, 10);
    budget = (struct budget){.left = 1000};
    assert_false(spec_prev(&spec, &ctx, at("2026-01-01T00:00:00Z"), &slot));
    assert_is_over(&budget, 10);
    spec.shift = SHIFT_NEXT;
    budget = (struct budget){.left = 1000};
    assert_false(spec_next(&spec, &ctx, at("2026-01-01T00:00:00Z"), &slot));
    assert_is_over(&budget, 10);
    arena_free(arena);
}

/* A century has 36,525 days. */
static void a_count_ends_with_its_budget(void **state)
{
    struct arena *arena = arena_new(1 << 20);
    struct spec spec = compile_without_slots(arena);
    struct budget budget = {.left = 100000};
    struct spec_ctx ctx = spec_ctx(at("2026-01-01T00:00:00Z"));

    (void)state;
    ctx.budget = &budget;
    spec_count(&spec, &ctx, at("1900-01-01T00:00:00Z"), at("2000-01-01T00:00:00Z"));
    assert_is_over(&budget, 1000);
    ctx.budget = NULL;
    assert_int_equal(
        spec_count(&spec, &ctx, at("1999-12-01T00:00:00Z"), at("2000-01-01T00:00:00Z")), 0);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_limit_is_exact),
        cmocka_unit_test(a_stop_uses_it_up),
        cmocka_unit_test(items_cannot_use_up_the_whole),
        cmocka_unit_test(a_search_ends_with_its_budget),
        cmocka_unit_test(a_count_ends_with_its_budget),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
