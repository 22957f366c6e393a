/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON text and jansson's values, and what all codecs share.
 *
 * Reading is strict and bounded: no byte of the text is trusted, and nothing is guessed.  The
 * holder of the reference owns a value (json_auto_t, json_decref()).  Codecs of particular
 * objects do not belong here.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum {
    JSON_BYTES_MAX = 8 << 20,  /* of one text: a schedule with the largest action and memo */
    JSON_DEPTH_MAX = 32,       /* a schedule nests 6 deep; the rest is for users' own input */
    JSON_VALUES_MAX = 1 << 17, /* an empty list has two bytes but takes 100 in memory */
    JSON_FIELDS_MAX = 64,      /* of one shape */
};

/*
 * Allocates values from thread caches (base/thread_cache.h) from now on, in the whole process;
 * call it before there is a second thread.  With sanitizers it does nothing, so that they see
 * each allocation.
 */
void json_use_thread_cache(void);

/*
 * Reads one value, of any type, surrounded only by blanks.  Rejects text that is too long, too
 * deep or not UTF-8, a zero byte or \u0000, a duplicate key in an object, an integer beyond 64
 * bits, a number beyond a double.  reterr->at is the byte; the message has line and column.
 */
MUST_USE enum rc json_read(struct str text, json_t **ret, struct err *reterr);

/* For stored text, which json_read() or json_print() has checked; NULL if it is not JSON. */
json_t *json_of_kept(struct str text);

enum json_style {
    JSON_STYLE_LINE,   /* no blank and no line break: {"a":1,"b":[]} */
    JSON_STYLE_PRETTY, /* indented by two */
};

/* Keys are printed in the order of insertion.  Appends; out->cut is true if it did not fit. */
void json_print(const json_t *value, enum json_style style, struct buf *out);

/* Bytes in JSON_STYLE_LINE. */
size_t json_length(const json_t *value);

/*
 * Reading an object: `read` is called for each field that is present and not null, in the order
 * of the shape.  The field's name is prepended to the path of an error.
 */
struct json_field {
    const char *name;
    enum rc (*read)(const json_t *value, void *to, struct err *reterr);
};

struct json_shape {
    const struct json_field *fields;
    int count;
};

#define JSON_SHAPE(array) ((struct json_shape){(array), sizeof(array) / sizeof(array)[0]})

MUST_USE enum rc json_take_object(const json_t *value, struct json_shape shape, void *to,
                                  struct err *reterr);

/* For codecs that look up fields themselves: rejects an object with other names than these. */
MUST_USE enum rc json_check_names(const json_t *value, const char *const *names, int count,
                                  struct err *reterr);

/* A field that must be present and not null; the error names it. */
MUST_USE enum rc json_require(const json_t *object, const char *name, struct err *reterr);

/* Reads item `i` of a list; [i] is prepended to the path of an error. */
typedef enum rc json_item_fn(const json_t *item, int i, void *to, struct err *reterr);

/* The number of items; RC_LIMIT above `max`. */
MUST_USE enum rc json_take_count(const json_t *value, int max, int *ret, struct err *reterr);
MUST_USE enum rc json_take_items(const json_t *value, json_item_fn *read, void *to,
                                 struct err *reterr);

/* A string of at most `max` bytes, valid as long as the value. */
MUST_USE enum rc json_take_str(const json_t *value, int max, struct str *ret,
                               struct err *reterr);

/* RC_INVALID: "must be WHAT, not a number". */
enum rc json_wrong_type(const json_t *value, const char *what, struct err *reterr);

/* Creating values always succeeds: running out of memory ends the process. */
json_t *json_new_object(void);
json_t *json_new_list(void);
json_t *json_new_str(struct str s); /* must be UTF-8 */
json_t *json_new_int(int64_t n);

/* Takes over the reference to `value`. */
void json_put(json_t *object, const char *key, json_t *value);
void json_add(json_t *list, json_t *value);
