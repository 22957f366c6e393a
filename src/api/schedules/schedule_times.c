/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a schedule's plan with its calendars and exceptions, and computes times from it.
 */
#include "api/schedules/schedule_times.h"

#include <string.h>

#include "core/limits.h"
#include "core/pick.h"
#include "core/spec/spec_pack.h"
#include "core/time/text.h"
#include "store/exceptions_backfills.h"
#include "store/named_objects.h"

enum {
    DAYS_COLUMN = 2,    /* of calendars_find()                   */
    NOTE_MAX = 160,     /* bytes of a sentence with one duration */
    NEXT_STEPS = 20000, /* of struct budget, for a schedule in a list */
    /* Of schedule_times_count(), some 20 ms; only slots with jitter or exclusions need them. */
    COUNT_ROUNDS = 10,
};

struct day_set schedule_times_days(struct str bytes, struct arena *arena)
{
    int count = (int)(bytes.len / sizeof(int32_t));
    int32_t *days = arena_array(arena, (size_t)count, sizeof *days);

    for (int i = 0; i < count; i++) {
        const unsigned char *b = (const unsigned char *)bytes.ptr + (size_t)i * 4;

        days[i] = (int32_t)((uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
                            (uint32_t)b[3] << 24);
    }
    return (struct day_set){days, count};
}

enum rc schedule_times_calendars(const struct call *call, struct db *db,
                                 const struct spec *spec, struct spec_ctx *ctx,
                                 struct err *reterr)
{
    struct db_result rows[SPEC_NAMED_MAX] = {0};
    struct day_set *sets;
    enum rc rc;

    if (spec->not_named_count == 0)
        return RC_OK;
    for (int i = 0; i < spec->not_named_count; i++)
        calendars_find(db, call->namespace, spec->not_named[i], &rows[i]);
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    sets = arena_array(call->arena, (size_t)spec->not_named_count, sizeof *sets);
    for (int i = 0; i < spec->not_named_count; i++)
        if (rows[i].rows == 1)
            sets[i] = schedule_times_days(db_blob_at(&rows[i], 0, DAYS_COLUMN), call->arena);
    ctx->calendars = sets;
    return RC_OK;
}

bool schedule_times_warn_calendar(const struct spec *spec, const struct spec_ctx *ctx, int i,
                                  struct buf *out)
{
    if (ctx->calendars[i].days)
        return false;
    buf_printf(out, "calendar \"%.*s\" does not exist; until it is created, it excludes no day",
               STR_ARG(spec->not_named[i]));
    return true;
}

static enum rc read_exceptions(const struct call *call, struct db *db, struct schedule_times *p,
                               struct err *reterr)
{
    struct db_result rows = {0};
    instant *slots;
    enum rc rc;

    if (p->view.cursor.flags & CURSOR_EXCEPTIONS)
        exceptions_of(db, p->view.cursor.id, p->view.cursor.mark, EXCEPTIONS_MAX, &rows);
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    slots = arena_array(call->arena, (size_t)rows.rows, sizeof *slots);
    for (int i = 0; i < rows.rows; i++)
        slots[i] = db_int_at(&rows, i, 0);
    p->exceptions = slots;
    p->exception_count = rows.rows;
    return RC_OK;
}

enum rc schedule_times_fill(const struct call *call, struct db *db, struct schedule_times *ret,
                            struct err *reterr)
{
    enum rc rc = plan_unpack(ret->view.row.packed, call->arena, &ret->plan, reterr);

    if (rc != RC_OK)
        return rc;
    if (spec_bind(&ret->plan.spec, &call->context->zones, reterr) != RC_OK)
        return reterr->rc = RC_CONFLICT;
    ret->ctx = advance_ctx(&ret->plan, &ret->view.cursor);
    ret->ctx.budget = call->budget;
    rc = schedule_times_calendars(call, db, &ret->plan.spec, &ret->ctx, reterr);
    return rc == RC_OK ? read_exceptions(call, db, ret, reterr) : rc;
}

enum rc schedule_times_read(const struct call *call, struct db *db, struct schedule_times *ret,
                            struct err *reterr)
{
    enum rc rc = view_find(call, db, &ret->view, reterr);

