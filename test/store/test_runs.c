/* SPDX-License-Identifier: Apache-2.0 */
/* Table runs on both databases: every column, and every way to find runs. */
#include "rows.h"

#include "core/plan.h"
#include "store/runs.h"

/* All fields differ. */
static struct run distinct(int64_t id)
{
    return (struct run){
        .id = id,
        .schedule = 1001,
        .slot = DAY_ONE + 2000,
        .pass = 3,
        .kind = RUN_BACKFILL,
        .state = RUN_RUNNING,
        .flags = RUN_CANCELLING | RUN_FOR_OTHER,
        .overlap = OVERLAP_TERMINATE_OTHER,
        .lane = 7,
        .queue = 1008,
        .gate = 1009,
        .priority = 10,
        .due = DAY_ONE + 11,
        .rank = DAY_ONE + 12,
        .attempt = 13,
        .losses = 14,
        .fence = 15,
        .node = 16,
        .worker = STR("worker \xC3\xA9"),
        .lease_until = DAY_ONE + 17,
        .wake_at = DAY_ONE + 18,
        .created_at = DAY_ONE + 19,
        .started_at = DAY_ONE + 20,
        .attempt_at = DAY_ONE + 21,
        .source = 22,
        .input = STR("{\"in\":1}"),
        .progress = STR("\xF0\x9F\x94\x94 half"),
        .last_run_at = DAY_ONE + 23,
        .trace = {UINT64_C(0x8000000000000018), 25},
    };
}

static void assert_run(const struct run *got, const struct run *expected)
{
    assert_int_equal(got->id, expected->id);
    assert_int_equal(got->schedule, expected->schedule);
    assert_int_equal(got->slot, expected->slot);
    assert_int_equal(got->pass, expected->pass);
    assert_int_equal(got->kind, expected->kind);
    assert_int_equal(got->state, expected->state);
    assert_int_equal(got->flags, expected->flags);
    assert_int_equal(got->overlap, expected->overlap);
    assert_int_equal(got->lane, expected->lane);
    assert_int_equal(got->queue, expected->queue);
    assert_int_equal(got->gate, expected->gate);
    assert_int_equal(got->priority, expected->priority);
    assert_int_equal(got->due, expected->due);
    assert_int_equal(got->rank, expected->rank);
    assert_int_equal(got->attempt, expected->attempt);
    assert_int_equal(got->losses, expected->losses);
    assert_int_equal(got->fence, expected->fence);
    assert_int_equal(got->node, expected->node);
    assert_str_equal(got->worker, expected->worker);
    assert_int_equal(got->lease_until, expected->lease_until);
    assert_int_equal(got->wake_at, expected->wake_at);
    assert_int_equal(got->created_at, expected->created_at);
    assert_int_equal(got->started_at, expected->started_at);
    assert_int_equal(got->attempt_at, expected->attempt_at);
    assert_int_equal(got->source, expected->source);
    assert_str_equal(got->input, expected->input);
    assert_str_equal(got->progress, expected->progress);
    assert_int_equal(got->last_run_at, expected->last_run_at);
    assert_true(got->trace.high == expected->trace.high);
    assert_true(got->trace.low == expected->trace.low);
}

/* With its input, which is read only when a run is claimed. */
static struct run whole(struct fixture *f, const struct run *brief)
{
    struct run run = *brief;
    char sql[ASK_MAX];
    struct db_result got;

    assert_int_equal(brief->input.len, 0);
    snprintf(sql, sizeof sql, "SELECT input FROM runs WHERE id = %lld", (long long)brief->id);
    got = ask(f, f->db, sql);
    assert_int_equal(got.rows, 1);
    if (db_at(&got, 0, 0)->type == DB_TEXT)
        run.input = db_text_at(&got, 0, 0);
    assert_true(brief->lacks_input == (run.input.len > 0));
    return run;
}

static struct run read_one(struct fixture *f, int64_t id)
{
    struct db_result got;
    struct run run;

    runs_lock(f->db, id, &got);
    flush(f);
    assert_int_equal(got.rows, 1);
    runs_read(&got, 0, &run);
    return whole(f, &run);
}

static int64_t insert(struct fixture *f, const struct run *run)
{
    struct db_result got = {.changed = -1};

    runs_insert(f->db, run, &got);
    flush(f);
    return got.changed;
}

/* Inserts a run with its own slot, changed by the other arguments: assignments to `r`. */
#define ADD(f, key, ...)                                                             \
    do {                                                                             \
        struct run add_run = {.id = (key), .slot = (key), .wake_at = INSTANT_NEVER}; \
        struct run *r = &add_run;                                                    \
        __VA_ARGS__;                                                                 \
        assert_int_equal(insert(f, r), 1);                                           \
    } while (0)

