/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/inflight.h"

#include <string.h>

#include "base/map.h"
#include "engine/run_key.h"

enum { FIRST_ROOM = 256 };

struct flights {
    struct arena *arena;
    struct flight *list;
    int count, room;
    struct map *by_key; /* of the run's row, to index */
    struct map *by_run; /* run_key() to index; the later of two equal ones */
};

static int64_t key_of(const struct run *run)
{
    return run_key(run->schedule, run->slot, run->pass);
}

struct flights *flights_new(struct arena *arena)
{
    struct flights *flights = arena_take(arena, sizeof(*flights));

    flights->arena = arena;
    flights->room = FIRST_ROOM;
    flights->list = arena_array(arena, FIRST_ROOM, sizeof(*flights->list));
    flights->by_key = map_new(FIRST_ROOM);
    flights->by_run = map_new(FIRST_ROOM);
    return flights;
}

void flights_free(struct flights *flights)
{
    map_free(flights->by_key);
    map_free(flights->by_run);
}

void flights_clear(struct flights *flights)
{
    flights->count = 0;
    map_clear(flights->by_key);
    map_clear(flights->by_run);
}

static void put(struct flights *flights, int index)
{
    map_put(flights->by_key, flights->list[index].run.id, index);
    map_put(flights->by_run, key_of(&flights->list[index].run), index);
}

void flights_add(struct flights *flights, const struct run *run, instant deadline)
{
    struct flight *flight;

    if (flights->count == flights->room) {
        struct flight *more = arena_array(flights->arena, (size_t)flights->room * 2,
                                          sizeof(*more));

        memcpy(more, flights->list, (size_t)flights->count * sizeof(*more));
        flights->list = more;
        flights->room *= 2;
    }
    flight = &flights->list[flights->count];
    *flight = (struct flight){.run = *run, .deadline = deadline};
    flight->run.lacks_input = run->lacks_input || run->input.len > 0;
    flight->run.worker = flight->run.input = flight->run.progress = (struct str){NULL, 0};
    put(flights, flights->count++);
}

void flights_remove(struct flights *flights, int64_t key)
{
    int32_t index = map_remove(flights->by_key, key);
    int64_t key_of_run;

    if (index == MAP_NONE)
        return;
    key_of_run = key_of(&flights->list[index].run);
    if (map_find(flights->by_run, key_of_run) == index)
        map_remove(flights->by_run, key_of_run);
    flights->list[index] = flights->list[--flights->count];
    if (index < flights->count)
        put(flights, index);
}

const struct flight *flights_find(const struct flights *flights, const struct run_id *id)
{
    instant slot = id->slot_ms * SPAN_MS;
    int32_t index = map_find(flights->by_run, run_key(id->schedule, slot, id->pass));
    const struct run *run;

    if (index == MAP_NONE)
        return NULL;
    run = &flights->list[index].run;
    return run->schedule == id->schedule && run->slot == slot && run->pass == id->pass
               ? &flights->list[index]
               : NULL;
}

const struct flight *flights_by_key(const struct flights *flights, int64_t key)
{
    int32_t index = map_find(flights->by_key, key);

    return index == MAP_NONE ? NULL : &flights->list[index];
}

int flights_count(const struct flights *flights)
{
    return flights->count;
}

const struct flight *flights_at(const struct flights *flights, int index)
{
    return &flights->list[index];
}
