/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A per-thread cache of small memory blocks that are freed and allocated often, such as JSON
 * values.
 *
 * Each thread keeps some freed blocks of every size and reuses them: malloc() and free() would
 * be a tenth of the cost of a request.  The blocks come from malloc(), so any thread may free
 * them, with thread_cache_free() or with free().
 */
#pragma once

#include <stddef.h>

void *thread_cache_alloc(size_t size); /* like malloc() */
void thread_cache_free(void *block);   /* like free()   */
