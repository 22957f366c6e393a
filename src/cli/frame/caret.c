/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a text and the carets below its error.
 */
#include "cli/frame/caret.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/must.h"

enum {
    LEAD = 24,     /* columns shown before the error     */
    SHOWN_MAX = 5, /* bytes of "\xNN" and the final zero */
};

static bool is_printable(char c)
{
    return c >= 0x20 && c < 0x7f;
}

static const char *escape_char(char c, char escape[static SHOWN_MAX])
{
    switch (c) {
    case '\n':
        return "\\n";
    case '\r':
        return "\\r";
    case '\t':
        return "\\t";
    default:
        snprintf(escape, SHOWN_MAX, is_printable(c) ? "%c" : "\\x%02x",
                 (unsigned)(unsigned char)c);
        return escape;
    }
}

static size_t width_of(char c)
{
    char escape[SHOWN_MAX];

    return strlen(escape_char(c, escape));
}

/* The first byte to show: 0 if the whole text fits, else shortly before the error. */
static size_t first_shown(struct str text, size_t at)
{
    size_t width = 0, from = at;

    for (size_t i = 0; i < text.len && width <= CARET_WIDTH; i++)
        width += width_of(text.ptr[i]);
    if (width <= CARET_WIDTH)
        return 0;
    for (width = 0; from > 0 && width < LEAD; from--)
        width += width_of(text.ptr[from - 1]);
    return from;
}

void caret_lines(struct str text, size_t at, size_t len, struct buf *out)
{
    char marks[CARET_WIDTH + 8];
    struct buf under = BUF(marks);
    char escape[SHOWN_MAX];
    size_t from, i, width = 0;

    must(at <= text.len);
    if (len > text.len - at)
        len = text.len - at;
    from = first_shown(text, at);
    buf_text(out, from > 0 ? "  ..." : "  ");
    buf_text(&under, from > 0 ? "     " : "  ");
    for (i = from; i < text.len && width + width_of(text.ptr[i]) <= CARET_WIDTH; i++) {
        bool marked = i >= at && (i < at + len || i == at);

        buf_text(out, escape_char(text.ptr[i], escape));
        width += width_of(text.ptr[i]);
        for (size_t w = width_of(text.ptr[i]); w > 0 && (marked || i < at); w--)
            buf_char(&under, marked ? '^' : ' ');
    }
    if (i < text.len)
        buf_text(out, "...");
    if (at == text.len)
        buf_char(&under, '^');
    buf_char(out, '\n');
    buf_str(out, buf_as_str(&under));
    buf_char(out, '\n');
}
