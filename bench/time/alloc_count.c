/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces the allocation functions of glibc, counts each call and forwards it.
 * free() is not replaced: it needs no count, and the blocks belong to glibc.
 */
#include "alloc_count.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static int64_t calls;

int64_t alloc_count(void)
{
    return calls;
}

void *malloc(size_t size)
{
    calls++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    calls++;
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    calls++;
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    calls++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **ret, size_t alignment, size_t size)
{
    void *block = __libc_memalign(alignment, size);

    calls++;
    if (block == NULL)
        return ENOMEM;
    *ret = block;
    return 0;
}
