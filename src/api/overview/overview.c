/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a namespace at a glance: a few counts, and what needs attention.
 *
 * Counts of schedules are from the catalogue; counts of runs and slots are read from the
 * database, up to a number of rows.  What would take longer is unknown: null.
 */
#include "api/overview/overview.h"

#include "api/call/answer.h"
#include "api/call/request.h"
#include "api/catalogue/catalogue_survey.h"
#include "api/catalogue/catalogue_visit.h"
#include "api/overview/attention.h"
#include "api/overview/ledger_balance.h"
#include "api/schedules/view.h"
#include "core/spec/local.h"
#include "store/overview.h"
#include "store/stats.h"

#define UNKNOWN (-1)

struct overview {
    struct call *call;
    struct str zone; /* name, as the request gave it */
    const struct tz *tz;
    struct catalogue_visit visit;
    struct catalogue_survey survey;
    int64_t running, approval, failed, missed; /* UNKNOWN: there are too many rows */
};

enum call_step overview_begin(struct call *call)
{
    static const char *const names[] = {"timezone"};
    struct overview *o = arena_take(call->arena, sizeof *o);
    struct err err;

    if (request_query_check(call, names, 1, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    o->zone = request_query(call, "timezone");
    if (o->zone.len == 0)
        o->zone = STR("UTC");
    call->arg = o;
    return CALL_READ;
}

static void look(void *arg, const struct catalogue *catalogue)
{
    struct overview *o = arg;

    catalogue_survey(catalogue, o->call->namespace, o->call->now, o->call->arena, &o->survey);
}

static int64_t count_of(const struct db_result *row, int column, int searched_max)
{
    return db_int_at(row, 0, 0) >= searched_max ? UNKNOWN : db_int_at(row, 0, column);
}

/* The totals of UTC days are stored; other days are counted. */
static enum rc read_counts(struct overview *o, struct db *db, struct err *reterr)
{
    int64_t namespace = o->call->namespace;
    int64_t utc_day = floor_div(o->call->now, SPAN_DAY);
    instant today = local_day_start(o->tz, local_day(o->tz, o->call->now));
    bool is_utc_day = today == utc_day * SPAN_DAY;
    struct stats_query query = {.namespace = namespace,
                                .from_day = utc_day,
                                .until_day = utc_day,
                                .after = INT64_MIN,
                                .limit = 1};
    struct db_result runs = {0}, missed = {0}, failed = {0};
    struct stats_group total;
    enum rc rc;

    overview_runs(db, namespace, &runs);
    overview_missed(db, namespace, today, &missed);
    if (is_utc_day)
        stats_get(db, &query, &failed);
    else
        overview_failed(db, namespace, today, &failed);
    rc = db_flush(db, o->call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    o->running = count_of(&runs, 1, OVERVIEW_RUNS_MAX);
    o->approval = count_of(&runs, 2, OVERVIEW_RUNS_MAX);
    o->missed = count_of(&missed, 1, OVERVIEW_LEDGER_MAX);
    o->failed = is_utc_day ? 0 : count_of(&failed, 1, OVERVIEW_ENDS_MAX);
    for (int i = 0; is_utc_day && i < failed.rows; i++) {
        stats_read(&failed, i, &total);
        o->failed += total.figures.failed;
    }
    return RC_OK;
}

static void print_count(struct answer *out, const char *name, int64_t count)
{
    answer_name(out, name);
    if (count == UNKNOWN)
        answer_text(out, "null");
    else
        answer_int(out, count);
}

static void print_tiles(const struct overview *o, struct answer *out)
{
    answer_name(out, "tiles");
    answer_text(out, "{");
    print_count(out, "running", o->running);
    print_count(out, "dueNextHour", o->survey.due_soon);
    print_count(out, "failedToday", o->failed);
    print_count(out, "late", o->survey.late);
    print_count(out, "missedToday", o->missed);
    print_count(out, "paused", o->survey.paused);
    print_count(out, "waitingApproval", o->approval);
    print_count(out, "total", o->survey.total);
    print_count(out, "quarantined", o->survey.quarantined);
    answer_text(out, "}");
}

static void print_balance(const struct call *call, struct answer *out)
{
    struct ledger_balance balance = ledger_balance_of(call);

    answer_name(out, "balance");
    answer_text(out, "{");
    answer_put_word(out, "result", balance_text(balance.result));
    answer_put_instant(out, "asOf", balance.as_of);
    answer_put_int(out, "schedules", balance.schedules);
    answer_put_int(out, "slots", balance.slots);
    answer_put_int(out, "differences", balance.differences);
    answer_text(out, "}");
}

enum call_step overview_read(struct call *call, struct db *db)
{
    struct overview o = *(const struct overview *)call->arg; /* it may be read again */
    struct attention attention = {.call = call, .survey = &o.survey};
    struct answer out = answer_new(call->arena);
    enum call_step step;
    struct err err;

    o.call = call;
    o.tz = call->context->zones.find(call->context->zones.user, o.zone, &err);
    if (!o.tz) {
        err_in(&err, "timezone");
        err.rc = RC_INVALID;
        return call_refuse(call, NULL, &err);
    }
    o.visit = (struct catalogue_visit){.look = look, .arg = &o};
    if (!catalogue_visit(call, &o.visit, &step))
        return step;
    if (read_counts(&o, db, &err) != RC_OK)
        return view_failed(call, &err);
    answer_open(&out);
    answer_put_instant(&out, "now", call->now);
    answer_put_instant(&out, "asOf", o.visit.as_of);
    answer_put_bool(&out, "stale", call->now - o.visit.as_of > CATALOGUE_STALE);
    print_tiles(&o, &out);
    attention.tz = o.tz;
    if (attention_print(&attention, db, &out, &err) != RC_OK)
        return view_failed(call, &err);
    print_balance(call, &out);
    answer_text(&out, "}");
    return call_answer(call, 200, answer_done(&out));
}
