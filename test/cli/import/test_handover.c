/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who runs which slot of a schedule that moves to Belfry.
 */
#include "cli/import/handover.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define T0          (INT64_C(1800000000) * SPAN_S)
#define AT(seconds) (T0 + (seconds)*SPAN_S)

/* ---- notes ---- */

static void assert_there(instant bound, const char *note)
{
    char text[HANDOVER_NOTE_MAX];
    struct buf out = BUF(text);
    struct str kept = STR("x");
    instant got = 0;

    handover_note_there(bound, str_of(note), &out);
    assert_false(out.cut);
    assert_true(handover_read_there(buf_as_str(&out), &got, &kept));
    assert_int_equal(got, bound);
    assert_true(str_eq(kept, str_of(note)));
}

static void a_note_there_is_read_again(void **state)
{
    (void)state;
    assert_there(AT(0), "");
    assert_there(AT(0) + 123 * SPAN_MS, "until the move");
    assert_there(AT(0), "; note: ; note: x");
}

static void a_note_here_is_read_again(void **state)
{
    char text[HANDOVER_NOTE_MAX];
    struct buf out = BUF(text);
    struct str kept = STR("x");
    uint64_t print = 0;

    (void)state;
    handover_note_here(UINT64_C(0xfedcba9876543210), STR("a note"), &out);
    assert_string_equal(text, "imported fedcba9876543210; paused until it is taken over; "
                              "note: a note");
    assert_true(handover_read_here(buf_as_str(&out), &print, &kept));
    assert_true(print == UINT64_C(0xfedcba9876543210));
    assert_true(str_eq(kept, STR("a note")));
}

static void other_notes_are_not_ours(void **state)
{
    static const char *const texts[] = {
        "",
        "taken over",
        "taken over by Belfry; slots after yesterday run there",
        "taken over by Belfry; slots after 2026-01-05T00:00:00.000Z",
        "taken over by Belfry; slots after 2026-01-05T00:00:00.000Z run there, too",
        "imported fedcba987654321; paused until it is taken over",
        "imported fedcba987654321X; paused until it is taken over",
        "imported fedcba9876543210; paused",
    };
    instant bound;
    uint64_t print;
    struct str note;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_false(handover_read_there(str_of(texts[i]), &bound, &note));
        assert_false(handover_read_here(str_of(texts[i]), &print, &note));
    }
}

/* Notes of other servers may be long; ours has room for half of a kilobyte of them. */
static void a_long_note_is_cut_between_characters(void **state)
{
    char text[HANDOVER_NOTE_MAX], room[2002];
    struct buf out = BUF(text), note = BUF(room);

    (void)state;
    buf_char(&note, 'x');
    for (int i = 0; i < 1000; i++)
        buf_text(&note, "ö");
    assert_false(note.cut);
    handover_note_there(AT(0), buf_as_str(&note), &out);
    assert_false(out.cut);
    assert_true(str_is_utf8(buf_as_str(&out)));
}

/* ---- the moment ---- */

static void a_moment_is_quiet_far_from_slots(void **state)
{
    const instant times[] = {AT(60), AT(120), AT(180)};

    (void)state;
    assert_true(handover_is_quiet(times, 3, AT(30)));
    assert_false(handover_is_quiet(times, 3, AT(59)));
    assert_false(handover_is_quiet(times, 3, AT(64)));
    assert_true(handover_is_quiet(times, 3, AT(65)));
    assert_true(handover_is_quiet(times, 0, AT(65)));
}

static void a_schedule_of_seconds_has_no_quiet_moment(void **state)
{
    instant seconds[10], minutes[10];

    (void)state;
    for (int i = 0; i < 10; i++) {
        seconds[i] = AT(i);
        minutes[i] = AT(60 * i);
    }
    assert_false(handover_can_wait(seconds, 10, true, AT(0)));
    assert_true(handover_can_wait(seconds, 10, false, AT(0)));
    assert_true(handover_can_wait(minutes, 10, true, AT(0)));
}

