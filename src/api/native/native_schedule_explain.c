/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explains in sentences why a schedule did, did not, will or will not run at a time: by its
 * spec, and by the outcome of the slot.
 */
#include "api/call/request.h"
#include "api/native/native.h"
#include "api/schedules/slot_entries.h"
#include "core/explain/explain.h"
#include "core/time/text.h"

enum {
    SENTENCE_MAX = EXPLAIN_TEXT_MAX + 256,
    LOCAL_TEXT_MAX = 32, /* bytes of a wall-clock time */
};

struct explain_query {
    instant at;
    bool is_local; /* `at` is a wall-clock time, stored as if it were UTC */
};

struct explanation {
    const struct call *call;
    const struct schedule_times *p;
    struct answer out;
    int sentences;
};

/* A time with an offset, or a local time of the schedule's zone; now if it is absent. */
static enum rc read_moment(const struct call *call, struct explain_query *query,
                           struct err *reterr)
{
    struct str text = request_query(call, "at");
    char room[LOCAL_TEXT_MAX + 2];
    struct buf utc = BUF(room);
    struct err local;

    query->at = call->now;
    if (text.len == 0)
        return RC_OK;
    if (instant_parse(text, &query->at, reterr) == RC_OK)
        return RC_OK;
    buf_str(&utc, text);
    if (text.len == sizeof "2026-01-01T00:00" - 1)
        buf_text(&utc, ":00");
    buf_char(&utc, 'Z');
    query->is_local = !utc.cut && instant_parse(buf_as_str(&utc), &query->at, &local) == RC_OK;
    if (query->is_local)
        return RC_OK;
    return err_in(reterr, "at");
}

enum call_step schedule_explain_begin(struct call *call)
{
    static const char *const names[] = {"at"};
    struct explain_query *query = arena_take(call->arena, sizeof *query);
    struct err err;