static void every_field_has_its_column(void **state)
{
    struct fixture *f = *state;
    struct run r = distinct(41), back;
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = {
        {"id", r.id},
        {"schedule", r.schedule},
        {"slot", r.slot},
        {"pass", r.pass},
        {"state", r.state},
        {"lane", r.lane},
        {"queue", r.queue},
        {"gate", r.gate},
        /* Bytes of kind, overlap, source, losses, flags and priority, lowest first. */
        {"bits", INT64_C(0x0A030E160402)},
        {"due", r.due},
        {"rank", r.rank},
        {"attempt", r.attempt},
        {"fence", r.fence},
        {"node", r.node},
        {"lease_until", r.lease_until},
        {"wake_at", r.wake_at},
        {"created_at", r.created_at},
        {"started_at", r.started_at},
        {"attempt_at", r.attempt_at},
        {"last_run_at", r.last_run_at},
        {"trace_high", INT64_MIN + 24},
        {"trace_low", 25},
    };

    assert_int_equal(insert(f, &r), 1);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        assert_int_column(f, "runs", numbers[i].name, numbers[i].value);
    assert_text_column(f, "runs", "worker", r.worker);
    assert_text_column(f, "runs", "input", r.input);
    assert_text_column(f, "runs", "progress", r.progress);
    back = read_one(f, 41);
    assert_run(&back, &r);
}

static void extreme_values_are_stored_exactly(void **state)
{
    struct fixture *f = *state;
    struct run none = {.id = INT64_MIN,
                       .schedule = INT64_MIN,
                       .slot = INSTANT_NONE,
                       .pass = INT64_MIN,
                       .state = RUN_HELD,
                       .attempt = INT32_MIN,
                       .wake_at = INSTANT_NONE,
                       .started_at = INSTANT_NONE,
                       .attempt_at = INSTANT_NONE,
                       .rank = INSTANT_NONE,
                       .last_run_at = INSTANT_NONE};
    struct run full = {.id = INT64_MAX,
                       .schedule = INT64_MAX,
                       .slot = INSTANT_NEVER,
                       .pass = INT64_MAX,
                       .state = RUN_BACKOFF,
                       .kind = RUN_TEST,
                       .flags = 255,
                       .overlap = 255,
                       .lane = 255,
                       .source = 255,
                       .losses = 255,
                       .priority = 255,
                       .attempt = INT32_MAX,
                       .fence = INT64_MAX,
                       .lease_until = INSTANT_NEVER,
                       .wake_at = INSTANT_NEVER,
                       .rank = INSTANT_NEVER,
                       .worker = STR("w"),
                       .input = big_text(f),
                       .progress = big_text(f)};
    struct run back;

    assert_int_equal(insert(f, &none), 1);
    assert_int_equal(insert(f, &full), 1);
    back = read_one(f, INT64_MIN);
    assert_run(&back, &none);
    back = read_one(f, INT64_MAX);
    assert_run(&back, &full);
}

static void an_update_writes_the_state_and_keeps_the_identity(void **state)
{
    struct fixture *f = *state;
    struct run first = distinct(1), other = distinct(2), changed = distinct(1), back;

    other.pass = 4;
    changed.kind = RUN_SLOT;
    changed.state = RUN_BACKOFF;
    changed.flags = 0;
    changed.overlap = OVERLAP_SKIP;
    changed.source = 60;
    changed.losses = 61;
    changed.priority = 1;
    changed.gate = 62;
    changed.rank = 63;
    changed.attempt = 64;
    changed.fence = 65;
    changed.node = 66;
    changed.lease_until = INSTANT_NEVER;
    changed.wake_at = 67;
    changed.started_at = 68;
    changed.attempt_at = 69;
    changed.last_run_at = 70;
    changed.worker = STR("");
    changed.progress = STR("done");
    assert_int_equal(insert(f, &first), 1);
    assert_int_equal(insert(f, &other), 1);
    runs_update(f->db, &changed);
    back = read_one(f, 1);
    assert_run(&back, &changed);
    back = read_one(f, 2);
    assert_run(&back, &other);

    changed.schedule = changed.slot = changed.pass = changed.queue = 9;
    changed.lane = 9;
    changed.due = changed.created_at = 9;
    changed.input = STR("other");
    runs_update(f->db, &changed);
    back = read_one(f, 1);
    assert_int_equal(back.schedule, first.schedule);
    assert_int_equal(back.slot, first.slot);
    assert_int_equal(back.pass, first.pass);
    assert_int_equal(back.queue, first.queue);
    assert_int_equal(back.lane, first.lane);
    assert_int_equal(back.due, first.due);
    assert_int_equal(back.created_at, first.created_at);
    assert_str_equal(back.input, first.input);
}

