/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text or bytes written into a buffer of fixed size that the caller owns.
 *
 * A write past the end does not fail: it sets `cut`, which the caller checks once after the
 * last write.  `cap` is at least 1; after each write the text ends with a zero.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct buf {
    char *ptr;
    size_t len; /* bytes written, without the terminating zero */
    size_t cap; /* capacity, with the terminating zero         */
    bool cut;   /* some bytes did not fit and were dropped     */
};

#define BUF(array) ((struct buf){.ptr = (array), .len = 0, .cap = sizeof(array), .cut = false})

/* Writes as many bytes as fit; for buf_add() only. */
void buf_add_partial(struct buf *buf, const void *bytes, size_t len);

void buf_int(struct buf *buf, int64_t n);  /* in decimal                */
void buf_hex(struct buf *buf, uint64_t n); /* sixteen lower-case digits */
void buf_printf(struct buf *buf, const char *fmt, ...) PRINTF(2, 3);

/* Inline, so that a literal compiles to a few moves: most writes are field names. */
static inline void buf_add(struct buf *buf, const void *bytes, size_t len)
{
    if (buf->len + len >= buf->cap) {
        buf_add_partial(buf, bytes, len);
        return;
    }
    if (len > 0)
        memcpy(buf->ptr + buf->len, bytes, len);
    buf->len += len;
    buf->ptr[buf->len] = '\0';
}

static inline void buf_str(struct buf *buf, struct str s)
{
    buf_add(buf, s.ptr, s.len);
}

static inline void buf_text(struct buf *buf, const char *text)
{
    buf_add(buf, text, strlen(text));
}

static inline void buf_char(struct buf *buf, char c)
{
    buf_add(buf, &c, 1);
}

/* The lowest `size` bytes of `n` (at most eight), little-endian. */
static inline void buf_le(struct buf *buf, uint64_t n, size_t size)
{
    char raw[8];

    for (int i = 0; i < 8; i++)
        raw[i] = (char)(unsigned char)(n >> 8 * i);
    if (buf->cap - buf->len <= sizeof raw) {
        buf_add(buf, raw, size);
        return;
    }
    memcpy(buf->ptr + buf->len, raw, sizeof raw); /* the next write overwrites the rest */
    buf->len += size;
    buf->ptr[buf->len] = '\0';
}

static inline struct str buf_as_str(const struct buf *buf)
{
    return (struct str){buf->ptr, buf->len};
}

/* The same for a buffer whose size was computed: if a write was cut, the process ends. */
struct str buf_whole(const struct buf *buf);
