/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks up namespaces by id and by name.
 */
#include "server/frontend/namespace_cache.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/must.h"

enum {
    BUCKETS = 4096, /* of names; more than 10,000 namespaces are unusual */
    ENTRY_ARENA_MAX = 4 << 20,
    ATTRIBUTES_ARENA_MAX = 20 << 20, /* an answer of FORWARD_ASK_ANSWER_MAX, unpacked */
};

struct namespace_cache {
    pthread_mutex_t mutex; /* held while the io thread changes it and others read it */
    struct map *by_id;
    struct namespace_entry **list;
    int count, cap;
    int upstreams[UPSTREAM_TYPES]; /* of all namespaces, by type */
    struct namespace_entry *buckets[BUCKETS];
};

struct namespace_cache *namespace_cache_new(void)
{
    struct namespace_cache *namespaces = calloc(1, sizeof *namespaces);

    must(namespaces);
    must(pthread_mutex_init(&namespaces->mutex, NULL) == 0);
    namespaces->by_id = map_new(0);
    return namespaces;
}

struct namespace_cache *namespace_cache_free(struct namespace_cache *namespaces)
{
    if (!namespaces)
        return NULL;
    for (int i = 0; i < namespaces->count; i++) {
        arena_free(namespaces->list[i]->arena);
        arena_free(namespaces->list[i]->attributes_arena);
        free(namespaces->list[i]);
    }
    pthread_mutex_destroy(&namespaces->mutex);
    map_free(namespaces->by_id);
    free(namespaces->list);
    free(namespaces);
    return NULL;
}

void namespace_cache_lock(struct namespace_cache *namespaces)
{
    pthread_mutex_lock(&namespaces->mutex);
}

void namespace_cache_unlock(struct namespace_cache *namespaces)
{
    pthread_mutex_unlock(&namespaces->mutex);
}

static struct namespace_entry **bucket_of(const struct namespace_cache *namespaces,
                                          struct str name)
{
    size_t bucket = (size_t)(hash_bytes(name.ptr, name.len, 0) % BUCKETS);

    return (struct namespace_entry **)&namespaces->buckets[bucket];
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
    struct namespace_entry **link = bucket_of(namespaces, entry->name);

    while (*link != entry)
        link = &(*link)->next;
    *link = entry->next;
}

static void count_upstreams(struct namespace_cache *namespaces,
                            const struct namespace_entry *entry, int sign)
{
    const struct namespace_settings *settings = &entry->settings.plain;

    for (int i = 0; i < settings->upstream_count; i++)
        namespaces->upstreams[settings->upstreams[i].type] += sign;
}

enum rc namespace_cache_put(struct namespace_cache *namespaces, int64_t id, struct str name,
                            struct str settings, struct err *reterr)
{
    struct namespace_entry *entry = (struct namespace_entry *)namespace_cache_at(namespaces,
                                                                                 id);
    struct arena *arena = arena_new(ENTRY_ARENA_MAX);
    struct namespace_entry **bucket = bucket_of(namespaces, name);
    enum rc rc = RC_OK;

    namespace_cache_lock(namespaces);
    if (!entry)
        entry = add(namespaces, id);
    else
        unlink_entry(namespaces, entry);
    count_upstreams(namespaces, entry, -1);
    arena_free(entry->arena);
    arena_free(entry->attributes_arena); /* the upstream may be another one */
    *entry = (struct namespace_entry){
        .id = id, .name = arena_str(arena, name), .arena = arena, .next = *bucket};
    *bucket = entry;
    if (settings.len > 0)
        rc = dispatch_settings_read(settings, arena, &entry->settings, reterr);
    count_upstreams(namespaces, entry, 1);
    if (rc != RC_OK)
        entry->settings = (struct dispatch_settings){0};
    namespace_cache_unlock(namespaces);
    return rc;
}

void namespace_cache_set_attributes(struct namespace_cache *namespaces, int64_t id,
                                    struct str message, int64_t now_us)
{
    struct namespace_entry *entry = (struct namespace_entry *)namespace_cache_at(namespaces,
                                                                                 id);
    struct arena *arena = arena_new(ATTRIBUTES_ARENA_MAX);
    struct search_attributes list;

    if (!entry || !search_attributes_of_answer(message, arena, &list)) {
        arena_free(arena);
        return;
    }
    namespace_cache_lock(namespaces);
    arena_free(entry->attributes_arena);
    entry->attributes_arena = arena;
    entry->attributes = list;
    entry->attributes_at_us = now_us;
    namespace_cache_unlock(namespaces);
}

const struct namespace_entry *namespace_cache_find(const struct namespace_cache *namespaces,
                                                   struct str name)
{
    const struct namespace_entry *entry = *bucket_of(namespaces, name);

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

const struct namespace_entry *namespace_cache_only_upstream(
    const struct namespace_cache *namespaces, enum upstream_type type)
{
    const struct upstream_settings *only = NULL;
    const struct namespace_entry *found = NULL;

    for (int i = 0; i < namespaces->count; i++) {
        const struct namespace_entry *entry = namespaces->list[i];
        const struct upstream_settings *upstream = upstream_of_type(&entry->settings.plain,
                                                                    type);

        if (only && upstream && !str_eq(only->url, upstream->url))
            return NULL;
        if (upstream) {
            only = upstream;
            found = entry;
        }
    }
    return found;
}

bool namespace_cache_has_upstream(const struct namespace_cache *namespaces,
                                  enum upstream_type type)
{
    return namespaces->upstreams[type] > 0;
}
