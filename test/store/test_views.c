/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows for display, on both databases: complete rows with what belongs to them, in pages.  The
 * tables' own functions write the rows; they have their own tests.
 */
#include "view_rows.h"

#include "core/plan.h"
#include "store/key.h"
#include "store/named_objects.h"
#include "store/runs.h"
#include "store/views.h"

enum {
    NO_ROWS = 0,
    WRITERS = 5, /* statements that wrote schedules, cursors, runs, history and queues */
};

static void assert_view(const struct db_result *got, int row, int64_t id, const char *name)
{
    struct schedule_view view;

    schedule_views_read(got, row, &view);
    assert_int_equal(view.row.id, id);
    assert_str_equal(view.row.name, str_of(name));
    assert_str_equal(view.row.packed, STR("packed"));
    assert_str_equal(view.row.action, STR("{\"a\":1}"));
    assert_str_equal(view.row.spec, STR("{\"s\":1}"));
    assert_str_equal(view.row.policies, STR("{\"p\":1}"));
    assert_str_equal(view.row.governor, STR("{\"g\":1}"));
    assert_str_equal(view.row.labels, STR("{\"l\":1}"));
    assert_str_equal(view.row.extra, STR("{\"e\":1}"));
    assert_str_equal(view.row.description, STR("what it is"));
    assert_str_equal(view.row.reason, STR("why"));
    assert_int_equal(view.row.dialect, 3);
    assert_int_equal(view.row.created_at, DAY_ONE + 1);
    assert_str_equal(view.row.created_by, STR("ann"));
    assert_int_equal(view.row.updated_at, DAY_ONE + 2);
    assert_str_equal(view.row.updated_by, STR("bob"));
    assert_int_equal(view.cursor.id, id);
    assert_int_equal(view.cursor.version, id + 100);
    assert_int_equal(view.cursor.wake_at, DAY_ONE + 1);
    assert_int_equal(view.cursor.mark, DAY_ONE + 2);
    assert_int_equal(view.cursor.next_at, DAY_ONE + 3);
    assert_int_equal(view.cursor.flags, CURSOR_PAUSED);
    assert_int_equal(view.cursor.paused_until, DAY_ONE + 4);
    assert_int_equal(view.cursor.open, 5);
    assert_int_equal(view.cursor.waiting, 6);
    assert_int_equal(view.cursor.failures, 7);
    assert_int_equal(view.cursor.remaining, 8);
    assert_int_equal(view.cursor.last_start, DAY_ONE + 9);
    assert_int_equal(view.cursor.started, 10);
    assert_int_equal(view.cursor.failed, 11);
}

static void a_schedule_is_shown_with_its_cursor(void **state)
{
    struct fixture *f = *state;
    struct db_result by_name, by_key, elsewhere, other, gone, gone_key;

    add_whole(f, 1, 2, "nightly");
    add_whole(f, 2, 2, "hourly");
    add_schedule(f, 3, 2, "deleted", DAY_ONE);
    schedule_views_find(f->db, 2, STR("nightly"), &by_name);
    schedule_views_get(f->db, 2, &by_key);
    schedule_views_find(f->db, 3, STR("nightly"), &elsewhere);
    schedule_views_find(f->db, 2, STR("Nightly"), &other);
    schedule_views_find(f->db, 2, STR("deleted"), &gone);
    schedule_views_get(f->db, 3, &gone_key);
    flush(f);
    assert_ids(&by_name, "1");
    assert_view(&by_name, 0, 1, "nightly");
    assert_ids(&by_key, "2");
    assert_view(&by_key, 0, 2, "hourly");
    assert_int_equal(elsewhere.rows, NO_ROWS);
    assert_int_equal(other.rows, NO_ROWS);
    assert_int_equal(gone.rows, NO_ROWS);
    assert_int_equal(gone_key.rows, NO_ROWS);
}

