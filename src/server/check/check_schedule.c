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

#include "api/schedules/schedule_times.h"
#include "base/must.h"
#include "core/advance.h"
#include "core/spec/spec_pack.h"
#include "engine/engine.h"
#include "model/schedule_json.h"
#include "server/check/check_parts.h"
#include "store/check_rows.h"
#include "store/check_slots.h"
#include "store/named_objects.h"
#include "store/views.h"

enum {
    SCHEDULES_AT_ONCE = 64, /* per transaction                             */
    ROWS_MAX = 500 * 1000,  /* rows of one kind that are read per schedule */
};

/* A growing list in malloc() memory. */
struct list {
    void *at;
    int count, room;
};

static void *list_add(struct list *list, size_t size)
{
    if (list->count == list->room) {
        list->room = list->room ? list->room * 2 : 64;
        list->at = realloc(list->at, (size_t)list->room * size);
        must(list->at);
    }
    return (char *)list->at + (size_t)list->count++ * size;
}

/* The rows of one schedule; the next schedule uses the same lists. */
struct schedule_rows {
    const struct schedule_view *view;
    struct list attempts, runs, accounts;
    bool is_cut;                              /* there are more rows than were read */
    bool counts_at_most;                      /* see compare_counter()              */
    int64_t sums[OUTCOME_SLOT_CANCELLED + 1]; /* of the ledger, by outcome          */
    int64_t backfills;
};

/* ---- reading ---- */

static enum rc read_runs(struct check *check, struct schedule_rows *s, struct err *reterr)
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
    } while (rc == RC_OK && rows.rows == CHECK_PAGE && s->runs.count < ROWS_MAX);
    s->is_cut = s->is_cut || s->runs.count >= ROWS_MAX;
    return rc;
}

static enum rc read_attempts(struct check *check, struct schedule_rows *s, struct err *reterr)
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
    } while (rc == RC_OK && rows.rows == CHECK_PAGE && s->attempts.count < ROWS_MAX);
    s->is_cut = s->is_cut || s->attempts.count >= ROWS_MAX;
    return rc;
}

static void add_account(struct schedule_rows *s, instant first, instant last, int64_t count)
{
    struct check_account *a = list_add(&s->accounts, sizeof *a);

    *a = (struct check_account){.first = first, .last = last, .count = count};
}

static enum rc read_ledger(struct check *check, struct schedule_rows *s, struct err *reterr)
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
    } while (rc == RC_OK && rows.rows == CHECK_PAGE && s->accounts.count < ROWS_MAX);
    s->is_cut = s->is_cut || s->accounts.count >= ROWS_MAX;
    return rc;
}

static enum rc read_backfills(struct check *check, struct schedule_rows *s, struct err *reterr)
{
    struct db_result row = {0};
    enum rc rc;

    check_backfills(check->db, s->view->row.id, &row);
    rc = db_flush(check->db, check->page, reterr);
    if (rc == RC_OK)
        s->backfills = db_int_at(&row, 0, 0);
    return rc;
}

static enum rc read_schedule_rows(struct check *check, struct schedule_rows *s,
                                  struct err *reterr)
{
    enum rc rc = read_runs(check, s, reterr);