static void a_slot_has_one_run(void **state)
{
    struct fixture *f = *state;
    struct run first = distinct(1), same_slot = distinct(2), same_key = distinct(1);
    struct run pass = distinct(3), slot = distinct(4), schedule = distinct(5), back;

    same_slot.progress = same_key.progress = STR("another");
    same_key.slot++;
    pass.pass++;
    slot.slot++;
    schedule.schedule++;
    assert_int_equal(insert(f, &first), 1);
    assert_int_equal(insert(f, &same_slot), 0);
    assert_int_equal(insert(f, &same_key), 0);
    assert_int_equal(insert(f, &pass), 1);
    assert_int_equal(insert(f, &slot), 1);
    assert_int_equal(insert(f, &schedule), 1);
    back = read_one(f, 1);
    assert_run(&back, &first);
}

static void a_run_is_locked_by_key_or_by_slot(void **state)
{
    struct fixture *f = *state;
    struct run first = distinct(1), second = distinct(2), back;
    struct db_result by_slot, no_slot, no_key, peeked, not_peeked, too_old, gone, gone_before;

    second.pass = 9;
    assert_int_equal(insert(f, &first), 1);
    assert_int_equal(insert(f, &second), 1);
    runs_lock_slot(f->db, second.schedule, second.slot, 9, &by_slot);
    runs_lock_slot(f->db, second.schedule, second.slot, 8, &no_slot);
    runs_lock(f->db, 3, &no_key);
    runs_peek_slot(f->db, second.schedule, second.slot, 9, &peeked);
    runs_peek_slot(f->db, second.schedule, second.slot, 8, &not_peeked);
    flush(f);
    assert_int_equal(by_slot.rows, 1);
    runs_read(&by_slot, 0, &back);
    back = whole(f, &back);
    assert_run(&back, &second);
    assert_int_equal(no_slot.rows, 0);
    assert_int_equal(no_key.rows, 0);
    assert_int_equal(db_int_at(&peeked, 0, 0), second.state);
    assert_int_equal(not_peeked.rows, 0);
    runs_delete(f->db, 2, second.fence - 1, &too_old);
    runs_delete(f->db, 2, second.fence, &gone);
    runs_delete(f->db, 2, second.fence, &gone_before);
    runs_lock(f->db, 2, &no_key);
    runs_lock(f->db, 1, &by_slot);
    flush(f);
    assert_int_equal(no_key.rows, 0);
    assert_int_equal(by_slot.rows, 1);
    assert_int_equal(too_old.changed, 0);
    assert_int_equal(gone.changed, 1);
    assert_int_equal(gone_before.changed, 0);
}

static void runs_of_a_schedule_are_read_held_or_not_held(void **state)
{
    static const enum run_state states[] = {
        RUN_BACKOFF, RUN_HELD,  RUN_RUNNING, RUN_APPROVAL, RUN_LEASED,
        RUN_HELD,    RUN_READY, RUN_GATED,   RUN_HELD,
    };
    struct fixture *f = *state;
    struct db_result held, some_held, others, some_others, nobody;

    /* Keys 9, 8 … 1, so that the order of insertion differs from the requested order. */
    for (int i = 0; i < 9; i++)
        ADD(f, 9 - i, r->schedule = 7, r->state = states[i]);
    ADD(f, 10, r->schedule = 8, r->state = RUN_HELD);
    ADD(f, 11, r->schedule = 8, r->state = RUN_READY);
    runs_of_schedule(f->db, 7, true, 100, &held);
    runs_of_schedule(f->db, 7, true, 2, &some_held);
    runs_of_schedule(f->db, 7, false, 100, &others);
    runs_of_schedule(f->db, 7, false, 3, &some_others);
    runs_of_schedule(f->db, 9, false, 3, &nobody);
    flush(f);
    assert_ids(&held, "1 4 8");
    assert_ids(&some_held, "1 4");
    assert_ids(&others, "2 3 5 6 7 9");
    assert_ids(&some_others, "2 3 5");
    assert_ids(&nobody, "");
}

