/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The database access of the bare loop: it calls the C library directly, prepares statements
 * once, and has only integers as parameters.  One transaction at a time.
 */
#pragma once

#include <stdint.h>

#include "db/db.h"
#include "store/columns.h"
#include "store/tables.h"
#include "subject.h"

/* Positions in a row: C_id, R_id, H_id and so on; and the numbers of columns. */
#define C_AT(n, column, ...) C_##column = n - 1,
#define R_AT(n, column, ...) R_##column = n - 1,
#define H_AT(n, column, ...) H_##column = n - 1,
enum { CURSOR_COLUMNS(C_AT, C_AT) CURSOR_WIDTH };
enum { RUN_COLUMNS(R_AT, R_AT) RUN_WIDTH };
enum { HISTORY_WRITTEN(H_AT, H_AT) HISTORY_WIDTH };

enum bare_stmt {
    BARE_DUE,
    BARE_START_CURSOR,
    BARE_INSERT_RUN,
    BARE_END_CURSOR,
    BARE_DELETE_RUN,
    BARE_INSERT_HISTORY,
    BARE_COUNT
};

struct bare_sql {
    const char *text;
    int params;
};
extern const struct bare_sql bare_sql[BARE_COUNT];
extern const char bare_insert_cursor[];

/* The row of a schedule that has never fired, in the order of its columns. */
void bare_cursor(const struct load *load, int64_t index, int64_t row[static CURSOR_WIDTH]);

struct bare_driver {
    void (*load)(const struct load *load); /* fills the table of cursors */
    void *(*open)(const char *url);
    void (*begin)(void *db);
    /* `params` of BARE_DUE: floor, now, limit.  Returns the number of cursors in `rows`. */
    int (*due)(void *db, const int64_t *params, int64_t rows[][CURSOR_WIDTH]);
    void (*send)(void *db, enum bare_stmt stmt, const int64_t *params);
    void (*commit)(void *db);
    void (*close)(void *db);
};

extern const struct bare_driver bare_sqlite;
extern const struct bare_driver bare_postgres;
