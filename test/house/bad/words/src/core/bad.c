/* SPDX-License-Identifier: Apache-2.0 */
#include "core/bad.h"

#define NOW() time(0) // a macro hides nothing

long bad(struct thing *thing, const char *text)
{
    char copy[9];

    if (thing->time(0) || thing->clock.sleep(1)) /* members are no calls of libc */
        goto out;
    strcpy(copy, text);
    return atoi(text) + (long)malloc(8) + toupper (text[0]);
out:
    return NOW() + uptime(3); /* TODO(someone): "clock()" in a string is fine */
}
