/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/committed_cache.h"

#include <string.h>

#include "engine/run_key.h"

enum {
    WORKER_KEPT = 64, /* bytes of a worker's name; a run of one with a longer is read */
    QUEUE_KEPT = 128, /* bytes of a queue's name                                      */
};

struct known_run {
    struct run run;
    char worker[WORKER_KEPT];
};

struct known_queue {
    int64_t namespace, key;
    size_t len;
    char name[QUEUE_KEPT];
};

struct known known_new(struct arena *arena, int most)
{
    return (struct known){
        .runs = recall_new(arena, sizeof(struct known_run), most),
        .cursors = recall_new(arena, sizeof(struct cursor), most),
        .queues = recall_new(arena, sizeof(struct known_queue), KNOWN_QUEUES_MAX),
    };
}

void known_free(struct known *known)
{
    recall_free(known->runs);
    recall_free(known->cursors);
    recall_free(known->queues);
}

void known_doubt(struct known *known)
{
    recall_clear(known->runs);
    recall_clear(known->cursors);
}

void known_clear(struct known *known)
{
    known_doubt(known);
    recall_clear(known->queues);
}

void known_drop_run(struct known *known, const struct run *run)
{
    recall_drop(known->runs, run_key(run->schedule, run->slot, run->pass));
}

void known_put_run(struct known *known, const struct run *run)
{
    struct known_run copy = {.run = *run};

    if (!run_is_claimed(run->state) || run->node != 0 || run->worker.len > WORKER_KEPT) {
        known_drop_run(known, run);
        return;
    }
    if (run->worker.len > 0)
        memcpy(copy.worker, run->worker.ptr, run->worker.len);
    copy.run.worker.ptr = NULL;
    copy.run.lacks_input = run->lacks_input || run->input.len > 0;
    copy.run.input = copy.run.progress = (struct str){NULL, 0};
    recall_put(known->runs, run_key(run->schedule, run->slot, run->pass), &copy);
}

bool known_run(const struct known *known, const struct run_id *id, struct run *ret)
{
    instant slot = id->slot_ms * SPAN_MS;
    const struct known_run *found = recall_find(known->runs,
                                                run_key(id->schedule, slot, id->pass));

    if (!found || found->run.schedule != id->schedule || found->run.slot != slot ||
        found->run.pass != id->pass)
        return false;
    *ret = found->run;
    ret->worker.ptr = found->worker;
    return true;
}

void known_put_cursor(struct known *known, const struct cursor *cursor)
{
    recall_put(known->cursors, cursor->id, cursor);
}

void known_drop_cursor(struct known *known, int64_t schedule)
{
    recall_drop(known->cursors, schedule);
}

const struct cursor *known_cursor(const struct known *known, int64_t schedule)
{
    return recall_find(known->cursors, schedule);
}

static int64_t queue_hash(int64_t namespace, struct str name)
{
    return (int64_t)hash_u64(hash_bytes(name.ptr, name.len, (uint64_t) namespace));
}

void known_put_queue(struct known *known, int64_t namespace, struct str name, int64_t key)
{
    struct known_queue queue = {.namespace = namespace, .key = key, .len = name.len};

    if (name.len == 0 || name.len > QUEUE_KEPT)
        return;
    memcpy(queue.name, name.ptr, name.len);
    recall_put(known->queues, queue_hash(namespace, name), &queue);
}

int64_t known_queue(const struct known *known, int64_t namespace, struct str name)
{
    const struct known_queue *found = recall_find(known->queues, queue_hash(namespace, name));

    return found && found->namespace == namespace &&
                   str_eq(name, (struct str){found->name, found->len})
               ? found->key
               : 0;
}
