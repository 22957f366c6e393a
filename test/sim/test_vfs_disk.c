/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The content of a memory disk before and after it loses power.  The odds of most tests allow
 * only one fate, so that the result is known in advance.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/vfs_disk.h"

static const struct vfs_odds keeps = {.keep = 1}, drops = {.drop = 1}, garbles = {.garble = 1},
                             tears = {.tear = 1}, mixes = {.keep = 1, .drop = 1};

enum { PAGE = 4096 };

static void lose(struct vfs_disk *disk, const struct vfs_odds *odds, uint64_t seed)
{
    struct prng prng;

    prng_seed(&prng, seed);
    vfs_disk_lose_power(disk, &prng, odds);
}

static void fill(struct vfs_file *file, int64_t at, int byte, size_t len)
{
    unsigned char bytes[PAGE];

    assert_true(len <= sizeof bytes);
    memset(bytes, byte, len);
    vfs_disk_write(file, at, bytes, len);
}

/* The number of bytes of that value at the start of what is read there. */
static size_t run_of(const struct vfs_file *file, int64_t at, int byte, size_t len)
{
    unsigned char bytes[PAGE];
    size_t got = vfs_disk_read(file, at, bytes, len), n = 0;

    while (n < got && bytes[n] == byte)
        n++;
    return n;
}

static void a_read_returns_the_written_bytes(void **state)
{
    struct vfs_disk *disk = vfs_disk_new();
    struct vfs_file *file = vfs_disk_make(disk, "a");
    char got[8] = "";

    (void)state;
    assert_int_equal(vfs_disk_size(file), 0);
    assert_int_equal(vfs_disk_read(file, 0, got, 4), 0);
    vfs_disk_write(file, 0, "bell", 4);
    vfs_disk_write(file, 1, "a", 1);
    assert_int_equal(vfs_disk_read(file, 0, got, 8), 4);
    assert_memory_equal(got, "ball", 4);
    assert_int_equal(vfs_disk_read(file, 3, got, 8), 1);
    assert_int_equal(vfs_disk_read(file, 4, got, 8), 0);
    assert_ptr_equal(vfs_disk_find(disk, "a"), file);
    assert_null(vfs_disk_find(disk, "b"));
    vfs_disk_free(disk);
}

static void a_gap_reads_as_zeros_even_after_a_truncation(void **state)
{
    struct vfs_disk *disk = vfs_disk_new();
    struct vfs_file *file = vfs_disk_make(disk, "a");

    (void)state;
    fill(file, 0, 'x', PAGE);
    vfs_disk_cut(file, 100);
    vfs_disk_cut(file, 200); /* longer: nothing happens */
    assert_int_equal(vfs_disk_size(file), 100);
    fill(file, 1000, 'y', 10);
    assert_int_equal(vfs_disk_size(file), 1010);
    assert_int_equal(run_of(file, 0, 'x', 1010), 100);
    assert_int_equal(run_of(file, 100, 0, 910), 900);
    vfs_disk_sync(file);
    lose(disk, &drops, 1);
    assert_int_equal(vfs_disk_size(file), 1010);
    assert_int_equal(run_of(file, 0, 'x', 1010), 100);
    assert_int_equal(run_of(file, 100, 0, 910), 900);
    vfs_disk_free(disk);
}

static void synced_data_survives_and_unsynced_data_may_not(void **state)
{
    struct vfs_disk *disk = vfs_disk_new();
    struct vfs_file *file = vfs_disk_make(disk, "a");

    (void)state;
    fill(file, 0, 'x', PAGE);
    vfs_disk_sync(file);
    fill(file, 100, 'y', PAGE);
    assert_int_equal(run_of(file, 100, 'y', PAGE), PAGE);
    lose(disk, &drops, 1);
    assert_int_equal(vfs_disk_size(file), PAGE);
    assert_int_equal(run_of(file, 0, 'x', PAGE), PAGE);
    fill(file, 100, 'y', PAGE);
    lose(disk, &keeps, 1);
    assert_int_equal(run_of(file, 100, 'y', PAGE), PAGE);
    lose(disk, &drops, 1); /* it is durable by now */
    assert_int_equal(run_of(file, 100, 'y', PAGE), PAGE);
    vfs_disk_free(disk);
}

