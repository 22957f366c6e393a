/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small pieces of memory that come and go together, such as values of JSON.
 *
 * Each thread keeps what was freed there, a little of every size, and takes from that: what
 * malloc() and free() do for every thread alike would be a tenth of what a request costs.
 * Pieces are malloc()'s own: another thread may free them than took them, and so may free().
 */
#pragma once

#include <stddef.h>

void *thread_cache_alloc(size_t bytes); /* as malloc() */
void thread_cache_free(void *piece);    /* as free()   */
