/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The growing buffer of io_bytes.h.
 */
#include "io/io_bytes.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"

enum {
    BYTES_SMALL = 512,  /* initial size for little: malloc() is quick then */
    BYTES_FIRST = 4096, /* and for more */
};

void io_bytes_add(struct io_bytes *bytes, struct str more)
{
    size_t first = more.len <= BYTES_SMALL ? BYTES_SMALL : BYTES_FIRST;
    size_t cap = bytes->cap > 0 ? bytes->cap : first;

    if (more.len == 0)
        return;
    must(more.len <= PTRDIFF_MAX / 4 && bytes->len <= PTRDIFF_MAX / 4);
    while (cap < bytes->len + more.len)
        cap *= 2;
    if (cap > bytes->cap) {
        bytes->ptr = realloc(bytes->ptr, cap);
        must(bytes->ptr != NULL);
        bytes->cap = cap;
    }
    memcpy(bytes->ptr + bytes->len, more.ptr, more.len);
    bytes->len += more.len;
}

void io_bytes_free(struct io_bytes *bytes)
{
    free(bytes->ptr);
    *bytes = (struct io_bytes){0};
}
