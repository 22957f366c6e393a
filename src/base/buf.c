/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/must.h"

void buf_add(struct buf *buf, const void *bytes, size_t len)
{
    size_t room;

    must(buf->cap > buf->len);
    room = buf->cap - buf->len - 1;
    if (len > room) {
        buf->cut = true;
        len = room;
    }
    if (len > 0)
        memcpy(buf->ptr + buf->len, bytes, len);
    buf->len += len;
    buf->ptr[buf->len] = '\0';
}

void buf_str(struct buf *buf, struct str s)
{
    buf_add(buf, s.ptr, s.len);
}

void buf_int(struct buf *buf, int64_t n)
{
    enum { DIGITS_MAX = 20 }; /* of an int64, with its sign */
    char text[DIGITS_MAX];
    uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    size_t at = DIGITS_MAX;

    do {
        text[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (n < 0)
        text[--at] = '-';
    buf_add(buf, text + at, DIGITS_MAX - at);
}

void buf_hex(struct buf *buf, uint64_t n)
{
    char text[16];

    for (int i = 15; i >= 0; i--, n >>= 4)
        text[i] = "0123456789abcdef"[n & 15];
    buf_add(buf, text, sizeof text);
}

void buf_printf(struct buf *buf, const char *fmt, ...)
{
    va_list args;
    size_t room;
    int n;

    must(buf->cap > buf->len);
    room = buf->cap - buf->len;
    va_start(args, fmt);
    n = vsnprintf(buf->ptr + buf->len, room, fmt, args);
    va_end(args);
    must(n >= 0);
    if ((size_t)n >= room) {
        buf->cut = true;
        buf->len = buf->cap - 1;
    } else {
        buf->len += (size_t)n;
    }
}
