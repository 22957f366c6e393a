/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a schedule's plan with its calendars and exceptions, and computes times from it.
 */
#include "api/schedules/schedule_times.h"

#include <string.h>

#include "core/limits.h"
#include "core/spec/spec_pack.h"
#include "core/time/text.h"
#include "store/exceptions_backfills.h"
#include "store/named_objects.h"

enum {
    CALENDAR_DAYS = 2, /* column of calendars_find()            */
    NOTE_MAX = 160,    /* bytes of a sentence with one duration */
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
            sets[i] = schedule_times_days(db_blob_at(&rows[i], 0, CALENDAR_DAYS), call->arena);
    ctx->calendars = sets;
    return RC_OK;
}

bool schedule_times_lacks_calendar(const struct spec *spec, const struct spec_ctx *ctx, int i,
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
    rc = schedule_times_calendars(call, db, &ret->plan.spec, &ret->ctx, reterr);
    return rc == RC_OK ? read_exceptions(call, db, ret, reterr) : rc;
}

enum rc schedule_times_read(const struct call *call, struct db *db, struct schedule_times *ret,
                            struct err *reterr)
{
    enum rc rc = view_find(call, db, &ret->view, reterr);

    return rc == RC_OK ? schedule_times_fill(call, db, ret, reterr) : rc;
}

/* The first slot that will run, after cancelled slots (a bounded number) and paused ones. */
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

bool schedule_times_source_is_sure(struct schedule_view *view)
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

static void skip_slots(const struct schedule_times *p, struct cursor *c)
{
    if (p->plan.is_governed ||
        p->plan.follows) /* the slot after a cancelled one depends on runs */
        c->next_at = schedule_times_is_cancelled(p, c->next_at) ? INSTANT_NEVER : c->next_at;
    else if (!(c->flags & CURSOR_PAUSED) || !p->plan.policies.catchup_paused)
        c->next_at = first_to_run(p);
}

enum rc schedule_times_next(const struct call *call, struct db *db, struct arena *scratch,
                            struct schedule_view *view, struct err *reterr)
{
    struct cursor *c = &view->cursor;
    struct schedule_times p = {.view = *view};
    struct call inner = *call;
    bool is_sure = schedule_times_source_is_sure(view);
    bool skips = (c->flags & (CURSOR_EXCEPTIONS | CURSOR_PAUSED)) != 0;
    enum rc rc;

    if ((!skips && is_sure) || schedule_times_is_at_rest(c) || c->next_at == INSTANT_NEVER)
        return RC_OK;
    inner.arena = scratch;
    rc = schedule_times_fill(&inner, db, &p, reterr);
    if (rc == RC_CONFLICT)
        return RC_OK; /* its time zone was removed: leave next_at unchanged */
    if (rc != RC_OK)
        return rc;
    if (skips)
        skip_slots(&p, c);
    if (!is_sure)
        find_source(&p, c);
    return RC_OK;
}

struct slot schedule_times_only(const struct schedule_times *p)
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
    bool for_good = (cursor->flags & CURSOR_PAUSED) && cursor->paused_until == INSTANT_NEVER;

    return for_good || (cursor->flags & (CURSOR_DISABLED | CURSOR_QUARANTINED | CURSOR_CLOSED |
                                         CURSOR_DELETED));
}

enum source schedule_times_source(const struct plan *plan, const struct slot *slot)
{
    const struct spec *spec = &plan->spec;
    bool is_interval = slot->entry < spec->entry_count &&
                       spec->entries[slot->entry].kind == ENTRY_INTERVAL;

    return is_interval ? SOURCE_BASELINE_INTERVAL : SOURCE_BASELINE_CRON;
}

void schedule_times_note_spread(const struct call *call, const struct spec *spec,
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
