/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bump allocator: many small allocations, one release.
 *
 * arena_new() sets the ceiling.  Reaching the ceiling or running out of memory ends the
 * process, so callers must limit their input first.  An allocation is valid until
 * arena_reset() or arena_free().
 */
#pragma once

#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

struct arena; /* opaque */

struct arena *arena_new(size_t ceiling);
struct arena *arena_free(struct arena *arena); /* accepts NULL, returns NULL */

/* Releases all allocations but keeps blocks, so that a reused arena does not call malloc(). */
void arena_reset(struct arena *arena);

/* Zeroed memory, aligned for any type; never NULL.  A size of 0 gives a valid address. */
void *arena_take(struct arena *arena, size_t size);

/* The same, not zeroed: for memory that the caller overwrites at once. */
void *arena_take_raw(struct arena *arena, size_t size);

/* An array of `count` elements of `size` bytes each; an overflow ends the process. */
void *arena_array(struct arena *arena, size_t count, size_t size);
void *arena_array_raw(struct arena *arena, size_t count, size_t size);

/* A copy of `s` in the arena, with a terminating zero after it. */
struct str arena_str(struct arena *arena, struct str s);

/* An empty buffer of `cap` bytes in the arena. */
struct buf arena_buf(struct arena *arena, size_t cap);

/* Bytes allocated since the last reset. */
size_t arena_used(const struct arena *arena);
