/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bump allocator: many small takes, one release.
 *
 * An arena has a ceiling given when it is made; memory comes in blocks, and what is taken is
 * zeroed.  Reaching the ceiling or running out of memory ends the process, so callers bound
 * their input first.  What was taken lives until arena_reset() or arena_free().
 */
#pragma once

#include <stddef.h>

#include "base/str.h"

struct arena; /* opaque */

struct arena *arena_new(size_t ceiling);
struct arena *arena_free(struct arena *arena); /* accepts NULL, returns NULL */

/* Forgets everything taken but keeps blocks, so that a reused arena does not allocate. */
void arena_reset(struct arena *arena);

/* Zeroed memory, aligned for any type; never NULL.  A size of 0 gives a valid address. */
void *arena_take(struct arena *arena, size_t size);

/* The same with whatever was there before, for what is written at once. */
void *arena_room(struct arena *arena, size_t size);

/* An array of `count` things of `size` bytes; checks the product. */
void *arena_array(struct arena *arena, size_t count, size_t size);
void *arena_array_room(struct arena *arena, size_t count, size_t size);

/* A copy of `s` that lives in the arena, with a terminating zero after it. */
struct str arena_str(struct arena *arena, struct str s);

/* Bytes taken since the last reset, for budgets in tests. */
size_t arena_used(const struct arena *arena);
