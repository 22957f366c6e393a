/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assertions about rows and columns, and large values.
 *
 * Columns are read by name, so that a reader and a writer that confuse the same two columns are
 * caught.
 */
#pragma once

#include "store.h"

enum { BIG_BYTES = 3 << 18 }; /* fills many pages */

/* One column of the only row of a table. */
static inline struct db_value column(struct fixture *f, const char *table, const char *name)
{
    char sql[ASK_MAX];
    struct db_result got;

    snprintf(sql, sizeof sql, "SELECT %s FROM %s", name, table);
    got = ask(f, f->db, sql);
    assert_int_equal(got.rows, 1);
    return *db_at(&got, 0, 0);
}

static inline void assert_int_column(struct fixture *f, const char *table, const char *name,
                                     int64_t expected)
{
    struct db_value got = column(f, table, name);

    if (got.type != DB_INT || got.num != expected)
        fail_msg("%s.%s is %lld, not %lld", table, name, (long long)got.num,
                 (long long)expected);
}

/* Empty means NULL where the column may be NULL. */
static inline void assert_text_column(struct fixture *f, const char *table, const char *name,
                                      struct str expected)
{
    struct db_value got = column(f, table, name);
    struct str bytes = got.type == DB_NULL ? (struct str){NULL, 0} : got.bytes;

    if (got.type == DB_INT || !str_eq(bytes, expected))
        fail_msg("%s.%s is not as it was written", table, name);
}

/* The first column of all rows, as "3 1 2". */
static inline void assert_ids(const struct db_result *result, const char *expected)
{
    char text[1024];
    struct buf out = BUF(text);

    buf_text(&out, "");
    for (int i = 0; i < result->rows; i++)
        buf_printf(&out, "%s%lld", i > 0 ? " " : "", (long long)db_int_at(result, i, 0));
    assert_string_equal(text, expected);
}

#define assert_str_equal(a, b) assert_true(str_eq(a, b))

/* A text larger than a page, of characters of three bytes. */
static inline struct str big_text(struct fixture *f)
{
    char *text = arena_take(f->arena, BIG_BYTES);

    for (int i = 0; i < BIG_BYTES; i++)
        text[i] = "\xE2\x82\xAC"[i % 3];
    return (struct str){text, BIG_BYTES};
}

/* Every byte value, many times, including zeros. */
static inline struct str big_blob(struct fixture *f)
{
    char *bytes = arena_take(f->arena, BIG_BYTES);

    for (int i = 0; i < BIG_BYTES; i++)
        bytes[i] = (char)(unsigned char)(i % 256);
    return (struct str){bytes, BIG_BYTES};
}
