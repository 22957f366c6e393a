/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An answer as it is written: JSON text that grows in an arena.
 *
 * For what is written too often for a tree of values.  Whoever writes keeps the commas.
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/instant.h"
#include "wire/json.h"

enum {
    OUT_FIRST = 1024,         /* bytes: a small answer whole                              */
    OUT_BYTES_MAX = 16 << 20, /* of one answer; lists end their page long before          */
};

struct sheet {
    struct arena *arena;
    struct buf buf;
};

struct sheet sheet_new(struct arena *arena);

/* Room for `more` bytes in out->buf, whose own functions may then be used. */
void sheet_reserve(struct sheet *out, size_t more);

void sheet_text(struct sheet *out, const char *text);  /* as it is */
void sheet_str(struct sheet *out, struct str text);    /* likewise */
void sheet_quoted(struct sheet *out, struct str text); /* a JSON string of UTF-8 */
void sheet_int(struct sheet *out, int64_t n);
void sheet_instant(struct sheet *out, instant t);  /* null for INSTANT_NONE and _NEVER */
void sheet_json(struct sheet *out, json_t *value); /* takes over the reference */

static inline struct str sheet_done(const struct sheet *out)
{
    return buf_as_str(&out->buf);
}
