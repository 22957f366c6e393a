/* SPDX-License-Identifier: Apache-2.0 */
/* The heap is behind an arena, which whoever calls the core has made. */
#include <stdlib.h>

#include "base/base.h"

struct arena *arena_new(unsigned long ceiling)
{
    return malloc(ceiling);
}

void *arena_take(struct arena *arena, unsigned long size)
{
    (void)size;
    return arena;
}
