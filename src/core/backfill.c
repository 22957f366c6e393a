/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The size of a batch of a backfill.
 */
#include "core/backfill.h"

int backfill_capacity(int limit, int waiting, int free, int reserve, int backfills)
{
    int room = limit / 2 - (waiting > free ? waiting - free : 0) - reserve;

    if (room <= 0)
        return 0;
    return room / (backfills > 1 ? backfills : 1);
}
