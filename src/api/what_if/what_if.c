/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers what an outage, an edit or a new schedule would do, and changes nothing.
 *
 * Reads the schedules of the namespace in batches, with the median durations of their runs, and
 * plays each of them.
 */
#include "api/what_if/what_if.h"

#include <string.h>

#include "api/call/change.h"
#include "api/call/read_size.h"
#include "api/native/native_document.h"
#include "api/native/native_draft.h"
#include "api/what_if/what_if_parts.h"
#include "model/json_time.h"
#include "store/days.h"
#include "store/schedule_pages.h"

enum {
    AT_ONCE = 50,           /* schedules of one read: each may be a whole document */
    READ_BYTES = 1 << 30,   /* of arena: enough for rows of the maximum size       */
    DURATION_DAYS = 7,      /* of which the median is taken                        */
    DURATION_ROWS_MAX = 64, /* of table days: more than seven nodes are not needed */
    SCHEDULE_STEPS = 100,   /* of struct budget, to read a schedule: some 10 µs    */
};

enum call_step what_if_begin(struct call *call)
{
    struct what_if_body *body = arena_take(call->arena, sizeof *body);
    enum call_step step;

    if (!what_if_request(call, body, &step))
        return step;
    call->arg = body;
    return CALL_READ;
}

/* What is read at a time. */
struct batch {
    struct what_if *w;
    struct db *db;
    struct arena *rows, *scratch;
    struct schedule_filter filter;
    struct read_size size;
    struct str after; /* the last id that was read */
    int done;         /* of body->ids              */
    const char *code; /* of an invalid edit        */
    bool is_last;
    struct db_result list;           /* a page of schedules */
    struct db_result found[AT_ONCE]; /* by id               */
    struct db_result days[AT_ONCE];
    struct day_sums sums;
};

/* The schedule of an edit, as it is and as it would be. */
struct edit {
    struct schedule_times old, new;
    struct what_if_subject after;
};

/* ---- durations ---- */

static void send_days(struct batch *b, int i, int64_t schedule)
{
    int64_t today = day_in_utc(b->w->call->now);
    const struct days_query query = {.subject = schedule,
                                     .from = today - DURATION_DAYS,
                                     .until = today + 1,
                                     .limit = DURATION_ROWS_MAX};

    days_of(b->db, &query, &b->days[i]);
}

static bool find_given(const struct what_if *w, struct str id, span *ret)
{
    const json_t *given = json_object_getn(w->durations, id.ptr, id.len);
    struct err err;

    return given && json_take_duration(given, ret, &err) == RC_OK;
}

static enum duration_source find_duration(struct batch *b, int i, struct str id, span *ret)
{
    *ret = 0;
    if (find_given(b->w, id, ret))
        return DURATION_GIVEN;
    day_sums_clear(&b->sums);
    for (int row = 0; row < b->days[i].rows; row++) {
        struct day_row day;

        days_read(&b->days[i], row, &day);
        if (!day_sums_unpack(&b->sums, day.body))
            return DURATION_NONE;
    }
    if (b->sums.took.total == 0)
        return DURATION_NONE;
    *ret = histogram_quantile(&b->sums.took, 500);
    *ret = *ret < 0 ? 0 : (*ret + SPAN_MS - 1) / SPAN_MS * SPAN_MS;
    return DURATION_P50;
}

/* ---- one schedule ---- */

static struct what_if_subject subject_of(const struct schedule_times *p, struct str id)
{
    return (struct what_if_subject){
        .id = id,
        .plan = &p->plan,
        .ctx = &p->ctx,
        .cursor = &p->view.cursor,
        .exceptions = p->exceptions,
        .exception_count = p->exception_count,
    };
}

