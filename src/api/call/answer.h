/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A JSON answer, written as text into a buffer that grows in an arena.
 *
 * For answers that are written too often to build a tree of values first.  answer_open(),
 * answer_name() and answer_put_*() write the comma before them; otherwise the caller writes it.
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/instant.h"
#include "wire/json/json.h"

enum {
    ANSWER_FIRST = 1024,         /* bytes: enough for a small answer                     */
    ANSWER_BYTES_MAX = 16 << 20, /* of one answer; lists end their page long before that */
};

struct answer {
    struct arena *arena;
    struct buf buf;
};

struct answer answer_new(struct arena *arena);

/* Makes room for `more` bytes in out->buf, to which the caller may then write directly. */
void answer_reserve(struct answer *out, size_t more);

void answer_text(struct answer *out, const char *text);  /* unchanged */
void answer_str(struct answer *out, struct str text);    /* unchanged */
void answer_quoted(struct answer *out, struct str text); /* a JSON string; text is UTF-8 */
void answer_lossy(struct answer *out, struct str bytes); /* a JSON string of any bytes */
void answer_int(struct answer *out, int64_t n);
void answer_instant(struct answer *out, instant t);  /* null for INSTANT_NONE and _NEVER */
void answer_json(struct answer *out, json_t *value); /* takes over the reference */

/* Begins an object, after a comma if another object precedes it. */
void answer_open(struct answer *out);

/* A member of an object: its name, and its value. */
void answer_name(struct answer *out, const char *name); /* the value follows */
void answer_put_int(struct answer *out, const char *name, int64_t n);
void answer_put_bool(struct answer *out, const char *name, bool is_true);
void answer_put_instant(struct answer *out, const char *name, instant t);
void answer_put_text(struct answer *out, const char *name, struct str text);
void answer_put_some(struct answer *out, const char *name, struct str text);  /* empty: null */
void answer_put_word(struct answer *out, const char *name, const char *word); /* NULL: null */

static inline struct str answer_done(const struct answer *out)
{
    return buf_as_str(&out->buf);
}
