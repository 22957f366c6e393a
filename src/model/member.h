/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables that map the fields of a JSON object to the members of a struct.
 *
 * One table serves reading and printing, so that the two cannot differ.  The codecs of this
 * folder use it; the table states the rules of single fields, the codec adds rules between
 * fields.  A member keeps its initial value if its field is absent or null.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/instant.h"
#include "base/str.h"
#include "model/spec_json.h"
#include "wire/json/json.h"

enum {
    MEMBERS_MAX = 32,     /* fields of one object; policies have the most */
    MEMBER_WORD_MAX = 32, /* bytes of an enum's word; messages repeat an invalid one in full */
};

/* Parameters of reading. */
struct reading {
    struct arena *arena; /* for all texts */
    bool is_lenient;     /* unknown fields are ignored, not rejected */
    void *to;            /* the struct */
};

enum member_kind {
    MEMBER_BOOL,    /* bool */
    MEMBER_CHOICE,  /* bool, as one of two words */
    MEMBER_WORD,    /* an enum with parse and text functions */
    MEMBER_INT32,   /* int32_t, low .. high */
    MEMBER_INT64,   /* int64_t, low .. high */
    MEMBER_SPAN,    /* span, low .. high */
    MEMBER_INSTANT, /* instant, whole milliseconds */
    MEMBER_TIME,    /* int32_t: seconds of the day */
    MEMBER_DATE,    /* int32_t: day number */
    MEMBER_TEXT,    /* struct str of at most `high` bytes that passes `check` */
    MEMBER_JSON,    /* struct str: any value as JSON of at most `high` bytes */
    MEMBER_MAP,     /* struct str: an object as JSON, likewise; {} is the empty text */
    MEMBER_OBJECT,  /* an object whose fields are members of the same struct */
    MEMBER_LIST,    /* a pointer to at most `high` items of `size` bytes */
    MEMBER_OTHER,   /* handled by the functions `read` and `print`; `size` bytes, or 0 */
};

enum member_show {
    SHOW_FULL,    /* in the full form, or if it differs from the initial value */
    SHOW_CHANGED, /* if it differs from the initial value */
    SHOW_ALWAYS,
};

struct member {
    const char *name;
    enum member_kind kind;
    size_t offset; /* in the struct */
    enum member_show show;
    bool is_required;
    bool or_zero; /* 0 is valid too, though it is below `low` */
    /* Prints null for the value `none`, an empty text, an object with no text at `offset`. */
    bool has_none;
    int64_t none;
    int64_t low, high;
    const char *words[2]; /* MEMBER_CHOICE: for false, for true */
    enum rc (*parse)(struct str word, void *to, struct err *reterr);
    const char *(*text)(const void *from);
    enum rc (*check)(struct str s, struct err *reterr);
    const struct members *members; /* MEMBER_OBJECT */
    /* MEMBER_OBJECT: a text that is its brief form; empty if it has none. */
    struct str (*brief)(const void *from);
    /* MEMBER_LIST: the item, its initial value and size, and the offset of the item count. */
    const struct member *item;
    const void *initial;
    size_t size, count;
    bool or_one; /* a text is read as a list of one item */
    /* NULL: by kind. */
    enum rc (*read)(const json_t *value, const struct reading *r, struct err *reterr);
    json_t *(*print)(const void *from, enum spec_form form); /* NULL: not printed */
};

/* parse_NAME() and NAME_word() of a MEMBER_WORD, for an enum with NAME_parse(), NAME_text(). */
#define WORD_FUNCTIONS(name)                                                   \
    static enum rc parse_##name(struct str word, void *to, struct err *reterr) \
    {                                                                          \
        return name##_parse(word, to, reterr);                                 \
    }                                                                          \
    static const char *name##_word(const void *from)                           \
    {                                                                          \
        return name##_text(*(const enum name *)from);                          \
    }

struct members {
    const struct member *list;
    int count;
};

#define MEMBERS(array)                            \
    {                                             \
        (array), sizeof(array) / sizeof(array)[0] \
    }

/* r->to must have its initial values; it is partly filled if this fails. */
MUST_USE enum rc members_read(const struct members *members, const json_t *value,
                              const struct reading *r, struct err *reterr);
/* Reads one MEMBER_TEXT; absent, null and blank give an empty text, as some dialects need. */
MUST_USE enum rc member_read_text(const struct member *m, const json_t *object,
                                  struct arena *arena, struct str *ret, struct err *reterr);

/* The caller owns the result.  `initial` is a struct with the initial values. */
json_t *members_print(const struct members *members, const void *from, const void *initial,
                      enum spec_form form);

/* Returns the number of items of a MEMBER_LIST. */
int member_items(const struct member *m, const void *from, const char **ret);

/* True only if the member certainly has its initial value; does not build a JSON value. */
bool member_is_initial(const struct member *m, const void *from, const void *initial);

/* The brief form of members_print() on one line: appended to `out`, or in the arena. */
void members_write(const struct members *members, const void *from, const void *initial,
                   struct buf *out);
struct str members_keep(const struct members *members, const void *from, const void *initial,
                        struct arena *arena);

/* JSON on one line in the arena; RC_LIMIT above `max` bytes.  A map {} becomes "". */
MUST_USE enum rc json_keep(const json_t *value, size_t max, struct arena *arena,
                           struct str *ret, struct err *reterr);
MUST_USE enum rc json_keep_map(const json_t *value, size_t max, struct arena *arena,
                               struct str *ret, struct err *reterr);

json_t *json_of_word(const char *word);
json_t *json_of_text(struct str s); /* null if empty */
json_t *json_of_moment(instant t);  /* null for INSTANT_NONE and INSTANT_NEVER */

/* Not empty, no control character: the rule for names. */
MUST_USE enum rc name_check(struct str s, struct err *reterr);

/* The same for names in API paths, where `.` and `..` have another meaning. */
MUST_USE enum rc path_name_check(struct str s, struct err *reterr);

/* A string of at most `max` bytes, copied into the arena. */
MUST_USE enum rc json_take_kept(const json_t *value, int max, struct arena *arena,
                                struct str *ret, struct err *reterr);
