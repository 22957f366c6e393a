/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The number of rows of one read where rows may be large: the database layer limits the bytes
 * of one flush (DB_BYTES_MAX).
 */
#pragma once

#include "db/db.h"

struct read_size {
    int most; /* rows of one read if they are small */
    int rows; /* rows of the next read              */
};

static inline struct read_size read_size_of(int most)
{
    return (struct read_size){most, most};
}

/*
 * Called with the result of the flush.  True: the rows were too large together.  This has set a
 * smaller `rows` and begun a new transaction; the caller reads again from the same position.
 * False: `rc` is the result of the read.
 */
bool read_size_is_cut(struct read_size *size, struct db *db, enum rc rc);
