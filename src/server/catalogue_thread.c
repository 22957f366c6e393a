/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads the catalogue, then follows the events of all nodes in rounds.
 */
#include "server/catalogue_thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "api/catalogue/catalogue_feed.h"
#include "base/must.h"
#include "db/db.h"
#include "io/clock.h"
#include "io/mailbox.h"
#include "io/thread.h"

enum {
    NOTES_MAX = 4096,  /* changed schedules that wait; more are found by checking    */
    NOTES_TAKEN = 256, /* at a time                                                  */
    READ_MS = 5000,    /* a longer read fails and is repeated                        */
};

#define RETRY       (2 * SPAN_S)    /* pause after the database has failed                    */
#define LOAD_PAUSE  (15 * SPAN_MS)  /* between batches: at most 66 per second                 */
#define FULL_PAUSE  (25 * SPAN_MS)  /* after a full batch of changes: 20,000 per second     */
#define ROUND_PAUSE (400 * SPAN_MS) /* between rounds: answers are at most a second old       */
#define CHECK_EVERY 6               /* rounds: some 200 cursors per second                    */
#define STOP        0               /* a note: no schedule has this key                       */

struct catalogue_thread {
    const struct config *config;
    struct log *log;
    struct db_hosts *hosts;
    pthread_t thread;
    bool is_started;
    struct mailbox *notes; /* int64_t: keys of schedules, or STOP */

    /* Of the thread alone. */
    struct db *db;
    struct catalogue_feed feed;
    bool has_begun;
    instant began_at;

    pthread_rwlock_t lock; /* protects the members below */
    struct catalogue *catalogue;
    bool is_loaded;
    instant as_of;

    /* Written by the thread. */
    _Atomic bool shown_loaded;
    _Atomic int64_t shown_entries, shown_bytes, shown_as_of, shown_loading;
};

struct catalogue_thread *catalogue_thread_new(const struct config *config, struct log *log,
                                              struct db_hosts *hosts, uint64_t seed)
{
    struct catalogue_thread *t;
    pthread_rwlockattr_t attributes;

    if (!config->catalogue)
        return NULL;
    t = calloc(1, sizeof *t);
    must(t);
    t->config = config;
    t->log = log;
    t->hosts = hosts;
    t->notes = mailbox_new(NOTES_MAX, sizeof(int64_t), NULL, NULL);
    t->catalogue = catalogue_new(seed);
    catalogue_feed_open(&t->feed, t->catalogue);
    t->as_of = INSTANT_NONE;
    atomic_store(&t->shown_as_of, INSTANT_NONE);
    /* A change waits for the queries in progress, not for later ones. */
    must(pthread_rwlockattr_init(&attributes) == 0);
    must(pthread_rwlockattr_setkind_np(&attributes,
                                       PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) == 0);
    must(pthread_rwlock_init(&t->lock, &attributes) == 0);
    must(pthread_rwlockattr_destroy(&attributes) == 0);
    return t;
}

/* ---- the thread ---- */

static void publish_state(struct catalogue_thread *t)
{
    struct catalogue_size size = catalogue_size(t->catalogue);

    atomic_store(&t->shown_entries, size.entries);
    atomic_store(&t->shown_bytes, (int64_t)(size.row_bytes + size.text_bytes));
    atomic_store(&t->shown_as_of, t->as_of);
    atomic_store(&t->shown_loaded, t->is_loaded);
}

static void apply_batch(struct catalogue_thread *t, const struct catalogue_batch *batch)
{
    if (batch->count == 0 && batch->removed_count == 0 && !batch->begins_pass)
        return;
    must(pthread_rwlock_wrlock(&t->lock) == 0);
    catalogue_feed_apply(t->catalogue, batch);
    must(pthread_rwlock_unlock(&t->lock) == 0);
}

static void set_state(struct catalogue_thread *t, bool is_loaded, instant as_of)
{
    must(pthread_rwlock_wrlock(&t->lock) == 0);
    t->is_loaded = is_loaded;
    t->as_of = as_of;
    must(pthread_rwlock_unlock(&t->lock) == 0);
    publish_state(t);
}

