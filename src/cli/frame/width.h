/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many columns of a terminal a text takes, and which characters must not reach one.
 *
 * Pure; no locale is asked: text is UTF-8, and a byte that is not is shown as \xNN.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

enum { ESCAPE_MAX = 12 }; /* bytes of what stands for a character that is not shown */

struct glyph {
    size_t bytes;
    uint32_t code;
    bool is_safe; /* no control character, and none that turns the direction of text */
    size_t columns;
};

/* The character that `s`, which is not empty, begins with. */
struct glyph glyph_at(struct str s);

/* As it may be shown: itself, or \n, \t, \xNN, \uNNNN. */
void safe_glyph(struct str s, const struct glyph *glyph, struct buf *out);

/* Columns of `s` when shown so. */
size_t text_columns(struct str s);

/* Bytes at the start of `s` that take at most so many columns. */
size_t text_fit(struct str s, size_t columns);
