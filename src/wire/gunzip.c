/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decompression with zlib.
 */
#include "wire/gunzip.h"

#include <limits.h>
#include <zlib.h>

#include "base/must.h"

enum {
    AS_ANY = 32, /* gzip or zlib, by its head */
    WINDOW_MAX = 15,
};

enum gunzip gunzip(struct str packed, struct buf *out)
{
    z_stream z = {.next_in = (z_const Bytef *)(uintptr_t)packed.ptr};
    char beyond; /* one byte more than the room shows that it is too large */
    size_t room = out->cap - out->len;
    bool is_too_large;
    int rc;

    must(packed.len <= UINT_MAX && room <= UINT_MAX);
    must(inflateInit2(&z, WINDOW_MAX + AS_ANY) == Z_OK);
    z.avail_in = (uInt)packed.len;
    z.next_out = (Bytef *)out->ptr + out->len;
    z.avail_out = (uInt)room;
    rc = inflate(&z, Z_FINISH);
    out->len += room - z.avail_out;
    if (rc == Z_BUF_ERROR && z.avail_out == 0) {
        z.next_out = (Bytef *)&beyond;
        z.avail_out = 1;
        rc = inflate(&z, Z_FINISH);
    }
    is_too_large = z.avail_out == 0 && z.next_out == (Bytef *)&beyond + 1;
    inflateEnd(&z);
    if (is_too_large)
        return GUNZIP_TOO_LARGE;
    return rc == Z_STREAM_END && z.avail_in == 0 ? GUNZIP_DONE : GUNZIP_BROKEN;
}
