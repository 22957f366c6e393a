/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resumes a schedule, or forecasts what happens to the slots of the pause (dryRun).
 */
#include <inttypes.h>

#include "api/call/change.h"
#include "api/native/native.h"
#include "api/schedules/schedule_times.h"
#include "core/pick.h"
#include "core/time/text.h"
#include "model/schedule_state.h"

enum {
    SUMS_MAX = 8,     /* pairs of outcome and reason that a resume can cause */
    ROUNDS_MAX = 100, /* of advance(), some thousand slots each              */
    TEXT_MAX = 512,
};

/* A schedule that runs every second has fewer slots than a backfill may have, a million. */
#define FROM_MAX (10 * SPAN_DAY)

struct resume_body {
    instant from;
    struct str reason;
    bool is_dry;
};

static const struct member resume_list[] = {
    {"dryRun", MEMBER_BOOL, .offset = offsetof(struct resume_body, is_dry)},
    {"from", MEMBER_INSTANT, .offset = offsetof(struct resume_body, from)},
    {"reason", MEMBER_TEXT, .offset = offsetof(struct resume_body, reason),
     .high = REASON_TEXT_MAX},
};

static const struct members resume_members = MEMBERS(resume_list);

enum call_step schedule_resume_begin(struct call *call)
{
    struct command *command = change_command(call, COMMAND_RESUME);
    struct resume_body body = {.from = INSTANT_NONE};
    bool replays;
    enum call_step step;

    if (!change_begin(call, &resume_members, &body, &step))
        return step;
    replays = body.from != INSTANT_NONE;
    if (replays && body.is_dry)
        return change_refuse(call, "from",
                             "cannot be combined with dryRun; use a backfill with dryRun and "
                             "\"only\": \"missed\"");
    if (replays && body.from > call->now)
        return change_refuse(call, "from", "is in the future");
    if (replays && body.from < call->now - FROM_MAX)
        return change_refuse(call, "from",
                             "is more than ten days ago; use a backfill for earlier slots");
    command->pause = (struct pause_args){
        .reason = body.reason, .replays = replays, .from = replays ? body.from : 0};
    return body.is_dry ? CALL_READ : CALL_COMMANDS;
}

struct forecast {
    struct account sums[SUMS_MAX];
    int sum_count;
    instant next; /* INSTANT_NEVER: none */
    bool is_cut;  /* there are more slots than were evaluated */
};

static void add_account(struct forecast *f, const struct account *more)
{
    int i = 0;

    while (i < f->sum_count &&
           (f->sums[i].outcome != more->outcome || f->sums[i].reason != more->reason))
        i++;
    if (i == SUMS_MAX)
        return;
    if (i == f->sum_count) {
        f->sums[f->sum_count++] = *more;
        return;
    }
    f->sums[i].count += more->count;
    f->sums[i].last = more->last;
}

static void add_start(struct forecast *f, instant slot)
{
    add_account(f, &(struct account){slot, slot, 1, OUTCOME_STARTED, REASON_NONE});
}

/*
 * Does what the engine would do, on a copy of the cursor.  Slots of a quarantine are dropped; a
 * schedule that is also paused has slots of the pause only.
 */
static void forecast_slots(const struct schedule_times *p, instant now, struct arena *arena,
                           struct forecast *f)
{
    const struct policies *policies = &p->plan.policies;
    struct cursor cursor = p->view.cursor;
    struct advance a = {.plan = &p->plan,
                        .ctx = p->ctx,
                        .cursor = &cursor,
                        .now = now,
                        .exceptions = p->exceptions,
                        .exception_count = p->exception_count,
                        .slots_max = ADVANCE_SLOTS_MAX};
    int64_t room = policies->buffer_limit - cursor.waiting;

    a.slots = arena_array(arena, ADVANCE_SLOTS_MAX, sizeof *a.slots);
    if (policies->drop_when_full && policies->buffer_limit > 0 && room < ADVANCE_SLOTS_MAX)
        a.slots_max = room > 0 ? (int)room : 0;
    for (int i = 0; i < ROUNDS_MAX; i++) {
        if (!(cursor.flags & CURSOR_PAUSED))
            advance_account_due(&a, OUTCOME_DROPPED, REASON_QUARANTINED);
        else if (policies->catchup_paused)
            advance(&a);
        else
            advance_account_due(&a, OUTCOME_MISSED, REASON_PAUSED);
        for (int k = 0; k < a.account_count; k++)
            add_account(f, &a.accounts[k]);
        for (int k = 0; k < a.slot_count; k++)
            add_start(f, a.slots[k].at);
        f->next = a.next_at;
        f->is_cut = a.next_due <= now;
        if (!f->is_cut || p->plan.follows || a.account_count + a.slot_count == 0)
            return;
        cursor.mark = a.mark;
        cursor.next_at = a.next_at;
        cursor.remaining -= cursor.remaining > 0 ? a.slot_count : 0;
    }
}

/*
 * If the time that the governor chose has passed, it is missed and another run starts at once.
 * With whilePaused, the run of that time starts.
 */
