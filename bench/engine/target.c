/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates and removes the databases of the benchmark: see target.h.
 */
#include "target.h"

#include <unistd.h>

#include "db/db.h"
#include "subject.h"

enum {
    SQL_MAX = 128,
    PATH_BYTES = 512,
    PATIENCE_MS =
        300000, /* a vacuum of a million rows takes longer than the deadline of a turn */
};

static void url_of(const struct bench_target *target, const char *name, char *url)
{
    if (target->is_postgres)
        snprintf(url, TARGET_URL_MAX, "postgresql://belfry@/%s?host=%s", name,
                 target->socket_dir);
    else
        snprintf(url, TARGET_URL_MAX, "sqlite:%s/%s.db", target->dir, name);
}

static struct db *connect_to(const struct bench_target *target, const char *name)
{
    struct db_options options = {.deadline_ms = PATIENCE_MS};
    char url[TARGET_URL_MAX];
    struct db *db = NULL;
    struct err err;

    url_of(target, name, url);
    if (db_open(url, &options, &db, &err) != RC_OK)
        DIE("%s", err.text);
    return db;
}

static void run(struct db *db, const char *sql)
{
    struct err err;

    if (db_exec(db, str_of(sql), &err) != RC_OK)
        DIE("%s: %s", sql, err.text);
}

static void run_on_postgres(const struct bench_target *target, const char *what,
                            const char *name)
{
    struct db *db = connect_to(target, "postgres");
    char sql[SQL_MAX];

    snprintf(sql, sizeof sql, "%s %s", what, name);
    run(db, sql);
    db_close(db);
}

static void remove_files(const struct bench_target *target, const char *name)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", ".lock"};
    char path[PATH_BYTES];

    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        snprintf(path, sizeof path, "%s/%s.db%s", target->dir, name, suffixes[i]);
        unlink(path);
    }
}

void target_remove(const struct bench_target *target, const char *name)
{
    if (target->is_postgres)
        run_on_postgres(target, "DROP DATABASE IF EXISTS", name);
    else
        remove_files(target, name);
}

void target_make(const struct bench_target *target, const char *name,
                 char url[static TARGET_URL_MAX])
{
    target_remove(target, name);
    if (target->is_postgres)
        run_on_postgres(target, "CREATE DATABASE", name);
    url_of(target, name, url);
}

void target_settle(const struct bench_target *target, const char *name)
{
    struct db *db;

    if (!target->is_postgres)
        return; /* SQLite checkpointed its WAL when the last connection was closed */
    db = connect_to(target, name);
    run(db, "VACUUM ANALYZE cursors");
    run(db, "VACUUM ANALYZE schedules");
    run(db, "CHECKPOINT");
    db_close(db);
}
