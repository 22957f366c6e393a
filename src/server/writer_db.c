/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer's connection: opening it, recovering a lost one, and the work on it between turns.
 */
#include "base/hash.h"
#include "db/disk.h"
#include "io/clock.h"
#include "server/dispatch/pause_note.h"
#include "server/postgres_notify.h"
#include "server/writer_parts.h"
#include "store/named_objects.h"
#include "store/nodes.h"
#include "store/schema.h"

enum {
    STATUS_CANNOT_START = 1,
    STATUS_CORRUPT = 70, /* EX_SOFTWARE; a restart may recover */
    NAMESPACES_MAX = 10000,
    TURN_READ_MAX = 64 << 20, /* four thousand actions of usual size */
};

/* How often to check whether the file was replaced; the writer sleeps at most a second. */
#define CHECK_FILE_EVERY (500 * SPAN_MS)

/* Without the reason: /readyz is public, and the reason may name the database server. */
#define UNAVAILABLE "the database is unavailable; see the log"

/* Logs why the process must end and sets its exit status.  The caller ends the writer. */
static void give_up(struct writer *w, int status, const struct err *err)
{
    log_say(w->options.log, clock_now(), LEVEL_ERROR, "database cannot be used",
            LOG_TEXT("reason", err->text));
    pthread_mutex_lock(&w->lock);
    w->state.status = status;
    pthread_mutex_unlock(&w->lock);
    writer_set_phase(w, WRITER_OVER, "the database cannot be used; see the log");
}

/*
 * Runs no turn during the pause, but receives messages.  Returns false when the writer must
 * end.
 */
static bool pause_for(struct writer *w, span length)
{
    int64_t until = clock_boot_us() + length;

    writer_beat(w);
    while (clock_boot_us() < until && !w->is_stopping) {
        writer_beat(w); /* waiting is not hanging */
        mailbox_wait(w->options.to_writer, until);
        writer_receive(w);
    }
    return !w->is_stopping;
}

/*
 * Other nodes hold rows only for a short time, so even a stopping writer waits for them.
 */
static bool pause_for_others(struct writer *w)
{
    if (!w->is_stopping)
        return pause_for(w, RETRY_FIRST);
    writer_beat(w);
    mailbox_wait(w->options.to_writer, clock_boot_us() + RETRY_FIRST);
    writer_receive(w);
    return !writer_must_end(w);
}

static span next_pause(span pause)
{
    return pause * 2 > RETRY_LAST ? RETRY_LAST : pause * 2;
}

static enum rc open_db(struct writer *w, struct err *reterr)
{
    struct db_options options = {
        .fault = w->options.seam ? w->options.seam->fault : NULL,
        .wal_pages = w->options.seam ? w->options.seam->wal_pages : 0,
        .bytes_max = TURN_READ_MAX,
        .hosts = w->options.hosts,
    };

    w->db = db_close(w->db);
    return db_open(w->options.config->db.ptr, &options, &w->db, reterr);
}

static enum rc sample_clock(struct writer *w, struct err *reterr)
{
    int64_t before = clock_boot_us();
    instant server;
    enum rc rc = db_clock(w->db, &server, reterr);

    if (rc == RC_OK && server != INSTANT_NONE)
        db_clock_sample(&w->db_clock, before, server, clock_boot_us());
    w->sample_at_us = before + SPAN_S;
    return rc;
}

/* The time of the last turn on this database, derived from the leases of the nodes. */
static enum rc read_last_turn(struct writer *w, instant *ret, struct err *reterr)
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

static enum rc boot_engine(struct writer *w, struct err *reterr)
{
    enum rc rc;

    do {
        rc = engine_boot(w->engine, w->db, writer_clock(w), reterr);
    } while (rc == RC_BUSY && pause_for(w, RETRY_FIRST));
    return rc;
}

/* ---- schema ---- */

struct migrating {
    struct writer *writer;
    int64_t since_us; /* clock_boot_us() at the end of the previous one */
};

static void log_migration(void *arg, const struct migration *migration)
{
    struct migrating *m = arg;
    int64_t now = clock_boot_us();

    log_say(m->writer->options.log, clock_now(), LEVEL_INFO, "migration applied",
            LOG_INT("number", migration->number), LOG_TEXT("name", migration->name),
            LOG_INT("took_ms", (now - m->since_us) / SPAN_MS));
    m->since_us = now;
}

