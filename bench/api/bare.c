/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The minimal writing loop of bare.h.
 */
#include "bare.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "db/db.h"
#include "io/clock.h"
#include "soak.h"
#include "store/schema.h"

enum {
    MIGRATE_BYTES_MAX = 16 << 20,
    SQL_MAX = 512,
    COLUMNS_MAX = 32,
    NAME_MAX_BYTES = 64,
    TABLES = 5,
};

/* A row of a table as Belfry wrote it, and the statement that writes similar rows. */
struct model {
    const char *table, *where;
    bool is_needed;
    sqlite3_stmt *row, *insert; /* `insert` is NULL if no row was written */
};

struct bare {
    sqlite3 *handle, *source;
    sqlite3_stmt *begin, *commit, *node;
    struct model models[TABLES];
    unsigned char *audit, *events; /* bodies of a group */
    int audit_bytes, event_bytes;
    int64_t made, groups;
    int log_pages, log_done;
};

enum { SCHEDULE, CURSOR, AUDIT, EVENTS, REQUEST };

/* Columns that differ from row to row. */
enum { SCHEDULE_ID = 0, SCHEDULE_NAME = 6, CURSOR_ID = 0, REQUEST_NAME = 1 };
enum { SEQ = 1, COUNT = 2, BODY = 4 }; /* of audit and of events */

static void check(sqlite3 *handle, bool is_good)
{
    if (!is_good)
        DIE("SQLite: %s", sqlite3_errmsg(handle));
}

static sqlite3_stmt *prepare(sqlite3 *handle, const char *sql)
{
    sqlite3_stmt *stmt = NULL;

    check(handle, sqlite3_prepare_v3(handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &stmt, NULL) ==
                      SQLITE_OK);
    return stmt;
}

static int note_log(void *arg, sqlite3 *handle, const char *name, int pages)
{
    struct bare *bare = arg;

    (void)handle;
    (void)name;
    bare->log_pages = pages;
    if (pages < bare->log_done)
        bare->log_done = 0;
    return SQLITE_OK;
}

static void make_tables(const char *path)
{
    struct arena *arena = arena_new(MIGRATE_BYTES_MAX);
    char url[SOAK_PATH_MAX];
    struct db *db = NULL;
    struct err err;

    snprintf(url, sizeof url, "sqlite:%s", path);
    if (db_open(url, NULL, &db, &err) != RC_OK ||
        schema_migrate(db, clock_now(), arena, &err) != RC_OK)
        DIE("%s", err.text);
    db_close(db);
    arena_free(arena);
}

/* Its values are bound once; each row binds its own columns. */
static void load_model(struct bare *bare, struct model *m, const char *name)
{
    char sql[SQL_MAX];
    int columns, used;

    snprintf(sql, sizeof sql, "SELECT * FROM %s WHERE %s", m->table, m->where);
    m->row = prepare(bare->source, sql);
    if (sqlite3_bind_parameter_count(m->row) > 0)
        sqlite3_bind_text(m->row, 1, name, -1, SQLITE_STATIC);
    if (sqlite3_step(m->row) != SQLITE_ROW) {
        if (m->is_needed)
            DIE("the database has no row of %s to take as a model", m->table);
        return;
    }
    columns = sqlite3_column_count(m->row);
    if (columns > COLUMNS_MAX)
        DIE("%s has too many columns", m->table);
    used = snprintf(sql, sizeof sql, "INSERT INTO %s VALUES (?", m->table);
    for (int i = 1; i < columns; i++)
        used += snprintf(sql + used, sizeof sql - (size_t)used, ", ?");
    snprintf(sql + used, sizeof sql - (size_t)used, ")");
    m->insert = prepare(bare->handle, sql);
    for (int i = 0; i < columns; i++)
        sqlite3_bind_value(m->insert, i + 1, sqlite3_column_value(m->row, i));
}

/* A body is a list of operations: that of a group is longer accordingly. */
static unsigned char *group_body(const struct model *m, int *ret_bytes)
{
    unsigned char *body;

    *ret_bytes = sqlite3_column_bytes(m->row, BODY) * BARE_GROUP;
    body = malloc((size_t)*ret_bytes);
    if (!body)
        DIE("out of memory");
    memset(body, 'x', (size_t)*ret_bytes);
    return body;
}

