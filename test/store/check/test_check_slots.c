/* SPDX-License-Identifier: Apache-2.0 */
/* Accounts compared with a spec of every minute, from MINUTE_ZERO on; slots counted by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/check/check_slots.h"

#define MINUTE_ZERO INT64_C(1893456000000000) /* 2030-01-01T00:00:00Z */
#define MINUTE(n)   (MINUTE_ZERO + (n)*SPAN_MIN)

enum { ACCOUNTS_MAX = 8 };

struct row {
    int from, mark; /* minutes; from -1: before creation */
    bool allows_gaps;
    struct {
        int first, last, count;
        span off;
    } accounts[ACCOUNTS_MAX];
    const char *text; /* NULL: no fault */
    int slot;
};

/* The only zone of these specs. */
static const struct tz *find_utc(void *user, struct str name, struct err *reterr)
{
    static union {
        struct tz tz;
        char room[TZ_FIXED_BYTES];
    } utc;

    (void)user;
    return tz_fixed(name, &utc.tz, sizeof utc, reterr) == RC_OK ? &utc.tz : NULL;
}

/* The fault, NULL: none. */
static const char *verdict(const struct row *row, instant created, bool is_governed,
                           instant *ret_slot)
{
    struct arena *arena = arena_new(1 << 20);
    struct interval_def every = {.every = SPAN_MIN, .anchor = ANCHOR_EPOCH};
    struct spec_def def = spec_def_empty();
    struct plan plan = {.created = created, .is_governed = is_governed};
    struct spec_ctx ctx = spec_ctx(created);
    struct cursor cursor = {.mark = MINUTE(row->mark)};
    struct check_account accounts[ACCOUNTS_MAX];
    struct check_case c = {.plan = &plan,
                           .ctx = &ctx,
                           .cursor = &cursor,
                           .accounts = accounts,
                           .from = MINUTE(row->from),
                           .allows_gaps = row->allows_gaps};
    struct check_fault fault = {.text = NULL};
    struct zone_source zones = {.find = find_utc};
    struct err err;

    def.intervals = &every;
    def.interval_count = 1;
    if (spec_compile(&def, STR("x"), &zones, arena, &plan.spec, &err) != RC_OK)
        fail_msg("%s", err.text);
    for (; c.count < ACCOUNTS_MAX && row->accounts[c.count].count != 0; c.count++)
        accounts[c.count] = (struct check_account){
            .first = MINUTE(row->accounts[c.count].first) + row->accounts[c.count].off,
            .last = MINUTE(row->accounts[c.count].last) + row->accounts[c.count].off,
            .count = row->accounts[c.count].count};
    if (check_slots(&c, &fault))
        fault.text = NULL;
    *ret_slot = fault.slot;
    arena_free(arena);
    return fault.text;
}

static void check_rows(const struct row *rows, size_t count, bool is_governed)
{
    for (size_t i = 0; i < count; i++) {
        instant slot = 0;
        const char *text = verdict(&rows[i], MINUTE(-100), is_governed, &slot);

        if ((text == NULL) != (rows[i].text == NULL) ||
            (text && strcmp(text, rows[i].text) != 0))
            fail_msg("row %zu: %s", i, text ? text : "all is well");
        if (text)
            assert_int_equal(slot - (slot - MINUTE_ZERO) % SPAN_MIN, MINUTE(rows[i].slot));
    }
}

