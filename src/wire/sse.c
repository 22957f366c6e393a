/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints Server-Sent Events.
 */
#include "wire/sse.h"

#include "base/must.h"

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

/* One line of the stream; a line end in the value would begin another field. */
static void print_field(const char *name, struct str value, struct buf *out)
{
    for (size_t i = 0; i < value.len; i++)
        must(!is_line_end(value.ptr[i]) && value.ptr[i] != '\0');
    buf_text(out, name);
    buf_text(out, ": ");
    buf_str(out, value);
    buf_char(out, '\n');
}

/* One data line per line; CR, LF and CRLF all end one, because clients read them so. */
static void print_data(struct str data, struct buf *out)
{
    size_t at = 0;

    for (;;) {
        size_t end = at;

        while (end < data.len && !is_line_end(data.ptr[end]))
            end++;
        buf_text(out, "data: ");
        buf_add(out, data.ptr + at, end - at);
        buf_char(out, '\n');
        if (end == data.len)
            return;
        at = end + 1;
        if (data.ptr[end] == '\r' && at < data.len && data.ptr[at] == '\n')
            at++;
    }
}

bool sse_print(const struct sse_event *event, struct buf *out)
{
    const struct buf before = *out;

    if (event->id.len > 0)
        print_field("id", event->id, out);
    if (event->name.len > 0)
        print_field("event", event->name, out);
    print_data(event->data, out);
    buf_char(out, '\n');
    if (!out->cut)
        return true;
    *out = before;
    if (out->cap > 0)
        out->ptr[out->len] = '\0';
    return false;
}
