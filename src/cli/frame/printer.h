/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Output in large writes, and the few forms of text that commands print.
 *
 * A reader that went away (a closed pipe) ends the output quietly; any other failure is
 * kept and told once, at the end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

enum { OUT_BYTES = 64 * 1024 }; /* one write; a pipe holds as much */

struct printer {
    int fd;
    int error;    /* errno of the first write that failed */
    bool colours; /* a terminal, and nobody asked to do without */
    size_t len;
    char bytes[OUT_BYTES];
};

/* Colours by what they mean; nothing is written where there are none. */
enum tint { TINT_NONE, TINT_GOOD, TINT_BAD, TINT_WARN, TINT_FAINT, TINT_STRONG, TINT_END };

void printer_open(struct printer *out, int fd);
void printer_add(struct printer *out, const void *bytes, size_t len);
void printer_str(struct printer *out, struct str s);
void printer_text(struct printer *out, const char *text);
void printer_printf(struct printer *out, const char *fmt, ...) PRINTF(2, 3);

/* Text of somebody else: what a terminal would obey is shown escaped (cli/frame/width.h). */
void printer_safe(struct printer *out, struct str s);

/* What follows is so, until TINT_END; TINT_NONE is nothing. */
void printer_tint(struct printer *out, enum tint tint);

/* Columns of the terminal that `fd` is; 0 when it is none. */
int printer_width(const struct printer *out);

/* A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void printer_json(struct printer *out, struct str s);

void printer_flush(struct printer *out);

/* True when nobody reads any more: there is no point in going on. */
bool printer_is_closed(const struct printer *out);

/* Flushes; the exit status of the command: 0, or 1 after a failed write, which it tells. */
int printer_close(struct printer *out);
