/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares slots with accounts, in the same way as `belfry check`.
 */
#include "server/check/check_balance.h"

#include <stdlib.h>

#include "base/must.h"
#include "core/spec/spec_pack.h"
#include "server/check/check_accounts.h"

enum {
    ARENA_MAX = 512 << 20, /* schedules with their documents       */
    PAGE_MAX = 64 << 20,   /* DB_BYTES_MAX and the overhead of a page */
};

struct check_balances {
    struct arena *arena, *page;
    struct check_accounts accounts; /* of one schedule after the other */
};

struct check_balances *check_balances_new(void)
{
    struct check_balances *balances = calloc(1, sizeof *balances);

    must(balances);
    balances->arena = arena_new(ARENA_MAX);
    balances->page = arena_new(PAGE_MAX);
    return balances;
}

struct check_balances *check_balances_free(struct check_balances *balances)
{
    if (!balances)
        return NULL;
    check_accounts_free(&balances->accounts);
    arena_free(balances->arena);
    arena_free(balances->page);
    free(balances);
    return NULL;
}

/* Invalid rows of the ledger are for `belfry check`. */
static void ignore_finding(void *arg, const struct check_finding *finding)
{
    (void)arg;
    (void)finding;
}

static bool is_after(const struct check_account *account, instant from)
{
    return account->first > from;
}

/* Where slots may have no account, those that have one are taken as due. */
static void count_slots(const struct check_comparison *c, struct check_balance *ret)
{
    const struct check_case *of = &c->of;
    struct spec_ctx grid = plan_grid_ctx(of->ctx);

    for (int i = 0; i < of->count; i++)
        if (is_after(&of->accounts[i], of->from))
            ret->recorded += of->accounts[i].count;
    ret->due = ret->recorded;
    if (!c->is_right && !of->allows_gaps)
        ret->due = spec_count(&of->plan->spec, of->plan->is_governed ? &grid : of->ctx,
                              of->from, of->cursor->mark);
}

static enum rc compare_schedule(struct check *check, struct check_accounts *accounts,
                                struct check_balance *ret, struct err *reterr)
{
    const struct schedule_row *row = &accounts->view->row;
    struct check_comparison c;
    struct plan plan;
    struct err err;
    enum rc rc;

    if (row->deleted_at != 0 || accounts->view->cursor.version != row->version ||
        plan_unpack(row->packed, check->arena, &plan, &err) != RC_OK ||
        spec_bind(&plan.spec, &check->options->zones, &err) != RC_OK)
        return RC_OK;
    rc = check_accounts_read(check, accounts, reterr);
    if (rc == RC_OK)
        rc = check_accounts_compare(check, accounts, &plan, &c, reterr);
    if (rc != RC_OK || c.of.from == INSTANT_NEVER)
        return rc;
    ret->since = c.of.from;
    count_slots(&c, ret);
    if (!c.is_right) {
        ret->fault_at = c.fault.slot;
        ret->fault = c.fault.text;
    }
    ret->is_compared = !check->budget->is_over;
    return RC_OK;
}

static enum rc compare_rows(struct check *check, struct check_accounts *accounts,
                            const struct db_result *rows, struct check_balance *list,
                            struct err *reterr)
{
    const struct budget budget = *check->budget;
    enum rc rc = RC_OK;

    for (int i = 0; rc == RC_OK && i < rows->rows; i++) {
        struct schedule_view view;

        schedule_views_read(rows, i, &view);
        list[i] = (struct check_balance){.key = view.row.id,
                                         .namespace = view.row.namespace,
                                         .version = view.row.version,
                                         .name = view.row.name,
                                         .fault_at = INSTANT_NONE};
        *check->budget = budget;
        check_accounts_begin(accounts, &view);
        rc = compare_schedule(check, accounts, &list[i], reterr);
    }
    return rc;
}

enum rc check_balances_read(struct check_balances *balances,
                            const struct check_balance_query *query,
                            const struct check_balance **ret, int *ret_count,
                            struct err *reterr)
{
    const struct check_options options = {
        .zones = query->zones, .now = query->now, .finding = ignore_finding};
    struct budget budget = *query->budget;
    struct check check = {.db = query->db,
                          .options = &options,
                          .arena = balances->arena,
                          .page = balances->page,
                          .rows_max = BALANCE_ROWS_MAX,
                          .budget = &budget};
    struct check_balance *list;
    struct db_result rows = {0};
    enum rc rc;

    arena_reset(balances->arena);
    arena_reset(balances->page);
    db_begin(query->db);
    check_schedules(query->db, query->after, query->limit, &rows);
    rc = db_flush(query->db, balances->arena, reterr);
    list = arena_array(balances->arena, (size_t)rows.rows, sizeof *list);
    if (rc == RC_OK)
        rc = compare_rows(&check, &balances->accounts, &rows, list, reterr);
    db_rollback(query->db);
    if (rc != RC_OK)
        return rc;
    *ret = list;
    *ret_count = rows.rows;
    return RC_OK;
}
