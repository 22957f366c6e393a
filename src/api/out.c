/* SPDX-License-Identifier: Apache-2.0 */
#include "api/out.h"

#include <inttypes.h>

#include "base/must.h"
#include "core/text.h"

enum { ESCAPED_MAX = 6 }; /* bytes of one byte in a string: \u001f */

struct out out_new(struct arena *arena)
{
    return (struct out){.arena = arena,
                        .buf = {.ptr = arena_take(arena, OUT_FIRST), .cap = OUT_FIRST}};
}

void out_reserve(struct out *out, size_t more)
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

void out_str(struct out *out, struct str text)
{
    out_reserve(out, text.len);
    buf_str(&out->buf, text);
}

void out_text(struct out *out, const char *text)
{
    out_str(out, str_of(text));
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

void out_quoted(struct out *out, struct str text)
{
    size_t plain = 0;

    out_reserve(out, text.len * ESCAPED_MAX + 2);
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

/* What is no character becomes U+FFFD; so does a zero, which few readers of JSON take. */
void out_lossy(struct out *out, struct str bytes)
{
    if (bytes.len == 0 || (str_is_utf8(bytes) && !memchr(bytes.ptr, '\0', bytes.len))) {
        out_quoted(out, bytes);
        return;
    }
    out_reserve(out, bytes.len * ESCAPED_MAX + 2);
    buf_char(&out->buf, '"');
    for (size_t i = 0, n = 0; i<bytes.len; i += n> 0 ? n : 1) {
        char c = bytes.ptr[i];

        n = str_utf8_length(str_from(bytes, i));
        if (n == 0 || c == '\0')
            buf_text(&out->buf, "\xef\xbf\xbd");
        else if (c == '"' || c == '\\' || (unsigned char)c < 0x20)
            escape(&out->buf, c);
        else
            buf_add(&out->buf, bytes.ptr + i, n);
    }
    buf_char(&out->buf, '"');
}

void out_int(struct out *out, int64_t n)
{
    out_reserve(out, 24);
    buf_printf(&out->buf, "%" PRId64, n);
}

void out_instant(struct out *out, instant t)
{
    if (t == INSTANT_NONE || t == INSTANT_NEVER) {
        out_text(out, "null");
        return;
    }
    out_reserve(out, INSTANT_TEXT_MAX + 2);
    buf_char(&out->buf, '"');
    instant_format_ms(t, &out->buf);
    buf_char(&out->buf, '"');
}

void out_json(struct out *out, json_t *value)
{
    size_t len = json_dumpb(value, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY);

    out_reserve(out, len);
    json_print(value, JSON_STYLE_LINE, &out->buf);
    json_decref(value);
}
