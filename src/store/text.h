/* SPDX-License-Identifier: Apache-2.0 */
/* Optional texts: NULL in the tables, an empty str in C. */
#pragma once

#include "db/value.h"

static inline struct db_value text_or_null(struct str text)
{
    return text.len > 0 ? db_text(text) : db_null();
}

static inline struct str text_or_empty(const struct db_result *result, int row, int column)
{
    const struct db_value *value = db_at(result, row, column);

    return value->type == DB_NULL ? (struct str){NULL, 0} : value->bytes;
}