static void forecast_governed(const struct schedule_times *p, instant now, struct forecast *f)
{
    const struct cursor *c = &p->view.cursor;
    bool is_paused = (c->flags & CURSOR_PAUSED) != 0;
    bool keeps_pick = is_paused && p->plan.policies.catchup_paused;
    instant end = is_paused && c->paused_until < now ? c->paused_until : now;
    instant until = keeps_pick && c->next_at < end ? c->next_at - 1 : end - 1;
    struct pick pick = {.plan = &p->plan, .ctx = &p->ctx};
    struct advance a = {.plan = &p->plan,
                        .ctx = p->ctx,
                        .cursor = c,
                        .now = until,
                        .exceptions = p->exceptions,
                        .exception_count = p->exception_count};

    if (keeps_pick)
        advance_account_due(&a, OUTCOME_SKIPPED, REASON_GOVERNOR);
    else if (is_paused)
        advance_account_due(&a, OUTCOME_MISSED, REASON_PAUSED);
    else
        advance_account_due(&a, OUTCOME_DROPPED, REASON_QUARANTINED);
    for (int k = 0; k < a.account_count; k++)
        add_account(f, &a.accounts[k]);
    f->next = a.next_at;
    pick.mark = a.mark;
    if (c->next_at < end && a.next_at == INSTANT_NEVER)
        f->next = pick_allowed(&pick, end / SPAN_MS * SPAN_MS);
    if (f->next <= now)
        add_start(f, f->next);
}

static int64_t count_outcome(const struct forecast *f, enum outcome outcome)
{
    int64_t count = 0;

    for (int i = 0; i < f->sum_count; i++)
        count += f->sums[i].outcome == outcome ? f->sums[i].count : 0;
    return count;
}

static void print_text(const struct schedule_times *p, const struct forecast *f,
                       struct buf *out)
{
    const struct cursor *cursor = &p->view.cursor;
    int64_t started = count_outcome(f, OUTCOME_STARTED),
            missed = count_outcome(f, OUTCOME_MISSED);

    if (!(cursor->flags & (CURSOR_PAUSED | CURSOR_QUARANTINED))) {
        buf_text(out, "the schedule is not paused; resuming it would change nothing");
        return;
    }
    if (cursor->flags & CURSOR_DISABLED) {
        buf_text(out, "the schedule is also disabled; it would not run after it is resumed");
        return;
    }
    if (missed > 0)
        buf_printf(out, "%" PRId64 " missed slot%s would be recorded and not run; ", missed,
                   missed == 1 ? "" : "s");
    if (started > 0)
        buf_printf(out, "%" PRId64 " slot%s would run now, subject to the overlap policy %s; ",
                   started, started == 1 ? "" : "s", overlap_text(p->plan.policies.overlap));
    if (!(cursor->flags & CURSOR_PAUSED))
        buf_text(out, "the quarantine would end; its slots are dropped and do not run; ");
    else if (missed + started == 0)
        buf_text(out, "no slot has passed during the pause; ");
    if (f->next == INSTANT_NEVER) {
        buf_text(out, "it has no next run");
    } else {
        buf_text(out, "next run at ");
        instant_format(f->next, out);
    }
}

static void print_sums(const struct forecast *f, struct answer *out)
{
    instant first = INSTANT_NEVER, last = INSTANT_NONE;

    for (int i = 0; i < f->sum_count; i++) {
        first = f->sums[i].first < first ? f->sums[i].first : first;
        last = f->sums[i].last > last ? f->sums[i].last : last;
    }
    answer_put_int(out, "missed", count_outcome(f, OUTCOME_MISSED));
    answer_put_int(out, "replayed", count_outcome(f, OUTCOME_STARTED));
    answer_put_instant(out, "first", first);
    answer_put_instant(out, "last", last);
    answer_text(out, ",\"slots\":[");
    for (int i = 0; i < f->sum_count; i++) {
        const struct account *sum = &f->sums[i];

        answer_open(out);
        answer_put_word(out, "outcome", outcome_text(sum->outcome));
        answer_put_word(out, "reason",
                        sum->reason == REASON_NONE ? NULL : reason_text(sum->reason));
        answer_put_int(out, "count", sum->count);
        answer_put_instant(out, "first", sum->first);
        answer_put_instant(out, "last", sum->last);
        answer_text(out, "}");
    }
    answer_text(out, f->is_cut ? "],\"more\":true" : "]");
}

static enum call_step answer_forecast(struct call *call, const struct schedule_times *p)
{
    const struct cursor *cursor = &p->view.cursor;
    struct forecast f = {.next = cursor->next_at};
    struct answer out = answer_new(call->arena);
    char room[TEXT_MAX];
    struct buf text = BUF(room);

    if ((cursor->flags & (CURSOR_PAUSED | CURSOR_QUARANTINED)) &&
        !(cursor->flags & (CURSOR_DISABLED | CURSOR_CLOSED))) {
        if (p->plan.is_governed)
            forecast_governed(p, call->now, &f);
        else
            forecast_slots(p, call->now, call->arena, &f);
    }
    print_text(p, &f, &text);
    answer_open(&out);
    answer_put_text(&out, "schedule", call->params[0]);
    answer_put_bool(&out, "dryRun", true);
    answer_put_word(&out, "status", schedule_status(cursor));
    print_sums(&f, &out);
    answer_put_instant(&out, "nextAt", f.next);
    answer_put_text(&out, "text", buf_as_str(&text));
    answer_text(&out, "}");
    return call_answer(call, 200, answer_done(&out));
}

enum call_step schedule_resume_read(struct call *call, struct db *db)
{
    struct schedule_times *p = arena_take(call->arena, sizeof *p);
    struct err err;

    if (call->status != 0)
        return schedule_written_read(call, db); /* after the command: the schedule */
    if (schedule_times_read(call, db, p, &err) != RC_OK)
        return view_failed(call, &err);
    return answer_forecast(call, p);
}
