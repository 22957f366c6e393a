/* SPDX-License-Identifier: Apache-2.0 */
#include "api/schedules/part_cache.h"

#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/must.h"

struct entry {
    uint64_t hash;
    enum schedule_part part;
    struct str kept, shown; /* shown is never empty where there is one */
};

struct looks {
    struct entry places[LOOKS_PLACES];
    struct arena *own, *texts; /* its own memory, and that of all texts */
};

struct looks *looks_new(void)
{
    struct arena *own = arena_new(2 * sizeof(struct looks));
    struct looks *looks = arena_take(own, sizeof *looks);

    looks->own = own;
    looks->texts = arena_new((size_t)2 * LOOKS_BYTES_MAX);
    return looks;
}

struct looks *looks_free(struct looks *looks)
{
    if (looks) {
        arena_free(looks->texts);
        arena_free(looks->own);
    }
    return NULL;
}

void looks_tidy(struct looks *looks)
{
    if (arena_used(looks->texts) + LOOKS_TEXT_MAX <= LOOKS_BYTES_MAX)
        return;
    memset(looks->places, 0, sizeof looks->places);
    arena_reset(looks->texts);
}

static uint64_t hash_of(enum schedule_part part, struct str kept)
{
    return hash_u64(hash_bytes(kept.ptr, kept.len, (uint64_t)part));
}

bool looks_find(const struct looks *looks, enum schedule_part part, struct str kept,
                struct str *ret)
{
    uint64_t hash = hash_of(part, kept);
    const struct entry *entry = &looks->places[hash % LOOKS_PLACES];

    if (entry->hash != hash || entry->part != part || entry->shown.len == 0 ||
        !str_eq(entry->kept, kept))
        return false;
    *ret = entry->shown;
    return true;
}

void looks_put(struct looks *looks, enum schedule_part part, struct str kept, struct str shown)
{
    uint64_t hash = hash_of(part, kept);

    must(shown.len > 0);
    if (kept.len + shown.len > LOOKS_TEXT_MAX ||
        arena_used(looks->texts) + LOOKS_TEXT_MAX > LOOKS_BYTES_MAX)
        return;
    looks->places[hash % LOOKS_PLACES] = (struct entry){
        .hash = hash,
        .part = part,
        .kept = arena_str(looks->texts, kept),
        .shown = arena_str(looks->texts, shown),
    };
}