static void add_run(struct fixture *f, int64_t id, int64_t schedule, instant slot,
                    enum run_state state, int64_t queue)
{
    struct run run = {.id = id,
                      .schedule = schedule,
                      .slot = slot,
                      .state = state,
                      .lane = LANE_PULL,
                      .queue = queue,
                      .due = slot + 1,
                      .rank = slot,
                      .fence = id + 1000,
                      .worker = STR("w"),
                      .input = STR("{}"),
                      .last_run_at = DAY_ONE + 7,
                      .wake_at = INSTANT_NEVER};

    runs_insert(f->db, &run, NULL);
    flush(f);
}

static void two_tenants(struct fixture *f)
{
    add_schedule(f, 1, 2, "mine", 0);
    add_schedule(f, 2, 3, "theirs", 0);
    add_schedule(f, 3, 2, "gone", DAY_ONE);
    queues_insert(f->db, 11, 2, STR("mail"));
    flush(f);
}

static void an_open_run_is_shown_with_its_owner(void **state)
{
    struct fixture *f = *state;
    struct run_id id = {.schedule = 1, .slot_ms = 5}, other = {.schedule = 1, .slot_ms = 6};
    struct db_result got, nobody;
    struct run_view view;

    two_tenants(f);
    add_run(f, 21, 1, 5 * SPAN_MS, RUN_RUNNING, 11);
    run_views_get(f->db, &id, &got);
    run_views_get(f->db, &other, &nobody);
    flush(f);
    assert_int_equal(got.rows, 1);
    run_views_read(&got, 0, &view);
    assert_int_equal(view.run.id, 21);
    assert_int_equal(view.run.state, RUN_RUNNING);
    assert_int_equal(view.run.fence, 1021);
    assert_str_equal(view.run.worker, STR("w"));
    assert_str_equal(view.run.progress, STR(""));
    assert_int_equal(view.run.last_run_at, DAY_ONE + 7);
    assert_int_equal(view.owner.namespace, 2);
    assert_str_equal(view.owner.schedule, STR("mine"));
    assert_str_equal(view.owner.queue, STR("mail"));
    assert_int_equal(nobody.rows, NO_ROWS);
}

/* If a node makes the call, the column of the queue has the namespace. */
static void a_run_of_no_queue_is_shown_without_one(void **state)
{
    struct fixture *f = *state;
    struct run_id id = {.schedule = 3, .slot_ms = 5};
    struct db_result got;
    struct run_view view;

    two_tenants(f);
    add_run(f, 21, 3, 5 * SPAN_MS, RUN_RUNNING, 2);
    run_views_get(f->db, &id, &got);
    flush(f);
    run_views_read(&got, 0, &view);
    assert_str_equal(view.owner.schedule, STR("gone"));
    assert_str_equal(view.owner.queue, STR(""));
}

static void open_runs_of_a_schedule_come_with_the_latest_slot_first(void **state)
{
    struct fixture *f = *state;
    struct run_id all = {.schedule = 1, .slot_ms = INT64_MAX / SPAN_MS, .pass = UINT32_MAX};
    struct run_id before = {.schedule = 1, .slot_ms = 7}, after = before;
    struct db_result got, some, rest, same;

    two_tenants(f);
    add_run(f, 23, 1, 5 * SPAN_MS, RUN_READY, 11);
    add_run(f, 21, 1, 7 * SPAN_MS, RUN_HELD, 11);
    add_run(f, 22, 1, 6 * SPAN_MS, RUN_RUNNING, 11);
    add_run(f, 24, 2, 6 * SPAN_MS, RUN_RUNNING, 11);
    after.pass = 1;
    run_views_of_schedule(f->db, &all, 10, &got);
    run_views_of_schedule(f->db, &all, 2, &some);
    run_views_of_schedule(f->db, &before, 10, &rest);
    run_views_of_schedule(f->db, &after, 10, &same);
    flush(f);
    assert_ids(&got, "21 22 23");
    assert_ids(&some, "21 22");
    assert_ids(&rest, "22 23");
    assert_ids(&same, "21 22 23");
}

