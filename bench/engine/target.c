/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates and removes the databases of the benchmark: see place.h.
 */
#include "place.h"

#include <unistd.h>

#include "db/db.h"
#include "subject.h"

enum {
    SQL_MAX = 128,
    PATH_BYTES = 512,
    PATIENCE_MS =
        300000, /* a vacuum of a million rows takes longer than the deadline of a turn */
};

static void url_of(const struct place *place, const char *name, char *url)
{
    if (place->is_server)
        snprintf(url, PLACE_URL_MAX, "postgresql://belfry@/%s?host=%s", name, place->server);
    else
        snprintf(url, PLACE_URL_MAX, "sqlite:%s/%s.db", place->dir, name);
}

static struct db *connect_to(const struct place *place, const char *name)
{
    struct db_options options = {.deadline_ms = PATIENCE_MS};
    char url[PLACE_URL_MAX];
    struct db *db = NULL;
    struct err err;

    url_of(place, name, url);
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

static void request_server(const struct place *place, const char *what, const char *name)
{
    struct db *db = connect_to(place, "postgres");
    char sql[SQL_MAX];

    snprintf(sql, sizeof sql, "%s %s", what, name);
    run(db, sql);
    db_close(db);
}

static void remove_files(const struct place *place, const char *name)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", ".lock"};
    char path[PATH_BYTES];

    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        snprintf(path, sizeof path, "%s/%s.db%s", place->dir, name, suffixes[i]);
        unlink(path);
    }
}

void place_remove(const struct place *place, const char *name)
{
    if (place->is_server)
        request_server(place, "DROP DATABASE IF EXISTS", name);
    else
        remove_files(place, name);
}

void place_make(const struct place *place, const char *name, char url[static PLACE_URL_MAX])
{
    place_remove(place, name);
    if (place->is_server)
        request_server(place, "CREATE DATABASE", name);
    url_of(place, name, url);
}

void place_settle(const struct place *place, const char *name)
{
    struct db *db;

    if (!place->is_server)
        return; /* SQLite checkpointed its WAL when the last connection was closed */
    db = connect_to(place, name);
    run(db, "VACUUM ANALYZE cursors");
    run(db, "VACUUM ANALYZE schedules");
    run(db, "CHECKPOINT");
    db_close(db);
}