    return rc == RC_OK ? schedule_times_fill(call, db, ret, reterr) : rc;
}

/* The first slot that is neither cancelled nor inside the pause. */
static instant first_to_run(const struct schedule_times *p)
{
    const struct cursor *c = &p->view.cursor;
    instant from = c->flags & CURSOR_PAUSED ? c->paused_until : INSTANT_NONE;
    instant after = from == INSTANT_NONE ? c->mark : from - 1 - p->plan.spec.jitter;
    struct spec_walk walk;
    struct slot slot;

    spec_walk_begin(&walk, &p->plan.spec, &p->ctx, after < c->mark ? c->mark : after);
    while (spec_walk_next(&walk, &slot))
        if (slot.due >= from && !schedule_times_is_cancelled(p, slot.at))
            return slot.at;
    return INSTANT_NEVER;
}

/* Whether the spec has this list; the stored text omits empty lists. */
static bool has_list(struct str spec, struct str name)
{
    return memmem(spec.ptr, spec.len, name.ptr, name.len) != NULL;
}

bool schedule_times_set_source(struct schedule_view *view)
{
    struct str spec = view->row.spec;

    if (view->row.governor.len > 0)
        return true; /* the engine has stored it */
    if (!has_list(spec, STR("\"intervals\":["))) {
        view->cursor.source = SOURCE_BASELINE_CRON;
        return true;
    }
    view->cursor.source = SOURCE_BASELINE_INTERVAL;
    return !has_list(spec, STR("\"cron\":[")) && !has_list(spec, STR("\"calendars\":[")) &&
           !has_list(spec, STR("\"timesOfDay\":[")) && !has_list(spec, STR("\"at\":["));
}

/* For a spec with times of both kinds: by the entry of the next slot. */
static void find_source(const struct schedule_times *p, struct cursor *c)
{
    struct slot slot;

    if (c->next_at != INSTANT_NEVER &&
        spec_next(&p->plan.spec, &p->ctx, c->next_at - 1, &slot) && slot.at == c->next_at)
        c->source = (int64_t)schedule_times_source(&p->plan, &slot);
}

instant schedule_times_resumed(const struct schedule_times *p)
{
    const struct cursor *c = &p->view.cursor;
    struct pick pick = {.plan = &p->plan, .ctx = &p->ctx, .mark = c->mark};

    return pick_allowed(&pick, c->paused_until);
}

static void skip_slots(const struct schedule_times *p, struct cursor *c)
{
    bool is_any_pause = (c->flags & CURSOR_PAUSED) != 0;
    bool is_paused = is_any_pause && c->next_at < c->paused_until;

    /* The slot after a cancelled one depends on runs. */
    if (p->plan.follows && schedule_times_is_cancelled(p, c->next_at)) {
        c->next_at = INSTANT_NEVER;
    } else if (p->plan.is_governed && is_paused) {
        c->next_at = schedule_times_resumed(p);
        c->source = SOURCE_PAUSED;
    } else if (!p->plan.follows && (!is_any_pause || !p->plan.policies.catchup_paused)) {
        c->next_at = first_to_run(p);
    }
}

enum rc schedule_times_next(const struct call *call, struct db *db, struct arena *scratch,
                            struct schedule_view *view, struct err *reterr)
{
    struct cursor *c = &view->cursor;
    struct schedule_times p = {.view = *view};
    struct budget budget = budget_part(call->budget, NEXT_STEPS);
    int64_t given = budget.left;
    struct call inner = *call;
    bool is_sure = schedule_times_set_source(view);
    struct cursor shown;
    bool skips = (c->flags & (CURSOR_EXCEPTIONS | CURSOR_PAUSED)) != 0;
    enum rc rc;

