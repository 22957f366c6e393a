/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two nodes on one PostgreSQL: each locking statement skips rows that the other node holds;
 * only unique inserts and the node's own row wait.
 *
 * Session A is f->db.  Where B only has to be refused, it is a second connection of this
 * process: waiting for a lock would end in RC_BUSY.  Where B has to wait and then continue, it
 * is a child; pg_locks shows that it waits.
 */
#include "rows.h"

#include <sys/wait.h>

#include "store/cursors.h"
#include "store/events_requests.h"
#include "store/named_objects.h"
#include "store/nodes.h"
#include "store/runs.h"
#include "store/schedules.h"
#include "store/tokens.h"

enum {
    PATIENT_MS = 20000, /* a child waits as long as the test may take */
    POLLS_MAX = 100000, /* queries to the server until the expected state is reached */
    FAILED = 100,       /* exit status of a child that could not do its part */
};

struct two {
    struct fixture *f;
    struct db *a, *b;
};

static int set_up_two(void **state)
{
    struct two *two = calloc(1, sizeof *two);
    void *fixture = NULL;

    assert_non_null(two);
    set_up_tables(&fixture);
    two->f = fixture;
    two->a = two->f->db;
    two->b = open_with(two->f->url, NULL);
    *state = two;
    return 0;
}

static int tear_down_two(void **state)
{
    struct two *two = *state;
    void *fixture = two->f;

    db_close(two->b);
    tear_down(&fixture);
    free(two);
    return 0;
}

static int set_up_empty_for_two(void **state)
{
    struct two *two = *state;

    db_rollback(two->b);
    empty_tables(two->f);
    return 0;
}

#define TWO_TEST(name) cmocka_unit_test_setup(name, set_up_empty_for_two)

static void run(struct two *two, struct db *db)
{
    OK(db_flush(db, two->f->arena, err));
}

static void commit(struct two *two, struct db *db)
{
    OK(db_commit(db, two->f->arena, err));
}

static void begin_both(struct two *two)
{
    db_begin(two->a);
    db_begin(two->b);
}

/* Three cursors that are due, each with a run that is held and one that is gated. */
static void fill(struct two *two)
{
    for (int64_t id = 1; id <= 3; id++) {
        struct run held = {.id = 10 * id,
                           .schedule = id,
                           .slot = 1,
                           .state = RUN_HELD,
                           .wake_at = INSTANT_NEVER};
        struct run gated = {.id = 10 * id + 1,
                            .schedule = id,
                            .slot = 2,
                            .state = RUN_GATED,
                            .gate = 7,
                            .wake_at = INSTANT_NEVER};

        cursors_insert(two->a, &(struct cursor){.id = id, .wake_at = 100});
        runs_insert(two->a, &held, NULL);
        runs_insert(two->a, &gated, NULL);
    }
    run(two, two->a);
}

/*
 * A locks the first row by `lock`; B requests all rows and gets `others` without waiting;
 * when A is done, B gets `all`.
 */
#define ASSERT_SKIPPED(two, lock, request, others, all) \
    do {                                                \
        struct db_result got;                           \
        struct db *db = (two)->a;                       \
        begin_both(two);                                \
        lock;                                           \
        run(two, db);                                   \
        assert_true(got.rows > 0);                      \
        db = (two)->b;                                  \
        request;                                        \
        run(two, db);                                   \
        assert_ids(&got, others);                       \
        commit(two, (two)->a);                          \
        request;                                        \
        run(two, db);                                   \
        assert_ids(&got, all);                          \
        commit(two, db);                                \
    } while (0)

