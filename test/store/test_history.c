/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables history, ledger and results on both databases.
 */
#include "rows.h"

#include "store/history.h"
#include "store/key.h"
#include "store/nodes.h"

static const struct run done = {
    .schedule = 21,
    .slot = DAY_ONE + 22,
    .pass = 23,
    .kind = RUN_TRIGGER,
    .source = 200,
    .queue = 24,
    .due = DAY_ONE + 25,
    .attempt = 26,
    .fence = 27,
    .node = 28,
    .worker = {"w\xC3\xA9", 3},
    .created_at = DAY_ONE + 29,
    .started_at = DAY_ONE + 30, /* of the run; history stores the attempt's */
    .attempt_at = DAY_ONE + 31,
};

static struct attempt_end distinct(int64_t id)
{
    return (struct attempt_end){
        .id = id,
        .run = &done,
        .outcome = OUTCOME_TIMED_OUT,
        .reason = REASON_MAX_RUN_TIME,
        .last = true,
        .ended_at = DAY_ONE + 32,
        .expire_at = DAY_ONE + 33,
        .error = STR("no answer"),
        .result = STR("{\"r\":1}"),
        .namespace = 34,
        .tokens = 35,
        .cost = 36,
        .day = -37,
    };
}

static void add(struct fixture *f, int64_t id, int64_t schedule)
{
    struct run run = done;
    struct attempt_end end = distinct(id);

    run.schedule = schedule;
    end.run = &run;
    history_insert(f->db, &end);
    flush(f);
}

static void assert_history(struct fixture *f, int64_t schedule, const char *expected)
{
    struct db_result got;

    history_of_schedule(f->db, schedule, INT64_MAX, 100, &got);
    flush(f);
    assert_ids(&got, expected);
}

static void assert_history_columns(struct fixture *f, const struct attempt_end *end)
{
    assert_int_column(f, "history", "id", end->id);
    assert_int_column(f, "history", "schedule", done.schedule);
    assert_int_column(f, "history", "slot", done.slot);
    assert_int_column(f, "history", "pass", done.pass);
    assert_int_column(f, "history", "attempt", done.attempt);
    assert_int_column(f, "history", "fence", done.fence);
    assert_int_column(f, "history", "bits", RUN_TRIGGER + 200 * 256);
    assert_int_column(f, "history", "outcome", OUTCOME_TIMED_OUT);
    assert_int_column(f, "history", "reason", REASON_MAX_RUN_TIME);
    assert_int_column(f, "history", "last", 1);
    assert_int_column(f, "history", "due", done.due);
    assert_int_column(f, "history", "created_at", done.created_at);
    assert_int_column(f, "history", "started_at", done.attempt_at);
    assert_int_column(f, "history", "ended_at", end->ended_at);
    assert_int_column(f, "history", "expire_at", end->expire_at);
    assert_int_column(f, "history", "queue", done.queue);
    assert_int_column(f, "history", "node", done.node);
    assert_text_column(f, "history", "worker", done.worker);
    assert_text_column(f, "history", "error", end->error);
    assert_text_column(f, "history", "result", end->result);
    assert_int_column(f, "history", "namespace", 34);
    assert_int_column(f, "history", "tokens", 35);
    assert_int_column(f, "history", "cost", 36);
    assert_int_column(f, "history", "day", -37);
}

static void assert_history_row(const struct history_row *got, const struct attempt_end *end)
{
    assert_int_equal(got->id, end->id);
    assert_int_equal(got->schedule, end->run->schedule);
    assert_int_equal(got->slot, end->run->slot);
    assert_int_equal(got->pass, end->run->pass);
    assert_int_equal(got->attempt, end->run->attempt);
    assert_int_equal(got->fence, end->run->fence);
    assert_int_equal(got->kind, end->run->kind);
    assert_int_equal(got->source, end->run->source);
    assert_int_equal(got->outcome, end->outcome);
    assert_int_equal(got->reason, end->reason);
    assert_int_equal(got->last, end->last);
    assert_int_equal(got->due, end->run->due);
    assert_int_equal(got->created_at, end->run->created_at);
    assert_int_equal(got->started_at, end->run->attempt_at);
    assert_int_equal(got->ended_at, end->ended_at);
    assert_int_equal(got->expire_at, end->expire_at);
    assert_int_equal(got->queue, end->run->queue);
    assert_int_equal(got->node, end->run->node);
    assert_str_equal(got->worker, end->run->worker);
    assert_str_equal(got->error, end->error);
    assert_str_equal(got->result, end->result);
}