static void garbled_bytes_are_only_where_a_write_was_pending(void **state)
{
    struct vfs_disk *disk = vfs_disk_new();
    struct vfs_file *file = vfs_disk_make(disk, "a");

    (void)state;
    fill(file, 0, 'x', PAGE);
    vfs_disk_sync(file);
    fill(file, 700, 'y', 1000);
    lose(disk, &garbles, 1);
    assert_int_equal(run_of(file, 0, 'x', 700), 700);
    assert_int_equal(run_of(file, 1700, 'x', PAGE - 1700), PAGE - 1700);
    assert_true(run_of(file, 700, 'x', 1000) < 16);
    assert_true(run_of(file, 700, 'y', 1000) < 16);
    vfs_disk_free(disk);
}

static void a_torn_sector_is_new_up_to_a_byte_and_old_from_there(void **state)
{
    struct vfs_disk *disk = vfs_disk_new();
    struct vfs_file *file = vfs_disk_make(disk, "a");
    size_t least = VFS_SECTOR, most = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        size_t fresh;

        fill(file, 0, 'x', VFS_SECTOR);
        vfs_disk_sync(file);
        fill(file, 0, 'y', VFS_SECTOR);
        lose(disk, &tears, seed);
        fresh = run_of(file, 0, 'y', VFS_SECTOR);
        assert_int_equal(run_of(file, (int64_t)fresh, 'x', VFS_SECTOR), VFS_SECTOR - fresh);
        least = fresh < least ? fresh : least;
        most = fresh > most ? fresh : most;
    }
    assert_true(least < 50 && most > VFS_SECTOR - 50 && most < VFS_SECTOR);
    vfs_disk_free(disk);
}

static void the_fate_of_each_sector_is_independent(void **state)
{
    struct vfs_disk *disk = vfs_disk_new();
    struct vfs_file *file = vfs_disk_make(disk, "a");
    int fresh = 0, sectors = PAGE / VFS_SECTOR;

    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        fill(file, 0, 'x', PAGE);
        vfs_disk_sync(file);
        fill(file, 100, 'y', PAGE - 200); /* only a part of the first and the last */
        lose(disk, &mixes, seed);
        for (int i = 0; i < sectors; i++) {
            int from = i == 0 ? 100 : i * VFS_SECTOR;
            int end = i == sectors - 1 ? PAGE - 100 : (i + 1) * VFS_SECTOR;
            size_t n = run_of(file, from, 'y', (size_t)(end - from));

            assert_true(n == 0 || n == (size_t)(end - from));
            fresh += n > 0 ? 1 : 0;
        }
    }
    /* Half of 800; a fair coin leaves this range once in 10^9 times. */
    assert_in_range(fresh, 315, 485);
    vfs_disk_free(disk);
}

/* Of two writes to one place, only the first may survive. */
static void a_write_may_survive_without_the_one_after_it(void **state)
{
    int seen[3] = {0};

    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct vfs_disk *disk = vfs_disk_new();
        struct vfs_file *file = vfs_disk_make(disk, "a");

        fill(file, 0, '0', 1);
        vfs_disk_sync(file);
        fill(file, 0, '1', 1);
        fill(file, 0, '2', 1);
        lose(disk, &mixes, seed);
        for (int i = 0; i < 3; i++)
            seen[i] += (int)run_of(file, 0, '0' + i, 1);
        vfs_disk_free(disk);
    }
    assert_true(seen[0] > 5 && seen[1] > 5 && seen[2] > 5);
    assert_int_equal(seen[0] + seen[1] + seen[2], 100);
}