    if ((!skips && is_sure) || schedule_times_is_at_rest(c) || c->next_at == INSTANT_NEVER)
        return RC_OK;
    inner.arena = scratch;
    inner.budget = &budget;
    rc = schedule_times_fill(&inner, db, &p, reterr);
    if (rc == RC_CONFLICT)
        return RC_OK; /* its time zone was removed: leave next_at unchanged */
    if (rc != RC_OK)
        return rc;
    shown = *c;
    if (skips)
        skip_slots(&p, &shown);
    if (!is_sure)
        find_source(&p, &shown);
    budget_join(call->budget, given, &budget);
    if (!budget.is_over) /* one schedule must not make a list fail */
        *c = shown;
    return RC_OK;
}

struct slot schedule_times_known(const struct schedule_times *p)
{
    instant at = p->view.cursor.next_at;
    struct slot slot = {.at = at, .due = at}, found;

    if (at != INSTANT_NEVER && !p->plan.is_governed &&
        spec_next(&p->plan.spec, &p->ctx, at - 1, &found) && found.at == at)
        slot = found; /* its due time has the jitter */
    return slot;
}

bool schedule_times_is_cancelled(const struct schedule_times *p, instant slot)
{
    for (int i = 0; i < p->exception_count && p->exceptions[i] <= slot; i++)
        if (p->exceptions[i] == slot)
            return true;
    return false;
}

bool schedule_times_is_at_rest(const struct cursor *cursor)
{
    bool is_endless = (cursor->flags & CURSOR_PAUSED) && cursor->paused_until == INSTANT_NEVER;

    return is_endless || (cursor->flags & (CURSOR_DISABLED | CURSOR_QUARANTINED |
                                           CURSOR_CLOSED | CURSOR_DELETED));
}

enum source schedule_times_source(const struct plan *plan, const struct slot *slot)
{
    const struct spec *spec = &plan->spec;
    bool is_interval = slot->entry < spec->entry_count &&
                       spec->entries[slot->entry].kind == ENTRY_INTERVAL;

    return is_interval ? SOURCE_BASELINE_INTERVAL : SOURCE_BASELINE_CRON;
}

void schedule_times_jitter_note(const struct call *call, const struct spec *spec,
                                struct answer *out)
{
    char texts[2][NOTE_MAX];
    struct buf most = BUF(texts[0]), note = BUF(texts[1]);

    if (call->context->dispatch_jitter == 0 || spec->jitter > 0)
        return;
    duration_format(call->context->dispatch_jitter, &most);
    buf_printf(&note,
               "starts may be up to %s later: this server spreads them (dispatch_jitter)",
               most.ptr);
    answer_text(out, ",\"note\":");
    answer_quoted(out, buf_as_str(&note));
}

struct schedule_times_count schedule_times_count(const struct plan *plan,
                                                 const struct spec_ctx *ctx, instant after,
                                                 instant until, int rounds)
{
    struct plan bare = *plan;
    struct cursor cursor = {.mark = after, .next_at = after, .remaining = -1};
    struct advance a = {.plan = &bare, .ctx = *ctx, .cursor = &cursor, .now = until};
    struct schedule_times_count sum = {0};

    bare.is_governed = false;
    bare.spec.jitter = 0;
    for (int round = 0; round < rounds; round++) {
        advance_account_due(&a, OUTCOME_MISSED, REASON_NONE);
        for (int i = 0; i < a.account_count; i++) {
            if (sum.count == 0)
                sum.first = a.accounts[i].first;
            sum.count += a.accounts[i].count;
            sum.last = a.accounts[i].last;
        }
        sum.is_cut = a.next_due <= until;
        if (!sum.is_cut || a.account_count == 0)
            break;
        cursor.mark = a.mark;
        cursor.next_at = a.next_at;
    }
    return sum;
}

int64_t schedule_times_planned(const struct schedule_times *p, instant after, instant until)
{
    int64_t planned;

    if (until <= after)
        return 0;
    planned = schedule_times_count(&p->plan, &p->ctx, after, until, COUNT_ROUNDS).count;
    for (int i = 0; i < p->exception_count; i++)
        planned -= p->exceptions[i] > after && p->exceptions[i] <= until;
    return planned > 0 ? planned : 0;
}