static void assert_written(struct fixture *f, const struct attempt_end *end)
{
    struct db_result got;
    struct history_row row;

    history_insert(f->db, end);
    history_of_schedule(f->db, end->run->schedule, INT64_MAX, 1, &got);
    flush(f);
    assert_int_equal(got.rows, 1);
    history_read(&got, 0, &row);
    assert_history_row(&row, end);
}

static void every_field_of_an_attempt_has_its_column(void **state)
{
    struct fixture *f = *state;
    struct attempt_end end = distinct(1);

    assert_written(f, &end);
    assert_history_columns(f, &end);
}

static void extreme_values_are_stored_exactly(void **state)
{
    struct fixture *f = *state;
    struct run empty = {.attempt_at = INSTANT_NONE, .slot = INSTANT_NONE};
    struct run full = {.schedule = INT64_MAX,
                       .slot = INSTANT_NEVER,
                       .pass = INT64_MAX,
                       .attempt = INT32_MAX,
                       .kind = (enum run_kind)255,
                       .source = 255,
                       .fence = INT64_MAX,
                       .worker = big_text(f)};
    struct attempt_end first = {.id = INT64_MIN, .run = &empty, .expire_at = INSTANT_NONE};
    struct attempt_end last = {.id = INT64_MAX - 1,
                               .run = &full,
                               .outcome = OUTCOME_UNKNOWN,
                               .reason = REASON_OTHER,
                               .expire_at = INSTANT_NEVER,
                               .error = big_text(f),
                               .result = big_text(f)};

    assert_written(f, &first);
    assert_written(f, &last);
}

static void history_is_read_backwards_in_pages(void **state)
{
    struct fixture *f = *state;
    struct db_result first, second, nobody;

    for (int64_t id = 1; id <= 5; id++)
        add(f, id, 21);
    add(f, 6, 22);
    history_of_schedule(f->db, 21, INT64_MAX, 2, &first);
    history_of_schedule(f->db, 21, 4, 10, &second);
    history_of_schedule(f->db, 23, INT64_MAX, 10, &nobody);
    flush(f);
    assert_ids(&first, "5 4");
    assert_ids(&second, "3 2 1");
    assert_ids(&nobody, "");
}

/* As node 0. */
static void keep(struct fixture *f, int64_t schedule, int count)
{
    history_keep(f->db, schedule, count, 0);
}

static void the_newest_of_a_schedule_are_kept(void **state)
{
    struct fixture *f = *state;

    for (int64_t id = 1; id <= 6; id++)
        add(f, id, id % 2 == 0 ? 2 : 1);
    keep(f, 1, 4);
    assert_history(f, 1, "5 3 1");
    keep(f, 1, 3);
    assert_history(f, 1, "5 3 1");
    keep(f, 1, 2);
    assert_history(f, 1, "5 3");
    keep(f, 1, 0);
    assert_history(f, 1, "");
    keep(f, 3, 1);
    assert_history(f, 2, "6 4 2");
}

/* Keys 1 to 3 belong to node 0.  Node 3 has counted its history up to its first key. */
static void rows_that_another_node_has_not_counted_are_kept(void **state)
{
    const int64_t other = 3 << 12;
    struct fixture *f = *state;

    exec(f->db, "INSERT INTO nodes (id, name, boot, turn, lease_until, key_ms, event,"
                " started_at, state, stats, days) VALUES (3, 'c', 0, 0, 0, 0, 0, 0, 1, 12289,"
                " 12290)");
    for (int64_t id = 1; id <= 3; id++)
        add(f, id, 1);
    add(f, other + 1, 1);
    add(f, other + 2, 1);
    keep(f, 1, 0);
    assert_history(f, 1, "12290");
    exec(f->db, "UPDATE nodes SET stats = 12290, days = 12289");
    keep(f, 1, 0);
    assert_history(f, 1, "12290");
    exec(f->db, "UPDATE nodes SET days = 12290");
    keep(f, 1, 0);
    assert_history(f, 1, "");
}

static struct ledger_entry entry(int64_t id, int64_t pass, instant first, instant last)
{
    return (struct ledger_entry){
        .id = id,
        .schedule = 40,
        .pass = pass,
        .account = {.first = first,
                    .last = last,
                    .count = 44,
                    .outcome = OUTCOME_DROPPED,
                    .reason = REASON_QUARANTINED},
        .written_at = DAY_ONE + 45,
        .expire_at = DAY_ONE + 46,
        .day = 47,
        .days = 1,
        .kind = RUN_TRIGGER,
    };
}