/* The cursor after the edit, which ends a quarantine; one that is new has no state yet. */
static void set_cursor(const struct command *command, const struct plan *old, struct cursor *c)
{
    const struct draft *draft = command->save.draft;

    c->flags &= ~(int64_t)(CURSOR_DISABLED | CURSOR_QUARANTINED);
    c->flags |= draft->is_disabled ? CURSOR_DISABLED : 0;
    if (draft->sets_pause) {
        c->flags &= ~(int64_t)CURSOR_PAUSED;
        c->flags |= draft->is_paused ? CURSOR_PAUSED : 0;
        c->paused_until = command->save.pause_until;
    }
    c->next_at = draft->plan.is_governed ? INSTANT_NEVER : c->mark;
    if (!old || old->policies.remaining_runs != draft->plan.policies.remaining_runs)
        c->remaining = draft->plan.policies.remaining_runs;
}

static struct cursor new_cursor(instant now)
{
    return (struct cursor){
        .mark = now,
        .next_at = INSTANT_NEVER,
        .paused_until = INSTANT_NEVER,
        .last_slot = INSTANT_NONE,
        .last_held = INSTANT_NONE,
        .last_start = INSTANT_NONE,
        .last_end = INSTANT_NONE,
        .last_ok = INSTANT_NONE,
        .hint_at = INSTANT_NEVER,
        .hint_expires = INSTANT_NONE,
    };
}

/* Compiles a document to edit->new; `old` is NULL for a new schedule. */
static enum rc compile(struct batch *b, const json_t *document,
                       const struct schedule_times *old, struct edit *edit, struct err *reterr)
{
    struct call *call = b->w->call;
    struct command command = command_new(COMMAND_PUT);
    struct schedule_times *p = &edit->new;
    struct wanted_hint hint;
    enum rc rc = native_draft(call, document, old ? old->view.row.name : (struct str){NULL, 0},
                              &command, &hint, reterr);

    if (rc != RC_OK) {
        b->code = call_code(reterr);
        return rc;
    }
    *p = (struct schedule_times){.plan = command.save.draft->plan};
    if (old) {
        *p = *old;
        p->plan = command.save.draft->plan;
    } else {
        p->view.cursor = new_cursor(call->now);
    }
    p->plan.created = old ? old->plan.created : call->now;
    set_cursor(&command, old ? &old->plan : NULL, &p->view.cursor);
    p->ctx = advance_ctx(&p->plan, &p->view.cursor);
    p->ctx.budget = call->budget;
    edit->after = subject_of(p, command.name);
    return schedule_times_calendars(call, b->db, &p->plan.spec, &p->ctx, reterr);
}

static enum rc compile_patched(struct batch *b, struct edit *edit, struct err *reterr)
{
    struct call *call = b->w->call;
    json_auto_t *patch = json_of_kept(b->w->body->patch), *document = NULL;
    struct str base;
    enum rc rc = native_document_base(call, &edit->old.view, &base, reterr);

    if (rc != RC_OK)
        return rc;
    document = native_document_patched(base, patch);
    rc = compile(b, document, &edit->old, edit, reterr);
    if (rc == RC_OK)
        return rc;
    err_in(reterr, "patch");
    return err_in(reterr, "patch");
}

/* Plays a schedule of the batch; `i` is its place in b->days. */
static enum rc play_view(struct batch *b, const struct schedule_view *view, int i,
                         struct err *reterr)
{
    struct call inner = *b->w->call;
    struct schedule_times p = {.view = *view};
    struct what_if_subject subject;
    enum rc rc;

    if (b->w->schedules++ == WHAT_IF_SCHEDULES_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0,
                       "the question concerns more than %d schedules; use filter",
                       WHAT_IF_SCHEDULES_MAX);
    arena_reset(b->scratch);
    inner.arena = b->scratch;
    rc = schedule_times_fill(&inner, b->db, &p, reterr);
    b->w->unknown += rc == RC_CONFLICT;
    if (rc != RC_OK)
        return rc == RC_CONFLICT ? RC_OK : rc;
    subject = subject_of(&p, view->row.name);
    subject.source = find_duration(b, i, subject.id, &subject.duration);
    what_if_play(b->w, &subject, NULL);
    if (b->w->has_too_many_slots)
        return err_set(reterr, RC_LIMIT, -1, 0,
                       "the schedules have more than %d slots in this time; use a shorter time "
                       "or filter",
                       WHAT_IF_SLOTS_MAX);
    return RC_OK;
}

