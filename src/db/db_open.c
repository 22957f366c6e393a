/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening a connection: the driver of a URL, and the choice among several hosts.
 */
#include <stdatomic.h>

#include "base/must.h"
#include "db/driver.h"
#include "db/hosts.h"
#include "db/postgres_connect.h"

enum {
    /* The struct and what a driver allocates for the life of the connection. */
    CONNECTION_BYTES_MAX = 1 << 20,
    /* BEGIN, COMMIT and the text of db_exec() must fit into a full queue. */
    QUEUE_SPARE = 2 * DB_SQL_MAX,
};

static int or_default(int wanted, int usual)
{
    must(wanted >= 0);
    return wanted > 0 ? wanted : usual;
}

static struct db *create_db(const struct db_driver *driver, const struct db_options *options)
{
    struct arena *arena = arena_new(CONNECTION_BYTES_MAX);
    struct db *db = arena_take(arena, driver->size);

    db->driver = driver;
    db->arena = arena;
    db->queue = arena_new(DB_QUEUE_BYTES_MAX + QUEUE_SPARE);
    if (options)
        db->options = *options;
    db->options.deadline_ms = or_default(db->options.deadline_ms, DB_DEADLINE_MS);
    db->options.lock_ms = or_default(db->options.lock_ms, DB_LOCK_MS);
    db->options.wal_pages = or_default(db->options.wal_pages, DB_CHECKPOINT_PAGES);
    if (db->options.bytes_max == 0)
        db->options.bytes_max = DB_BYTES_MAX;
    return db;
}

/* A URL without its scheme, as the driver reads it. */
struct target {
    const struct db_driver *driver;
    const char *url;
    const struct db_options *options; /* NULL: defaults */
};

static enum rc open_host(const struct target *target, int host, struct db **ret,
                         struct err *reterr)
{
    struct db *db = create_db(target->driver, target->options);
    enum rc rc;

    db->host = host;
    rc = db->driver->open(db, target->url, reterr);
    if (rc != RC_OK) {
        db_close(db);
        return rc;
    }
    db->fault = db->options.fault;
    *ret = db;
    return RC_OK;
}

static void note_failure(const struct target *target, const struct db_hosts *hosts, int host,
                         const struct err *why)
{
    char name[POSTGRES_NAME_MAX];

    if (!hosts || !hosts->failed)
        return;
    target->driver->host_name(target->url, host, name);
    hosts->failed(hosts->arg, name, why->text);
}

/*
 * Tries each host once, beginning with the one that was used last.  The error is that of a host
 * that may accept later, if there is one, because the caller tries again after RC_BUSY.
 */
static enum rc open_any(const struct target *target, int count, struct db **ret,
                        struct err *reterr)
{
    struct db_hosts *hosts = target->options ? target->options->hosts : NULL;
    int first = hosts ? atomic_load(&hosts->preferred) % count : 0;
    struct err why, worst = {.rc = RC_OK};

    for (int i = 0; i < count; i++) {
        int host = (first + i) % count;

        if (open_host(target, host, ret, &why) == RC_OK) {
            if (hosts)
                atomic_store(&hosts->preferred, host);
            return RC_OK;
        }
        note_failure(target, hosts, host, &why);
        if (worst.rc == RC_OK || (worst.rc != RC_BUSY && why.rc == RC_BUSY))
            worst = why;
    }
    return err_set(reterr, worst.rc, -1, 0, "none of the %d database hosts can be used: %s",
                   count, worst.text);
}

static enum rc open_target(const struct target *target, struct db **ret, struct err *reterr)
{
    int count = 1;
    enum rc rc = RC_OK;

    if (target->driver->hosts)
        rc = target->driver->hosts(target->url, &count, reterr);
    if (rc != RC_OK)
        return rc;
    return count == 1 ? open_host(target, 0, ret, reterr)
                      : open_any(target, count, ret, reterr);
}

enum rc db_open(const char *url, const struct db_options *options, struct db **ret,
                struct err *reterr)
{
    static const struct {
        const char *scheme;
        size_t skip;
        const struct db_driver *driver;
    } schemes[] = {
        {"sqlite:", sizeof "sqlite:" - 1, &db_sqlite},
        {"postgres://", 0, &db_postgres},
        {"postgresql://", 0, &db_postgres},
    };

    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++)
        if (str_starts(str_of(url), str_of(schemes[i].scheme)))
            return open_target(
                &(struct target){schemes[i].driver, url + schemes[i].skip, options}, ret,
                reterr);
    /* The URL is not repeated: it may contain a password. */
    return err_set(reterr, RC_INVALID, 0, 0,
                   "this is not the URL of a database; write sqlite:FILE or "
                   "postgres://USER@HOST/NAME");
}
