/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plays one schedule twice, without and with the change, and notes what becomes of its slots.
 */
#include <string.h>

#include "api/what_if/what_if_parts.h"
#include "base/must.h"

/* The notes of one play. */
struct notes {
    struct what_if *w;
    int32_t *load[2]; /* to which starts are added; the second may be NULL */
    bool is_counted;  /* its slots count against WHAT_IF_SLOTS_MAX         */
    bool has_outage;  /* only what the outage delays is in `counts`        */
    struct what_if_counts counts;
    int fate_count; /* of w->fates                                           */
    int first_open; /* of those, no earlier one waits for its end            */
};

static void add_load(const struct notes *n, instant at)
{
    const struct what_if_load *load = &n->w->load;
    int64_t minute = (at - load->from) / SPAN_MIN;

    if (at < load->from || minute >= load->minutes)
        return;
    n->load[0][minute]++;
    if (n->load[1])
        n->load[1][minute]++;
}

/*
 * True if a slot belongs to the answer.  When the server is back, it decides every slot that is
 * due by then, including one that is due at that moment.
 */
static bool is_asked(const struct notes *n, const struct forecast_note *note)
{
    const struct what_if_body *body = n->w->body;
    bool is_new = note->kind == FORECAST_ACCOUNT || note->kind == FORECAST_LISTED;

    if (!is_new && (n->counts.due == 0 || note->account.first < n->counts.first))
        return false; /* it was listed before */
    if (n->has_outage)
        return note->at >= body->to && note->due <= body->to;
    return note->due >= body->from && note->due < body->to;
}

static void count_due(struct what_if_counts *counts, const struct account *account)
{
    if (counts->due == 0 || account->first < counts->first)
        counts->first = account->first;
    if (counts->due == 0 || account->last > counts->last)
        counts->last = account->last;
    counts->due += account->count;
}

static void add_fate(struct notes *n, const struct account *account, enum outcome outcome)
{
    if (n->fate_count < WHAT_IF_PLAYED_MAX)
        n->w->fates[n->fate_count++] = (struct what_if_fate){
            .slot = account->first,
            .last = account->last,
            .count = account->count,
            .outcome = outcome,
            .reason = account->reason,
            .starts = INSTANT_NEVER,
        };
}

/* The end of a slot that was listed before; most end in the order in which they were listed. */
static void end_fate(struct notes *n, const struct forecast_note *note)
{
    struct what_if_fate *fates = n->w->fates;

    while (n->first_open < n->fate_count && fates[n->first_open].outcome != OUTCOME_NONE)
        n->first_open++;
    for (int i = n->first_open; i < n->fate_count; i++) {
        if (fates[i].slot != note->account.first || fates[i].outcome != OUTCOME_NONE)
            continue;
        fates[i].outcome = note->account.outcome;
        fates[i].reason = note->account.reason;
        if (note->kind == FORECAST_BEGUN)
            fates[i].starts = note->at;
        return;
    }
}

/* Consecutive slots that do not start become one entry.  Returns how many entries there are. */
static int merge_fates(struct notes *n)
{
    struct what_if_fate *fates = n->w->fates;
    int count = 0;

    for (int i = 0; i < n->fate_count; i++) {
        struct what_if_fate *last = count > 0 ? &fates[count - 1] : NULL;

        if (last && last->starts == INSTANT_NEVER && fates[i].starts == INSTANT_NEVER &&
            last->outcome == fates[i].outcome && last->reason == fates[i].reason) {
            last->last = fates[i].last;
            last->count += fates[i].count;
        } else {
            fates[count++] = fates[i];
        }
    }
    return count < WHAT_IF_FATES_MAX ? count : WHAT_IF_FATES_MAX;
}

/* Slots that do not start even without the change are not the subject. */
static void note_account(struct notes *n, const struct account *account)
{
    struct what_if_counts *counts = &n->counts;

    if (account->outcome == OUTCOME_MISSED && account->reason == REASON_WINDOW)
        counts->window += account->count;
    else if (account->outcome == OUTCOME_MISSED && account->reason == REASON_COALESCED)
        counts->coalesced += account->count;
    else if (account->outcome == OUTCOME_DROPPED)
        counts->dropped += account->count;
    else
        return;
    count_due(counts, account);
    add_fate(n, account, account->outcome);
}

static bool take_note(void *arg, const struct forecast_note *note)
{
    struct notes *n = arg;
    struct what_if *w = n->w;

    if (note->kind == FORECAST_BEGUN)
        add_load(n, note->at);
    if (n->is_counted && (note->kind == FORECAST_LISTED || note->kind == FORECAST_ACCOUNT))
        w->slots += note->account.count;
    w->has_too_many_slots |= w->slots > WHAT_IF_SLOTS_MAX;
    if (is_asked(n, note)) {
        switch (note->kind) {
        case FORECAST_ACCOUNT:
            note_account(n, &note->account);
            break;
        case FORECAST_LISTED:
            n->counts.caught_up += n->has_outage && note->due < w->body->to;
            count_due(&n->counts, &note->account);
            add_fate(n, &note->account, OUTCOME_NONE);
            break;
        case FORECAST_BEGUN:
            n->counts.started++;
            end_fate(n, note);
            break;
        case FORECAST_SKIPPED:
        case FORECAST_EXPIRED:
            n->counts.skipped++;
            end_fate(n, note);
            break;
        }
    }
    return !w->has_too_many_slots;
}

