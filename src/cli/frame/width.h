/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The number of terminal columns that a text takes, and which characters must not reach a
 * terminal.
 *
 * Pure and independent of the locale: text is UTF-8, and a byte that is not is shown as \xNN.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

enum { ESCAPE_MAX = 12 }; /* bytes of an escape that replaces a character */

struct glyph {
    size_t bytes;
    uint32_t code;
    bool is_safe; /* does not control the terminal, and does not reorder or break text */
    size_t columns;
};

/* The first character of `s`, which must not be empty. */
struct glyph glyph_at(struct str s);

/* Appends the character itself if it is safe, else \n, \t, \xNN or \uNNNN. */
void safe_glyph(struct str s, const struct glyph *glyph, struct buf *out);

/* Columns of `s` when printed with safe_glyph(). */
size_t width_columns(struct str s);

/* The number of bytes at the start of `s` that fit into `columns`. */
size_t width_fit(struct str s, size_t columns);