/* ---- batches ---- */

static bool is_selected(const struct batch *b, const struct schedule_view *view)
{
    const struct what_if_body *body = b->w->body;

    /* The schedule of an edit is played on its own. */
    if (body->kind == WHAT_IF_PATCH && str_eq(view->row.name, body->schedule))
        return false;
    return schedule_filter_fits(&b->filter, view);
}

static void send_page(struct batch *b)
{
    const struct schedule_batch page = {
        .namespace = b->w->call->namespace,
        .order = ORDER_NAME,
        .after = {.name = b->after},
        .limit = b->size.rows,
    };

    schedule_pages_read(b->db, &page, &b->list);
}

static int send_named(struct batch *b)
{
    const struct what_if_body *body = b->w->body;
    int left = body->id_count - b->done;
    int count = left < b->size.rows ? left : b->size.rows;

    for (int i = 0; i < count; i++)
        schedule_views_find(b->db, b->w->call->namespace, body->ids[b->done + i], &b->found[i]);
    return count;
}

/* Reads the next schedules.  *ret_is_cut: they were too large together, see read_size.h. */
static enum rc read_views(struct batch *b, struct schedule_view *views, int *ret_count,
                          bool *ret_is_cut, struct err *reterr)
{
    bool is_named = b->w->body->id_count > 0;
    int count = 0, rows = 0;
    enum rc rc;

    b->list = (struct db_result){0};
    memset(b->found, 0, sizeof b->found);
    if (is_named)
        rows = send_named(b);
    else
        send_page(b);
    rc = db_flush(b->db, b->rows, reterr);
    *ret_is_cut = read_size_is_cut(&b->size, b->db, rc);
    if (*ret_is_cut || rc != RC_OK)
        return *ret_is_cut ? RC_OK : rc;
    for (int i = 0; i < rows; i++)
        if (b->found[i].rows == 1)
            schedule_views_read(&b->found[i], 0, &views[count++]);
    for (; !is_named && count < b->list.rows; count++)
        schedule_views_read(&b->list, count, &views[count]);
    b->done += rows;
    b->is_last = is_named ? b->done == b->w->body->id_count : count < b->size.rows;
    if (!is_named && count > 0)
        b->after = arena_str(b->w->call->arena, views[count - 1].row.name);
    *ret_count = count;
    return RC_OK;
}

static enum rc play_batch(struct batch *b, struct err *reterr)
{
    struct schedule_view *views;
    struct str after = b->after;
    int count = 0, done = b->done;
    bool is_cut;
    enum rc rc;

    arena_reset(b->rows);
    views = arena_array(b->rows, AT_ONCE, sizeof *views);
    rc = read_views(b, views, &count, &is_cut, reterr);
    if (rc != RC_OK || is_cut)
        return rc;
    memset(b->days, 0, sizeof b->days);
    for (int i = 0; i < count; i++)
        if (is_selected(b, &views[i]))
            send_days(b, i, views[i].cursor.id);
    rc = db_flush(b->db, b->rows, reterr);
    if (read_size_is_cut(&b->size, b->db, rc)) {
        b->after = after;
        b->done = done;
        b->is_last = false;
        return RC_OK;
    }
    for (int i = 0; rc == RC_OK && i < count; i++) {
        if (!budget_spend(b->w->call->budget, SCHEDULE_STEPS))
            break;
        if (is_selected(b, &views[i]))
            rc = play_view(b, &views[i], i, reterr);
    }
    return rc;
}

static enum rc play_all(struct batch *b, struct err *reterr)
{
    const struct budget *budget = b->w->call->budget;
    enum rc rc = RC_OK;

    while (rc == RC_OK && !b->is_last && !(budget && budget->is_over))
        rc = play_batch(b, reterr);
    return rc;
}