static void assert_entry(const struct ledger_entry *got, const struct ledger_entry *expected)
{
    assert_int_equal(got->id, expected->id);
    assert_int_equal(got->schedule, expected->schedule);
    assert_int_equal(got->pass, expected->pass);
    assert_int_equal(got->account.first, expected->account.first);
    assert_int_equal(got->account.last, expected->account.last);
    assert_int_equal(got->account.count, expected->account.count);
    assert_int_equal(got->account.outcome, expected->account.outcome);
    assert_int_equal(got->account.reason, expected->account.reason);
    assert_int_equal(got->written_at, expected->written_at);
    assert_int_equal(got->expire_at, expected->expire_at);
    assert_int_equal(got->day, expected->day);
    assert_int_equal(got->days, expected->days);
    assert_int_equal(got->kind, expected->kind);
}

/* The only row of the schedule with this first slot. */
static struct ledger_entry read_entry(struct fixture *f, int64_t schedule, instant first)
{
    struct ledger_entry found = {.id = -1}, row;
    struct db_result got;

    ledger_of_schedule(f->db, schedule, INSTANT_NONE, 100, &got);
    flush(f);
    for (int i = 0; i < got.rows; i++) {
        ledger_read(&got, i, &row);
        if (row.account.first == first)
            found = row;
    }
    assert_true(found.id != -1);
    return found;
}

static void every_field_of_the_ledger_has_its_column(void **state)
{
    struct fixture *f = *state;
    struct ledger_entry e = entry(41, 42, 1000, 2000), back;

    ledger_insert(f->db, &e);
    back = read_entry(f, 40, 1000);
    assert_entry(&back, &e);
    assert_int_column(f, "ledger", "id", 41);
    assert_int_column(f, "ledger", "schedule", 40);
    assert_int_column(f, "ledger", "pass", 42);
    assert_int_column(f, "ledger", "first", 1000);
    assert_int_column(f, "ledger", "last", 2000);
    assert_int_column(f, "ledger", "count", 44);
    assert_int_column(f, "ledger", "outcome", OUTCOME_DROPPED);
    assert_int_column(f, "ledger", "reason", REASON_QUARANTINED);
    assert_int_column(f, "ledger", "written_at", DAY_ONE + 45);
    assert_int_column(f, "ledger", "expire_at", DAY_ONE + 46);
    assert_int_column(f, "ledger", "day", 47);
    assert_int_column(f, "ledger", "days", 1);
    assert_int_column(f, "ledger", "kind", RUN_TRIGGER);
}

static void a_slot_is_in_the_ledger_once(void **state)
{
    struct fixture *f = *state;
    struct ledger_entry first = entry(1, 0, 1000, 1000), again = entry(2, 0, 1000, 9999), back;
    struct ledger_entry other_pass = entry(3, 1, 1000, 1000);

    ledger_insert(f->db, &first);
    ledger_insert(f->db, &again);
    back = read_entry(f, 40, 1000);
    assert_entry(&back, &first);
    ledger_insert(f->db, &other_pass);
    flush(f);
    assert_int_equal(ask_int(f, "SELECT count(*) FROM ledger"), 2);
}

static void the_newest_range_of_pass_zero_is_extended(void **state)
{
    struct fixture *f = *state;
    struct ledger_entry old = entry(1, 0, 1000, 1500), newest = entry(2, 0, 2000, 2500);
    struct ledger_entry trigger = entry(3, 7, 3000, 3000), other = entry(4, 0, 4000, 4000);
    struct ledger_entry more = entry(5, 0, 2600, 2900), back;

    other.schedule = 50;
    ledger_insert(f->db, &newest);
    ledger_insert(f->db, &old);
    ledger_insert(f->db, &trigger);
    ledger_insert(f->db, &other);
    more.account.count = 6;
    more.written_at = 61;
    more.expire_at = 62;
    ledger_extend(f->db, &more, 1);
    newest.account.last = 2900;
    newest.account.count += 6;
    newest.written_at = 61;
    newest.expire_at = 62;
    back = read_entry(f, 40, 1000);
    assert_entry(&back, &old);
    back = read_entry(f, 40, 2000);
    assert_entry(&back, &newest);
    back = read_entry(f, 40, 3000);
    assert_entry(&back, &trigger);
    back = read_entry(f, 50, 4000);
    assert_entry(&back, &other);
    assert_int_equal(ask_int(f, "SELECT count(*) FROM ledger"), 4);
}

