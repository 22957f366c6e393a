/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows planned and actual starts of many schedules in a window.
 */
#include "api/timeline/timeline.h"
#include "api/timeline/timeline_groups.h"
#include "api/timeline/timeline_row.h"
#include "api/timeline/timeline_select.h"
#include "wire/json/json_text.h"

enum {
    SCHEDULES_MAX = 100 * 1000,
    ROWS_MAX = 300 * 1000,       /* about, of history, ledger and runs: half a second  */
    STEPS_RESERVE = 1000 * 1000, /* of struct budget: the walk ends before it has less */
    SCRATCH_MAX = 256 << 20,     /* of arena: one batch with the most rows             */
    PARAMETERS = 4,
};

/* If there are too many runs, their ends are only searched so long after the window. */
#define AFTER_LEAST (5 * SPAN_MIN)

enum load_by { BY_NONE, BY_QUEUE, BY_LABEL };

struct load_query {
    struct timeline_window window;
    struct timeline_select select;
    enum load_by by;
    struct str label; /* BY_LABEL */
};

/* The answer as it is made. */
struct load {
    struct call *call;
    struct db *db;
    const struct load_query *query;
    struct timeline_groups *groups;
    struct arena *scratch;         /* of a batch */
    struct timeline_window actual; /* of which runs and ledger are counted             */
    span after;                    /* as in struct timeline_past_query                  */
    int64_t total;                 /* schedules; -1: unknown                           */
    int64_t rows, schedules;       /* that were read                                   */
    double searched;               /* schedules × seconds of the past, for these rows  */
    const char *cut;
};

/* ---- the request ---- */

static enum rc read_by(const struct call *call, struct load_query *q, struct err *reterr)
{
    struct str word = request_query(call, "by");

    if (word.len == 0 || str_eq(word, STR("none")))
        return RC_OK;
    q->by = BY_QUEUE;
    if (str_eq(word, STR("queue")))
        return RC_OK;
    q->by = BY_LABEL;
    if (str_starts(word, STR("label:")) && word.len > STR("label:").len) {
        q->label = str_from(word, STR("label:").len);
        return RC_OK;
    }
    return err_field(reterr, "by", "must be none, queue or label:NAME");
}

static enum rc read_query(struct call *call, struct load_query *q, struct err *reterr)
{
    const char *names[TIMELINE_SELECT_NAMES + PARAMETERS] = {"from", "to", "step", "by"};
    enum rc rc;

    for (int i = 0; i < TIMELINE_SELECT_NAMES; i++)
        names[PARAMETERS + i] = timeline_select_names[i];
    rc = request_query_check(call, names, TIMELINE_SELECT_NAMES + PARAMETERS, reterr);
    if (rc == RC_OK)
        rc = timeline_window_read(call, &q->window, reterr);
    if (rc == RC_OK)
        rc = timeline_select_begin(call, &q->select, reterr);
    return rc == RC_OK ? read_by(call, q, reterr) : rc;
}

enum call_step timeline_load_begin(struct call *call)
{
    struct load_query *query = arena_take(call->arena, sizeof *query);
    struct err err;

