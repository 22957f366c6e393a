/* SPDX-License-Identifier: Apache-2.0 */
/* The lock on the file of a database itself, and what happens if the file is removed. */
#include "harness.h"

static void no_other_name_of_the_file_bypasses_the_lock(void **state)
{
    struct fixture *f = *state;
    char path[128], other[128], url[160];
    struct db *second = NULL;

    snprintf(path, sizeof path, "%s/test.db.lock", f->dir);
    assert_int_equal(unlink(path), 0);
    REFUSED(db_open(f->url, NULL, &second, err), RC_BUSY, "is in use");
    snprintf(path, sizeof path, "%s/test.db", f->dir);
    snprintf(other, sizeof other, "%s/other.db", f->dir);
    snprintf(url, sizeof url, "sqlite:%s", other);
    assert_int_equal(link(path, other), 0);
    REFUSED(db_open(url, NULL, &second, err), RC_BUSY, "is in use");
    f->db = db_close(f->db);
    OK(db_open(url, NULL, &second, err)); /* the first one has ended */
    db_close(second);
    assert_int_equal(unlink(other), 0);
    snprintf(other, sizeof other, "%s/other.db.lock", f->dir);
    assert_int_equal(unlink(other), 0);
}

static void a_removed_or_replaced_file_is_noticed(void **state)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    struct fixture *f = *state;
    char path[128], other[128];

    for (int i = 0; i < 6; i++) {
        bool is_replaced = i >= 3;

        f->db = db_close(f->db);
        OK(db_open(f->url, NULL, &f->db, err));
        OK(db_exec(f->db, STR("CREATE TABLE IF NOT EXISTS once (n INTEGER)"), err));
        OK(db_check_file(f->db, err));
        OK(db_check_file(f->db, err));
        snprintf(path, sizeof path, "%s/test.db%s", f->dir, ends[i % 3]);
        snprintf(other, sizeof other, "%s/kept", f->dir);
        assert_int_equal(rename(path, other), 0);
        if (is_replaced)
            fclose(fopen(path, "we"));
        REFUSED(db_check_file(f->db, err), RC_CORRUPT, is_replaced ? "replaced" : "removed");
        assert_true(db_is_dead(f->db));
        assert_int_equal(rename(other, path), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DB_TEST(no_other_name_of_the_file_bypasses_the_lock),
        DB_TEST(a_removed_or_replaced_file_is_noticed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
