/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the document that GET /openapi.json answers.
 */
#include <stdio.h>

#include "api/openapi/openapi.h"

int main(void)
{
    struct arena *arena = arena_new(2 << 20);
    struct openapi openapi = openapi_make("0.0.0", arena);
    size_t written = fwrite(openapi.json.ptr, 1, openapi.json.len, stdout);

    arena_free(arena);
    return written == openapi.json.len ? 0 : 1;
}
