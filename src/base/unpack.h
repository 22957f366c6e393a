/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads packed bytes: little-endian numbers as buf_le() writes them, and texts.
 *
 * A read past the end sets `is_bad`; from then on every read returns zero, so that the caller
 * checks once after the last read.  A caller that finds an invalid value may set it too.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct unpack {
    struct str left;
    bool is_bad;
};

/* The next `len` bytes, not copied. */
static inline struct str unpack_bytes(struct unpack *in, size_t len)
{
    struct str bytes = {in->left.ptr, len};

    if (in->is_bad || in->left.len < len) {
        in->is_bad = true;
        return (struct str){"", 0};
    }
    in->left.ptr += len;
    in->left.len -= len;
    return bytes;
}

/* A number of `size` bytes, at most eight. */
static inline uint64_t unpack_le(struct unpack *in, size_t size)
{
    struct str bytes = unpack_bytes(in, size);
    uint64_t value = 0;

    if (in->is_bad)
        return 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)(unsigned char)bytes.ptr[i] << 8 * i;
    return value;
}
