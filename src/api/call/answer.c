/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the JSON text of an answer into a buffer that doubles its size in the arena.
 */
#include "api/call/answer.h"

#include "base/must.h"
#include "core/time/text.h"

enum { ESCAPED_MAX = 6 }; /* bytes that one byte of a string may need: \u001f */

struct answer answer_new(struct arena *arena)
{
    return (struct answer){
        .arena = arena,
        .buf = {.ptr = arena_take_raw(arena, ANSWER_FIRST), .cap = ANSWER_FIRST}};
}

void answer_reserve(struct answer *out, size_t more)
{
    struct buf *buf = &out->buf;
    size_t cap = buf->cap;
    char *ptr;

    if (buf->cap - buf->len > more)
        return;
    while (cap - buf->len <= more)
        cap *= 2;
    must(cap <= (size_t)4 * ANSWER_BYTES_MAX);
    ptr = arena_take_raw(out->arena, cap);
    memcpy(ptr, buf->ptr, buf->len);
    buf->ptr = ptr;
    buf->cap = cap;
}

void answer_str(struct answer *out, struct str text)
{
    answer_reserve(out, text.len);
    buf_str(&out->buf, text);
}

void answer_text(struct answer *out, const char *text)
{
    answer_str(out, str_of(text));
}

static void write_escaped(struct buf *buf, char c)
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

void answer_quoted(struct answer *out, struct str text)
{
    size_t plain = 0;

    answer_reserve(out, text.len * ESCAPED_MAX + 2);
    buf_char(&out->buf, '"');
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];

        if (c != '"' && c != '\\' && (unsigned char)c >= 0x20)
            continue;
        buf_add(&out->buf, text.ptr + plain, i - plain);
        write_escaped(&out->buf, c);
        plain = i + 1;
    }
    if (text.len > plain)
        buf_add(&out->buf, text.ptr + plain, text.len - plain);
    buf_char(&out->buf, '"');
}

/* Invalid UTF-8 becomes U+FFFD; so does a zero byte, which few JSON parsers accept. */
void answer_lossy(struct answer *out, struct str bytes)
{
    if (bytes.len == 0 || (str_is_utf8(bytes) && !memchr(bytes.ptr, '\0', bytes.len))) {
        answer_quoted(out, bytes);
        return;
    }
    answer_reserve(out, bytes.len * ESCAPED_MAX + 2);
    buf_char(&out->buf, '"');
    for (size_t i = 0, n = 0; i<bytes.len; i += n> 0 ? n : 1) {
        char c = bytes.ptr[i];

        n = str_utf8_length(str_from(bytes, i));
        if (n == 0 || c == '\0')
            buf_text(&out->buf, "\xef\xbf\xbd");
        else if (c == '"' || c == '\\' || (unsigned char)c < 0x20)
            write_escaped(&out->buf, c);
        else
            buf_add(&out->buf, bytes.ptr + i, n);
    }
    buf_char(&out->buf, '"');
}

void answer_int(struct answer *out, int64_t n)
{
    answer_reserve(out, 24);
    buf_int(&out->buf, n);
}

void answer_instant(struct answer *out, instant t)
{
    if (t == INSTANT_NONE || t == INSTANT_NEVER) {
        answer_text(out, "null");
        return;
    }
    answer_reserve(out, INSTANT_TEXT_MAX + 2);
    buf_char(&out->buf, '"');
    instant_format_ms(t, &out->buf);
    buf_char(&out->buf, '"');
}

void answer_json(struct answer *out, json_t *value)
{
    size_t len = json_length(value);

    answer_reserve(out, len);
    json_print(value, JSON_STYLE_LINE, &out->buf);
    json_decref(value);
}

static bool ends_with(const struct buf *buf, char c)
{
    return buf->len > 0 && buf->ptr[buf->len - 1] == c;
}

void answer_open(struct answer *out)
{
    answer_text(out, ends_with(&out->buf, '}') ? ",{" : "{");
}

void answer_name(struct answer *out, const char *name)
{
    struct str text = str_of(name);

    answer_reserve(out, text.len + sizeof ",\"\":");
    buf_text(&out->buf, ends_with(&out->buf, '{') ? "\"" : ",\"");
    buf_str(&out->buf, text);
    buf_add(&out->buf, "\":", 2);
}

void answer_put_int(struct answer *out, const char *name, int64_t n)
{
    answer_name(out, name);
    answer_int(out, n);
}

void answer_put_bool(struct answer *out, const char *name, bool is_true)
{
    answer_name(out, name);
    answer_text(out, is_true ? "true" : "false");
}

void answer_put_instant(struct answer *out, const char *name, instant t)
{
    answer_name(out, name);
    answer_instant(out, t);
}

void answer_put_text(struct answer *out, const char *name, struct str text)
{
    answer_name(out, name);
    answer_quoted(out, text);
}

void answer_put_some(struct answer *out, const char *name, struct str text)
{
    answer_name(out, name);
    if (text.len > 0)
        answer_quoted(out, text);
    else
        answer_text(out, "null");
}

void answer_put_word(struct answer *out, const char *name, const char *word)
{
    answer_name(out, name);
    if (word)
        answer_quoted(out, str_of(word));
    else
        answer_text(out, "null");
}
