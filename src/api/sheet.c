/* SPDX-License-Identifier: Apache-2.0 */
#include "api/sheet.h"

#include <inttypes.h>

#include "base/must.h"
#include "core/text.h"

enum { ESCAPED_MAX = 6 }; /* bytes of one byte in a string: \u001f */

struct sheet sheet_new(struct arena *arena)
{
    return (struct sheet){.arena = arena,
                          .buf = {.ptr = arena_take(arena, OUT_FIRST), .cap = OUT_FIRST}};
}

void sheet_reserve(struct sheet *out, size_t more)
{
    struct buf *buf = &out->buf;
    size_t cap = buf->cap;
    char *ptr;

    if (buf->cap - buf->len > more)
        return;
    while (cap - buf->len <= more)
        cap *= 2;
    must(cap <= (size_t)4 * OUT_BYTES_MAX);
    ptr = arena_take(out->arena, cap);
    memcpy(ptr, buf->ptr, buf->len);
    buf->ptr = ptr;
    buf->cap = cap;
}

void sheet_str(struct sheet *out, struct str text)
{
    sheet_reserve(out, text.len);
    buf_str(&out->buf, text);
}

void sheet_text(struct sheet *out, const char *text)
{
    sheet_str(out, str_of(text));
}

static void escape(struct buf *buf, char c)
{
    static const char hex[] = "0123456789abcdef";

    if (c == '"' || c == '\\') {
        buf_char(buf, '\\');
        buf_char(buf, c);
    } else {
        buf_text(buf, "\\u00");
        buf_char(buf, hex[(unsigned char)c >> 4]);
        buf_char(buf, hex[(unsigned char)c & 15]);
    }
}

void sheet_quoted(struct sheet *out, struct str text)
{
    size_t plain = 0;

    sheet_reserve(out, text.len * ESCAPED_MAX + 2);
    buf_char(&out->buf, '"');
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];

        if (c != '"' && c != '\\' && (unsigned char)c >= 0x20)
            continue;
        buf_add(&out->buf, text.ptr + plain, i - plain);
        escape(&out->buf, c);
        plain = i + 1;
    }
    if (text.len > plain)
        buf_add(&out->buf, text.ptr + plain, text.len - plain);
    buf_char(&out->buf, '"');
}

void sheet_int(struct sheet *out, int64_t n)
{
    sheet_reserve(out, 24);
    buf_printf(&out->buf, "%" PRId64, n);
}

void sheet_instant(struct sheet *out, instant t)
{
    if (t == INSTANT_NONE || t == INSTANT_NEVER) {
        sheet_text(out, "null");
        return;
    }
    sheet_reserve(out, INSTANT_TEXT_MAX + 2);
    buf_char(&out->buf, '"');
    instant_format_ms(t, &out->buf);
    buf_char(&out->buf, '"');
}

void sheet_json(struct sheet *out, json_t *value)
{
    size_t len = json_dumpb(value, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY);

    sheet_reserve(out, len);
    json_print(value, JSON_STYLE_LINE, &out->buf);
    json_decref(value);
}
