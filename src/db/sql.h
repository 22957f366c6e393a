/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SQL as text: the few words in which the two databases differ, and texts of several
 * statements.  Only for Belfry's own constants, never for user input; a mistake is therefore a
 * broken invariant, not an error.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

enum sql_token {
    SQL_INT,    /* {int}: a 64-bit integer */
    SQL_TEXT,   /* {text}: UTF-8, sorted by its bytes */
    SQL_BLOB,   /* {blob}: bytes */
    SQL_STRICT, /* {strict}: after CREATE TABLE (…): columns enforce their type */
    SQL_SKIP,   /* {skip}: after a SELECT: locks its rows and skips locked ones */
    SQL_CLOCK,  /* {clock}: the server's time in microseconds, NULL without a server */
    SQL_KEYED,  /* {keyed}: as {strict}, for a table stored in key order */
    SQL_BYTES,  /* {bytes}: the size of the database */
    SQL_TOKEN_COUNT
};

/* Appends `sql` with each {token} replaced by its entry in `words`. */
void sql_expand(struct str sql, const char *const words[SQL_TOKEN_COUNT], struct buf *out);

/*
 * Removes the next statement, trimmed, from the front of *rest; false if only blanks remain.
 * Statements end with ';', which must therefore not occur in a literal; comments are not
 * supported.
 */
bool sql_next(struct str *rest, struct str *ret);
