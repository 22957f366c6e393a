/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/committed_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 8, ARENA_MAX = 1 << 20 };

struct fixture {
    struct arena *arena;
    struct known known;
};

static int set_up(void **state)
{
    static struct fixture f;

    f.arena = arena_new(ARENA_MAX);
    f.known = known_new(f.arena, MOST);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    known_free(&f->known);
    arena_free(f->arena);
    return 0;
}

static const struct run_id id = {.schedule = 7, .slot_ms = 1000, .pass = 2};

static struct run leased(struct str worker)
{
    return (struct run){.id = 99,
                        .schedule = 7,
                        .slot = 1000 * SPAN_MS,
                        .pass = 2,
                        .state = RUN_LEASED,
                        .fence = 3,
                        .gate = 5,
                        .worker = worker,
                        .input = STR("{}"),
                        .progress = STR("half")};
}

static void a_run_is_known_while_a_worker_holds_it(void **state)
{
    struct fixture *f = *state;
    struct run run = leased(STR("w-1")), found;

    assert_false(known_run(&f->known, &id, &found));
    known_put_run(&f->known, &run);
    assert_true(known_run(&f->known, &id, &found));
    assert_int_equal(found.id, 99);
    assert_int_equal(found.fence, 3);
    assert_int_equal(found.gate, 5);
    assert_true(str_eq(found.worker, STR("w-1")));
    assert_int_equal(found.input.len + found.progress.len, 0);
    run.state = RUN_RUNNING;
    known_put_run(&f->known, &run);
    assert_true(known_run(&f->known, &id, &found));
    assert_int_equal(found.state, RUN_RUNNING);
    run.state = RUN_READY;
    known_put_run(&f->known, &run);
    assert_false(known_run(&f->known, &id, &found));
}

static void a_run_that_was_dropped_is_not_known(void **state)
{
    struct fixture *f = *state;
    struct run run = leased(STR("w")), found;

    known_put_run(&f->known, &run);
    known_drop_run(&f->known, &run);
    assert_false(known_run(&f->known, &id, &found));
}

static void calls_of_a_node_and_workers_with_long_names_are_not_kept(void **state)
{
    struct fixture *f = *state;
    struct run run = leased(STR("w")), found;

    run.node = 1;
    known_put_run(&f->known, &run);
    assert_false(known_run(&f->known, &id, &found));
    run = leased(STR("0123456789012345678901234567890123456789012345678901234567890123"));
    known_put_run(&f->known, &run);
    assert_true(known_run(&f->known, &id, &found));
    assert_true(str_eq(found.worker, run.worker));
    run = leased(STR("01234567890123456789012345678901234567890123456789012345678901234"));
    known_put_run(&f->known, &run);
    assert_false(known_run(&f->known, &id, &found));
}

static void another_run_with_a_part_in_common_is_not_it(void **state)
{
    struct fixture *f = *state;
    struct run run = leased(STR("w")), found;
    struct run_id other = id;

    known_put_run(&f->known, &run);
    other.pass = 3;
    assert_false(known_run(&f->known, &other, &found));
    other = id;
    other.slot_ms++;
    assert_false(known_run(&f->known, &other, &found));
    other = id;
    other.schedule++;
    assert_false(known_run(&f->known, &other, &found));
    known_doubt(&f->known);
    assert_false(known_run(&f->known, &id, &found));
}

static void a_cursor_is_known_as_it_was_put_last(void **state)
{
    struct fixture *f = *state;

    assert_null(known_cursor(&f->known, 7));
    known_put_cursor(&f->known, &(struct cursor){.id = 7, .open = 1});
    known_put_cursor(&f->known, &(struct cursor){.id = 8, .open = 2});
    known_put_cursor(&f->known, &(struct cursor){.id = 7, .open = 3});
    assert_int_equal(known_cursor(&f->known, 7)->open, 3);
    assert_int_equal(known_cursor(&f->known, 8)->open, 2);
    known_drop_cursor(&f->known, 7);
    assert_null(known_cursor(&f->known, 7));
    known_doubt(&f->known);
    assert_null(known_cursor(&f->known, 8));
}

static void a_queue_keeps_its_key_whatever_others_do(void **state)
{
    struct fixture *f = *state;
    char name[129];

    memset(name, 'q', sizeof name);
    assert_int_equal(known_queue(&f->known, 1, STR("mail")), 0);
    known_put_queue(&f->known, 1, STR("mail"), 77);
    known_put_queue(&f->known, 2, STR("mail"), 78);
    known_put_queue(&f->known, 1, STR("mails"), 79);
    known_doubt(&f->known);
    assert_int_equal(known_queue(&f->known, 1, STR("mail")), 77);
    assert_int_equal(known_queue(&f->known, 2, STR("mail")), 78);
    assert_int_equal(known_queue(&f->known, 1, STR("mails")), 79);
    assert_int_equal(known_queue(&f->known, 3, STR("mail")), 0);
    known_put_queue(&f->known, 1, (struct str){name, 128}, 80);
    known_put_queue(&f->known, 1, (struct str){name, 129}, 81);
    assert_int_equal(known_queue(&f->known, 1, (struct str){name, 128}), 80);
    assert_int_equal(known_queue(&f->known, 1, (struct str){name, 129}), 0);
    known_clear(&f->known);
    assert_int_equal(known_queue(&f->known, 1, STR("mail")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_run_is_known_while_a_worker_holds_it, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_run_that_was_dropped_is_not_known, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            calls_of_a_node_and_workers_with_long_names_are_not_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_cursor_is_known_as_it_was_put_last, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_queue_keeps_its_key_whatever_others_do, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(another_run_with_a_part_in_common_is_not_it, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
