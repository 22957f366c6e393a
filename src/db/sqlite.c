/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver of SQLite.
 *
 * One connection writes and checkpoints, and lends its WAL to one other that may help with
 * checkpoints (wal_writeback.c); readers are opened read-only and see a snapshot.  After a
 * failed disk write (SQLITE_IOERR) nothing may be retried: the kernel's cache then differs from
 * the disk.  The connection is dead, and the next process recovers from the WAL.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/must.h"
#include "db/sqlite_file.h"
#include "db/sqlite_lock.h"
#include "db/sqlite_parts.h"
#include "db/sqlite_wal.h"

enum {
    APPLICATION_ID = 0x424c4659, /* "BLFY", as file(1) shows it */
    FILE_VERSION = 1,            /* of how Belfry uses the file, not of its tables */
    PROGRESS_STEPS = 10000, /* of SQLite's virtual machine between two checks of the deadline */
    VFS_NAME_MAX = 64,
    ROWS_GROW = 4,
    PARAM_NAME_MAX = 16, /* "$" and any int */
    WAIT_FACTOR = 4,     /* at 4 times wal_pages, 64 MB, a checkpoint waits for readers */
};

static struct sqlite *sqlite_of(struct db *db)
{
    return (struct sqlite *)db;
}

/* Opening. */

static enum rc run_text(struct sqlite *sq, const char *sql, struct err *reterr)
{
    return sqlite3_exec(sq->handle, sql, NULL, NULL, NULL) == SQLITE_OK
               ? RC_OK
               : sqlite_set_error(sq, reterr);
}

/* The first column of the only row, as a number. */
static enum rc read_int(struct sqlite *sq, const char *sql, int *ret, struct err *reterr)
{
    sqlite3_stmt *stmt = NULL;
    enum rc rc = RC_OK;

    if (sqlite3_prepare_v2(sq->handle, sql, -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW)
        *ret = sqlite3_column_int(stmt, 0);
    else
        rc = sqlite_set_error(sq, reterr);
    sqlite3_finalize(stmt);
    return rc;
}

/* Nothing is changed before this check: the file may belong to another program. */
static enum rc check_owner(struct sqlite *sq, bool *ret_new, struct err *reterr)
{
    int application = 0, version = 0, tables = 0;
    enum rc rc = read_int(sq, "PRAGMA application_id", &application, reterr);

    if (rc == RC_OK)
        rc = read_int(sq, "PRAGMA user_version", &version, reterr);
    if (rc == RC_OK)
        rc = read_int(sq, "SELECT count(*) FROM sqlite_schema", &tables, reterr);
    if (rc != RC_OK)
        return rc;
    *ret_new = application == 0 && version == 0 && tables == 0;
    if (!*ret_new && application != APPLICATION_ID)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "%s is the database of another program; choose another file with --db",
                       sqlite3_db_filename(sq->handle, "main"));
    if (version > FILE_VERSION)
        return err_set(
            reterr, RC_CONFLICT, -1, 0,
            "%s was made by a newer Belfry (file version %d, this one supports %d); run "
            "the newer one",
            sqlite3_db_filename(sq->handle, "main"), version, FILE_VERSION);
    return RC_OK;
}

static enum rc claim_file(struct sqlite *sq, struct err *reterr)
{
    char sql[128];

    snprintf(sql, sizeof sql, "BEGIN; PRAGMA application_id=%d; PRAGMA user_version=%d; COMMIT",
             APPLICATION_ID, FILE_VERSION);
    return run_text(sq, sql, reterr);
}

static int on_commit(void *arg, sqlite3 *handle, const char *name, int pages)
{
    struct sqlite *sq = arg;

    (void)handle;
    (void)name;
    if (pages <= sq->wal_pages) /* the WAL was restarted */
        sq->wal_copied = sq->wal_waited = sq->wal_copied_max = sq->writebacks = 0;
    sq->wal_pages = pages;
    return SQLITE_OK;
}

/*
 * After a failed fsync the kernel treats pages as written that never reached the disk, so the
 * pages that recovery finds in the WAL may be lost at a power failure, with all later ones.  So
 * they are copied to the database now, and the WAL restarts.
 */
static enum rc restart_wal(struct sqlite *sq, struct err *reterr)
{
    int code = sqlite3_wal_checkpoint_v2(sq->handle, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL,
                                         NULL);

    return code == SQLITE_OK || code == SQLITE_BUSY ? RC_OK : sqlite_set_error(sq, reterr);
}

static enum rc set_up_writer(struct sqlite *sq, bool is_new, struct err *reterr)
{
    enum rc rc = run_text(sq, "PRAGMA journal_mode=WAL", reterr);
    int has_wal = 0;

