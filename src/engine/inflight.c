/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list of calls with two indexes: by the key of the row, and by the hash of the run.
 *
 * There may be very many calls, since followed workflows are calls.  So the list consists of
 * parts that are never moved, and that are freed when they are no longer needed.
 */
#include "engine/inflight.h"

#include "base/map.h"
#include "base/must.h"

enum {
    PART = 256,      /* calls of a part: usually one suffices                      */
    PARTS_MAX = 2048 /* parts: more calls than all lanes and FOLLOWED_MAX allow */
};

struct inflight {
    struct inflight_part {
        struct arena *arena;
        struct inflight_run *list;
    } parts[PARTS_MAX];
    int count, part_count;
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

    inflight->first_deadline = INSTANT_NEVER;
    inflight->by_key = map_new(PART);
    inflight->by_run = map_new(PART);
    return inflight;
}

static struct inflight_run *entry_at(const struct inflight *inflight, int index)
{
    return &inflight->parts[index / PART].list[index % PART];
}

/* Keeps a spare part, so that a changing number of calls seldom allocates. */
static void free_parts(struct inflight *inflight)
{
    while (inflight->part_count > inflight->count / PART + 2)
        arena_free(inflight->parts[--inflight->part_count].arena);
}

void inflight_free(struct inflight *inflight)
{
    for (int i = 0; i < inflight->part_count; i++)
        arena_free(inflight->parts[i].arena);
    map_free(inflight->by_key);
    map_free(inflight->by_run);
}

void inflight_clear(struct inflight *inflight)
{
    inflight->count = 0;
    free_parts(inflight);
    inflight->first_deadline = INSTANT_NEVER;
    map_clear(inflight->by_key);
    map_clear(inflight->by_run);
}

static void index_entry(struct inflight *inflight, int index)
{
    const struct run *run = &entry_at(inflight, index)->run;

    map_put(inflight->by_key, run->id, index);
    map_put(inflight->by_run, hash_of(run), index);
}

void inflight_add(struct inflight *inflight, const struct run *run, instant deadline)
{
    struct inflight_run *entry;

    if (inflight->count == inflight->part_count * PART) {
        struct arena *arena = arena_new(PART * sizeof *entry);

        must(inflight->part_count < PARTS_MAX);
        inflight->parts[inflight->part_count++] = (struct inflight_part){
            arena, arena_array(arena, PART, sizeof *entry)};
    }
    must(run_is_claimed(run->state) && run->node != 0 && run->id != 0);
    must(map_find(inflight->by_key, run->id) == MAP_NONE); /* a run has one call at a time */
    entry = entry_at(inflight, inflight->count);
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
    must(index < inflight->count && entry_at(inflight, index)->run.id == key);
    hash = hash_of(&entry_at(inflight, index)->run);
    if (map_find(inflight->by_run, hash) == index)
        map_remove(inflight->by_run, hash);
    *entry_at(inflight, index) = *entry_at(inflight, --inflight->count);
    if (index < inflight->count)
        index_entry(inflight, index);
    free_parts(inflight);
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
    run = &entry_at(inflight, index)->run;
    return run->schedule == id->schedule && run->slot == slot && run->pass == id->pass
               ? entry_at(inflight, index)
               : NULL;
}

const struct inflight_run *inflight_by_key(const struct inflight *inflight, int64_t key)
{
    int32_t index = map_find(inflight->by_key, key);

    return index == MAP_NONE ? NULL : entry_at(inflight, index);
}

bool inflight_has_overdue(struct inflight *inflight, instant now)
{
    instant first = INSTANT_NEVER;

    if (inflight->first_deadline > now)
        return false;
    for (int i = 0; i < inflight->count; i++)
        if (entry_at(inflight, i)->deadline < first)
            first = entry_at(inflight, i)->deadline;
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
    return entry_at(inflight, index);
}
