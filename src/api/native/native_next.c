/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The next times of a schedule, as far as they can be computed.
 */
#include "api/call/request.h"
#include "api/native/native.h"
#include "api/schedules/schedule_times.h"
#include "core/policy/governor.h"
#include "model/schedule_state.h"

enum {
    NEXT_DEFAULT = 10,
    NEXT_MAX = 1000,
};

struct next_query {
    int64_t count;
    instant from; /* INSTANT_NONE: from now on */
};

struct listing {
    struct schedule_times p;
    bool is_cut; /* there may be more, but they depend on runs that have not ended */
};

enum call_step schedule_next_begin(struct call *call)
{
    static const char *const names[] = {"count", "from"};
    struct next_query *query = arena_take(call->arena, sizeof *query);
    struct err err;

    *query = (struct next_query){.count = NEXT_DEFAULT, .from = INSTANT_NONE};
    if (request_name(call, 0, "schedule", &err) != RC_OK ||
        request_query_check(call, names, 2, &err) != RC_OK ||
        request_query_int(call, "count", 1, NEXT_MAX, &query->count, &err) != RC_OK ||
        request_query_instant(call, "from", &query->from, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    call->arg = query;
    return CALL_READ;
}

static void print_time(struct answer *out, const struct slot *slot, const char *source)
{
    answer_open(out);
    answer_put_instant(out, "slot", slot->at);
    answer_put_instant(out, "due", slot->due);
    answer_put_word(out, "source", source);
    answer_text(out, "}");
}

/* Only one time is known if a governor decides or if slots count from the end of a run. */
static void print_only(struct listing *t, instant from, struct answer *out)
{
    const struct cursor *c = &t->p.view.cursor;
    instant until = c->flags & CURSOR_PAUSED ? c->paused_until : INSTANT_NONE;
    struct slot slot = schedule_times_only(&t->p);
    bool is_late = slot.due < until;
    enum source source;

    t->is_cut = true;
    if (is_late)
        slot.at = slot.due = until;
    if (slot.at == INSTANT_NEVER || slot.due < from || (is_late && !t->p.plan.is_governed))
        return;
    source = t->p.plan.is_governed ? (enum source)c->source
                                   : schedule_times_source(&t->p.plan, &slot);
    print_time(out, &slot, source_text(is_late ? SOURCE_PAUSED : source));
}

/* Prints the slots that are due at `from` or later, without cancelled ones. */
static void print_many(struct listing *t, instant from, int64_t count, struct answer *out)
{
    const struct cursor *cursor = &t->p.view.cursor;
    instant after = from - 1 - t->p.plan.spec.jitter;
    bool is_limited = cursor->remaining >= 0 && cursor->remaining < count;
    int64_t most = is_limited ? cursor->remaining : count;
    struct spec_walk walk;
    struct slot slot;
    int printed = 0;

    spec_walk_begin(&walk, &t->p.plan.spec, &t->p.ctx,
                    after < cursor->mark ? cursor->mark : after);
    while (printed < most && spec_walk_next(&walk, &slot)) {
        if (slot.due < from || schedule_times_is_cancelled(&t->p, slot.at))
            continue;
        print_time(out, &slot, source_text(schedule_times_source(&t->p.plan, &slot)));
        printed++;
    }
}

/* The latest of the requested start, now, and the end of the pause. */
static instant find_start(const struct listing *t, const struct call *call)
{
    const struct next_query *query = call->arg;
    instant from = query->from > call->now ? query->from : call->now;

    if ((t->p.view.cursor.flags & CURSOR_PAUSED) && t->p.view.cursor.paused_until > from)
        from = t->p.view.cursor.paused_until;
    return from;
}

enum call_step schedule_next_read(struct call *call, struct db *db)
{
    const struct next_query *query = call->arg;
    struct answer out = answer_new(call->arena);
    struct listing t = {0};
    const struct cursor *cursor = &t.p.view.cursor;
    struct err err;

    if (schedule_times_read(call, db, &t.p, &err) != RC_OK)
        return view_failed(call, &err);
    answer_open(&out);
    answer_put_text(&out, "schedule", call->params[0]);
    answer_put_word(&out, "status", schedule_status(cursor));
    answer_put_text(&out, "timezone", t.p.plan.spec.zones[0].name);
    answer_text(&out, ",\"times\":[");
    if (schedule_times_is_at_rest(cursor))
        t.is_cut = false;
    else if (t.p.plan.is_governed || t.p.plan.follows)
        print_only(&t, query->from, &out);
    else
        print_many(&t, find_start(&t, call), query->count, &out);
    answer_text(&out, t.is_cut ? "],\"later\":\"dependsOnRuns\"" : "]");
    if (!t.p.plan.is_governed && !schedule_times_is_at_rest(cursor))
        schedule_times_note_spread(call, &t.p.plan.spec, &out);
    answer_text(&out, "}");
    return call_answer(call, 200, answer_done(&out));
}