static void cursors_locked_by_another_session_are_skipped(void **state)
{
    struct two *two = *state;

    fill(two);
    ASSERT_SKIPPED(two, cursors_lock(db, 1, &got), cursors_lock(db, 1, &got), "", "1");
    ASSERT_SKIPPED(two, cursors_lock(db, 2, &got), cursors_due(db, 0, 100, 9, &got), "1 3",
                   "1 2 3");
    ASSERT_SKIPPED(two, cursors_due(db, 0, 100, 2, &got), cursors_due(db, 0, 100, 9, &got), "3",
                   "1 2 3");
    ASSERT_SKIPPED(two, cursors_due(db, 0, 100, 1, &got), cursors_lock(db, 1, &got), "", "1");
}

static void runs_locked_by_another_session_are_skipped(void **state)
{
    struct two *two = *state;

    fill(two);
    ASSERT_SKIPPED(two, runs_lock(db, 10, &got), runs_lock(db, 10, &got), "", "10");
    ASSERT_SKIPPED(two, runs_lock(db, 10, &got), runs_lock_slot(db, 1, 1, 0, &got), "", "10");
    ASSERT_SKIPPED(two, runs_lock_slot(db, 1, 1, 0, &got),
                   runs_of_schedule(db, 1, true, 9, &got), "", "10");
    ASSERT_SKIPPED(two, runs_of_schedule(db, 1, false, 9, &got),
                   runs_of_schedule(db, 1, false, 9, &got), "", "11");
    ASSERT_SKIPPED(two, runs_gated(db, 7, 1, &got), runs_gated(db, 7, 9, &got), "21 31",
                   "11 21 31");
}

static void gates_queues_and_nodes_locked_by_another_session_are_skipped(void **state)
{
    static const char *const names[] = {"x", "y"};
    struct two *two = *state;

    for (int64_t id = 1; id <= 2; id++) {
        struct node node = {
            .id = id, .name = str_of(names[id - 1]), .lease_until = 50, .state = NODE_UP};

        queues_insert(two->a, id, 1, node.name);
        gates_insert(two->a, id, 1, node.name, 5);
        gates_update(two->a, &(struct gate){.id = id, .most = 5, .open = 1, .waiting = 1});
        nodes_insert(two->a, &node, NULL);
    }
    run(two, two->a);
    ASSERT_SKIPPED(two, gates_lock(db, 1, &got), gates_lock(db, 1, &got), "", "1");
    ASSERT_SKIPPED(two, gates_lock(db, 1, &got), gates_with_room(db, 9, &got), "2", "1 2");
    ASSERT_SKIPPED(two, gates_with_room(db, 1, &got), gates_lock(db, 1, &got), "", "1");
    ASSERT_SKIPPED(two, queues_lock(db, 1, &got), queues_lock(db, 1, &got), "", "1");
    ASSERT_SKIPPED(two, queues_lock(db, 2, &got), queues_lock_name(db, 1, STR("y"), &got), "",
                   "2");
    ASSERT_SKIPPED(two, nodes_silent(db, 51, &got), nodes_silent(db, 51, &got), "", "1 2");
}

/* Unlocked reads see the old state, whichever session holds the row. */
static void reads_without_a_lock_neither_wait_nor_skip_rows(void **state)
{
    struct two *two = *state;
    struct db_result peeked, all, slot, waking, locked;

    fill(two);
    begin_both(two);
    cursors_due(two->a, 0, 100, 9, &locked);
    cursors_update(two->a, &(struct cursor){.id = 1, .wake_at = 100, .open = 9});
    runs_gated(two->a, 7, 9, &locked);
    runs_update(two->a, &(struct run){.id = 11, .state = RUN_READY, .wake_at = 5});
    run(two, two->a);
    cursors_peek(two->b, 1, &peeked);
    cursors_list_keys(two->b, 0, 9, &all);
    runs_peek_slot(two->b, 1, 2, 0, &slot);
    runs_waking(two->b, 100, 9, &waking);
    run(two, two->b);
    assert_int_equal(peeked.rows, 1);
    assert_ids(&all, "1 2 3");
    assert_int_equal(db_int_at(&slot, 0, 0), RUN_GATED);
    assert_int_equal(waking.rows, 0);
    commit(two, two->a);
    runs_waking(two->b, 100, 9, &waking);
    commit(two, two->b);
    assert_ids(&waking, "11");
}

