/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests from options: the row of an option names the query parameter or the member of the
 * body that gets its value, and how the value is read.
 */
#pragma once

#include "base/buf.h"
#include "cli/frame/args.h"
#include "wire/json/json.h"

enum part_kind {
    PART_TEXT,
    PART_NUMBER,
    PART_TIME,    /* read with when_read_here() */
    PART_INSTANT, /* a time with an offset: without one, the zone would be ambiguous */
    PART_JSON,    /* JSON or @FILE */
    PART_TRUE,
    PART_FALSE,
    /* Options that may be repeated. */
    PART_TEXTS,
    PART_TIMES,   /* relative times such as +30m are converted; others are sent unchanged */
    PART_OBJECTS, /* a list of objects {`item`: value}    */
    PART_PAIRS,   /* "KEY=VALUE", each a member of the object; `item` is the separator */
};

struct part {
    const char *path; /* "spec.timezone": objects that are absent are created */
    enum part_kind kind;
    const char *item;
};

#define PART(to, as, each) \
    (&(const struct part){.path = (to), .kind = PART_##as, .item = (each)})
#define AS_TEXT(path)   PART(path, TEXT, NULL)
#define AS_NUMBER(path) PART(path, NUMBER, NULL)
#define AS_TIME(path)   PART(path, TIME, NULL)
#define AS_JSON(path)   PART(path, JSON, NULL)

/* Adds the options to the query; STATUS_USAGE after reporting an invalid value. */
int query_from_options(const struct args *args, struct buf *path);

/* Builds a body from the options; NULL after reporting an invalid value. */
json_t *body_from_options(const struct args *args);

/* Adds the options to a body; false after reporting an invalid value. */
bool body_add_options(const struct args *args, json_t *body);

/* The member object, created if absent; NULL after reporting that it is not an object. */
json_t *body_object(json_t *body, const char *name);

/* Reads a whole file, or standard input for "-"; the caller frees it.  NULL after an error. */
char *read_whole(const char *path, size_t *ret_len);
