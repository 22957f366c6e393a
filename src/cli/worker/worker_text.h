/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing text buffer that can hold any bytes as a JSON string.
 *
 * For the worker's files.  The caller limits the size; running out of memory ends the process.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct text {
    char *ptr;
    size_t len, room;
};

static inline struct str text_as_str(const struct text *text)
{
    return (struct str){text->ptr ? text->ptr : "", text->len};
}

void text_add(struct text *text, struct str s);

/* Removes the first `len` bytes. */
void text_drop(struct text *text, size_t len);

/* Removes everything and frees the memory. */
void text_clear(struct text *text);

/*
 * Appends `s` escaped for the inside of a JSON string, cut after a character to at most `max`
 * bytes.  Zero bytes and bytes that are not UTF-8 become U+FFFD.  False when it was cut.
 */
bool text_add_escaped(struct text *text, struct str s, size_t max);

/* The same with quotes, which count towards `max`. */
bool text_add_json(struct text *text, struct str s, size_t max);