typedef void page_fn(struct db *db, const struct view_page *page, struct db_result *ret);

static void assert_page(struct fixture *f, page_fn *fn, struct view_page page,
                        const char *expected)
{
    struct db_result got;

    for (int i = 0; i < 2; i++) {
        page.is_brief = i == 1;
        fn(f->db, &page, &got);
        flush(f);
        assert_ids(&got, expected);
    }
}

static void add_runs_of_both(struct fixture *f)
{
    two_tenants(f);
    for (int64_t id = 1; id <= 10; id++)
        add_run(f, id, id % 2 == 0 ? 2 : 1, id * SPAN_MS, id <= 5 ? RUN_RUNNING : RUN_READY,
                id % 4 == 1 ? 11 : 12);
}

static void open_runs_of_a_namespace_come_newest_first(void **state)
{
    struct fixture *f = *state;
    struct view_page page = {.namespace = 2, .before = INT64_MAX, .scan = 100, .limit = 100};

    add_runs_of_both(f);
    assert_page(f, run_views_list, page, "9 7 5 3 1");
    page.limit = 2;
    assert_page(f, run_views_list, page, "9 7");
    page.before = 7;
    assert_page(f, run_views_list, page, "5 3");
    page.namespace = 4;
    assert_page(f, run_views_list, page, "");
}

static void open_runs_are_chosen_by_queue_and_state(void **state)
{
    struct fixture *f = *state;
    struct view_page page = {.namespace = 2, .before = INT64_MAX, .scan = 100, .limit = 100};

    add_runs_of_both(f);
    page.queue = 11;
    assert_page(f, run_views_list, page, "9 5 1");
    page.states = INT64_C(1) << RUN_READY;
    assert_page(f, run_views_list, page, "9");
    page.queue = 0;
    assert_page(f, run_views_list, page, "9 7");
    page.states = INT64_C(1) << RUN_READY | INT64_C(1) << RUN_RUNNING;
    assert_page(f, run_views_list, page, "9 7 5 3 1");
    page.states = INT64_C(1) << RUN_HELD;
    assert_page(f, run_views_list, page, "");
    page.states = 0;
    page.schedule = 1;
    page.scan = 1; /* of a schedule all are scanned */
    page.before = 9;
    page.limit = 3;
    assert_page(f, run_views_list, page, "7 5 3");
    page.kind = RUN_TEST + 1;
    assert_page(f, run_views_list, page, "");
    page.schedule = 2; /* of the other namespace */
    page.kind = 0;
    assert_page(f, run_views_list, page, "");
}

/* Four rows are scanned: 10 to 7, then 6 to 3, then the rest. */
static void a_page_of_open_runs_scans_a_limited_number_of_rows(void **state)
{
    struct fixture *f = *state;
    struct view_page page = {.namespace = 2, .before = INT64_MAX, .scan = 4, .limit = 100};

    add_runs_of_both(f);
    assert_page(f, run_views_list, page, "9 7");
    assert_page(f, run_views_end, page, "7");
    page.before = 7;
    assert_page(f, run_views_list, page, "5 3");
    assert_page(f, run_views_end, page, "3");
    page.before = 3;
    assert_page(f, run_views_list, page, "1");
    assert_page(f, run_views_end, page, "1");
    page.before = 1;
    assert_page(f, run_views_list, page, "");
    assert_page(f, run_views_end, page, "");
}

static void add_attempt(struct fixture *f, int64_t id, int64_t schedule, instant slot,
                        int64_t queue)
{
    struct run run = {.id = 1,
                      .schedule = schedule,
                      .slot = slot,
                      .attempt = 2,
                      .queue = queue,
                      .worker = STR("w"),
                      .fence = 3};

    history_insert(f->db, &(struct attempt_end){.id = id,
                                                .run = &run,
                                                .outcome = OUTCOME_FAILED,
                                                .reason = REASON_TARGET,
                                                .ended_at = DAY_ONE + id,
                                                .error = STR("oops"),
                                                .result = STR("{}")});
    flush(f);
}

