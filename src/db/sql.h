/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SQL as text: the few words in which the two databases differ, and several statements in
 * one text.  Works on our own constants only, never on what a person wrote; so a mistake is
 * a broken invariant and not an error.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

enum sql_token {
    SQL_INT,    /* {int}: a 64-bit integer                                      */
    SQL_TEXT,   /* {text}: UTF-8, sorted by its bytes                           */
    SQL_BLOB,   /* {blob}: bytes                                                */
    SQL_STRICT, /* {strict}: behind CREATE TABLE (…): columns hold their type   */
    SQL_SKIP,   /* {skip}: behind a SELECT: locks its rows, passes locked ones  */
    SQL_CLOCK,  /* {clock}: the server's time in microseconds, NULL without one */
    SQL_KEYED,  /* {keyed}: as {strict}, for a table that is kept in order of its key */
    SQL_BYTES,  /* {bytes}: how large the database is                           */
    SQL_TOKEN_COUNT
};

/* Appends `sql` with each {token} replaced by its entry in `words`. */
void sql_expand(struct str sql, const char *const words[SQL_TOKEN_COUNT], struct buf *out);

/*
 * Takes the next statement, without blanks around it, off *rest; false when only blanks
 * remain.  Statements end with ';', which therefore may not stand in a literal; comments
 * are not known.
 */
bool sql_next(struct str *rest, struct str *ret);
