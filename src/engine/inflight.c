/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list of calls with two indexes: by the key of the row, and by the hash of the run.
 */
#include "engine/inflight.h"

#include <string.h>

#include "base/map.h"
#include "base/must.h"

enum { ROOM_MIN = 256 };

struct inflight {
    struct arena *arena;
    struct inflight_run *list;
    int count, room;
    instant first_deadline; /* no call has an earlier one */
    struct map *by_key;     /* key of the run's row to index */
    struct map *by_run;     /* run_hash() to index; of two runs with the same hash, the later */
};

static int64_t hash_of(const struct run *run)
{
    return run_hash(run->schedule, run->slot, run->pass);
}

struct inflight *inflight_new(struct arena *arena)
{
    struct inflight *inflight = arena_take(arena, sizeof(*inflight));

    inflight->arena = arena;
    inflight->room = ROOM_MIN;
    inflight->first_deadline = INSTANT_NEVER;
    inflight->list = arena_array(arena, ROOM_MIN, sizeof(*inflight->list));
    inflight->by_key = map_new(ROOM_MIN);
    inflight->by_run = map_new(ROOM_MIN);
    return inflight;
}

void inflight_free(struct inflight *inflight)
{
    map_free(inflight->by_key);
    map_free(inflight->by_run);
}

void inflight_clear(struct inflight *inflight)
{
    inflight->count = 0;
    inflight->first_deadline = INSTANT_NEVER;
    map_clear(inflight->by_key);
    map_clear(inflight->by_run);
}

static void index_entry(struct inflight *inflight, int index)
{
    map_put(inflight->by_key, inflight->list[index].run.id, index);
    map_put(inflight->by_run, hash_of(&inflight->list[index].run), index);
}

void inflight_add(struct inflight *inflight, const struct run *run, instant deadline)
{
    struct inflight_run *entry;

    if (inflight->count == inflight->room) {
        struct inflight_run *more = arena_array(inflight->arena, (size_t)inflight->room * 2,
                                                sizeof(*more));

        memcpy(more, inflight->list, (size_t)inflight->count * sizeof(*more));
        inflight->list = more;
        inflight->room *= 2;
    }
    must(run_is_claimed(run->state) && run->node != 0 && run->id != 0);
    must(map_find(inflight->by_key, run->id) == MAP_NONE); /* a run has one call at a time */
    entry = &inflight->list[inflight->count];
    *entry = (struct inflight_run){.run = *run, .deadline = deadline};
    entry->run.lacks_input = run->lacks_input || run->input.len > 0;
    entry->run.worker = entry->run.input = entry->run.progress = (struct str){NULL, 0};
    index_entry(inflight, inflight->count++);
    if (deadline < inflight->first_deadline)
        inflight->first_deadline = deadline;
}

void inflight_remove(struct inflight *inflight, int64_t key)
{
    int32_t index = map_remove(inflight->by_key, key);
    int64_t hash;

    if (index == MAP_NONE)
        return;
    must(index < inflight->count && inflight->list[index].run.id == key);
    hash = hash_of(&inflight->list[index].run);
    if (map_find(inflight->by_run, hash) == index)
        map_remove(inflight->by_run, hash);
    inflight->list[index] = inflight->list[--inflight->count];
    if (index < inflight->count)
        index_entry(inflight, index);
    must(map_count(inflight->by_key) == (size_t)inflight->count);
}

const struct inflight_run *inflight_find(const struct inflight *inflight,
                                         const struct run_id *id)
{
    instant slot = id->slot_ms * SPAN_MS;
    int32_t index = map_find(inflight->by_run, run_hash(id->schedule, slot, id->pass));
    const struct run *run;

    if (index == MAP_NONE)
        return NULL;
    run = &inflight->list[index].run;
    return run->schedule == id->schedule && run->slot == slot && run->pass == id->pass
               ? &inflight->list[index]
               : NULL;
}

const struct inflight_run *inflight_by_key(const struct inflight *inflight, int64_t key)
{
    int32_t index = map_find(inflight->by_key, key);

    return index == MAP_NONE ? NULL : &inflight->list[index];
}

bool inflight_has_overdue(struct inflight *inflight, instant now)
{
    instant first = INSTANT_NEVER;

    if (inflight->first_deadline > now)
        return false;
    for (int i = 0; i < inflight->count; i++)
        if (inflight->list[i].deadline < first)
            first = inflight->list[i].deadline;
    inflight->first_deadline = first;
    return first <= now;
}

int inflight_count(const struct inflight *inflight)
{
    return inflight->count;
}

const struct inflight_run *inflight_at(const struct inflight *inflight, int index)
{
    must(index >= 0 && index < inflight->count);
    return &inflight->list[index];
}