static void an_extend_without_a_matching_range_inserts_a_row(void **state)
{
    struct fixture *f = *state;
    struct ledger_entry none_before = entry(1, 0, 1000, 1500), back;
    struct ledger_entry outcome = entry(2, 0, 2000, 2500), reason = entry(3, 0, 3000, 3500);

    outcome.account.outcome = OUTCOME_MISSED;
    reason.account.outcome = OUTCOME_MISSED;
    reason.account.reason = REASON_PAUSED;
    ledger_extend(f->db, &none_before, 0);
    ledger_extend(f->db, &outcome, 0);
    ledger_extend(f->db, &reason, 0);
    back = read_entry(f, 40, 1000);
    assert_entry(&back, &none_before);
    back = read_entry(f, 40, 2000);
    assert_entry(&back, &outcome);
    back = read_entry(f, 40, 3000);
    assert_entry(&back, &reason);
}

static void the_ledger_is_read_in_order_from_the_range_that_holds_an_instant(void **state)
{
    struct fixture *f = *state;
    struct ledger_entry rows[] = {
        entry(4, 0, 3000, 3500), entry(3, 1, 2000, 2000), entry(2, 0, 2000, 2500),
        entry(1, 0, 1000, 1500), entry(5, 0, 100, 200),
    };
    struct db_result got, some, late;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ledger_insert(f->db, &rows[i]);
    ledger_of_schedule(f->db, 40, 1500, 100, &got);
    ledger_of_schedule(f->db, 40, 1500, 2, &some);
    ledger_of_schedule(f->db, 40, 3501, 2, &late);
    flush(f);
    assert_ids(&got, "1 2 3 4");
    assert_ids(&some, "1 2");
    assert_ids(&late, "");
}

static void assert_results(struct fixture *f, int64_t schedule, struct str result,
                           struct str failure)
{
    struct db_result got;
    const struct db_value *value;

    results_get(f->db, schedule, &got);
    flush(f);
    assert_int_equal(got.rows, 1);
    value = db_at(&got, 0, 0);
    assert_true(result.len == 0 ? value->type == DB_NULL : str_eq(value->bytes, result));
    value = db_at(&got, 0, 1);
    assert_true(failure.len == 0 ? value->type == DB_NULL : str_eq(value->bytes, failure));
}

static void a_result_clears_the_failure_and_a_failure_keeps_the_result(void **state)
{
    struct fixture *f = *state;
    struct str large = big_text(f);
    struct db_result got;

    results_fail(f->db, 1, STR("broken"));
    assert_results(f, 1, STR(""), STR("broken"));
    results_put(f->db, 1, STR("first"));
    assert_results(f, 1, STR("first"), STR(""));
    results_fail(f->db, 1, STR("again"));
    assert_results(f, 1, STR("first"), STR("again"));
    results_fail(f->db, 1, large);
    assert_results(f, 1, STR("first"), large);
    results_put(f->db, 1, STR(""));
    assert_results(f, 1, STR(""), STR(""));
    results_put(f->db, 2, large);
    assert_results(f, 2, large, STR(""));
    results_delete(f->db, 1);
    results_get(f->db, 1, &got);
    flush(f);
    assert_int_equal(got.rows, 0);
    assert_results(f, 2, large, STR(""));
}

static void assert_input(struct fixture *f, int64_t id, const char *expected)
{
    struct db_result got;

    history_input(f->db, id, &got);
    flush(f);
    assert_int_equal(got.rows, 1);
    if (!expected)
        assert_int_equal(db_at(&got, 0, 0)->type, DB_NULL);
    else
        assert_str_equal(db_text_at(&got, 0, 0), str_of(expected));
}