    if (read_query(call, query, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    call->arg = query;
    return CALL_READ;
}

/* ---- counting ---- */

static int find_group(struct load *load, const struct schedule_row *row)
{
    struct str name = {NULL, 0};

    if (load->query->by == BY_QUEUE)
        name = timeline_row_queue(row->action);
    else if (load->query->by == BY_LABEL && row->labels.len > 0)
        name = json_find_member(row->labels, load->query->label);
    return timeline_groups_find(load->groups, name);
}

struct load_target {
    struct load *load;
    int group;
};

/* Slots that will not start are not load, unless they are past. */
static void add_planned(void *arg, const struct timeline_series *series)
{
    const struct load_target *to = arg;
    bool is_past = series->outcome != OUTCOME_NONE && series->first <= to->load->call->now;

    if (series->reason == REASON_NONE || is_past)
        timeline_groups_series(to->load->groups, to->group, series);
}

static void add_range(void *arg, const struct timeline_series *series)
{
    const struct load_target *to = arg;

    timeline_groups_series(to->load->groups, to->group, series);
}

static void add_lump(void *arg, const struct account *range)
{
    const struct load_target *to = arg;
    instant from = to->load->actual.from;

    timeline_groups_add(to->load->groups, to->group, LOAD_PLANNED,
                        range->first > from ? range->first : from, range->count);
}

/* Where the accounts are not read, the slots of the current spec stand in for them. */
static void add_unread(struct load_target *target, const struct timeline_row *row)
{
    const struct load *load = target->load;
    const struct schedule_times *p = &row->times;
    instant from = load->query->window.from, since = p->view.row.created_at;
    instant until = load->actual.from < load->actual.to ? load->actual.from : load->actual.to;
    const instant range[2] = {from > since ? from - 1 : since,
                              until <= p->view.cursor.mark ? until - 1 : p->view.cursor.mark};

    if (until > from && range[0] < range[1] && !p->plan.follows && !p->plan.is_governed)
        timeline_series_spec(p, &(struct slot_planned){0}, range, add_range, target);
}

static void count_schedule(struct load *load, struct timeline_row *row,
                           const struct timeline_past *past)
{
    const struct timeline_window *window = &load->query->window;
    struct load_target target = {load, find_group(load, &row->times.view.row)};
    const struct timeline_ranges ranges = {
        .window = &load->actual, .add = add_range, .lump = add_lump, .arg = &target};
    bool has_plan = !row->cut;

    for (int i = 0; i < past->attempt_count; i++)
        timeline_groups_attempt(load->groups, target.group, &past->attempts[i]);
    timeline_row_ranges(row, past, &ranges);
    if (has_plan) {
        add_unread(&target, row);
        timeline_series_plan(&row->times, load->call->now, window, add_planned, &target);
    }
    timeline_row_end(load->call, row);
    if ((row->cut || past->is_cut) && !load->cut)
        load->cut = "some schedules have more slots or runs than one answer counts";
    load->schedules++;
}

/* Until when ends are searched. */
static instant past_end(const struct load *load)
{
    instant end = instant_after(load->actual.to, load->after);

    return load->call->now < end ? load->call->now : end;
}

static span past_length(const struct load *load)
{
    return past_end(load) > load->actual.from ? past_end(load) - load->actual.from : 0;
}

static enum rc count_batch(struct load *load, const struct schedule_view *views, int count,
                           struct err *reterr)
{
    struct timeline_row *rows = arena_array_raw(load->scratch, (size_t)count, sizeof *rows);
    struct timeline_past *past = arena_array(load->scratch, (size_t)count, sizeof *past);
    const struct timeline_past_query query = {
        .window = &load->actual,
        .now = load->call->now,
        .after = load->after,
        .has_open = true,
        .db = load->db,
        .arena = load->scratch,
        .budget = load->call->budget,
        .rows = &load->rows,
    };
    struct call inner = *load->call;
    enum rc rc = RC_OK;

    inner.arena = load->scratch;
    for (int i = 0; rc == RC_OK && i < count; i++) {
        rows[i].times = (struct schedule_times){.view = views[i]};
        rc = timeline_row_begin(&inner, load->db, &rows[i], reterr);
        past[i].cursor = &rows[i].times.view.cursor;
        if (rc == RC_OK)
            past[i].expected = timeline_row_expected(&rows[i], &load->query->window,
                                                     load->call->now);
    }
    if (rc == RC_OK)
        rc = timeline_past_read(&query, past, count, reterr);
    for (int i = 0; rc == RC_OK && i < count; i++)
        count_schedule(load, &rows[i], &past[i]);
    load->searched += (double)past_length(load) * count / SPAN_S;
    return rc;
}

/* Rows that the schedules that are left need, as far as those so far tell. */
static double expected_rows(const struct load *load)
{
    int64_t left = load->total < 0 ? load->schedules : load->total - load->schedules;

    if (load->searched <= 0 || left <= 0)
        return 0;
    return (double)load->rows / load->searched * (double)past_length(load) / SPAN_S *
           (double)left;
}

/*
 * If there are too many rows, the runs of a later part of the window are counted: those of all
 * schedules, so that the counts are right.
 */
static void narrow_past(struct load *load)
{
    const struct timeline_window *window = &load->query->window;
    double room = load->rows < ROWS_MAX ? (double)(ROWS_MAX - load->rows) : 0;
    double expected = expected_rows(load);
    instant last; /* that is not counted */

    if (expected > room && load->after > AFTER_LEAST) {
        load->after = AFTER_LEAST;
        load->cut = "runs that ended later than 5 minutes after the window are not counted, "
                    "because there are too many";
        expected = expected_rows(load);
    }
    if (expected <= room)
        return;
    last = past_end(load) - (span)((double)past_length(load) * room / expected) - 1;
    last = last < window->to ? last : window->to - 1;
    last = last > load->actual.from ? last : load->actual.from;
    load->actual.from = timeline_window_start(window, timeline_window_bucket(window, last) + 1);
    load->cut = "runs before the first bucket with a count of them are not counted, because "
                "there are too many; before it, planned are the slots of the current specs";
}

static const char *find_end(const struct load *load)
{
    const struct budget *budget = load->call->budget;

    if (load->schedules >= SCHEDULES_MAX)
        return "only the first 100000 schedules by id are counted; use a filter";
    if (budget && !budget->is_trial && budget->left < STEPS_RESERVE)
        return "only the first schedules by id are counted, because their times take long to "
               "compute; use a shorter window or a filter";
    return NULL;
}

static enum rc count_all(struct load *load, struct timeline_select *select, struct err *reterr)
{
    struct schedule_view views[TIMELINE_BATCH_MAX];
    const char *end = NULL;
    int count = 0;
    enum rc rc = RC_OK;

    while (rc == RC_OK && !end) {
        arena_reset(load->scratch);
        if (!budget_spend(load->call->budget, BUDGET_ASK_EVERY))
            return err_set(reterr, RC_LIMIT, -1, 0, "the request takes too long");
        rc = timeline_select_next(select, views, &count, reterr);
        if (rc != RC_OK || count == 0)
            break;
        narrow_past(load);
        end = find_end(load);
        if (!end)
            rc = count_batch(load, views, count, reterr);
    }
    if (select->is_scanned_out)
        end = "not all schedules are counted: the server is still reading the schedules";
    load->cut = end ? end : load->cut;
    return rc;
}

enum call_step timeline_load_read(struct call *call, struct db *db)
{
    const struct load_query *query = call->arg;
    struct timeline_select select = query->select;
    struct answer out = answer_new(call->arena);
    struct load load = {.call = call, .db = db, .query = query};
    enum call_step step;
    struct err err;
    enum rc rc;

    select.db = db;
    select.limit = SCHEDULES_MAX + 1;
    step = timeline_select_open(call, &select);
    if (step != CALL_READ)
        return step;
    load.total = timeline_select_total(&select);
    load.actual = query->window;
    load.after = TIMELINE_END_AFTER;
    load.groups = timeline_groups_new(&query->window, &load.actual, call->now, call->arena);
    load.scratch = arena_new(SCRATCH_MAX);
    rc = count_all(&load, &select, &err);
    load.scratch = arena_free(load.scratch);
    timeline_select_close(&select);
    if (rc != RC_OK)
        return view_failed(call, &err);
    if (query->by == BY_NONE)
        (void)timeline_groups_find(load.groups, (struct str){NULL, 0});
    answer_text(&out, "{");
    timeline_window_print(&query->window, call->now, &out);
    answer_put_instant(&out, "asOf", call->now);
    answer_name(&out, "groups");
    timeline_groups_print(load.groups, &out);
    answer_put_word(&out, "cut", load.cut);
    answer_text(&out, "}");
    return call_answer(call, 200, answer_done(&out));
}