static void ended_attempts_are_listed_newest_first_with_their_owner(void **state)
{
    struct fixture *f = *state;
    struct view_page page = {.namespace = 2, .before = INT64_MAX, .scan = 4, .limit = 100};
    struct attempt_view view;
    struct db_result none = {0}, of, some, got, brief;

    two_tenants(f);
    for (int64_t id = 1; id <= 10; id++)
        add_attempt(f, id, id % 2 == 0 ? 2 : 1, id, id % 4 == 1 ? 11 : 12);
    assert_page(f, attempt_views_list, page, "9 7");
    assert_page(f, attempt_views_end, page, "7");
    page.before = 7;
    assert_page(f, attempt_views_list, page, "5 3");
    page.limit = 1;
    assert_page(f, attempt_views_list, page, "5");
    page = (struct view_page){
        .namespace = 2, .queue = 11, .before = INT64_MAX, .scan = 100, .limit = 100};
    assert_page(f, attempt_views_list, page, "9 5 1");
    page.outcome = OUTCOME_SUCCEEDED;
    assert_page(f, attempt_views_list, page, "");
    page.outcome = OUTCOME_FAILED;
    page.kind = RUN_SLOT + 1;
    assert_page(f, attempt_views_list, page, "9 5 1");
    page.kind = RUN_TRIGGER + 1;
    assert_page(f, attempt_views_list, page, "");
    page = (struct view_page){
        .namespace = 2, .schedule = 1, .before = 9, .scan = 2, .limit = 100};
    assert_page(f, attempt_views_list, page, "7 5");
    assert_page(f, attempt_views_end, page, "5");
    page.outcome = OUTCOME_SUCCEEDED;
    assert_page(f, attempt_views_list, page, "");
    page = (struct view_page){
        .namespace = 2, .queue = 11, .before = INT64_MAX, .scan = 100, .limit = 100};
    attempt_views_failed(f->db, &(struct failed_page){.before = 9, .limit = 9}, &none);
    run_views_recent(f->db, 0, 9, 9, &none, &none);
    attempt_views_of_schedule(f->db, 1, INT64_MAX, 10, &of);
    attempt_views_of_schedule(f->db, 1, 7, 2, &some);
    attempt_views_list(f->db, &page, &got);
    page.is_brief = true;
    attempt_views_list(f->db, &page, &brief);
    flush(f);
    attempt_views_read(&brief, 1, &view);
    assert_str_equal(view.row.result, STR(""));
    assert_ids(&none, "");
    assert_ids(&of, "9 7 5 3 1");
    assert_ids(&some, "5 3");
    attempt_views_read(&got, 1, &view);
    assert_int_equal(view.row.id, 5);
    assert_int_equal(view.row.attempt, 2);
    assert_int_equal(view.row.outcome, OUTCOME_FAILED);
    assert_int_equal(view.row.reason, REASON_TARGET);
    assert_int_equal(view.row.ended_at, DAY_ONE + 5);
    assert_str_equal(view.row.error, STR("oops"));
    assert_str_equal(view.row.result, STR("{}"));
    assert_int_equal(view.owner.namespace, 2);
    assert_str_equal(view.owner.schedule, STR("mine"));
    assert_str_equal(view.owner.queue, STR("mail"));
}

/* The last attempt, with key `end`, of a run that had this key while it was open. */
static void add_end(struct fixture *f, int64_t end, int64_t key, int64_t schedule,
                    int64_t queue)
{
    struct run run = {.id = key,
                      .schedule = schedule,
                      .slot = end,
                      .kind = RUN_TRIGGER,
                      .source = 3,
                      .created_at = key_time(key),
                      .queue = queue};

    history_insert(f->db, &(struct attempt_end){.id = end, .run = &run, .last = true});
    flush(f);
}

