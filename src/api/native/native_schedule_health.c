/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The health of a schedule: whether it is late or failing, and warnings for its owner.
 */
#include <inttypes.h>

#include "api/call/request.h"
#include "api/native/native.h"
#include "api/schedules/no_next.h"
#include "api/schedules/run_rate.h"
#include "core/explain/explain.h"
#include "core/time/text.h"
#include "model/json_time.h"
#include "model/schedule_state.h"
#include "store/named_objects.h"

enum {
    RUNS_DEFAULT = 20, /* last runs to evaluate */
    RUNS_MAX = 100,
    ATTEMPTS_PER_RUN = 4, /* rows to read for each of these runs          */
    OPEN_MAX = 100,       /* open runs to evaluate                        */
    WARNING_MAX = NO_NEXT_TEXT_MAX,
};

/* An hour; a poll is stored up to QUEUE_POLL_NOTED late. */
#define POLLED_WITHIN  (SPAN_H + QUEUE_POLL_NOTED)
#define SERVER_SETTLED (10 * SPAN_MIN) /* after a start: workers connect and poll again */
#define LATE_AFTER     SPAN_MIN        /* for schedules without a lateness budget */

/* The runs to evaluate. */
struct health_query {
    int64_t most;
    instant from; /* ended then or later; INSTANT_NONE: any time */
};

struct health {
    const struct call *call;
    struct schedule_times p;
    struct health_query query;
    struct attempt_view *last;
    int last_count, succeeded, failed;
    int timed;          /* of the last runs: those that started                          */
    span duration;      /* of these, in total                                            */
    int late;           /* of the last runs: began later than the lateness budget allows */
    instant late_since; /* INSTANT_NEVER: it is not late                                 */
    instant approval_since;
    struct str queue;      /* that no worker polls; empty: none                         */
    instant next_at;       /* of the next slot that will run; INSTANT_NEVER: none */
    instant failing_since; /* end of the first consecutive failure; INSTANT_NONE: unknown */
    struct answer out;
    int warnings;
};

enum call_step schedule_health_begin(struct call *call)
{
    static const char *const names[] = {"runs", "from"};
    struct health_query *query = arena_take(call->arena, sizeof *query);
    struct err err;

