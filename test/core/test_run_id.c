/* SPDX-License-Identifier: Apache-2.0 */
/* The format: `r_` + base 32 of (schedule key, slot ms, pass), reversible. */
#include "core/run_id.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const int64_t first_slot = -62135596800000, last_slot = 253402300799999;

static void assert_round_trip(struct run_id id)
{
    char text[RUN_ID_TEXT_MAX], again[RUN_ID_TEXT_MAX];
    struct run_id back;
    struct err err;

    run_id_format(&id, text);
    assert_int_equal(strlen(text), id.pass ? RUN_ID_LONG : RUN_ID_SHORT);
    assert_int_equal(run_id_parse(str_of(text), &back, &err), RC_OK);
    assert_true(back.schedule == id.schedule && back.slot_ms == id.slot_ms &&
                back.pass == id.pass);
    run_id_format(&back, again);
    assert_string_equal(again, text);
}

static void every_part_comes_back_from_text(void **state)
{
    uint64_t chance = 88172645463325252u;

    (void)state;
    assert_round_trip((struct run_id){0, 0, 0});
    assert_round_trip((struct run_id){INT64_MAX, last_slot, UINT32_MAX});
    assert_round_trip((struct run_id){INT64_MAX, first_slot, 0});
    assert_round_trip((struct run_id){0, last_slot, 1});
    for (int i = 0; i < 200000; i++) {
        struct run_id id;

        chance ^= chance << 13, chance ^= chance >> 7, chance ^= chance << 17;
        id.schedule = (int64_t)(chance >> 1);
        id.slot_ms = first_slot + (int64_t)(chance % (uint64_t)(last_slot - first_slot));
        id.pass = i % 3 ? (uint32_t)chance : 0;
        assert_round_trip(id);
    }
}

/* By hand: key 1 is bit 49, the tenth letter from the end is worth 32^9 = 2^45. */
static void letters_are_worth_what_base32_says(void **state)
{
    char text[RUN_ID_TEXT_MAX];

    (void)state;
    run_id_format(&(struct run_id){0, first_slot, 0}, text);
    assert_string_equal(text, "r_00000000000000000000000");
    run_id_format(&(struct run_id){0, first_slot + 31, 0}, text);
    assert_string_equal(text, "r_0000000000000000000000z");
    run_id_format(&(struct run_id){1, first_slot, 0}, text);
    assert_string_equal(text, "r_0000000000000g000000000");
    run_id_format(&(struct run_id){0, first_slot, 33}, text);
    assert_string_equal(text, "r_000000000000000000000000000011");
}

static void invalid_ids_are_refused(void **state)
{
    static const char *const wrong[] = {
        "",
        "r_",
        "x_00000000000000000000000",
        "r_0000000000000000000000",         /* a letter short          */
        "r_000000000000000000000000",       /* a letter long           */
        "r_0000000000000000000000i",        /* i, l, o, u are not used */
        "r_0000000000000000000000Z",        /* nor is upper case       */
        "r_zzzzzzzzzzzzzzzzzzzzzzz",        /* more than key and slot  */
        "r_0000000000000zzzzzzzzzz",        /* a slot after 9999       */
        "r_000000000000000000000000000000", /* pass 0 is not written   */
        "r_00000000000000000000000zzzzzzz", /* more than 32 bits       */
    };
    struct run_id id;
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (run_id_parse(str_of(wrong[i]), &id, &err) != RC_INVALID)
            fail_msg("%s was accepted", wrong[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_comes_back_from_text),
        cmocka_unit_test(letters_are_worth_what_base32_says),
        cmocka_unit_test(invalid_ids_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
