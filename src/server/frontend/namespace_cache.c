/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks up namespaces by id and by name.
 */
#include "server/frontend/namespace_cache.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/must.h"

enum {
    SLOTS = 4096, /* buckets of names; ten thousand namespaces are many */
    SPACE_ARENA_MAX = 4 << 20,
};

struct namespace_cache {
    struct map *by_id;
    struct namespace_entry **list;
    int count, cap;
    struct namespace_entry *slots[SLOTS];
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

static struct namespace_entry **slot_of(const struct namespace_cache *namespaces,
                                        struct str name)
{
    size_t slot = (size_t)(hash_bytes(name.ptr, name.len, 0) % SLOTS);

    return (struct namespace_entry **)&namespaces->slots[slot];
}

static struct namespace_entry *add(struct namespace_cache *namespaces, int64_t id)
{
    struct namespace_entry *entry = calloc(1, sizeof *entry);

    must(entry);
    if (namespaces->count == namespaces->cap) {
        namespaces->cap = namespaces->cap == 0 ? 64 : namespaces->cap * 2;
        namespaces->list = realloc(namespaces->list,
                                   (size_t)namespaces->cap * sizeof *namespaces->list);
        must(namespaces->list);
    }
    map_put(namespaces->by_id, id, namespaces->count);
    namespaces->list[namespaces->count++] = entry;
    entry->id = id;
    return entry;
}

static void unlink_entry(struct namespace_cache *namespaces, struct namespace_entry *entry)
{
    struct namespace_entry **link = slot_of(namespaces, entry->name);

    while (*link != entry)
        link = &(*link)->next;
    *link = entry->next;
}

enum rc namespace_cache_put(struct namespace_cache *namespaces, int64_t id, struct str name,
                            struct str settings, struct err *reterr)
{
    struct namespace_entry *entry = (struct namespace_entry *)namespace_cache_at(namespaces,
                                                                                 id);
    struct arena *arena = arena_new(SPACE_ARENA_MAX);
    struct namespace_entry **slot = slot_of(namespaces, name);
    enum rc rc = RC_OK;

    if (!entry)
        entry = add(namespaces, id);
    else
        unlink_entry(namespaces, entry);
    arena_free(entry->arena);
    *entry = (struct namespace_entry){
        .id = id, .name = arena_str(arena, name), .arena = arena, .next = *slot};
    *slot = entry;
    if (settings.len > 0)
        rc = namespace_settings_read(settings, arena, &entry->settings, reterr);
    if (rc != RC_OK)
        entry->settings = (struct namespace_settings){0};
    return rc;
}

const struct namespace_entry *namespace_cache_find(const struct namespace_cache *namespaces,
                                                   struct str name)
{
    const struct namespace_entry *entry = *slot_of(namespaces, name);

    while (entry && !str_eq(entry->name, name))
        entry = entry->next;
    return entry;
}

const struct namespace_entry *namespace_cache_at(const struct namespace_cache *namespaces,
                                                 int64_t id)
{
    int32_t at = map_find(namespaces->by_id, id);

    return at == MAP_NONE ? NULL : namespaces->list[at];
}
