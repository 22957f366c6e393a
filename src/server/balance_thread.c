/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Passes over all schedules.  The sums of a pass are private to the thread until it ends; then
 * they replace those of the pass before.
 */
#include "server/balance_thread.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/must.h"
#include "core/time/text.h"
#include "db/db.h"
#include "io/clock.h"
#include "io/mailbox.h"
#include "io/thread.h"
#include "io/zoneinfo.h"
#include "server/check/check_balance.h"

enum {
    AT_ONCE = 16,            /* schedules of one snapshot                                */
    STEPS = 2 * 1000 * 1000, /* of struct budget, per schedule: some 100 ms              */
    SHARE = 19,              /* pause after work: this many times as long                */
    READ_MS = 5000,          /* a longer read fails, and the pass begins again           */
    LISTED_MAX = 1000,       /* differences of all namespaces that are listed            */
    TEXTS_MAX = 64 << 20,    /* bytes of their names and texts, and those of namespaces  */
};

#define RETRY        (10 * SPAN_S)   /* pause after the database has failed               */
#define PAUSE_MAX    (10 * SPAN_S)   /* after a batch                                     */
#define PASS_PAUSE   (10 * SPAN_S)   /* between passes                                    */
#define CONFIRM_WAIT SPAN_S          /* before the second look                            */
#define CLOCK_MARGIN (10 * SPAN_MIN) /* by which a node that prunes may be ahead         */

/* The sums of a pass: one of each namespace with schedules. */
struct sums {
    struct arena *arena; /* of the lists */
    struct map *index;   /* namespace to its place */
    struct ledger_balance *at;
    int count, room;
    int listed; /* differences in all lists */
    struct ledger_balance total;
};

struct balance_thread {
    const struct config *config;
    struct log *log;
    struct db_hosts *hosts;
    pthread_t thread;
    bool is_started;
    struct mailbox *stop; /* a message: the thread must stop */

    /* Of the thread alone. */
    struct db *db;
    struct check_balances *checks;
    struct zoneinfo *zones;
    struct sums *next;
    int64_t logged; /* differences of the last pass */

    pthread_mutex_t lock; /* protects the members below */
    struct sums *last;
    bool is_complete; /* `last` is of a complete pass */
};

static struct sums *new_sums(void)
{
    struct sums *sums = calloc(1, sizeof *sums);

    must(sums);
    sums->arena = arena_new(TEXTS_MAX);
    sums->index = map_new(0);
    return sums;
}

static void free_sums(struct sums *sums)
{
    arena_free(sums->arena);
    map_free(sums->index);
    free(sums->at);
    free(sums);
}

static void begin_sums(struct sums *sums, instant now)
{
    arena_reset(sums->arena);
    map_clear(sums->index);
    sums->count = sums->listed = 0;
    sums->total = (struct ledger_balance){.started_at = now, .as_of = INSTANT_NONE};
}

struct balance_thread *balance_thread_new(const struct config *config, struct log *log,
                                          struct db_hosts *hosts)
{
    struct balance_thread *t = calloc(1, sizeof *t);

    must(t);
    t->config = config;
    t->log = log;
    t->hosts = hosts;
    t->stop = mailbox_new(1, sizeof(char), NULL, NULL);
    t->checks = check_balances_new();
    t->next = new_sums();
    t->last = new_sums();
    begin_sums(t->last, INSTANT_NONE);
    must(pthread_mutex_init(&t->lock, NULL) == 0);
    return t;
}

/* ---- the thread ---- */

static bool must_stop(void *arg)
{
    struct balance_thread *t = arg;

    return mailbox_wait(t->stop, 0);
}

/* Returns false when the thread must stop. */
static bool pause_for(struct balance_thread *t, span pause)
{
    return !mailbox_wait(t->stop, clock_boot_us() + pause);
}

static struct ledger_balance *sums_of(struct sums *sums, int64_t namespace)
{
    int32_t place = map_find(sums->index, namespace);

    if (place != MAP_NONE)
        return &sums->at[place];
    if (sums->count == sums->room) {
        sums->room = sums->room ? sums->room * 2 : 16;
        sums->at = realloc(sums->at, (size_t)sums->room * sizeof *sums->at);
        must(sums->at);
    }
    sums->at[sums->count] = (struct ledger_balance){.started_at = sums->total.started_at};
    map_put(sums->index, namespace, sums->count);
    return &sums->at[sums->count++];
}

static struct str print_fault(const struct check_balance *b, struct arena *arena)
{
    struct buf text = arena_buf(arena, INSTANT_TEXT_MAX + ERR_TEXT_MAX);

    instant_format(b->fault_at, &text);
    buf_printf(&text, " %s", b->fault);
    return buf_as_str(&text);
}