static void a_truncation_is_durable_after_a_sync(void **state)
{
    struct vfs_disk *disk = vfs_disk_new();
    struct vfs_file *file = vfs_disk_make(disk, "a");

    (void)state;
    fill(file, 0, 'x', PAGE);
    vfs_disk_sync(file);
    vfs_disk_cut(file, 10);
    lose(disk, &drops, 1);
    assert_int_equal(run_of(file, 0, 'x', PAGE), PAGE);
    vfs_disk_cut(file, 10);
    lose(disk, &keeps, 1);
    assert_int_equal(vfs_disk_size(file), 10);
    vfs_disk_cut(file, 5);
    vfs_disk_sync(file);
    lose(disk, &drops, 1);
    assert_int_equal(vfs_disk_size(file), 5);
    vfs_disk_free(disk);
}

static void after_a_failed_sync_no_later_sync_writes_the_data(void **state)
{
    struct vfs_disk *disk = vfs_disk_new();
    struct vfs_file *file = vfs_disk_make(disk, "a");

    (void)state;
    fill(file, 0, 'x', 100);
    vfs_disk_sync(file);
    fill(file, 0, 'y', 50);
    vfs_disk_fail_sync(file);
    assert_int_equal(run_of(file, 0, 'y', 100), 50);
    fill(file, 90, 'z', 10);
    vfs_disk_sync(file);
    assert_int_equal(run_of(file, 0, 'y', 100), 50);
    lose(disk, &keeps, 1);
    assert_int_equal(run_of(file, 0, 'x', 100), 90);
    assert_int_equal(run_of(file, 90, 'z', 10), 10);
    vfs_disk_free(disk);
}

static void a_new_name_is_durable_after_its_first_sync(void **state)
{
    struct vfs_disk *disk = vfs_disk_new();
    struct vfs_file *file = vfs_disk_make(disk, "a");

    (void)state;
    fill(file, 0, 'x', 10);
    lose(disk, &drops, 1);
    assert_null(vfs_disk_find(disk, "a"));
    fill(vfs_disk_make(disk, "a"), 0, 'x', 10);
    lose(disk, &keeps, 1);
    assert_int_equal(run_of(vfs_disk_find(disk, "a"), 0, 'x', 10), 10);
    vfs_disk_sync(vfs_disk_make(disk, "b"));
    lose(disk, &drops, 1);
    assert_non_null(vfs_disk_find(disk, "a"));
    assert_non_null(vfs_disk_find(disk, "b"));
    vfs_disk_free(disk);
}

static void a_deletion_is_durable_after_the_next_sync_of_any_file(void **state)
{
    struct vfs_disk *disk = vfs_disk_new();
    struct vfs_file *file = vfs_disk_make(disk, "a"), *other = vfs_disk_make(disk, "b");

    (void)state;
    fill(file, 0, 'x', 10);
    vfs_disk_sync(file);
    vfs_disk_delete(file);
    assert_null(vfs_disk_find(disk, "a"));
    vfs_disk_sync(other);
    lose(disk, &drops, 1);
    assert_null(vfs_disk_find(disk, "a"));
    vfs_disk_delete(other);
    lose(disk, &drops, 1);
    assert_ptr_equal(vfs_disk_find(disk, "b"), other);
    vfs_disk_delete(other);
    vfs_disk_sync_deletions(disk);
    lose(disk, &drops, 1);
    assert_null(vfs_disk_find(disk, "b"));
    vfs_disk_free(disk);
}

