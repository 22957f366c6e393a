/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer's connection: made, lost and made again; and what is done on it between turns.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/must.h"
#include "db/disk.h"
#include "io/clock.h"
#include "server/postgres_notify.h"
#include "server/writer_parts.h"
#include "store/named_objects.h"
#include "store/nodes.h"
#include "store/schema.h"

enum {
    STATUS_CANNOT_START = 1,
    STATUS_CORRUPT = 70, /* EX_SOFTWARE: a new start may recover */
    NAMESPACES_MAX = 10000,
    ANSWER_MAX = 64 << 20, /* bytes of what a turn reads: four thousand actions of usual size */
};

/* Anybody may ask /readyz: addresses and names of databases are for the log. */
#define AWAY "the database does not answer; the log says why"

static void end_with(struct writer *w, int status, const struct err *err)
{
    log_say(w->options.log, clock_now(), LEVEL_ERROR, "the database cannot be used",
            LOG_TEXT("reason", err->text));
    pthread_mutex_lock(&w->lock);
    w->state.status = status;
    pthread_mutex_unlock(&w->lock);
    writer_set(w, WRITER_OVER, "the database cannot be used; the log says why");
}

/* Waits; to_writer that come meanwhile wait too.  False when the writer is to end. */
static bool pause_for(struct writer *w, span length)
{
    int64_t until = clock_boot_us() + length;

    writer_beat(w);
    while (clock_boot_us() < until && !w->is_stopping) {
        writer_beat(w); /* to wait is no standstill */
        mailbox_wait(w->options.to_writer, until);
        writer_take(w);
    }
    return !w->is_stopping;
}

/* Others are not long about what they hold, so that the end waits for them too. */
static bool pause_for_others(struct writer *w)
{
    if (!w->is_stopping)
        return pause_for(w, RETRY_FIRST);
    writer_beat(w);
    mailbox_wait(w->options.to_writer, clock_boot_us() + RETRY_FIRST);
    writer_take(w);
    return !writer_must_end(w);
}

static span longer(span pause)
{
    return pause * 2 > RETRY_LAST ? RETRY_LAST : pause * 2;
}

static enum rc open_db(struct writer *w, struct err *reterr)
{
    struct db_options options = {
        .fault = w->options.seam ? w->options.seam->fault : NULL,
        .log_pages = w->options.seam ? w->options.seam->log_pages : 0,
        .bytes_max = ANSWER_MAX,
    };

    w->db = db_close(w->db);
    return db_open(w->options.config->db.ptr, &options, &w->db, reterr);
}

static enum rc sample(struct writer *w, struct err *reterr)
{
    int64_t before = clock_boot_us();
    instant server;
    enum rc rc = db_clock(w->db, &server, reterr);

    if (rc == RC_OK && server != INSTANT_NONE)
        db_clock_sample(&w->db_clock, before, server, clock_boot_us());
    w->sample_at_us = before + SPAN_S;
    return rc;
}

/* When the last turn was made on this database, as the leases tell. */
static enum rc read_last(struct writer *w, instant *ret, struct err *reterr)
{
    struct db_result rows = {0};
    enum rc rc;

    nodes_list(w->db, &rows);
    rc = db_flush(w->db, w->arena, reterr);
    *ret = INSTANT_NONE;
    for (int i = 0; rc == RC_OK && i < rows.rows; i++) {
        struct node node;

        nodes_read(&rows, i, &node);
        if (node.lease_until - w->options.config->node_lease > *ret)
            *ret = node.lease_until - w->options.config->node_lease;
    }
    return rc;
}

static enum rc boot(struct writer *w, struct err *reterr)
{
    enum rc rc;

    do {
        rc = engine_boot(w->engine, w->db, writer_clock(w), reterr);
    } while (rc == RC_BUSY && pause_for(w, RETRY_FIRST));
    return rc;
}

/* ---- tables ---- */

struct migrating {
    struct writer *writer;
    int64_t since_us; /* clock_boot_us(), when the one before was done */
};

static void say_migration(void *arg, const struct migration *migration)
{
    struct migrating *m = arg;
    int64_t now = clock_boot_us();

    log_say(m->writer->options.log, clock_now(), LEVEL_INFO, "migration applied",
            LOG_INT("number", migration->number), LOG_TEXT("name", migration->name),
            LOG_INT("took_ms", (now - m->since_us) / SPAN_MS));
    m->since_us = now;
}

static enum rc bring_up(struct writer *w, struct err *reterr)
{
    struct migrating m = {w, clock_boot_us()};
    struct migrate what = {.list = schema_migrations,
                           .count = schema_migration_count,
                           .now = clock_now(),
                           .after = say_migration,
                           .arg = &m};
    int version = 0;
    enum rc rc = migrate(w->db, &what, w->arena, &version, reterr);

