/* SPDX-License-Identifier: Apache-2.0 */
#include "api/call/read_size.h"

/* Cut at once, grown slowly: most of what is read for nothing is read before the first cut. */
enum { CUT = 8, GROWTH = 4 };

bool read_size_is_cut(struct read_size *portion, struct db *db, enum rc rc)
{
    if (rc == RC_OK) {
        portion->rows += portion->rows / GROWTH + 1;
        if (portion->rows > portion->most)
            portion->rows = portion->most;
    }
    if (rc != RC_LIMIT || portion->rows == 1)
        return false;
    portion->rows = (portion->rows + CUT - 1) / CUT;
    db_rollback(db); /* a reading that has failed is over */
    db_begin(db);
    return true;
}