/* Keys of runs: two of one millisecond, and one that ran ahead of the clock. */
static void runs_that_ended_between_pages_are_in_order_of_creation(void **state)
{
    struct fixture *f = *state;
    int64_t early = key_of(DAY_ONE), late = key_of(DAY_ONE + SPAN_S);
    struct view_page page = {.namespace = 2, .before = INT64_MAX, .since = 101, .limit = 100};
    struct db_result got;
    struct attempt_view view;

    two_tenants(f);
    add_end(f, 100, early + 7, 1, 11); /* before the first page */
    add_end(f, 101, early + 2, 1, 11);
    add_end(f, 102, late + 1, 1, 12);
    add_end(f, 103, early + 1, 1, 11);
    add_end(f, 104, early + 3, 2, 11); /* of another namespace */
    add_attempt(f, 105, 1, 9, 11);     /* not the last */
    assert_page(f, attempt_views_ended_since, page, "102 101 103");
    attempt_views_ended_since(f->db, &page, &got);
    flush(f);
    assert_int_equal(attempt_views_run_key(&got, 0), late + 1);
    assert_int_equal(attempt_views_run_key(&got, 1), early + 2);
    attempt_views_read(&got, 1, &view);
    assert_int_equal(view.row.kind, RUN_TRIGGER);
    assert_int_equal(view.row.source, 3);
    assert_str_equal(view.owner.schedule, STR("mine"));
    page.limit = 1;
    assert_page(f, attempt_views_ended_since, page, "102");
    page.limit = 100;
    page.before = early + 2;
    assert_page(f, attempt_views_ended_since, page, "103");
    page.before = late + 1;
    assert_page(f, attempt_views_ended_since, page, "101 103");
    page.since = 102;
    page.schedule = 1;
    assert_page(f, attempt_views_ended_since, page, "103");
    page.kind = RUN_SLOT + 1;
    assert_page(f, attempt_views_ended_since, page, "");
    page.kind = RUN_TRIGGER + 1;
    page.queue = 12;
    assert_page(f, attempt_views_ended_since, page, "");
}

/* A key of the time at which an attempt of the slot DAY_ONE ended. */
static int64_t ended(span later)
{
    return key_of(DAY_ONE + later);
}

static void the_attempts_of_a_run_are_found_after_its_slot(void **state)
{
    struct fixture *f = *state;
    struct run_id run = {.schedule = 1, .slot_ms = DAY_ONE / SPAN_MS}, other = run;
    struct db_result got, late, pass;
    struct attempt_view view;

    two_tenants(f);
    add_attempt(f, ended(-SPAN_S), 1, DAY_ONE, 11); /* excluded: it ended before its slot */
    add_attempt(f, ended(0), 1, DAY_ONE, 11);
    add_attempt(f, ended(SPAN_S), 1, DAY_ONE + SPAN_S, 11);
    add_attempt(f, ended(2 * SPAN_S), 2, DAY_ONE, 11);
    add_attempt(f, ended(3 * SPAN_S), 1, DAY_ONE, 11);
    other.pass = 1;
    attempt_views_of_run(f->db, &run, DAY_ONE, 9, &got);
    attempt_views_of_run(f->db, &run, DAY_ONE + 1 * SPAN_S, 9, &late);
    attempt_views_of_run(f->db, &other, DAY_ONE, 9, &pass);
    flush(f);
    assert_int_equal(got.rows, 2);
    attempt_views_read(&got, 0, &view);
    assert_int_equal(view.row.id, ended(0));
    attempt_views_read(&got, 1, &view);
    assert_int_equal(view.row.id, ended(3 * SPAN_S));
    assert_str_equal(view.row.result, STR("")); /* the run continues */
    assert_int_equal(late.rows, 1);
    assert_int_equal(pass.rows, NO_ROWS);
}