static void locks_in_opposite_order_neither_wait_nor_deadlock(void **state)
{
    struct two *two = *state;
    struct db_result a1, a2, b1, b2;

    fill(two);
    begin_both(two);
    cursors_lock(two->a, 1, &a1);
    run(two, two->a);
    cursors_lock(two->b, 2, &b2);
    run(two, two->b);
    cursors_lock(two->a, 2, &a2);
    run(two, two->a);
    cursors_lock(two->b, 1, &b1);
    run(two, two->b);
    assert_ids(&a1, "1");
    assert_ids(&b2, "2");
    assert_ids(&a2, "");
    assert_ids(&b1, "");
    cursors_update(two->a, &(struct cursor){.id = 1, .wake_at = 7});
    cursors_update(two->b, &(struct cursor){.id = 2, .wake_at = 8});
    commit(two, two->a);
    commit(two, two->b);
    cursors_due(two->a, 7, 8, 9, &a1);
    run(two, two->a);
    assert_ids(&a1, "1 2");
}

/* Unique inserts: the only kind of statement that may wait. */

static void send_schedule(struct db *db, int64_t id, struct db_result *ret)
{
    struct schedule_row row = {.id = id, .namespace = 1, .name = STR("nightly")};

    schedules_insert(db, &row, ret);
}

static void send_request(struct db *db, int64_t id, struct db_result *ret)
{
    requests_insert(
        db, &(struct request){.namespace = 1, .name = STR("key"), .fingerprint = id}, ret);
}

static void send_namespace(struct db *db, int64_t id, struct db_result *ret)
{
    namespaces_insert(db, id, STR("team"), 0, ret);
}

static void send_node(struct db *db, int64_t id, struct db_result *ret)
{
    nodes_insert(db, &(struct node){.id = id, .name = STR("host")}, ret);
}

/* Inserts of queues and gates return no count; the row that is found shows the result. */
static void send_queue(struct db *db, int64_t id, struct db_result *ret)
{
    (void)ret;
    queues_insert(db, id, 1, STR("mail"));
}

static void send_gate(struct db *db, int64_t id, struct db_result *ret)
{
    (void)ret;
    gates_insert(db, id, 1, STR("db"), 4);
}

typedef void insert_fn(struct db *db, int64_t id, struct db_result *ret);

static const struct {
    insert_fn *send;
    const char *found; /* identifies whose row it is */
    bool tells;
} inserts[] = {
    {send_schedule, "SELECT id FROM schedules", true},
    {send_request, "SELECT print FROM requests", true},
    {send_namespace, "SELECT id FROM namespaces", true},
    {send_node, "SELECT id FROM nodes", true},
    {send_queue, "SELECT id FROM queues", false},
    {send_gate, "SELECT id FROM gates", false},
};

static void an_insert_of_an_uncommitted_name_fails_as_busy(void **state)
{
    struct two *two = *state;

    for (size_t i = 0; i < sizeof inserts / sizeof inserts[0]; i++) {
        struct db_result got = {.changed = -1};

        begin_both(two);
        inserts[i].send(two->a, 1, &got);
        run(two, two->a);
        assert_int_equal(got.changed, inserts[i].tells ? 1 : -1);
        inserts[i].send(two->b, 2, NULL);
        REFUSED(db_flush(two->b, two->f->arena, err), RC_BUSY, "55P03");
        db_rollback(two->b);
        commit(two, two->a);
        inserts[i].send(two->b, 2, &got);
        run(two, two->b);
        assert_int_equal(got.changed, inserts[i].tells ? 0 : -1);
        assert_int_equal(ask_int(two->f, inserts[i].found), 1);
    }
}

