/* SPDX-License-Identifier: Apache-2.0 */
#include "server/frontend/namespace_cache.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/must.h"

enum {
    SLOTS = 4096, /* of names: ten thousand namespaces are many */
    SPACE_ARENA_MAX = 4 << 20,
};

struct spaces {
    struct map *by_id;
    struct space **list;
    int count, cap;
    struct space *slots[SLOTS];
};

struct spaces *spaces_new(void)
{
    struct spaces *spaces = calloc(1, sizeof *spaces);

    must(spaces);
    spaces->by_id = map_new(0);
    return spaces;
}

struct spaces *spaces_free(struct spaces *spaces)
{
    if (!spaces)
        return NULL;
    for (int i = 0; i < spaces->count; i++) {
        arena_free(spaces->list[i]->arena);
        free(spaces->list[i]);
    }
    map_free(spaces->by_id);
    free(spaces->list);
    free(spaces);
    return NULL;
}

static struct space **slot_of(const struct spaces *spaces, struct str name)
{
    size_t slot = (size_t)(hash_bytes(name.ptr, name.len, 0) % SLOTS);

    return (struct space **)&spaces->slots[slot];
}

static struct space *add(struct spaces *spaces, int64_t id)
{
    struct space *space = calloc(1, sizeof *space);

    must(space);
    if (spaces->count == spaces->cap) {
        spaces->cap = spaces->cap == 0 ? 64 : spaces->cap * 2;
        spaces->list = realloc(spaces->list, (size_t)spaces->cap * sizeof *spaces->list);
        must(spaces->list);
    }
    map_put(spaces->by_id, id, spaces->count);
    spaces->list[spaces->count++] = space;
    space->id = id;
    return space;
}

static void unlink_name(struct spaces *spaces, struct space *space)
{
    struct space **link = slot_of(spaces, space->name);

    while (*link != space)
        link = &(*link)->next;
    *link = space->next;
}

enum rc spaces_put(struct spaces *spaces, int64_t id, struct str name, struct str settings,
                   struct err *reterr)
{
    struct space *space = (struct space *)spaces_at(spaces, id);
    struct arena *arena = arena_new(SPACE_ARENA_MAX);
    struct space **slot = slot_of(spaces, name);
    enum rc rc = RC_OK;

    if (!space)
        space = add(spaces, id);
    else
        unlink_name(spaces, space);
    arena_free(space->arena);
    *space = (struct space){
        .id = id, .name = arena_str(arena, name), .arena = arena, .next = *slot};
    *slot = space;
    if (settings.len > 0)
        rc = settings_read(settings, arena, &space->settings, reterr);
    if (rc != RC_OK)
        space->settings = (struct settings){0};
    return rc;
}

const struct space *spaces_find(const struct spaces *spaces, struct str name)
{
    const struct space *space = *slot_of(spaces, name);

    while (space && !str_eq(space->name, name))
        space = space->next;
    return space;
}

const struct space *spaces_at(const struct spaces *spaces, int64_t id)
{
    int32_t at = map_find(spaces->by_id, id);

    return at == MAP_NONE ? NULL : spaces->list[at];
}
