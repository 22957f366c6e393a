/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bare loop on SQLite, with the settings of Belfry: WAL, an fsync per commit, 64 MB of
 * cache, and a checkpoint between transactions when the WAL is long.
 */
#include <sqlite3.h>
#include <string.h>

#include "bare.h"

enum { SQL_MAX = 2048 };

struct bare_file {
    sqlite3 *handle;
    sqlite3_stmt *stmts[BARE_COUNT], *begin, *commit;
    int log_pages, log_done;
};

static void check(const struct bare_file *file, bool is_good)
{
    if (!is_good)
        DIE("SQLite: %s", sqlite3_errmsg(file->handle));
}

static sqlite3_stmt *prepare(const struct bare_file *file, const char *sql)
{
    sqlite3_stmt *stmt = NULL;

    check(file, sqlite3_prepare_v3(file->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &stmt,
                                   NULL) == SQLITE_OK);
    return stmt;
}

/* SQLite takes $2 as a name and ?2 as a number; only numbers can be bound in order. */
static sqlite3_stmt *prepare_numbered(const struct bare_file *file, const char *text)
{
    char sql[SQL_MAX];

    snprintf(sql, sizeof sql, "%s", text);
    for (char *p = sql; *p != '\0'; p++)
        if (*p == '$')
            *p = '?';
    return prepare(file, sql);
}

static int note_log(void *arg, sqlite3 *handle, const char *name, int pages)
{
    struct bare_file *file = arg;

    (void)handle;
    (void)name;
    file->log_pages = pages;
    if (pages < file->log_done)
        file->log_done = 0;
    return SQLITE_OK;
}

static struct bare_file *connect_to(const char *url)
{
    struct bare_file *file = calloc(1, sizeof *file);

    if (!file ||
        sqlite3_open_v2(url + strlen("sqlite:"), &file->handle,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        DIE("SQLite cannot open %s", url);
    sqlite3_wal_hook(file->handle, note_log, file);
    check(file, sqlite3_exec(file->handle,
                             "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                             "PRAGMA cache_size=-65536; PRAGMA journal_size_limit=67108864;"
                             "PRAGMA secure_delete=FAST; PRAGMA mmap_size=0;"
                             "PRAGMA temp_store=MEMORY; PRAGMA cell_size_check=ON",
                             NULL, NULL, NULL) == SQLITE_OK);
    file->begin = prepare(file, "BEGIN IMMEDIATE");
    file->commit = prepare(file, "COMMIT");
    return file;
}

static void *file_open(const char *url)
{
    struct bare_file *file = connect_to(url);

    for (int i = 0; i < BARE_COUNT; i++)
        file->stmts[i] = prepare_numbered(file, bare_sql[i].text);
    return file;
}

static void step(const struct bare_file *file, sqlite3_stmt *stmt)
{
    check(file, sqlite3_step(stmt) == SQLITE_DONE);
    sqlite3_reset(stmt);
}

static void bind_all(sqlite3_stmt *stmt, const int64_t *params, int count)
{
    for (int i = 0; i < count; i++)
        sqlite3_bind_int64(stmt, i + 1, params[i]);
}

static void file_begin(void *db)
{
    struct bare_file *file = db;

    step(file, file->begin);
}

static void file_commit(void *db)
{
    struct bare_file *file = db;

    step(file, file->commit);
    if (file->log_pages - file->log_done < DB_CHECKPOINT_PAGES)
        return;
    check(file, sqlite3_wal_checkpoint_v2(file->handle, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL,
                                          &file->log_done) == SQLITE_OK);
}

static int file_due(void *db, const int64_t *params, int64_t rows[][CURSOR_WIDTH])
{
    struct bare_file *file = db;
    sqlite3_stmt *stmt = file->stmts[BARE_DUE];
    int count = 0;

    bind_all(stmt, params, bare_sql[BARE_DUE].params);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        for (int i = 0; i < CURSOR_WIDTH; i++)
            rows[count][i] = sqlite3_column_int64(stmt, i);
        count++;
    }
    check(file, sqlite3_reset(stmt) == SQLITE_OK);
    return count;
}

static void file_send(void *db, enum bare_stmt which, const int64_t *params)
{
    struct bare_file *file = db;

    bind_all(file->stmts[which], params, bare_sql[which].params);
    step(file, file->stmts[which]);
    if (sqlite3_changes(file->handle) != 1)
        DIE("the bare loop has missed a row");
}

static void file_close(void *db)
{
    struct bare_file *file = db;

    for (int i = 0; i < BARE_COUNT; i++)
        sqlite3_finalize(file->stmts[i]);
    sqlite3_finalize(file->begin);
    sqlite3_finalize(file->commit);
    sqlite3_close(file->handle);
    free(file);
}

static void file_load(const struct load *load)
{
    struct bare_file *file = connect_to(load->url);
    sqlite3_stmt *insert = prepare_numbered(file, bare_insert_cursor);
    int64_t row[CURSOR_WIDTH];

    file_begin(file);
    for (int64_t i = 0; i < load->schedules; i++) {
        bare_cursor(load, i, row);
        bind_all(insert, row, CURSOR_WIDTH);
        step(file, insert);
    }
    sqlite3_finalize(insert);
    file_commit(file);
    file_close(file);
}

const struct bare_driver bare_sqlite = {
    .load = file_load,
    .open = file_open,
    .begin = file_begin,
    .due = file_due,
    .send = file_send,
    .commit = file_commit,
    .close = file_close,
};