    if (rc == RC_OK)
        log_say(w->options.log, clock_now(), LEVEL_INFO, "tables are up to date",
                LOG_INT("schema", version));
    return rc;
}

static enum rc set_up(struct writer *w, struct err *reterr)
{
    instant last = INSTANT_NONE;
    enum rc rc = open_db(w, reterr);

    arena_reset(w->arena);
    if (rc == RC_OK)
        rc = sample(w, reterr);
    if (rc == RC_OK)
        rc = bring_up(w, reterr);
    if (rc == RC_OK)
        rc = read_last(w, &last, reterr);
    if (rc == RC_OK)
        clock_guard_begin(&w->guard, w->options.config->max_jump, last);
    return rc == RC_OK ? boot(w, reterr) : rc;
}

static const struct tz *find_zone(void *user, struct str name, struct err *reterr)
{
    struct writer *w = user;

    return zoneinfo_find(w->zones, name, reterr);
}

/* ---- namespaces ---- */

static void tell_space(struct writer *w, const struct db_result *rows, int i)
{
    struct arena *arena = arena_new(ORDER_ARENA_MAX);
    struct namespace_msg *signal = arena_take(arena, sizeof *signal);
    struct namespace_row row;

    namespaces_read(rows, i, &row);
    *signal = (struct namespace_msg){
        .arena = arena,
        .id = row.id,
        .name = arena_str(arena, row.name),
        .settings = arena_str(arena, row.settings),
    };
    writer_notice(w, &(struct io_msg){.kind = IO_MSG_NAMESPACE, .space = signal});
}

static int64_t print_of(const struct db_result *rows)
{
    struct digest digest = {0};

    for (int i = 0; i < rows->rows; i++) {
        struct namespace_row row;

        namespaces_read(rows, i, &row);
        digest_int(&digest, row.id);
        digest_add(&digest, row.settings.ptr, row.settings.len);
    }
    return (int64_t)digest.sum;
}

/* Tells io of all when any has changed: there are few, and they seldom do. */
static enum rc read_spaces(struct writer *w, struct err *reterr)
{
    struct db_result rows = {0};
    enum rc rc;

    arena_reset(w->arena);
    namespaces_list(w->db, STR(""), NAMESPACES_MAX, &rows);
    rc = db_flush(w->db, w->arena, reterr);
    if (rc != RC_OK)
        return rc;
    if (print_of(&rows) != w->namespaces_seen)
        for (int i = 0; i < rows.rows; i++)
            tell_space(w, &rows, i);
    w->namespaces_seen = print_of(&rows);
    w->looks_for_namespaces = false;
    w->namespaces_at_us = clock_boot_us() + NAMESPACES_EVERY;
    while (w->asking) {
        struct ticket *t = w->asking;

        w->asking = t->next;
        writer_done(w, t);
    }
    w->asking_end = &w->asking;
    return RC_OK;
}

/* ---- from the start on ---- */

/*
 * The one that exists without anybody making it.  The turn is the first of this boot: it also
 * takes back what the last one left.
 */
static enum rc make_default(struct writer *w, struct err *reterr)
{
    struct command command = {
        .kind = COMMAND_NAMESPACE, .name = STR("default"), .by = STR("belfry")};
    struct turn_in in = {.now = w->now = writer_clock(w),
                         .rows = TURN_ROWS_MIN,
                         .hold = true,
                         .commands = &command,
                         .command_count = 1};
    enum rc rc;

    do {
        w->turn_us = clock_boot_us();
        rc = engine_turn(w->engine, &in, &w->out, reterr);
        if (rc == RC_OK)
            writer_count(w, clock_boot_us());
        if (rc == RC_OK && w->out.replies[0].rc != RC_OK)
            rc = err_set(reterr, w->out.replies[0].rc, -1, 0, "%.*s",
                         STR_ARG(w->out.replies[0].text));
    } while (rc == RC_BUSY && pause_for(w, RETRY_FIRST));
    return rc;
}

/* A server that is not there yet may come; anything else is for a person to mend. */
static bool may_come(const struct writer *w, enum rc rc)
{
    return (rc == RC_LOST || rc == RC_UNKNOWN || rc == RC_BUSY) &&
           !str_starts(w->options.config->db, STR("sqlite:"));
}

static enum rc start(struct writer *w, struct err *reterr)
{
    struct err full;
    enum rc rc = set_up(w, reterr);