static void runs_of_a_schedule_have_every_field(void **state)
{
    struct fixture *f = *state;
    struct run held = distinct(1), gated = distinct(2), back;
    struct db_result got;

    held.state = RUN_HELD;
    gated.state = RUN_GATED;
    gated.slot++;
    assert_int_equal(insert(f, &held), 1);
    assert_int_equal(insert(f, &gated), 1);
    runs_of_schedule(f->db, held.schedule, true, 1, &got);
    flush(f);
    runs_read(&got, 0, &back);
    back = whole(f, &back);
    assert_run(&back, &held);
    runs_of_schedule(f->db, held.schedule, false, 1, &got);
    flush(f);
    runs_read(&got, 0, &back);
    back = whole(f, &back);
    assert_run(&back, &gated);
    runs_gated(f->db, gated.gate, 1, &got);
    flush(f);
    runs_read(&got, 0, &back);
    back = whole(f, &back);
    assert_run(&back, &gated);
}

static void waking_runs_are_in_order_and_others_are_not_found(void **state)
{
    struct fixture *f = *state;
    struct db_result all, some, none, next, last, no_next;

    ADD(f, 5, r->wake_at = 100, r->schedule = 70, r->slot = 71, r->pass = 72);
    ADD(f, 4, r->wake_at = 300);
    ADD(f, 3, r->wake_at = 100);
    ADD(f, 2, r->wake_at = INSTANT_NEVER);
    ADD(f, 1, r->wake_at = 301);
    runs_waking(f->db, 300, 10, &all);
    runs_waking(f->db, INSTANT_NEVER, 2, &some);
    runs_waking(f->db, 99, 10, &none);
    runs_next_wake(f->db, 99, &next);
    runs_next_wake(f->db, 300, &last);
    runs_next_wake(f->db, 301, &no_next);
    flush(f);
    assert_ids(&all, "3 5 4");
    assert_int_equal(db_int_at(&all, 1, 1), 70);
    assert_int_equal(db_int_at(&all, 1, 2), 71);
    assert_int_equal(db_int_at(&all, 1, 3), 72);
    assert_ids(&some, "3 5");
    assert_ids(&none, "");
    assert_ids(&next, "100");
    assert_ids(&last, "301");
    assert_ids(&no_next, "");
    runs_waking(f->db, INSTANT_NEVER, 10, &all);
    flush(f);
    assert_ids(&all, "3 5 4 1");
}

static void the_runs_of_a_node_are_found_in_batches(void **state)
{
    struct fixture *f = *state;
    struct db_result first, rest, nobody;

    ADD(f, 4, r->node = 2, r->schedule = 40, r->slot = 41, r->pass = 42);
    ADD(f, 3, r->node = 1);
    ADD(f, 2, r->node = 2);
    ADD(f, 1, r->node = 2);
    runs_of_node(f->db, 2, 0, 2, &first);
    runs_of_node(f->db, 2, 2, 2, &rest);
    runs_of_node(f->db, 3, 0, 2, &nobody);
    flush(f);
    assert_ids(&first, "1 2");
    assert_ids(&rest, "4");
    assert_int_equal(db_int_at(&rest, 0, 1), 40);
    assert_int_equal(db_int_at(&rest, 0, 2), 41);
    assert_int_equal(db_int_at(&rest, 0, 3), 42);
    assert_ids(&nobody, "");
}

static void ready_runs_are_ordered_by_rank_and_key(void **state)
{
    struct fixture *f = *state;
    struct db_result all, some, other_lane;
    struct run best;

    ADD(f, 1, r->state = RUN_READY, r->lane = 1, r->queue = 5, r->rank = 30);
    ADD(f, 2, r->state = RUN_READY, r->lane = 1, r->queue = 5, r->rank = -10, r->gate = 20,
        r->schedule = 21, r->slot = 22, r->pass = 23, r->input = STR("{}"));
    ADD(f, 4, r->state = RUN_READY, r->lane = 1, r->queue = 5, r->rank = 20);
    ADD(f, 3, r->state = RUN_READY, r->lane = 1, r->queue = 5, r->rank = 20);
    ADD(f, 5, r->state = RUN_READY, r->lane = 1, r->queue = 6, r->rank = 0);
    ADD(f, 6, r->state = RUN_READY, r->lane = 2, r->queue = 5, r->rank = 0);
    for (int other = RUN_HELD; other < RUN_ENDED; other++)
        if (other != RUN_READY)
            ADD(f, 100 + other, r->state = (enum run_state)other, r->lane = 1, r->queue = 5);
    runs_ready(f->db, 1, 5, 10, &all);
    runs_ready(f->db, 1, 5, 2, &some);
    runs_ready(f->db, 2, 5, 10, &other_lane);
    flush(f);
    assert_ids(&all, "2 3 4 1");
    runs_read(&all, 0, &best);
    assert_int_equal(best.gate, 20);
    assert_int_equal(best.schedule, 21);
    assert_int_equal(best.slot, 22);
    assert_int_equal(best.pass, 23);
    assert_str_equal(best.input, STR("{}"));
    assert_ids(&some, "2 3");
    assert_ids(&other_lane, "6");
}