static void add_difference(struct sums *sums, struct ledger_balance *to,
                           const struct check_balance *b)
{
    struct balance_difference *list = (struct balance_difference *)to->list;

    to->differences++;
    sums->total.differences++;
    if (to->listed == BALANCE_LISTED_MAX || sums->listed == LISTED_MAX)
        return;
    if (!list)
        to->list = list = arena_array(sums->arena, BALANCE_LISTED_MAX, sizeof *list);
    list[to->listed++] = (struct balance_difference){
        .schedule = arena_str(sums->arena, b->name),
        .since = b->since,
        .due = b->due,
        .recorded = b->recorded,
        .text = print_fault(b, sums->arena),
    };
    sums->listed++;
}

static void add_balance(struct sums *sums, const struct check_balance *b)
{
    struct ledger_balance *to = sums_of(sums, b->namespace);
    struct ledger_balance *const both[] = {to, &sums->total};

    for (int i = 0; i < 2; i++) {
        both[i]->schedules++;
        both[i]->slots += b->due;
        both[i]->outcomes += b->recorded;
    }
    if (b->fault_at != INSTANT_NONE)
        add_difference(sums, to, b);
}

static enum rc read_some(struct balance_thread *t, int64_t after, int limit,
                         const struct check_balance **ret, int *ret_count, struct err *reterr)
{
    struct budget budget = {.left = STEPS, .is_stopped = must_stop, .arg = t};
    struct check_balance_query query = {
        .db = t->db,
        .zones = {.find = zoneinfo_find_in, .user = &t->zones},
        .now = clock_now() + CLOCK_MARGIN,
        .budget = &budget,
        .after = after,
        .limit = limit,
    };

    return check_balances_read(t->checks, &query, ret, ret_count, reterr);
}

/* A schedule with a fault, to look at again. */
struct suspect {
    int64_t key, version;
    instant fault_at;
};

/* The fault is still there, although a turn may have been committed meanwhile. */
static enum rc confirm(struct balance_thread *t, const struct suspect *suspect,
                       struct err *reterr)
{
    const struct check_balance *b;
    enum rc rc;
    int count;

    rc = read_some(t, suspect->key - 1, 1, &b, &count, reterr);
    if (rc != RC_OK || count == 0 || b->key != suspect->key || !b->is_compared)
        return rc;
    if (b->version == suspect->version && b->fault_at != INSTANT_NONE &&
        b->fault_at != suspect->fault_at)
        return rc; /* not the same one: the next pass looks at it */
    add_balance(t->next, b);
    return RC_OK;
}

static enum rc confirm_all(struct balance_thread *t, const struct suspect *suspects, int count,
                           struct err *reterr)
{
    enum rc rc = RC_OK;

    if (count > 0 && !pause_for(t, CONFIRM_WAIT))
        return RC_OK;
    for (int i = 0; rc == RC_OK && i < count; i++)
        rc = confirm(t, &suspects[i], reterr);
    return rc;
}

static enum rc compare_some(struct balance_thread *t, int64_t *after, bool *ret_is_over,
                            struct err *reterr)
{
    struct suspect suspects[AT_ONCE];
    const struct check_balance *list;
    int limit = AT_ONCE, count, suspect_count = 0;
    enum rc rc = read_some(t, *after, limit, &list, &count, reterr);

    if (rc == RC_LIMIT) { /* large documents */
        limit = 1;
        rc = read_some(t, *after, limit, &list, &count, reterr);
    }
    if (rc != RC_OK)
        return rc;
    for (int i = 0; i < count; i++) {
        const struct check_balance *b = &list[i];

        *after = b->key;
        if (b->is_compared && b->fault_at == INSTANT_NONE)
            add_balance(t->next, b);
        else if (b->is_compared)
            suspects[suspect_count++] = (struct suspect){b->key, b->version, b->fault_at};
    }
    *ret_is_over = count < limit;
    return confirm_all(t, suspects, suspect_count, reterr);
}

static void publish(struct balance_thread *t)
{
    struct sums *former;
    instant now = clock_now();

    t->next->total.as_of = now;
    for (int i = 0; i < t->next->count; i++)
        t->next->at[i].as_of = now;
    if (t->next->total.differences > 0 && t->next->total.differences != t->logged)
        log_say(t->log, now, LEVEL_ERROR, "ledger is not balanced; run belfry check",
                LOG_INT("schedules", t->next->total.differences));
    t->logged = t->next->total.differences;
    must(pthread_mutex_lock(&t->lock) == 0);
    former = t->last;
    t->last = t->next;
    t->is_complete = true;
    must(pthread_mutex_unlock(&t->lock) == 0);
    t->next = former;
}

static enum rc open_all(struct balance_thread *t, struct err *reterr)
{
    struct db_options options = {.readonly = true, .deadline_ms = READ_MS, .hosts = t->hosts};
    struct str dir = t->config->zoneinfo;