/* Takes notes until `until`.  Returns false when the thread must stop. */
static bool wait_until(struct catalogue_thread *t, instant until)
{
    int64_t notes[NOTES_TAKEN];

    do {
        size_t count;

        mailbox_wait(t->notes, until);
        count = mailbox_take(t->notes, notes, NOTES_TAKEN);
        for (size_t i = 0; i < count; i++) {
            if (notes[i] == STOP)
                return false;
            if (t->has_begun)
                catalogue_feed_note(&t->feed, notes[i]);
        }
    } while (clock_boot_us() < until);
    return true;
}

static bool pause_for(struct catalogue_thread *t, span pause)
{
    return wait_until(t, clock_boot_us() + pause);
}

static enum rc connect_db(struct catalogue_thread *t, struct err *reterr)
{
    struct db_options options = {.readonly = true, .deadline_ms = READ_MS, .hosts = t->hosts};

    if (t->db)
        return RC_OK;
    return db_open(t->config->db.ptr, &options, &t->db, reterr);
}

static enum rc load_all(struct catalogue_thread *t, bool *keeps_running, struct err *reterr)
{
    enum rc rc = RC_OK;

    if (!t->has_begun) {
        t->began_at = clock_boot_us();
        rc = catalogue_feed_begin(&t->feed, t->db, reterr);
        t->has_begun = rc == RC_OK;
    }
    while (rc == RC_OK && *keeps_running && !t->feed.is_loaded) {
        struct catalogue_batch batch;

        rc = catalogue_feed_load(&t->feed, t->db, &batch, reterr);
        if (rc == RC_OK)
            apply_batch(t, &batch);
        publish_state(t);
        *keeps_running = pause_for(t, LOAD_PAUSE);
    }
    return rc;
}

static void announce_loaded(struct catalogue_thread *t)
{
    struct catalogue_size size = catalogue_size(t->catalogue);
    span took = clock_boot_us() - t->began_at;

    atomic_store(&t->shown_loading, took);
    log_say(t->log, clock_now(), LEVEL_INFO, "catalogue loaded",
            LOG_INT("schedules", size.entries), LOG_INT("ms", took / SPAN_MS));
}

/* The catalogue has everything that was committed before the round. */
static enum rc follow_events(struct catalogue_thread *t, bool *keeps_running,
                             struct err *reterr)
{
    instant began = clock_now();
    bool is_current = false;
    enum rc rc = RC_OK;

    while (rc == RC_OK && *keeps_running && !is_current && t->feed.is_loaded) {
        struct catalogue_batch batch;

        rc = catalogue_feed_follow(&t->feed, t->db, &batch, &is_current, reterr);
        if (rc == RC_OK)
            apply_batch(t, &batch);
        if (batch.count + batch.removed_count == FEED_ROWS)
            *keeps_running = pause_for(t, FULL_PAUSE);
    }
    if (rc != RC_OK || !is_current)
        return rc;
    if (!t->is_loaded)
        announce_loaded(t);
    set_state(t, true, began);
    return rc;
}

static enum rc check_some(struct catalogue_thread *t, struct err *reterr)
{
    struct catalogue_batch batch;
    enum rc rc = catalogue_feed_check(&t->feed, t->db, &batch, reterr);

    if (rc == RC_OK)
        apply_batch(t, &batch);
    return rc;
}

static enum rc run_round(struct catalogue_thread *t, int64_t round, bool *keeps_running,
                         struct err *reterr)
{
    enum rc rc = connect_db(t, reterr);

    if (rc == RC_OK && !t->feed.is_loaded)
        rc = load_all(t, keeps_running, reterr);
    if (rc == RC_OK && *keeps_running)
        rc = follow_events(t, keeps_running, reterr);
    if (rc == RC_OK && *keeps_running && t->feed.is_loaded && round % CHECK_EVERY == 0)
        rc = check_some(t, reterr);
    if (rc == RC_OK && *keeps_running && !t->feed.is_loaded) {
        log_say(t->log, clock_now(), LEVEL_WARN, "events were missed; loading the catalogue");
        t->has_begun = false;
        set_state(t, false, INSTANT_NONE);
    }
    return rc;
}