    *query = (struct health_query){RUNS_DEFAULT, INSTANT_NONE};
    if (request_name(call, 0, "schedule", &err) != RC_OK ||
        request_query_check(call, names, 2, &err) != RC_OK ||
        request_query_int(call, "runs", 1, RUNS_MAX, &query->most, &err) != RC_OK ||
        request_query_instant(call, "from", &query->from, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    call->arg = query;
    return CALL_READ;
}

/* Only for runs with one attempt: the start of the first attempt is not kept for others. */
static bool has_broken_budget(const struct health *h, const struct history_row *row)
{
    span budget = h->p.plan.policies.lateness_budget;

    return budget > 0 && row->attempt == 1 && row->started_at != INSTANT_NONE &&
           row->started_at - row->due > budget;
}

static void evaluate_ended(struct health *h, const struct db_result *rows)
{
    h->last = arena_array(h->call->arena, (size_t)rows->rows, sizeof *h->last);
    for (int i = 0; i < rows->rows && h->last_count < h->query.most; i++) {
        struct attempt_view *view = &h->last[h->last_count];

        attempt_views_read(rows, i, view);
        if (view->row.ended_at < h->query.from)
            break;
        if (!view->row.last || view->row.kind == RUN_TEST)
            continue;
        h->last_count++;
        if (view->row.started_at != INSTANT_NONE) {
            h->duration += view->row.ended_at - view->row.started_at;
            h->timed++;
        }
        h->late += has_broken_budget(h, &view->row);
        h->succeeded += view->row.outcome == OUTCOME_SUCCEEDED;
        h->failed += outcome_is_failure(view->row.outcome);
    }
}

static span late_after(const struct health *h)
{
    span budget = h->p.plan.policies.lateness_budget;

    return budget > 0 ? budget : LATE_AFTER;
}

static void note_lateness(struct health *h, instant due)
{
    if (due <= h->call->now - late_after(h) && due < h->late_since)
        h->late_since = due;
}

static void evaluate_open(struct health *h, const struct db_result *rows)
{
    for (int i = 0; i < rows->rows; i++) {
        struct run_view view;

        run_views_read(rows, i, &view);
        if (view.run.state == RUN_READY)
            note_lateness(h, view.run.due);
        if (view.run.state == RUN_APPROVAL && view.run.created_at < h->approval_since)
            h->approval_since = view.run.created_at;
    }
}

/* Notes lateness if the next slot should have been started already. */
static void evaluate_next(struct health *h)
{
    const struct cursor *cursor = &h->p.view.cursor;

    if (schedule_times_is_at_rest(cursor) || (cursor->flags & (CURSOR_PAUSED | CURSOR_FULL)) ||
        cursor->next_at == INSTANT_NEVER || cursor->remaining == 0)
        return;
    note_lateness(h, cursor->next_at + h->p.plan.spec.jitter);
}

static enum rc read_runs(struct health *h, struct db *db, struct err *reterr)
{
    const struct call *call = h->call;
    struct run_id before = {h->p.view.cursor.id, INSTANT_MAX / SPAN_MS, UINT32_MAX};
    struct db_result open = {0}, ended = {0}, failing = {0};
    int64_t failures = h->p.view.cursor.failures;
    enum rc rc;

    run_views_of_schedule(db, &before, OPEN_MAX, &open);
    attempt_views_of_schedule(db, h->p.view.cursor.id, INT64_MAX,
                              (int)h->query.most * ATTEMPTS_PER_RUN, &ended);
    if (failures > 0)
        attempt_views_failing_since(db, h->p.view.cursor.id, failures, &failing);
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    evaluate_open(h, &open);
    evaluate_ended(h, &ended);
    if (failing.rows == 1)
        h->failing_since = db_int_at(&failing, 0, 0);
    evaluate_next(h);
    return RC_OK;
}

/* Notes the queue if no worker has polled it for an hour, while the schedule waited for one. */
static enum rc read_queue(struct health *h, struct db *db, struct err *reterr)
{
    instant now = h->call->now, since = h->p.view.row.updated_at;
    struct db_result result = {0};
    struct queue_row row;
    enum rc rc;

    if (h->p.plan.lane != LANE_PULL || schedule_times_is_at_rest(&h->p.view.cursor) ||
        h->call->context->parts.started_at > now - SERVER_SETTLED)
        return RC_OK;
    queues_get(db, h->p.plan.queue, &result);
    rc = db_flush(db, h->call->arena, reterr);
    if (rc != RC_OK || result.rows == 0)
        return rc;
    queues_read(&result, 0, &row);
    since = row.polled_at > since ? row.polled_at : since;
    if (since < now - POLLED_WITHIN)
        h->queue = row.name;
    return RC_OK;
}

/* The same time as in the state of the schedule. */
static enum rc read_next(struct health *h, struct db *db, struct err *reterr)
{
    struct schedule_view view = h->p.view;
    enum rc rc = schedule_times_next(h->call, db, h->call->arena, &view, reterr);

    h->next_at = schedule_next_at(&view.cursor);
    return rc;
}

/* Warnings. */

static struct buf warning_buf(char text[static WARNING_MAX])
{
    return (struct buf){.ptr = text, .cap = WARNING_MAX};
}

static void print_warning(struct health *h, const struct buf *text)
{
    answer_text(&h->out, h->warnings++ > 0 ? "," : "");
    answer_quoted(&h->out, buf_as_str(text));
}

static void warn_if_stopped(struct health *h)
{
    char text[WARNING_MAX];

    for (int i = 0; i < NO_NEXT_STOPS; i++) {
        struct buf out = warning_buf(text);

        if (no_next_stopped(&h->p.view, (enum no_next_stop)i, &out))
            print_warning(h, &out);
    }
}

static void warn_of_server(struct health *h)
{
    struct str texts[VIEW_WARNINGS_MAX];
    int count = view_warnings(h->call, h->p.view.row.action, h->call->arena, texts);

    for (int i = 0; i < count; i++) {
        answer_text(&h->out, h->warnings++ > 0 ? "," : "");
        answer_quoted(&h->out, texts[i]);
    }
}

static void warn_of_failures(struct health *h)
{
    int64_t failures = h->p.view.cursor.failures;
    char text[WARNING_MAX];
    struct buf out = warning_buf(text);

    if (failures == 0)
        return;
    if (failures == 1)
        buf_text(&out, "its last run failed");
    else
        buf_printf(&out, "its last %" PRId64 " runs failed", failures);
    if (failures > 1 && h->failing_since != INSTANT_NONE) {
        buf_text(&out, ", the first of them at ");
        instant_format(h->failing_since, &out);
    }
    print_warning(h, &out);
}

static void warn_of_lateness(struct health *h)
{
    char text[WARNING_MAX];
    struct buf out = warning_buf(text);

    if (h->late_since == INSTANT_NEVER)
        return;
    buf_text(&out, "a run that was due at ");
    instant_format(h->late_since, &out);
    buf_text(&out, h->p.plan.lane == LANE_PULL
                       ? " has not started; check that a worker polls its queue"
                       : " has not started; the server may be busy, or its clock has jumped");
    print_warning(h, &out);
}

static void warn_of_queue(struct health *h)
{
    char text[WARNING_MAX];
    struct buf out = warning_buf(text);

    if (h->queue.len == 0)
        return;
    buf_printf(&out,
               "no worker has polled its queue \"%.*s\" for an hour; start one: "
               "belfry worker",
               STR_ARG(h->queue));
    print_warning(h, &out);
}

static void warn_of_waiting(struct health *h)
{
    const struct cursor *cursor = &h->p.view.cursor;
    char text[WARNING_MAX];
    struct buf out = warning_buf(text);

    if (h->approval_since != INSTANT_NEVER) {
        buf_text(&out, "a run has been waiting for approval since ");
        instant_format(h->approval_since, &out);
        print_warning(h, &out);
    }
    if (!(cursor->flags & CURSOR_FULL))
        return;
    out = warning_buf(text);
    buf_printf(&out,
               "the buffer of waiting runs is full (%" PRId64
               "); further slots %s (policies.catchup.whenFull)",
               cursor->waiting, h->p.plan.policies.drop_when_full ? "are dropped" : "wait");
    print_warning(h, &out);
}

static void explain_end(const struct health *h, struct buf *out)
{
    if (h->p.view.cursor.remaining == 0)
        buf_text(out, "its number of runs is used up");
    else
        explain_never(&h->p.plan.spec, &h->p.ctx, h->call->now, out);
}

/* No run will come by itself. */
static bool has_no_next(const struct health *h)
{
    const struct plan *plan = &h->p.plan;
    const struct cursor *c = &h->p.view.cursor;
    struct slot slot;

    if (plan->is_governed)
        return c->next_at == INSTANT_NEVER && c->open == 0 && c->waiting == 0 &&
               !(c->flags & CURSOR_CLOSED);
    return !plan->follows && !spec_next(&plan->spec, &h->p.ctx, h->call->now, &slot);
}

static void warn_of_plan(struct health *h)
{
    const struct cursor *cursor = &h->p.view.cursor;
    instant now = h->call->now;
    char text[WARNING_MAX];
    struct buf out = warning_buf(text);

    for (int i = 0; i < h->p.plan.spec.not_named_count; i++) {
        out = warning_buf(text);
        if (schedule_times_warn_calendar(&h->p.plan.spec, &h->p.ctx, i, &out))
            print_warning(h, &out);
    }
    out = warning_buf(text);
    if (run_rate_warn(h->call, run_rate_per_day(&h->p.plan, &h->p.ctx, now, RUN_RATE_ROUNDS),
                      &out))
        print_warning(h, &out);
    out = warning_buf(text);
    if (cursor->remaining == 0 || has_no_next(h)) {
        buf_text(&out, "it will not run by itself again: ");
        explain_end(h, &out);
        print_warning(h, &out);
    }
}

/* The answer. */

static const char *health_word(const struct health *h)
{
    const struct cursor *cursor = &h->p.view.cursor;

    if (cursor->flags & (CURSOR_CLOSED | CURSOR_DELETED))
        return "closed";
    if (cursor->failures > 0)
        return "failing";
    if (h->late_since != INSTANT_NEVER)
        return "late";
    return str_eq(str_of(schedule_status(cursor)), STR("paused")) ? "paused" : "ok";
}

static void print_rate(struct health *h)
{
    int total = h->succeeded + h->failed;
    char text[16];
    struct buf rate = BUF(text);

    answer_put_int(&h->out, "runs", h->last_count);
    answer_put_int(&h->out, "succeeded", h->succeeded);
    answer_put_int(&h->out, "failed", h->failed);
    answer_text(&h->out, ",\"successRate\":");
    if (total == 0)
        buf_text(&rate, "null");
    else
        buf_printf(&rate, "%d.%03d", h->succeeded / total, h->succeeded * 1000 / total % 1000);
    answer_str(&h->out, buf_as_str(&rate));
    answer_text(&h->out, ",\"avgDurationMs\":");
    if (h->timed == 0)
        answer_text(&h->out, "null");
    else
        answer_int(&h->out, h->duration / h->timed / SPAN_MS);
}

static void print_last(struct health *h)
{
    struct answer *out = &h->out;

    answer_text(out, ",\"last\":[");
    for (int i = 0; i < h->last_count; i++) {
        const struct history_row *row = &h->last[i].row;
        struct run_id run = {row->schedule, row->slot / SPAN_MS, (uint32_t)row->pass};
        char id[RUN_ID_TEXT_MAX];

        run_id_format(&run, id);
        answer_open(out);
        answer_put_word(out, "id", id);
        answer_put_instant(out, "slot", row->slot);
        answer_put_word(out, "outcome", outcome_text(row->outcome));
        answer_put_word(out, "reason",
                        row->reason == REASON_NONE ? NULL : reason_text(row->reason));
        answer_put_instant(out, "startedAt", row->started_at);
        answer_put_instant(out, "endedAt", row->ended_at);
        answer_text(out, "}");
    }
    answer_text(out, "]");
}

static void print_budget(struct health *h)
{
    span budget = h->p.plan.policies.lateness_budget;

    if (budget == 0)
        answer_text(&h->out, "null");
    else
        answer_json(&h->out, json_of_duration(budget));
}

static void print_state(struct health *h)
{
    const struct cursor *cursor = &h->p.view.cursor;
    bool is_late = h->late_since != INSTANT_NEVER;
    struct answer *out = &h->out;

    answer_open(out);
    answer_put_text(out, "schedule", h->call->params[0]);
    answer_put_word(out, "health", health_word(h));
    answer_put_word(out, "status", schedule_status(cursor));
    answer_text(out,
                is_late ? ",\"late\":true,\"lateSince\":" : ",\"late\":false,\"lateSince\":");
    answer_instant(out, h->late_since);
    answer_text(out, ",\"latenessBudget\":");
    print_budget(h);
    answer_put_int(out, "lateRuns", h->late);
    answer_put_bool(out, "failing", cursor->failures > 0);
    answer_put_instant(out, "failingSince", h->failing_since);
    answer_put_int(out, "failures", cursor->failures);
    answer_put_instant(out, "nextAt", h->next_at);
    answer_put_instant(out, "lastRunAt", cursor->last_start);
    answer_put_int(out, "open", cursor->open);
    answer_put_int(out, "waiting", cursor->waiting);
}

enum call_step schedule_health_read(struct call *call, struct db *db)
{
    struct health *h = arena_take(call->arena, sizeof *h);
    const struct health_query *query = call->arg;
    struct err err;

    *h = (struct health){.call = call,
                         .query = *query,
                         .late_since = INSTANT_NEVER,
                         .approval_since = INSTANT_NEVER,
                         .failing_since = INSTANT_NONE,
                         .out = answer_new(call->arena)};
    if (schedule_times_read(call, db, &h->p, &err) != RC_OK ||
        read_runs(h, db, &err) != RC_OK || read_next(h, db, &err) != RC_OK ||
        read_queue(h, db, &err) != RC_OK)
        return view_failed(call, &err);
    print_state(h);
    print_rate(h);
    print_last(h);
    answer_text(&h->out, ",\"warnings\":[");
    warn_if_stopped(h);
    warn_of_server(h);
    warn_of_failures(h);
    warn_of_lateness(h);
    warn_of_queue(h);
    warn_of_waiting(h);
    warn_of_plan(h);
    answer_text(&h->out, "]}");
    return call_answer(call, 200, answer_done(&h->out));
}
