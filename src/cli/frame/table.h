/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of text in columns that fit a terminal.
 *
 * Cells are copied, and printed so that a terminal shows them and obeys nothing in them.
 * Where the width is too small, columns that may shrink do, the widest first, down to what
 * their title takes; a cell that is cut ends in an ellipsis.  Where that is not enough, the
 * last columns are left out, and so is always one that has no text at all.
 */
#pragma once

#include <stdbool.h>

#include "base/str.h"
#include "cli/frame/printer.h"

enum {
    TABLE_COLUMNS_MAX = 16,
    TABLE_CELL_MAX = 1000, /* bytes kept of a cell; longer ones are for -o json */
    TABLE_SHRUNK_MIN = 8,  /* columns that a shrunk column keeps                */
    TABLE_FIRST_MIN = 24,  /* the same of the first, which names the row        */
};

struct table_column {
    const char *title;
    bool is_number; /* stands at the right                */
    bool shrinks;   /* may be cut when there is no room   */
};

struct table; /* opaque */

struct table *table_new(const struct table_column *columns, int count);

/* Accepts NULL, returns NULL. */
struct table *table_free(struct table *table);

/* Cells come row by row; after the last column the next row begins. */
void table_add(struct table *table, struct str text, enum tint tint);

int table_rows(const struct table *table);

/* `width` 0: as wide as it gets.  Nothing at all when there are no rows. */
void table_print(const struct table *table, struct printer *out, int width);