static void connect_to(struct bare *bare, const char *path, const char *model)
{
    if (sqlite3_open_v2(path, &bare->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK ||
        sqlite3_open_v2(model, &bare->source, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK)
        DIE("SQLite cannot open %s or %s", path, model);
    sqlite3_wal_hook(bare->handle, note_log, bare);
    check(bare->handle, sqlite3_exec(bare->handle,
                                     "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                                     "PRAGMA cache_size=-65536;"
                                     "PRAGMA journal_size_limit=67108864;"
                                     "PRAGMA secure_delete=FAST; PRAGMA mmap_size=0;"
                                     "PRAGMA temp_store=MEMORY; PRAGMA cell_size_check=ON",
                                     NULL, NULL, NULL) == SQLITE_OK);
}

struct bare *bare_open(const char *path, const char *model, const char *name)
{
    static const struct model models[TABLES] = {
        [SCHEDULE] = {"schedules", "name = ?1 AND deleted_at = 0", true, NULL, NULL},
        [CURSOR] = {"cursors", "id = (SELECT id FROM schedules WHERE name = ?1)", true, NULL,
                    NULL},
        [AUDIT] = {"audit", "count = 1 ORDER BY seq DESC LIMIT 1", true, NULL, NULL},
        [EVENTS] = {"events", "count = 1 ORDER BY seq DESC LIMIT 1", true, NULL, NULL},
        [REQUEST] = {"requests", "true LIMIT 1", false, NULL, NULL},
    };
    struct bare *bare = calloc(1, sizeof *bare);

    if (!bare)
        DIE("out of memory");
    make_tables(path);
    connect_to(bare, path, model);
    memcpy(bare->models, models, sizeof models);
    for (int i = 0; i < TABLES; i++)
        load_model(bare, &bare->models[i], name);
    bare->audit = group_body(&bare->models[AUDIT], &bare->audit_bytes);
    bare->events = group_body(&bare->models[EVENTS], &bare->event_bytes);
    check(bare->handle,
          sqlite3_exec(bare->handle,
                       "INSERT INTO nodes (id, name, boot, turn, lease_until, key_ms, event,"
                       " started_at, state) VALUES (1, 'bare', 1, 0, 0, 0, 0, 0, 0)",
                       NULL, NULL, NULL) == SQLITE_OK);
    bare->begin = prepare(bare->handle, "BEGIN IMMEDIATE");
    bare->commit = prepare(bare->handle, "COMMIT");
    bare->node = prepare(bare->handle,
                         "UPDATE nodes SET turn = ?1, lease_until = ?2, event = ?3"
                         " WHERE id = 1 AND turn = ?1 - 1");
    for (int i = 0; i < TABLES; i++)
        sqlite3_reset(bare->models[i].row);
    return bare;
}

static void step(struct bare *bare, sqlite3_stmt *stmt)
{
    check(bare->handle, sqlite3_step(stmt) == SQLITE_DONE);
    sqlite3_reset(stmt);
}

static void write_schedule(struct bare *bare)
{
    sqlite3_stmt *schedule = bare->models[SCHEDULE].insert;
    sqlite3_stmt *cursor = bare->models[CURSOR].insert;
    sqlite3_stmt *request = bare->models[REQUEST].insert;
    int64_t id = (clock_now() / 1000 << 22) + bare->made % 4096;
    char name[NAME_MAX_BYTES];

    snprintf(name, sizeof name, "bare-%d-%09lld", (int)(bare->made % 2), (long long)bare->made);
    sqlite3_bind_int64(schedule, SCHEDULE_ID + 1, id);
    sqlite3_bind_text(schedule, SCHEDULE_NAME + 1, name, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(cursor, CURSOR_ID + 1, id);
    step(bare, schedule);
    step(bare, cursor);
    if (request) { /* those are not in order */
        uint64_t hash = hash_u64((uint64_t)bare->made);

        snprintf(name, sizeof name, "temporal:%016" PRIx64 "%016" PRIx64 "#0", hash,
                 hash_u64(hash));
        sqlite3_bind_text(request, REQUEST_NAME + 1, name, -1, SQLITE_TRANSIENT);
        step(bare, request);
    }
    bare->made++;
}

static void write_list(struct bare *bare, int table, const unsigned char *body, int bytes)
{
    sqlite3_stmt *insert = bare->models[table].insert;

    sqlite3_bind_int64(insert, SEQ + 1, 1 + bare->groups * BARE_GROUP);
    sqlite3_bind_int64(insert, COUNT + 1, BARE_GROUP);
    sqlite3_bind_blob(insert, BODY + 1, body, bytes, SQLITE_STATIC);
    step(bare, insert);
}

static void write_group(struct bare *bare)
{
    step(bare, bare->begin);
    sqlite3_bind_int64(bare->node, 1, bare->groups + 1);
    sqlite3_bind_int64(bare->node, 2, clock_now());
    sqlite3_bind_int64(bare->node, 3, bare->groups * BARE_GROUP);
    step(bare, bare->node);
    for (int i = 0; i < BARE_GROUP; i++)
        write_schedule(bare);
    write_list(bare, AUDIT, bare->audit, bare->audit_bytes);
    write_list(bare, EVENTS, bare->events, bare->event_bytes);
    step(bare, bare->commit);
    bare->groups++;
    if (bare->log_pages - bare->log_done >= DB_CHECKPOINT_PAGES)
        check(bare->handle,
              sqlite3_wal_checkpoint_v2(bare->handle, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL,
                                        &bare->log_done) == SQLITE_OK);
}

double bare_create(struct bare *bare, double seconds)
{
    int64_t from = clock_boot_us(), until = from + (int64_t)(seconds * 1e6), now;
    int64_t before = bare->made;

    do {
        write_group(bare);
        now = clock_boot_us();
    } while (now < until);
    return (double)(bare->made - before) * 1e6 / (double)(now - from);
}

void bare_close(struct bare *bare)
{
    for (int i = 0; i < TABLES; i++) {
        sqlite3_finalize(bare->models[i].row);
        sqlite3_finalize(bare->models[i].insert);
    }
    sqlite3_finalize(bare->begin);
    sqlite3_finalize(bare->commit);
    sqlite3_finalize(bare->node);
    sqlite3_close(bare->handle);
    sqlite3_close(bare->source);
    free(bare->audit);
    free(bare->events);
    free(bare);
}
