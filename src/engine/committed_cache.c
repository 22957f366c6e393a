/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three bounded caches.  Runs and queues are found by hash, so their identity is compared, too.
 */
#include "engine/committed_cache.h"

#include <string.h>

#include "base/must.h"
#include "engine/inflight.h"

enum {
    WORKER_KEPT = 64, /* bytes of a worker's name; with a longer one the run is not cached */
    QUEUE_KEPT = 128, /* bytes of a queue's name; likewise                                 */
};

struct committed_run {
    struct run run;
    char worker[WORKER_KEPT];
};

struct committed_queue {
    int64_t namespace, key;
    size_t len;
    char name[QUEUE_KEPT];
};

struct committed_cache committed_new(struct arena *arena, int most)
{
    return (struct committed_cache){
        .runs = bounded_cache_new(arena, sizeof(struct committed_run), most),
        .cursors = bounded_cache_new(arena, sizeof(struct cursor), most),
        .queues = bounded_cache_new(arena, sizeof(struct committed_queue),
                                    COMMITTED_QUEUES_MAX),
    };
}

void committed_free(struct committed_cache *committed)
{
    bounded_cache_free(committed->runs);
    bounded_cache_free(committed->cursors);
    bounded_cache_free(committed->queues);
}

void committed_drop_rows(struct committed_cache *committed)
{
    bounded_cache_clear(committed->runs);
    bounded_cache_clear(committed->cursors);
}

void committed_clear(struct committed_cache *committed)
{
    committed_drop_rows(committed);
    bounded_cache_clear(committed->queues);
}

void committed_drop_run(struct committed_cache *committed, const struct run *run)
{
    bounded_cache_drop(committed->runs, run_hash(run->schedule, run->slot, run->pass));
}

void committed_put_run(struct committed_cache *committed, const struct run *run)
{
    struct committed_run copy = {.run = *run};

    if (!run_is_claimed(run->state) || run->node != 0 || run->worker.len > WORKER_KEPT) {
        committed_drop_run(committed, run);
        return;
    }
    if (run->worker.len > 0)
        memcpy(copy.worker, run->worker.ptr, run->worker.len);
    copy.run.worker.ptr = NULL;
    copy.run.lacks_input = run->lacks_input || run->input.len > 0;
    copy.run.input = copy.run.progress = (struct str){NULL, 0};
    bounded_cache_put(committed->runs, run_hash(run->schedule, run->slot, run->pass), &copy);
}

bool committed_run(const struct committed_cache *committed, const struct run_id *id,
                   struct run *ret)
{
    instant slot = id->slot_ms * SPAN_MS;
    const struct committed_run *found = bounded_cache_find(
        committed->runs, run_hash(id->schedule, slot, id->pass));

    if (!found || found->run.schedule != id->schedule || found->run.slot != slot ||
        found->run.pass != id->pass)
        return false;
    must(run_is_claimed(found->run.state) && found->run.node == 0);
    *ret = found->run;
    ret->worker.ptr = found->worker;
    return true;
}

void committed_put_cursor(struct committed_cache *committed, const struct cursor *cursor)
{
    must(cursor->id != 0 && cursor->open >= 0 && cursor->waiting >= 0);
    bounded_cache_put(committed->cursors, cursor->id, cursor);
}

void committed_drop_cursor(struct committed_cache *committed, int64_t schedule)
{
    bounded_cache_drop(committed->cursors, schedule);
}

const struct cursor *committed_cursor(const struct committed_cache *committed, int64_t schedule)
{
    return bounded_cache_find(committed->cursors, schedule);
}

static int64_t queue_hash(int64_t namespace, struct str name)
{
    return (int64_t)hash_u64(hash_bytes(name.ptr, name.len, (uint64_t) namespace));
}

void committed_put_queue(struct committed_cache *committed, int64_t namespace, struct str name,
                         int64_t key)
{
    struct committed_queue queue = {.namespace = namespace, .key = key, .len = name.len};

    if (name.len == 0 || name.len > QUEUE_KEPT)
        return;
    must(key != 0); /* 0 means not cached */
    memcpy(queue.name, name.ptr, name.len);
    bounded_cache_put(committed->queues, queue_hash(namespace, name), &queue);
}

int64_t committed_queue(const struct committed_cache *committed, int64_t namespace,
                        struct str name)
{
    const struct committed_queue *found = bounded_cache_find(committed->queues,
                                                             queue_hash(namespace, name));

    return found && found->namespace == namespace &&
                   str_eq(name, (struct str){found->name, found->len})
               ? found->key
               : 0;
}