    if (request_name(call, 0, "schedule", &err) != RC_OK ||
        request_query_check(call, names, 1, &err) != RC_OK ||
        read_moment(call, query, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    call->arg = query;
    return CALL_READ;
}

/* Prints a phrase as a sentence, with a capital letter and a full stop. */
static void print_sentence(struct explanation *t, struct str phrase)
{
    char *text = arena_take(t->call->arena, phrase.len + 2);

    if (phrase.len == 0)
        return;
    memcpy(text, phrase.ptr, phrase.len);
    if (text[0] >= 'a' && text[0] <= 'z')
        text[0] = (char)(text[0] - ('a' - 'A'));
    text[phrase.len] = '.';
    answer_text(&t->out, t->sentences++ > 0 ? "," : "");
    answer_quoted(&t->out, (struct str){text, phrase.len + 1});
}

static const char *why_text(enum why why)
{
    static const char *const texts[] = {
        [WHY_SLOT] = "slot",
        [WHY_DUE] = "due",
        [WHY_EMPTY] = "empty",
        [WHY_NO_MATCH] = "noMatch",
        [WHY_GAP] = "gap",
        [WHY_FOLD] = "fold",
        [WHY_BEFORE_START] = "beforeStart",
        [WHY_AFTER_END] = "afterEnd",
        [WHY_EXCLUDED_DATE] = "excludedDate",
        [WHY_EXCLUDED_CALENDAR] = "excludedCalendar",
        [WHY_EXCLUDED_NAMED] = "excludedNamed",
        [WHY_OUTSIDE_WINDOW] = "outsideWindow",
    };

    return texts[why];
}

/* Why a slot was not started. */
static const char *not_started_text(enum reason reason)
{
    switch (reason) {
    case REASON_OVERLAP:
        return "it was skipped: a run of the schedule was still open, and the overlap policy "
               "allows no other run at the same time";
    case REASON_WINDOW:
        return "it was missed: when the server processed it, it was older than the catch-up "
               "window allows";
    case REASON_COALESCED:
        return "it was missed: several slots were late, and the catch-up mode runs only one "
               "of them";
    case REASON_PAUSED:
        return "it was missed: the schedule was paused or not enabled";
    case REASON_EDITED:
        return "it was missed: the schedule was edited when the slot was overdue";
    case REASON_CLOCK:
        return "it was missed: the clock jumped over it";
    case REASON_BUFFER:
        return "it was dropped: the buffer of waiting runs was full";
    case REASON_DELETED:
        return "it was dropped: the schedule was deleted";
    case REASON_QUARANTINED:
        return "it was dropped: the schedule is quarantined, because its runs crashed nodes";
    case REASON_USER:
        return "it was cancelled by a user";
    case REASON_GOVERNOR:
        return "it was skipped: the governor had chosen another time";
    default:
        return "it was not started";
    }
}

static void print_run(struct explanation *t, const struct slot_entry *entry)
{
    const struct slot_run *run = &entry->run;
    char text[SENTENCE_MAX];
    struct buf out = BUF(text);

    if (!entry->has_run) {
        buf_text(&out, "it was started; the outcome of its run is in the history");
    } else if (run->outcome == OUTCOME_NONE) {
        buf_printf(&out, "it was started, and its run is open: %s", run_state_text(run->state));
        if (run->attempt > 0)
            buf_printf(&out, ", attempt %lld", (long long)run->attempt);
    } else {
        buf_printf(&out, "it was started, and its run ended as %s", outcome_text(run->outcome));
        if (run->reason != REASON_NONE)
            buf_printf(&out, " (%s)", reason_text(run->reason));
        buf_text(&out, " at ");
        instant_format(run->ended_at, &out);
        if (run->attempt > 1)
            buf_printf(&out, " with attempt %lld", (long long)run->attempt);
    }
    print_sentence(t, buf_as_str(&out));
}

static void print_warnings(struct explanation *t)
{
    struct str texts[VIEW_WARNINGS_MAX];
    int count = view_warnings(t->call, t->p->view.row.action, t->call->arena, texts);

    for (int i = 0; i < count; i++)
        print_sentence(t, texts[i]);
}

static void print_planned(struct explanation *t, const struct slot_entry *entry)
{
    const struct cursor *cursor = &t->p->view.cursor;
    char text[SENTENCE_MAX];
    struct buf out = BUF(text);

    if (entry->reason == REASON_QUARANTINED) {
        buf_text(&out, "the schedule is quarantined; the slot will be dropped unless the "
                       "schedule is released before that time");
    } else if (entry->reason == REASON_PAUSED && (cursor->flags & CURSOR_DISABLED)) {
        buf_text(&out, "it will be missed unless the schedule is enabled before that time");
    } else if (entry->reason == REASON_PAUSED && t->p->plan.policies.catchup_paused) {
        buf_text(&out,
                 "the schedule is paused; the slot will run when the schedule is resumed");
    } else if (entry->reason == REASON_PAUSED) {
        buf_text(&out, "the schedule is paused; the slot will be missed unless the schedule is "
                       "resumed before that time");
    } else if (entry->due <= t->call->now) {
        buf_text(&out, "it is due and will be started now");
    } else {
        buf_text(&out, "it will be started");
        if (entry->due > entry->slot) {
            buf_text(&out, ", delayed by its jitter until ");
            instant_format(entry->due, &out);
        }
    }
    print_sentence(t, buf_as_str(&out));
    print_warnings(t);
}

static void print_entry(struct explanation *t, const struct slot_entry *entry)
{
    if (entry->count > 1)
        print_sentence(
            t, STR("it may belong to a range of slots; only the first, the last and the number "
                   "of these slots are recorded"));
    if (entry->outcome == OUTCOME_STARTED)
        print_run(t, entry);
    else if (entry->outcome == OUTCOME_NONE)
        print_planned(t, entry);
    else if (entry->outcome == OUTCOME_SLOT_CANCELLED && entry->due != INSTANT_NONE)
        print_sentence(t, STR("it will not be started: a user has skipped it"));
    else
        print_sentence(t, str_of(not_started_text(entry->reason)));
}

/* ---- other runs of the slot: backfills and retries ---- */

struct other_runs {
    struct db_result open, ended, not_started;
};

static void print_other_run(struct explanation *t, instant at, const struct slot_extra *other)
{
    const struct run_id run = {t->p->view.cursor.id, at / SPAN_MS, (uint32_t)other->pass};
    char id[RUN_ID_TEXT_MAX], text[SENTENCE_MAX];
    struct buf out = BUF(text);

    run_id_format(&run, id);
    buf_printf(&out, "run %s, of a backfill or a retry, ", id);
    if (other->state != RUN_ENDED)
        buf_printf(&out, "is open: %s", run_state_text(other->state));
    else
        buf_printf(&out, "ended as %s", outcome_text(other->outcome));
    print_sentence(t, buf_as_str(&out));
}

static void print_not_backfilled(struct explanation *t, const struct slot_extra *other)
{
    char text[SENTENCE_MAX];
    struct buf out = BUF(text);

    buf_printf(&out, "a backfill included it, but %s", not_started_text(other->reason));
    print_sentence(t, buf_as_str(&out));
}

static void print_other_runs(struct explanation *t, instant at, const struct other_runs *found)
{
    struct slot_extra other;

    for (int i = 0; i < found->open.rows; i++) {
        slots_extra_open_read(&found->open, i, &other);
        print_other_run(t, at, &other);
    }
    for (int i = 0; i < found->ended.rows; i++) {
        slots_extra_read(&found->ended, i, &other);
        print_other_run(t, at, &other);
    }
    for (int i = 0; i < found->not_started.rows; i++) {
        slots_extra_read(&found->not_started, i, &other);
        print_not_backfilled(t, &other);
    }
}

/* The current spec has the slot, but nothing is recorded for it. */
static void print_unrecorded(struct explanation *t, instant at)
{
    const struct schedule_view *view = &t->p->view;
    const struct cursor *cursor = &view->cursor;

    if (cursor->flags & (CURSOR_CLOSED | CURSOR_DELETED))
        print_sentence(t, STR("it will not be started: the schedule is closed"));
    else if (at <= t->p->plan.created)
        print_sentence(t, STR("it was not started: the schedule was created later"));
    else if (at > cursor->mark && t->p->plan.is_governed && cursor->remaining != 0)
        print_sentence(t, STR("the governor decides after the runs before it whether it will "
                              "be started or skipped"));
    else if (at > cursor->mark && cursor->remaining >= 0)
        print_sentence(t,
                       STR("it will not be started: the remaining runs are used up before it"));
    else if (at > cursor->mark)
        print_sentence(t, STR("its time depends on the runs before it"));
    else if (at <= view->row.updated_at)
        print_sentence(
            t, STR("nothing is recorded for it: the schedule was edited later and may not have "
                   "had this time, or the record has been pruned"));
    else
        print_sentence(t, STR("its record has been pruned"));
}

static void print_head(struct explanation *t, instant at, const struct explain *why,
                       bool is_slot)
{
    const struct spec_zone *zone = &t->p->plan.spec.zones[0];
    char text[INSTANT_TEXT_MAX];
    struct buf local = BUF(text);

    instant_format_local(at, tz_offset(zone->tz, instant_seconds(at)), &local);
    answer_put_instant(&t->out, "at", at);
    answer_put_text(&t->out, "local", buf_as_str(&local));
    answer_put_bool(&t->out, "isSlot", is_slot);
    answer_put_word(&t->out, "why", why_text(why->why));
    answer_put_instant(&t->out, "previous", why->has_prev ? why->prev.at : INSTANT_NONE);
    answer_put_instant(&t->out, "next", why->has_next ? why->next.at : INSTANT_NONE);
}

/* Slots of a governed schedule are its grid and its picks, not the times of an interval. */
static bool is_slot_of(const struct schedule_times *p, const struct explain *why,
                       const struct slot_entries *found)
{
    if (p->plan.is_governed && found->count > 0 && found->list[0].count == 1)
        return true;
    return why->why == WHY_SLOT && (!p->plan.is_governed || plan_has_grid(&p->plan));
}

static void print_why(struct explanation *t, const struct explain *why, bool is_found)
{
    bool is_governed = t->p->plan.is_governed;

    if (is_governed && !plan_has_grid(&t->p->plan)) {
        print_sentence(t, STR("the governor sets the times of this schedule; the interval of "
                              "its spec is the baseline"));
        return;
    }
    print_sentence(t, str_of(why->text));
    if (why->why == WHY_SLOT || !is_found)
        return;
    if (is_governed)
        print_sentence(t, STR("the governor chose this time, or the schedule had it with an "
                              "earlier spec or calendar"));
    else
        print_sentence(t, STR("the schedule had this time with an earlier spec or calendar"));
}

/* Prints the outcome of the slot, or of a slot of an earlier spec. */
static enum rc print_moment(struct explanation *t, struct db *db, instant at,
                            const struct explain *why, struct err *reterr)
{
    struct slot_range period = {
        .schedule = t->p->view.cursor.id, .after = at - 1, .until = at, .limit = 1};
    struct slot_entries found;
    struct other_runs other_runs = {0};
    bool is_slot;
    enum rc rc;

    slots_extra_open(db, period.schedule, at, &other_runs.open);
    slots_extra_ended(db, period.schedule, at, &other_runs.ended);
    slots_extra_not_started(db, period.schedule, at, &other_runs.not_started);
    rc = slot_entries_read(t->call, db, t->p, &period, &found, reterr);
    if (rc != RC_OK)
        return rc;
    is_slot = is_slot_of(t->p, why, &found);
    print_head(t, at, why, is_slot);
    answer_text(&t->out, ",\"sentences\":[");
    t->sentences = 0;
    print_why(t, why, found.count > 0);
    if (found.count > 0)
        print_entry(t, &found.list[0]);
    else if (is_slot)
        print_unrecorded(t, at);
    print_other_runs(t, at, &other_runs);
    answer_text(&t->out, "],\"slot\":");
    if (found.count > 0)
        slot_entry_print(t->p, &found.list[0], &t->out);
    else
        answer_text(&t->out, "null");
    return RC_OK;
}

/* A wall-clock time can be no moment, one or two. */
static int find_moments(const struct schedule_times *p, const struct explain_query *query,
                        instant ret[2])
{
    ret[0] = query->at / SPAN_MS * SPAN_MS;
    if (!query->is_local)
        return 1;
    return explain_local(&p->plan.spec, instant_seconds(query->at), ret);
}

static void print_gap(struct explanation *t, const struct explain *why)
{
    answer_text(&t->out, "\"at\":null,\"local\":null,\"isSlot\":false,\"why\":\"gap\"");
    answer_put_instant(&t->out, "previous", why->has_prev ? why->prev.at : INSTANT_NONE);
    answer_put_instant(&t->out, "next", why->has_next ? why->next.at : INSTANT_NONE);
    answer_text(&t->out, ",\"sentences\":[");
    print_sentence(t, str_of(why->text));
    answer_text(&t->out, "],\"slot\":null");
}

enum call_step schedule_explain_read(struct call *call, struct db *db)
{
    const struct explain_query *query = call->arg;
    struct schedule_times *p = arena_take(call->arena, sizeof *p);
    struct explain *why = arena_take(call->arena, sizeof *why);
    struct explanation t = {.call = call, .p = p, .out = answer_new(call->arena)};
    instant moments[2];
    struct err err;
    int count;

    if (schedule_times_read(call, db, p, &err) != RC_OK)
        return view_failed(call, &err);
    count = find_moments(p, query, moments);
    answer_open(&t.out);
    answer_put_text(&t.out, "schedule", call->params[0]);
    answer_put_text(&t.out, "timezone", p->plan.spec.zones[0].name);
    answer_text(&t.out, ",\"moments\":[{");
    if (count == 0) {
        explain_gap(&p->plan.spec, &p->ctx, instant_seconds(query->at), why);
        print_gap(&t, why);
    }
    for (int i = 0; i < count; i++) {
        answer_text(&t.out, i > 0 ? "},{" : "");
        explain_instant(&p->plan.spec, &p->ctx, moments[i], why);
        if (print_moment(&t, db, moments[i], why, &err) != RC_OK)
            return view_failed(call, &err);
    }
    answer_text(&t.out, "}]");
    if (!p->plan.is_governed)
        schedule_times_jitter_note(call, &p->plan.spec, &t.out);
    answer_text(&t.out, "}");
    return call_answer(call, 200, answer_done(&t.out));
}
