/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lanes in a table with a free list; lanes that may start an item form a second list.
 */
#include "io/client/fair_queue.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/must.h"

enum {
    NONE = -1,
    LANE_ROOM_FIRST = 16, /* initial size; it doubles */
};

struct lane {
    int64_t key;
    struct fair_item *first, *last; /* waiting items */
    int running;
    bool is_ready;      /* an item waits, and the lane is below its limit */
    int32_t next, prev; /* ready lanes; in a free place, `next` is the next free place */
};

struct fair_queue {
    int all, each;
    int waiting, running;
    struct map *places; /* key to place */
    struct lane *list;
    int32_t count;
    int32_t free;                    /* first free place */
    int32_t first_ready, last_ready; /* lanes that may start an item */
};

struct fair_queue *fair_queue_new(int all, int each)
{
    struct fair_queue *queue = calloc(1, sizeof *queue);

    must(queue != NULL && all > 0 && each > 0);
    queue->all = all;
    queue->each = each;
    queue->places = map_new(0);
    queue->free = queue->first_ready = queue->last_ready = NONE;
    return queue;
}

struct fair_queue *fair_queue_free(struct fair_queue *queue)
{
    if (queue) {
        map_free(queue->places);
        free(queue->list);
        free(queue);
    }
    return NULL;
}

static void add_places(struct fair_queue *queue)
{
    int32_t count = queue->count ? queue->count * 2 : LANE_ROOM_FIRST;

    queue->list = reallocarray(queue->list, (size_t)count, sizeof *queue->list);
    must(queue->list != NULL && count <= MAP_MAX);
    for (int32_t i = count - 1; i >= queue->count; i--) {
        queue->list[i].next = queue->free;
        queue->free = i;
    }
    queue->count = count;
}

static int32_t lane_of(struct fair_queue *queue, int64_t key)
{
    int32_t place = map_find(queue->places, key);

    if (place != MAP_NONE)
        return place;
    if (queue->free == NONE)
        add_places(queue);
    place = queue->free;
    queue->free = queue->list[place].next;
    queue->list[place] = (struct lane){.key = key, .next = NONE, .prev = NONE};
    map_put(queue->places, key, place);
    return place;
}

static void remove_ready(struct fair_queue *queue, int32_t place)
{
    struct lane *lane = &queue->list[place];

    *(lane->prev == NONE ? &queue->first_ready : &queue->list[lane->prev].next) = lane->next;
    *(lane->next == NONE ? &queue->last_ready : &queue->list[lane->next].prev) = lane->prev;
    lane->is_ready = false;
}

static void add_ready(struct fair_queue *queue, int32_t place)
{
    struct lane *lane = &queue->list[place];

    lane->prev = queue->last_ready;
    lane->next = NONE;
    *(queue->last_ready == NONE ? &queue->first_ready
                                : &queue->list[queue->last_ready].next) = place;
    queue->last_ready = place;
    lane->is_ready = true;
}

/* After a change: updates the list of ready lanes, and frees the lane when it is empty. */
static void update_lane(struct fair_queue *queue, int32_t place)
{
    struct lane *lane = &queue->list[place];
    bool is_ready = lane->first && lane->running < queue->each;

    if (lane->is_ready && !is_ready)
        remove_ready(queue, place);
    else if (!lane->is_ready && is_ready)
        add_ready(queue, place);
    if (!lane->first && lane->running == 0) {
        map_remove(queue->places, lane->key);
        lane->next = queue->free;
        queue->free = place;
    }
}

static void unlink_item(struct fair_queue *queue, struct lane *lane, struct fair_item *item)
{
    *(item->prev ? &item->prev->next : &lane->first) = item->next;
    *(item->next ? &item->next->prev : &lane->last) = item->prev;
    item->next = item->prev = NULL;
    queue->waiting--;
}

void fair_queue_add(struct fair_queue *queue, struct fair_item *item, int64_t key)
{
    int32_t place = lane_of(queue, key);
    struct lane *lane = &queue->list[place];

    must(item->state == FAIR_OUT);
    *item = (struct fair_item){.prev = lane->last, .lane = place, .state = FAIR_WAITING};
    *(lane->last ? &lane->last->next : &lane->first) = item;
    lane->last = item;
    queue->waiting++;
    update_lane(queue, place);
}

struct fair_item *fair_queue_next(struct fair_queue *queue)
{
    int32_t place = queue->first_ready;
    struct fair_item *item;
    struct lane *lane;

    if (place == NONE || queue->running >= queue->all)
        return NULL;
    lane = &queue->list[place];
    item = lane->first;
    unlink_item(queue, lane, item);
    item->state = FAIR_RUNNING;
    lane->running++;
    queue->running++;
    remove_ready(queue, place); /* update_lane() adds it at the end: lanes take turns */
    update_lane(queue, place);
    return item;
}

void fair_queue_remove(struct fair_queue *queue, struct fair_item *item)
{
    struct lane *lane;

    if (item->state == FAIR_OUT)
        return;
    lane = &queue->list[item->lane];
    if (item->state == FAIR_WAITING) {
        unlink_item(queue, lane, item);
    } else {
        lane->running--;
        queue->running--;
    }
    item->state = FAIR_OUT;
    update_lane(queue, item->lane);
}

int fair_queue_waiting(const struct fair_queue *queue)
{
    return queue->waiting;
}

int fair_queue_running(const struct fair_queue *queue)
{
    return queue->running;
}