    if (!t->zones)
        t->zones = zoneinfo_open(dir.len > 0 ? dir.ptr : NULL, reterr);
    if (!t->zones)
        return reterr->rc;
    return t->db ? RC_OK : db_open(t->config->db.ptr, &options, &t->db, reterr);
}

/* Shows that a pass has begun, if none has been completed. */
static void begin_pass(struct balance_thread *t)
{
    instant now = clock_now();

    begin_sums(t->next, now);
    must(pthread_mutex_lock(&t->lock) == 0);
    if (!t->is_complete && t->last->total.started_at == INSTANT_NONE)
        t->last->total.started_at = now;
    must(pthread_mutex_unlock(&t->lock) == 0);
}

static enum rc run_pass(struct balance_thread *t, bool *keeps_running, struct err *reterr)
{
    int64_t after = 0;
    bool is_over = false;
    enum rc rc = open_all(t, reterr);

    if (rc == RC_OK)
        begin_pass(t);
    while (rc == RC_OK && !is_over && *keeps_running) {
        int64_t began = clock_boot_us();
        span pause;

        rc = compare_some(t, &after, &is_over, reterr);
        pause = (clock_boot_us() - began) * SHARE;
        if (!is_over)
            *keeps_running = pause_for(t, pause < PAUSE_MAX ? pause : PAUSE_MAX);
    }
    if (rc == RC_OK && is_over && !must_stop(t))
        publish(t);
    return rc;
}

static void *balance_main(void *arg)
{
    struct balance_thread *t = arg;
    bool keeps_running = true;

    thread_set_name("balance");
    thread_yield_to_others();
    while (keeps_running) {
        struct err err;
        enum rc rc = run_pass(t, &keeps_running, &err);

        /* The next pass sees new zone files. */
        t->zones = zoneinfo_close(t->zones);
        if (rc != RC_OK) {
            log_say(t->log, clock_now(), LEVEL_DEBUG, "the ledger cannot be compared",
                    LOG_TEXT("reason", err.text));
            t->db = db_close(t->db);
        }
        keeps_running = keeps_running && pause_for(t, rc == RC_OK ? PASS_PAUSE : RETRY);
    }
    t->db = db_close(t->db);
    return NULL;
}

/* ---- other threads ---- */

void balance_thread_start(struct balance_thread *t)
{
    must(!t->is_started);
    must(pthread_create(&t->thread, NULL, balance_main, t) == 0);
    t->is_started = true;
}

static enum balance_result result_of(const struct balance_thread *t,
                                     const struct ledger_balance *balance)
{
    if (!t->is_complete)
        return BALANCE_RUNNING;
    return balance->differences > 0 ? BALANCE_UNBALANCED : BALANCE_BALANCED;
}

static void copy_list(struct ledger_balance *balance, struct arena *arena)
{
    struct balance_difference *list = arena_array(arena, (size_t)balance->listed, sizeof *list);

    for (int i = 0; i < balance->listed; i++) {
        list[i] = balance->list[i];
        list[i].schedule = arena_str(arena, list[i].schedule);
        list[i].text = arena_str(arena, list[i].text);
    }
    balance->list = list;
}

/* A namespace without schedules has nothing to compare. */
void balance_thread_get(struct balance_thread *t, int64_t namespace, struct arena *arena,
                        struct ledger_balance *ret)
{
    int32_t place;

    must(pthread_mutex_lock(&t->lock) == 0);
    place = map_find(t->last->index, namespace);
    if (place != MAP_NONE)
        *ret = t->last->at[place];
    else
        *ret = (struct ledger_balance){.started_at = t->last->total.started_at,
                                       .as_of = t->last->total.as_of};
    ret->result = result_of(t, ret);
    copy_list(ret, arena);
    must(pthread_mutex_unlock(&t->lock) == 0);
}

struct ledger_balance balance_thread_total(struct balance_thread *t)
{
    struct ledger_balance total;

    must(pthread_mutex_lock(&t->lock) == 0);
    total = t->last->total;
    total.result = result_of(t, &total);
    must(pthread_mutex_unlock(&t->lock) == 0);
    return total;
}

void balance_thread_stop(struct balance_thread *t)
{
    char message = 0;

    if (!t || !t->is_started)
        return;
    must(mailbox_push(t->stop, &message));
    must(pthread_join(t->thread, NULL) == 0);
    t->is_started = false;
}

struct balance_thread *balance_thread_free(struct balance_thread *t)
{
    if (!t)
        return NULL;
    must(!t->is_started);
    mailbox_free(t->stop);
    check_balances_free(t->checks);
    zoneinfo_close(t->zones);
    free_sums(t->next);
    free_sums(t->last);
    must(pthread_mutex_destroy(&t->lock) == 0);
    free(t);
    return NULL;
}
