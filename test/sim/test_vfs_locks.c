/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which locks can be held at the same time, as in SQLite's documentation of its file locking
 * and of its write-ahead log.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/vfs_locks.h"

struct three {
    struct vfs_holder a, b, c;
};

static int join(void **state)
{
    static struct three three;

    vfs_locks_join(&three.a, NULL);
    vfs_locks_join(&three.b, &three.a);
    vfs_locks_join(&three.c, &three.b);
    *state = &three;
    return 0;
}

static int leave(void **state)
{
    struct three *h = *state;

    vfs_locks_leave(&h->a);
    vfs_locks_leave(&h->b);
    vfs_locks_leave(&h->c);
    return 0;
}

static void many_connections_may_read_and_one_may_reserve(void **state)
{
    struct three *h = *state;

    assert_true(vfs_locks_raise(&h->a, VFS_SHARED));
    assert_true(vfs_locks_raise(&h->b, VFS_SHARED));
    assert_false(vfs_locks_is_reserved(&h->b));
    assert_true(vfs_locks_raise(&h->a, VFS_RESERVED));
    assert_true(vfs_locks_is_reserved(&h->b));
    assert_false(vfs_locks_raise(&h->b, VFS_RESERVED));
    assert_int_equal(h->b.level, VFS_SHARED);
    assert_true(vfs_locks_raise(&h->c, VFS_SHARED));
    vfs_locks_lower(&h->a, VFS_SHARED);
    assert_false(vfs_locks_is_reserved(&h->b));
    assert_true(vfs_locks_raise(&h->b, VFS_RESERVED));
}

static void a_pending_writer_waits_for_readers_and_excludes_new_ones(void **state)
{
    struct three *h = *state;

    assert_true(vfs_locks_raise(&h->a, VFS_SHARED));
    assert_true(vfs_locks_raise(&h->b, VFS_SHARED));
    assert_true(vfs_locks_raise(&h->a, VFS_RESERVED));
    assert_false(vfs_locks_raise(&h->a, VFS_EXCLUSIVE));
    assert_int_equal(h->a.level, VFS_PENDING);
    assert_false(vfs_locks_raise(&h->c, VFS_SHARED));
    assert_false(vfs_locks_raise(&h->b, VFS_EXCLUSIVE));
    vfs_locks_lower(&h->b, VFS_UNLOCKED);
    assert_true(vfs_locks_raise(&h->a, VFS_EXCLUSIVE));
    assert_false(vfs_locks_raise(&h->b, VFS_SHARED));
    vfs_locks_lower(&h->a, VFS_UNLOCKED);
    assert_true(vfs_locks_raise(&h->b, VFS_SHARED));
    assert_true(vfs_locks_raise(&h->b, VFS_EXCLUSIVE)); /* to roll a journal back */
}

static void a_slot_has_many_shared_holders_or_one_exclusive(void **state)
{
    struct three *h = *state;

    assert_true(vfs_locks_take(&h->a, 3, 1, false));
    assert_true(vfs_locks_take(&h->b, 3, 1, false));
    assert_true(vfs_locks_take(&h->b, 3, 1, false)); /* counts once */
    assert_false(vfs_locks_take(&h->c, 3, 1, true));
    vfs_locks_give(&h->b, 3, 1);
    assert_false(vfs_locks_take(&h->c, 3, 1, true));
    vfs_locks_give(&h->a, 3, 1);
    assert_true(vfs_locks_take(&h->c, 3, 1, true));
    assert_false(vfs_locks_take(&h->a, 3, 1, false));
    assert_false(vfs_locks_take(&h->a, 3, 1, true));
    assert_true(vfs_locks_take(&h->a, 4, 1, true));
}

static void all_requested_slots_are_locked_or_none(void **state)
{
    struct three *h = *state;

    assert_true(vfs_locks_take(&h->a, 5, 1, false));
    assert_false(vfs_locks_take(&h->b, 1, VFS_SLOTS - 1, true));
    assert_true(vfs_locks_take(&h->c, 1, 4, true));
    vfs_locks_give(&h->c, 0, VFS_SLOTS);
    vfs_locks_give(&h->a, 0, VFS_SLOTS);
    assert_true(vfs_locks_take(&h->b, 0, VFS_SLOTS, true));
}

static void shared_memory_is_freed_by_its_last_user(void **state)
{
    struct three *h = *state;
    char *memory;

    assert_null(vfs_locks_region(&h->a, 0, 64, false));
    memory = vfs_locks_region(&h->a, 0, 64, true);
    assert_non_null(memory);
    memory[0] = 'x';
    assert_ptr_equal(vfs_locks_region(&h->b, 0, 64, false), memory);
    assert_null(vfs_locks_region(&h->b, 1, 64, false));
    vfs_locks_unmap(&h->a);
    assert_int_equal(memory[0], 'x');
    vfs_locks_unmap(&h->b);
    vfs_locks_unmap(&h->b); /* it has none any more */
    memory = vfs_locks_region(&h->c, 0, 64, true);
    assert_int_equal(memory[0], 0);
}

static void a_holder_that_leaves_releases_everything(void **state)
{
    struct three *h = *state;

    assert_true(vfs_locks_raise(&h->a, VFS_SHARED));
    assert_true(vfs_locks_raise(&h->a, VFS_EXCLUSIVE));
    assert_true(vfs_locks_take(&h->a, 0, 2, true));
    assert_true(vfs_locks_take(&h->a, 2, 2, false));
    vfs_locks_leave(&h->a);
    assert_true(vfs_locks_raise(&h->b, VFS_SHARED));
    assert_true(vfs_locks_raise(&h->b, VFS_EXCLUSIVE));
    assert_true(vfs_locks_take(&h->b, 0, VFS_SLOTS, true));
    vfs_locks_join(&h->a, &h->b);
}

#define LOCKS_TEST(name) cmocka_unit_test_setup_teardown(name, join, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOCKS_TEST(many_connections_may_read_and_one_may_reserve),
        LOCKS_TEST(a_pending_writer_waits_for_readers_and_excludes_new_ones),
        LOCKS_TEST(a_slot_has_many_shared_holders_or_one_exclusive),
        LOCKS_TEST(all_requested_slots_are_locked_or_none),
        LOCKS_TEST(shared_memory_is_freed_by_its_last_user),
        LOCKS_TEST(a_holder_that_leaves_releases_everything),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
