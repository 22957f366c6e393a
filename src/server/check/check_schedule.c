/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks one schedule after the other, each with all of its rows in one snapshot: the document
 * and the plan are readable, each slot has exactly one account (invariants 1, 2, 11), and the
 * cursor has correct counters (15) and wakes in time.
 *
 * An account is a record of what became of slots: a run, or a range of the ledger.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "core/spec/spec_pack.h"
#include "engine/engine.h"
#include "model/schedule_json.h"
#include "server/check/check_accounts.h"
#include "store/views.h"

enum { SCHEDULES_AT_ONCE = 64 }; /* per transaction */

/* The rows of one schedule; the next schedule uses the same lists. */
struct schedule_rows {
    struct check_accounts of;
    bool is_cut;         /* there are more rows than were read */
    bool counts_at_most; /* see compare_counter()              */
    int64_t backfills;
};

/* ---- reading ---- */

static enum rc read_backfills(struct check *check, struct schedule_rows *s, struct err *reterr)
{
    struct db_result row = {0};
    enum rc rc;

    check_backfills(check->db, s->of.view->row.id, &row);
    rc = db_flush(check->db, check->page, reterr);
    if (rc == RC_OK)
        s->backfills = db_int_at(&row, 0, 0);
    return rc;
}

static enum rc read_schedule_rows(struct check *check, struct schedule_rows *s,
                                  struct err *reterr)
{
    enum rc rc = check_accounts_read(check, &s->of, reterr);

    s->is_cut = s->of.is_cut || s->of.lacks_accounts;
    return rc == RC_OK ? read_backfills(check, s, reterr) : rc;
}

static int by_attempt(const void *a, const void *b)
{
    const struct check_attempt *x = a, *y = b;

    if (x->slot != y->slot)
        return x->slot < y->slot ? -1 : 1;
    if (x->pass != y->pass)
        return x->pass < y->pass ? -1 : 1;
    if (x->attempt != y->attempt)
        return x->attempt < y->attempt ? -1 : 1;
    return x->last - y->last;
}

/* ---- slots ---- */

/* Without flags such as CURSOR_PAUSED, the cursor must wake in time for its next slot. */
static void check_next(struct check *check, const struct schedule_rows *s,
                       const struct plan *plan, const struct spec_ctx *ctx)
{
    const struct cursor *c = &s->of.view->cursor;
    struct slot slot = {.at = INSTANT_NEVER, .due = INSTANT_NEVER};

    if ((c->flags & ~(int64_t)CURSOR_UNSTARTED) != 0 || c->remaining == 0 ||
        s->of.view->row.deleted_at)
        return;
    if (!spec_next(&plan->spec, ctx, c->mark, &slot))
        slot = (struct slot){.at = INSTANT_NEVER, .due = INSTANT_NEVER};
    if (c->next_at != slot.at)
        check_found(check, s->of.view->row.name, s->of.view->row.id, slot.at,
                    "the cursor has another next slot");
    else if (c->wake_at > slot.due && c->wake_at > slot.at + DISPATCH_JITTER_MAX)
        check_found(check, s->of.view->row.name, s->of.view->row.id, slot.at,
                    "the cursor wakes after its next slot is due");
}

/* The spec allows the next slot that the governor chose, and the cursor wakes for it. */
static void check_governed_next(struct check *check, const struct schedule_rows *s,
                                const struct plan *plan, const struct spec_ctx *ctx)
{
    const struct cursor *c = &s->of.view->cursor;

    if ((c->flags & ~(int64_t)CURSOR_UNSTARTED) != 0 || c->next_at == INSTANT_NEVER ||
        s->of.view->row.deleted_at)
        return;
    if (spec_allowed_from(&plan->spec, ctx, c->next_at) != c->next_at)
        check_found(check, s->of.view->row.name, s->of.view->row.id, c->next_at,
                    "the spec does not allow the next slot of the cursor");
    else if (c->wake_at > c->next_at)
        check_found(check, s->of.view->row.name, s->of.view->row.id, c->next_at,
                    "the cursor wakes after its next slot is due");
}

