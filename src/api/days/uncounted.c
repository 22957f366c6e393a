/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads rows of history and ledger as the engine counts them.
 */
#include "api/days/uncounted.h"

#include "store/key.h"

/* If an answer is full, everything after its last row is missing. */
static void limit_time(const struct db_result *rows, instant *as_of)
{
    instant last = rows->rows < DAYS_SCAN ? INSTANT_NEVER
                                          : key_time(days_key(rows, rows->rows - 1));

    if (last < *as_of)
        *as_of = last;
}

enum rc uncounted_read(const struct call *call, struct db *db, const struct uncounted *query,
                       instant *ret_as_of, struct err *reterr)
{
    struct db_result history = {0}, ledger = {0};
    struct day_sample samples[DAYS_SUBJECTS];
    enum rc rc;

    days_uncounted(db, query->schedule, &history, &ledger);
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    for (int i = 0; i < history.rows; i++) {
        int count = days_history_read(&history, i, samples);

        for (int j = 0; j < count; j++)
            if (samples[j].subject == query->schedule)
                query->add(query->arg, &samples[j]);
    }
    for (int i = 0; i < ledger.rows; i++)
        for (int j = 0; days_ledger_read(&ledger, i, j, &samples[0]); j++)
            query->add(query->arg, &samples[0]);
    limit_time(&history, ret_as_of);
    limit_time(&ledger, ret_as_of);
    return RC_OK;
}