    if (rc == RC_OK)
        rc = make_default(w, reterr);
    if (rc == RC_OK)
        rc = read_spaces(w, reterr);
    if (rc == RC_OK)
        rc = writer_keys(w, reterr);
    /* Without room for a reserve there is none: the disk is nearly full. */
    if (rc == RC_OK && db_ballast(w->db, true, &full) != RC_OK) {
        w->is_full = true;
        log_say(w->options.log, clock_now(), LEVEL_ERROR, "the disk is full",
                LOG_TEXT("reason", full.text));
    }
    return rc;
}

/* Events tell of runs: they are not kept for longer than runs are. */
static span events_age(const struct config *config)
{
    return config->retention > 0 && config->retention < EVENTS_AGE ? config->retention
                                                                   : EVENTS_AGE;
}

static void on_commit(void *arg)
{
    struct writer *w = arg;

    w->commit_us = clock_boot_us();
}

bool writer_connect(struct writer *w)
{
    struct engine_options options = {
        .node = w->options.node,
        .zones = {.find = find_zone, .user = w},
        .node_lease = w->options.config->node_lease,
        .events_age = events_age(w->options.config),
        .backfill_portion = w->options.config->backfill_portion,
        .dispatch_jitter = w->options.config->dispatch_jitter,
        .version = STR(BELFRY_VERSION),
        .address = w->options.address,
        .committing = on_commit,
        .arg = w,
    };
    const char *dir = w->options.config->zoneinfo.ptr;
    span pause = RETRY_FIRST;
    struct err err;
    enum rc rc;

    w->zones = zoneinfo_open(w->options.config->zoneinfo.len > 0 ? dir : NULL, &err);
    if (!w->zones) {
        end_with(w, STATUS_CANNOT_START, &err);
        return false;
    }
    w->options.context.zones = options.zones;
    options.zones_version = str_of(zoneinfo_version(w->zones));
    w->engine = engine_new(&options);
    while ((rc = start(w, &err)) != RC_OK) {
        if (!may_come(w, rc)) {
            end_with(w, STATUS_CANNOT_START, &err);
            return false;
        }
        log_say(w->options.log, clock_now(), LEVEL_WARN, "the database does not answer",
                LOG_TEXT("reason", err.text));
        writer_set(w, WRITER_AWAY, AWAY);
        if (!pause_for(w, pause))
            return false;
        pause = longer(pause);
    }
    return true;
}

/* A connection writes back when it is opened and closed: then the log is lent to nobody. */
bool writer_take_log(struct writer *w)
{
    struct swept swept;
    struct err err;

    if (!w->checkpointer || checkpointer_wait(w->checkpointer, &swept) != SWEEPING_FAILED)
        return true;
    if (w->db)
        (void)!db_distrust(w->db, &swept.why, &err);
    end_with(w, STATUS_CORRUPT, &swept.why);
    return false;
}

/* A new connection in the place of a dead one. */
static bool reconnect(struct writer *w, const struct err *why)
{
    span pause = RETRY_FIRST;
    struct err err = *why;
    enum rc rc;

    log_say(w->options.log, clock_now(), LEVEL_WARN, "the connection to the database is lost",
            LOG_TEXT("reason", err.text));
    w->is_up = false;
    meter_add(&w->options.counters->reconnects, 1);
    writer_set(w, WRITER_AWAY, AWAY);
    if (!writer_take_log(w))
        return false;
    for (int i = 1; i < w->losses; i++) /* it can be made, and is of no use */
        pause = longer(pause);
    if (w->losses++ > 0 && !pause_for(w, pause))
        return false;
    while ((rc = open_db(w, &err)) != RC_OK || (rc = sample(w, &err)) != RC_OK) {
        if (rc == RC_CORRUPT) {
            end_with(w, STATUS_CORRUPT, &err);
            return false;
        }
        writer_set(w, WRITER_AWAY, AWAY);
        if (!pause_for(w, pause))
            return false;
        pause = longer(pause);
    }
    engine_attach(w->engine, w->db);
    log_say(w->options.log, clock_now(), LEVEL_INFO, "the database answers again",
            LOG_INT("signs_lost", w->signs_lost));
    w->signs_lost = 0;
    w->is_up = true;
    writer_show(w);
    return true;
}

/* Others have taken this node's runs: whatever it is doing is no longer its own. */
static bool begin_anew(struct writer *w)
{
    struct err err;
    enum rc rc;

    log_say(w->options.log, w->now, LEVEL_WARN, "others have declared this node dead");
    writer_notice(w, &(struct io_msg){.kind = IO_MSG_FORGET});
    rc = boot(w, &err);
    switch (rc) {
    case RC_OK:
        return true;
    case RC_LOST:
    case RC_UNKNOWN:
        return reconnect(w, &err);
    case RC_CORRUPT:
        end_with(w, STATUS_CORRUPT, &err);
        return false;
    default:
        return pause_for(w, SPAN_S); /* a full disk may get room: the next turn asks again */
    }
}