static void every_slot_has_one_account(void **state)
{
    static const struct row rows[] = {
        {0, 3, false, {{1, 1, 1, 0}, {2, 2, 1, 0}, {3, 3, 1, 0}}, NULL, 0},
        {0, 3, false, {{3, 3, 1, 0}, {1, 2, 2, 0}}, NULL, 0}, /* in any order */
        {0, 900, false, {{1, 900, 900, 0}}, NULL, 0},
        {0, 0, false, {{0}}, NULL, 0},
        {0, 3, false, {{1, 1, 1, 0}, {3, 3, 1, 0}}, "has no account", 2},
        {0,
         3,
         false,
         {{1, 1, 1, 0}, {2, 2, 1, 0}},
         "has no account, and the cursor's mark has passed it",
         3},
        {0, 3, true, {{3, 3, 1, 0}}, NULL, 0},
        {0, 3, true, {{0}}, NULL, 0},
        {0, 3, false, {{1, 3, 3, 0}, {2, 2, 1, 0}}, "has two accounts", 2},
        {0, 3, false, {{1, 1, 1, 0}, {1, 1, 1, 0}, {2, 3, 2, 0}}, "has two accounts", 1},
        {0, 2, false, {{1, 3, 3, 0}}, "has an account, but lies after the cursor's mark", 3},
        {0, 3, false, {{1, 3, 4, 0}}, "begins a ledger range with a wrong count", 1},
        {0, 3, false, {{1, 3, 2, 0}}, "begins a ledger range with a wrong count", 1},
        {0, 3, false, {{1, 1, 3, 0}}, "begins an invalid ledger range", 1},
        {0, 3, false, {{3, 1, 3, 0}}, "begins an invalid ledger range", 3},
        {0, 3, false, {{1, 3, -3, 0}}, "begins an invalid ledger range", 1},
        {0,
         3,
         true,
         {{2, 2, 1, SPAN_S}},
         "has an account, but is not a slot of the schedule",
         2},
        /* Accounts of another version, or pruned ones, are ignored. */
        {5, 7, false, {{1, 1, 1, SPAN_S}, {6, 7, 2, 0}}, NULL, 0},
        {5, 7, false, {{2, 6, 3, 0}, {7, 7, 1, 0}}, NULL, 0},
        {5, 7, false, {{2, 6, 3, 0}}, "has no account, and the cursor's mark has passed it", 7},
    };

    (void)state;
    check_rows(rows, sizeof rows / sizeof rows[0], false);
}

/* A grid of every minute.  Picks between its times have accounts too. */
static void every_grid_time_of_a_governor_has_an_account(void **state)
{
    static const struct row rows[] = {
        {0, 3, false, {{1, 1, 1, 0}, {1, 1, 1, SPAN_S}, {2, 3, 2, 0}}, NULL, 0},
        {0, 3, false, {{1, 3, 4, 0}}, NULL, 0}, /* missed(paused), with a pick */
        {0, 3, false, {{3, 3, 1, SPAN_S - SPAN_MIN}, {1, 2, 2, 0}, {3, 3, 1, 0}}, NULL, 0},
        {0,
         3,
         false,
         {{1, 1, 1, 0}, {2, 2, 1, SPAN_S}, {3, 3, 1, 0}},
         "has no account, and the cursor's mark has passed it",
         2},
        {0, 3, false, {{1, 3, 2, 0}}, "begins a ledger range with a wrong count", 1},
        {0, 3, false, {{1, 1, 1, 0}, {1, 1, 1, 0}, {2, 3, 2, 0}}, "has two accounts", 1},
        {0, 3, true, {{3, 3, 1, 0}}, NULL, 0},
    };

    (void)state;
    check_rows(rows, sizeof rows / sizeof rows[0], true);
}

static void the_moment_of_creation_may_be_a_slot_or_not(void **state)
{
    const struct row included = {-1, 1, false, {{0, 0, 1, 0}, {1, 1, 1, 0}}, NULL, 0};
    const struct row without = {-1, 1, false, {{1, 1, 1, 0}}, NULL, 0};
    instant slot;

    (void)state;
    assert_null(verdict(&included, MINUTE(0), false, &slot));
    assert_null(verdict(&without, MINUTE(0), false, &slot));
    assert_non_null(verdict(&without, MINUTE(-100), false, &slot));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_slot_has_one_account),
        cmocka_unit_test(every_grid_time_of_a_governor_has_an_account),
        cmocka_unit_test(the_moment_of_creation_may_be_a_slot_or_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
