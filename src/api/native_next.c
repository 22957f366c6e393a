/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a schedule will run: the next times, as far as they can be known.
 */
#include "api/native.h"
#include "api/request.h"
#include "api/view.h"
#include "core/advance.h"
#include "core/governor.h"
#include "core/plan.h"
#include "core/spec_pack.h"
#include "model/schedule_state.h"
#include "store/beside.h"
#include "store/names.h"

enum {
    NEXT_DEFAULT = 10,
    NEXT_MAX = 1000,
};

struct asked {
    int64_t count;
    instant from; /* INSTANT_NONE: from now on */
};

/* What is known of the schedule when its times are told. */
struct telling {
    struct plan plan;
    struct cursor cursor;
    struct spec_ctx ctx;
    const instant *exceptions; /* ascending */
    int exception_count;
    bool is_cut; /* there may be more, but they hang on runs that are still to end */
};

enum call_step schedule_next_begin(struct call *call)
{
    static const char *const names[] = {"count", "from"};
    struct asked *asked = arena_take(call->arena, sizeof *asked);
    struct err err;

    *asked = (struct asked){.count = NEXT_DEFAULT, .from = INSTANT_NONE};
    if (request_name(call, 0, "schedule", &err) != RC_OK ||
        request_query_check(call, names, 2, &err) != RC_OK ||
        request_query_int(call, "count", 1, NEXT_MAX, &asked->count, &err) != RC_OK ||
        request_query_instant(call, "from", &asked->from, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    call->with = asked;
    return CALL_READ;
}

enum { CALENDAR_DAYS = 2 }; /* column of calendars_find() */

/* Days are little-endian int32, as COMMAND_CALENDAR takes them. */
static struct day_set days_of(const struct db_result *result, struct arena *arena)
{
    struct str bytes = result->rows == 1 ? db_blob_at(result, 0, CALENDAR_DAYS)
                                         : (struct str){NULL, 0};
    int count = (int)(bytes.len / sizeof(int32_t));
    int32_t *days = arena_array(arena, (size_t)count, sizeof *days);

    for (int i = 0; i < count; i++) {
        const unsigned char *b = (const unsigned char *)bytes.ptr + (size_t)i * 4;

        days[i] = (int32_t)((uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
                            (uint32_t)b[3] << 24);
    }
    return (struct day_set){days, count};
}

/* Named calendars and cancelled slots. */
static enum rc read_beside(const struct call *call, struct db *db, int64_t namespace,
                           struct telling *t, struct err *reterr)
{
    const struct spec *spec = &t->plan.spec;
    struct db_result calendars[SPEC_NAMED_MAX] = {0}, exceptions = {0};
    struct day_set *sets;
    instant *slots;
    enum rc rc;

    for (int i = 0; i < spec->not_named_count; i++)
        calendars_find(db, namespace, spec->not_named[i], &calendars[i]);
    exceptions_of(db, t->cursor.id, t->cursor.mark, EXCEPTIONS_MAX, &exceptions);
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    sets = arena_array(call->arena, (size_t)spec->not_named_count, sizeof *sets);
    for (int i = 0; i < spec->not_named_count; i++)
        sets[i] = days_of(&calendars[i], call->arena);
    t->ctx.calendars = spec->not_named_count > 0 ? sets : NULL;
    slots = arena_array(call->arena, (size_t)exceptions.rows, sizeof *slots);
    for (int i = 0; i < exceptions.rows; i++)
        slots[i] = db_int_at(&exceptions, i, 0);
    t->exceptions = slots;
    t->exception_count = exceptions.rows;
    return RC_OK;
}

static enum rc read_telling(const struct call *call, struct db *db, struct telling *t,
                            struct err *reterr)
{
    struct schedule_view view;
    enum rc rc = view_find(call, db, &view, reterr);

    if (rc == RC_OK)
        rc = plan_unpack(view.row.packed, call->arena, &t->plan, reterr);
    if (rc != RC_OK)
        return rc;
    t->cursor = view.cursor;
    if (spec_bind(&t->plan.spec, &call->context->zones, reterr) != RC_OK)
        return reterr->rc = RC_CONFLICT;
    t->ctx = advance_ctx(&t->plan, &t->cursor);
    return read_beside(call, db, call->namespace, t, reterr);
}

static bool is_cancelled(const struct telling *t, instant slot)
{
    for (int i = 0; i < t->exception_count && t->exceptions[i] <= slot; i++)
        if (t->exceptions[i] == slot)
            return true;
    return false;
}

static void print_time(struct answer *out, const struct slot *slot, const char *source,
                       int told)
{
    answer_text(out, told > 0 ? ",{\"slot\":" : "{\"slot\":");
    answer_instant(out, slot->at);
    answer_text(out, ",\"due\":");
    answer_instant(out, slot->due);
    answer_text(out, ",\"source\":");
    answer_quoted(out, str_of(source));
    answer_text(out, "}");
}

static const char *source_of(const struct telling *t, const struct slot *slot)
{
    const struct spec *spec = &t->plan.spec;
    bool is_interval = slot->entry < spec->entry_count &&
                       spec->entries[slot->entry].kind == ENTRY_INTERVAL;

    return source_text(is_interval ? SOURCE_BASELINE_INTERVAL : SOURCE_BASELINE_CRON);
}

/* The governor says one time at a time, and so does what counts from the last run's end. */
static void tell_one(struct telling *t, instant from, struct answer *out)
{
    instant at = t->cursor.next_at;
    struct slot slot = {.at = at, .due = at}, found;

    t->is_cut = true;
    if (at == INSTANT_NEVER || at < from || (t->cursor.flags & CURSOR_PAUSED))
        return;
    if (!t->plan.is_governed && spec_next(&t->plan.spec, &t->ctx, at - 1, &found) &&
        found.at == at)
        slot = found; /* with its jitter */
    print_time(out, &slot, source_text((enum source)t->cursor.source), 0);
}

/* Slots that are due at `from` or later, but for cancelled ones. */
static void tell_many(struct telling *t, instant from, int64_t count, struct answer *out)
{
    instant after = from - 1 - t->plan.spec.jitter;
    int64_t most = t->cursor.remaining >= 0 && t->cursor.remaining < count ? t->cursor.remaining
                                                                           : count;
    struct spec_walk walk;
    struct slot slot;
    int told = 0;

    spec_walk_begin(&walk, &t->plan.spec, &t->ctx,
                    after < t->cursor.mark ? t->cursor.mark : after);
    while (told < most && spec_walk_next(&walk, &slot)) {
        if (slot.due < from || is_cancelled(t, slot.at))
            continue;
        print_time(out, &slot, source_of(t, &slot), told);
        told++;
    }
}

/* Where to begin: when was asked for, now, or the end of the pause. */
static instant begin_of(const struct telling *t, const struct call *call)
{
    const struct asked *asked = call->with;
    instant from = asked->from > call->now ? asked->from : call->now;

    if ((t->cursor.flags & CURSOR_PAUSED) && t->cursor.paused_until > from)
        from = t->cursor.paused_until;
    return from;
}

static bool never_starts(const struct cursor *cursor)
{
    bool for_good = (cursor->flags & CURSOR_PAUSED) && cursor->paused_until == INSTANT_NEVER;

    return for_good || (cursor->flags & (CURSOR_DISABLED | CURSOR_QUARANTINED | CURSOR_CLOSED |
                                         CURSOR_DELETED));
}

enum call_step schedule_next_read(struct call *call, struct db *db)
{
    const struct asked *asked = call->with;
    struct answer out = answer_new(call->arena);
    struct telling t = {0};
    struct err err;

    if (read_telling(call, db, &t, &err) != RC_OK)
        return view_failed(call, &err);
    answer_text(&out, "{\"schedule\":");
    answer_quoted(&out, call->params[0]);
    answer_text(&out, ",\"status\":");
    answer_quoted(&out, str_of(schedule_status(&t.cursor)));
    answer_text(&out, ",\"timezone\":");
    answer_quoted(&out, t.plan.spec.zones[0].name);
    answer_text(&out, ",\"times\":[");
    if (never_starts(&t.cursor))
        t.is_cut = false;
    else if (t.plan.is_governed || t.plan.follows)
        tell_one(&t, asked->from, &out);
    else
        tell_many(&t, begin_of(&t, call), asked->count, &out);
    answer_text(&out, t.is_cut ? "],\"later\":\"dependsOnRuns\"}" : "]}");
    return call_answer(call, 200, answer_done(&out));
}
