/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The next times of a schedule, as far as they can be computed.
 */
#include "api/call/request.h"
#include "api/native/native.h"
#include "api/schedules/no_next.h"
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
    int count;   /* printed times */
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

/*
 * At most one time is known if a governor decides or if slots count from runs; none if this one
 * is cancelled.
 */
static void print_known(struct listing *t, instant from, struct answer *out)
{
    const struct cursor *c = &t->p.view.cursor;
    instant until = c->flags & CURSOR_PAUSED ? c->paused_until : INSTANT_NONE;
    struct slot slot = schedule_times_known(&t->p);
    bool is_paused = slot.due < until;
    enum source source;

    t->is_cut = true;
    if (schedule_times_is_cancelled(&t->p, c->next_at))
        return;
    if (is_paused && t->p.plan.is_governed)
        slot.at = slot.due = schedule_times_resumed(&t->p);
    if (slot.at == INSTANT_NEVER || slot.due < from || (is_paused && !t->p.plan.is_governed))
        return;
    source = t->p.plan.is_governed ? (enum source)c->source
                                   : schedule_times_source(&t->p.plan, &slot);
    print_time(out, &slot, source_text(is_paused ? SOURCE_PAUSED : source));
    t->count++;
}

/* How many of the remaining runs are left at `from`; INT64_MAX: they are not limited. */
static int64_t find_left(const struct schedule_times *p, instant from)
{
    const struct cursor *cursor = &p->view.cursor;
    instant after = cursor->mark;
    int64_t before;

    if (cursor->remaining < 0)
        return INT64_MAX;
    if ((cursor->flags & CURSOR_PAUSED) && cursor->paused_until - 1 > after)
        after = cursor->paused_until - 1;
    before = schedule_times_planned(p, after, from - 1);
    return cursor->remaining > before ? cursor->remaining - before : 0;
}

/* Prints the slots that are due at `from` or later, without cancelled ones. */
static void print_many(struct listing *t, instant from, int64_t count, struct answer *out)
{
    const struct cursor *cursor = &t->p.view.cursor;
    instant after = from - 1 - t->p.plan.spec.jitter;
    int64_t left = find_left(&t->p, from), most = left < count ? left : count;
    struct spec_walk walk;
    struct slot slot;

    spec_walk_begin(&walk, &t->p.plan.spec, &t->p.ctx,
                    after < cursor->mark ? cursor->mark : after);
    while (t->count < most && spec_walk_next(&walk, &slot)) {
        if (slot.due < from || schedule_times_is_cancelled(&t->p, slot.at))
            continue;
        print_time(out, &slot, source_text(schedule_times_source(&t->p.plan, &slot)));
        t->count++;
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

static void print_no_next(const struct listing *t, instant from, struct answer *out)
{
    char text[NO_NEXT_TEXT_MAX];
    struct buf reason = BUF(text);

    if (t->count > 0)
        return;
    no_next_explain(&t->p, from, &reason);
    answer_put_text(out, "noNextReason", buf_as_str(&reason));
}

enum call_step schedule_next_read(struct call *call, struct db *db)
{
    const struct next_query *query = call->arg;
    struct answer out = answer_new(call->arena);
    struct listing t = {0};
    const struct cursor *cursor = &t.p.view.cursor;
    instant from;
    struct err err;

    if (schedule_times_read(call, db, &t.p, &err) != RC_OK)
        return view_failed(call, &err);
    from = find_start(&t, call);
    answer_open(&out);
    answer_put_text(&out, "schedule", call->params[0]);
    answer_put_word(&out, "status", schedule_status(cursor));
    answer_put_text(&out, "timezone", t.p.plan.spec.zones[0].name);
    answer_text(&out, ",\"times\":[");
    if (schedule_times_is_at_rest(cursor))
        t.is_cut = false;
    else if (t.p.plan.is_governed || t.p.plan.follows)
        print_known(&t, query->from, &out);
    else
        print_many(&t, from, query->count, &out);
    answer_text(&out, t.is_cut ? "],\"later\":\"dependsOnRuns\"" : "]");
    print_no_next(&t, from, &out);
    if (!t.p.plan.is_governed && !schedule_times_is_at_rest(cursor))
        schedule_times_jitter_note(call, &t.p.plan.spec, &out);
    answer_text(&out, "}");
    return call_answer(call, 200, answer_done(&out));
}
