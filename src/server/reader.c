/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread of a reader: takes tickets from its mailbox, reads in batches from one snapshot,
 * begins and settles large requests, and returns the tickets to the io thread.
 */
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
    READ_MS = 2000,      /* a longer read would block checkpoints of SQLite          */
    QUICK_MS = 50,       /* the same for a quick reader                              */
    QUICK_STEPS = 20000, /* of struct budget: about a millisecond */
    SLOW_STEPS = 16 * 1000 * 1000, /* about half a second */
    READS_AT_ONCE = 32, /* tickets that share the cost of a snapshot                */
    BATCH_US = 2000,    /* a quick reader then puts the rest of its tickets back    */
    SNAPSHOT_US = 5000, /* maximum age of a snapshot for further reads              */
};

struct reader {
    struct reader_options options;
    pthread_t thread;
    struct mailbox *requests; /* struct ticket *; NULL: stop */
    struct zoneinfo *zones;
    _Atomic bool zones_changed;                      /* the time zone files have changed */
    _Atomic(const struct api_context *) new_context; /* NULL: no change                  */
    struct db *db;
    bool has_snapshot;
    int64_t snapshot_us; /* clock_boot_us() at its begin */
};

static bool connect_db(struct reader *r, struct call *call)
{
    struct db_options options = {.readonly = true,
                                 .deadline_ms = r->options.is_slow ? READ_MS : QUICK_MS,
                                 .hosts = r->options.hosts};
    struct err err;

    if (r->db)
        return true;
    if (db_open(r->options.config->db.ptr, &options, &r->db, &err) == RC_OK)
        return true;
    call_problem(call, 503, "unavailable", "the database is unavailable: %s", err.text);
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

/* A snapshot may serve every request that arrived before it was taken. */
static enum call_step read_once(struct reader *r, struct call *call, bool *ret_is_clean,
                                bool *ret_is_late)
{
    int64_t began_us = clock_boot_us();
    enum call_step step;

    if (!r->has_snapshot) {
        db_begin(r->db);
        r->snapshot_us = clock_boot_us();
        r->has_snapshot = true;
    }
    step = call->operation->read(call, r->db);
    *ret_is_clean = db_is_clean(r->db);
    *ret_is_late = !*ret_is_clean && clock_boot_us() - began_us >= QUICK_MS * SPAN_MS;
    if (!*ret_is_clean || clock_boot_us() - r->snapshot_us > SNAPSHOT_US)
        end_snapshot(r);
    return step;
}

/*
 * Discards the result of a failed attempt: the members from `arg` on.  A read does not change
 * the others, because the io thread needs them if it must send a timeout to the client.
 */
static void reset_call(struct call *call, const struct call *before)
{
    size_t from = offsetof(struct call, arg);

    memcpy((char *)call + from, (const char *)before + from, sizeof *call - from);
}

/* A call whose commands are committed must not fail any more, so it has no limit. */
static int64_t steps_of(const struct reader *r, const struct call *call)
{
    if (!r->options.is_slow)
        return QUICK_STEPS;
    return call->replies ? INT64_MAX : SLOW_STEPS;
}

static bool is_stopped(void *arg)
{
    struct ticket *t = arg;

    return atomic_load(&t->is_abandoned);
}

/*
 * The connection may have died while it was idle; then a second attempt uses a new one.  A read
 * that succeeded is not repeated, even if the connection dies at the end of its snapshot: a
 * stream has already advanced its cursor.
 */
static void answer(struct reader *r, struct ticket *t)
{
    struct call *call = &t->call, before;
    bool is_clean = false, is_late = false;

    t->budget = (struct budget){.left = steps_of(r, call),
                                .is_stopped = is_stopped,
                                .arg = t,
                                .is_trial = !r->options.is_slow};
    call->budget = &t->budget;
    call->now = clock_now();
    call->context = &r->options.context;
    before = *call;
    t->step = CALL_ANSWER;
    for (int i = 0; i < 2; i++) {
        if (i > 0)
            reset_call(call, &before);
        if (!connect_db(r, call))
            return;
        t->step = read_once(r, call, &is_clean, &is_late);
        if (is_clean || r->db)
            break;
    }
    if (!t->budget.is_over && (!is_late || r->options.is_slow))
        return;
    reset_call(call, &before);
    if (r->options.is_slow)
        t->step = call_limit_budget(call);
    else
        t->read_result = READ_TOO_SLOW;
}

/*
 * Begins or settles a large call, as the io thread does with small ones.  Its commands may hold
 * a time zone, so it uses those of the io thread, which stay open.
 */
static void compute(struct reader *r, struct ticket *t)
{
    struct api_context context = r->options.context;
    struct call *call = &t->call;

    context.zones.user = &t->zones;
    t->budget = (struct budget){.left = TICKET_STEPS};
    call->budget = &t->budget;
    call->context = &context;
    t->step = t->sent_for == CALL_BEGIN ? call_start(call) : call->operation->settled(call);
    call->context = &r->options.context;
}

/*
 * Safe here, because no request holds a zone of this thread between two answers.  The writer
 * logs unreadable files.
 */
static void reload_zones(struct reader *r)
{
    struct str dir = r->options.config->zoneinfo;
    struct zoneinfo *zones;
    struct err err;

    if (!atomic_exchange(&r->zones_changed, false))
        return;
    zones = zoneinfo_open(dir.len > 0 ? dir.ptr : NULL, &err);
    if (!zones)
        return;
    zoneinfo_close(r->zones);
    r->zones = zones;
}

static void reload_context(struct reader *r)
{
    const struct api_context *new_context = atomic_exchange(&r->new_context, NULL);

    if (new_context)
        context_renew(&r->options.context, new_context);
}

/* Returns false for the stop request, which is always the last. */
static bool answer_all(struct reader *r, struct ticket **tickets, size_t count)
{
    int64_t began_us = clock_boot_us();

    for (size_t i = 0; i < count; i++) {
        struct ticket *t = tickets[i];
        bool is_late = i > 0 && clock_boot_us() - began_us > BATCH_US;

        if (!t)
            return false;
        t->read_result = is_late && !r->options.is_slow ? READ_PUT_BACK : READ_COMPLETE;
        /* Skips requests that timed out in the mailbox. */
        if (t->read_result == READ_COMPLETE && !atomic_load(&t->is_abandoned)) {
            if (t->sent_for == CALL_READ)
                answer(r, t);
            else
                compute(r, t);
        }
        must(mailbox_push(r->options.to_io,
                          &(struct io_msg){.kind = IO_MSG_TICKET, .ticket = t}));
    }
    return true;
}

static void *reader_main(void *arg)
{
    struct ticket *tickets[READS_AT_ONCE];
    struct reader *r = arg;
    bool keeps_running = true;
    size_t count;

    thread_set_name("reader");
    if (!r->options.is_slow)
        thread_wake_promptly(); /* the slow one computes, and others must not wait for it */
    while (keeps_running) {
        mailbox_wait(r->requests, INSTANT_NEVER);
        count = mailbox_take(r->requests, tickets, READS_AT_ONCE);
        /* After taking the tickets, so that every reload before a request applies to it. */
        reload_zones(r);
        reload_context(r);
        keeps_running = answer_all(r, tickets, count);
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
    r->options.context.zones = (struct zone_source){.find = zoneinfo_find_in,
                                                    .user = &r->zones};
    r->zones = zoneinfo_open(options->config->zoneinfo.len > 0 ? dir : NULL, &err);
    if (!r->zones) {
        log_say(options->log, clock_now(), LEVEL_ERROR, "cannot read the time zone files",
                LOG_TEXT("reason", err.text));
        free(r);
        return NULL;
    }
    r->options.context.part_cache = part_cache_new();
    r->requests = mailbox_new(READS_MAX + 1, sizeof(struct ticket *), NULL, NULL);
    must(pthread_create(&r->thread, NULL, reader_main, r) == 0);
    return r;
}

void reader_send(struct reader *r, struct ticket *ticket)
{
    must(mailbox_push(r->requests, &ticket));
}

void reader_reload_zones(struct reader *r)
{
    atomic_store(&r->zones_changed, true);
}

void reader_reload_context(struct reader *r, const struct api_context *context)
{
    atomic_store(&r->new_context, context);
}

struct reader *reader_stop(struct reader *r)
{
    if (!r)
        return NULL;
    reader_send(r, NULL);
    must(pthread_join(r->thread, NULL) == 0);
    r->requests = mailbox_free(r->requests);
    zoneinfo_close(r->zones);
    part_cache_free(r->options.context.part_cache);
    free(r);
    return NULL;
}
