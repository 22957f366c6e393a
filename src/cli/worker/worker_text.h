/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text that grows, and any bytes as a string of JSON.
 *
 * For the files of the worker.  Whoever adds keeps the bound; out of memory ends the process.
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

/* Forgets the first `len` bytes. */
void text_drop(struct text *text, size_t len);

/* Forgets all, and gives the memory back. */
void text_clear(struct text *text);

/*
 * Adds `s` as the inside of a JSON string, cut at a character so that it has at most `max`
 * bytes.  What is not UTF-8, and the zero byte, become U+FFFD.  False when it was cut.
 */
bool text_add_escaped(struct text *text, struct str s, size_t max);

/* The same with its quotes, which count. */
bool text_add_json(struct text *text, struct str s, size_t max);
