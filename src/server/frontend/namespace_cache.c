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

struct namespace_cache {
    struct map *by_id;
    struct space **list;
    int count, cap;
    struct space *slots[SLOTS];
};

struct namespace_cache *namespace_cache_new(void)
{
    struct namespace_cache *namespaces = calloc(1, sizeof *namespaces);

    must(namespaces);
    namespaces->by_id = map_new(0);
    return namespaces;
}

struct namespace_cache *namespace_cache_free(struct namespace_cache *namespaces)
{
    if (!namespaces)
        return NULL;
    for (int i = 0; i < namespaces->count; i++) {
        arena_free(namespaces->list[i]->arena);
        free(namespaces->list[i]);
    }
    map_free(namespaces->by_id);
    free(namespaces->list);
    free(namespaces);
    return NULL;
}

static struct space **slot_of(const struct namespace_cache *namespaces, struct str name)
{
    size_t slot = (size_t)(hash_bytes(name.ptr, name.len, 0) % SLOTS);

    return (struct space **)&namespaces->slots[slot];
}

static struct space *add(struct namespace_cache *namespaces, int64_t id)
{
    struct space *space = calloc(1, sizeof *space);

    must(space);
    if (namespaces->count == namespaces->cap) {
        namespaces->cap = namespaces->cap == 0 ? 64 : namespaces->cap * 2;
        namespaces->list = realloc(namespaces->list,
                                   (size_t)namespaces->cap * sizeof *namespaces->list);
        must(namespaces->list);
    }
    map_put(namespaces->by_id, id, namespaces->count);
    namespaces->list[namespaces->count++] = space;
    space->id = id;
    return space;
}

static void unlink_name(struct namespace_cache *namespaces, struct space *space)
{
    struct space **link = slot_of(namespaces, space->name);

    while (*link != space)
        link = &(*link)->next;
    *link = space->next;
}

enum rc namespace_cache_put(struct namespace_cache *namespaces, int64_t id, struct str name,
                            struct str settings, struct err *reterr)
{
    struct space *space = (struct space *)namespace_cache_at(namespaces, id);
    struct arena *arena = arena_new(SPACE_ARENA_MAX);
    struct space **slot = slot_of(namespaces, name);
    enum rc rc = RC_OK;

    if (!space)
        space = add(namespaces, id);
    else
        unlink_name(namespaces, space);
    arena_free(space->arena);
    *space = (struct space){
        .id = id, .name = arena_str(arena, name), .arena = arena, .next = *slot};
    *slot = space;
    if (settings.len > 0)
        rc = namespace_settings_read(settings, arena, &space->settings, reterr);
    if (rc != RC_OK)
        space->settings = (struct namespace_settings){0};
    return rc;
}

const struct space *namespace_cache_find(const struct namespace_cache *namespaces,
                                         struct str name)
{
    const struct space *space = *slot_of(namespaces, name);

    while (space && !str_eq(space->name, name))
        space = space->next;
    return space;
}

const struct space *namespace_cache_at(const struct namespace_cache *namespaces, int64_t id)
{
    int32_t at = map_find(namespaces->by_id, id);

    return at == MAP_NONE ? NULL : namespaces->list[at];
}
