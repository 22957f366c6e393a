/* SPDX-License-Identifier: Apache-2.0 */
/* A backup of a database that is written to at the same time. */
#include "harness.h"

#include <sys/stat.h>

#include "db/backup.h"

enum { ROWS = 3000, ROW_BYTES = 3000 }; /* more than two steps of pages */

static const struct db_stmt fill = {
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)"
    " INSERT INTO f (id, b) SELECT i, $2 FROM n",
    "ib"};
static const struct db_stmt insert = {"INSERT INTO f (b) VALUES ($1)", "b"};
static const struct db_stmt change = {"UPDATE f SET b = $1", "b"};
static const struct db_stmt count = {"SELECT count(*) FROM f", NULL};
static const struct db_stmt changed = {"SELECT count(*) FROM f WHERE length(b) <> 3000", NULL};
static const struct db_stmt check = {"SELECT integrity_check FROM pragma_integrity_check",
                                     NULL};
static const struct db_stmt mode = {"SELECT journal_mode FROM pragma_journal_mode", NULL};

static const char *path_of(const struct fixture *f, const char *name)
{
    static char path[128];

    snprintf(path, sizeof path, "%s/%s", f->dir, name);
    return path;
}

static void make_table(struct fixture *f)
{
    static char bytes[ROW_BYTES];
    struct db_value params[] = {db_int(ROWS), db_blob((struct str){bytes, sizeof bytes})};

    exec(f->db, "CREATE TABLE f (id INTEGER PRIMARY KEY, b BLOB)");
    (void)query(f, f->db, &fill, params);
}

static void drop(const struct fixture *f, const char *name)
{
    static const char *const ends[] = {"", "-wal", "-shm", ".lock"};
    char path[256];

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        snprintf(path, sizeof path, "%s/%s%s", f->dir, name, ends[i]);
        unlink(path);
    }
}

struct busy {
    struct fixture *f;
    int calls;
    int64_t last, all;
};

/* Between any two steps the writer adds rows, changes every page and checkpoints. */
static void write_more(void *arg, int64_t done, int64_t all)
{
    struct busy *busy = arg;
    struct db_value param = db_blob(STR("new"));

    assert_true(done > busy->last && done <= all);
    busy->last = done;
    busy->all = all;
    busy->calls++;
    (void)query(busy->f, busy->f->db, &insert, &param);
    (void)query(busy->f, busy->f->db, &change, &param);
    OK(db_checkpoint(busy->f->db, err));
}

static void a_copy_is_what_was_committed_when_it_began(void **state)
{
    struct fixture *f = *state;
    struct db *reader, *copy;
    struct busy busy = {.f = f};
    char path[128], url[URL_MAX];
    struct db_backup what = {.file = path, .progress = write_more, .arg = &busy};
    struct db_result result;
    struct stat st;

    make_table(f);
    snprintf(path, sizeof path, "%s", path_of(f, "copy.db"));
    reader = open_reader(f);
    OK(db_backup(reader, &what, err));
    db_close(reader);
    assert_true(busy.calls > 2);
    assert_int_equal(busy.last, busy.all);
    assert_int_equal(query_int(f, f->db, &count), ROWS + busy.calls);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);

    /* It is a database like the first: with a log, and writable. */
    snprintf(url, sizeof url, "sqlite:%s", path);
    copy = open_with(url, NULL);
    assert_int_equal(query_int(f, copy, &count), ROWS);
    assert_int_equal(query_int(f, copy, &changed), 0);
    result = query(f, copy, &check, NULL);
    assert_string_equal(db_text_at(&result, 0, 0).ptr, "ok");
    result = query(f, copy, &mode, NULL);
    assert_string_equal(db_text_at(&result, 0, 0).ptr, "wal");
    db_close(copy);
    drop(f, "copy.db");
}

