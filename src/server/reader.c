/* SPDX-License-Identifier: Apache-2.0 */
#include "server/reader.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "api/schedules/part_cache.h"
#include "base/must.h"
#include "db/db.h"
#include "io/clock.h"
#include "io/thread.h"
#include "io/zoneinfo.h"

enum {
    READ_MS = 2000,     /* longer reads keep the log of SQLite from being written back   */
    READS_AT_ONCE = 32, /* from one snapshot: what it costs is then little beside them   */
    SNAPSHOT_US = 5000, /* after that the next read has one of its own, however many wait */
};

struct reader {
    struct reader_options options;
    pthread_t thread;
    struct mailbox *asked; /* struct ticket *, NULL: end */
    struct zoneinfo *zones;
    _Atomic bool reads_zones;                  /* the files have changed */
    _Atomic(const struct api_context *) fresh; /* NULL: the one that it has */
    struct db *db;
    bool has_snapshot;
    int64_t snapshot_us; /* when it was begun, clock_boot_us() */
};

static const struct tz *find_zone(void *user, struct str name, struct err *reterr)
{
    struct reader *r = user;

    return zoneinfo_find(r->zones, name, reterr);
}

static bool connect_db(struct reader *r, struct call *call)
{
    struct db_options options = {.readonly = true, .deadline_ms = READ_MS};
    struct err err;

    if (r->db)
        return true;
    if (db_open(r->options.config->db.ptr, &options, &r->db, &err) == RC_OK)
        return true;
    call_problem(call, 503, "unavailable", "the database does not answer: %s", err.text);
    return false;
}

static void end_snapshot(struct reader *r)
{
    if (r->has_snapshot)
        db_rollback(r->db);
    r->has_snapshot = false;
    if (r->db && db_is_dead(r->db))
        r->db = db_close(r->db);
}

/* What was asked before a snapshot was taken may be answered from it. */
static enum call_step read_once(struct reader *r, struct call *call)
{
    enum call_step step;

    if (!r->has_snapshot) {
        db_begin(r->db);
        r->snapshot_us = clock_boot_us();
        r->has_snapshot = true;
    }
    step = call->operation->read(call, r->db);
    if (!db_is_clean(r->db) || clock_boot_us() - r->snapshot_us > SNAPSHOT_US)
        end_snapshot(r);
    return step;
}

/*
 * What a try has answered is no answer.  Who asked, and for what, no reading changes: io may
 * look at that meanwhile, to tell a client that it takes too long.
 */
static void forget_try(struct call *call, const struct call *before)
{
    size_t from = offsetof(struct call, arg);

    memcpy((char *)call + from, (const char *)before + from, sizeof *call - from);
}

/* A connection may have died while nobody used it: then once more on a new one. */
static enum call_step answer(struct reader *r, struct call *call)
{
    enum call_step step = CALL_ANSWER;
    struct call before;

    call->now = clock_now();
    call->context = &r->options.context;
    before = *call;
    for (int i = 0; i < 2; i++) {
        if (i > 0)
            forget_try(call, &before);
        if (!connect_db(r, call))
            return CALL_ANSWER;
        step = read_once(r, call);
        if (r->db)
            break;
    }
    return step;
}

/* Between two answers nobody holds a zone.  Files that cannot be read are the writer's news. */
static void look_at_zones(struct reader *r)
{
    struct str dir = r->options.config->zoneinfo;
    struct zoneinfo *zones;
    struct err err;

    if (!atomic_exchange(&r->reads_zones, false))
        return;
    zones = zoneinfo_open(dir.len > 0 ? dir.ptr : NULL, &err);
    if (!zones)
        return;
    zoneinfo_close(r->zones);
    r->zones = zones;
}

static void look_at_context(struct reader *r)
{
    const struct api_context *fresh = atomic_exchange(&r->fresh, NULL);

    if (fresh)
        context_renew(&r->options.context, fresh);
}

/* False at the end, which is the last to be asked for. */
static bool answer_all(struct reader *r, struct ticket **tickets, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct ticket *t = tickets[i];

        if (!t)
            return false;
        if (!atomic_load(&t->is_left)) /* after a jam the latest are still waited for */
            t->step = answer(r, &t->call);
        must(mailbox_push(r->options.to_io,
                          &(struct io_msg){.kind = IO_MSG_TICKET, .ticket = t}));
    }
    return true;
}

static void *reader_main(void *arg)
{
    struct ticket *tickets[READS_AT_ONCE];
    struct reader *r = arg;
    bool goes_on = true;
    size_t count;

    thread_name("reader");
    thread_prompt();
    while (goes_on) {
        mailbox_wait(r->asked, INSTANT_NEVER);
        count = mailbox_take(r->asked, tickets, READS_AT_ONCE);
        /* After it: what was told before they were asked counts for them. */
        look_at_zones(r);
        look_at_context(r);
        goes_on = answer_all(r, tickets, count);
        end_snapshot(r);
    }
    r->db = db_close(r->db);
    return NULL;
}

struct reader *reader_start(const struct reader_options *options)
{
    struct reader *r = calloc(1, sizeof *r);
    const char *dir = options->config->zoneinfo.ptr;
    struct err err;

    must(r);
    r->options = *options;
    r->options.context.zones = (struct zone_source){.find = find_zone, .user = r};
    r->zones = zoneinfo_open(options->config->zoneinfo.len > 0 ? dir : NULL, &err);
    if (!r->zones) {
        log_say(options->log, clock_now(), LEVEL_ERROR, "the files of zones cannot be read",
                LOG_TEXT("reason", err.text));
        free(r);
        return NULL;
    }
    r->options.context.part_cache = part_cache_new();
    r->asked = mailbox_new(READS_MAX + 1, sizeof(struct ticket *), NULL, NULL);
    must(pthread_create(&r->thread, NULL, reader_main, r) == 0);
    return r;
}

void reader_ask(struct reader *r, struct ticket *ticket)
{
    must(mailbox_push(r->asked, &ticket));
}

void reader_zones(struct reader *r)
{
    atomic_store(&r->reads_zones, true);
}

void reader_reload(struct reader *r, const struct api_context *context)
{
    atomic_store(&r->fresh, context);
}

struct reader *reader_stop(struct reader *r)
{
    if (!r)
        return NULL;
    reader_ask(r, NULL);
    must(pthread_join(r->thread, NULL) == 0);
    r->asked = mailbox_free(r->asked);
    zoneinfo_close(r->zones);
    part_cache_free(r->options.context.part_cache);
    free(r);
    return NULL;
}