static enum rc migrate_schema(struct writer *w, struct err *reterr)
{
    struct migrating m = {w, clock_boot_us()};
    struct migrate what = {.list = schema_migrations,
                           .count = schema_migration_count,
                           .now = clock_now(),
                           .after = log_migration,
                           .arg = &m};
    int version = 0;
    enum rc rc = migrate(w->db, &what, w->arena, &version, reterr);

    if (rc == RC_OK && version > schema_migration_count)
        log_say(w->options.log, clock_now(), LEVEL_WARN, "schema is newer than this program",
                LOG_INT("schema", version), LOG_INT("supported", schema_migration_count));
    else if (rc == RC_OK)
        log_say(w->options.log, clock_now(), LEVEL_INFO, "schema is up to date",
                LOG_INT("schema", version));
    return rc;
}

static enum rc open_and_boot(struct writer *w, struct err *reterr)
{
    instant last = INSTANT_NONE;
    enum rc rc = open_db(w, reterr);

    arena_reset(w->arena);
    if (rc == RC_OK)
        rc = sample_clock(w, reterr);
    if (rc == RC_OK)
        rc = migrate_schema(w, reterr);
    if (rc == RC_OK)
        rc = read_last_turn(w, &last, reterr);
    if (rc == RC_OK)
        clock_guard_begin(&w->guard, w->options.config->max_jump, last);
    return rc == RC_OK ? boot_engine(w, reterr) : rc;
}

/* ---- namespaces ---- */

static void send_namespace(struct writer *w, const struct db_result *rows, int i)
{
    struct arena *arena = arena_new(ORDER_ARENA_MAX);
    struct namespace_msg *msg = arena_take(arena, sizeof *msg);
    struct namespace_row row;

    namespaces_read(rows, i, &row);
    *msg = (struct namespace_msg){
        .arena = arena,
        .id = row.id,
        .name = arena_str(arena, row.name),
        .settings = arena_str(arena, row.settings),
    };
    writer_send(w, &(struct io_msg){.kind = IO_MSG_NAMESPACE, .namespace_msg = msg});
}

static int64_t fingerprint_of(const struct db_result *rows)
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

/*
 * Sends all namespaces to the io thread if any of them changed: they are few and rarely change.
 */
static enum rc read_namespaces(struct writer *w, struct err *reterr)
{
    struct db_result rows = {0};
    enum rc rc;

    arena_reset(w->arena);
    namespaces_list(w->db, STR(""), NAMESPACES_MAX, &rows);
    rc = db_flush(w->db, w->arena, reterr);
    if (rc != RC_OK)
        return rc;
    if (fingerprint_of(&rows) != w->namespaces_seen)
        for (int i = 0; i < rows.rows; i++)
            send_namespace(w, &rows, i);
    w->namespaces_seen = fingerprint_of(&rows);
    w->wants_namespaces = false;
    w->namespaces_at_us = clock_boot_us() + NAMESPACES_EVERY;
    while (w->namespace_waiters) {
        struct ticket *t = w->namespace_waiters;

        w->namespace_waiters = t->next;
        writer_return(w, t);
    }
    w->namespace_waiters_end = &w->namespace_waiters;
    return RC_OK;
}

/* ---- starting ---- */

/*
 * Creates the namespace that always exists.  This is the first turn after the boot; it also
 * takes back the runs that the previous boot left.
 */
static enum rc create_default_namespace(struct writer *w, struct err *reterr)
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

/* A server may become available later; any other error needs an operator. */
static bool may_recover(const struct writer *w, enum rc rc)
{
    return (rc == RC_LOST || rc == RC_UNKNOWN || rc == RC_BUSY) &&
           !str_starts(w->options.config->db, STR("sqlite:"));
}

static enum rc connect_once(struct writer *w, struct err *reterr)
{
    struct err full;
    enum rc rc = open_and_boot(w, reterr);

    if (rc == RC_OK)
        rc = create_default_namespace(w, reterr);
    if (rc == RC_OK)
        rc = read_namespaces(w, reterr);
    if (rc == RC_OK)
        rc = writer_read_tokens(w, reterr);
    /* No room for the ballast means that the disk is nearly full. */
    if (rc == RC_OK && db_ballast(w->db, true, &full) != RC_OK) {
        w->is_full = true;
        log_say(w->options.log, clock_now(), LEVEL_ERROR, "disk full",
                LOG_TEXT("reason", full.text));
    }
    return rc;
}

