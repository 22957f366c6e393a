/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compression with zlib.
 */
#include "io/net/gzip.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/must.h"

enum {
    LEVEL = 1, /* half the time of the default for a fifth more bytes; the loop waits */
    AS_GZIP = 16,
    WINDOW_MAX = 15,
};

struct gzip {
    z_stream z;
};

struct gzip *gzip_new(enum gzip_size size)
{
    struct gzip *gzip = calloc(1, sizeof *gzip);
    int window = size == GZIP_LARGE ? WINDOW_MAX : 12, memory = size == GZIP_LARGE ? 8 : 5;

    must(gzip != NULL);
    must(deflateInit2(&gzip->z, LEVEL, Z_DEFLATED, window + AS_GZIP, memory,
                      Z_DEFAULT_STRATEGY) == Z_OK);
    return gzip;
}

struct gzip *gzip_free(struct gzip *gzip)
{
    if (gzip) {
        deflateEnd(&gzip->z); /* fails if data remains, which does not matter */
        free(gzip);
    }
    return NULL;
}

bool gzip_add(struct gzip *gzip, struct str plain, bool is_last, struct buf *out)
{
    z_stream *z = &gzip->z;
    size_t room = out->cap - out->len;
    bool is_done;
    int rc;

    must(plain.len <= UINT_MAX && room <= UINT_MAX);
    if (plain.len == 0 && !is_last)
        return true; /* zlib treats it as an error */
    z->next_in = (z_const Bytef *)(uintptr_t)plain.ptr;
    z->avail_in = (uInt)plain.len;
    z->next_out = (Bytef *)out->ptr + out->len;
    z->avail_out = (uInt)room;
    rc = deflate(z, is_last ? Z_FINISH : Z_SYNC_FLUSH);
    /* A flush that filled all of the room may have more output. */
    is_done = is_last ? rc == Z_STREAM_END : rc == Z_OK && z->avail_out > 0;
    out->len += room - z->avail_out;
    if (is_last || !is_done)
        must(deflateReset(z) == Z_OK);
    return is_done;
}