static void a_reused_name_is_one_file_after_a_power_loss(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct vfs_disk *disk = vfs_disk_new();
        struct vfs_file *file = vfs_disk_make(disk, "a");
        bool is_old;

        fill(file, 0, 'o', 10);
        vfs_disk_sync(file);
        vfs_disk_delete(file);
        fill(vfs_disk_make(disk, "a"), 0, 'n', 20);
        lose(disk, &mixes, seed);
        file = vfs_disk_find(disk, "a");
        if (file) {
            is_old = run_of(file, 0, 'o', 20) == 10;
            assert_true(is_old || vfs_disk_size(file) == 0 || run_of(file, 0, 'n', 20) == 20);
            vfs_disk_delete(file);
            vfs_disk_sync_deletions(disk);
        }
        assert_null(vfs_disk_find(disk, "a"));
        vfs_disk_free(disk);
    }
}

static void a_deleted_file_can_be_used_until_it_is_released(void **state)
{
    struct vfs_disk *disk = vfs_disk_new();
    struct vfs_file *file = vfs_disk_make(disk, "a");

    (void)state;
    vfs_disk_hold(file);
    vfs_disk_delete(file);
    fill(file, 0, 'x', 10);
    vfs_disk_sync(file);
    assert_int_equal(run_of(file, 0, 'x', 10), 10);
    assert_null(vfs_disk_find(disk, "a"));
    vfs_disk_let_go(file);
    lose(disk, &keeps, 1);
    assert_null(vfs_disk_find(disk, "a"));
    vfs_disk_free(disk);
}

static void data_above_the_pending_limit_is_durable_without_a_sync(void **state)
{
    static const char megabyte[1 << 20] = "x";
    struct vfs_disk *disk = vfs_disk_new();
    struct vfs_file *file = vfs_disk_make(disk, "a");

    (void)state;
    vfs_disk_sync(file);
    for (size_t size = 0; size <= VFS_PENDING_MAX; size += sizeof megabyte)
        vfs_disk_write(file, 0, megabyte, sizeof megabyte);
    lose(disk, &drops, 1);
    assert_int_equal(vfs_disk_size(file), sizeof megabyte);
    vfs_disk_free(disk);
}

static uint64_t digest_of(uint64_t seed, int byte)
{
    static const struct vfs_odds all = {1, 1, 1, 1};
    struct vfs_disk *disk = vfs_disk_new();
    uint64_t digest;

    for (int i = 0; i < 10; i++)
        fill(vfs_disk_make(disk, (char[]){(char)('a' + i), '\0'}), 0, byte, PAGE);
    lose(disk, &all, seed);
    digest = vfs_disk_digest(disk);
    vfs_disk_free(disk);
    return digest;
}

static void one_seed_leaves_the_same_content(void **state)
{
    (void)state;
    assert_true(digest_of(7, 'x') == digest_of(7, 'x'));
    assert_true(digest_of(7, 'x') != digest_of(8, 'x'));
    assert_true(digest_of(7, 'x') != digest_of(7, 'y'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_returns_the_written_bytes),
        cmocka_unit_test(a_gap_reads_as_zeros_even_after_a_truncation),
        cmocka_unit_test(synced_data_survives_and_unsynced_data_may_not),
        cmocka_unit_test(garbled_bytes_are_only_where_a_write_was_pending),
        cmocka_unit_test(a_torn_sector_is_new_up_to_a_byte_and_old_from_there),
        cmocka_unit_test(the_fate_of_each_sector_is_independent),
        cmocka_unit_test(a_write_may_survive_without_the_one_after_it),
        cmocka_unit_test(a_truncation_is_durable_after_a_sync),
        cmocka_unit_test(after_a_failed_sync_no_later_sync_writes_the_data),
        cmocka_unit_test(a_new_name_is_durable_after_its_first_sync),
        cmocka_unit_test(a_deletion_is_durable_after_the_next_sync_of_any_file),
        cmocka_unit_test(a_reused_name_is_one_file_after_a_power_loss),
        cmocka_unit_test(a_deleted_file_can_be_used_until_it_is_released),
        cmocka_unit_test(data_above_the_pending_limit_is_durable_without_a_sync),
        cmocka_unit_test(one_seed_leaves_the_same_content),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
