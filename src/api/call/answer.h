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
#include "wire/json/json.h"

enum {
    ANSWER_FIRST = 1024,         /* bytes: a small answer whole                              */
    ANSWER_BYTES_MAX = 16 << 20, /* of one answer; lists end their page long before          */
};

struct answer {
    struct arena *arena;
    struct buf buf;
};

struct answer answer_new(struct arena *arena);

/* Room for `more` bytes in out->buf, whose own functions may then be used. */
void answer_reserve(struct answer *out, size_t more);

void answer_text(struct answer *out, const char *text);  /* as it is */
void answer_str(struct answer *out, struct str text);    /* likewise */
void answer_quoted(struct answer *out, struct str text); /* a JSON string of UTF-8 */
void answer_lossy(struct answer *out, struct str bytes); /* the same of any bytes, for people */
void answer_int(struct answer *out, int64_t n);
void answer_instant(struct answer *out, instant t);  /* null for INSTANT_NONE and _NEVER */
void answer_json(struct answer *out, json_t *value); /* takes over the reference */

static inline struct str answer_done(const struct answer *out)
{
    return buf_as_str(&out->buf);
}
