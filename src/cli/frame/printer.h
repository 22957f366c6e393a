/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffered output, and the forms of text that commands print.
 *
 * A closed pipe ends the output quietly; any other write error is kept and reported once, by
 * printer_close().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

enum { OUT_BYTES = 64 * 1024 }; /* of one write: the capacity of a pipe on Linux */

struct printer {
    int fd;
    int error;    /* errno of the first write that failed */
    bool colours; /* a terminal, and NO_COLOR is not set  */
    size_t len;
    char bytes[OUT_BYTES];
};

/* Colours by meaning; without colours printer_tint() writes nothing. */
enum tint { TINT_NONE, TINT_GOOD, TINT_BAD, TINT_WARN, TINT_FAINT, TINT_STRONG, TINT_END };

void printer_open(struct printer *out, int fd);
void printer_add(struct printer *out, const void *bytes, size_t len);
void printer_str(struct printer *out, struct str s);
void printer_text(struct printer *out, const char *text);
void printer_printf(struct printer *out, const char *fmt, ...) PRINTF(2, 3);

/* Untrusted text: characters that would control a terminal are escaped (cli/frame/width.h). */
void printer_safe(struct printer *out, struct str s);

/* Applies to the text that follows, until TINT_END; TINT_NONE writes nothing. */
void printer_tint(struct printer *out, enum tint tint);

/* Columns of the terminal; 0 when `fd` is not a terminal. */
int printer_width(const struct printer *out);

/* Prints a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void printer_json(struct printer *out, struct str s);

void printer_flush(struct printer *out);

/* True after a failed write: further output would be lost. */
bool printer_has_failed(const struct printer *out);

/* Flushes; returns the command's exit status: 0, or 1 after reporting a failed write. */
int printer_close(struct printer *out);
