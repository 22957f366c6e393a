/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of text in columns that fit a terminal.
 *
 * Cells are copied, and printed with control characters escaped.  If the terminal is too
 * narrow, columns with `shrinks` get narrower, the widest first, down to a minimum; a cell that
 * is cut ends in an ellipsis.  If that is not enough, the last columns are omitted.  A column
 * without any text is always omitted.
 */
#pragma once

#include <stdbool.h>

#include "base/str.h"
#include "cli/frame/printer.h"

enum {
    TABLE_COLUMNS_MAX = 16,
    TABLE_CELL_MAX = 1000, /* bytes kept of a cell; -o json prints all             */
    TABLE_SHRUNK_MIN = 8,  /* minimum width of a column, unless its title is wider */
    TABLE_FIRST_MIN = 24,  /* the same for the first column, which names the row   */
};

struct table_column {
    const char *title;
    bool is_number; /* right-aligned                    */
    bool shrinks;   /* may be made narrower             */
};

struct table; /* opaque */

struct table *table_new(const struct table_column *columns, int count);

/* Accepts NULL, returns NULL. */
struct table *table_free(struct table *table);

/* Adds the next cell, row by row; after the last column the next row begins. */
void table_add(struct table *table, struct str text, enum tint tint);

/* `width` 0: no limit.  Prints nothing when there are no rows. */
void table_print(const struct table *table, struct printer *out, int width);