static void attempts_are_found_by_key_and_as_short_rows(void **state)
{
    struct fixture *f = *state;
    struct db_result one, none, all, some, first;
    struct attempt_view view;
    struct attempt_mark mark;

    two_tenants(f);
    add_attempt(f, 5, 1, DAY_ONE, 11);
    add_attempt(f, 6, 2, DAY_ONE, 11);
    add_attempt(f, 7, 1, DAY_ONE + SPAN_S, 11);
    attempt_views_get(f->db, 7, &one);
    attempt_views_get(f->db, 8, &none);
    attempt_marks_list(f->db, INT64_MAX, 0, 9, &all);
    attempt_marks_list(f->db, 7, 6, 9, &some);
    attempt_marks_list(f->db, INT64_MAX, 0, 1, &first);
    flush(f);
    assert_ids(&one, "7");
    attempt_views_read(&one, 0, &view);
    assert_int_equal(view.row.slot, DAY_ONE + SPAN_S);
    assert_int_equal(none.rows, NO_ROWS);
    assert_ids(&all, "7 6 5");
    assert_ids(&some, "6");
    assert_ids(&first, "7");
    attempt_marks_read(&all, 0, &mark);
    assert_int_equal(mark.id, 7);
    assert_int_equal(mark.schedule, 1);
    assert_int_equal(mark.kind, view.row.kind);
    assert_int_equal(mark.outcome, view.row.outcome);
    assert_int_equal(mark.started_at, view.row.started_at);
    assert_int_equal(mark.ended_at, view.row.ended_at);
}

/* The last attempt of a run of schedule 1. */
static void add_last(struct fixture *f, int64_t id, enum outcome outcome, enum run_kind kind,
                     int64_t pass)
{
    struct run run = {
        .id = 1, .schedule = 1, .slot = DAY_ONE, .attempt = 1, .kind = kind, .pass = pass};

    history_insert(
        f->db,
        &(struct attempt_end){
            .id = id, .run = &run, .outcome = outcome, .last = true, .ended_at = DAY_ONE + id});
    flush(f);
}

/* The slot of a trigger may be after its end: its attempts are found at any time. */
static void the_attempts_of_a_trigger_are_found_by_their_pass(void **state)
{
    struct fixture *f = *state;
    struct run_id run = {.schedule = 1, .slot_ms = DAY_ONE / SPAN_MS, .pass = 2};
    struct db_result got, none;

    two_tenants(f);
    add_last(f, ended(-SPAN_DAY), OUTCOME_FAILED, RUN_TRIGGER, 2);
    add_last(f, ended(SPAN_DAY), OUTCOME_FAILED, RUN_TRIGGER, 3);
    attempt_views_of_run(f->db, &run, DAY_ONE, 9, &got);
    run.pass = 4;
    attempt_views_of_run(f->db, &run, DAY_ONE, 9, &none);
    flush(f);
    assert_true(got.rows == 1 && none.rows == NO_ROWS);
    assert_int_equal(db_int_at(&got, 0, 0), ended(-SPAN_DAY));
}

static int64_t failing_since(struct fixture *f, int64_t failures)
{
    struct db_result got;

    attempt_views_failing_since(f->db, 1, failures, &got);
    flush(f);
    return got.rows == 1 ? db_int_at(&got, 0, 0) - DAY_ONE : -1;
}

