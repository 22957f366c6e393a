/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/known.h"

#include <string.h>

#include "engine/run_key.h"

enum { WORKER_KEPT = 64 }; /* bytes of a worker's name; a run of one with a longer is read */

struct known_run {
    struct run run;
    char worker[WORKER_KEPT];
};

struct known known_new(struct arena *arena, int most)
{
    return (struct known){
        .runs = recall_new(arena, sizeof(struct known_run), most),
        .cursors = recall_new(arena, sizeof(struct cursor), most),
    };
}

void known_free(struct known *known)
{
    recall_free(known->runs);
    recall_free(known->cursors);
}

void known_clear(struct known *known)
{
    recall_clear(known->runs);
    recall_clear(known->cursors);
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
