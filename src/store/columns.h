/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One list of a table's columns gives the SQL, the parameters and the reader of its rows.
 *
 * A list is a macro with two macros as parameters: FIRST for its first column, NEXT for the
 * others.  Both do the same, but NEXT writes a comma first.  An entry is a number, the
 * column, its kind, and the member of the struct if that has another name:
 *
 *     #define REQUEST(FIRST, NEXT) FIRST(1, name, TEXT) NEXT(2, print, INT, fingerprint)
 *
 *     SQL_INSERT("t", REQUEST)   "INSERT INTO t (name, print) VALUES ($1, $2)"
 *     SQL_UPDATE("t", REQUEST)   "UPDATE t SET name = $1, print = $2"
 *     SQL_TYPES(REQUEST)         "ti"
 *     ROW_VALUES(REQUEST)        [0] = db_text(from->name), [1] = db_int(from->fingerprint)
 *     ROW_MEMBERS(REQUEST)       .name = db_text_at(result, row, 0),
 *                                .fingerprint = db_int_at(result, row, 1),
 *
 * So entry n is parameter $n, params[n - 1], and column n - 1 of a SELECT of SQL_NAMES().
 *
 * Kinds are INT (an integer, enum or bool), TEXT, OPTIONAL (text; NULL if empty), BLOB, HASH
 * (32 bytes, which the reader copies), BITS for members that share a column (the file packs
 * them with pack_bits(), and its reader unpacks them), and KIND for the kind of a run, the
 * lowest byte of `bits`.
 */
#pragma once

#include "base/sha256.h"
#include "store/text.h"

/* "id, name" */
#define SQL_NAMES(list)               list(SQL_NAME, SQL_NEXT_NAME)
#define SQL_NAME(n, column, ...)      #column
#define SQL_NEXT_NAME(n, column, ...) ", " #column

/* "$1, $2" */
#define SQL_PARAMS(list)       list(SQL_PARAM, SQL_NEXT_PARAM)
#define SQL_PARAM(n, ...)      "$" #n
#define SQL_NEXT_PARAM(n, ...) ", $" #n

/* "id = $1, name = $2" */
#define SQL_SETS(list)               list(SQL_SET, SQL_NEXT_SET)
#define SQL_SET(n, column, ...)      #column " = $" #n
#define SQL_NEXT_SET(n, column, ...) ", " #column " = $" #n

#define SQL_INSERT(table, list) \
    "INSERT INTO " table " (" SQL_NAMES(list) ") VALUES (" SQL_PARAMS(list) ")"
#define SQL_UPDATE(table, list) "UPDATE " table " SET " SQL_SETS(list)

/* "it": struct db_stmt.params */
#define SQL_TYPES(list)          list(SQL_TYPE, SQL_TYPE)
#define SQL_TYPE(n, column, ...) SQL_TYPE_OF(__VA_ARGS__, )
#define SQL_TYPE_OF(kind, ...)   TYPE_##kind
#define TYPE_INT                 "i"
#define TYPE_BITS                "i"
#define TYPE_TEXT                "t"
#define TYPE_OPTIONAL            "t"
#define TYPE_BLOB                "b"
#define TYPE_HASH                "b"

/*
 * The initializers of an array of parameters; `from` points to the struct.  The member is the
 * argument after the kind: `column` comes last, and so is used if the entry names none.
 */
#define ROW_VALUES(list)                    list(ROW_VALUE, NEXT_VALUE)
#define ROW_VALUE(n, column, ...)           ROW_VALUE_OF(n - 1, __VA_ARGS__, column, )
#define NEXT_VALUE(n, column, ...)          , ROW_VALUE_OF(n - 1, __VA_ARGS__, column, )
#define ROW_VALUE_OF(at, kind, member, ...) [at] = VALUE_##kind(from->member)
#define VALUE_INT(value)                    db_int((int64_t)(value))
#define VALUE_BITS(value)                   db_int(pack_bits(from))
#define VALUE_TEXT(value)                   db_text(value)
#define VALUE_OPTIONAL(value)               text_or_null(value)
#define VALUE_BLOB(value)                   db_blob(value)

#define VALUE_HASH(value) db_blob((struct str){(const char *)(value), SHA256_BYTES})

/* The last initializers of the struct at `ret`, from row `row` of `result`. */
#define ROW_MEMBERS(list)                    list(ROW_MEMBER, ROW_MEMBER)
#define ROW_MEMBER(n, column, ...)           ROW_MEMBER_OF(n - 1, __VA_ARGS__, column, )
#define ROW_MEMBER_OF(at, kind, member, ...) READ_##kind(at, member)

#define READ_INT(at, member) .member = (__typeof__(ret->member))db_int_at(result, row, at),
#define READ_KIND(at, member) \
    .member = (__typeof__(ret->member))(db_int_at(result, row, at) & 255),
#define READ_BITS(at, member)
#define READ_HASH(at, member)
#define READ_TEXT(at, member)     .member = db_text_at(result, row, at),
#define READ_OPTIONAL(at, member) .member = text_or_empty(result, row, at),
#define READ_BLOB(at, member)     .member = db_blob_at(result, row, at),

/* Enumerators AT_id, AT_name: positions in a row, from 0. */
#define ROW_POSITIONS(list)          list(ROW_POSITION, ROW_POSITION)
#define ROW_POSITION(n, column, ...) AT_##column = n - 1,

/* The number of columns. */
#define ROW_COUNT(list) (list(ROW_ONE, ROW_ONE))
#define ROW_ONE(n, ...) +1