    if (rc == RC_OK)
        rc = read_int(sq, "SELECT journal_mode = 'wal' FROM pragma_journal_mode", &has_wal,
                      reterr);
    if (rc == RC_OK && !has_wal)
        rc = err_set(reterr, RC_INVALID, -1, 0,
                     "SQLite cannot use a write-ahead log for %s; put it on a file system with "
                     "shared memory",
                     sqlite3_db_filename(sq->handle, "main"));
    if (rc == RC_OK && is_new)
        rc = claim_file(sq, reterr);
    if (rc != RC_OK)
        return rc;
    /* Also disables SQLite's automatic checkpoints, which would run inside a turn. */
    sqlite3_wal_hook(sq->handle, on_commit, sq);
    rc = run_text(sq,
                  "PRAGMA synchronous=FULL;"
                  "PRAGMA cache_size=-65536;"
                  "PRAGMA journal_size_limit=67108864;"
                  /* Debian's default, ON, writes freed pages only to clear them. */
                  "PRAGMA secure_delete=FAST",
                  reterr);
    return rc == RC_OK ? restart_wal(sq, reterr) : rc;
}

static int is_over(void *arg)
{
    struct sqlite *sq = arg;

    return deadline_is_over(&sq->deadline) ? 1 : 0;
}

static enum rc set_up_reader(struct sqlite *sq, struct err *reterr)
{
    enum rc rc = deadline_open(sq->db.options.deadline_ms, &sq->deadline, reterr);

    if (rc != RC_OK)
        return rc;
    sqlite3_progress_handler(sq->handle, PROGRESS_STEPS, is_over, sq);
    return run_text(sq, "PRAGMA query_only=ON; PRAGMA cache_size=-16384", reterr);
}

/* Pages are copied from file to file and not cached. */
static enum rc set_up_writeback(struct sqlite *sq, struct err *reterr)
{
    return run_text(sq, "PRAGMA synchronous=FULL; PRAGMA cache_size=8", reterr);
}

static enum rc set_up(struct sqlite *sq, struct err *reterr)
{
    bool readonly = sq->db.options.readonly, writes_back = sq->db.options.writes_back,
         is_new = false;
    sqlite3 *handle = sq->handle;
    enum rc rc;

    sqlite3_extended_result_codes(handle, 1);
    sqlite3_busy_timeout(handle, sq->db.options.lock_ms);
    /* Only the writer may write back on close: the WAL of a dead writer must stay. */
    sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, readonly || writes_back, NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, 0, NULL);
    /* As on PostgreSQL: "x" is a name and never a text. */
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    rc = check_owner(sq, &is_new, reterr);
    if (rc == RC_OK)
        rc = readonly      ? set_up_reader(sq, reterr)
             : writes_back ? set_up_writeback(sq, reterr)
                           : set_up_writer(sq, is_new, reterr);
    if (rc != RC_OK)
        return rc;
    return run_text(sq,
                    "PRAGMA mmap_size=0;"
                    "PRAGMA temp_store=MEMORY;"
                    "PRAGMA cell_size_check=ON;"
                    /* As on PostgreSQL. */
                    "PRAGMA case_sensitive_like=ON",
                    reterr);
}

/* "FILE" or "FILE?vfs=NAME"; *ret_vfs is "" for the first. */
static enum rc split_url(struct str url, char *ret_file, char *ret_vfs, struct err *reterr)
{
    struct str file = url, query = STR("");

    str_cut(url, '?', &file, &query);
    if (file.len == 0 || file.len >= SQLITE_PATH_MAX)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "the name of the database is empty or too long; write sqlite:FILE");
    if (file.len < url.len && !str_starts(query, STR("vfs=")))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "unknown parameter `%.*s` in the database URL; only ?vfs=NAME is valid",
                       STR_ARG(query));
    query = str_from(query, query.len < 4 ? query.len : 4);
    if (query.len >= VFS_NAME_MAX)
        return err_set(reterr, RC_INVALID, -1, 0, "the name of the VFS is too long");
    snprintf(ret_file, SQLITE_PATH_MAX, "%.*s", (int)file.len, file.ptr);
    snprintf(ret_vfs, VFS_NAME_MAX, "%.*s", (int)query.len, query.ptr);
    return RC_OK;
}

/*
 * Before the first connection: SQLite counts allocations under a lock, and the counts are not
 * used.
 */
