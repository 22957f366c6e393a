/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adapts the number of rows of a read to the size of the rows.
 */
#include "api/call/read_size.h"

/* Shrinks fast, because each read that is too large is wasted; grows slowly. */
enum { CUT = 8, GROWTH = 4 };

bool read_size_is_cut(struct read_size *size, struct db *db, enum rc rc)
{
    if (rc == RC_OK) {
        size->rows += size->rows / GROWTH + 1;
        if (size->rows > size->most)
            size->rows = size->most;
    }
    if (rc != RC_LIMIT || size->rows == 1)
        return false;
    size->rows = (size->rows + CUT - 1) / CUT;
    db_rollback(db); /* a failed read ends its transaction */
    db_begin(db);
    return true;
}
