/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffered output to a descriptor, with colours and escapes.
 */
#include "cli/frame/printer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/frame/width.h"

enum { LINE_MAX_BYTES = 4096 }; /* of one printer_printf(); all callers print bounded text */

void printer_open(struct printer *out, int fd)
{
    const char *no_color = getenv("NO_COLOR");

    out->fd = fd;
    out->error = 0;
    out->len = 0;
    out->colours = isatty(fd) && (!no_color || no_color[0] == '\0');
}

void printer_flush(struct printer *out)
{
    size_t done = 0;

    while (done < out->len && out->error == 0) {
        ssize_t n = write(out->fd, out->bytes + done, out->len - done);

        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            out->error = errno;
    }
    out->len = 0;
}

void printer_add(struct printer *out, const void *bytes, size_t len)
{
    const char *p = bytes;

    while (len > 0) {
        size_t room = OUT_BYTES - out->len, n = len < room ? len : room;

        memcpy(out->bytes + out->len, p, n);
        out->len += n;
        p += n;
        len -= n;
        if (out->len == OUT_BYTES)
            printer_flush(out);
    }
}

void printer_str(struct printer *out, struct str s)
{
    printer_add(out, s.ptr, s.len);
}

void printer_text(struct printer *out, const char *text)
{
    printer_add(out, text, strlen(text));
}

void printer_printf(struct printer *out, const char *fmt, ...)
{
    char line[LINE_MAX_BYTES];
    va_list args;
    int n;

    va_start(args, fmt);
    n = vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    if (n > 0)
        printer_add(out, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

void printer_safe(struct printer *out, struct str s)
{
    while (s.len > 0) {
        struct glyph glyph = glyph_at(s);
        char bytes[ESCAPE_MAX];
        struct buf shown = BUF(bytes);

        safe_glyph(s, &glyph, &shown);
        printer_str(out, buf_as_str(&shown));
        s = str_from(s, glyph.bytes);
    }
}

void printer_tint(struct printer *out, enum tint tint)
{
    static const char *const codes[] = {
        [TINT_NONE] = "",         [TINT_GOOD] = "\033[32m", [TINT_BAD] = "\033[31m",
        [TINT_WARN] = "\033[33m", [TINT_FAINT] = "\033[2m", [TINT_STRONG] = "\033[1m",
        [TINT_END] = "\033[0m",
    };

    if (out->colours)
        printer_text(out, codes[tint]);
}

int printer_width(const struct printer *out)
{
    struct winsize size;

    if (ioctl(out->fd, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}

/* Bytes at the start of `s` that a JSON string can hold unescaped. */
static size_t plain_length(struct str s)
{
    size_t n = 0;

    while (n < s.len && (unsigned char)s.ptr[n] >= 0x20 && (unsigned char)s.ptr[n] < 0x7f &&
           s.ptr[n] != '"' && s.ptr[n] != '\\')
        n++;
    return n;
}

void printer_json(struct printer *out, struct str s)
{
    printer_add(out, "\"", 1);
    while (s.len > 0) {
        size_t n = plain_length(s);

        if (n > 0) {
            printer_add(out, s.ptr, n);
        } else if ((unsigned char)s.ptr[0] < 0x20 || s.ptr[0] == 0x7f) {
            printer_printf(out, "\\u%04x", (unsigned)(unsigned char)s.ptr[0]);
            n = 1;
        } else if (s.ptr[0] == '"' || s.ptr[0] == '\\') {
            printer_add(out, "\\", 1);
            printer_add(out, s.ptr, 1);
            n = 1;
        } else if ((n = str_utf8_length(s)) > 0) {
            printer_add(out, s.ptr, n);
        } else {
            printer_text(out, "\\ufffd");
            n = 1;
        }
        s = str_from(s, n);
    }
    printer_add(out, "\"", 1);
}

bool printer_has_failed(const struct printer *out)
{
    return out->error != 0;
}

int printer_close(struct printer *out)
{
    printer_flush(out);
    if (out->error == 0 || out->error == EPIPE)
        return 0;
    fprintf(stderr, "belfry: cannot write: %s\n", strerror(out->error));
    return 1;
}
