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

struct out {
    struct arena *arena;
    struct buf buf;
};

struct out out_new(struct arena *arena);

/* Room for `more` bytes in out->buf, whose own functions may then be used. */
void out_reserve(struct out *out, size_t more);

void out_text(struct out *out, const char *text);  /* as it is */
void out_str(struct out *out, struct str text);    /* likewise */
void out_quoted(struct out *out, struct str text); /* a JSON string of UTF-8 */
void out_lossy(struct out *out, struct str bytes); /* the same of any bytes, for people */
void out_int(struct out *out, int64_t n);
void out_instant(struct out *out, instant t);  /* null for INSTANT_NONE and _NEVER */
void out_json(struct out *out, json_t *value); /* takes over the reference */

static inline struct str out_done(const struct out *out)
{
    return buf_as_str(&out->buf);
}
