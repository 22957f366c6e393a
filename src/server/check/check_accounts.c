/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the rows that account for the slots of a schedule, and compares them with its spec.
 */
#include "server/check/check_accounts.h"

#include <stdlib.h>

#include "api/schedules/schedule_times.h"
#include "base/must.h"
#include "core/advance.h"
#include "store/named_objects.h"

enum { ROWS_MAX = 500 * 1000 }; /* rows of one kind that are read per schedule */

static void *list_add(struct check_list *list, size_t size)
{
    if (list->count == list->room) {
        list->room = list->room ? list->room * 2 : 64;
        list->at = realloc(list->at, (size_t)list->room * size);
        must(list->at);
    }
    return (char *)list->at + (size_t)list->count++ * size;
}

static int most_rows(const struct check *check)
{
    return check->rows_max > 0 ? check->rows_max : ROWS_MAX;
}

/* ---- reading ---- */

static enum rc read_runs(struct check *check, struct check_accounts *s, struct err *reterr)
{
    struct db_result rows = {0};
    enum rc rc;

    do {
        const struct check_run *runs = s->runs.at;

        arena_reset(check->page);
        check_runs(check->db, s->view->row.id,
                   s->runs.count > 0 ? &runs[s->runs.count - 1] : NULL, CHECK_PAGE, &rows);
        rc = db_flush(check->db, check->page, reterr);
        for (int i = 0; rc == RC_OK && i < rows.rows; i++)
            check_runs_read(&rows, i, list_add(&s->runs, sizeof(struct check_run)));
    } while (rc == RC_OK && rows.rows == CHECK_PAGE && s->runs.count < most_rows(check));
    s->lacks_accounts = s->lacks_accounts || s->runs.count >= most_rows(check);
    return rc;
}

static enum rc read_attempts(struct check *check, struct check_accounts *s, struct err *reterr)
{
    struct db_result rows = {0};
    int64_t before = INT64_MAX;
    enum rc rc;

    do {
        arena_reset(check->page);
        check_history(check->db, s->view->row.id, before, CHECK_PAGE, &rows);
        rc = db_flush(check->db, check->page, reterr);
        for (int i = 0; rc == RC_OK && i < rows.rows; i++) {
            struct check_attempt *a = list_add(&s->attempts, sizeof *a);

            check_history_read(&rows, i, a);
            before = a->id;
        }
    } while (rc == RC_OK && rows.rows == CHECK_PAGE && s->attempts.count < most_rows(check));
    s->is_cut = s->attempts.count >= most_rows(check);
    return rc;
}

static void add_account(struct check_accounts *s, instant first, instant last, int64_t count)
{
    struct check_account *a = list_add(&s->accounts, sizeof *a);

    *a = (struct check_account){.first = first, .last = last, .count = count};
}

static enum rc read_ledger(struct check *check, struct check_accounts *s, struct err *reterr)
{
    struct db_result rows = {0};
    int64_t after = INT64_MIN;
    enum rc rc;

    do {
        arena_reset(check->page);
        check_ledger(check->db, s->view->row.id, after, CHECK_PAGE, &rows);
        rc = db_flush(check->db, check->page, reterr);
        for (int i = 0; rc == RC_OK && i < rows.rows; i++) {
            int64_t outcome = db_int_at(&rows, i, 3);

            after = db_int_at(&rows, i, 6);
            if (outcome >= OUTCOME_SKIPPED && outcome <= OUTCOME_SLOT_CANCELLED)
                s->sums[outcome] += db_int_at(&rows, i, 2);
            else
                check_found(check, s->view->row.name, s->view->row.id, db_int_at(&rows, i, 0),
                            "the ledger has an invalid outcome");
            if (db_int_at(&rows, i, 5) == 0)
                add_account(s, db_int_at(&rows, i, 0), db_int_at(&rows, i, 1),
                            db_int_at(&rows, i, 2));
        }
    } while (rc == RC_OK && rows.rows == CHECK_PAGE && s->accounts.count < most_rows(check));
    s->lacks_accounts = s->lacks_accounts || s->accounts.count >= most_rows(check);
    return rc;
}

enum rc check_accounts_read(struct check *check, struct check_accounts *s, struct err *reterr)
{
    enum rc rc = read_runs(check, s, reterr);

    if (rc == RC_OK)
        rc = read_attempts(check, s, reterr);
    if (rc == RC_OK)
        rc = read_ledger(check, s, reterr);
    return rc;
}

void check_accounts_begin(struct check_accounts *s, const struct schedule_view *view)
{
    *s = (struct check_accounts){.view = view,
                                 .attempts = {s->attempts.at, 0, s->attempts.room},
                                 .runs = {s->runs.at, 0, s->runs.room},
                                 .accounts = {s->accounts.at, 0, s->accounts.room}};
}