/* Events describe runs, so they are kept no longer than runs. */
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
        .zones = {.find = zoneinfo_find_in, .user = &w->zones},
        .node_lease = w->options.config->node_lease,
        .events_age = events_age(w->options.config),
        .backfill_portion = w->options.config->backfill_portion,
        .dispatch_jitter = w->options.config->dispatch_jitter,
        .version = STR(BELFRY_VERSION),
        .address = w->options.address,
        .committing = on_commit,
        .arg = w,
        .pause_note = pause_note,
    };
    const char *dir = w->options.config->zoneinfo.ptr;
    span pause = RETRY_FIRST;
    struct err err;
    enum rc rc;

    w->zones = zoneinfo_open(w->options.config->zoneinfo.len > 0 ? dir : NULL, &err);
    if (!w->zones) {
        give_up(w, STATUS_CANNOT_START, &err);
        return false;
    }
    w->options.context.zones = options.zones;
    options.zones_version = str_of(zoneinfo_version(w->zones));
    w->engine = engine_new(&options);
    while ((rc = connect_once(w, &err)) != RC_OK) {
        if (!may_recover(w, rc)) {
            give_up(w, STATUS_CANNOT_START, &err);
            return false;
        }
        log_say(w->options.log, clock_now(), LEVEL_WARN, "database unavailable; retrying",
                LOG_TEXT("reason", err.text));
        writer_set_phase(w, WRITER_DB_LOST, UNAVAILABLE);
        if (!pause_for(w, pause))
            return false;
        pause = next_pause(pause);
    }
    return true;
}

/* Opening or closing a connection runs a checkpoint, and two must not run at once. */
bool writer_wait_checkpoint(struct writer *w)
{
    struct checkpoint_result result;
    struct err err;

    if (!w->checkpointer || checkpointer_wait(w->checkpointer, &result) != CHECKPOINT_FAILED)
        return true;
    if (w->db)
        (void)!db_distrust(w->db, &result.why, &err);
    give_up(w, STATUS_CORRUPT, &result.why);
    return false;
}

static bool reconnect(struct writer *w, const struct err *why)
{
    span pause = RETRY_FIRST;
    struct err err = *why;
    enum rc rc;

    log_say(w->options.log, clock_now(), LEVEL_WARN, "database connection lost",
            LOG_TEXT("reason", err.text));
    w->is_up = false;
    counter_add(&w->options.counters->reconnects, 1);
    writer_set_phase(w, WRITER_DB_LOST, UNAVAILABLE);
    if (!writer_wait_checkpoint(w))
        return false;
    for (int i = 1; i < w->losses; i++) /* connecting works, but turns fail */
        pause = next_pause(pause);
    if (w->losses++ > 0 && !pause_for(w, pause))
        return false;
    while ((rc = open_db(w, &err)) != RC_OK || (rc = sample_clock(w, &err)) != RC_OK) {
        if (rc == RC_CORRUPT) {
            give_up(w, STATUS_CORRUPT, &err);
            return false;
        }
        writer_set_phase(w, WRITER_DB_LOST, UNAVAILABLE);
        if (!pause_for(w, pause))
            return false;
        pause = next_pause(pause);
    }
    engine_attach(w->engine, w->db);
    log_say(w->options.log, clock_now(), LEVEL_INFO, "database available again",
            LOG_INT("signs_lost", w->alive_dropped));
    w->alive_dropped = 0;
    w->is_up = true;
    writer_show_phase(w);
    return true;
}

/* Other nodes have taken over the runs of this node, so it must end its dispatches. */
static bool boot_again(struct writer *w)
{
    struct err err;
    enum rc rc;

    log_say(w->options.log, w->now, LEVEL_WARN, "other nodes declared this node dead");
    writer_send(w, &(struct io_msg){.kind = IO_MSG_ABORT_ALL});
    rc = boot_engine(w, &err);
    switch (rc) {
    case RC_OK:
        return true;
    case RC_LOST:
    case RC_UNKNOWN:
        return reconnect(w, &err);
    case RC_CORRUPT:
        give_up(w, STATUS_CORRUPT, &err);
        return false;
    default:
        return pause_for(w, SPAN_S); /* a full disk may get room; the next turn retries */
    }
}