static void a_name_is_free_after_the_rollback_of_its_insert(void **state)
{
    struct two *two = *state;

    for (size_t i = 0; i < sizeof inserts / sizeof inserts[0]; i++) {
        struct db_result got = {.changed = -1};

        begin_both(two);
        inserts[i].send(two->a, 1, NULL);
        run(two, two->a);
        db_rollback(two->a);
        inserts[i].send(two->b, 2, &got);
        commit(two, two->b);
        assert_int_equal(got.changed, inserts[i].tells ? 1 : -1);
        assert_int_equal(ask_int(two->f, inserts[i].found), 2);
    }
}

/* Where B waits: a child with its own connection, which asserts nothing itself. */

typedef int part_fn(struct fixture *f, struct db *db);

static pid_t start(struct two *two, part_fn *part)
{
    struct db_options patient = {.lock_ms = PATIENT_MS, .deadline_ms = PATIENT_MS};
    pid_t child = fork();

    if (child == 0) {
        struct db *db = NULL;
        struct err err;

        if (db_open(two->f->url, &patient, &db, &err) != RC_OK)
            _exit(FAILED);
        _exit(part(two->f, db));
    }
    assert_true(child > 0);
    return child;
}

static int end_of(pid_t child)
{
    int status = 0;

    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Returns when one session waits for a lock. */
static void await_waiting(struct two *two)
{
    int64_t waiting = 0;

    for (int i = 0; i < POLLS_MAX && waiting == 0; i++) {
        struct db_result got = ask(two->f, two->b,
                                   "SELECT count(*) FROM pg_locks WHERE NOT granted");

        waiting = db_int_at(&got, 0, 0);
        arena_reset(two->f->arena);
    }
    assert_int_equal(waiting, 1);
}

static const struct node me = {
    .id = 1, .name = {"me", 2}, .boot = 1, .turn = 5, .state = NODE_UP};

static int take_the_sixth_turn(struct fixture *f, struct db *db)
{
    struct node next = me;
    struct db_result got = {.changed = FAILED};
    struct err err;

    next.turn = 6;
    nodes_turn(db, &next, &got);
    return db_flush(db, f->arena, &err) == RC_OK ? (int)got.changed : FAILED;
}

/* How the answer to a lost commit is found on a new connection. */
static void the_result_of_a_turn_in_doubt_is_waited_for(void **state)
{
    struct two *two = *state;

    nodes_insert(two->a, &me, NULL);
    run(two, two->a);
    for (int committed = 0; committed <= 1; committed++) {
        pid_t child;

        db_begin(two->a);
        assert_int_equal(take_the_sixth_turn(two->f, two->a), 1);
        child = start(two, take_the_sixth_turn);
        await_waiting(two);
        if (committed)
            commit(two, two->a);
        else
            db_rollback(two->a);
        assert_int_equal(end_of(child), committed ? 0 : 1);
        exec(two->a, "UPDATE nodes SET turn = 5");
    }
}

/* The lock of a cursor, delayed between its snapshot and its lock. */
#define SLOWLY "WITH barrier AS MATERIALIZED (SELECT pg_advisory_xact_lock(77) AS passed) "
#define LOCKED " FROM cursors c, barrier WHERE c.id = 1{skip}"

/* What the session saw: ten times the cursor's count, and the runs that it counted. */
static int lock_and_count_at_once(struct fixture *f, struct db *db)
{
    static const struct db_stmt at_once = {
        SLOWLY "SELECT c.open, (SELECT count(*) FROM runs r WHERE r.schedule = c.id)" LOCKED,
        NULL};
    struct db_result got = {.rows = 0};
    struct err err;

    db_begin(db);
    db_send(db, &at_once, NULL, &got);
    if (db_commit(db, f->arena, &err) != RC_OK || got.rows != 1)
        return FAILED;
    return (int)(10 * db_int_at(&got, 0, 0) + db_int_at(&got, 0, 1));
}

static int lock_and_then_count(struct fixture *f, struct db *db)
{
    static const struct db_stmt slowly = {SLOWLY "SELECT c.open" LOCKED, NULL};
    struct db_result got = {.rows = 0}, again = {.rows = 0}, runs = {.rows = FAILED};
    struct cursor cursor;
    struct err err;

    db_begin(db);
    db_send(db, &slowly, NULL, &got);
    cursors_lock(db, 1, &again);
    runs_of_schedule(db, 1, false, 9, &runs);
    if (db_commit(db, f->arena, &err) != RC_OK || got.rows != 1 || again.rows != 1)
        return FAILED;
    cursors_read(&again, 0, &cursor);
    return (int)(10 * cursor.open) + runs.rows;
}

/* A starts a run under the lock of the cursor and commits while B is delayed. */
static int what_is_seen(struct two *two, part_fn *part)
{
    struct run started = {
        .id = 10, .schedule = 1, .state = RUN_READY, .wake_at = INSTANT_NEVER};
    struct db_result got;
    pid_t child;

    cursors_insert(two->a, &(struct cursor){.id = 1});
    run(two, two->a);
    db_begin(two->a);
    cursors_lock(two->a, 1, &got);
    run(two, two->a);
    assert_ids(&got, "1");
    runs_insert(two->a, &started, NULL);
    cursors_update(two->a, &(struct cursor){.id = 1, .open = 1});
    run(two, two->a);

    exec(two->b, "SELECT pg_advisory_lock(77)");
    child = start(two, part);
    await_waiting(two);
    commit(two, two->a);
    exec(two->b, "SELECT pg_advisory_unlock(77)");
    return end_of(child);
}

/* The control: this is why only the cursor's own columns are read together with its lock. */
static void a_statement_that_locks_and_counts_counts_old_rows(void **state)
{
    assert_int_equal(what_is_seen(*state, lock_and_count_at_once), 10);
}

static void a_count_after_the_lock_is_right(void **state)
{
    assert_int_equal(what_is_seen(*state, lock_and_then_count), 11);
}

/* Otherwise the last token that can create others could be revoked twice at once. */
static void two_nodes_cannot_revoke_each_others_last_admin(void **state)
{
    struct two *two = *state;
    struct db_result a = {0}, b = {0}, left = {0};

    for (int64_t id = 1; id <= 3; id++) {
        struct token token = {.id = id,
                              .role = id < 3 ? ROLE_ADMIN : ROLE_VIEWER,
                              .name = STR("t"),
                              .created_by = STR("x"),
                              .expires_at = INSTANT_NEVER};

        tokens_insert(two->a, &token, NULL);
    }
    run(two, two->a);
    db_begin(two->a);
    db_begin(two->b);
    tokens_delete(two->a, 1, 0, &a);
    run(two, two->a);
    tokens_delete(two->b, 2, 0, &b);
    run(two, two->b);
    commit(two, two->a);
    commit(two, two->b);
    assert_int_equal(a.changed, 1);
    assert_int_equal(b.changed, 0);
    tokens_list(two->a, 0, 0, 10, &left);
    run(two, two->a);
    assert_int_equal(left.rows, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TWO_TEST(cursors_locked_by_another_session_are_skipped),
        TWO_TEST(runs_locked_by_another_session_are_skipped),
        TWO_TEST(gates_queues_and_nodes_locked_by_another_session_are_skipped),
        TWO_TEST(reads_without_a_lock_neither_wait_nor_skip_rows),
        TWO_TEST(locks_in_opposite_order_neither_wait_nor_deadlock),
        TWO_TEST(an_insert_of_an_uncommitted_name_fails_as_busy),
        TWO_TEST(a_name_is_free_after_the_rollback_of_its_insert),
        TWO_TEST(the_result_of_a_turn_in_doubt_is_waited_for),
        TWO_TEST(a_statement_that_locks_and_counts_counts_old_rows),
        TWO_TEST(a_count_after_the_lock_is_right),
        TWO_TEST(two_nodes_cannot_revoke_each_others_last_admin),
    };

    return cmocka_run_group_tests(tests, set_up_two, tear_down_two);
}