static void *catalogue_main(void *arg)
{
    struct catalogue_thread *t = arg;
    bool keeps_running = true;

    thread_set_name("catalogue");
    thread_yield_to_others();
    for (int64_t round = 0; keeps_running; round++) {
        struct err err;

        if (run_round(t, round, &keeps_running, &err) != RC_OK) {
            log_say(t->log, clock_now(), LEVEL_DEBUG, "catalogue cannot read the database",
                    LOG_TEXT("reason", err.text));
            t->db = db_close(t->db);
            keeps_running = keeps_running && pause_for(t, RETRY);
        } else if (keeps_running) {
            keeps_running = pause_for(t, ROUND_PAUSE);
        }
    }
    t->db = db_close(t->db);
    return NULL;
}

/* ---- other threads ---- */

void catalogue_thread_start(struct catalogue_thread *t)
{
    if (!t)
        return;
    must(!t->is_started);
    must(pthread_create(&t->thread, NULL, catalogue_main, t) == 0);
    t->is_started = true;
}

void catalogue_thread_note(struct catalogue_thread *t, int64_t schedule)
{
    if (t && schedule != STOP && mailbox_room(t->notes) > 1)
        (void)mailbox_push(t->notes, &schedule);
}

bool catalogue_thread_visit(struct catalogue_thread *t, struct catalogue_visit *visit,
                            struct budget *budget)
{
    bool has_budget = true;

    must(pthread_rwlock_rdlock(&t->lock) == 0);
    visit->is_loaded = t->is_loaded;
    visit->loaded = catalogue_size(t->catalogue).entries;
    visit->as_of = t->as_of;
    if (t->is_loaded) {
        has_budget = budget_try(budget, catalogue_rows(t->catalogue) / CATALOGUE_ROWS_PER_STEP);
        if (has_budget)
            visit->look(visit->arg, t->catalogue);
    }
    must(pthread_rwlock_unlock(&t->lock) == 0);
    return has_budget;
}

struct query_look {
    const struct catalogue_query *query;
    struct arena *arena;
    struct catalogue_page *page;
};

static void look_for_query(void *arg, const struct catalogue *catalogue)
{
    struct query_look *look = arg;

    catalogue_query(catalogue, look->query, look->arena, look->page);
}

bool catalogue_thread_query(struct catalogue_thread *t, const struct catalogue_query *query,
                            struct budget *budget, struct arena *arena,
                            struct catalogue_page *ret)
{
    struct query_look look = {query, arena, ret};
    struct catalogue_visit visit = {.look = look_for_query, .arg = &look};
    bool has_budget;

    *ret = (struct catalogue_page){.is_loaded = false};
    has_budget = catalogue_thread_visit(t, &visit, budget);
    ret->loaded = visit.loaded;
    ret->as_of = visit.as_of;
    return has_budget;
}

struct catalogue_state catalogue_thread_state(const struct catalogue_thread *t)
{
    return (struct catalogue_state){
        .is_loaded = atomic_load(&t->shown_loaded),
        .entries = atomic_load(&t->shown_entries),
        .bytes = atomic_load(&t->shown_bytes),
        .as_of = atomic_load(&t->shown_as_of),
        .loading = atomic_load(&t->shown_loading),
    };
}

void catalogue_thread_stop(struct catalogue_thread *t)
{
    int64_t stop = STOP;

    if (!t || !t->is_started)
        return;
    must(mailbox_push(t->notes, &stop));
    must(pthread_join(t->thread, NULL) == 0);
    t->is_started = false;
}

struct catalogue_thread *catalogue_thread_free(struct catalogue_thread *t)
{
    if (!t)
        return NULL;
    must(!t->is_started);
    mailbox_free(t->notes);
    catalogue_feed_close(&t->feed);
    catalogue_free(t->catalogue);
    must(pthread_rwlock_destroy(&t->lock) == 0);
    free(t);
    return NULL;
}
