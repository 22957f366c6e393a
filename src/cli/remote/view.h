/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows objects of the API as rows of a table, or one object as lines of name and value.
 */
#pragma once

#include "cli/frame/table.h"
#include "cli/frame/when.h"
#include "cli/remote/remote.h"

enum shape {
    SHAPE_TEXT,   /* unchanged; lists separated by commas, objects as k=v */
    SHAPE_NUMBER, /* right-aligned                                        */
    SHAPE_TIME,   /* in the local zone                                    */
    SHAPE_AWAY,   /* relative to now: "in 5m"                             */
    SHAPE_BOTH,   /* "TIME (in 5m)"                                       */
    SHAPE_STATE,  /* a word that has a colour                             */
    SHAPE_COUNT,  /* the number of items in a list                        */
};

struct field {
    const char *title;
    const char *path; /* for member_at(); NULL: use `show` */
    enum shape shape;
    bool shrinks;
    /* Appends the text, if `path` is NULL. */
    void (*show)(const json_t *object, struct buf *out);
};

struct view {
    const char *list; /* the member of a page that contains the items */
    const char *id;   /* the member that -o name prints; for lists also several: "a b" */
    const struct field *columns;
    int column_count;
    const struct field *lines; /* of one object; NULL: the columns */
    int line_count;
};

#define FIELDS(array) (array), sizeof(array) / sizeof(array)[0]

enum { VIEW_TEXT_MAX = 4096 }; /* bytes shown of a value; -o json prints all */

/* Appends the text of a field; returns its colour. */
enum tint field_text(const struct field *field, const json_t *object, const struct when *when,
                     struct buf *out);

/* Prints the items of an array as a table. */
void view_rows(const struct view *view, const json_t *items, const struct when *when,
               struct printer *out);
/* Prints one object as lines; fields without a value are omitted. */
void view_one(const struct view *view, const json_t *object, const struct when *when,
              struct printer *out);

/* The time zone and current time for printing; opened at the first call. */
const struct when *remote_when(struct remote *remote);