static void set_up_process(void)
{
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static enum rc sqlite_open(struct db *db, const char *url, struct err *reterr)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct sqlite *sq = sqlite_of(db);
    bool readonly = db->options.readonly, writes_back = db->options.writes_back;
    char file[SQLITE_PATH_MAX], path[SQLITE_PATH_MAX], vfs[VFS_NAME_MAX];
    int flags = SQLITE_OPEN_NOMUTEX |
                (readonly      ? SQLITE_OPEN_READONLY
                 : writes_back ? SQLITE_OPEN_READWRITE
                               : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    enum rc rc;

    must(pthread_once(&once, set_up_process) == 0);
    sq->lock = sq->inode_lock = -1;
    sq->deadline.fd = -1;
    rc = split_url(str_of(url), file, vfs, reterr);
    if (rc != RC_OK)
        return rc;
    if (vfs[0] != '\0')
        memcpy(path, file, sizeof path);
    else if (readonly || writes_back)
        rc = sqlite_file_find(file, path, reterr);
    else
        rc = sqlite_file_take(file, db->options.any_filesystem, path, &sq->lock, reterr);
    if (rc == RC_OK && sq->lock >= 0)
        rc = sqlite_lock_take(path, &sq->inode_lock, reterr);
    if (rc != RC_OK)
        return rc;
    if (!readonly && !writes_back)
        sq->wal = sqlite_wal_new(db->arena, vfs); /* NULL: opening reports the unknown VFS */
    if (sq->wal)
        snprintf(vfs, sizeof vfs, "%s", sqlite_wal_name(sq->wal));
    if (sqlite3_open_v2(path, &sq->handle, flags, vfs[0] ? vfs : NULL) != SQLITE_OK) {
        must(sq->handle); /* NULL: out of memory */
        return err_set(reterr, RC_INVALID, -1, 0, "cannot open the database %s: %s", path,
                       sqlite3_errmsg(sq->handle));
    }
    return set_up(sq, reterr);
}

static void sqlite_close(struct db *db)
{
    struct sqlite *sq = sqlite_of(db);

    for (int i = 0; i < DB_SLOTS; i++)
        sqlite3_finalize(db->cache[i].handle);
    /* After a failed write only the WAL can be trusted: leave it unchanged. */
    if (db->dead && sq->handle)
        sqlite3_db_config(sq->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    must(sqlite3_close(sq->handle) == SQLITE_OK);
    sqlite_wal_end(sq->wal);
    deadline_close(&sq->deadline);
    if (sq->inode_lock >= 0)
        sqlite_lock_release(sq->inode_lock);
    sqlite_file_release(sq->lock);
}

/* Running. */

static void find_params(sqlite3_stmt *stmt, struct db_cached *cached)
{
    char name[PARAM_NAME_MAX];

    /* $n is a name to SQLite: its position is that of its first use in the text. */
    for (int i = 0; i < cached->count; i++) {
        snprintf(name, sizeof name, "$%d", i + 1);
        cached->index[i] = sqlite3_bind_parameter_index(stmt, name);
        must(cached->index[i] > 0);
    }
    must(sqlite3_bind_parameter_count(stmt) == cached->count);
}

/* Separate from prepare(), so that only the first use of a statement pays for `sql`. */
static __attribute__((noinline)) enum rc prepare_new(struct sqlite *sq,
                                                     const struct db_entry *entry,
                                                     sqlite3_stmt **ret, struct err *reterr)
{
    struct db_cached *cached = entry->cached;
    sqlite3_stmt *stmt = NULL;
    char sql[DB_SQL_MAX];

    if (sqlite3_prepare_v3(
            sq->handle,
            cached ? db_expand(&sq->db, str_of(cached->stmt->sql), sql) : entry->text, -1,
            cached ? SQLITE_PREPARE_PERSISTENT : 0, &stmt, NULL) != SQLITE_OK)
        return sqlite_set_error(sq, reterr);
    must(stmt);
    if (cached) {
        find_params(stmt, cached);
        cached->handle = stmt;
    }
    *ret = stmt;
    return RC_OK;
}

static enum rc prepare(struct sqlite *sq, const struct db_entry *entry, sqlite3_stmt **ret,
                       struct err *reterr)
{
    if (!entry->cached || !entry->cached->handle)
        return prepare_new(sq, entry, ret, reterr);
    *ret = entry->cached->handle;
    return RC_OK;
}

/* The bytes stay in the queue until the statement has run, so that they are not copied. */
static int bind_value(sqlite3_stmt *stmt, int at, const struct db_value *value)
{
    switch (value->type) {
    case DB_INT:
        return sqlite3_bind_int64(stmt, at, value->num);
    case DB_TEXT:
        return sqlite3_bind_text64(stmt, at, value->bytes.ptr, value->bytes.len, SQLITE_STATIC,
                                   SQLITE_UTF8);
    case DB_BLOB:
        return sqlite3_bind_blob64(stmt, at, value->bytes.ptr, value->bytes.len, SQLITE_STATIC);
    case DB_NULL:
        break;
    }
    return sqlite3_bind_null(stmt, at);
}

static enum rc bind_params(struct sqlite *sq, sqlite3_stmt *stmt, const struct db_entry *entry,
                           struct err *reterr)
{
    for (int i = 0; entry->cached && i < entry->cached->count; i++)
        if (bind_value(stmt, entry->cached->index[i], &entry->params[i]) != SQLITE_OK)
            return sqlite_set_error(sq, reterr);
    return RC_OK;
}

/* The rows of a statement while they are read; their number is unknown until the last. */
struct reading {
    const struct db *db;
    sqlite3_stmt *stmt;
    struct arena *arena;
    struct db_value *values;
    int rows, columns, capacity;
};

/*
 * sqlite3_column_value() needs one call where the other functions need two or three; a row of a
 * list has some fifty values.  Only one thread uses the connection, so its values need no
 * protection.
 */
static enum rc keep_value(const struct reading *in, int column, struct db_value *ret,
                          struct err *reterr)
{
    sqlite3_value *value = sqlite3_column_value(in->stmt, column);
    int type = sqlite3_value_type(value);
    struct str bytes;
    enum rc rc;

    if (type == SQLITE_NULL) {
        *ret = (struct db_value){.type = DB_NULL};
        return RC_OK;
    }
    if (type == SQLITE_INTEGER) {
        *ret = db_int(sqlite3_value_int64(value));
        return RC_OK;
    }
    if (type == SQLITE_FLOAT)
        return err_set(
            reterr, RC_INVALID, -1, 0,
            "column %d of `%.120s` is a floating-point number; cast it to an integer",
            column + 1, sqlite3_sql(in->stmt));
    bytes.ptr = sqlite3_value_blob(value);
    bytes.len = (size_t)sqlite3_value_bytes(value);
    rc = db_check_room(in->db, in->arena, bytes.len + 1, reterr);
    if (rc != RC_OK)
        return rc;
    bytes = arena_str(in->arena, bytes);
    *ret = type == SQLITE_TEXT ? db_text(bytes) : db_blob(bytes);
    return RC_OK;
}

/* Makes room for one more row. */
static enum rc reserve_row(struct reading *in, struct err *reterr)
{
    size_t row = (size_t)in->columns * sizeof in->values[0];
    int wanted = in->capacity > 0 ? in->capacity * ROWS_GROW : 1; /* most reads find one */
    struct db_value *values;
    enum rc rc = db_check_rows(in->rows + 1, reterr);

    if (rc == RC_OK && in->rows < in->capacity)
        return RC_OK;
    if (rc == RC_OK)
        rc = db_check_room(in->db, in->arena, (size_t)wanted * row, reterr);
    if (rc != RC_OK)
        return rc;
    values = arena_take_raw(in->arena, (size_t)wanted * row);
    if (in->rows > 0)
        memcpy(values, in->values, (size_t)in->rows * row);
    in->values = values;
    in->capacity = wanted;
    return RC_OK;
}

static enum rc keep_row(struct reading *in, struct err *reterr)
{
    enum rc rc = reserve_row(in, reterr);

    for (int i = 0; rc == RC_OK && i < in->columns; i++)
        rc = keep_value(in, i, &in->values[(ptrdiff_t)in->rows * in->columns + i], reterr);
    if (rc == RC_OK)
        in->rows++;
    return rc;
}

static enum rc read_rows(struct sqlite *sq, struct reading *in, bool wanted, struct err *reterr)
{
    enum rc rc = RC_OK;
    int code = SQLITE_ROW;

    while (rc == RC_OK && (code = sqlite3_step(in->stmt)) == SQLITE_ROW)
        if (wanted)
            rc = keep_row(in, reterr);
    if (rc == RC_OK && code != SQLITE_DONE)
        rc = sqlite_set_error(sq, reterr);
    return rc;
}

static enum rc run_entry(struct sqlite *sq, struct db_entry *entry, struct arena *arena,
                         struct err *reterr)
{
    struct reading in = {.db = &sq->db, .arena = arena};
    sqlite3_int64 before = sqlite3_total_changes64(sq->handle);
    enum rc rc = prepare(sq, entry, &in.stmt, reterr);

    must(arena || !entry->ret);
    if (rc != RC_OK)
        return rc;
    in.columns = sqlite3_column_count(in.stmt);
    rc = bind_params(sq, in.stmt, entry, reterr);
    if (rc == RC_OK)
        rc = read_rows(sq, &in, entry->ret != NULL, reterr);
    if (entry->cached)
        sqlite3_reset(in.stmt);
    else
        sqlite3_finalize(in.stmt);
    entry->got = (struct db_result){
        .changed = sqlite3_total_changes64(sq->handle) - before,
        .rows = in.rows,
        .columns = in.columns,
        .values = in.values,
    };
    return rc;
}

static enum rc sqlite_run(struct db *db, struct arena *arena, struct err *reterr)
{
    struct sqlite *sq = sqlite_of(db);
    enum rc rc = RC_OK;

    if (db->options.readonly)
        deadline_start_at_check(&sq->deadline);
    for (struct db_entry *entry = db->first; entry && rc == RC_OK; entry = entry->next)
        rc = run_entry(sq, entry, arena, reterr);
    return rc;
}

static bool sqlite_in_transaction(const struct db *db)
{
    return sqlite3_get_autocommit(((const struct sqlite *)db)->handle) == 0;
}

static enum rc sqlite_check_file(struct db *db, struct err *reterr)
{
    struct sqlite *sq = sqlite_of(db);

    if (sq->inode_lock < 0)
        return RC_OK;
    return sqlite_lock_check(sq->inode_lock, sqlite3_db_filename(sq->handle, "main"), reterr);
}

/* The files of a named VFS may not be on a disk: it has no ballast. */
static enum rc sqlite_ballast(struct db *db, bool keep, struct err *reterr)
{
    struct sqlite *sq = sqlite_of(db);

    if (sq->lock < 0)
        return RC_OK;
    return sqlite_file_ballast(sqlite3_db_filename(sq->handle, "main"), keep, reterr);
}

/*
 * Usually does not wait: pages that a reader still needs are left for the next time.  But the
 * WAL restarts only when no reader needs it; if there is always one, it would grow without
 * limit.  So a checkpoint of a long WAL waits for the current readers, as long as for a lock,
 * and not again before the WAL has grown: a backup may need it for minutes.
 */
static int checkpoint_mode(struct sqlite *sq)
{
    int min_pages = sq->db.options.wal_pages;

    if (sq->wal_pages < WAIT_FACTOR * min_pages || sq->wal_pages - sq->wal_waited < min_pages)
        return SQLITE_CHECKPOINT_PASSIVE;
    sq->wal_waited = sq->wal_pages;
    return SQLITE_CHECKPOINT_RESTART;
}

bool sqlite_wal_is_long(const struct db *db)
{
    const struct sqlite *sq = (const struct sqlite *)db;

    return sq->wal_pages - sq->wal_copied >= db->options.wal_pages;
}

static enum rc sqlite_checkpoint(struct db *db, struct err *reterr)
{
    struct sqlite *sq = sqlite_of(db);
    int done = -1, code;

    must(!sq->is_lent);
    if (!sqlite_wal_is_long(db))
        return RC_OK;
    sq->writebacks = 0;
    code = sqlite3_wal_checkpoint_v2(sq->handle, NULL, checkpoint_mode(sq), NULL, &done);
    if (code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY)
        return sqlite_set_error(sq, reterr);
    if (done >= 0) /* otherwise another connection is checkpointing */
        sq->wal_copied = done;
    if (done > sq->wal_copied_max)
        sq->wal_copied_max = done;
    return RC_OK;
}

static const struct db_stmt begin = {"BEGIN IMMEDIATE", NULL};
static const struct db_stmt begin_read = {"BEGIN", NULL};

const struct db_driver db_sqlite = {
    .kind = DB_SQLITE,
    .size = sizeof(struct sqlite),
    .words = {[SQL_INT] = "INTEGER",
              [SQL_TEXT] = "TEXT",
              [SQL_BLOB] = "BLOB",
              [SQL_STRICT] = " STRICT",
              [SQL_SKIP] = "",
              [SQL_CLOCK] = "NULL",
              [SQL_KEYED] = " STRICT, WITHOUT ROWID",
              [SQL_BYTES] = "(SELECT page_count * page_size FROM pragma_page_count,"
                            " pragma_page_size)"},
    .library = sqlite3_libversion,
    .begin = &begin,
    .begin_read = &begin_read,
    .open = sqlite_open,
    .close = sqlite_close,
    .run = sqlite_run,
    .in_transaction = sqlite_in_transaction,
    .checkpoint = sqlite_checkpoint,
    .lend_wal = sqlite_lend_wal,
    .take_wal = sqlite_take_wal,
    .write_back_wal = sqlite_write_back_wal,
    .ballast = sqlite_ballast,
    .check_file = sqlite_check_file,
};
