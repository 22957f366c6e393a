/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many rows one read asks for, where rows may be large: the database hands over so many
 * bytes at a time and no more (DB_BYTES_MAX), whoever asked for them.
 */
#pragma once

#include "db/db.h"

struct read_size {
    int most; /* rows of one read, where they are small */
    int rows; /* of the next one                        */
};

static inline struct read_size read_size_of(int most)
{
    return (struct read_size){most, most};
}

/*
 * After the flush of a read of so many.  True: they were too large together; the next one asks
 * for fewer, of the same place, on a transaction of its own.  False: `rc` stands as it is.
 */
bool read_size_is_cut(struct read_size *portion, struct db *db, enum rc rc);
