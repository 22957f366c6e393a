/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the slots of schedules that were due with those that have an account, a few
 * schedules at a time: for a running server, which does so again and again.  check_accounts.h
 * has the rules.
 */
#pragma once

#include "base/budget.h"
#include "server/check/check.h"

enum { BALANCE_ROWS_MAX = 100 * 1000 }; /* of one kind and schedule; see `is_compared` */

struct check_balance {
    int64_t key, namespace, version;
    struct str name;
    /*
     * False: its slots depend on its runs, its plan cannot be read, it has too many rows, or
     * the budget is used up.
     */
    bool is_compared;
    instant since;         /* slots after this time were compared, up to the mark */
    int64_t due, recorded; /* slots                                               */
    instant fault_at;      /* INSTANT_NONE: it is balanced    */
    const char *fault;     /* "has no account"                */
};

struct check_balances; /* opaque */

struct check_balances *check_balances_new(void);
struct check_balances *check_balances_free(struct check_balances *balances);

/*
 * The next schedules by key after `after`, at most `limit`, deleted ones included, all in one
 * snapshot.  The results are valid until the next call.  Fewer than `limit`: these were the
 * last.
 */
struct check_balance_query {
    struct db *db;
    struct zone_source zones;
    instant now;
    struct budget *budget; /* of each schedule */
    int64_t after;
    int limit;
};
MUST_USE enum rc check_balances_read(struct check_balances *balances,
                                     const struct check_balance_query *query,
                                     const struct check_balance **ret, int *ret_count,
                                     struct err *reterr);