void check_accounts_free(struct check_accounts *s)
{
    free(s->attempts.at);
    free(s->runs.at);
    free(s->accounts.at);
}

/* ---- slots ---- */

/* Reads the calendars that the spec names, and the time of their latest change. */
static enum rc read_calendars(struct check *check, const struct check_accounts *s,
                              const struct spec *spec, struct spec_ctx *ctx,
                              instant *ret_changed, struct err *reterr)
{
    struct db_result rows[SPEC_NAMED_MAX] = {0};
    struct day_set *sets = arena_array(check->page, (size_t)spec->not_named_count,
                                       sizeof *sets);
    enum rc rc = RC_OK;

    *ret_changed = INSTANT_NONE;
    for (int i = 0; i < spec->not_named_count; i++)
        calendars_get(check->db, s->view->row.namespace, spec->not_named[i], &rows[i]);
    if (spec->not_named_count > 0)
        rc = db_flush(check->db, check->page, reterr);
    for (int i = 0; rc == RC_OK && i < spec->not_named_count; i++) {
        struct calendar_row row;

        if (rows[i].rows == 0) {
            *ret_changed = INSTANT_NEVER; /* it may have existed before */
            continue;
        }
        calendars_read(&rows[i], 0, &row);
        sets[i] = schedule_times_days(row.days, check->page);
        *ret_changed = row.updated_at > *ret_changed ? row.updated_at : *ret_changed;
    }
    ctx->calendars = sets;
    return rc;
}

/* Retention by number deletes the attempts that ended first. */
static instant oldest_kept(const struct check_accounts *s)
{
    const struct check_attempt *a = s->attempts.at;
    instant oldest = INSTANT_NEVER;

    for (int i = 0; i < s->attempts.count; i++)
        oldest = a[i].ended_at < oldest ? a[i].ended_at : oldest;
    return oldest;
}

/* From this time on, the kept rows account for all slots of this version. */
static instant provable_from(const struct check *check, const struct check_accounts *s,
                             const struct plan *plan, instant calendars)
{
    const struct schedule_row *row = &s->view->row;
    const struct policies *p = &plan->policies;
    instant from = row->version > 1 ? row->updated_at + plan->spec.jitter
                                    : plan->created - 2 * SPAN_MS;
    instant kept = p->retention_age > 0 ? check->options->now - p->retention_age : INSTANT_NONE;

    if (calendars == INSTANT_NEVER || row->deleted_at || s->lacks_accounts ||
        (plan->is_governed ? !plan_has_grid(plan) : plan->follows))
        return INSTANT_NEVER;
    if (kept > from)
        from = kept;
    if (calendars > INSTANT_NONE && calendars + plan->spec.jitter > from)
        from = calendars + plan->spec.jitter;
    if (s->is_cut || (p->retention_count > 0 && s->attempts.count >= p->retention_count)) {
        kept = oldest_kept(s);
        from = kept > from ? kept : from;
    }
    return from;
}

static void add_runs(struct check_accounts *s)
{
    const struct check_attempt *a = s->attempts.at;
    const struct check_run *r = s->runs.at;

    /* An open run also has earlier attempts; count it once. */
    for (int i = 0; i < s->attempts.count; i++)
        if (a[i].pass == 0 && a[i].last)
            add_account(s, a[i].slot, a[i].slot, 1);
    for (int i = 0; i < s->runs.count; i++)
        if (r[i].pass == 0)
            add_account(s, r[i].slot, r[i].slot, 1);
}

enum rc check_accounts_compare(struct check *check, struct check_accounts *s, struct plan *plan,
                               struct check_comparison *ret, struct err *reterr)
{
    const struct cursor *cursor = &s->view->cursor;
    struct check_case *c = &ret->of;
    enum rc rc;

    arena_reset(check->page);
    *ret = (struct check_comparison){.ctx = advance_ctx(plan, cursor)};
    ret->ctx.budget = check->budget;
    rc = read_calendars(check, s, &plan->spec, &ret->ctx, &ret->calendars, reterr);
    if (rc != RC_OK)
        return rc;
    add_runs(s);
    *c = (struct check_case){
        .plan = plan,
        .ctx = &ret->ctx,
        .cursor = cursor,
        .accounts = s->accounts.at,
        .count = s->accounts.count,
        .from = provable_from(check, s, plan, ret->calendars),
        .allows_gaps = cursor->remaining >= 0 || (cursor->flags & CURSOR_CLOSED),
    };
    ret->is_right = check_slots(c, &ret->fault);
    return RC_OK;
}
