/* SPDX-License-Identifier: Apache-2.0 */
#include "api/memo.h"

#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/must.h"

struct entry {
    uint64_t hash;
    enum schedule_part part;
    struct str kept, shown; /* shown is never empty where there is one */
};

struct memo {
    struct entry places[MEMO_PLACES];
    struct arena *own, *texts; /* its own memory, and that of all texts */
};

struct memo *memo_new(void)
{
    struct arena *own = arena_new(2 * sizeof(struct memo));
    struct memo *memo = arena_take(own, sizeof *memo);

    memo->own = own;
    memo->texts = arena_new((size_t)2 * MEMO_BYTES_MAX);
    return memo;
}

struct memo *memo_free(struct memo *memo)
{
    if (memo) {
        arena_free(memo->texts);
        arena_free(memo->own);
    }
    return NULL;
}

void memo_tidy(struct memo *memo)
{
    if (arena_used(memo->texts) + MEMO_TEXT_MAX <= MEMO_BYTES_MAX)
        return;
    memset(memo->places, 0, sizeof memo->places);
    arena_reset(memo->texts);
}

static uint64_t hash_of(enum schedule_part part, struct str kept)
{
    return hash_u64(hash_bytes(kept.ptr, kept.len, (uint64_t)part));
}

bool memo_find(const struct memo *memo, enum schedule_part part, struct str kept,
               struct str *ret)
{
    uint64_t hash = hash_of(part, kept);
    const struct entry *entry = &memo->places[hash % MEMO_PLACES];

    if (entry->hash != hash || entry->part != part || entry->shown.len == 0 ||
        !str_eq(entry->kept, kept))
        return false;
    *ret = entry->shown;
    return true;
}

void memo_put(struct memo *memo, enum schedule_part part, struct str kept, struct str shown)
{
    uint64_t hash = hash_of(part, kept);

    must(shown.len > 0);
    if (kept.len + shown.len > MEMO_TEXT_MAX ||
        arena_used(memo->texts) + MEMO_TEXT_MAX > MEMO_BYTES_MAX)
        return;
    memo->places[hash % MEMO_PLACES] = (struct entry){
        .hash = hash,
        .part = part,
        .kept = arena_str(memo->texts, kept),
        .shown = arena_str(memo->texts, shown),
    };
}