static void a_file_is_replaced_only_when_asked(void **state)
{
    struct fixture *f = *state;
    struct db *reader;
    char path[128];
    struct db_backup what = {.file = path};
    FILE *file;

    make_table(f);
    reader = open_reader(f);
    snprintf(path, sizeof path, "%s", path_of(f, "copy.db"));
    file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
    REFUSED(db_backup(reader, &what, err), RC_CONFLICT, "already exists");
    what.replace = true;
    OK(db_backup(reader, &what, err));
    /* Not the database itself, nor a file next to the log of another. */
    what.file = path_of(f, "test.db");
    REFUSED(db_backup(reader, &what, err), RC_CONFLICT, "a running server");
    file = fopen(path_of(f, "copy.db-wal"), "w");
    assert_non_null(file);
    fputs("x", file);
    fclose(file);
    what.file = path;
    REFUSED(db_backup(reader, &what, err), RC_CONFLICT, "log of another database");
    what.file = "/nowhere/at/all.db";
    REFUSED(db_backup(reader, &what, err), RC_INVALID, "cannot create /nowhere");
    what.file = "";
    REFUSED(db_backup(reader, &what, err), RC_INVALID, "empty");
    db_close(reader);
    drop(f, "copy.db");
}

static void a_failed_copy_leaves_no_file(void **state)
{
    struct fixture *f = *state;
    struct db *reader;
    struct db_backup what = {.file = "/dev/full/x"};

    make_table(f);
    reader = open_reader(f);
    REFUSED(db_backup(reader, &what, err), RC_INVALID, "cannot create");
    what.file = path_of(f, "dir.db");
    assert_int_equal(mkdir(what.file, 0700), 0);
    what.replace = true;
    REFUSED(db_backup(reader, &what, err), RC_LIMIT, "cannot write");
    assert_int_equal(rmdir(path_of(f, "dir.db")), 0);
    assert_int_equal(access(path_of(f, "dir.db.part"), F_OK), -1);
    db_close(reader);
}

/* What another backup of the same name does when it begins. */
static void begin_another(void *arg, int64_t done, int64_t all)
{
    const char *part = arg;
    FILE *file;

    (void)done;
    (void)all;
    unlink(part);
    file = fopen(part, "w");
    assert_non_null(file);
    fputs("half of it", file);
    fclose(file);
}

static void an_unfinished_backup_never_gets_the_name_of_the_file(void **state)
{
    struct fixture *f = *state;
    struct db *reader;
    char path[128], part[160];
    struct db_backup what = {.file = path, .progress = begin_another, .arg = part};

    make_table(f);
    reader = open_reader(f);
    snprintf(path, sizeof path, "%s", path_of(f, "copy.db"));
    snprintf(part, sizeof part, "%s.part", path);
    REFUSED(db_backup(reader, &what, err), RC_CONFLICT, "another backup is writing");
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(access(part, F_OK), 0); /* which belongs to the other backup */
    assert_int_equal(unlink(part), 0);
    db_close(reader);
}

static void a_backup_of_postgresql_is_refused_with_a_hint(void **state)
{
    struct fixture *f = *state;
    struct db *reader = open_reader(f);
    struct db_backup what = {.file = "/tmp/x"};

    REFUSED(db_backup(reader, &what, err), RC_INVALID, "pg_dump");
    db_close(reader);
}

int main(void)
{
    const struct CMUnitTest sqlite[] = {
        DB_TEST(a_copy_is_what_was_committed_when_it_began),
        DB_TEST(a_file_is_replaced_only_when_asked),
        DB_TEST(a_failed_copy_leaves_no_file),
        DB_TEST(an_unfinished_backup_never_gets_the_name_of_the_file),
    };
    const struct CMUnitTest postgres[] = {
        DB_TEST(a_backup_of_postgresql_is_refused_with_a_hint)};
    const char *kind = getenv("BELFRY_TEST_DB");

    if (kind && strcmp(kind, "postgres") == 0)
        return cmocka_run_group_tests(postgres, NULL, NULL);
    return cmocka_run_group_tests(sqlite, NULL, NULL);
}
