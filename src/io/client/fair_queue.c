/* SPDX-License-Identifier: Apache-2.0 */
#include "io/client/fair_queue.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/must.h"

enum {
    NONE = -1,
    LANES_FIRST = 16, /* room to begin with; it doubles */
};

struct lane {
    int64_t key;
    struct lane_item *first, *last; /* those that wait                                     */
    int running;
    bool is_ready;      /* in the ring: something waits, and fewer run than may        */
    int32_t next, prev; /* in the ring; of a free place, `next` is the next free place */
};

struct fair_queue {
    int all, each;
    int waiting, running;
    struct map *places; /* key to place */
    struct lane *list;
    int32_t count;
    int32_t free;          /* first free place */
    int32_t ready, newest; /* the ring's two ends */
};

struct fair_queue *fair_queue_new(int all, int each)
{
    struct fair_queue *lanes = calloc(1, sizeof *lanes);

    must(lanes != NULL && all > 0 && each > 0);
    lanes->all = all;
    lanes->each = each;
    lanes->places = map_new(0);
    lanes->free = lanes->ready = lanes->newest = NONE;
    return lanes;
}

struct fair_queue *fair_queue_free(struct fair_queue *lanes)
{
    if (lanes) {
        map_free(lanes->places);
        free(lanes->list);
        free(lanes);
    }
    return NULL;
}

static void add_places(struct fair_queue *lanes)
{
    int32_t count = lanes->count ? lanes->count * 2 : LANES_FIRST;

    lanes->list = reallocarray(lanes->list, (size_t)count, sizeof *lanes->list);
    must(lanes->list != NULL && count <= MAP_MAX);
    for (int32_t i = count - 1; i >= lanes->count; i--) {
        lanes->list[i].next = lanes->free;
        lanes->free = i;
    }
    lanes->count = count;
}

static int32_t lane_of(struct fair_queue *lanes, int64_t key)
{
    int32_t place = map_find(lanes->places, key);

    if (place != MAP_NONE)
        return place;
    if (lanes->free == NONE)
        add_places(lanes);
    place = lanes->free;
    lanes->free = lanes->list[place].next;
    lanes->list[place] = (struct lane){.key = key, .next = NONE, .prev = NONE};
    map_put(lanes->places, key, place);
    return place;
}

static void leave_ring(struct fair_queue *lanes, int32_t place)
{
    struct lane *lane = &lanes->list[place];

    *(lane->prev == NONE ? &lanes->ready : &lanes->list[lane->prev].next) = lane->next;
    *(lane->next == NONE ? &lanes->newest : &lanes->list[lane->next].prev) = lane->prev;
    lane->is_ready = false;
}

static void enter_ring(struct fair_queue *lanes, int32_t place)
{
    struct lane *lane = &lanes->list[place];

    lane->prev = lanes->newest;
    lane->next = NONE;
    *(lanes->newest == NONE ? &lanes->ready : &lanes->list[lanes->newest].next) = place;
    lanes->newest = place;
    lane->is_ready = true;
}

/* After a change: in the ring or not, and given back when nothing is left in it. */
static void settle(struct fair_queue *lanes, int32_t place)
{
    struct lane *lane = &lanes->list[place];
    bool is_ready = lane->first && lane->running < lanes->each;

    if (lane->is_ready && !is_ready)
        leave_ring(lanes, place);
    else if (!lane->is_ready && is_ready)
        enter_ring(lanes, place);
    if (!lane->first && lane->running == 0) {
        map_remove(lanes->places, lane->key);
        lane->next = lanes->free;
        lanes->free = place;
    }
}

static void take_out(struct fair_queue *lanes, struct lane *lane, struct lane_item *item)
{
    *(item->prev ? &item->prev->next : &lane->first) = item->next;
    *(item->next ? &item->next->prev : &lane->last) = item->prev;
    item->next = item->prev = NULL;
    lanes->waiting--;
}

void fair_queue_add(struct fair_queue *lanes, struct lane_item *item, int64_t key)
{
    int32_t place = lane_of(lanes, key);
    struct lane *lane = &lanes->list[place];

    must(item->state == LANE_OUT);
    *item = (struct lane_item){.prev = lane->last, .lane = place, .state = LANE_WAITING};
    *(lane->last ? &lane->last->next : &lane->first) = item;
    lane->last = item;
    lanes->waiting++;
    settle(lanes, place);
}

struct lane_item *fair_queue_next(struct fair_queue *lanes)
{
    int32_t place = lanes->ready;
    struct lane_item *item;
    struct lane *lane;

    if (place == NONE || lanes->running >= lanes->all)
        return NULL;
    lane = &lanes->list[place];
    item = lane->first;
    take_out(lanes, lane, item);
    item->state = LANE_RUNNING;
    lane->running++;
    lanes->running++;
    leave_ring(lanes, place); /* and to its end: lanes take turns */
    settle(lanes, place);
    return item;
}

void fair_queue_remove(struct fair_queue *lanes, struct lane_item *item)
{
    struct lane *lane;

    if (item->state == LANE_OUT)
        return;
    lane = &lanes->list[item->lane];
    if (item->state == LANE_WAITING) {
        take_out(lanes, lane, item);
    } else {
        lane->running--;
        lanes->running--;
    }
    item->state = LANE_OUT;
    settle(lanes, item->lane);
}

int fair_queue_waiting(const struct fair_queue *lanes)
{
    return lanes->waiting;
}

int fair_queue_running(const struct fair_queue *lanes)
{
    return lanes->running;
}