static enum rc check_slots_of(struct check *check, struct schedule_rows *s, struct plan *plan,
                              struct err *reterr)
{
    const struct schedule_row *row = &s->of.view->row;
    struct check_comparison c;
    enum rc rc = check_accounts_compare(check, &s->of, plan, &c, reterr);
    bool is_provable;

    if (rc != RC_OK)
        return rc;
    is_provable = c.of.from != INSTANT_NEVER;
    if (!c.is_right)
        check_found(check, row->name, row->id, c.fault.slot, "%s", c.fault.text);
    else if (c.calendars == INSTANT_NONE && plan->is_governed)
        check_governed_next(check, s, plan, &c.ctx);
    else if (is_provable && c.calendars == INSTANT_NONE)
        check_next(check, s, plan, &c.ctx);
    check->counts.unproven += !is_provable;
    check->counts.accounts += c.of.count;
    return RC_OK;
}

/* ---- counters ---- */

struct sums {
    int64_t started, succeeded, failed, open, waiting;
};

static struct sums sum_rows(const struct schedule_rows *s)
{
    const struct check_attempt *a = s->of.attempts.at;
    const struct check_run *r = s->of.runs.at;
    struct sums sums = {0};

    for (int i = 0; i < s->of.attempts.count; i++) {
        bool counts = a[i].kind != RUN_TEST && a[i].last;

        sums.started += counts;
        sums.succeeded += counts && a[i].outcome == OUTCOME_SUCCEEDED;
        sums.failed += counts && outcome_is_failure(a[i].outcome);
    }
    for (int i = 0; i < s->of.runs.count; i++) {
        if (r[i].kind == RUN_TEST)
            continue;
        sums.started += r[i].state != RUN_HELD;
        sums.open += r[i].state != RUN_HELD;
        sums.waiting += r[i].state == RUN_HELD;
    }
    return sums;
}

/* If rows may have been deleted or not read, there may be fewer rows than counted. */
static void compare_counter(struct check *check, const struct schedule_rows *s,
                            const char *what, int64_t counted, int64_t kept)
{
    if (counted != kept && !(s->counts_at_most && kept < counted))
        check_found(check, s->of.view->row.name, s->of.view->row.id, INSTANT_NONE,
                    "the cursor counts %" PRId64 " %s; there are %" PRId64, counted, what,
                    kept);
}

static void check_counters(struct check *check, struct schedule_rows *s, bool is_pruned)
{
    const struct cursor *c = &s->of.view->cursor;
    struct sums sums = sum_rows(s);

    s->counts_at_most = s->is_cut;
    compare_counter(check, s, "open runs", c->open, sums.open);
    compare_counter(check, s, "waiting runs", c->waiting, sums.waiting);
    compare_counter(check, s, "backfills", c->backfills, s->backfills);
    s->counts_at_most = s->is_cut || is_pruned;
    compare_counter(check, s, "started runs", c->started, sums.started);
    compare_counter(check, s, "succeeded runs", c->succeeded, sums.succeeded);
    compare_counter(check, s, "failed runs", c->failed, sums.failed);
    compare_counter(check, s, "skipped slots", c->skipped, s->of.sums[OUTCOME_SKIPPED]);
    compare_counter(check, s, "missed slots", c->missed, s->of.sums[OUTCOME_MISSED]);
    compare_counter(check, s, "dropped slots", c->dropped, s->of.sums[OUTCOME_DROPPED]);
    compare_counter(check, s, "cancelled slots", c->cancelled,
                    s->of.sums[OUTCOME_SLOT_CANCELLED]);
}

/* ---- one schedule ---- */

static bool may_be_pruned(const struct check *check, const struct schedule_rows *s,
                          const struct plan *plan)
{
    const struct policies *p = &plan->policies;

    /* An edit may have changed the retention. */
    return s->of.view->row.version > 1 || p->retention_count > 0 ||
           (p->retention_age > 0 &&
            s->of.view->row.created_at + p->retention_age <= check->options->now);
}