/* The input is passed in, or in the row of the run, or there is none. */
static void the_input_of_a_run_is_kept_with_its_last_attempt(void **state)
{
    struct fixture *f = *state;
    struct run run = done;
    struct attempt_end end = distinct(1);

    exec(f->db, "INSERT INTO runs (id, schedule, slot, pass, state, lane, queue, gate, bits,"
                " due, rank, attempt, fence, node, lease_until, wake_at, created_at,"
                " started_at, attempt_at, input) VALUES (9, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,"
                " 0, 0, 0, 0, 0, 0, '[1]')");
    run.id = 9;
    run.input = STR("{\"b\":2}");
    end.run = &run;
    history_insert(f->db, &end);
    run.input = (struct str){NULL, 0};
    end.id = 2;
    history_insert(f->db, &end);
    run.lacks_input = true;
    end.id = 3;
    history_insert(f->db, &end);
    end.id = 4;
    end.last = false;
    history_insert(f->db, &end);
    flush(f);
    assert_input(f, 1, "{\"b\":2}");
    assert_input(f, 2, NULL);
    assert_input(f, 3, "[1]");
    assert_input(f, 4, NULL);
    assert_history(f, 21, "4 3 2 1");
}

static void the_last_key_of_each_node_is_listed(void **state)
{
    struct fixture *f = *state;
    int64_t at = key_of(DAY_ONE), one = 1 << KEY_COUNT_BITS, last = NODES_MAX * one;
    struct db_result got, none;

    add(f, at + one, 1);
    add(f, at + one + 7, 1);
    add(f, at + last, 1);
    add(f, key_of(DAY_ONE + SPAN_S) + one, 1);
    history_last_keys(f->db, at + one + 1, &got);
    history_last_keys(f->db, key_of(DAY_ONE + SPAN_MIN), &none);
    flush(f);
    assert_int_equal(none.rows, 0);
    assert_int_equal(got.rows, 2);
    for (int i = 0; i < 2; i++) {
        bool is_last = key_node(db_int_at(&got, i, 0)) == NODES_MAX;

        assert_int_equal(db_int_at(&got, i, 0),
                         is_last ? at + last : key_of(DAY_ONE + SPAN_S) + one);
        assert_int_equal(db_int_at(&got, i, 1), is_last ? 1 : 2);
    }
}

static void every_statement_was_run(void **state)
{
    assert_every_statement_ran(*state, "src/store/history.c");
}

/* A row that may be counted never changes; a row is of one day and one node. */
static void an_extend_of_a_row_that_may_be_counted_inserts_a_row(void **state)
{
    struct fixture *f = *state;
    struct ledger_entry first = entry(7, 0, 1000, 1500), back;
    struct ledger_entry frozen = entry(8, 0, 2000, 2500), later = entry(9, 0, 3000, 3500);
    struct ledger_entry node = entry((5 << 12) + 1, 0, 4000, 4500);
    struct ledger_entry wide = entry((5 << 12) + 2, 0, 5000, 5500);
    struct ledger_entry last = entry((5 << 12) + 3, 0, 6000, 6500);

    later.day = wide.day = last.day = 48;
    node.day = 48;
    wide.days = 2;
    ledger_insert(f->db, &first);
    ledger_extend(f->db, &frozen, 7);
    ledger_extend(f->db, &later, 7);
    ledger_extend(f->db, &node, 0);
    ledger_insert(f->db, &wide);
    ledger_extend(f->db, &last, 0);
    flush(f);
    assert_int_equal(ask_int(f, "SELECT count(*) FROM ledger"), 6);
    back = read_entry(f, 40, 1000);
    assert_entry(&back, &first);
    back = read_entry(f, 40, 3000);
    assert_entry(&back, &later);
    back = read_entry(f, 40, 6000);
    assert_entry(&back, &last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(every_field_of_an_attempt_has_its_column),
        STORE_TEST(extreme_values_are_stored_exactly),
        STORE_TEST(history_is_read_backwards_in_pages),
        STORE_TEST(the_last_key_of_each_node_is_listed),
        STORE_TEST(rows_that_another_node_has_not_counted_are_kept),
        STORE_TEST(the_newest_of_a_schedule_are_kept),
        STORE_TEST(every_field_of_the_ledger_has_its_column),
        STORE_TEST(a_slot_is_in_the_ledger_once),
        STORE_TEST(the_newest_range_of_pass_zero_is_extended),
        STORE_TEST(an_extend_without_a_matching_range_inserts_a_row),
        STORE_TEST(an_extend_of_a_row_that_may_be_counted_inserts_a_row),
        STORE_TEST(the_ledger_is_read_in_order_from_the_range_that_holds_an_instant),
        STORE_TEST(a_result_clears_the_failure_and_a_failure_keeps_the_result),
        STORE_TEST(the_input_of_a_run_is_kept_with_its_last_attempt),
        cmocka_unit_test(every_statement_was_run),
    };

    return RUN_STORE_TESTS(tests);
}