/* Slots that still wait for room at the end of the play. */
static void add_undecided(struct notes *n, struct forecast *f)
{
    struct account left = {.outcome = OUTCOME_DROPPED, .reason = REASON_NONE};
    struct schedule_times_count count;

    if (!n->has_outage || !(f->cursor.flags & CURSOR_FULL))
        return;
    count = schedule_times_count(f->plan, &f->ctx, f->cursor.mark, n->w->body->to, 1);
    if (count.count == 0)
        return;
    left.first = count.first;
    left.last = count.last;
    left.count = count.count;
    count_due(&n->counts, &left);
    add_fate(n, &left, OUTCOME_NONE);
}

/* A run that is open now is taken to last as long as the others. */
static void begin_now(const struct what_if *w, const struct what_if_subject *s,
                      struct forecast *f)
{
    instant started = s->cursor->last_start, now = w->call->now;
    instant ends = started == INSTANT_NONE ? now : instant_after(started, s->duration);

    forecast_begin(f, now);
    if (s->cursor->open > 0)
        forecast_add_open(f, (struct forecast_run){started, ends > now ? ends : now});
}

/* Returns false if some slots were not decided. */
static bool play(const struct what_if_subject *s, struct notes *n)
{
    struct what_if *w = n->w;
    const struct what_if_load *load = &w->load;
    struct forecast f = {
        .plan = s->plan,
        .calendars = s->ctx->calendars,
        .budget = w->call->budget,
        .exceptions = s->exceptions,
        .exception_count = s->exception_count,
        .duration = s->duration,
        .down_from = w->body->from,
        .down_to = n->has_outage ? w->body->to : w->body->from,
        .until = load->from + load->minutes * SPAN_MIN,
        .room = w->room,
        .note = take_note,
        .arg = n,
        .cursor = *s->cursor,
    };

    if (forecast_depends_on_runs(s->plan, s->cursor) && load->from >= w->call->now)
        begin_now(w, s, &f);
    else
        forecast_begin_at(&f, load->from);
    forecast_play(&f);
    add_undecided(n, &f);
    return !f.is_cut;
}

static struct what_if_row *add_row(struct what_if *w)
{
    if (w->row_count == w->row_room) {
        int room = w->row_room == 0 ? 64 : 2 * w->row_room;
        struct what_if_row *rows = arena_array(w->call->arena, (size_t)room, sizeof *rows);

        if (w->row_count > 0)
            memcpy(rows, w->rows, (size_t)w->row_count * sizeof *rows);
        w->rows = rows;
        w->row_room = room;
    }
    return &w->rows[w->row_count++];
}

static void keep_row(struct what_if *w, const struct what_if_subject *s, struct notes *n,
                     const struct what_if_counts *before, bool is_whole)
{
    int count = merge_fates(n);
    struct what_if_fate *fates = arena_array(w->call->arena, (size_t)count, sizeof *fates);

    if (count > 0)
        memcpy(fates, w->fates, (size_t)count * sizeof *fates);
    *add_row(w) = (struct what_if_row){
        .id = arena_str(w->call->arena, s->id),
        .counts = n->counts,
        .before = *before,
        .fates = fates,
        .fate_count = count,
        .catchup = s->plan->policies.catchup,
        .overlap = s->plan->policies.overlap,
        .duration = s->duration,
        .source = s->source,
        .depends_on_runs = plan_follows(s->plan),
        .is_cut = !is_whole,
    };
}

static bool needs_duration(const struct plan *plan)
{
    return plan->policies.overlap != OVERLAP_ALLOW_ALL || plan_follows(plan);
}

/* True if it will start no run by itself until it is changed. */
static bool is_at_rest(const struct what_if_subject *s)
{
    return schedule_times_is_at_rest(s->cursor);
}

static void play_outage(struct what_if *w, const struct what_if_subject *s)
{
    struct notes n = {.w = w, .load = {w->load.before}, .is_counted = true};
    const struct what_if_counts none = {0};
    bool is_whole;

    (void)play(s, &n);
    n = (struct notes){.w = w, .load = {w->load.after}, .has_outage = true};
    is_whole = play(s, &n);
    if (n.counts.due == 0)
        return;
    if (needs_duration(s->plan))
        w->sources[s->source]++;
    keep_row(w, s, &n, &none, is_whole);
}

static void play_edit(struct what_if *w, const struct what_if_subject *s,
                      const struct what_if_subject *edited)
{
    struct notes n = {.w = w, .load = {w->load.before}, .is_counted = true};
    struct what_if_counts before;
    bool is_whole = true;

    if (s && !is_at_rest(s))
        (void)play(s, &n);
    before = n.counts;
    n = (struct notes){.w = w, .load = {w->load.after}, .is_counted = true};
    if (!is_at_rest(edited))
        is_whole = play(edited, &n);
    if (needs_duration(edited->plan))
        w->sources[edited->source]++;
    keep_row(w, edited, &n, &before, is_whole);
}

void what_if_play(struct what_if *w, const struct what_if_subject *s,
                  const struct what_if_subject *edited)
{
    if (edited) {
        play_edit(w, s, edited);
    } else if (is_at_rest(s)) {
        return;
    } else if (w->body->kind == WHAT_IF_DOWN) {
        play_outage(w, s);
    } else {
        struct notes n = {.w = w, .load = {w->load.before, w->load.after}, .is_counted = true};

        (void)play(s, &n);
    }
}
