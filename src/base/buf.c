/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writers of buf.h that are not inline: numbers, printf, and writes that do not fit.
 */
#include "base/buf.h"

#include <endian.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/must.h"

void buf_add_partial(struct buf *buf, const void *bytes, size_t len)
{
    size_t room;

    must(buf->cap > buf->len);
    room = buf->cap - buf->len - 1;
    if (len > room) {
        buf->cut = true;
        len = str_head((struct str){bytes, len}, room).len;
    }
    if (len > 0)
        memcpy(buf->ptr + buf->len, bytes, len);
    buf->len += len;
    buf->ptr[buf->len] = '\0';
}

void buf_int(struct buf *buf, int64_t n)
{
    enum { DIGITS_MAX = 20 }; /* of an int64, with its sign */
    char text[DIGITS_MAX];
    uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    size_t at = DIGITS_MAX;

    if (left < 10 && n >= 0) {
        buf_char(buf, (char)('0' + left));
        return;
    }
    do {
        text[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (n < 0)
        text[--at] = '-';
    buf_add(buf, text + at, DIGITS_MAX - at);
}

/* Eight digits at once: spreads them over the bytes of a word, then adds '0' or 'a' - 10. */
static void put_hex(char text[static 8], uint32_t n)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t x = n;

    x = (x | x << 16) & UINT64_C(0x0000ffff0000ffff);
    x = (x | x << 8) & UINT64_C(0x00ff00ff00ff00ff);
    x = (x | x << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    x += '0' * ones + ((x + 6 * ones) >> 4 & ones) * ('a' - '0' - 10);
    x = htobe64(x);
    memcpy(text, &x, sizeof x);
}

void buf_hex(struct buf *buf, uint64_t n)
{
    char text[16];

    put_hex(text, (uint32_t)(n >> 32));
    put_hex(text + 8, (uint32_t)n);
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
        buf->len += str_whole((struct str){buf->ptr + buf->len, room - 1}).len;
        buf->ptr[buf->len] = '\0';
    } else {
        buf->len += (size_t)n;
    }
}

struct str buf_whole(const struct buf *buf)
{
    must(!buf->cut);
    return buf_as_str(buf);
}