void writer_fill_up(struct writer *w, const char *reason)
{
    struct err ignored;

    if (w->is_full)
        return;
    log_say(w->options.log, w->now, LEVEL_ERROR, "the disk is full",
            LOG_TEXT("reason", reason));
    w->is_full = true;
    writer_show(w);
    (void)!db_ballast(w->db, false, &ignored); /* whatever it gives helps */
    w->ballast_at_us = clock_boot_us() + SPAN_S;
}

bool writer_recover(struct writer *w, enum rc rc, const struct err *err)
{
    switch (rc) {
    case RC_BUSY:
        return pause_for_others(w);
    case RC_LIMIT:
        if (w->is_full)
            return pause_for(w, SPAN_S);
        writer_fill_up(w, err->text);
        return true;
    case RC_LOST:
    case RC_UNKNOWN:
        return reconnect(w, err);
    case RC_CONFLICT:
        return begin_anew(w);
    case RC_CORRUPT:
        end_with(w, STATUS_CORRUPT, err);
        return false;
    default:
        log_say(w->options.log, w->now, LEVEL_ERROR, "a turn failed",
                LOG_TEXT("code", rc_name(rc)), LOG_TEXT("reason", err->text));
        return pause_for(w, SPAN_S);
    }
}

/* The reserve can be made again: there is room. */
static void look_at_disk(struct writer *w)
{
    struct err err;

    w->ballast_at_us = clock_boot_us() + SPAN_S;
    if (db_ballast(w->db, true, &err) != RC_OK)
        return;
    w->is_full = false;
    log_say(w->options.log, w->now, LEVEL_INFO, "the disk has room again");
    writer_show(w);
}

/* Between turns nobody holds a zone: the engine keeps plans as they are packed. */
static void read_zones(struct writer *w)
{
    const char *dir = w->options.config->zoneinfo.ptr;
    struct err err;
    struct zoneinfo *zones = zoneinfo_open(w->options.config->zoneinfo.len > 0 ? dir : NULL,
                                           &err);

    w->reads_zones = false;
    if (!zones) {
        log_say(w->options.log, w->now, LEVEL_ERROR, "the files of zones cannot be read",
                LOG_TEXT("reason", err.text));
        return;
    }
    zoneinfo_close(w->zones);
    w->zones = zones;
    engine_replan(w->engine, str_of(zoneinfo_version(zones)));
    log_say(w->options.log, w->now, LEVEL_INFO, "zones are read anew",
            LOG_TEXT("version", zoneinfo_version(zones)));
}

/* The last part, which is short: a turn would have to wait for the whole of it. */
static enum rc write_back(struct writer *w, struct err *reterr)
{
    struct swept swept;

    switch (checkpointer_look(w->checkpointer, &swept)) {
    case SWEEPING_NOT:
        break;
    case SWEEPING_NOW:
        return RC_OK;
    case SWEEPING_DONE:
        db_take_log(w->db, swept.pages);
        break;
    case SWEEPING_FAILED:
        return db_distrust(w->db, &swept.why, reterr);
    }
    if (!db_lend_wal(w->db))
        return db_checkpoint(w->db, reterr);
    checkpointer_ask(w->checkpointer);
    return RC_OK;
}

void writer_between(struct writer *w)
{
    bool is_server = db_kind(w->db) == DB_POSTGRES;
    int64_t boot = clock_boot_us();
    enum rc rc = RC_OK;
    struct err err;

    if (w->is_full && boot >= w->ballast_at_us)
        look_at_disk(w);
    if (w->reads_zones)
        read_zones(w);
    if (!is_server)
        rc = write_back(w, &err);
    else if (w->out.made_ready)
        rc = db_notify(w->db, NOTIFY_CHANNEL, w->options.node, &err);
    if (rc == RC_OK && is_server && boot >= w->sample_at_us)
        rc = sample(w, &err);
    if (rc == RC_OK && (w->looks_for_namespaces || (is_server && boot >= w->namespaces_at_us)))
        rc = read_spaces(w, &err);
    if (rc == RC_OK && (w->looks_for_keys || (is_server && boot >= w->keys_at_us)))
        rc = writer_keys(w, &err);
    if (rc != RC_OK && rc != RC_BUSY && rc != RC_LIMIT && !writer_recover(w, rc, &err))
        w->is_over = true;
}