static void queues_with_ready_runs_are_found_one_after_another(void **state)
{
    struct fixture *f = *state;
    int64_t after = INT64_MIN;
    struct db_result got;

    for (int64_t key = 1; key <= 30; key++)
        ADD(f, key, r->state = RUN_READY, r->lane = 1, r->queue = 10 * (key % 3));
    ADD(f, 31, r->state = RUN_GATED, r->lane = 1, r->queue = 15);
    ADD(f, 32, r->state = RUN_READY, r->lane = 2, r->queue = 16);
    for (int64_t expected = 0; expected <= 20; expected += 10) {
        runs_ready_queue(f->db, 1, after, &got);
        flush(f);
        assert_int_equal(got.rows, 1);
        after = db_int_at(&got, 0, 0);
        assert_int_equal(after, expected);
    }
    runs_ready_queue(f->db, 1, after, &got);
    flush(f);
    assert_int_equal(got.rows, 0);
}

static void gated_runs_are_ordered_by_rank_and_key(void **state)
{
    struct fixture *f = *state;
    struct db_result all, some, nobody;

    ADD(f, 1, r->state = RUN_GATED, r->gate = 5, r->rank = 30);
    ADD(f, 4, r->state = RUN_GATED, r->gate = 5, r->rank = -1);
    ADD(f, 3, r->state = RUN_GATED, r->gate = 5, r->rank = -1);
    ADD(f, 2, r->state = RUN_READY, r->gate = 5, r->rank = -2);
    ADD(f, 5, r->state = RUN_GATED, r->gate = 6, r->rank = -2);
    runs_gated(f->db, 5, 10, &all);
    runs_gated(f->db, 5, 2, &some);
    runs_gated(f->db, 7, 2, &nobody);
    flush(f);
    assert_ids(&all, "3 4 1");
    assert_ids(&some, "3 4");
    assert_ids(&nobody, "");
}

static void assert_claimed(struct fixture *f, int64_t queue, int64_t expected)
{
    struct db_result got;

    runs_count_claimed(f->db, queue, &got);
    flush(f);
    assert_int_equal(got.rows, 1);
    assert_int_equal(db_int_at(&got, 0, 0), expected);
}

static void claimed_runs_of_a_queue_are_counted(void **state)
{
    struct fixture *f = *state;

    ADD(f, 1, r->state = RUN_READY, r->lane = LANE_PULL, r->queue = 5);
    ADD(f, 2, r->state = RUN_LEASED, r->lane = LANE_PULL, r->queue = 5);
    ADD(f, 3, r->state = RUN_RUNNING, r->lane = LANE_PULL, r->queue = 5);
    ADD(f, 4, r->state = RUN_BACKOFF, r->lane = LANE_PULL, r->queue = 5);
    ADD(f, 5, r->state = RUN_GATED, r->lane = LANE_PULL, r->queue = 5);
    ADD(f, 6, r->state = RUN_RUNNING, r->lane = LANE_HTTP, r->queue = 5);
    ADD(f, 7, r->state = RUN_LEASED, r->lane = LANE_PULL, r->queue = 6);
    assert_claimed(f, 5, 2);
    assert_claimed(f, 6, 1);
    assert_claimed(f, 7, 0);
    runs_delete(f->db, 3, INT64_MAX, NULL);
    assert_claimed(f, 5, 1);
}

static void every_statement_was_run(void **state)
{
    assert_every_statement_ran(*state, "src/store/runs.c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(every_field_has_its_column),
        STORE_TEST(extreme_values_are_stored_exactly),
        STORE_TEST(an_update_writes_the_state_and_keeps_the_identity),
        STORE_TEST(a_slot_has_one_run),
        STORE_TEST(a_run_is_locked_by_key_or_by_slot),
        STORE_TEST(runs_of_a_schedule_are_read_held_or_not_held),
        STORE_TEST(runs_of_a_schedule_have_every_field),
        STORE_TEST(waking_runs_are_in_order_and_others_are_not_found),
        STORE_TEST(the_runs_of_a_node_are_found_in_batches),
        STORE_TEST(ready_runs_are_ordered_by_rank_and_key),
        STORE_TEST(queues_with_ready_runs_are_found_one_after_another),
        STORE_TEST(gated_runs_are_ordered_by_rank_and_key),
        STORE_TEST(claimed_runs_of_a_queue_are_counted),
        cmocka_unit_test(every_statement_was_run),
    };

    return RUN_STORE_TESTS(tests);
}
