/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache of answers, the queue of questions and the thread that answers them.
 */
#include "io/lookup.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/must.h"
#include "io/clock.h"
#include "io/thread.h"

#define FRESH_US (LOOKUP_FRESH_S * INT64_C(1000000))

enum entry_state { ENTRY_UNUSED, ENTRY_IDLE, ENTRY_WAITING };

struct entry {
    enum entry_state state;
    int kind;
    int64_t owner; /* that asked first */
    bool is_known;
    int64_t asked_us; /* clock_boot_us() of the last question: the oldest is replaced */
    int64_t until_us; /* the answer is fresh until then                               */
    char name[LOOKUP_NAME_MAX + 1];
    struct lookup_answer answer;
};

struct lookup {
    pthread_mutex_t mutex;
    pthread_cond_t asked;
    pthread_t thread;
    lookup_fn *kinds[LOOKUP_KINDS_MAX];
    int kind_count;
    void *arg;
    void (*free_arg)(void *arg);
    bool is_busy;    /* inside a function */
    bool is_stopped; /* the thread shall end */
    bool is_left;    /* the thread frees this struct */
    int64_t last_owner;
    struct entry *queue[LOOKUP_QUEUE_MAX];
    int waiting;
    struct entry entries[LOOKUP_SETS][LOOKUP_WAYS];
};

static void free_all(struct lookup *l)
{
    pthread_cond_destroy(&l->asked);
    pthread_mutex_destroy(&l->mutex);
    l->free_arg(l->arg);
    free(l);
}

/* The first question of another owner than the last one, or else the first. */
static struct entry *take_next(struct lookup *l)
{
    struct entry *entry;
    int at = 0;

    must(l->waiting > 0);
    while (at < l->waiting && l->queue[at]->owner == l->last_owner)
        at++;
    if (at == l->waiting)
        at = 0;
    entry = l->queue[at];
    l->waiting--;
    memmove(l->queue + at, l->queue + at + 1, (size_t)(l->waiting - at) * sizeof *l->queue);
    l->last_owner = entry->owner;
    return entry;
}

/* The entry stays in its place: only idle ones are replaced. */
static void answer_next(struct lookup *l)
{
    struct entry *entry = take_next(l);
    struct lookup_answer answer = {0};
    char name[LOOKUP_NAME_MAX + 1];
    bool is_known;

    memcpy(name, entry->name, sizeof name);
    l->is_busy = true;
    pthread_mutex_unlock(&l->mutex);
    is_known = l->kinds[entry->kind](l->arg, name, &answer);
    pthread_mutex_lock(&l->mutex);
    l->is_busy = false;
    must(entry->state == ENTRY_WAITING);
    entry->state = ENTRY_IDLE;
    entry->is_known = is_known;
    entry->answer = answer;
    entry->until_us = clock_boot_us() + FRESH_US;
}

static void *lookup_main(void *arg)
{
    struct lookup *l = arg;
    bool is_left;

    thread_set_name("lookup");
    pthread_mutex_lock(&l->mutex);
    while (!l->is_stopped) {
        if (l->waiting > 0)
            answer_next(l);
        else
            pthread_cond_wait(&l->asked, &l->mutex);
    }
    is_left = l->is_left;
    pthread_mutex_unlock(&l->mutex);
    if (is_left)
        free_all(l);
    return NULL;
}

struct lookup *lookup_new(lookup_fn *const *kinds, int kind_count, void *arg,
                          void (*free_arg)(void *arg))
{
    struct lookup *l = calloc(1, sizeof *l);

    must(l && kind_count <= LOOKUP_KINDS_MAX);
    memcpy(l->kinds, kinds, (size_t)kind_count * sizeof *kinds);
    l->kind_count = kind_count;
    l->arg = arg;
    l->free_arg = free_arg;
    must(pthread_mutex_init(&l->mutex, NULL) == 0 && pthread_cond_init(&l->asked, NULL) == 0);
    must(pthread_create(&l->thread, NULL, lookup_main, l) == 0);
    return l;
}

struct lookup *lookup_free(struct lookup *l)
{
    pthread_t thread;
    bool is_busy;

    if (!l)
        return NULL;
    thread = l->thread;
    pthread_mutex_lock(&l->mutex);
    l->is_stopped = true;
    l->is_left = is_busy = l->is_busy;
    pthread_cond_signal(&l->asked);
    pthread_mutex_unlock(&l->mutex);
    if (is_busy) {
        must(pthread_detach(thread) == 0);
        return NULL;
    }
    must(pthread_join(thread, NULL) == 0);
    free_all(l);
    return NULL;
}

static bool is_same(const struct entry *entry, int kind, struct str name)
{
    return entry->state != ENTRY_UNUSED && entry->kind == kind &&
           str_eq(str_of(entry->name), name);
}

/* The entry of the question, or one to replace; NULL: all of the set are waiting. */
static struct entry *find_entry(struct lookup *l, int kind, struct str name)
{
    struct entry *set =
        l->entries[hash_bytes(name.ptr, name.len, (uint64_t)kind) % LOOKUP_SETS];
    struct entry *oldest = NULL;

    for (int i = 0; i < LOOKUP_WAYS; i++) {
        if (is_same(&set[i], kind, name))
            return &set[i];
        if (set[i].state != ENTRY_WAITING && (!oldest || set[i].asked_us < oldest->asked_us))
            oldest = &set[i];
    }
    if (!oldest)
        return NULL;
    *oldest = (struct entry){.state = ENTRY_IDLE, .kind = kind};
    memcpy(oldest->name, name.ptr, name.len);
    return oldest;
}

static void enqueue(struct lookup *l, struct entry *entry, int64_t owner)
{
    if (l->waiting == LOOKUP_QUEUE_MAX)
        return;
    entry->state = ENTRY_WAITING;
    entry->owner = owner;
    l->queue[l->waiting++] = entry;
    pthread_cond_signal(&l->asked);
}

bool lookup_ask(struct lookup *l, int kind, struct str name, int64_t owner,
                struct lookup_answer *ret)
{
    struct entry *entry;
    bool is_known;

    must(kind >= 0 && kind < l->kind_count);
    if (name.len == 0 || name.len > LOOKUP_NAME_MAX || memchr(name.ptr, '\0', name.len))
        return false;
    pthread_mutex_lock(&l->mutex);
    entry = find_entry(l, kind, name);
    is_known = entry && entry->is_known;
    if (is_known)
        *ret = entry->answer;
    if (entry)
        entry->asked_us = clock_boot_us();
    if (entry && entry->state == ENTRY_IDLE && entry->until_us <= entry->asked_us)
        enqueue(l, entry, owner);
    pthread_mutex_unlock(&l->mutex);
    return is_known;
}