    if (rc == RC_OK)
        rc = read_attempts(check, s, reterr);
    if (rc == RC_OK)
        rc = read_ledger(check, s, reterr);
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

/* Reads the calendars that the spec names, and the time of their latest change. */
static enum rc read_calendars(struct check *check, const struct schedule_rows *s,
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
static instant oldest_kept(const struct schedule_rows *s)
{
    const struct check_attempt *a = s->attempts.at;
    instant oldest = INSTANT_NEVER;

    for (int i = 0; i < s->attempts.count; i++)
        oldest = a[i].ended_at < oldest ? a[i].ended_at : oldest;
    return oldest;
}

/* From this time on, the kept rows account for all slots of this version. */
static instant provable_from(const struct check *check, const struct schedule_rows *s,
                             const struct plan *plan, instant calendars)
{
    const struct schedule_row *row = &s->view->row;
    const struct policies *p = &plan->policies;
    instant from = row->version > 1 ? row->updated_at + plan->spec.jitter
                                    : plan->created - 2 * SPAN_MS;
    instant kept = p->retention_age > 0 ? check->options->now - p->retention_age : INSTANT_NONE;

    if (calendars == INSTANT_NEVER || row->deleted_at ||
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

static void add_runs(struct schedule_rows *s)
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

/* Without flags such as CURSOR_PAUSED, the cursor must wake in time for its next slot. */
static void check_next(struct check *check, const struct schedule_rows *s,
                       const struct plan *plan, const struct spec_ctx *ctx)
{
    const struct cursor *c = &s->view->cursor;
    struct slot slot = {.at = INSTANT_NEVER, .due = INSTANT_NEVER};

    if ((c->flags & ~(int64_t)CURSOR_UNSTARTED) != 0 || c->remaining == 0 ||
        s->view->row.deleted_at)
        return;
    if (!spec_next(&plan->spec, ctx, c->mark, &slot))
        slot = (struct slot){.at = INSTANT_NEVER, .due = INSTANT_NEVER};
    if (c->next_at != slot.at)
        check_found(check, s->view->row.name, s->view->row.id, slot.at,
                    "the cursor has another next slot");
    else if (c->wake_at > slot.due && c->wake_at > slot.at + DISPATCH_JITTER_MAX)
        check_found(check, s->view->row.name, s->view->row.id, slot.at,
                    "the cursor wakes after its next slot is due");
}

/* The spec allows the next slot that the governor chose, and the cursor wakes for it. */
static void check_governed_next(struct check *check, const struct schedule_rows *s,
                                const struct plan *plan, const struct spec_ctx *ctx)
{
    const struct cursor *c = &s->view->cursor;

    if ((c->flags & ~(int64_t)CURSOR_UNSTARTED) != 0 || c->next_at == INSTANT_NEVER ||
        s->view->row.deleted_at)
        return;
    if (spec_allowed_from(&plan->spec, ctx, c->next_at) != c->next_at)
        check_found(check, s->view->row.name, s->view->row.id, c->next_at,
                    "the spec does not allow the next slot of the cursor");
    else if (c->wake_at > c->next_at)
        check_found(check, s->view->row.name, s->view->row.id, c->next_at,
                    "the cursor wakes after its next slot is due");
}

static enum rc check_slots_of(struct check *check, struct schedule_rows *s, struct plan *plan,
                              struct err *reterr)
{
    const struct cursor *cursor = &s->view->cursor;
    struct spec_ctx ctx = advance_ctx(plan, cursor);
    instant calendars = INSTANT_NONE;
    struct check_case c = {.plan = plan, .ctx = &ctx, .cursor = cursor};
    struct check_fault fault;
    enum rc rc;

    arena_reset(check->page);
    rc = read_calendars(check, s, &plan->spec, &ctx, &calendars, reterr);
    if (rc != RC_OK)
        return rc;
    add_runs(s);
    c.accounts = s->accounts.at;
    c.count = s->accounts.count;
    c.from = provable_from(check, s, plan, calendars);
    c.allows_gaps = cursor->remaining >= 0 || (cursor->flags & CURSOR_CLOSED);
    if (!check_slots(&c, &fault))
        check_found(check, s->view->row.name, s->view->row.id, fault.slot, "%s", fault.text);
    else if (calendars == INSTANT_NONE && plan->is_governed)
        check_governed_next(check, s, plan, &ctx);
    else if (c.from != INSTANT_NEVER && calendars == INSTANT_NONE)
        check_next(check, s, plan, &ctx);
    check->counts.unproven += c.from == INSTANT_NEVER;
    check->counts.accounts += s->accounts.count;
    return RC_OK;
}

/* ---- counters ---- */

struct sums {
    int64_t started, succeeded, failed, open, waiting;
};

static struct sums sum_rows(const struct schedule_rows *s)
{
    const struct check_attempt *a = s->attempts.at;
    const struct check_run *r = s->runs.at;
    struct sums sums = {0};

    for (int i = 0; i < s->attempts.count; i++) {
        bool counts = a[i].kind != RUN_TEST && a[i].last;

        sums.started += counts;
        sums.succeeded += counts && a[i].outcome == OUTCOME_SUCCEEDED;
        sums.failed += counts && outcome_is_failure(a[i].outcome);
    }
    for (int i = 0; i < s->runs.count; i++) {
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
        check_found(check, s->view->row.name, s->view->row.id, INSTANT_NONE,
                    "the cursor counts %" PRId64 " %s; there are %" PRId64, counted, what,
                    kept);
}

static void check_counters(struct check *check, struct schedule_rows *s, bool is_pruned)
{
    const struct cursor *c = &s->view->cursor;
    struct sums sums = sum_rows(s);

    s->counts_at_most = s->is_cut;
    compare_counter(check, s, "open runs", c->open, sums.open);
    compare_counter(check, s, "waiting runs", c->waiting, sums.waiting);
    compare_counter(check, s, "backfills", c->backfills, s->backfills);
    s->counts_at_most = s->is_cut || is_pruned;
    compare_counter(check, s, "started runs", c->started, sums.started);
    compare_counter(check, s, "succeeded runs", c->succeeded, sums.succeeded);
    compare_counter(check, s, "failed runs", c->failed, sums.failed);
    compare_counter(check, s, "skipped slots", c->skipped, s->sums[OUTCOME_SKIPPED]);
    compare_counter(check, s, "missed slots", c->missed, s->sums[OUTCOME_MISSED]);
    compare_counter(check, s, "dropped slots", c->dropped, s->sums[OUTCOME_DROPPED]);
    compare_counter(check, s, "cancelled slots", c->cancelled, s->sums[OUTCOME_SLOT_CANCELLED]);
}

/* ---- one schedule ---- */

static bool may_be_pruned(const struct check *check, const struct schedule_rows *s,
                          const struct plan *plan)
{
    const struct policies *p = &plan->policies;

    /* An edit may have changed the retention. */
    return s->view->row.version > 1 || p->retention_count > 0 ||
           (p->retention_age > 0 &&
            s->view->row.created_at + p->retention_age <= check->options->now);
}

static bool read_document(struct check *check, const struct schedule_rows *s, struct plan *ret)
{
    const struct schedule_row *row = &s->view->row;
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
    const struct schedule_row *row = &s->view->row;
    struct check_rows rows = {.view = s->view};
    struct plan *plan = arena_take(check->arena, sizeof *plan);
    bool can_be_read = read_document(check, s, plan);
    enum rc rc = read_schedule_rows(check, s, reterr);

    if (rc != RC_OK)
        return rc;
    if (s->attempts.count > 1)
        qsort(s->attempts.at, (size_t)s->attempts.count, sizeof(struct check_attempt),
              by_attempt);
    rows.attempts = s->attempts.at;
    rows.attempt_count = s->attempts.count;
    rows.runs = s->runs.at;
    rows.run_count = s->runs.count;
    rows.is_pruned = s->is_cut || !can_be_read || may_be_pruned(check, s, plan);
    check_attempts(check, &rows);
    if (!row->deleted_at) {
        if (s->view->cursor.version != row->version)
            check_found(check, row->name, row->id, INSTANT_NONE,
                        "the cursor is at version %" PRId64 ", the schedule at %" PRId64,
                        s->view->cursor.version, row->version);
        check_counters(check, s, rows.is_pruned);
        check_recent(check, &rows);
    }
    check->counts.schedules++;
    check->counts.attempts += s->attempts.count;
    check->counts.runs += s->runs.count;
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
        *s = (struct schedule_rows){.view = &view,
                                    .attempts = {s->attempts.at, 0, s->attempts.room},
                                    .runs = {s->runs.at, 0, s->runs.room},
                                    .accounts = {s->accounts.at, 0, s->accounts.room}};
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
    free(rows_of_one.attempts.at);
    free(rows_of_one.runs.at);
    free(rows_of_one.accounts.at);
    return rc;
}