static bool read_document(struct check *check, const struct schedule_rows *s, struct plan *ret)
{
    const struct schedule_row *row = &s->of.view->row;
    const struct schedule_texts texts = {
        .spec = row->spec,
        .action = row->action,
        .policies = row->policies,
        .governor = row->governor,
        .labels = row->labels,
        .extra = row->extra,
    };
    struct schedule_doc doc = schedule_doc_default();
    struct err err;

    doc.id = row->name;
    if (schedule_recall(&texts, check->arena, &doc, &err) != RC_OK)
        check_found(check, row->name, row->id, INSTANT_NONE, "invalid document: %s", err.text);
    else if (plan_unpack(row->packed, check->arena, ret, &err) != RC_OK)
        check_found(check, row->name, row->id, INSTANT_NONE, "invalid packed plan: %s",
                    err.text);
    else if (spec_bind(&ret->spec, &check->options->zones, &err) != RC_OK)
        check_found(check, row->name, row->id, INSTANT_NONE, "invalid time zone: %s", err.text);
    else
        return true;
    return false;
}

static enum rc check_schedule(struct check *check, struct schedule_rows *s, struct err *reterr)
{
    const struct schedule_row *row = &s->of.view->row;
    struct check_rows rows = {.view = s->of.view};
    struct plan *plan = arena_take(check->arena, sizeof *plan);
    bool can_be_read = read_document(check, s, plan);
    enum rc rc = read_schedule_rows(check, s, reterr);

    if (rc != RC_OK)
        return rc;
    if (s->of.attempts.count > 1)
        qsort(s->of.attempts.at, (size_t)s->of.attempts.count, sizeof(struct check_attempt),
              by_attempt);
    rows.attempts = s->of.attempts.at;
    rows.attempt_count = s->of.attempts.count;
    rows.runs = s->of.runs.at;
    rows.run_count = s->of.runs.count;
    rows.is_pruned = s->is_cut || !can_be_read || may_be_pruned(check, s, plan);
    check_attempts(check, &rows);
    if (!row->deleted_at) {
        if (s->of.view->cursor.version != row->version)
            check_found(check, row->name, row->id, INSTANT_NONE,
                        "the cursor is at version %" PRId64 ", the schedule at %" PRId64,
                        s->of.view->cursor.version, row->version);
        check_counters(check, s, rows.is_pruned);
        check_recent(check, &rows);
    }
    check->counts.schedules++;
    check->counts.attempts += s->of.attempts.count;
    check->counts.runs += s->of.runs.count;
    return can_be_read ? check_slots_of(check, s, plan, reterr) : RC_OK;
}

/* ---- all schedules ---- */

static enum rc check_batch(struct check *check, struct schedule_rows *s, int64_t *after,
                           bool *ret_is_over, struct err *reterr)
{
    struct db_result rows = {0};
    enum rc rc;

    arena_reset(check->arena);
    db_begin(check->db);
    check_schedules(check->db, *after, SCHEDULES_AT_ONCE, &rows);
    rc = db_flush(check->db, check->arena, reterr);
    for (int i = 0; rc == RC_OK && i < rows.rows; i++) {
        struct schedule_view view;

        schedule_views_read(&rows, i, &view);
        check_accounts_begin(&s->of, &view);
        rc = check_schedule(check, s, reterr);
        *after = view.row.id;
    }
    if (rc == RC_OK)
        rc = db_commit(check->db, check->page, reterr);
    else
        db_rollback(check->db);
    *ret_is_over = rows.rows < SCHEDULES_AT_ONCE;
    return rc;
}

enum rc check_all_schedules(struct check *check, struct err *reterr)
{
    struct schedule_rows rows_of_one = {0};
    struct db_result row = {0};
    int64_t after = 0, all;
    bool is_over = false;
    enum rc rc;

    check_schedule_count(check->db, &row);
    rc = db_flush(check->db, check->page, reterr);
    all = rc == RC_OK ? db_int_at(&row, 0, 0) : 0;
    while (rc == RC_OK && !is_over) {
        rc = check_batch(check, &rows_of_one, &after, &is_over, reterr);
        check_progress(check, "schedules", check->counts.schedules, all);
    }
    check_accounts_free(&rows_of_one.of);
    return rc;
}