/* Tests, cancelled runs and attempts that were repeated do not count. */
static void the_first_of_the_last_failures_is_found(void **state)
{
    static const int64_t firsts[] = {7, 6, 2, -1};
    struct fixture *f = *state;

    two_tenants(f);
    add_last(f, 1, OUTCOME_SUCCEEDED, RUN_SLOT, 0);
    add_last(f, 2, OUTCOME_FAILED, RUN_SLOT, 0);
    add_last(f, 3, OUTCOME_FAILED, RUN_TEST, 1);
    add_last(f, 4, OUTCOME_CANCELLED, RUN_SLOT, 0);
    add_attempt(f, 5, 1, DAY_ONE, 11);
    add_last(f, 6, OUTCOME_TIMED_OUT, RUN_TRIGGER, 2);
    add_last(f, 7, OUTCOME_UNKNOWN, RUN_SLOT, 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(failing_since(f, i + 1), firsts[i]);
}

static struct queue_depth depth_of(struct fixture *f, int64_t queue)
{
    struct queue_depth depth;
    struct db_result got;

    queue_depths_get(f->db, queue, QUEUE_DEPTH_MAX, &got);
    flush(f);
    queue_depths_read(&got, &depth);
    return depth;
}

static void the_depth_of_a_queue_is_the_number_of_its_ready_runs(void **state)
{
    struct fixture *f = *state;
    struct run call = {.id = 9, .schedule = 9, .state = RUN_READY, .lane = LANE_HTTP};

    call.queue = 11;
    runs_insert(f->db, &call, NULL);
    add_run(f, 1, 1, 700, RUN_READY, 11);
    add_run(f, 2, 1, 500, RUN_READY, 11);
    add_run(f, 3, 1, 300, RUN_RUNNING, 11);
    add_run(f, 4, 1, 100, RUN_READY, 12);
    assert_int_equal(depth_of(f, 11).ready, 2);
    assert_int_equal(depth_of(f, 11).oldest, 501);
    assert_int_equal(depth_of(f, 12).ready, 1);
    assert_int_equal(depth_of(f, 13).ready, 0);
    assert_int_equal(depth_of(f, 13).oldest, INSTANT_NONE);
}

static void a_time_maps_to_the_first_key_of_its_millisecond(void **state)
{
    (void)state;
    assert_int_equal(key_of(INT64_C(1577836800000) * SPAN_MS), 0);
    assert_int_equal(key_of(INT64_C(1577836800001) * SPAN_MS), INT64_C(1) << 22);
    assert_int_equal(key_of(INSTANT_MIN), 0);
    assert_true(key_of(INSTANT_MAX) > key_of(DAY_ONE));
}

static void every_statement_was_run(void **state)
{
    const struct fixture *f = *state;
    int ran = 0, defined = count_definitions("src/store/views.c");

    for (int i = 0; i < DB_SLOTS; i++)
        ran += is_store_statement(f->db->cache[i].stmt) ? 1 : 0;
    assert_int_equal(ran, defined + WRITERS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(a_schedule_is_shown_with_its_cursor),
        STORE_TEST(an_open_run_is_shown_with_its_owner),
        STORE_TEST(a_run_of_no_queue_is_shown_without_one),
        STORE_TEST(open_runs_of_a_schedule_come_with_the_latest_slot_first),
        STORE_TEST(open_runs_of_a_namespace_come_newest_first),
        STORE_TEST(open_runs_are_chosen_by_queue_and_state),
        STORE_TEST(a_page_of_open_runs_scans_a_limited_number_of_rows),
        STORE_TEST(ended_attempts_are_listed_newest_first_with_their_owner),
        STORE_TEST(runs_that_ended_between_pages_are_in_order_of_creation),
        STORE_TEST(the_attempts_of_a_run_are_found_after_its_slot),
        STORE_TEST(attempts_are_found_by_key_and_as_short_rows),
        STORE_TEST(the_attempts_of_a_trigger_are_found_by_their_pass),
        STORE_TEST(the_first_of_the_last_failures_is_found),
        STORE_TEST(the_depth_of_a_queue_is_the_number_of_its_ready_runs),
        cmocka_unit_test(a_time_maps_to_the_first_key_of_its_millisecond),
        cmocka_unit_test(every_statement_was_run),
    };

    return RUN_STORE_TESTS(tests);
}