void writer_disk_full(struct writer *w, const char *reason)
{
    struct err ignored;

    if (w->is_full)
        return;
    log_say(w->options.log, w->now, LEVEL_ERROR, "disk full", LOG_TEXT("reason", reason));
    w->is_full = true;
    writer_show_phase(w);
    (void)!db_ballast(w->db, false, &ignored); /* any space that it frees helps */
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
        writer_disk_full(w, err->text);
        return true;
    case RC_LOST:
    case RC_UNKNOWN:
        return reconnect(w, err);
    case RC_CONFLICT:
        return boot_again(w);
    case RC_CORRUPT:
        give_up(w, STATUS_CORRUPT, err);
        return false;
    default:
        log_say(w->options.log, w->now, LEVEL_ERROR, "transaction failed; retrying",
                LOG_TEXT("code", rc_name(rc)), LOG_TEXT("reason", err->text));
        return pause_for(w, SPAN_S);
    }
}

/* Creating the ballast again shows that there is room. */
static void check_disk(struct writer *w)
{
    struct err err;

    w->ballast_at_us = clock_boot_us() + SPAN_S;
    if (db_ballast(w->db, true, &err) != RC_OK)
        return;
    w->is_full = false;
    log_say(w->options.log, w->now, LEVEL_INFO, "disk has space again");
    writer_show_phase(w);
}

/* Safe here: packed plans, which the engine keeps between turns, contain no zone pointers. */
static void read_zones(struct writer *w)
{
    const char *dir = w->options.config->zoneinfo.ptr;
    struct err err;
    struct zoneinfo *zones = zoneinfo_open(w->options.config->zoneinfo.len > 0 ? dir : NULL,
                                           &err);

    w->zones_changed = false;
    if (!zones) {
        log_say(w->options.log, w->now, LEVEL_ERROR, "cannot read the time zone files",
                LOG_TEXT("reason", err.text));
        return;
    }
    zoneinfo_close(w->zones);
    w->zones = zones;
    engine_replan(w->engine, str_of(zoneinfo_version(zones)));
    log_say(w->options.log, w->now, LEVEL_INFO, "time zones reloaded",
            LOG_TEXT("version", zoneinfo_version(zones)));
}

/* The checkpointer copies most of the WAL.  The writer copies only the rest, which is short. */
static enum rc write_back(struct writer *w, struct err *reterr)
{
    struct checkpoint_result result;

    switch (checkpointer_poll(w->checkpointer, &result)) {
    case CHECKPOINT_IDLE:
        break;
    case CHECKPOINT_RUNNING:
        return RC_OK;
    case CHECKPOINT_DONE:
        db_take_wal(w->db, result.pages);
        break;
    case CHECKPOINT_FAILED:
        return db_distrust(w->db, &result.why, reterr);
    }
    if (!db_lend_wal(w->db))
        return db_checkpoint(w->db, reterr);
    checkpointer_request(w->checkpointer);
    return RC_OK;
}

/* Checks whether the file was replaced, and copies the WAL back into it. */
static enum rc maintain_file(struct writer *w, int64_t boot, struct err *reterr)
{
    enum rc rc = RC_OK;

    if (boot >= w->file_at_us) {
        w->file_at_us = boot + CHECK_FILE_EVERY;
        rc = db_check_file(w->db, reterr);
    }
    return rc == RC_OK ? write_back(w, reterr) : rc;
}

void writer_between_turns(struct writer *w)
{
    bool is_server = db_kind(w->db) == DB_POSTGRES;
    int64_t boot = clock_boot_us();
    enum rc rc = RC_OK;
    struct err err;

    if (w->is_full && boot >= w->ballast_at_us)
        check_disk(w);
    if (w->zones_changed)
        read_zones(w);
    if (!is_server)
        rc = maintain_file(w, boot, &err);
    else if (w->out.made_ready)
        rc = db_notify(w->db, NOTIFY_CHANNEL, w->options.node, &err);
    if (rc == RC_OK && is_server && boot >= w->sample_at_us)
        rc = sample_clock(w, &err);
    if (rc == RC_OK && (w->wants_namespaces || (is_server && boot >= w->namespaces_at_us)))
        rc = read_namespaces(w, &err);
    if (rc == RC_OK && (w->wants_tokens || (is_server && boot >= w->tokens_at_us)))
        rc = writer_read_tokens(w, &err);
    if (rc != RC_OK && rc != RC_BUSY && rc != RC_LIMIT && !writer_recover(w, rc, &err))
        w->is_over = true;
}