/* ---- the edit ---- */

static enum rc play_patch(struct batch *b, struct err *reterr)
{
    struct call *call = b->w->call;
    struct edit *edit = arena_take(call->arena, sizeof *edit);
    struct what_if_subject before;
    enum rc rc;

    call->params[0] = b->w->body->schedule;
    rc = schedule_times_read(call, b->db, &edit->old, reterr);
    if (rc == RC_OK)
        rc = compile_patched(b, edit, reterr);
    if (rc != RC_OK)
        return rc;
    memset(b->days, 0, sizeof b->days);
    send_days(b, 0, edit->old.view.cursor.id);
    rc = db_flush(b->db, b->rows, reterr);
    if (rc != RC_OK)
        return rc;
    before = subject_of(&edit->old, b->w->body->schedule);
    before.source = find_duration(b, 0, before.id, &before.duration);
    edit->after.source = before.source;
    edit->after.duration = before.duration;
    b->w->schedules++;
    what_if_play(b->w, &before, &edit->after);
    return RC_OK;
}

static enum rc play_new(struct batch *b, struct err *reterr)
{
    json_auto_t *document = json_of_kept(b->w->body->document);
    struct edit *edit = arena_take(b->w->call->arena, sizeof *edit);
    enum rc rc = compile(b, document, NULL, edit, reterr);
    if (rc != RC_OK)
        return err_in(reterr, "schedule");
    memset(b->days, 0, sizeof b->days);
    edit->after.source = find_duration(b, 0, edit->after.id, &edit->after.duration);
    b->w->schedules++;
    what_if_play(b->w, NULL, &edit->after);
    return RC_OK;
}

static enum rc play_question(struct batch *b, struct err *reterr)
{
    enum rc rc = RC_OK;

    if (b->w->body->kind == WHAT_IF_PATCH)
        rc = play_patch(b, reterr);
    else if (b->w->body->kind == WHAT_IF_NEW)
        rc = play_new(b, reterr);
    return rc == RC_OK ? play_all(b, reterr) : rc;
}

static void begin_load(struct what_if *w)
{
    const struct what_if_body *body = w->body;
    instant until = body->to + (body->kind == WHAT_IF_DOWN ? WHAT_IF_AFTER : 0);
    struct what_if_load *load = &w->load;

    load->from = instant_seconds(body->from) / 60 * SPAN_MIN;
    load->minutes = (int)((until - load->from + SPAN_MIN - 1) / SPAN_MIN);
    load->before = arena_array(w->call->arena, (size_t)load->minutes, sizeof *load->before);
    load->after = arena_array(w->call->arena, (size_t)load->minutes, sizeof *load->after);
}

enum call_step what_if_read(struct call *call, struct db *db)
{
    const struct what_if_body *body = call->arg;
    json_auto_t *durations = body->durations.len > 0 ? json_of_kept(body->durations) : NULL;
    struct what_if w = {.call = call, .body = body, .durations = durations};
    struct batch *b = arena_take(call->arena, sizeof *b);
    struct err err;
    enum rc rc;

    *b = (struct batch){.w = &w,
                        .db = db,
                        .rows = arena_new(READ_BYTES),
                        .scratch = arena_new(SCHEDULE_BYTES_MAX),
                        .filter = {.queue = body->queue},
                        .size = read_size_of(AT_ONCE)};
    schedule_filter_set_label(&b->filter, body->label);
    w.room = arena_take(call->arena, sizeof *w.room);
    w.fates = arena_array(call->arena, WHAT_IF_PLAYED_MAX, sizeof *w.fates);
    begin_load(&w);
    rc = play_question(b, &err);
    arena_free(b->rows);
    arena_free(b->scratch);
    if (rc == RC_OK)
        return what_if_answer(&w);
    if (rc == RC_LIMIT || b->code)
        return call_refuse(call, b->code ? b->code : "limit", &err);
    return view_failed(call, &err);
}
