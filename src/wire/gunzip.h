/* SPDX-License-Identifier: Apache-2.0 */
/* Decompresses gzip (RFC 1952) and zlib (RFC 1950). */
#pragma once

#include "base/buf.h"
#include "base/str.h"

enum gunzip {
    GUNZIP_DONE,
    GUNZIP_BROKEN,    /* not gzip or zlib, incomplete, or followed by other bytes */
    GUNZIP_TOO_LARGE, /* it does not fit */
};

/* Appends the decompressed bytes; the room in `out` is the limit. */
MUST_USE enum gunzip gunzip(struct str packed, struct buf *out);
