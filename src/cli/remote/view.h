/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects of the API as rows of a table, and one of them as lines of name and value.
 */
#pragma once

#include "cli/frame/table.h"
#include "cli/frame/when.h"
#include "cli/remote/remote.h"

enum shape {
    SHAPE_TEXT,   /* as it is; lists of texts apart by commas; objects as k=v */
    SHAPE_NUMBER, /* at the right                                             */
    SHAPE_TIME,   /* on the clock of the place                                */
    SHAPE_AWAY,   /* how far away                                             */
    SHAPE_BOTH,   /* "… (in 5m)"                                              */
    SHAPE_STATE,  /* a word whose meaning has a colour                        */
    SHAPE_COUNT,  /* how many items a list has                                */
};

struct field {
    const char *title;
    const char *path; /* of member_at(); NULL: `show` looks for itself */
    enum shape shape;
    bool shrinks;
    /* Instead of a shape: appends the text of the object. */
    void (*show)(const json_t *object, struct buf *out);
};

struct view {
    const char *list; /* the member of a page that holds the items */
    const char *id;   /* the member that -o name prints            */
    const struct field *columns;
    int column_count;
    const struct field *lines; /* of one object; NULL: the columns */
    int line_count;
};

#define FIELDS(array) (array), sizeof(array) / sizeof(array)[0]

enum { VIEW_TEXT_MAX = 4096 }; /* bytes shown of a value; all of it is in -o json */

/* The text of a field; its colour. */
enum tint field_text(const struct field *field, const json_t *object, const struct when *when,
                     struct buf *out);

/* Items of an array. */
void view_rows(const struct view *view, const json_t *items, const struct when *when,
               struct printer *out);
/* One object; fields without a value are left out. */
void view_one(const struct view *view, const json_t *object, const struct when *when,
              struct printer *out);

/* Its times. */
const struct when *remote_when(struct remote *remote);