static void the_bound_is_before_what_is_not_decided(void **state)
{
    (void)state;
    assert_int_equal(handover_bound(AT(100), AT(160), false), AT(95));
    assert_int_equal(handover_bound(AT(100) + 7, INSTANT_NEVER, false), AT(95));
    /* An open workflow makes the source skip everything up to now. */
    assert_int_equal(handover_bound(AT(100), AT(160), true), AT(100));
    /* The source's clock is ten seconds behind: it has not reached the slot at 92. */
    assert_int_equal(handover_bound(AT(100), AT(92), false), AT(92) - SPAN_MS);
}

/* ---- the boundary ---- */

static void slots_after_the_bound_are_the_sources_if_it_has_started_them(void **state)
{
    const instant started[] = {AT(94), AT(95), AT(96), AT(97)};
    const instant times[] = {AT(94), AT(95), AT(96), AT(97), AT(98), AT(99)};
    struct handover_evidence e = {AT(95), 0, started, 4, times, 6};

    (void)state;
    assert_int_equal(handover_last(&e), AT(97));
    e.started_count = 1;
    assert_int_equal(handover_last(&e), AT(95));
    e.started_count = 0;
    assert_int_equal(handover_last(&e), AT(95));
}

static void a_start_by_hand_is_not_a_slot(void **state)
{
    const instant started[] = {AT(96), AT(98) + 300 * SPAN_MS};
    const instant times[] = {AT(96), AT(97), AT(98), AT(99)};
    struct handover_evidence e = {AT(95), 0, started, 2, times, 4};

    (void)state;
    assert_int_equal(handover_last(&e), AT(96));
    e.times = NULL;
    e.time_count = 0;
    assert_int_equal(handover_last(&e), AT(98) + 300 * SPAN_MS);
}

/* Every minute, up to 30 s late: 60 is due at 85, 120 at 121 and 180 at 207. */
static void a_nominal_time_before_the_bound_may_be_due_after_it(void **state)
{
    const instant times[] = {AT(85), AT(121), AT(207)};
    struct handover_evidence e = {AT(122), 30 * SPAN_S, NULL, 0, times, 3};

    (void)state;
    assert_int_equal(handover_last(&e), AT(121));
    e.bound = AT(120) + 500 * SPAN_MS; /* 120 has passed and is not due: it is ours */
    assert_true(handover_last(&e) < AT(120));
    assert_true(handover_last(&e) >= AT(85));
    e.bound = AT(61); /* so is 60 */
    assert_true(handover_last(&e) < AT(60));
}

/* Temporal shows the time with jitter, Belfry the nominal time. */
static void a_started_slot_with_jitter_has_either_time(void **state)
{
    const instant times[] = {AT(85), AT(121), AT(207)};
    instant started = AT(121);
    struct handover_evidence e = {AT(118), 30 * SPAN_S, &started, 1, times, 3};

    (void)state;
    assert_int_equal(handover_last(&e), AT(121));
    started = AT(120);
    assert_int_equal(handover_last(&e), AT(121));
    started = AT(60);
    assert_true(handover_last(&e) < AT(120));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_note_there_is_read_again),
        cmocka_unit_test(a_note_here_is_read_again),
        cmocka_unit_test(other_notes_are_not_ours),
        cmocka_unit_test(a_long_note_is_cut_between_characters),
        cmocka_unit_test(a_moment_is_quiet_far_from_slots),
        cmocka_unit_test(a_schedule_of_seconds_has_no_quiet_moment),
        cmocka_unit_test(the_bound_is_before_what_is_not_decided),
        cmocka_unit_test(slots_after_the_bound_are_the_sources_if_it_has_started_them),
        cmocka_unit_test(a_start_by_hand_is_not_a_slot),
        cmocka_unit_test(a_nominal_time_before_the_bound_may_be_due_after_it),
        cmocka_unit_test(a_started_slot_with_jitter_has_either_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
