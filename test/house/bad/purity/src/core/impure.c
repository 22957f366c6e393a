/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <time.h>

#include "base/base.h"

long impure(struct arena *arena, char *text, int n);

static long calls;
static const char *const words[] = {"constant", "pointers", "are", "not", "state"};

long impure(struct arena *arena, char *text, int n)
{
    char *copy = arena_take(arena, 9);

    memset(copy, 0, 9);
    calls += text_write(copy, 9, n);
    log_line(copy);
    n += (int)strcspn(text, words[n % 5]);
    arena = arena_new(9);
    return calls + n + time(NULL);
}
