/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the cache of committed runs, cursors and queues returns, keeps and drops.
 */
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
    struct committed_cache committed;
};

static int set_up(void **state)
{
    static struct fixture f;

    f.arena = arena_new(ARENA_MAX);
    f.committed = committed_new(f.arena, MOST);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    committed_free(&f->committed);
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

static void a_run_is_cached_while_a_worker_holds_it(void **state)
{
    struct fixture *f = *state;
    struct run run = leased(STR("w-1")), found;

    assert_false(committed_run(&f->committed, &id, &found));
    committed_put_run(&f->committed, &run);
    assert_true(committed_run(&f->committed, &id, &found));
    assert_int_equal(found.id, 99);
    assert_int_equal(found.fence, 3);
    assert_int_equal(found.gate, 5);
    assert_true(str_eq(found.worker, STR("w-1")));
    assert_int_equal(found.input.len + found.progress.len, 0);
    run.state = RUN_RUNNING;
    committed_put_run(&f->committed, &run);
    assert_true(committed_run(&f->committed, &id, &found));
    assert_int_equal(found.state, RUN_RUNNING);
    run.state = RUN_READY;
    committed_put_run(&f->committed, &run);
    assert_false(committed_run(&f->committed, &id, &found));
}

static void a_dropped_run_is_not_found(void **state)
{
    struct fixture *f = *state;
    struct run run = leased(STR("w")), found;

    committed_put_run(&f->committed, &run);
    committed_drop_run(&f->committed, &run);
    assert_false(committed_run(&f->committed, &id, &found));
}

static void calls_of_a_node_and_long_worker_names_are_not_cached(void **state)
{
    struct fixture *f = *state;
    struct run run = leased(STR("w")), found;

    run.node = 1;
    committed_put_run(&f->committed, &run);
    assert_false(committed_run(&f->committed, &id, &found));
    run = leased(STR("0123456789012345678901234567890123456789012345678901234567890123"));
    committed_put_run(&f->committed, &run);
    assert_true(committed_run(&f->committed, &id, &found));
    assert_true(str_eq(found.worker, run.worker));
    run = leased(STR("01234567890123456789012345678901234567890123456789012345678901234"));
    committed_put_run(&f->committed, &run);
    assert_false(committed_run(&f->committed, &id, &found));
}

static void a_run_is_found_only_by_its_schedule_slot_and_pass(void **state)
{
    struct fixture *f = *state;
    struct run run = leased(STR("w")), found;
    struct run_id other = id;

    committed_put_run(&f->committed, &run);
    other.pass = 3;
    assert_false(committed_run(&f->committed, &other, &found));
    other = id;
    other.slot_ms++;
    assert_false(committed_run(&f->committed, &other, &found));
    other = id;
    other.schedule++;
    assert_false(committed_run(&f->committed, &other, &found));
    committed_drop_rows(&f->committed);
    assert_false(committed_run(&f->committed, &id, &found));
}

static void the_cache_returns_the_last_cursor_put(void **state)
{
    struct fixture *f = *state;

    assert_null(committed_cursor(&f->committed, 7));
    committed_put_cursor(&f->committed, &(struct cursor){.id = 7, .open = 1});
    committed_put_cursor(&f->committed, &(struct cursor){.id = 8, .open = 2});
    committed_put_cursor(&f->committed, &(struct cursor){.id = 7, .open = 3});
    assert_int_equal(committed_cursor(&f->committed, 7)->open, 3);
    assert_int_equal(committed_cursor(&f->committed, 8)->open, 2);
    committed_drop_cursor(&f->committed, 7);
    assert_null(committed_cursor(&f->committed, 7));
    committed_drop_rows(&f->committed);
    assert_null(committed_cursor(&f->committed, 8));
}

static void queue_keys_are_found_by_namespace_and_name_until_all_is_cleared(void **state)
{
    struct fixture *f = *state;
    char name[129];

    memset(name, 'q', sizeof name);
    assert_int_equal(committed_queue(&f->committed, 1, STR("mail")), 0);
    committed_put_queue(&f->committed, 1, STR("mail"), 77);
    committed_put_queue(&f->committed, 2, STR("mail"), 78);
    committed_put_queue(&f->committed, 1, STR("mails"), 79);
    committed_drop_rows(&f->committed);
    assert_int_equal(committed_queue(&f->committed, 1, STR("mail")), 77);
    assert_int_equal(committed_queue(&f->committed, 2, STR("mail")), 78);
    assert_int_equal(committed_queue(&f->committed, 1, STR("mails")), 79);
    assert_int_equal(committed_queue(&f->committed, 3, STR("mail")), 0);
    committed_put_queue(&f->committed, 1, (struct str){name, 128}, 80);
    committed_put_queue(&f->committed, 1, (struct str){name, 129}, 81);
    assert_int_equal(committed_queue(&f->committed, 1, (struct str){name, 128}), 80);
    assert_int_equal(committed_queue(&f->committed, 1, (struct str){name, 129}), 0);
    committed_clear(&f->committed);
    assert_int_equal(committed_queue(&f->committed, 1, STR("mail")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_run_is_cached_while_a_worker_holds_it, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_dropped_run_is_not_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(calls_of_a_node_and_long_worker_names_are_not_cached,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_cache_returns_the_last_cursor_put, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            queue_keys_are_found_by_namespace_and_name_until_all_is_cleared, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_run_is_found_only_by_its_schedule_slot_and_pass,
                                        set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
