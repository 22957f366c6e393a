/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of keys as parameters of one statement: one statement per key costs PostgreSQL several
 * times as much.  The list comes first, as $1 and so on; unused parameters repeat the last key.
 */
#pragma once

#include "base/must.h"
#include "db/value.h"

#define SQL_KEYS_8(a, b, c, d, e, f, g, h) \
    "$" #a ", $" #b ", $" #c ", $" #d ", $" #e ", $" #f ", $" #g ", $" #h
#define SQL_KEYS_AT_1  SQL_KEYS_8(1, 2, 3, 4, 5, 6, 7, 8)
#define SQL_KEYS_AT_9  SQL_KEYS_8(9, 10, 11, 12, 13, 14, 15, 16)
#define SQL_KEYS_AT_17 SQL_KEYS_8(17, 18, 19, 20, 21, 22, 23, 24)
#define SQL_KEYS_AT_25 SQL_KEYS_8(25, 26, 27, 28, 29, 30, 31, 32)

/* With room for eight further parameters, from $25 on. */
#define SQL_KEYS_24       "(" SQL_KEYS_AT_1 ", " SQL_KEYS_AT_9 ", " SQL_KEYS_AT_17 ")"
#define SQL_KEYS_24_TYPES "iiiiiiiiiiiiiiiiiiiiiiii"

#define SQL_KEYS_32 \
    "(" SQL_KEYS_AT_1 ", " SQL_KEYS_AT_9 ", " SQL_KEYS_AT_17 ", " SQL_KEYS_AT_25 ")"
#define SQL_KEYS_32_TYPES SQL_KEYS_24_TYPES "iiiiiiii"

/* Sets the first `places` parameters. */
static inline void key_list_set(struct db_value *params, int places, const int64_t *keys,
                                int count)
{
    must(count > 0 && count <= places);
    for (int i = 0; i < places; i++)
        params[i] = db_int(keys[i < count ? i : count - 1]);
}
