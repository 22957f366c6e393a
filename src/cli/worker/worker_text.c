/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing text buffer with JSON escaping.
 */
#include "cli/worker/worker_text.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/must.h"

enum { ROOM_FIRST = 256 };

void text_add(struct text *text, struct str s)
{
    size_t room = text->room ? text->room : ROOM_FIRST;

    while (room < text->len + s.len)
        room *= 2;
    if (room != text->room) {
        text->ptr = realloc(text->ptr, room);
        must(text->ptr);
        text->room = room;
    }
    if (s.len > 0)
        memcpy(text->ptr + text->len, s.ptr, s.len);
    text->len += s.len;
}

void text_drop(struct text *text, size_t len)
{
    must(len <= text->len);
    text->len -= len;
    if (text->len > 0)
        memmove(text->ptr, text->ptr + len, text->len);
}

void text_clear(struct text *text)
{
    free(text->ptr);
    *text = (struct text){0};
}

/* Appends the first character of `s`, escaped for JSON; returns its number of bytes in `s`. */
static size_t escape(struct str s, struct buf *out)
{
    size_t len = str_utf8_length(s);
    unsigned char c = (unsigned char)s.ptr[0];

    if (len == 0 || c == '\0') {
        buf_text(out, "\xef\xbf\xbd");
        return 1;
    }
    if (c == '"' || c == '\\')
        buf_printf(out, "\\%c", c);
    else if (c == '\n')
        buf_text(out, "\\n");
    else if (c == '\t')
        buf_text(out, "\\t");
    else if (c < ' ')
        buf_printf(out, "\\u%04x", c);
    else
        buf_add(out, s.ptr, len);
    return len;
}

bool text_add_escaped(struct text *text, struct str s, size_t max)
{
    size_t end = text->len + max;

    while (s.len > 0) {
        char room[8];
        struct buf one = BUF(room);
        size_t took = escape(s, &one);

        if (text->len + one.len > end)
            return false;
        text_add(text, buf_as_str(&one));
        s = str_from(s, took);
    }
    return true;
}

bool text_add_json(struct text *text, struct str s, size_t max)
{
    bool is_whole;

    must(max >= 2);
    text_add(text, STR("\""));
    is_whole = text_add_escaped(text, s, max - 2);
    text_add(text, STR("\""));
    return is_whole;
}
