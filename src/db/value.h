/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters and results of statements.
 *
 * A value does not own its bytes.  The bytes of a result live in the arena that was passed to
 * db_flush() and are followed by a zero.  Reading a value as another type than it has is a bug:
 * the schema decides the types.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/must.h"
#include "base/str.h"

enum db_type { DB_NULL, DB_INT, DB_TEXT, DB_BLOB };

struct db_value {
    enum db_type type;
    union {
        int64_t num;
        struct str bytes; /* DB_TEXT (UTF-8 without NUL) and DB_BLOB */
    };
};

struct db_result {
    int64_t changed; /* rows that were inserted, updated or deleted */
    int rows, columns;
    const struct db_value *values; /* row by row */
};

static inline struct db_value db_null(void)
{
    return (struct db_value){.type = DB_NULL};
}

static inline struct db_value db_int(int64_t num)
{
    return (struct db_value){.type = DB_INT, .num = num};
}

static inline struct db_value db_text(struct str text)
{
    return (struct db_value){.type = DB_TEXT, .bytes = text};
}

static inline struct db_value db_blob(struct str bytes)
{
    return (struct db_value){.type = DB_BLOB, .bytes = bytes};
}

static inline const struct db_value *db_at(const struct db_result *result, int row, int column)
{
    must(row >= 0 && row < result->rows && column >= 0 && column < result->columns);
    return &result->values[(size_t)row * (size_t)result->columns + (size_t)column];
}

static inline int64_t db_int_at(const struct db_result *result, int row, int column)
{
    const struct db_value *value = db_at(result, row, column);

    must(value->type == DB_INT);
    return value->num;
}

static inline struct str db_text_at(const struct db_result *result, int row, int column)
{
    const struct db_value *value = db_at(result, row, column);

    must(value->type == DB_TEXT);
    return value->bytes;
}

static inline struct str db_blob_at(const struct db_result *result, int row, int column)
{
    const struct db_value *value = db_at(result, row, column);

    must(value->type == DB_BLOB);
    return value->bytes;
}
